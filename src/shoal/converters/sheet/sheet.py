"""How does a workbook become blocks? Sheet by sheet: name, header, one table, boxes, notes, footer.

Every spreadsheet format fills a `Book`, cell by cell in any order; what is empty on all sides is
left out when it is written. The book takes as much text as a page may have, then it is `full`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from shoal.converters.limits import Limits
from shoal.converters.writer import Inline, Run, Writer
from shoal.model.page import Tag

_MAX_COLUMN = 1 << 14
_SIDE = re.compile("&[LCR]", re.IGNORECASE)
_HEADER_CODE = re.compile(
    r"""&(?:"[^"]*"|\d+|K(?:[0-9A-F]{6}|[0-9]{2}[+-][0-9]{3})|(?P<sheet>A)|(?P<and>&)
    |(?P<counted>[PNDTFZ])|[A-Z])""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(slots=True)
class Sheet:
    name: str
    rows: dict[int, dict[int, Inline]] = field(default_factory=dict)
    headers: list[str] = field(default_factory=list)
    """As the codes of a page's header (`&L&"Arial"Text&R&P`); footers likewise."""
    footers: list[str] = field(default_factory=list)
    boxes: list[Inline] = field(default_factory=list)
    """Text that floats above the cells."""
    captions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Book:
    def __init__(self, limits: Limits) -> None:
        self._room = limits.text_chars
        self._cells = limits.text_chars // 4  # each takes memory, however short
        self._most_sheets = limits.members
        self.sheets: list[Sheet] = []

    @property
    def full(self) -> bool:
        return self._room < 0 or self._cells < 0

    def add(self, name: str) -> Sheet:
        sheet = Sheet(name)
        if len(self.sheets) < self._most_sheets:
            self.sheets.append(sheet)
        return sheet

    def put(self, sheet: Sheet, row: int, column: int, inline: Inline) -> None:
        if not inline or self._room < 0 or self._cells < 0 or not 0 <= column < _MAX_COLUMN:
            return
        length = len(inline) if isinstance(inline, str) else sum(len(run.text) for run in inline)
        self._room -= length + 1
        self._cells -= 1
        cells = sheet.rows.get(row)
        if cells is None:
            cells = sheet.rows[row] = {}
        cells[column] = inline

    def write(self, writer: Writer) -> None:
        written: set[str] = set()
        for number, sheet in enumerate(self.sheets, 1):
            if writer.full:
                break
            writer.heading(sheet.name, 2, source=number)
            written.add(sheet.name)
            _write_headers(sheet.headers, sheet.name, written, writer, number)
            rows = _ordered(sheet)
            writer.table(_lines(rows), header_rows=_header_rows(rows), source=number)
            for box in sheet.boxes:
                writer.paragraph(box, source=number)
            for caption in dict.fromkeys(sheet.captions):
                writer.other(Tag.CAPTION, caption, source=number)
            for note in sheet.notes:
                writer.other(Tag.ASIDE, note, source=number)
            _write_headers(sheet.footers, sheet.name, written, writer, number)


def _write_headers(
    codes: list[str], sheet_name: str, written: set[str], writer: Writer, source: int
) -> None:
    """Most sheets of a book have the same header: it is given once."""
    for code in codes:
        text = header_text(code, sheet_name)
        if text not in written:
            written.add(text)
            writer.other(Tag.ASIDE, text, source=source)


def link(inline: Inline, href: str) -> Inline:
    """The same text as a link."""
    if isinstance(inline, str):
        return (Run(inline, href=href),)
    return tuple(run._replace(href=href) for run in inline)


def embolden(inline: Inline) -> Inline:
    if isinstance(inline, str):
        return (Run(inline, bold=True),) if inline else inline
    return tuple(run._replace(bold=True) for run in inline)


def header_text(code: str, sheet_name: str = "") -> str:
    """What is the same on each page: fonts, page numbers and dates are left out, and so is what
    only stands around them ("Page 1 of 9")."""
    shown: list[str] = []
    for side in _SIDE.split(code):
        counted = False

        def put(match: re.Match[str]) -> str:
            nonlocal counted
            counted = counted or bool(match["counted"])
            return sheet_name if match["sheet"] else "&" if match["and"] else ""

        text = _HEADER_CODE.sub(put, side).strip()
        if text and not (counted and len(text.split()) <= 2):
            shown.append(text)
    return " ".join(shown)


def _ordered(sheet: Sheet) -> list[list[tuple[int, Inline]]]:
    """Rows and cells in their order, columns numbered without the empty ones."""
    used = sorted({column for cells in sheet.rows.values() for column in cells})
    place = {column: at for at, column in enumerate(used)}
    rows: list[list[tuple[int, Inline]]] = []
    for _, cells in sorted(sheet.rows.items()):
        rows.append([(place[column], cells[column]) for column in sorted(cells)])
    sheet.rows = {}  # the same cells twice would be much memory
    return rows


def _lines(rows: Sequence[list[tuple[int, Inline]]]) -> Iterator[Sequence[Inline]]:
    for row in rows:
        cells: list[Inline] = [""] * (row[-1][0] + 1)
        for column, inline in row:
            cells[column] = inline
        yield cells


def _header_rows(rows: Sequence[list[tuple[int, Inline]]]) -> int:
    """A first row all in bold, above one that is not, names the columns."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return 0
    return int(_is_bold(rows[0]) and not _is_bold(rows[1]))


def _is_bold(row: list[tuple[int, Inline]]) -> bool:
    return all(not isinstance(cell, str) and all(run.bold for run in cell) for _, cell in row)
