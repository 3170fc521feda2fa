"""What holds for a whole XLS workbook? Its version, code page, fonts, formats, strings, sheets.

The records of BIFF2 to BIFF8 that say so differ in number and width; here they become the same
values.
"""

import struct
from dataclasses import dataclass, field

from shoal.converters.characters.codepages import codec_of, decode
from shoal.converters.sheet.biff import Reader, Record
from shoal.converters.sheet.styles import Styles

_BOFS = {0x0009: 2, 0x0209: 3, 0x0409: 4, 0x0809: 5}
_MAC, _WINDOWS = 0x8000, 0x8001


@dataclass(slots=True)
class Globals:
    version: int = 0
    """Of BIFF: 2, 3, 4, 5 or 8; 0 until the first record said so."""
    codec: str = "cp1252"
    styles: Styles = field(default_factory=Styles)
    strings: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    """The same, to ask whether a text stands in some cell."""
    sheets: dict[int, str] = field(default_factory=dict)
    """Their names by where in the stream they begin, in their order."""
    pending: list[tuple[int, int]] = field(default_factory=list)
    """Format and font of styles: formats may come after them."""
    format_count: int = 0

    def begin(self, record: Record) -> int:
        """The kind of what a BOF record begins: 5 the workbook, 0x10 a sheet, 0x20 a chart."""
        version = _BOFS[record.number]
        kind = 0x10
        if len(record.data) >= 4:
            claimed, kind = struct.unpack_from("<HH", record.data)
            if version == 5 and claimed == 0x0600:
                version = 8
        if not self.version:
            self.version = version
        return kind

    def text(self, data: bytes) -> str:
        return decode(data, self.codec)

    def short_string(self, record: Record, at: int) -> str:
        """With a length of one byte (BIFF8: and characters of one or two)."""
        if self.version >= 8:
            return Reader(record.pieces, at).string(1)
        if at >= len(record.data):
            return ""
        return self.text(record.data[at + 1 : at + 1 + record.data[at]])

    def long_string(self, record: Record, at: int) -> str:
        """With a length of two bytes, but one in BIFF2."""
        if self.version <= 2:
            return self.short_string(record, at)
        if self.version >= 8:
            return Reader(record.pieces, at).string(2)
        reader = Reader(record.pieces, at)
        return self.text(reader.take(reader.number(2)))

    def style(self, number: int) -> int:
        """The styles are made once, when the first cell is shown."""
        for format_id, font in self.pending:
            self.styles.add(format_id, font)
        self.pending = []
        return number

    def read(self, record: Record) -> bool:
        """False when it is none of ours."""
        reading = _READINGS.get(record.number)
        if reading is None:
            return False
        reading(self, record)
        return True


def is_begin(record: Record) -> bool:
    return record.number in _BOFS


def _codepage(found: Globals, record: Record) -> None:
    (number,) = struct.unpack_from("<H", record.data)
    found.codec = codec_of({_MAC: 10000, _WINDOWS: 1252}.get(number, number))
    if found.codec.startswith("utf-16"):
        found.codec = "cp1252"  # means: BIFF8's own strings


def _datemode(found: Globals, record: Record) -> None:
    found.styles.from_1904 = record.data[:1] == b"\1"


def _font(found: Globals, record: Record) -> None:
    if len(record.data) < 4:
        return
    flags = record.data[2]
    bold = bool(flags & 1)
    if found.version >= 5 and len(record.data) >= 8:
        bold = struct.unpack_from("<H", record.data, 6)[0] >= 600
    fonts = found.styles.bold_fonts
    if len(fonts) == 4 and found.version >= 3:
        fonts.append(False)  # there is no font 4
    fonts.append(bold)


def _format(found: Globals, record: Record) -> None:
    """Before BIFF5 formats have no number but their place."""
    if found.version >= 5:
        (number,) = struct.unpack_from("<H", record.data)
        read = found.long_string if found.version >= 8 else found.short_string
        found.styles.codes[number] = read(record, 2)
        return
    at = 2 if record.number == 0x041E else 0
    found.styles.codes[found.format_count] = found.short_string(record, at)
    found.format_count += 1


def _style(found: Globals, record: Record) -> None:
    data = record.data
    if record.number == 0xE0:
        font, number = struct.unpack_from("<HH", data)
    elif record.number == 0x43:
        font, number = data[0], data[2] & 0x3F
    else:
        font, number = data[0], data[1]
    found.pending.append((number, font))


def _sheet(found: Globals, record: Record) -> None:
    (at,) = struct.unpack_from("<I", record.data)
    found.sheets.setdefault(at, found.short_string(record, 6))


def _strings(found: Globals, record: Record) -> None:
    reader = Reader(record.pieces)
    reader.take(4)
    most = min(reader.number(4), sum(map(len, record.pieces)) // 3)
    for _ in range(most):
        try:
            found.strings.append(reader.string(2))
        except ValueError:
            break
    found.known.update(found.strings)


_READINGS = {
    0x42: _codepage,
    0x22: _datemode,
    **dict.fromkeys((0x31, 0x231), _font),
    **dict.fromkeys((0x1E, 0x41E), _format),
    **dict.fromkeys((0x43, 0x243, 0x443, 0xE0), _style),
    0x85: _sheet,
    0xFC: _strings,
}
