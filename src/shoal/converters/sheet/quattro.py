"""What does a Quattro Pro notebook say? QPW (9 and later), WB3 in a compound file, WB1 and WB2.

All before QPW hold the records of `lotus`. A QPW lists its texts once, then its cells column by
column in packed runs; the layout was found by looking at files, so where a run holds something
unknown its end is skipped, and texts that no cell was seen to use are given after the sheets.
"""

import struct

from shoal.converters.characters.codepages import decode
from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import MAGIC, Compound
from shoal.converters.ole.properties import properties
from shoal.converters.sheet.format import general
from shoal.converters.sheet.lotus import convert as convert_bare
from shoal.converters.sheet.lotus import read as read_records
from shoal.converters.sheet.lotus import records
from shoal.converters.sheet.sheet import Book, Sheet
from shoal.converters.writer import Writer

_STREAMS = ("NativeContent_MAIN", "PerfectOffice_MAIN")
_STRINGS, _SHEET, _COLUMN, _CELLS, _RESULT = 0x407, 0x601, 0xA01, 0xC01, 0xC02
_STYLED, _MANY, _SERIES = 0x80, 0x40, 0x20
_BLANK, _WHOLE, _NEGATIVE, _DOUBLE, _TEXT, _FORMULA = 1, 2, 3, 5, 7, 8
_SIZES = {_BLANK: 0, _WHOLE: 2, _NEGATIVE: 2, _DOUBLE: 8, _TEXT: 4, _FORMULA: 14}
_MAX_ROW = 1_000_000


def convert(body: bytes, context: Context) -> list[Converted]:
    if not body.startswith(MAGIC):
        return convert_bare(body, context)
    writer = Writer(context.limits)
    book = Book(context.limits)
    compound = Compound(body, context.limits)
    stream = next((data for name in _STREAMS if (data := compound.read(name))), b"")
    if stream[4:8] == b"QPW9":
        notebook = _Notebook(book)
        problem = notebook.read(stream)
    elif stream:
        problem = read_records(stream, book)
    else:
        problem = "damaged: no notebook"
    book.write(writer)
    found = properties(compound)
    page = writer.page(found.title)
    found.fill(page)
    return [Converted(page, problem=problem or compound.problem or writer.problem)]


class _Notebook:
    def __init__(self, book: Book) -> None:
        self._book = book
        self._strings: list[str] = []
        self._used: set[int] = set()
        self._sheet = Sheet("")
        self._column = 0
        self._unknown = False

    def read(self, stream: bytes) -> str:
        problem = ""
        for number, data in records(stream):
            try:
                self._read(number, data)
            except (struct.error, IndexError):
                problem = "damaged: a record"
            if self._book.full:
                break
        self._book.sheets = [sheet for sheet in self._book.sheets if sheet.rows]
        if self._unknown or problem:
            unused = [text for number, text in enumerate(self._strings) if number not in self._used]
            self._book.add("").boxes.extend(unused)
        return problem

    def _read(self, number: int, data: bytes) -> None:
        if number == _STRINGS:
            self._read_strings(data)
        elif number == _SHEET:
            self._sheet = self._book.add(_string(data, 18)[0])
        elif number == _COLUMN:
            (self._column,) = struct.unpack_from("<H", data)
        elif number == _CELLS:
            self._read_cells(data)
        elif number == _RESULT:
            column, row = struct.unpack_from("<HI", data)
            self._book.put(self._sheet, row, column, _string(data, 6)[0])

    def _read_strings(self, data: bytes) -> None:
        at = 12
        while at + 3 <= len(data):
            text, at = _string(data, at)
            self._strings.append(text)

    def _read_cells(self, data: bytes) -> None:
        (row,) = struct.unpack_from("<I", data)
        at = 8
        while at < len(data) and row < _MAX_ROW:
            kind = data[at]
            at += 1
            size = _SIZES.get(kind & 0x1F)
            if size is None:
                self._unknown = True
                return
            at += 2 if kind & _STYLED else 0
            count = 1
            if kind & _MANY:
                (count,) = struct.unpack_from("<H", data, at)
                at += 2
            if kind & _SERIES:
                start, step = struct.unpack_from("<hh", data, at)
                at += 4
                for place in range(count):
                    self._put(row + place, general(start + place * step))
                row += count
                continue
            if kind & 0x1F == _BLANK:
                row += count
                continue
            for _ in range(count):
                self._put(row, self._shown(kind & 0x1F, data, at))
                at += size
                row += 1

    def _shown(self, kind: int, data: bytes, at: int) -> str:
        if kind == _TEXT:
            (number,) = struct.unpack_from("<I", data, at)
            self._used.add(number - 1)
            return self._strings[number - 1] if 0 < number <= len(self._strings) else ""
        form = {_WHOLE: "<H", _NEGATIVE: "<h"}.get(kind, "<d")
        return general(struct.unpack_from(form, data, at)[0])

    def _put(self, row: int, text: str) -> None:
        self._book.put(self._sheet, row, self._column, text)


def _string(data: bytes, at: int) -> tuple[str, int]:
    """The text, and what stands behind it."""
    if at + 3 > len(data):
        return "", len(data)
    (size,) = struct.unpack_from("<H", data, at)
    end = at + 3 + size
    return decode(data[at + 3 : end].partition(b"\0")[0], "cp1252"), end + 1
