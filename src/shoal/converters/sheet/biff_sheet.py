"""What does a sheet of an XLS workbook show? Cells, notes, boxes, links, chart titles, header.

One object for each sheet reads its records in their order, since some only mean something after
another: the result of a formula, the text of a note. Charts lie within sheets as streams of their
own; of them titles and labels are taken, not the numbers.
"""

import struct

from shoal.converters.sheet.biff import Reader, Record, rk
from shoal.converters.sheet.biff_globals import Globals
from shoal.converters.sheet.sheet import Book, Sheet, link
from shoal.converters.sheet.xls_values import truth
from shoal.converters.writer import Inline

_URL_MONIKER = bytes.fromhex("E0C9EA79F9BACE118C8200AA004BA90B")
_NOTE_OBJECT = 0x19
_OLD_TEXT_OBJECTS = {6, 7, 14}
_OLD_TEXT_AT = 66
_CHART_TEXT, _CHART_SERIES = 0x1025, 0x1003
_OLD_NOTE_GOES_ON = 0xFFFF


class SheetReader:
    def __init__(self, found: Globals, book: Book, sheet: Sheet) -> None:
        self._globals = found
        self._book = book
        self.sheet = sheet
        self._formula: tuple[int, int, int] | None = None
        self._object_kind = 0
        self._chart_block = 0
        self._chart_labels: dict[str, None] = {}

    def read(self, record: Record, *, in_chart: bool) -> None:
        """struct.error, ValueError or IndexError when the record is damaged."""
        if in_chart:
            self._read_chart(record)
            return
        reading = _READINGS.get(record.number)
        if reading is not None:
            reading(self, record)

    def _place(self, record: Record) -> tuple[int, int, int, int]:
        """Row, column, style, and where the value begins."""
        row, column = struct.unpack_from("<HH", record.data)
        if self._globals.version == 2:
            return row, column, self._globals.style(record.data[4] & 0x3F), 7
        (style,) = struct.unpack_from("<H", record.data, 4)
        return row, column, self._globals.style(style), 6

    def _put(self, row: int, column: int, inline: Inline) -> None:
        self._book.put(self.sheet, row, column, inline)

    def _number(self, row: int, column: int, style: int, value: float) -> None:
        self._put(row, column, self._globals.styles.number(value, style))

    def _text(self, row: int, column: int, style: int, text: str) -> None:
        self._put(row, column, self._globals.styles.text(text, style))

    def integer(self, record: Record) -> None:
        row, column, style, at = self._place(record)
        self._number(row, column, style, struct.unpack_from("<H", record.data, at)[0])

    def double(self, record: Record) -> None:
        row, column, style, at = self._place(record)
        self._number(row, column, style, struct.unpack_from("<d", record.data, at)[0])

    def label(self, record: Record) -> None:
        row, column, style, at = self._place(record)
        self._text(row, column, style, self._globals.long_string(record, at))

    def shared(self, record: Record) -> None:
        row, column, style, at = self._place(record)
        (number,) = struct.unpack_from("<I", record.data, at)
        if number < len(self._globals.strings):
            self._text(row, column, style, self._globals.strings[number])

    def truth_or_error(self, record: Record) -> None:
        row, column, style, at = self._place(record)
        value, is_error = record.data[at], record.data[at + 1]
        self._text(row, column, style, truth(value, is_error=bool(is_error)))

    def short_number(self, record: Record) -> None:
        row, column, style, at = self._place(record)
        self._number(row, column, style, rk(struct.unpack_from("<I", record.data, at)[0]))

    def short_numbers(self, record: Record) -> None:
        row, column = struct.unpack_from("<HH", record.data)
        for at in range(4, len(record.data) - 7, 6):
            style, number = struct.unpack_from("<HI", record.data, at)
            self._number(row, column, self._globals.style(style), rk(number))
            column += 1

    def formula(self, record: Record) -> None:
        row, column, style, at = self._place(record)
        result = record.data[at : at + 8]
        self._formula = None
        if result[6:] != b"\xff\xff":
            self._number(row, column, style, struct.unpack("<d", result)[0])
        elif result[0] == 0:
            self._formula = row, column, style
        elif result[0] in {1, 2}:
            self._text(row, column, style, truth(result[2], is_error=result[0] == 2))

    def formula_text(self, record: Record) -> None:
        if self._formula is not None:
            self._text(*self._formula, self._globals.long_string(record, 0))
            self._formula = None

    def header(self, record: Record) -> None:
        if record.data.strip(b"\0"):
            wide = self._globals.version >= 8
            read = self._globals.long_string if wide else self._globals.short_string
            codes = self.sheet.headers if record.number == 0x14 else self.sheet.footers
            codes.append(read(record, 0))

    def old_note(self, record: Record) -> None:
        if self._globals.version >= 8:
            return  # the text stands in an object
        (row,) = struct.unpack_from("<H", record.data)
        text = self._globals.text(record.data[6:])
        if row == _OLD_NOTE_GOES_ON and self.sheet.notes:
            self.sheet.notes[-1] += text
        else:
            self.sheet.notes.append(text)

    def object(self, record: Record) -> None:
        (self._object_kind,) = struct.unpack_from("<H", record.data, 4)
        if self._globals.version == 5 and self._object_kind in _OLD_TEXT_OBJECTS:
            self._old_object_text(b"".join(record.pieces))

    def _old_object_text(self, data: bytes) -> None:
        """BIFF5: head, frame, sizes, then name, macro and text, each at an even place."""
        macro_bytes, name_bytes = struct.unpack_from("<HxxH", data, 26)
        (count,) = struct.unpack_from("<H", data, 44)
        at = _OLD_TEXT_AT
        if name_bytes:
            at += 1 + data[at]
            at += at % 2
        at += macro_bytes
        text = self._globals.text(data[at : at + count])
        if text.isprintable() or "\n" in text or "\r" in text:
            self.sheet.boxes += [line for line in text.splitlines() if line.strip()]

    def object_text(self, record: Record) -> None:
        (count,) = struct.unpack_from("<H", record.data, 10)
        if len(record.pieces) < 2 or not count:
            return
        reader = Reader(record.pieces[1:])
        text = reader.characters(count, wide=bool(reader.number(1) & 1))
        if self._object_kind == _NOTE_OBJECT:
            self.sheet.notes.append(text)
        else:
            self.sheet.boxes += [line for line in text.splitlines() if line.strip()]

    def hyperlink(self, record: Record) -> None:
        first_row, last_row, first, last = struct.unpack_from("<HHHH", record.data)
        at = record.data.find(_URL_MONIKER, 32)
        if at < 0 or len(record.data) < at + 20:
            return
        (size,) = struct.unpack_from("<I", record.data, at + 16)
        href = record.data[at + 20 : at + 20 + size].decode("utf-16-le", "replace")
        href = href.partition("\0")[0]
        for row in range(first_row, min(last_row, first_row + 15) + 1):
            cells = self.sheet.rows.get(row, {})
            for column in range(first, min(last, first + 15) + 1):
                if column in cells and href:
                    cells[column] = link(cells[column], href)

    def _read_chart(self, record: Record) -> None:
        if record.number in {_CHART_TEXT, _CHART_SERIES}:
            self._chart_block = record.number
        elif record.number == 0x100D:
            text = self._globals.short_string(record, 2)
            if self._chart_block == _CHART_TEXT:
                self.sheet.captions.append(text)
            else:
                self._chart_labels[text] = None
        elif record.number == 0x204:
            self._chart_labels[self._globals.long_string(record, 6)] = None

    def end_chart(self) -> None:
        """What a chart shows beside its axes; mostly it stands in cells and was given there."""
        labels = [text for text in self._chart_labels if text not in self._globals.known]
        self.sheet.captions.append(", ".join(labels))
        self._chart_labels = {}


_READINGS = {
    0x02: SheetReader.integer,
    **dict.fromkeys((0x03, 0x203), SheetReader.double),
    **dict.fromkeys((0x04, 0x204, 0xD6), SheetReader.label),
    **dict.fromkeys((0x05, 0x205), SheetReader.truth_or_error),
    **dict.fromkeys((0x06, 0x206, 0x406), SheetReader.formula),
    **dict.fromkeys((0x07, 0x207), SheetReader.formula_text),
    **dict.fromkeys((0x7E, 0x27E), SheetReader.short_number),
    0xBD: SheetReader.short_numbers,
    0xFD: SheetReader.shared,
    **dict.fromkeys((0x14, 0x15), SheetReader.header),
    0x1C: SheetReader.old_note,
    0x5D: SheetReader.object,
    0x1B6: SheetReader.object_text,
    0x1B8: SheetReader.hyperlink,
}
