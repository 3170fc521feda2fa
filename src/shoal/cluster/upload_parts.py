"""In which pieces does a growing file go to the store? What is new at each checkpoint is one; eight
small ones in a row become one again.

Without joining, a file of a gigabyte would be thousands of objects, and every manifest would name
them all. Joined eight at a time, as a log-structured merge does it, a byte is put again at most a
few times, and a file has few pieces: those of the most size, and at most seven of each generation.
"""

from collections.abc import Sequence
from typing import NamedTuple

from shoal.cluster.manifest import Piece

MOST_BYTES = 16 << 20
"""Of a piece: it is held in memory while it is put or fetched."""
_JOINED_AT_ONCE = 8


class UploadPart(NamedTuple):
    """A range of a file."""

    start: int
    end: int
    generation: int = 0
    piece: Piece | None = None
    """The object that holds it already."""


def parts_of(pieces: Sequence[Piece], end: int) -> list[UploadPart]:
    """A file that goes so far now, of which these pieces are stored."""
    parts, at = [], 0
    for piece in pieces:
        parts.append(UploadPart(at, at + piece.size, piece.generation, piece))
        at += piece.size
    while at < end:
        upto = min(at + MOST_BYTES, end)
        parts.append(UploadPart(at, upto))
        at = upto
        _join_last(parts)
    return parts


def _join_last(parts: list[UploadPart]) -> None:
    while len(parts) >= _JOINED_AT_ONCE:
        first, last = parts[-_JOINED_AT_ONCE], parts[-1]
        alike = all(part.generation == last.generation for part in parts[-_JOINED_AT_ONCE:])
        if not alike or last.end - first.start > MOST_BYTES:
            return
        parts[-_JOINED_AT_ONCE:] = [UploadPart(first.start, last.end, last.generation + 1)]
