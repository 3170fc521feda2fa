"""How are the members of a 7z archive packed? Its coders undone, each within bounds.

LZMA, LZMA2, BZip2, Deflate, zstd, plain copies and the delta filter. Branch filters are passed
over: they change addresses in programs, and no text. Sizes are claims: dictionaries are no larger
than what is wanted, and what comes out before any damage is kept.
"""

import bz2
import lzma
import struct
import zlib
from itertools import accumulate
from typing import NamedTuple, Protocol

from shoal.converters.encoding import undo

_MAX_DICTIONARY_BYTES = 64 << 20
_STEP_BYTES = 1 << 16
AES = b"\x06\xf1\x07\x01"
_LZMA, _LZMA2, _COPY = b"\x03\x01\x01", b"\x21", b"\x00"
_DEFLATE, _BZIP2, _ZSTD = b"\x04\x01\x08", b"\x04\x02\x02", b"\x04\xf7\x11\x01"
_DELTA = b"\x03"
_BRANCHES = frozenset(
    {b"\x04", b"\x05", b"\x06", b"\x07", b"\x08", b"\x09", b"\x0a", b"\x03\x03\x01\x03"}
    | {b"\x03\x03\x02\x05", b"\x03\x03\x04\x01", b"\x03\x03\x05\x01", b"\x03\x03\x07\x01"}
    | {b"\x03\x03\x08\x05"}
)
FOREIGN = "packed in a way that is not read"
FAULTS = (struct.error, IndexError, ValueError, OSError, EOFError, lzma.LZMAError, zlib.error)


class Unread(Exception):
    """What we can't undo, in words."""


class Coder(NamedTuple):
    method: bytes
    properties: bytes


def undo_coder(coder: Coder, data: bytes, most: int) -> bytes:
    method, properties = coder
    if method == _COPY or method in _BRANCHES:
        return data[:most]
    if method == _LZMA:
        lc, rest = properties[0] % 9, properties[0] // 9
        chain = {"id": lzma.FILTER_LZMA1, "lc": lc, "lp": rest % 5, "pb": rest // 5}
        size = int.from_bytes(properties[1:5], "little")
    elif method == _LZMA2:
        chain = {"id": lzma.FILTER_LZMA2}
        bits = properties[0] & 63
        size = (2 | bits & 1) << (bits // 2 + 11) if bits < 40 else 0xFFFFFFFF
    elif method == _DEFLATE:
        return _fed(zlib.decompressobj(-15), data, most)
    elif method == _BZIP2:
        return _fed(bz2.BZ2Decompressor(), data, most)
    elif method == _ZSTD:
        return undo(data, "zstd", most, most).data
    elif method == _DELTA:
        return _undelta(data[:most], properties[0] + 1 if properties else 1)
    else:
        raise Unread(FOREIGN)
    chain["dict_size"] = max(4096, min(size, most, _MAX_DICTIONARY_BYTES))
    return _fed(lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[chain]), data, most)


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


def _fed(stream: _Decompressor, data: bytes, most: int) -> bytes:
    """In steps: what comes out before any damage is kept."""
    pieces: list[bytes] = []
    for position in range(0, len(data), _STEP_BYTES):
        if most <= 0 or stream.eof:
            break
        try:
            piece = stream.decompress(data[position : position + _STEP_BYTES], most)
        except FAULTS:
            if not pieces:
                raise
            break
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _undelta(data: bytes, distance: int) -> bytes:
    output = bytearray(len(data))
    for channel in range(min(distance, len(data))):
        sums = accumulate(data[channel::distance], lambda last, step: last + step & 255)
        output[channel::distance] = bytes(sums)
    return bytes(output)
