"""How do bytes shrink? The one place that imports the compressors.

gzip is for the archive (one member per WARC record) and zstd for text in the table. ISA-L's level 1
costs a quarter of zlib's CPU, and for a body that the server has compressed it is as good. A text
that was sent plain is worth more: zlib's level 4 takes off another tenth (docs/benchmarks.md).
"""

import gzip
from functools import cache
from typing import Protocol

import zstandard
from isal import igzip, isal_zlib

GZIP_ERRORS: tuple[type[Exception], ...] = (
    isal_zlib.IsalError,  # type: ignore[assignment]  # the stub takes the class for an instance
    EOFError,
    OSError,
)
ZSTD_ERRORS: tuple[type[Exception], ...] = (zstandard.ZstdError,)

_TEXT_LEVEL = 3
_GZIP_LEVEL = 1
_PLAIN_TEXT_LEVEL = 4


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
    return igzip.compress(data, compresslevel=_GZIP_LEVEL)


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


def unzstd(data: bytes, max_bytes: int = 1 << 30) -> bytes:
    return zstandard.decompress(data, max_output_size=max_bytes)


def zstd_stream() -> "zstandard.ZstdDecompressionObj":
    return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
