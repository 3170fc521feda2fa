"""Where does each record of a WARC file begin and end? A walk over its gzip members.

Bounded memory whatever a record holds: a chunk of 16 KiB unpacks to 16 MiB at most, and only the
beginning of a record is kept. A damaged member ends the walk for nobody: it goes on at the next
whole record behind it. A member that is cut short by the end of the file is not whole.
"""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from shoal.model.compression import GZIP_ERRORS, inflater

_CHUNK_BYTES = 1 << 14
_MAGIC = b"\x1f\x8b\x08"
_VERSION_MARK = b"WARC/"


class Member(NamedTuple):
    offset: int
    length: int
    head: bytes
    """What the record begins with, as much of it as was asked for."""

    @property
    def end(self) -> int:
        return self.offset + self.length


class _Stop(NamedTuple):
    """Why a run of members ended."""

    offset: int
    damaged: bool


def members(path: Path, start: int = 0, head_bytes: int = len(_VERSION_MARK)) -> Iterator[Member]:
    """Every whole record from an offset on."""
    with path.open("rb") as file:
        stop = yield from _run(file, start, head_bytes)
        while stop.damaged:
            # Whatever looks like a beginning is tried; a member that a body brought along is told
            # from a record by what it unpacks to.
            offset = _find_magic(file, stop.offset + 1)
            if offset is None:
                return
            run = _run(file, offset, head_bytes)
            if (first := next(run, None)) is None:
                stop = _Stop(offset, damaged=True)
                continue
            yield first
            stop = yield from run


def is_torn(path: Path, offset: int) -> bool:
    """Whether a member begins here that is sound as far as it goes, and cut short by the end."""
    if offset >= path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(offset)
        stream = inflater(gzip=True)
        while data := file.read(_CHUNK_BYTES):
            try:
                stream.decompress(data)
            except GZIP_ERRORS:
                return False
    return not stream.eof


def _run(file: BinaryIO, offset: int, head_bytes: int) -> Generator[Member, None, _Stop]:
    """Records that follow each other without a gap."""
    file.seek(offset)
    stream, head, position = inflater(gzip=True), b"", offset
    data = file.read(_CHUNK_BYTES)
    while data:
        try:
            unpacked = stream.decompress(data)
        except GZIP_ERRORS:
            return _Stop(offset, damaged=True)
        head += unpacked[: max(0, head_bytes - len(head))]
        position += len(data)
        data = b""
        if stream.eof:
            data = stream.unused_data
            position -= len(data)
            if not head.startswith(_VERSION_MARK):
                return _Stop(offset, damaged=True)
            yield Member(offset, position - offset, head)
            stream, head, offset = inflater(gzip=True), b"", position
        data = data or file.read(_CHUNK_BYTES)
    return _Stop(offset, damaged=False)


def _find_magic(file: BinaryIO, offset: int) -> int | None:
    file.seek(offset)
    data = file.read(_CHUNK_BYTES)
    while len(data) >= len(_MAGIC):
        found = data.find(_MAGIC)
        if found >= 0:
            return offset + found
        overlap = len(_MAGIC) - 1
        offset += len(data) - overlap
        data = data[-overlap:] + file.read(_CHUNK_BYTES)
        if len(data) == overlap:
            return None
    return None
