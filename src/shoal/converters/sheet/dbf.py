"""What does a dBase table say? Its fields and records, as one table.

dBase II to 7, FoxBase, FoxPro and Visual FoxPro: a header with the fields, then records of fixed
length. The header's code page is believed unless the text is plainly UTF-8; many tables have none
at all, then all of their text together is shown to the detector. Memo fields lie in another file;
deleted records are still there and are left out.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted
from shoal.converters.sheet.dbf_codepages import codec_of
from shoal.converters.sheet.format import general
from shoal.converters.sheet.sheet import embolden
from shoal.converters.writer import Inline, Writer
from shoal.model.page import Page

_DBASE_2, _DBASE_7 = 0x02, {0x04, 0x8C}
_SAMPLE_BYTES = 65_536
_MAX_FIELDS = 2_048
_MAX_CELLS = 4_000_000
_LEFT_OUT = "MGPW0Q"
_JULIAN_1970 = 2_440_588


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    kind: str
    start: int
    size: int
    decimals: int


@dataclass(frozen=True, slots=True)
class _Table:
    fields: list[_Field]
    begin: int
    size: int
    count: int
    codepage: int
    version: int

    def records(self, body: bytes) -> Iterator[bytes]:
        most = -(-max(0, len(body) - self.begin) // self.size)
        most = min(most, _MAX_CELLS // len(self.fields))
        for number in range(min(self.count, most) if self.count else most):
            start = self.begin + number * self.size
            if body[start : start + 1] == b"\x1a":
                return
            yield body[start : start + self.size]


def convert(body: bytes, context: Context) -> list[Converted]:
    try:
        table = _layout_2(body) if body[:1] == b"\x02" else _layout(body)
    except (struct.error, IndexError):
        table = None
    if table is None or not table.fields:
        return [Converted(Page(), problem="damaged: no fields")]
    text = _decoder(table, body)
    writer = Writer(context.limits)

    def rows() -> Iterator[list[Inline]]:
        yield [embolden(field.name) for field in table.fields]
        for record in table.records(body):
            if record[:1] != b"*":
                yield [_shown(record, field, text, table.version) for field in table.fields]

    writer.table(rows(), header_rows=1)
    page = writer.page()
    page.modified = _changed(body)
    missing = table.begin + table.count * table.size - len(body)
    cut = "damaged: cut off" if missing > 1 else ""
    return [Converted(page, problem=writer.problem or cut)]


def _layout(body: bytes) -> _Table | None:
    version = body[0]
    count, begin, size = struct.unpack_from("<IHH", body, 4)
    at, step, name_bytes = (68, 48, 32) if version in _DBASE_7 else (32, 32, 11)
    fields: list[_Field] = []
    start = 1
    while at + step <= len(body) and body[at] not in b"\r\0" and len(fields) < _MAX_FIELDS:
        name = body[at : at + name_bytes].partition(b"\0")[0]
        kind, length, decimals = struct.unpack_from(
            *(("<cBB", body, at + 32) if step == 48 else ("<c4xBB", body, at + 11))
        )
        if kind == b"C" and step == 32:
            length += decimals << 8
        field = _Field(
            name.decode("cp437").strip(), kind.decode("latin-1").upper(), start, length, decimals
        )
        if field.kind not in _LEFT_OUT:
            fields.append(field)
        start += length
        at += step
    if size < 1:
        return None
    return _Table(fields, max(begin, 1), size, count, body[29], version)


def _layout_2(body: bytes) -> _Table | None:
    """dBase II: 32 fields of 16 bytes each, a header of 521 bytes."""
    count, size = struct.unpack_from("<H3xH", body, 1)
    fields: list[_Field] = []
    start = 1
    for at in range(8, 8 + 32 * 16, 16):
        if body[at] in b"\r\0":
            break
        name = body[at : at + 11].partition(b"\0")[0].decode("cp437").strip()
        kind, length = struct.unpack_from("<cB", body, at + 11)
        fields.append(_Field(name, kind.decode("latin-1").upper(), start, length, body[at + 15]))
        start += length
    return _Table(fields, 521, size, count, 0, _DBASE_2) if size else None


def _decoder(table: _Table, body: bytes) -> Callable[[bytes], str]:
    sample = bytearray()
    for record in table.records(body):
        if not record.isascii():
            for field in table.fields:
                if field.kind in "CV":
                    sample += record[field.start : field.start + field.size] + b"\n"
        if len(sample) > _SAMPLE_BYTES:
            break
    named = codec_of(table.codepage)
    if sample.isascii():
        return lambda data: data.decode(named or "cp437", "replace")
    found = decode(bytes(sample))
    if found.charset == "utf-8" or not named:
        # Read as one text: a field may end within a character, which is then lost with it.
        return lambda data: (
            decode(data, found.charset).text if not data.isascii() else (data.decode("ascii"))
        )
    return lambda data: data.decode(named, "replace")


def _shown(record: bytes, field: _Field, text: Callable[[bytes], str], version: int) -> str:
    data = record[field.start : field.start + field.size]
    if field.kind in "CV":
        return text(data.replace(b"\0", b" ")).strip()
    if field.kind in "NFD":
        shown = data.decode("ascii", "replace").strip(" \0*")
        if field.kind == "D" and len(shown) == 8 and shown.isdigit():
            return f"{shown[:4]}-{shown[4:6]}-{shown[6:]}"
        return shown if field.kind != "D" else ""
    if field.kind == "L":
        return data.decode("ascii", "replace").strip(" ?\0")
    try:
        return _binary(field, data, version)
    except (struct.error, OverflowError, ValueError):
        return ""


def _binary(field: _Field, data: bytes, version: int) -> str:
    """The kinds that came with Visual FoxPro and dBase 7; the latter turns the sign bit over."""
    if version in _DBASE_7:
        return _binary_7(field.kind, data)
    if field.kind in "I+":
        return str(struct.unpack("<i", data)[0])
    if field.kind == "Y":
        return f"{struct.unpack('<q', data)[0] / 10_000:.2f}"
    if field.kind == "T":
        return _moment(*struct.unpack("<Ii", data))
    if field.kind == "B" and field.size == 8:
        value = struct.unpack("<d", data)[0]
        return f"{value:.{field.decimals}f}" if 0 < field.decimals < 16 else general(value)
    return ""


def _binary_7(kind: str, data: bytes) -> str:
    if not any(data):
        return ""
    if kind in "I+":
        return str(struct.unpack(">I", data)[0] - (1 << 31))
    (number,) = struct.unpack(">Q", data)
    number = number ^ (1 << 63) if number >> 63 else number ^ ((1 << 64) - 1)
    (value,) = struct.unpack("<d", struct.pack("<Q", number))
    if kind == "@":
        milliseconds = value
        return _moment(int(milliseconds // 86_400_000), int(milliseconds % 86_400_000))
    return general(value) if kind == "O" else ""


def _moment(julian_day: int, milliseconds: int) -> str:
    if not julian_day:
        return ""
    days = julian_day - _JULIAN_1970
    when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=days, milliseconds=milliseconds)
    return when.strftime("%Y-%m-%d %H:%M:%S")


def _changed(body: bytes) -> str:
    """The day of the last change; years were counted from 1900, and again from 2000."""
    if body[0] == _DBASE_2 or len(body) < 4:
        return ""
    year, month, day = body[1:4]
    year += 1900 if year >= 80 else 2000
    try:
        return datetime(year, month, day, tzinfo=UTC).date().isoformat()
    except ValueError:
        return ""
