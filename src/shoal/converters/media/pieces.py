"""How do drawn pieces of text become lines? By where they stand: metafiles draw, they do not write.

Pieces come in the order of drawing, which is that of reading in what programs export. Pieces that
touch are one word, pieces near each other on a line are apart by a space, a line close below
goes on the paragraph; everything else begins again.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_MAX_PIECES = 100_000


class Piece(NamedTuple):
    text: str
    left: float
    right: float
    top: float
    height: float


def paragraphs(pieces: Iterable[Piece]) -> list[str]:
    """Each is a text with its line breaks undone."""
    found: list[list[str]] = []
    last: Piece | None = None
    starts = 0.0
    for number, piece in enumerate(pieces):
        if number >= _MAX_PIECES:
            break
        joint = None if last is None else _joint(last, piece, starts)
        if joint is None:
            found.append([piece.text])
        else:
            found[-1] += (joint, piece.text)
        if joint is None or joint == " \n":
            starts = piece.left
        last = piece
    texts = (re.sub(r"\s+", " ", "".join(parts)).strip() for parts in found)
    return [text for text in texts if text]


def _joint(last: Piece, piece: Piece, starts: float) -> str | None:
    """What stands between two pieces; None for the start of a paragraph."""
    height = max(last.height, piece.height, 1e-6)
    if abs(piece.top - last.top) < 0.5 * height:
        gap = piece.left - last.right
        if -0.5 * height < gap < 0.12 * height:
            return ""
        return " " if -0.5 * height < gap < 1.5 * height else None
    below = piece.top - last.top
    same_size = 0.8 < (piece.height + 1e-6) / (last.height + 1e-6) < 1.25
    if 0 < below < 1.6 * height and same_size and abs(piece.left - starts) < 2 * height:
        return " \n"
    return None
