"""Can an encrypted XLS be read? With the password that Excel tries by itself, else not.

Three ways of locking ([MS-OFFCRYPTO] 2.3.5 to 2.3.7): XOR, RC4 with a 40-bit key, RC4 by CryptoAPI.
Record headers stay plain, and so do the records that must be read before the key is known.
"""

import hashlib
import struct
from collections.abc import Callable

from shoal.converters.sheet.biff import Decrypt
from shoal.converters.sheet.xlsx_encrypted import PASSWORD

_PLAIN = {0x0809, 0x002F, 0x00E1, 0x0195, 0x0194, 0x0196, 0x0138}
"""BOF, FILEPASS, INTERFACEHDR, and the records of shared workbooks."""
_BOUNDSHEET = 0x85
_BLOCK_BYTES = 1024
_MAX_BYTES = 20_000_000
_PAD = bytes.fromhex("BBFFFFBAFFFFB98000BE0F00BF0F00")


def decryption(filepass: bytes, version: int) -> Decrypt | None:
    """None when the password is another one."""
    try:
        if version < 8:
            return _xor(*struct.unpack_from("<HH", filepass))
        kind, major, minor = struct.unpack_from("<HHH", filepass)
        if kind == 0:
            return _xor(major, minor)
        if (major, minor) == (1, 1):
            return _rc4_40(filepass[6:])
        return _rc4_crypto_api(filepass[6:]) if minor == 2 else None
    except (struct.error, ValueError):
        return None


def _rc4_40(data: bytes) -> Decrypt | None:
    salt, verifier, verifier_hash = data[:16], data[16:32], data[32:48]
    digest = _md5(PASSWORD.encode("utf-16-le"))[:5]
    digest = _md5((digest + salt) * 16)[:5]

    def key(block: int) -> bytes:
        return _md5(digest + struct.pack("<I", block))

    stream = _keystream(key(0), 32)
    if _md5(_mix(verifier, stream)) != _mix(verifier_hash, stream[16:]):
        return None
    return _by_blocks(key)


def _rc4_crypto_api(data: bytes) -> Decrypt | None:
    _, header_bytes = struct.unpack_from("<II", data)
    (key_bits,) = struct.unpack_from("<I", data, 8 + 16)
    at = 8 + header_bytes
    salt = data[at + 4 : at + 20]
    digest = _sha1(salt + PASSWORD.encode("utf-16-le"))

    def key(block: int) -> bytes:
        size = (key_bits or 40) // 8
        found = _sha1(digest + struct.pack("<I", block))[:size]
        return found.ljust(16, b"\0") if size == 5 else found

    stream = _keystream(key(0), 36)
    if _sha1(_mix(data[at + 20 : at + 36], stream)) != _mix(data[at + 40 : at + 60], stream[16:]):
        return None
    return _by_blocks(key)


def _by_blocks(key: Callable[[int], bytes]) -> Decrypt:
    """The key changes with each 1024 bytes of the stream, headers counted."""
    streams: dict[int, bytes] = {}

    def decrypt(number: int, at: int, data: bytes) -> bytes:
        if number in _PLAIN or at > _MAX_BYTES:
            return data
        pieces: list[bytes] = []
        done = 0
        while done < len(data):
            block, offset = divmod(at + done, _BLOCK_BYTES)
            if block not in streams:
                streams.clear()  # blocks come in their order
                streams[block] = _keystream(key(block), _BLOCK_BYTES)
            piece = data[done : done + _BLOCK_BYTES - offset]
            pieces.append(_mix(piece, streams[block][offset:]))
            done += len(piece)
        plain = b"".join(pieces)
        return data[:4] + plain[4:] if number == _BOUNDSHEET else plain

    return decrypt


def _xor(key: int, verifier: int) -> Decrypt | None:
    password = PASSWORD.encode("ascii")
    if verifier != _xor_verifier(password):
        return None
    halves = key.to_bytes(2, "little")
    array = bytearray()
    for place, byte in enumerate((password + _PAD)[:16]):
        mixed = byte ^ halves[place % 2]
        array.append((mixed << 2 | mixed >> 6) & 255)

    def decrypt(number: int, at: int, data: bytes) -> bytes:
        if number in _PLAIN:
            return data
        start = at + len(data)
        plain = bytes(
            ((byte << 3 | byte >> 5) & 255) ^ array[(start + place) % 16]
            for place, byte in enumerate(data)
        )
        return data[:4] + plain[4:] if number == _BOUNDSHEET else plain

    return decrypt


def _xor_verifier(password: bytes) -> int:
    result = len(password) ^ 0xCE4B
    for place, byte in enumerate(password, 1):
        shift = place % 15
        result ^= (byte << shift | byte >> (15 - shift)) & 0x7FFF
    return result


def _keystream(key: bytes, size: int) -> bytes:
    """RC4."""
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) & 255
        state[i], state[j] = state[j], state[i]
    produced = bytearray()
    i = j = 0
    for _ in range(size):
        i = (i + 1) & 255
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
        produced.append(state[(state[i] + state[j]) & 255])
    return bytes(produced)


def _mix(data: bytes, stream: bytes) -> bytes:
    size = min(len(data), len(stream))
    mixed = int.from_bytes(data[:size]) ^ int.from_bytes(stream[:size])
    return mixed.to_bytes(size)


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
