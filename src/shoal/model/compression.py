"""How do bytes shrink? The one place that imports the compressors.

gzip is for the archive (one member per WARC record) and zstd for text in the table. ISA-L's level 1
costs a quarter of zlib's CPU. A text that was sent plain is worth more: zlib's level 4 takes off
another tenth (docs/benchmarks.md). A body that the server has compressed gets only longer by being
compressed again: it is stored as it came, within the member.
"""

import gzip
from functools import cache
from struct import Struct as Layout
from typing import Protocol

import zstandard
from isal import igzip_lib, isal_zlib

GZIP_ERRORS: tuple[type[Exception], ...] = (
    isal_zlib.IsalError,  # type: ignore[assignment]  # the stub takes the class for an instance
    EOFError,
    OSError,
)
ZSTD_ERRORS: tuple[type[Exception], ...] = (zstandard.ZstdError,)

_TEXT_LEVEL = 1
"""The third saves one more byte in thirty, for a quarter more CPU."""
_GZIP_LEVEL = 1
_PLAIN_TEXT_LEVEL = 4
_GZIP_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # deflate, no name, no time, no system (RFC 1952)
_GZIP_TAIL = Layout("<II")
_STORED_HEAD = Layout("<BHH")
_MOST_STORED = 0xFFFF
_ZSTD_HEAD = b"\x28\xb5\x2f\xfd\xa0"  # its magic, one segment, four bytes of size, no checksum
_ZSTD_SIZE_BYTES = 4
_BLOCK_HEAD_BYTES = 3
_MOST_IN_BLOCK = 128 << 10


class Decompressor(Protocol):
    """The part of zlib's decompression object that is relied on."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    @property
    def unconsumed_tail(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = 0) -> bytes: ...


def gzip_member(data: bytes, is_plain_text: bool = False) -> bytes:
    if is_plain_text:
        return gzip.compress(data, _PLAIN_TEXT_LEVEL, mtime=0)
    return igzip_lib.compress(data, _GZIP_LEVEL, igzip_lib.COMP_GZIP)


def gzip_member_around(text: bytes, packed: bytes) -> bytes:
    """One member that holds a text and then what is compressed already (RFC 1951, 3.2.4)."""
    deflater = isal_zlib.compressobj(_GZIP_LEVEL, wbits=-15)
    pieces = [_GZIP_HEAD, deflater.compress(text), deflater.flush(isal_zlib.Z_FULL_FLUSH)]
    starts = range(0, max(1, len(packed)), _MOST_STORED)
    for start in starts:
        stored = packed[start : start + _MOST_STORED]
        length = len(stored)
        pieces += (_STORED_HEAD.pack(start == starts[-1], length, length ^ 0xFFFF), stored)
    checksum = isal_zlib.crc32(packed, isal_zlib.crc32(text))
    pieces.append(_GZIP_TAIL.pack(checksum, len(text) + len(packed) & 0xFFFFFFFF))
    return b"".join(pieces)


def gunzip_member(data: bytes) -> bytes:
    """The bytes of the first gzip member; raises one of GZIP_ERRORS when it is not whole."""
    stream = inflater(gzip=True)
    result = stream.decompress(data)
    if not stream.eof:
        raise EOFError("the gzip member is cut short")
    return result


def inflater(gzip: bool) -> Decompressor:
    """A streaming decompressor for gzip, or for deflate with a zlib header."""
    wbits = 31 if gzip else 15
    return isal_zlib.decompressobj(wbits=wbits)


def raw_inflater() -> Decompressor:
    """For servers that send deflate without its zlib header."""
    return isal_zlib.decompressobj(wbits=-15)


@cache
def _compressor() -> zstandard.ZstdCompressor:
    """Made once: making one costs a quarter of compressing a page."""
    return zstandard.ZstdCompressor(level=_TEXT_LEVEL)


def zstd(data: bytes) -> bytes:
    """Not for two threads at once; only readers compress, and they have one."""
    return _compressor().compress(data)


def zstd_stored(data: bytes) -> bytes:
    """A frame that holds the bytes as they are (RFC 8878, 3.1.1), to be compressed together with
    others."""
    pieces = [_ZSTD_HEAD, len(data).to_bytes(_ZSTD_SIZE_BYTES, "little")]
    starts = range(0, max(1, len(data)), _MOST_IN_BLOCK)
    for start in starts:
        block = data[start : start + _MOST_IN_BLOCK]
        head = len(block) << 3 | (start == starts[-1])
        pieces += (head.to_bytes(_BLOCK_HEAD_BYTES, "little"), block)
    return b"".join(pieces)


def unzstd(data: bytes, max_bytes: int = 1 << 30) -> bytes:
    return zstandard.decompress(data, max_output_size=max_bytes)


def zstd_stream() -> "zstandard.ZstdDecompressionObj":
    return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
