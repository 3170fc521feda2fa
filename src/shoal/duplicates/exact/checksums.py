"""Are these the same bytes? Four answers, from the cheapest to the surest.

A byte sum does not see moved bytes, a CRC is easily forged, a strong hash is neither. POSIX's
cksum is a CRC of the other bit order with the length behind the data; it is had here from zlib's,
on bytes whose bits are turned around, because a loop over bytes would be a hundred times slower.
"""

import hashlib
import zlib
from typing import BinaryIO

from shoal.model.record import Struct

_CHUNK_BYTES = 1 << 20
_TURNED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class Checksums(Struct, frozen=True):
    byte_sum: int
    """Sum of all bytes, modulo 2**32."""
    cksum: int
    """POSIX cksum, as the command of that name prints it."""
    crc32: str
    sha256: str
    length_bytes: int


def checksums(stream: BinaryIO) -> Checksums:
    """In one pass, in bounded memory."""
    byte_sum, length, crc, cksum, strong = 0, 0, 0, 0xFFFFFFFF, hashlib.sha256()
    while chunk := stream.read(_CHUNK_BYTES):
        length += len(chunk)
        byte_sum += sum(chunk)
        crc = zlib.crc32(chunk, crc)
        cksum = zlib.crc32(chunk.translate(_TURNED), cksum)
        strong.update(chunk)
    tail = length.to_bytes((length.bit_length() + 7) // 8, "little").translate(_TURNED)
    return Checksums(
        byte_sum=byte_sum % (1 << 32),
        cksum=int(f"{zlib.crc32(tail, cksum):032b}"[::-1], 2),
        crc32=f"{crc:08x}",
        sha256=strong.hexdigest(),
        length_bytes=length,
    )
