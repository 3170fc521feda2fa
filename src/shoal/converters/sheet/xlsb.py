"""What does an XLSB workbook say? The same as an XLSX, with binary records in place of XML.

Parts and relationships are those of any Office package; the parts with cells are BIFF12 records
([MS-XLSB]): number and length in seven-bit groups, then the bytes. Drawings stay XML.
"""

import re
import struct
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.sheet.biff import rk
from shoal.converters.sheet.sheet import Book, Sheet, link
from shoal.converters.sheet.styles import Styles
from shoal.converters.sheet.xls_values import truth
from shoal.converters.sheet.xlsx import embedded
from shoal.converters.sheet.xlsx_drawing import add_drawings, add_threads
from shoal.converters.sheet.xlsx_package import Parts, describe
from shoal.converters.writer import Writer

_SHEET_PART = re.compile(r"xl/(?:work|chart)sheets/\D*(\d*)\.bin$", re.IGNORECASE)
_FAULTS = (struct.error, ValueError, IndexError)
_ROW, _LAST_CELL, _RICH_CELL = 0, 11, 62
_STRING, _FONT, _FORMAT, _STYLE, _STYLES_BEGIN, _STYLES_END = 19, 43, 44, 47, 617, 618
_WORKBOOK, _SHEET, _LINK, _HEADERS, _COMMENT = 153, 156, 494, 479, 637


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    book = Book(context.limits)
    parts = Parts(body, context.limits)
    workbook = _Workbook(parts, book)
    workbook.read()
    book.write(writer)
    page = writer.page()
    page.title = describe(parts, page)[: context.limits.title_chars]
    problem = workbook.problem or parts.package.problem or writer.problem
    return [Converted(page, problem=problem), *embedded(parts, workbook.sheet_parts, context)]


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    at, end = 0, len(data)
    while at < end:
        number = data[at]
        at += 1
        if number & 0x80 and at < end:
            number = (number & 0x7F) | (data[at] & 0x7F) << 7
            at += 1
        size = 0
        for shift in range(0, 28, 7):
            if at >= end:
                return
            byte = data[at]
            at += 1
            size |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
        yield number, data[at : at + size]
        at += size


def string(data: bytes, at: int) -> tuple[str, int]:
    """The text, and where the next value begins; a length of all ones means that there is none."""
    (count,) = struct.unpack_from("<I", data, at)
    if count == 0xFFFFFFFF:
        return "", at + 4
    end = at + 4 + count * 2
    return data[at + 4 : end].decode("utf-16-le", "replace"), end


class _Workbook:
    def __init__(self, parts: Parts, book: Book) -> None:
        self._parts = parts
        self._book = book
        self._main = parts.main("xl/workbook.bin")
        self._strings: list[str] = []
        self._known: set[str] = set()
        self._styles = Styles()
        self.sheet_parts: list[str] = []
        self.problem = ""

    def read(self) -> None:
        listed: list[tuple[str, str]] = []
        relations = self._parts.relations(self._main)
        for number, data in records(self._parts.read(self._main)):
            try:
                if number == _WORKBOOK:
                    self._styles.from_1904 = bool(data[0] & 1)
                elif number == _SHEET:
                    relation_id, at = string(data, 8)
                    if relation_id in relations:
                        listed.append((string(data, at)[0], relations[relation_id].target))
            except _FAULTS:
                self.problem = "damaged: the list of sheets"
        self._read_strings()
        self._known.update(self._strings)
        self._read_styles()
        for name, part in listed or self._unlisted():
            if self._book.full:
                break
            self.sheet_parts.append(part)
            self._read_sheet(part, self._book.add(name))
        if not self.sheet_parts:
            self.problem = self.problem or "damaged: no sheets"

    def _unlisted(self) -> list[tuple[str, str]]:
        return [("", name) for name in sorted(self._parts.names) if _SHEET_PART.match(name)]

    def _read_strings(self) -> None:
        found = self._parts.targets(self._main, "sharedStrings") or ["xl/sharedStrings.bin"]
        for number, data in records(self._parts.read(found[0])):
            if number == _STRING:
                try:
                    self._strings.append(string(data, 1)[0])
                except _FAULTS:
                    self._strings.append("")

    def _read_styles(self) -> None:
        found = self._parts.targets(self._main, "styles") or ["xl/styles.bin"]
        styles, wanted = self._styles, False
        for number, data in records(self._parts.read(found[0])):
            try:
                if number == _FORMAT:
                    styles.codes[struct.unpack_from("<H", data)[0]] = string(data, 2)[0]
                elif number == _FONT:
                    styles.bold_fonts.append(struct.unpack_from("<H", data, 4)[0] >= 600)
                elif number in {_STYLES_BEGIN, _STYLES_END}:
                    wanted = number == _STYLES_BEGIN
                elif number == _STYLE and wanted:
                    styles.add(*struct.unpack_from("<HH", data, 2))
            except _FAULTS:
                self.problem = "damaged: the styles"

    def _read_sheet(self, part: str, sheet: Sheet) -> None:
        row = 0
        for number, data in records(self._parts.read(part)):
            try:
                if number == _ROW:
                    (row,) = struct.unpack_from("<I", data)
                elif number <= _LAST_CELL or number == _RICH_CELL:
                    self._read_cell(number, data, row, sheet)
                elif number == _LINK:
                    self._read_link(data, part, sheet)
                elif number == _HEADERS:
                    _read_headers(data, sheet)
            except _FAULTS:
                self.problem = "damaged: a cell"
            if self._book.full:
                break
        add_drawings(self._parts, part, sheet, self._known)
        add_threads(self._parts, part, sheet)
        if not sheet.notes:
            self._read_comments(part, sheet)

    def _read_cell(self, number: int, data: bytes, row: int, sheet: Sheet) -> None:
        column, style = struct.unpack_from("<II", data)
        style &= 0xFFFFFF
        if number in {2, 5, 9}:
            (value,) = struct.unpack_from("<I" if number == 2 else "<d", data, 8)
            shown = self._styles.number(rk(value) if number == 2 else value, style)
        elif number in {3, 4, 10, 11}:
            is_error = number in {3, 11}
            shown = self._styles.text(truth(data[8], is_error=is_error), style)
        elif number in {6, 8, _RICH_CELL}:
            text = string(data, 9 if number == _RICH_CELL else 8)[0]
            shown = self._styles.text(text, style)
        elif number == 7:
            (place,) = struct.unpack_from("<I", data, 8)
            found = self._strings[place] if place < len(self._strings) else ""
            shown = self._styles.text(found, style)
        else:
            return
        self._book.put(sheet, row, column, shown)

    def _read_link(self, data: bytes, part: str, sheet: Sheet) -> None:
        row, _, column, _ = struct.unpack_from("<4I", data)
        relation = self._parts.relations(part).get(string(data, 16)[0])
        cells = sheet.rows.get(row, {})
        if relation is not None and relation.outside and column in cells:
            cells[column] = link(cells[column], relation.target)

    def _read_comments(self, part: str, sheet: Sheet) -> None:
        for name in self._parts.targets(part, "comments"):
            for number, data in records(self._parts.read(name)):
                if number == _COMMENT and len(data) >= 5:
                    sheet.notes.append(string(data, 1)[0])


def _read_headers(data: bytes, sheet: Sheet) -> None:
    at = 2
    for place in range(6):
        code, at = string(data, at)
        if code:
            (sheet.footers if place % 2 else sheet.headers).append(code)
