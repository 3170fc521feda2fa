"""What do the sheets of a spreadsheet say? Each a table, its cells as they were displayed.

Rows and columns to the edge of the sheet are stored as one that is repeated a million times: what
is empty is skipped, what is full is repeated within bounds. Notes on cells follow their sheet.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.converters.odf.styles import Styles
from shoal.converters.odf.text import TextWalk
from shoal.converters.writer import Inline, Run, Writer
from shoal.converters.xml import Element, attribute, local

NAME_LEVEL = 2
_MAX_COLUMNS = 1_024
_MAX_ROWS_REPEATED = 100
_MAX_CELLS = 1_000_000
_MAX_DEPTH = 20
_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})


@dataclass(slots=True)
class _Sheet:
    columns: list[tuple[int, str]] = field(default_factory=list)
    """(how many, style of their cells)"""
    header_rows: int = 0
    rows: list[list[Inline]] = field(default_factory=list)
    notes: list[Element] = field(default_factory=list)
    shapes: list[Element] = field(default_factory=list)


class Sheets:
    def __init__(self, walk: TextWalk, writer: Writer, styles: Styles) -> None:
        self._walk = walk
        self._writer = writer
        self._styles = styles
        self._cells = 0

    def write(self, body: Element) -> None:
        number = 0
        for table in body:
            if local(table) == "table":
                number += 1
                if not self._styles.hidden("table", attribute(table, "style-name")):
                    self._sheet(table, number)

    def _sheet(self, table: Element, number: int) -> None:
        self._walk.source = number
        sheet = _Sheet()
        for child in table:
            if local(child) == "shapes":
                sheet.shapes.extend(child)
        self._rows(table, sheet, 0)
        if sheet.rows or sheet.notes or sheet.shapes:
            self._writer.heading(attribute(table, "name"), NAME_LEVEL, source=number)
        self._writer.table(sheet.rows, header_rows=sheet.header_rows, source=number)
        for shape in sheet.shapes:
            self._walk.shape(shape)
        for note in sheet.notes:
            self._walk.aside(self._walk.flat(note))

    def _rows(self, parent: Element, sheet: _Sheet, depth: int) -> None:
        for child in parent:
            name = local(child)
            if name == "table-row" and self._cells < _MAX_CELLS:
                repeated = min(_count(child, "number-rows-repeated"), _MAX_ROWS_REPEATED)
                row = self._row(child, sheet)
                if row:
                    sheet.rows.extend([row] * repeated)
                    self._cells += len(row) * repeated
                if not sheet.notes and not sheet.shapes:
                    child.clear()  # a big sheet's tree takes ten times its text
            elif name == "table-column":
                style = attribute(child, "default-cell-style-name")
                sheet.columns.append((_count(child, "number-columns-repeated"), style))
            elif name in ("table-columns", "table-header-columns", "table-column-group"):
                if depth < _MAX_DEPTH:
                    self._rows(child, sheet, depth + 1)
            elif name in _GROUPS and depth < _MAX_DEPTH:
                self._rows(child, sheet, depth + 1)
                if name == "table-header-rows":
                    sheet.header_rows = len(sheet.rows)

    def _row(self, row: Element, sheet: _Sheet) -> list[Inline]:
        cells: list[Inline] = []
        empty = 0
        row_style = attribute(row, "default-cell-style-name")
        styles = _each_style(sheet.columns)
        for cell in row:
            if local(cell) not in ("table-cell", "covered-table-cell"):
                continue
            style, repeated = "", 1
            for key, value in cell.attrib.items():
                if str(key).endswith("}style-name"):
                    style = str(value)
                elif str(key).endswith("}number-columns-repeated"):
                    repeated = min(_count(cell, "number-columns-repeated"), _MAX_COLUMNS)
            defaults = [next(styles, "") for _ in range(repeated)]
            shown = self._cell(cell, style or row_style or defaults[0], sheet)
            if not shown:
                empty += repeated
            elif len(cells) + empty < _MAX_COLUMNS:
                cells.extend("" for _ in range(empty))
                cells.extend([shown] * min(repeated, _MAX_COLUMNS - len(cells)))
                empty = 0
        return cells

    def _cell(self, cell: Element, style: str, sheet: _Sheet) -> Inline:
        bold = bool(style and self._styles.bold("table-cell", style))
        if len(cell) == 0:
            value = _value(cell)
            return [Run(value, True)] if bold and value else value
        first = cell[0]
        if len(cell) == 1 and len(first) == 0 and local(first) == "p":
            text = str(first.text or "")
            return [Run(text, True)] if bold and text.strip() else text.strip()
        return self._rich(cell, bold, sheet)

    def _rich(self, cell: Element, bold: bool, sheet: _Sheet) -> list[Run]:
        runs: list[Run] = []
        for child in cell:
            name = local(child)
            if name in ("p", "h"):
                found = self._walk.flat_paragraph(child, bold=bold)
                runs += [Run(" "), *found.runs] if runs else found.runs
                sheet.shapes.extend(found.apart)
            elif name == "annotation":
                sheet.notes.append(child)
            elif name not in ("", "detective"):
                sheet.shapes.append(child)
        return runs if any(run.text.strip() for run in runs) else []


def _value(cell: Element) -> str:
    """Some programs write what a cell is worth, not how it looks."""
    for name in ("string-value", "date-value", "time-value", "boolean-value", "value"):
        value = attribute(cell, name)
        if value:
            return value
    return ""


def _each_style(columns: list[tuple[int, str]]) -> Iterator[str]:
    for count, style in columns:
        for _ in range(min(count, _MAX_COLUMNS)):
            yield style


def _count(element: Element, name: str) -> int:
    text = attribute(element, name)
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 9 else 1
