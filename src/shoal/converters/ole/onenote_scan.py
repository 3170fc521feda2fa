"""Which texts stand in a OneNote file whose order cannot be read? Found by the looks of their sets.

For damaged files, and for those that were synchronised with a server, which pack the same property
sets in another way: wherever the number of a text property stands among other such numbers, the
set around it is read.
"""

import re
import struct
from collections.abc import Iterator

from shoal.converters.ole.onenote_properties import BadSet, PropertySet, read_values

_PROPERTY = re.compile(rb"(?:\x22\x1c\x00\x1c|\x98\x34\x00\x1c|\xf3\x1c\x00\x1c|\x3c\x1d\x00\x1c)")
_TYPES = frozenset({*range(1, 14), 0x10, 0x11})
_MOST_BEFORE = 60


def find_sets(data: bytes) -> Iterator[PropertySet]:
    """Each set with a text in it, once."""
    seen: set[int] = set()
    for match in _PROPERTY.finditer(data):
        start = _start(data, match.start())
        if start is None or start in seen:
            continue
        seen.add(start)
        try:
            yield read_values(data, start)
        except BadSet:
            continue


def _start(data: bytes, at: int) -> int | None:
    """Where the set begins: its count stands before the numbers of its properties."""
    for before in range(_MOST_BEFORE):
        place = at - 4 * before
        if place < 2:
            return None
        (number,) = struct.unpack_from("<I", data, place)
        if number >> 26 & 0x1F not in _TYPES:
            return None
        (count,) = struct.unpack_from("<H", data, place - 2)
        if before < count <= _MOST_BEFORE:
            return place - 2
    return None
