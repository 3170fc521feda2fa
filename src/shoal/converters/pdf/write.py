"""How are pieces written down? As blocks: markers apart, items nested, what goes on joined.

A paragraph that is broken by the end of a column or page goes on when it has not ended and the
next begins with a small letter; a tagged one when the file says so.
"""

import re
from collections.abc import Sequence

from shoal.converters.pdf.lines import MARKER
from shoal.converters.pdf.notes import Notes
from shoal.converters.pdf.piece import HYPHENS, Piece, compounds_of, runs_of
from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag

_MARKED = frozenset({Tag.PARAGRAPH, Tag.ITEM})
_COUNTED = re.compile(r"\d+|[A-Za-z]+")
_STOPPED = re.compile(r"[.!?:。！？][\"'”’»)\]]*$")


def write_pieces(writer: Writer, pieces: Sequence[Piece], notes: Sequence[Notes]) -> None:
    """With what lies upon each page after its text."""
    whole = _joined(pieces)
    compounds = compounds_of(whole)
    told: set[tuple[str, str]] = set()
    page, depths = 1, _Depths()
    for piece in whole:
        while page < piece.page:
            _write_notes(writer, notes, page, told)
            page += 1
        if writer.full:
            return
        _write(writer, piece, compounds, depths)
    for number in range(page, len(notes) + 1):
        _write_notes(writer, notes, number, told)


def _write(writer: Writer, piece: Piece, compounds: frozenset[str], depths: "_Depths") -> None:
    if piece.kind is Tag.TABLE:
        rows = [[runs_of(cell, compounds) for cell in row] for row in piece.rows]
        for row in rows[: piece.level]:
            row[:] = [_plain(cell) for cell in row]
        writer.table(rows, header_rows=piece.level, source=piece.page)
        return
    if piece.kind is Tag.PRE:
        writer.preformatted(piece.alt, source=piece.page)
        return
    if piece.kind in _MARKED:
        _find_marker(piece, depths)
    runs = runs_of(piece.words, compounds)
    if piece.alt:
        runs = [*runs, Run(piece.alt)]
    if piece.kind is Tag.HEADING:
        writer.heading(
            _plain(runs), piece.level, font_size=piece.size, source=piece.page, marker=piece.marker
        )
    elif piece.kind in (Tag.ITEM, Tag.NUMBERED):
        numbered = piece.kind is Tag.NUMBERED
        writer.item(runs, piece.level, numbered=numbered, marker=piece.marker, source=piece.page)
    elif piece.kind is Tag.PARAGRAPH:
        writer.paragraph(runs, source=piece.page)
    else:
        writer.other(piece.kind, runs, source=piece.page)


def _plain(runs: list[Run]) -> list[Run]:
    """A heading that is all bold is so because it is a heading."""
    if all(run.bold or not run.text.strip() for run in runs):
        return [Run(run.text, False, run.href) for run in runs]
    return runs


class _Depths:
    """How deep items are nested, by where their markers stand."""

    def __init__(self) -> None:
        self._starts: list[float] = []
        self._page = 0
        self._counted: set[str] = set()

    def counts(self, number: str) -> bool:
        """Whether it is a bullet, a first number, or the one after another."""
        if not number:
            return True
        parts = _COUNTED.findall(number)
        before, last = ".".join(parts[:-1]), parts[-1].lower()
        value = int(last) if last.isdecimal() else ord(last[-1])
        earlier = str(value - 1) if last.isdecimal() else chr(value - 1)
        roman = not last.isdecimal() and set(last) <= set("ivxl")
        if value <= 1 or last == "a" or roman or f"{before}.{earlier}" in self._counted:
            self._counted.add(f"{before}.{last}")
            return True
        return False

    def of(self, piece: Piece) -> int:
        if piece.page != self._page and self._starts and piece.x0 < self._starts[0]:
            self._starts = []  # another margin
        self._page = piece.page
        while self._starts and piece.x0 < self._starts[-1] - 0.5 * piece.size:
            self._starts.pop()
        if not self._starts or piece.x0 > self._starts[-1] + 0.5 * piece.size:
            self._starts.append(piece.x0)
        return len(self._starts)

    def end(self) -> None:
        self._starts = []


def _find_marker(piece: Piece, depths: _Depths) -> None:
    """A paragraph that starts with a bullet or a number is an item."""
    match = MARKER.match(piece.words[0].text) if len(piece.words) > 1 else None
    if (
        match is None
        or piece.alt
        or (piece.tagged and piece.kind is not Tag.ITEM and match["number"])
    ):
        depths.end()
        return
    if piece.kind is Tag.PARAGRAPH:
        piece.level = depths.of(piece)
    piece.kind = Tag.NUMBERED if match["number"] else Tag.ITEM
    piece.marker = match["number"] or ""
    rest = piece.words[0].text[match.end() :]
    if rest:
        piece.words[0].text = rest
    else:
        del piece.words[0]


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    whole: list[Piece] = []
    last: dict[Tag, Piece] = {}
    for piece in pieces:
        before = last.get(piece.kind)
        if before is not None and _is_rest(before, piece):
            before.words += piece.words
            before.rows += piece.rows
            before.breaks_off = piece.breaks_off
            before.x1 = piece.x1
            before.bottom, before.top, before.lines = piece.bottom, piece.top, piece.lines
            continue
        last[piece.kind] = piece
        if piece.kind is not Tag.ASIDE:
            last = {piece.kind: piece}
        whole.append(piece)
    return whole


def _is_rest(before: Piece, piece: Piece) -> bool:
    if piece.tagged or before.tagged:
        return piece.goes_on and before.breaks_off and before.kind is piece.kind
    if piece.kind is not Tag.PARAGRAPH or not before.words or not piece.words:
        return False
    if abs(before.size - piece.size) > 0.5 or before.bold != piece.bold:
        return False
    if piece.words[0].y < before.words[-1].y and piece.words[0].x0 < before.x1:
        return piece.page > before.page and _reads_on(before, piece)
    return _reads_on(before, piece)


def _reads_on(before: Piece, piece: Piece) -> bool:
    """By their words: the first has not ended."""
    end, start = before.words[-1].text, piece.words[0].text
    if MARKER.match(start):
        return False
    if _STOPPED.search(end):
        return False
    if start[:1].islower() or end[-1:] in HYPHENS:
        return True
    full = before.words[-1].x1 > before.x1 - before.size
    return full and before.lines > 1 and start[:1].isalpha() and piece.words[0].x0 < piece.x0 + 2


def _write_notes(
    writer: Writer, notes: Sequence[Notes], page: int, told: set[tuple[str, str]]
) -> None:
    if page > len(notes):
        return
    upon = notes[page - 1]
    for comment in upon.comments:
        writer.other(Tag.ASIDE, comment, source=page)
    for name, value in upon.fields:
        if (name, value) not in told:
            told.add((name, value))
            writer.paragraph(f"{name}: {value}" if name else value, source=page)
