"""What is a heading, and of which level? By the outline, then by size and weight.

An untagged file has only looks. The body's size is that of most letters; what is clearly larger and
short is a heading, and the distinct sizes give the levels, the same through the whole document.
Where bookmarks name headings, their depth decides, and sizes learn their levels from them.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from shoal.converters.pdf.library import Entry
from shoal.converters.pdf.lines import MARKER
from shoal.converters.pdf.piece import LEADERS, Piece
from shoal.model.page import Tag

_LARGER, _SAME_SIZE = 1.12, 1.04
_CHARS, _LINES, _BOLD_CHARS = 250, 4, 90
_SENTENCE_CHARS = 40
_BOLD_SHARE = 0.15
_LOWEST = 6
_SAME_NAMES = 50
_FEW, _FEW_CHARS = 300, 1_000_000
"""Bookmarks that are looked for in so long a text."""
_LETTER = re.compile(r"[^\W\d_]")
_NAME = re.compile(r"[\W_]+")
_NUMBER = re.compile(
    r"^(?:(?:chapter|section|part|appendix)\s+)?[\dA-Zivx]{0,4}(?:\.\d+)*[.:)]?\s+"
)
_TO_PAGE = re.compile(r"(?:^|[.\s])(?:\d{1,4}|[ivxlc]{1,7})$")
_NO_END = (".", ",", ";", ":", "!", "?")


def body_size(pieces: Sequence[Piece]) -> float:
    weights: Counter[float] = Counter()
    for piece in pieces:
        weights[round(piece.size * 2) / 2] += _letters([piece])
    return max(weights, key=lambda size: (weights[size], -size)) if weights else 0.0


def _letters(pieces: Iterable[Piece]) -> int:
    return sum(len(word.text) for piece in pieces for word in piece.words)


def mark_headings(pieces: Sequence[Piece], outline: Sequence[Entry]) -> None:
    """Paragraphs that are headings become such. A tagged document that tells its headings is left
    as it is."""
    if any(piece.kind is Tag.HEADING for piece in pieces):
        return
    body = body_size(pieces)
    plain = [piece for piece in pieces if piece.kind is Tag.PARAGRAPH and not piece.margin]
    named = _by_outline(plain, outline)
    contents = _contents_pages(plain)
    large = [
        piece
        for piece in plain
        if _is_large(piece, body)
        and not (piece.page in contents and _TO_PAGE.search(piece.words[-1].text))
    ]
    if _letters(large) > 0.4 * _letters(pieces):
        large = [piece for piece in large if _letters([piece]) <= _BOLD_CHARS and piece.page == 1][
            :1
        ]
    larger = {id(piece) for piece in large}
    bold = _bold_ones([p for p in plain if p.page not in contents], body, named)
    levels = _levels([*large, *(piece for piece in plain if id(piece) in named)], named)
    for piece in plain:
        level = named.get(id(piece))
        if level is None and id(piece) in larger:
            level = levels[_size_class(piece.size, levels)]
        if level is None and id(piece) in bold:
            level = min(_LOWEST, max(levels.values(), default=0) + 1)
        if level is not None:
            piece.kind, piece.level = Tag.HEADING, level


def _contents_pages(plain: Sequence[Piece]) -> set[int]:
    """Pages with a table of contents, whose lines look like the headings that they name."""
    lines: Counter[int] = Counter()
    listed: Counter[int] = Counter()
    for piece in plain:
        lines[piece.page] += 1
        listed[piece.page] += len(piece.words) > 1 and bool(_TO_PAGE.search(piece.words[-1].text))
    return {page for page, count in listed.items() if count >= 5 and 2 * count >= lines[page]}


def _is_large(piece: Piece, body: float) -> bool:
    if piece.size < body * _LARGER or piece.lines > _LINES:
        return False
    text = piece.text
    return (
        len(text) <= _CHARS
        and _LETTER.search(text) is not None
        and not LEADERS.search(text)
        and not text.endswith((",", ";"))
        and not (text.endswith(".") and len(text) > _BOLD_CHARS)
    )


def _bold_ones(plain: Sequence[Piece], body: float, named: dict[int, int]) -> set[int]:
    """Short lines all in bold, in a document that uses bold sparingly."""
    letters = _letters(plain)
    found: set[int] = set()
    weight = 0
    for piece, after in itertools.pairwise(plain):
        if not piece.bold or id(piece) in named:
            continue
        weight += _letters([piece])
        if piece.lines > 2 or not 0.95 * body <= piece.size or after.bold:
            continue
        text = piece.text
        if len(text) > _BOLD_CHARS or len(text) < 3 or text.endswith(_NO_END):
            continue
        if _LETTER.search(text) and (after.page != piece.page or after.lines > 1 or _apart(after)):
            found.add(id(piece))
    return found if weight <= _BOLD_SHARE * letters else set()


def _apart(after: Piece) -> bool:
    """A sentence or an item follows: what stands above it is no label in a form."""
    first = after.words[0].text if after.words else ""
    return _letters([after]) > _SENTENCE_CHARS or MARKER.match(first) is not None


def _size_class(size: float, levels: dict[float, int]) -> float:
    return min(levels, key=lambda known: abs(known - size))


def _levels(headings: Sequence[Piece], named: dict[int, int]) -> dict[float, int]:
    """The level of each distinct size, from the largest down."""
    classes: list[float] = []
    for size in sorted({piece.size for piece in headings}, reverse=True):
        if not classes or classes[-1] > size * _SAME_SIZE:
            classes.append(size)
    votes: dict[float, Counter[int]] = {size: Counter() for size in classes}
    for piece in headings:
        if id(piece) in named:
            nearest = min(classes, key=lambda known: abs(known - piece.size))
            votes[nearest][named[id(piece)]] += 1
    levels: dict[float, int] = {}
    last = 0
    for size in classes:
        told = votes[size].most_common(1)
        last = max(1, told[0][0] if told else min(_LOWEST, last + 1))
        levels[size] = min(_LOWEST, last)
    return levels


def _by_outline(plain: Sequence[Piece], outline: Sequence[Entry]) -> dict[int, int]:
    """id of a piece -> level, for those that a bookmark names."""
    wanted: dict[str, list[Entry]] = {}
    for entry in outline:
        name = _named(entry.title)
        if name:
            wanted.setdefault(name, []).append(entry)
    if not wanted:
        return {}
    named: dict[Entry, list[Piece]] = {}
    for piece in plain:
        if piece.lines > _LINES or _letters([piece]) > 2 * _CHARS:
            continue
        text = piece.text
        for name in {_named(text), _named(_NUMBER.sub("", text))}:
            for entry in wanted.get(name, ())[:_SAME_NAMES]:
                if entry.page < 0 or 0 <= piece.page - 1 - entry.page <= 1:
                    named.setdefault(entry, []).append(piece)
    found: dict[int, int] = {}
    for entry, pieces in named.items():
        # The table of contents may stand on the same page, in smaller letters and before.
        there = [piece for piece in pieces if piece.page - 1 == entry.page] or pieces
        best = max(reversed(there), key=lambda piece: (piece.size, piece.bold))
        found[id(best)] = min(_LOWEST, entry.depth)
    return found


def _named(text: str) -> str:
    return _NAME.sub("", text).casefold()


def unsaid(outline: Sequence[Entry], text: str) -> list[str]:
    """Bookmarks whose words stand nowhere in the text: those of scanned pages, or of plates."""
    if not outline or len(outline) > _FEW or len(text) > _FEW_CHARS:
        return []
    whole = _named(text)
    titles = dict.fromkeys(entry.title.strip() for entry in outline)
    return [title for title in titles if title and _named(title) not in whole]
