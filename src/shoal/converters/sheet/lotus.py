"""What does a spreadsheet of the first generation say? Lotus 1-2-3, Symphony, Works, Quattro Pro.

All of them are records of number, length and bytes. Two families: the one of WKS and WK1, which
Works and Quattro Pro (WQ1, WB1 to WB3) took over with their own way of naming a cell, and the one
of WK3, WK4 and 123, which has sheets and numbers of ten bytes. Layouts from public descriptions and
from looking at files.
"""

import math
import struct
from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.characters.codepages import decode
from shoal.converters.context import Context, Converted
from shoal.converters.sheet.format import NumberFormat, general
from shoal.converters.sheet.sheet import Book, Sheet
from shoal.converters.writer import Writer

_FAULTS = (struct.error, ValueError, IndexError, OverflowError)
_QUATTRO_DOS = {0x5120, 0x5121}
_QUATTRO_WINDOWS = range(0x1001, 0x1010)
_WORKS_3 = 0xFF
_PREFIXES = "'\"^|\\"
"""How a label is aligned; the last one repeats it over the width."""
_DATES = {
    2: "d-mmm-yy",
    3: "d-mmm",
    4: "mmm-yy",
    7: "h:mm:ss AM/PM",
    8: "h:mm AM/PM",
    9: "m/d/yy",
    10: "m/d",
    11: "h:mm:ss",
    12: "h:mm",
}
_SHORT_FACTORS = (5000, 500, 1 / 20, 1 / 200, 1 / 2000, 1 / 20000, 1 / 16, 1 / 64)


class Cell(NamedTuple):
    sheet: int
    row: int
    column: int
    format: int
    at: int
    """Where in the record the value begins."""


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    book = Book(context.limits)
    problem = read(body, book)
    book.write(writer)
    return [Converted(writer.page(), problem=problem or writer.problem)]


def read(stream: bytes, book: Book) -> str:
    """The cells into the book; what went wrong is given back."""
    reader = _Late(book) if stream[2:3] == b"\x1a" else _Early(book)
    problem = ""
    for number, data in records(stream):
        try:
            reader.read(number, data)
        except _FAULTS:
            problem = "damaged: a record"
        if book.full:
            break
    reader.finish()
    return problem if book.sheets else "damaged: no cells"


def records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(stream):
        number, size = struct.unpack_from("<HH", stream, at)
        yield number, stream[at + 4 : at + 4 + size]
        at += 4 + size


class _Reader:
    codec = "cp850"

    def __init__(self, book: Book) -> None:
        self._book = book
        self._sheets: dict[int, Sheet] = {}
        self.names: dict[int, str] = {}
        self._last: Cell | None = None

    def finish(self) -> None:
        for number in sorted(self._sheets):
            self._sheets[number].name = self.names.get(number, "")
        self._book.sheets = [self._sheets[number] for number in sorted(self._sheets)]

    def put(self, cell: Cell, text: str) -> None:
        if cell.sheet not in self._sheets:
            self._sheets[cell.sheet] = self._book.add("")
        self._book.put(self._sheets[cell.sheet], cell.row, cell.column, text)

    def text(self, data: bytes) -> str:
        return decode(data.partition(b"\0")[0], self.codec)


