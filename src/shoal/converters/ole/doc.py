"""What does a Word document (.doc) say? Blocks out of paragraphs: headings, lists, tables, notes.

Word 6 to 2003. What a paragraph is follows from its style and its list ([MS-DOC]); notes, comments,
headers and text boxes lie behind the main text and are written after it, as asides; so is, after
its paragraph, what is struck out there. A file whose tables are lost is read as far as its letters
go.
"""

import struct
from dataclasses import dataclass, field

from shoal.converters.context import Context, Converted
from shoal.converters.ole.doc_drawing import alt_text, shape_texts
from shoal.converters.ole.doc_fib import (
    DRAWINGS,
    FONTS,
    HEADERS,
    LIST_OVERRIDES,
    LISTS,
    Fib,
    read_fib,
)
from shoal.converters.ole.doc_fonts import read_fonts
from shoal.converters.ole.doc_formatting import Formatting
from shoal.converters.ole.doc_lists import Lists, Marker
from shoal.converters.ole.doc_styles import CAPTION, TITLE
from shoal.converters.ole.doc_text import Paragraph, Text
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.properties import objects, properties
from shoal.converters.ole.salvage import salvage
from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag

_SEPARATOR_STORIES = 6
_FAULTS = (struct.error, ValueError, IndexError, OverflowError)


def convert(body: bytes, context: Context) -> list[Converted]:
    compound = Compound(body, context.limits)
    writer = Writer(context.limits)
    about = properties(compound)
    problem = ""
    title = about.title
    try:
        fib = read_fib(compound, 2 * context.limits.text_chars)
        if fib is None:
            problem = "damaged: no document stream"
        elif fib.encrypted:
            problem = "encrypted"
        else:
            document = _Document(fib, compound.read("Data"), writer)
            document.write()
            title = title or document.title
            problem = fib.problem
    except _FAULTS as fault:
        problem = f"damaged: {fault}"
    if problem.startswith("damaged") and not writer.blocks:
        for line in salvage(compound.read("WordDocument") or body):
            writer.paragraph(line)
    files = [] if problem == "encrypted" else objects(compound)
    for each in files:
        if each.is_label:
            writer.other(Tag.CAPTION, each.name)
    page = writer.page(title)
    about.fill(page)
    documents = [Converted(page, problem=problem or compound.problem or writer.problem)]
    for each in files:
        documents += context.inside(each.data, each.name)
    return documents


@dataclass(slots=True)
class _Table:
    """Rows so far; a cell is a list of paragraphs with their markers."""

    rows: list[list[list[tuple[Paragraph, str]]]] = field(default_factory=list)
    cells: list[list[tuple[Paragraph, str]]] = field(default_factory=list)
    cell: list[tuple[Paragraph, str]] = field(default_factory=list)
    header_rows: int = 0


