"""How do words become running text? Pieces of a page: a paragraph, a heading, an item, a table.

Lines are joined with a space, or without one where a word was divided: a hyphen at a line's end
goes when a small letter follows and the word is not known with its hyphen. Chinese and Japanese
lines are joined as they are.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shoal.converters.pdf.text import DIVISIONS, Word
from shoal.converters.writer import Run
from shoal.model.page import Tag

_SOFT = "\u00ad" + DIVISIONS
HYPHENS = "-\u2010" + _SOFT
_NO_SPACES = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
LEADERS = re.compile(r"(?:[.·…_]\s?){4,}|(?:\s\.){3,}")
_UNSEEN = str.maketrans(dict.fromkeys("\u00ad\ufffe\x02\u200b\ufeff"))
_HARD = str.maketrans(dict.fromkeys(_SOFT, "-"))
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st"}
)


@dataclass(slots=True)
class Line:
    words: list[Word]
    x0: float
    x1: float
    y: float
    size: float
    bold: bool = False
    """Whether all of it is."""
    mono: bool = False
    """Whether all of it is set as on a typewriter."""
    row: int = 0
    """Lines that stand beside each other, one written after the other, share it."""

    @property
    def text(self) -> str:
        return text_of_words(self.words)


@dataclass(slots=True)
class Piece:
    page: int
    """From 1 on."""
    words: list[Word]
    """In order; the first of each line has `breaks`."""
    kind: Tag = Tag.PARAGRAPH
    level: int = 0
    marker: str = ""
    tagged: bool = False
    """Its kind was said by the file."""
    goes_on: bool = False
    """It is the rest of a piece on the page before."""
    breaks_off: bool = False
    """Its own rest is on the next page."""
    rows: list[list[list[Word]]] = field(default_factory=list)
    """Of a table: rows of cells."""
    alt: str = ""
    """Words for a picture."""
    x0: float = 0.0
    x1: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    size: float = 0.0
    bold: bool = False
    lines: int = 1
    margin: bool = False
    """It stands at the page's upper or lower edge."""

    @property
    def text(self) -> str:
        if self.rows:
            return " ".join(text_of_words(cell) for row in self.rows for cell in row)
        return text_of_words(self.words)


def piece_of(lines: Sequence[Line], page: int) -> Piece:
    """One text out of lines, with what can be measured of it."""
    words: list[Word] = []
    for line in lines:
        for number, word in enumerate(line.words):
            word.breaks = number == 0
        words += line.words
    size = max(lines, key=lambda line: line.x1 - line.x0).size
    return Piece(
        page,
        words,
        x0=min(line.x0 for line in lines),
        x1=max(line.x1 for line in lines),
        top=max(line.y + 0.8 * line.size for line in lines),
        bottom=min(line.y - 0.2 * line.size for line in lines),
        size=size,
        bold=all(line.bold for line in lines),
        lines=len(lines),
    )


def code_of(lines: Sequence[Line], page: int) -> Piece:
    """Lines as they stand, indented by their places."""
    piece = piece_of(lines, page)
    piece.kind = Tag.PRE
    letter = 0.6 * piece.size or 1.0  # so wide are those of most such fonts
    said: list[str] = []
    for line in lines:
        indent = min(40, max(0, round((line.x0 - piece.x0) / letter)))
        said.append(" " * indent + line.text)
    piece.alt = "\n".join(said)
    return piece


def measure(piece: Piece) -> None:
    """Size, weight and number of lines of a piece whose words came from the structure tree."""
    weights: dict[float, int] = {}
    for word in piece.words:
        weights[word.style.size] = weights.get(word.style.size, 0) + len(word.text)
    if weights:
        piece.size = max(weights, key=weights.__getitem__)
        piece.bold = all(word.style.bold for word in piece.words)
        piece.lines = max(1, sum(word.breaks for word in piece.words))


def text_of_words(words: Sequence[Word]) -> str:
    """A quick one: divided words stay so."""
    return "".join([word.text if word.glued else " " + word.text for word in words]).strip()


def runs_of(words: Sequence[Word], compounds: frozenset[str] = frozenset()) -> list[Run]:
    """`compounds`: words that are known to have a hyphen, in lower case."""
    pieces: list[list[str]] = []
    looks: list[tuple[bool, str]] = []
    for number, word in enumerate(words):
        text = word.text if word.text.isascii() else word.text.translate(_LIGATURES)
        space = "" if number == 0 or word.glued else " "
        if number and word.breaks and not word.glued:
            joined = _joined(pieces[-1][-1], text, compounds)
            if joined is not None:
                pieces[-1][-1] = joined
                space = ""
        if not text.isascii() and text[-1:] not in HYPHENS:
            text = text.translate(_UNSEEN)
        look = word.style.bold, word.href
        if looks and looks[-1] == look:
            pieces[-1] += (space, text)
        else:
            if space:
                _space_between(pieces, looks, look)
            pieces.append([text])
            looks.append(look)
    runs = [
        Run(_clean("".join(parts)), bold, href)
        for parts, (bold, href) in zip(pieces, looks, strict=True)
    ]
    return [run for run in runs if run.text]


def _space_between(
    pieces: list[list[str]], looks: list[tuple[bool, str]], look: tuple[bool, str]
) -> None:
    pieces.append([" "])
    last = looks[-1]
    looks.append((last[0] and look[0], last[1] if last[1] == look[1] else ""))


def _clean(text: str) -> str:
    if "..." in text or ". ." in text or not text.isascii():
        text = LEADERS.sub(" ", text).translate(_HARD)
    return text


def _joined(before: str, after: str, compounds: frozenset[str]) -> str | None:
    """What stays of the last word of a line when the next is joined to it without a space; None
    when there is a space between them."""
    last, first = before[-1:], after[:1]
    if _NO_SPACES.match(last) and _NO_SPACES.match(first):
        return before
    if last not in HYPHENS or not last:
        return None
    stem = before[:-1]
    if not stem[-1:].isalpha() or not first.isalnum():
        return None if last == "-" and not stem else before
    whole = f"{_NO_WORD.split(stem)[-1]}-{_NO_WORD.split(after)[0]}"
    if first.islower() and (last == "\u00ad" or whole.lower() not in compounds):
        return stem
    return stem + "-"


_NO_WORD = re.compile(r"[^\w-]")
_COMPOUND = re.compile(r"\w+(?:-\w+)+")


def compounds_of(pieces: Iterable[Piece]) -> frozenset[str]:
    """Words written with a hyphen within a line."""
    found: set[str] = set()
    for piece in pieces:
        for word in piece.words:
            if "-" in word.text[1:-1]:
                found.update(match.lower() for match in _COMPOUND.findall(word.text))
    return frozenset(found)