class _Early(_Reader):
    """WKS and WK1, Works, Quattro Pro up to 8."""

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self._version = 0
        self._page = 0
        self._formats: dict[int, NumberFormat] = {}

    def read(self, number: int, data: bytes) -> None:
        if not self._version:
            (self._version,) = struct.unpack_from("<H", data)
            if number == 0xFF:
                self._version = _WORKS_3
            if self._version in _QUATTRO_WINDOWS or self._version == _WORKS_3:
                self.codec = "cp1252"
        elif number == 0xCA and self._version in _QUATTRO_WINDOWS and data:
            self._page = data[0]
        elif number == 0xCC and data[-1:] == b"\0":
            self.names[self._page] = self.text(data)
        elif number in {0x0D, 0x0E, 0x0F, 0x10, 0x33}:
            cell = self._cell(data)
            if number in {0x0F, 0x33}:
                self.put(cell, self._label(data, cell, is_result=number == 0x33))
            else:
                whole = number == 0x0D
                (value,) = struct.unpack_from("<h" if whole else "<d", data, cell.at)
                self._number(cell, value)

    def _cell(self, data: bytes) -> Cell:
        if self._version in _QUATTRO_WINDOWS:
            column, sheet, row = struct.unpack_from("<BBH", data)
            return Cell(sheet, row, column, 0xFF, 6)
        if self._version == _WORKS_3:
            column, row = struct.unpack_from("<HH", data)
            return Cell(0, row, column, 0xFF, 6)
        format_, column, row = struct.unpack_from("<BHH", data)
        if self._version in _QUATTRO_DOS:
            return Cell(column >> 8, row, column & 0xFF, format_, 5)
        return Cell(0, row, column, format_, 5)

    def _label(self, data: bytes, cell: Cell, *, is_result: bool) -> str:
        if self._version in _QUATTRO_DOS:
            at = cell.at + (0 if is_result else 1)
            return decode(data[at + 1 : at + 1 + data[at]], "cp437")
        if self._version in _QUATTRO_WINDOWS:
            return self.text(data[cell.at + 1 :])
        text = self.text(data[cell.at :])
        return text[1:] if text[:1] and text[0] in _PREFIXES else text

    def _number(self, cell: Cell, value: float) -> None:
        if cell.format not in self._formats:
            self._formats[cell.format] = NumberFormat(_code(cell.format))
        self.put(cell, self._formats[cell.format].show(value))


class _Late(_Reader):
    """WK3, WK4, 123."""

    def read(self, number: int, data: bytes) -> None:
        if number == 0x1B:
            self._name(data)
            return
        if number not in {0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28}:
            return
        row, sheet, column = struct.unpack_from("<HBB", data)
        cell = Cell(sheet, row, column, 0xFF, 4)
        if number in {0x16, 0x1A, 0x26}:
            text = self.text(data[4:])
            self.put(cell, text[1:] if text[:1] and text[0] in _PREFIXES else text)
        elif number in {0x14, 0x15}:
            self.put(cell, "ERR" if number == 0x14 else "NA")
        else:
            self.put(cell, _late_number(number, data))

    def _name(self, data: bytes) -> None:
        (kind,) = struct.unpack_from("<H", data)
        if kind == 0x36B0:
            (sheet,) = struct.unpack_from("<H", data, 2)
            self.names[sheet] = self.text(data[4:])


def _late_number(number: int, data: bytes) -> str:
    if number == 0x18:
        return general(_short_number(struct.unpack_from("<h", data, 4)[0]))
    if number == 0x25:
        (packed,) = struct.unpack_from("<I", data, 4)
        value = float(packed >> 6)
        value = -value if packed & 0x20 else value
        power = packed & 0x0F
        return general(value / 10**power if packed & 0x10 else value * 10**power)
    if number in {0x27, 0x28}:
        return general(struct.unpack_from("<d", data, 4)[0])
    mantissa, exponent = struct.unpack_from("<QH", data, 4)
    if exponent == 0xFFFF:
        marks = {0xC0: "ERR", 0xD0: "NA"}
        return marks.get(mantissa >> 56, "" if mantissa else "0")
    value = math.ldexp(mantissa, (exponent & 0x7FFF) - 16446)
    return general(-value if exponent & 0x8000 else value)


def _short_number(packed: int) -> float:
    value = packed >> 1
    return (value >> 3) * _SHORT_FACTORS[value & 7] if packed & 1 else value


def _code(format_: int) -> str:
    """The format byte of WK1 as a code of Excel."""
    kind, digits = format_ >> 4 & 7, format_ & 0x0F
    decimals = "." + "0" * digits if digits else ""
    if kind == 7:
        return _DATES.get(digits, "General")
    return {
        0: f"0{decimals}",
        1: f"0{decimals}E+00",
        2: f'"$"#,##0{decimals};("$"#,##0{decimals})',
        3: f"0{decimals}%",
        4: f"#,##0{decimals};(#,##0{decimals})",
    }.get(kind, "General")
