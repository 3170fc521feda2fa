"""Can a document change and its checksum stay? For the sum of the bytes: always. A lab exercise.

    python checksums.py [FILE]

Finds a small edit that keeps the sum of the bytes and not the CRC-32, and shows four checksums
before and after. The same bytes in another order have the same sum, so two neighbours that
change places will do. A CRC sees where a byte stands: every change within 32 neighbouring bits,
such as two neighbouring bytes, is certain to change it.
"""

import hashlib
import re
import sys
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

SAMPLE = b"Tropical fish: 12 neon tetras and 95 guppies.\n"
POLYNOMIAL = 0x04C11DB7


def byte_sum(data: bytes) -> int:
    return sum(data)


def cksum(data: bytes) -> int:
    """What the command `cksum` of POSIX prints: a CRC of the bytes and then of their number, the
    highest bit first, where CRC-32 (of zip and gzip) takes the lowest first and no number."""
    number = len(data)
    crc = 0
    for byte in data + number.to_bytes((number.bit_length() + 7) // 8, "little"):
        crc = (crc << 8) & 0xFFFFFFFF ^ _TABLE[crc >> 24 ^ byte]
    return crc ^ 0xFFFFFFFF


def _remainder(byte: int) -> int:
    """Of a byte, moved up by the 32 bits of the polynomial, in division by it."""
    value = byte << 24
    for _ in range(8):
        value = value << 1 ^ (POLYNOMIAL if value >> 31 else 0)
        value &= 0xFFFFFFFF
    return value


_TABLE = tuple(map(_remainder, range(256)))


def checksums(data: bytes) -> dict[str, str]:
    return {
        "byte sum": f"{byte_sum(data):x}",
        "cksum": f"{cksum(data)}",
        "CRC-32": f"{zlib.crc32(data):08x}",
        "SHA-256": hashlib.sha256(data).hexdigest()[:16] + "…",
    }


def edit(data: bytes) -> bytes:
    """Other bytes with the same sum and another CRC-32."""
    return next(
        changed
        for changed in edits(data)
        if changed != data
        and byte_sum(changed) == byte_sum(data)
        and zlib.crc32(changed) != zlib.crc32(data)
    )


def edits(data: bytes) -> Iterator[bytes]:
    """Edits that keep the sum, those first that a reader would not notice."""
    encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = "latin-1"  # one character for each byte, whatever it is
        text = data.decode(encoding)
    for kind in (str.isdecimal, str.isalpha, str.isprintable, bool):
        for at, (left, right) in enumerate(pairwise(text)):
            if left != right and kind(left) and kind(right):
                yield f"{text[:at]}{right}{left}{text[at + 2 :]}".encode(encoding)
    # Every character is the same: one goes up and one goes down.
    if re.fullmatch(rb"[!-}]{2,}", data):
        yield bytes([data[0] + 1, data[1] - 1]) + data[2:]
    # A zero adds nothing to the sum. In front, where a CRC-32 does not start from zero, it always
    # changes that.
    yield b"\0" + data


def excerpt(data: bytes, other: bytes) -> str:
    """The surroundings of the first byte that differs."""
    at = next(
        (at for at, pair in enumerate(zip(data, other, strict=False)) if pair[0] != pair[1]), 0
    )
    return repr(data[max(0, at - 8) : at + 12])[1:]


def main(arguments: list[str]) -> int:
    if arguments == ["--help"]:
        print(__doc__.rstrip())
        return 0
    if len(arguments) > 1:
        print("Give one file or none: checksums.py [FILE]", file=sys.stderr)
        return 2
    try:
        before = Path(arguments[0]).read_bytes() if arguments else SAMPLE
    except OSError as error:
        print(f"checksums: {error}", file=sys.stderr)
        return 2
    after = edit(before)
    rows = [("around the edit", excerpt(before, after), excerpt(after, before))]
    old, new = checksums(before), checksums(after)
    rows += [(name, old[name], new[name]) for name in old]
    for name, left, right in rows:
        print(f"{name:16} {left:26} {right:26} {'same' if left == right else 'differs'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
