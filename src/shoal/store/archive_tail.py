"""Where does a torn archive file end? At its last whole record.

A kill in the middle of an append leaves a piece of a gzip member that no row points at, because a record
is told to nobody before it is whole. At the next start such a tail is cut off, so that every WARC tool
reads the file to its end. Only what was written after the last sync is looked at.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from shoal.model.compression import GZIP_ERRORS, inflater

_CHUNK_BYTES = 1 << 18


class Tail(NamedTuple):
    file: str
    kept_bytes: int
    cut_bytes: int


def mend(directory: Path, sound: Mapping[str, int]) -> list[Tail]:
    """Cut torn tails off. `sound` is how much of each file is known to be whole."""
    found = []
    for path in sorted(directory.glob("*.warc.gz")):
        size = path.stat().st_size
        start = min(sound.get(path.name, 0), size)
        end = last_whole_record(path, start) if start < size else size
        if end < size:
            os.truncate(path, end)
            found.append(Tail(path.name, end, size - end))
    return found


def last_whole_record(path: Path, start: int) -> int:
    """The offset behind the last gzip member that is whole, from a member's beginning on."""
    with path.open("rb") as file:
        file.seek(start)
        for end in _member_ends(file, start):
            start = end
    return start


def _member_ends(file: BinaryIO, position: int) -> Iterator[int]:
    stream, data = inflater(gzip=True), file.read(_CHUNK_BYTES)
    while data:
        try:
            stream.decompress(data)
        except GZIP_ERRORS:
            return
        position += len(data)
        if stream.eof:
            position -= len(stream.unused_data)
            yield position
            data = stream.unused_data or file.read(_CHUNK_BYTES)
            stream = inflater(gzip=True)
        else:
            data = file.read(_CHUNK_BYTES)
