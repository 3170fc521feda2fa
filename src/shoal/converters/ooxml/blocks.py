"""How do an Office document's paragraphs and tables become blocks? They wait as small values
until it is known where they stand.

A paragraph in a table is a piece of a cell; in a header, a note or a comment it is an aside. A
table of one column, or with headings, lists or tables in its cells, lays out a page: it is read
cell by cell.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeAlias

from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag

_MAX_CELL_CHARS = 1_500
"""A cell with more text than this is a column of a page."""


@dataclass(slots=True)
class Paragraph:
    runs: list[Run]
    kind: Tag = Tag.PARAGRAPH
    level: int = 0
    """Of a heading, or the depth of an item."""
    marker: str = ""


@dataclass(slots=True)
class Table:
    rows: list[list[list["Piece"]]] = field(default_factory=list)
    header_rows: int = 0


Piece: TypeAlias = Paragraph | Table


class Outlet:
    """Writes pieces in their order; lines of code that follow each other are one block."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._code: list[str] = []
        self.source = -1
        """Of what is written: a slide or page from 1 on."""

    def write(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, Paragraph):
                self._paragraph(piece)
            elif _lays_out(piece):
                for row in piece.rows:
                    for cell in row:
                        self.write(cell)
            else:
                self._end_code()
                rows = _rows(piece)
                self._writer.table(rows, header_rows=piece.header_rows, source=self.source)
            if self._writer.full:
                break
        self._end_code()

    def aside(self, pieces: Iterable[Piece]) -> None:
        self.write(as_asides(pieces))

    def _paragraph(self, piece: Paragraph) -> None:
        if piece.kind is Tag.PRE:
            self._code.append("".join(run.text for run in piece.runs))
            return
        self._end_code()
        runs, writer, source = merged(piece.runs), self._writer, self.source
        if piece.kind is Tag.HEADING:
            writer.heading(_stressed(runs), piece.level, marker=piece.marker, source=source)
        elif piece.kind in (Tag.ITEM, Tag.NUMBERED):
            numbered = piece.kind is Tag.NUMBERED
            writer.item(runs, piece.level, numbered=numbered, marker=piece.marker, source=source)
        elif piece.kind is Tag.PARAGRAPH:
            writer.paragraph(runs, marker=piece.marker, source=source)
        else:
            styled = piece.kind in (Tag.TERM, Tag.CAPTION)
            writer.other(piece.kind, _stressed(runs) if styled else runs, source=source)

    def _end_code(self) -> None:
        if self._code:
            self._writer.preformatted("\n".join(self._code), source=self.source)
            self._code = []


def as_asides(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Paragraph by paragraph, and row by row."""
    for piece in pieces:
        if isinstance(piece, Paragraph):
            yield Paragraph(list(_line([piece])), Tag.ASIDE)
        else:
            for row in piece.rows:
                yield Paragraph(list(_line(part for cell in row for part in cell)), Tag.ASIDE)


def plain(pieces: Iterable[Piece]) -> str:
    return " ".join("".join(run.text for run in _line(pieces)).split())


def _line(pieces: Iterable[Piece]) -> Iterator[Run]:
    """All in one line: a cell, a note."""
    for piece in pieces:
        if isinstance(piece, Paragraph):
            if piece.marker:
                yield Run(f"{piece.marker} ")
            yield from piece.runs
            yield Run(" ")
        else:
            for row in piece.rows:
                for cell in row:
                    yield from _line(cell)


def _rows(table: Table) -> Iterator[list[list[Run]]]:
    for number, row in enumerate(table.rows):
        cells = [merged(_line(cell)) for cell in row]
        if number < table.header_rows:
            cells = [_stressed(runs) for runs in cells]
        yield cells


def _stressed(runs: list[Run]) -> list[Run]:
    """Of a heading, a term, a caption: bold throughout is its style, not the author's stress."""
    if all(run.bold for run in runs if run.text.strip()):
        return merged(run._replace(bold=False) for run in runs)
    return runs


def merged(runs: Iterable[Run]) -> list[Run]:
    """Neighbours that look the same are one: Word cuts a link wherever it checked a word."""
    groups = groupby(runs, key=lambda run: (run.bold, run.href))
    return [Run("".join(run.text for run in group), *look) for look, group in groups]


def _lays_out(table: Table) -> bool:
    if max(map(len, table.rows), default=0) < 2:
        return True
    return any(_is_column(cell) for row in table.rows for cell in row)


def _is_column(cell: list[Piece]) -> bool:
    """More than a cell of figures or words."""
    filled = [piece for piece in cell if isinstance(piece, Table) or piece.runs]
    if any(isinstance(piece, Table) for piece in filled):
        return True
    kinds = [piece.kind for piece in filled if isinstance(piece, Paragraph)]
    if len(kinds) > 1 and any(kind in (Tag.HEADING, Tag.ITEM, Tag.NUMBERED) for kind in kinds):
        return True
    return sum(len(run.text) for run in _line(cell)) > _MAX_CELL_CHARS
