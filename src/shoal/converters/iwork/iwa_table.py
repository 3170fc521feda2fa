"""What do the cells of a table of iWork 2013 and later show? (TST.TableModelArchive)

Rows are kept in tiles, each row as a buffer of cells and a list of where they begin. A cell says by
its flags which values follow: a number as a decimal of 128 bits, a date, a key into the lists of
texts. Formats are not applied: a price is its number.
"""

import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from shoal.converters.iwork.iwa import (
    Fields,
    Object,
    fields,
    first_int,
    first_message,
    reference,
    references,
    text,
)

_EPOCH = datetime(2001, 1, 1, tzinfo=UTC)
_MAX_COLUMNS = 1_024
_MAX_ROWS = 1_000_000
_ROWS_OF_TILE = 256
_DATE, _BOOLEAN, _DURATION, _ERROR = 5, 6, 7, 8
_BIAS = 0x1820
_LAYOUT: tuple[tuple[int, int, str], ...] = (
    *((0x1, 16, "decimal"), (0x2, 8, "double"), (0x4, 8, "date")),
    *((0x8, 4, "text"), (0x10, 4, "rich")),
)
"""(bits of the flags, bytes for each that is set, what they are), in the order of the cell."""
_VALUES = ((0x10, 4, "text"), (0x20, 8, "double"), (0x40, 8, "date"))
_OLD_LAYOUT: tuple[tuple[int, int, str], ...] = (
    (0x0D8E, 4, ""),
    (0x200, 4, "rich"),
    (0x3000, 4, ""),
    *_VALUES,
)
_OLDEST_LAYOUT: tuple[tuple[int, int, str], ...] = (
    (0x018E, 4, ""),
    (0x200, 4, "rich"),
    (0x1000, 4, ""),
    *_VALUES,
)


class Table:
    def __init__(
        self, model: Fields, objects: dict[int, Object], rich: Callable[[int], str]
    ) -> None:
        """`rich` gives the text of a storage, for cells that hold more than plain text."""
        self._objects = objects
        self._rich = rich
        self._store = first_message(model, 4)
        self._texts: dict[int, str] = {}
        self._rich_texts: dict[int, int] = {}
        self.name = text(model, 8) if first_int(model, 22) else ""
        self.header_rows = first_int(model, 9)

    def rows(self) -> list[list[str]]:
        self._texts = {key: text(entry, 3) for key, entry in self._entries(4)}
        self._rich_texts = {key: reference(entry, 9) for key, entry in self._entries(17)}
        rows: dict[int, list[str]] = {}
        tiles = first_message(self._store, 3)
        height = first_int(tiles, 2) or _ROWS_OF_TILE
        for each in tiles.get(1, []):
            if not isinstance(each, bytes):
                continue
            place = fields(each)
            tile = self._message(reference(place, 2))
            for info in tile.get(5, []):
                if isinstance(info, bytes) and len(rows) < _MAX_ROWS:
                    row = fields(info)
                    number = first_int(place, 1) * height + first_int(row, 1)
                    rows[number] = self._row(row)
        found = [rows[number] for number in sorted(rows)]
        if any(cell for row in found for cell in row):
            return found
        return [[value] for _, value in sorted(self._texts.items())]

    def comments(self) -> list[str]:
        found = (self._message(reference(entry, 10)) for _, entry in self._entries(19))
        return [text(message, 1) for message in found]

    def _row(self, row: Fields) -> list[str]:
        buffer, offsets = _bytes(row, 6), _bytes(row, 7)
        scale = 4 if first_int(row, 8) else 1
        if not buffer:  # as programs up to 2018 wrote it
            buffer, offsets, scale = _bytes(row, 3), _bytes(row, 4), 1
        places = [place for (place,) in struct.iter_unpack("<H", offsets[: len(offsets) & ~1])]
        cells: list[str] = []
        for column, place in enumerate(places[:_MAX_COLUMNS]):
            cell = b"" if place == 0xFFFF else buffer[place * scale :][:128]
            shown = self._shown(*_values(cell)) if len(cell) >= 12 else ""
            if shown:
                cells += [""] * (column - len(cells))
                cells.append(shown)
        return cells

    def _shown(self, kind: int, found: dict[str, bytes]) -> str:
        if "text" in found:
            return self._texts.get(int.from_bytes(found["text"], "little"), "")
        if "rich" in found:
            payload = self._rich_texts.get(int.from_bytes(found["rich"], "little"), 0)
            return self._rich(reference(self._message(payload), 1))
        if kind == _ERROR:
            return ""
        if "date" in found and kind == _DATE:
            return _date(_double(found["date"]))
        if "decimal" in found:
            return _decimal(found["decimal"])
        if "double" in found:
            return _number(kind, _double(found["double"]))
        return ""

    def _entries(self, number: int) -> list[tuple[int, Fields]]:
        data_list = self._message(reference(self._store, number))
        parts = [data_list, *map(self._message, references(data_list, 4))]
        entries = (fields(e) for part in parts for e in part.get(3, []) if isinstance(e, bytes))
        return [(first_int(entry, 1), entry) for entry in entries]

    def _message(self, identity: int) -> Fields:
        found = self._objects.get(identity)
        return {} if found is None else fields(found.payload)


def _values(cell: bytes) -> tuple[int, dict[str, bytes]]:
    """What kind of cell it is, and its values, which stand one after the other."""
    version = cell[0]
    if version >= 5:
        kind, flags = cell[1], int.from_bytes(cell[8:12], "little")
        position, layout = 12, _LAYOUT
    else:
        kind, flags = cell[1 if version == 4 else 2], int.from_bytes(cell[4:8], "little")
        position, layout = (12, _OLD_LAYOUT) if version > 1 else (8, _OLDEST_LAYOUT)
    found: dict[str, bytes] = {}
    for mask, width, name in layout:
        count = (flags & mask).bit_count()
        if count and name:
            found[name] = cell[position : position + width]
        position += width * count
    return kind, found


def _bytes(found: Fields, number: int) -> bytes:
    value = next(iter(found.get(number, [])), b"")
    return value if isinstance(value, bytes) else b""


def _double(data: bytes) -> float:
    return float(struct.unpack("<d", data)[0]) if len(data) == 8 else 0.0


def _decimal(data: bytes) -> str:
    if len(data) < 16:
        return ""
    exponent = ((data[15] & 0x7F) << 7 | data[14] >> 1) - _BIAS
    mantissa = int.from_bytes(data[:14], "little") | (data[14] & 1) << 112
    try:
        value = float(f"{'-' if data[15] & 0x80 else ''}{mantissa}e{exponent}")
    except (ValueError, OverflowError):
        return ""
    return f"{value:.15g}"


def _number(kind: int, value: float) -> str:
    if kind == _BOOLEAN:
        return "TRUE" if value else "FALSE"
    if kind == _DURATION:
        seconds = int(min(abs(value), 1e12))
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{value:.15g}"


def _date(seconds: float) -> str:
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        return ""
    midnight = moment.hour == moment.minute == moment.second == 0
    return moment.date().isoformat() if midnight else moment.strftime("%Y-%m-%d %H:%M:%S")
