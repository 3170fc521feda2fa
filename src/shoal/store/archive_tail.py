"""Where does a torn archive file end? At its last whole record.

A kill in the middle of an append leaves a piece of a gzip member that no row points at, because a
record is told to nobody before it is whole. At the next start such a tail is cut off, so that every
WARC tool reads the file to its end. Only what was written after the last sync is looked at. A whole
record is never cut off, whatever stands in front of it.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from shoal.store.members import is_torn, members


class Tail(NamedTuple):
    file: str
    kept_bytes: int
    cut_bytes: int


def mend(directory: Path, sound: Mapping[str, int]) -> list[Tail]:
    """Cut torn tails off. `sound` is how much of each file was seen when it was last synced."""
    found = []
    for path in sorted(directory.glob("*.warc.gz")):
        size = path.stat().st_size
        start = min(sound.get(path.name, 0), size)
        end = last_whole_record(path, start) if start < size else size
        if end < size:
            _cut(path, end)
            found.append(Tail(path.name, end, size - end))
    return found


def last_whole_record(path: Path, start: int) -> int:
    """The offset behind the last record that is whole. What stands before `start` is known to be,
    but for its last record: a sync may have looked while that one was being written."""
    end = _last_end(path, start)
    if end is not None:
        return end
    begin = (_last_end(path, 0) or 0) if start else 0
    if is_torn(path, begin):
        return begin
    # Nothing that a kill leaves. Behind a sync it is what a power loss leaves; else it is no file
    # of ours, and it stays as it is.
    return start or path.stat().st_size


def _last_end(path: Path, start: int) -> int | None:
    end = None
    for member in members(path, start):
        end = member.end
    return end


def _cut(path: Path, end: int) -> None:
    if end:
        os.truncate(path, end)
    else:
        path.unlink()  # an empty file is no WARC file
