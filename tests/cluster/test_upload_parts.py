"""A file that grows at every checkpoint has few pieces, and its bytes are put a few times."""

import random

from shoal.cluster.manifest import Piece
from shoal.cluster.upload_parts import MOST_BYTES, parts_of


def grow(steps: list[int]) -> tuple[list[Piece], int, int]:
    """Pieces at the end, the most that there ever were, and the bytes that were put."""
    pieces: list[Piece] = []
    most = put = end = 0
    for step in steps:
        end += step
        parts = parts_of(pieces, end)
        assert [part.start for part in parts] == [0, *(part.end for part in parts[:-1])]
        assert parts[-1].end == end
        assert all(0 < part.end - part.start <= MOST_BYTES for part in parts)
        put += sum(part.end - part.start for part in parts if part.piece is None)
        pieces = [
            part.piece or Piece("", part.end - part.start, "", part.generation) for part in parts
        ]
        most = max(most, len(pieces))
    return pieces, most, put


def test_many_small_steps() -> None:
    steps = [random.Random(3).randrange(1, 200_000) for _ in range(4000)]
    pieces, most, put = grow(steps)
    assert sum(piece.size for piece in pieces) == sum(steps)
    assert most < 150, "a manifest names them all"
    assert put < 4.5 * sum(steps)


def test_a_large_step_is_cut() -> None:
    pieces, _, put = grow([3 * MOST_BYTES + 1, 10])
    assert [piece.size for piece in pieces] == [MOST_BYTES] * 3 + [1, 10]
    assert put == 3 * MOST_BYTES + 11


def test_nothing_new_is_nothing_to_do() -> None:
    pieces, _, _ = grow([5] * 7)
    assert [part.piece for part in parts_of(pieces, 35)] == pieces
    assert [part.piece for part in parts_of(pieces, 20)] == pieces, "what was copied stays"
    assert parts_of([], 0) == []
