"""What is in a compressed file? One document, as if it had not been compressed.

gzip, bzip2, xz, LZMA, lzip, zstd, LZ4, Brotli, zlib, Snappy and compress each hold one stream,
whose name is the file's without its ending. A tar file in it is opened in the same step. The output
is bounded by size and by ratio; of a damaged stream everything before the damage is read.
"""

import bz2
import lzma
from collections.abc import Callable
from functools import partial
from typing import Protocol

from shoal.converters.archive import tar
from shoal.converters.archive.archive import Member, contained, room
from shoal.converters.archive.lz import (
    COMPRESS_MAGIC,
    LZ4_LEGACY_MAGIC,
    LZ4_MAGIC,
    SNAPPY_MAGIC,
    Unpacked,
    uncompress,
    unlz4,
    unsnappy,
)
from shoal.converters.context import Context, Converted
from shoal.converters.encoding import undo

_STEP_BYTES = 1 << 16
_MAX_STREAMS = 1_000
_SLOW_BYTES = 20_000_000
"""In and out of our own decoders, which do some megabytes in a second."""
_LZMA_MEMORY_BYTES = 100_000_000
_RENAMED = {
    **dict.fromkeys((".tgz", ".taz", ".tbz", ".tbz2", ".tb2", ".txz", ".tlz", ".tzst"), ".tar"),
    ".svgz": ".svg",
    ".emz": ".emf",
    ".wmz": ".wmf",
    ".cpgz": ".cpio",
}
_ENDINGS = frozenset(
    {".gz", ".bz2", ".bz", ".xz", ".lzma", ".lz", ".zst", ".zstd", ".lz4", ".br", ".zlib", ".z"}
    | {".sz", ".snappy", ".bzip2", ".gzip", ".deflate", ".brotli"}
)


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def convert(body: bytes, context: Context) -> list[Converted]:
    most = min(room(len(body), context.limits), context.limits.member_bytes)
    data, problem = unpack(body, most, context.name)
    name = inner_name(body, context.name)
    if tar.is_tar(data[:512]):
        documents = tar.convert(data, context)
    else:
        documents = _unwrapped(data, name, context) if data else contained([], context, 0)
    documents[0].problem = documents[0].problem or problem
    return documents


def _unwrapped(data: bytes, name: str, context: Context) -> list[Converted]:
    """The document inside as our own; when nobody reads it, at least its name."""
    documents = context.inside(data, name)
    if documents and documents[0].page.text:
        documents[0].name = ""
        return documents
    problem = documents[0].problem if documents else ""
    listing = contained([Member(name, lambda _most: b"")], context, 0, problem)
    return [*listing, *documents[1:]]


def unpack(body: bytes, most: int, name: str) -> Unpacked:
    """By its first bytes; Brotli has none and is told by its name."""
    for magic, read in _BY_MAGIC:
        if body.startswith(magic):
            return read(body, most)
    for magic, read in _SLOW_BY_MAGIC:
        if body.startswith(magic):
            return read(body[:_SLOW_BYTES], min(most, _SLOW_BYTES))
    if name.lower().endswith((".br", ".brotli")):
        return _encoded("br")(body, most)
    if body[:1] == b"\x5d" and body[1:3] == b"\0\0":
        return _streams(partial(_lzma, lzma.FORMAT_ALONE), body, most)
    return _encoded("deflate")(body, most)


def inner_name(body: bytes, name: str) -> str:
    """What the stream was called before it was packed."""
    stem, dot, ending = name.rpartition(".")
    ending = f".{ending.lower()}" if dot else ""
    if ending in _RENAMED:
        return stem + _RENAMED[ending]
    if ending in _ENDINGS and stem:
        return stem
    if body[:2] == b"\x1f\x8b" and len(body) > 20 and body[3] & 8 and not body[3] & 4:
        given = body[10:300].partition(b"\0")[0].decode("utf-8", "replace")
        return given.rpartition("/")[2]
    return name


def _encoded(coding: str) -> Callable[[bytes, int], Unpacked]:
    def read(body: bytes, most: int) -> Unpacked:
        data, problem = undo(body, coding, most, most)
        if problem.startswith("declared as"):  # then the data is the packed body
            return Unpacked(b"", "damaged: the stream can't be read")
        return Unpacked(data, problem)

    return read


def _lzma(form: int) -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(form, memlimit=_LZMA_MEMORY_BYTES)


def _streams(start: Callable[[], _Decompressor], body: bytes, most: int) -> Unpacked:
    """All streams one after the other, in steps, so that what is whole before a fault is kept."""
    pieces: list[bytes] = []
    magic = body[:3]
    written = position = 0
    problem = ""
    try:
        for _ in range(_MAX_STREAMS):
            stream = start()
            while not stream.eof:
                step = body[position : position + _STEP_BYTES]
                if not step:
                    raise EOFError
                pieces.append(stream.decompress(step, most - written))
                position += len(step)
                written += len(pieces[-1])
                if written >= most:
                    problem = f"cut: it unpacks to more than {most} bytes"
                    return Unpacked(b"".join(pieces), problem)
            position -= len(stream.unused_data)
            if not body.startswith(magic, position):
                break  # padding, or somebody's signature
    except EOFError:
        problem = "damaged: the stream ends too early"
    except (lzma.LZMAError, OSError, ValueError):
        problem = "damaged: not all of it can be read"
    return Unpacked(b"".join(pieces), problem)


def _lzip(body: bytes, most: int) -> Unpacked:
    """Six bytes (the last tells the dictionary's size), LZMA with an end mark, 20 bytes of sums."""
    pieces: list[bytes] = []
    for _ in range(_MAX_STREAMS):
        if not body.startswith(b"LZIP\x01") or most <= 0:
            break
        base = 1 << min(body[5] & 31, 26) if len(body) > 5 else 4096
        size = max(4096, base - (base >> 4) * (body[5] >> 5 if len(body) > 5 else 0))
        chain = [{"id": lzma.FILTER_LZMA1, "dict_size": size, "lc": 3, "lp": 0, "pb": 2}]
        stream = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain)
        # Fed as a stream of its own, since raw LZMA has no magic to go on with.
        part = _streams(lambda stream=stream: stream, body[6:], most)  # type: ignore[misc]
        pieces.append(part.data)
        most -= len(part.data)
        if part.problem:
            return Unpacked(b"".join(pieces), part.problem)
        body = body[len(body) - len(stream.unused_data) + 20 :] if stream.unused_data else b""
    return Unpacked(b"".join(pieces))


_BY_MAGIC: tuple[tuple[bytes, Callable[[bytes, int], Unpacked]], ...] = (
    (b"\x1f\x8b", _encoded("gzip")),
    (b"BZh", partial(_streams, bz2.BZ2Decompressor)),
    (b"\xfd7zXZ\x00", partial(_streams, partial(_lzma, lzma.FORMAT_XZ))),
    (b"\x28\xb5\x2f\xfd", _encoded("zstd")),
    (b"LZIP\x01", _lzip),
)
_SLOW_BY_MAGIC: tuple[tuple[bytes, Callable[[bytes, int], Unpacked]], ...] = (
    (LZ4_MAGIC, unlz4),
    (LZ4_LEGACY_MAGIC, unlz4),
    (SNAPPY_MAGIC, unsnappy),
    (COMPRESS_MAGIC, uncompress),
)
