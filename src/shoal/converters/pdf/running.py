"""Which lines stand on every page? Running heads, feet and page numbers: told once, as an aside.

They stand at a page's edge and say the same on many pages, figures aside (a page's number, a
date), at the same height. Even and odd pages and chapters differ, so three pages are enough.
What is larger than the text is a title all the same: slides repeat theirs.
"""

import re
from collections import Counter
from collections.abc import Sequence

from shoal.converters.pdf.headings import body_size
from shoal.converters.pdf.piece import Piece
from shoal.converters.pdf.text import Box
from shoal.model.page import Tag

_EDGE, _AT_EDGE, _SHARE, _LARGE = 0.18, 3, 0.3, 1.2
_FIGURES = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?i)(?:p(?:age|\.)?|seite|página|страница)?\s*[-–—\[(]?\s*(?:\d{1,4}|[ivxlc]{1,7})"
    r"\s*[-–—\])]?\s*(?:(?:of|/|von|de|sur)\s*\d{1,4})?\s*$"
)


def mark_margins(pieces: Sequence[Piece], box: Box) -> None:
    """Those of one page that stand nearest to its upper and lower edge."""
    height = box.top - box.bottom
    upper = [piece for piece in pieces if piece.bottom > box.top - _EDGE * height]
    lower = [piece for piece in pieces if piece.top < box.bottom + _EDGE * height]
    upper.sort(key=lambda piece: -piece.top)
    lower.sort(key=lambda piece: piece.bottom)
    for piece in (*upper[:_AT_EDGE], *lower[:_AT_EDGE]):
        piece.margin = piece.lines <= _AT_EDGE


def settle_running(pages: Sequence[list[Piece]]) -> None:
    """Of each running line the first is kept, as an aside; the others go. Mutates the pages."""
    keys = _keys(pages)
    counts = Counter(key for key, _ in {(key, page) for key, page in keys.values()})
    needed = max(2, min(3, _SHARE * len(pages)))
    told: set[str] = set()
    for pieces in pages:
        kept: list[Piece] = []
        for piece in pieces:
            key = keys.get(id(piece), ("", 0))[0]
            if piece.kind is not Tag.ASIDE and not (key and counts[key] >= needed):
                piece.margin = False
            elif key:
                if key in told:
                    continue
                told.add(key)
                piece.kind = Tag.ASIDE
            kept.append(piece)
        pieces[:] = kept


def _keys(pages: Sequence[list[Piece]]) -> dict[int, tuple[str, int]]:
    """id of a piece at an edge -> what makes it the same as another, and its page."""
    body = body_size([piece for pieces in pages for piece in pieces])
    edges = [
        piece
        for pieces in pages
        for piece in pieces
        if piece.margin
        and not piece.tagged
        and (piece.kind is Tag.ASIDE or piece.size < _LARGE * body)
    ]
    steps: Counter[int] = Counter()
    numbered: dict[int, int] = {}
    for piece in edges:
        number = _number(piece)
        if number is not None:
            numbered[id(piece)] = number - piece.page
            steps[number - piece.page] += 1
    keys: dict[int, tuple[str, int]] = {}
    for piece in edges:
        step = numbered.get(id(piece))
        # The number of its page stands in it: a running head, whatever else it says.
        if step is not None and steps[step] >= max(3, _SHARE * len(pages)):
            keys[id(piece)] = "#", piece.page
        else:
            keys[id(piece)] = f"{round(piece.bottom / 4)} {_key(piece)}", piece.page
    return keys


def _number(piece: Piece) -> int | None:
    """That of a page, at either end of a line."""
    if piece.lines > 1 or not piece.words:
        return None
    for word in (piece.words[-1].text.rpartition(" ")[2], piece.words[0].text):
        if word.isdecimal() and len(word) <= 4:
            return int(word)
    return None


def _key(piece: Piece) -> str:
    text = piece.text
    if _PAGE_NUMBER.match(text):
        return "#"
    return _FIGURES.sub("#", text).casefold()