class _Document:
    def __init__(self, fib: Fib, data: bytes, writer: Writer) -> None:
        self._fib = fib
        self._writer = writer
        self._data = data
        self._formatting = Formatting(fib, data)
        self._text = Text(fib, self._formatting, read_fonts(fib.part(FONTS), fib.old))
        self._lists = Lists(fib.from_start_of(LISTS), fib.from_start_of(LIST_OVERRIDES))
        self._table = _Table()
        self._aside = False
        self.title = ""
        """What stands in the style for titles, else the first heading of the first level."""

    def write(self) -> None:
        self._write(*self._fib.span("main"))
        self._aside = True
        for part in ("footnotes", "endnotes", "comments"):
            self._write(*self._fib.span(part))
        self._write_headers()
        for part in ("boxes", "header boxes"):
            self._write(*self._fib.span(part))
        for kind, text in shape_texts(self._fib.part(DRAWINGS)):
            self._writer.other(kind, text)

    def _write(self, start: int, end: int) -> None:
        for paragraph in self._text.paragraphs(start, end):
            if self._writer.full:
                return
            look = paragraph.look
            marker = self._lists.marker(look.list_number, look.level)
            if look.in_table or look.depth > 0:
                self._add_to_table(paragraph, marker)
                continue
            self._flush()
            self._write_paragraph(paragraph, marker)
            self._write_beside([paragraph])
        self._flush()

    def _write_beside(self, paragraphs: list[Paragraph]) -> None:
        """What pictures show in words, and what is struck out."""
        for each in paragraphs:
            for picture in each.pictures:
                self._writer.other(Tag.CAPTION, alt_text(self._data, picture))
        self._writer.other(Tag.ASIDE, " ".join(each.deleted for each in paragraphs))

    def _write_headers(self) -> None:
        """Headers and footers, one section after another; the same text stands there only once."""
        start, end = self._fib.span("headers")
        table = self._fib.part(HEADERS)
        places = struct.unpack(f"<{len(table) // 4}I", table[: len(table) & ~3])
        seen: set[str] = set()
        for first, last in zip(
            places[_SEPARATOR_STORIES:], places[_SEPARATOR_STORIES + 1 :], strict=False
        ):
            if not first < last <= end - start:
                continue
            text = self._text.whole[start + first : start + last]
            if text not in seen and len(seen) < 1000:
                seen.add(text)
                self._write(start + first, start + last)

    def _add_to_table(self, paragraph: Paragraph, marker: Marker | None) -> None:
        table, look = self._table, paragraph.look
        if look.row_end and look.depth <= 1:
            if look.header_row and table.header_rows == len(table.rows):
                table.header_rows += 1
            table.rows.append(table.cells)
            table.cells, table.cell = [], []
            return
        if not (look.inner_end and not any(run.text.strip() for run in paragraph.runs)):
            table.cell.append((paragraph, marker.text if marker else ""))
        if paragraph.mark == "\x07" and look.depth <= 1:
            table.cells.append(table.cell)
            table.cell = []

    def _flush(self) -> None:
        table, self._table = self._table, _Table()
        if table.cell:
            table.cells.append(table.cell)
        if table.cells:
            table.rows.append(table.cells)
        if sum(map(len, table.rows)) == 1:  # a frame around text
            for paragraph, marker in table.rows[0][0]:
                self._write_paragraph(paragraph, Marker(marker, 1) if marker else None)
        elif table.rows:
            rows = [[_cell_runs(cell) for cell in row] for row in table.rows]
            self._writer.table(rows, header_rows=table.header_rows)
        self._write_beside([each for row in table.rows for cell in row for each, _ in cell])

    def _write_paragraph(self, paragraph: Paragraph, marker: Marker | None) -> None:
        runs, look = paragraph.runs, paragraph.look
        shown = marker.text if marker else ""
        if self._aside:
            self._writer.other(Tag.ASIDE, [Run(f"{shown} "), *runs] if shown else runs)
            return
        built_in = self._formatting.styles.built_in(look.style)
        level = built_in if 1 <= built_in <= 9 else look.outline + 1 if look.outline < 9 else 0
        if built_in == TITLE:
            self.title = self.title or "".join(run.text for run in runs).strip()
            level = 1
        if level:
            if level == 1 and not self.title:
                self.title = "".join(run.text for run in runs).strip()
            style_is_bold = self._formatting.styles.character(look.style).bold
            plain = [run._replace(bold=False) for run in runs] if style_is_bold else runs
            self._writer.heading(plain, level, marker=shown)
        elif marker:
            self._writer.item(runs, marker.depth, numbered=bool(shown), marker=shown)
        elif built_in == CAPTION:
            self._writer.other(Tag.CAPTION, runs)
        else:
            self._writer.paragraph(runs)


def _cell_runs(cell: list[tuple[Paragraph, str]]) -> list[Run]:
    runs: list[Run] = []
    for paragraph, marker in cell:
        if runs:
            runs.append(Run(" "))
        if marker and paragraph.runs:
            runs.append(Run(f"{marker} "))
        runs += paragraph.runs
    return runs
