"""Which boxes does a file hold? The tree of ISO base media files (ISO/IEC 14496-12) and QuickTime.

A box is a size, four letters and its content; sizes are those of hostile files: a box ends where
its parent ends, and only known containers are entered, to a bounded depth.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

_MAX_BOXES = 20_000


class Box(NamedTuple):
    kind: bytes
    start: int
    """Of its content."""
    end: int


def boxes(data: bytes, start: int, end: int) -> Iterator[Box]:
    end = min(end, len(data))
    for _ in range(_MAX_BOXES):
        if start + 8 > end:
            return
        size, kind = struct.unpack_from(">I4s", data, start)
        head = 8
        if size == 1 and start + 16 <= end:
            (size,) = struct.unpack_from(">Q", data, start + 8)
            head = 16
        elif size == 0:
            size = end - start
        if size < head:
            return
        yield Box(kind, start + head, min(end, start + size))
        start += size


def find(data: bytes, box: Box, *path: bytes) -> Box | None:
    """The first box along a path of names."""
    for kind in path:
        found = next((each for each in inner(data, box) if each.kind == kind), None)
        if found is None:
            return None
        box = found
    return box


def inner(data: bytes, box: Box) -> Iterator[Box]:
    """Of a container. `meta` has a version and flags in front in MP4, none in QuickTime."""
    start = box.start
    if box.kind == b"meta" and data[start + 4 : start + 8] not in (b"hdlr", b"keys", b"ilst"):
        start += 4
    yield from boxes(data, start, box.end)
