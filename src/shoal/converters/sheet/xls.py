"""What does an old Excel workbook say? Any of them: Excel 2 to 4 (bare streams), 5, 95, 97 to 2003.

Everything is read in one pass over the records, whatever the directory of sheets says about their
places: in a damaged file the records are still there. Sheets are shown in the workbook's order.
"""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import MAGIC, Compound
from shoal.converters.ole.properties import embedded, properties
from shoal.converters.sheet.biff import Record, Stream
from shoal.converters.sheet.biff_globals import Globals, is_begin
from shoal.converters.sheet.biff_sheet import SheetReader
from shoal.converters.sheet.sheet import Book, Sheet
from shoal.converters.sheet.xls_crypt import decryption
from shoal.converters.sheet.xlsx_encrypted import convert as convert_encrypted
from shoal.converters.writer import Writer

_EOF, _FILEPASS, _SHEET_NAME = 0x0A, 0x2F, 0x8F
_GLOBALS, _MODULE, _CHART, _WORKSPACE = 0x05, 0x06, 0x20, 0x100
_STREAMS = ("Workbook", "Book")
_BEGINNINGS = (b"\x09\x08\x10\x00\x00\x06", b"\x09\x08\x08\x00\x00\x05")


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    book = Book(context.limits)
    compound = Compound(body, context.limits) if body.startswith(MAGIC) else None
    if compound is not None and "EncryptedPackage" in compound:
        return convert_encrypted(body, context)
    stream = body if compound is None else _stream(compound, body)
    workbook = Workbook(book)
    workbook.read(stream)
    book.write(writer)
    problem = workbook.problem or writer.problem
    if compound is None:
        return [Converted(writer.page(), problem=problem)]
    found = properties(compound)
    page = writer.page(found.title)
    found.fill(page)
    inner = [each for name, data in embedded(compound) for each in context.inside(data, name)]
    return [Converted(page, problem=problem or compound.problem), *inner]


def _stream(compound: Compound, body: bytes) -> bytes:
    for name in _STREAMS:
        data = compound.read(name)
        if data:
            return data
    # Without a directory: a workbook mostly lies in one piece, from the start of a sector on.
    starts = [at for mark in _BEGINNINGS if (at := body.find(mark, 512)) >= 0]
    return body[min(starts) :] if starts else b""


class Workbook:
    def __init__(self, book: Book) -> None:
        self._book = book
        self._globals = Globals()
        self._reader: SheetReader | None = None
        self._open: list[int] = []
        """Kinds of the streams that we are in, the innermost last."""
        self._found: list[tuple[int, Sheet]] = []
        self._next_name = ""
        self._in_order: list[str] | None = None
        self.problem = ""

    def read(self, data: bytes) -> None:
        stream = Stream(data)
        for record in stream.records():
            if record.number == _FILEPASS:
                stream.decrypt = decryption(record.data, self._globals.version)
                if stream.decrypt is None:
                    self.problem = "encrypted"
                    return
            try:
                self._read(record)
            except (struct.error, ValueError, IndexError, LookupError):
                self.problem = "damaged: a record"
            if self._book.full:
                break
        if not self._found and not self.problem:
            self.problem = "damaged: no sheets"
        order = {at: number for number, at in enumerate(self._globals.sheets)}
        self._found.sort(key=lambda pair: order.get(pair[0], len(order)))
        self._book.sheets = [sheet for _, sheet in self._found[: len(self._book.sheets)]]

    def _read(self, record: Record) -> None:
        if is_begin(record):
            self._begin(record)
        elif record.number == _EOF:
            if self._open and self._open.pop() == _CHART and self._reader is not None:
                self._reader.end_chart()
        elif record.number == _SHEET_NAME and not self._globals.version >= 5:
            self._next_name = self._globals.short_string(record, 4)
        elif self._reader is not None and self._open:
            if not self._read_within(record):
                self._globals.read(record)
        else:
            self._globals.read(record)

    def _read_within(self, record: Record) -> bool:
        """Old workbooks have no part for all sheets: fonts and formats stand in each sheet."""
        if self._globals.version < 5 and self._globals.read(record):
            return True
        if self._reader is not None and self._open[-1] != _MODULE:
            in_chart = self._open[-1] == _CHART
            self._reader.read(record, in_chart=in_chart)
        return True

    def _begin(self, record: Record) -> None:
        kind = self._globals.begin(record)
        if not self._open and kind not in {_GLOBALS, _WORKSPACE}:
            sheet = self._book.add(self._name(record.at))
            self._found.append((record.at, sheet))
            self._reader = SheetReader(self._globals, self._book, sheet)
        elif not self._open:
            self._reader = None
        if kind != _WORKSPACE and len(self._open) < 100:
            self._open.append(kind)

    def _name(self, at: int) -> str:
        if self._next_name:
            name, self._next_name = self._next_name, ""
            return name
        names = self._globals.sheets
        if at in names or len(self._found) >= len(names):
            return names.get(at, "")
        if self._in_order is None:
            self._in_order = list(names.values())
        return self._in_order[len(self._found)]
