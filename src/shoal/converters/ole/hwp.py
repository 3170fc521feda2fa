"""What does a Hangul document (.hwp, version 5) say? Its sections' paragraphs, tables and notes.

Hancom's published format 5.0: a compound file whose body streams are deflated rows of records. A
paragraph's text is UTF-16 with control characters that take one or eight places; tables and notes
follow the paragraph they stand in, one level deeper. Outline styles are headings.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.converters.context import Context, Converted
from shoal.converters.limits import Limits
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.properties import Properties, property_set
from shoal.converters.writer import Writer
from shoal.model.page import Tag

_SIGNATURE = b"HWP Document File"
_PARAGRAPH, _TEXT, _CONTROL, _LIST, _STYLE = 0x42, 0x43, 0x47, 0x48, 0x1A
_ONE_PLACE = frozenset({0, 10, 13, *range(24, 32)})
_TABLE_CONTROL, _ASIDES = b"tbl ", {b"head", b"foot", b"fn  ", b"en  "}
_OUTLINE = re.compile(r"(?:Outline|개요)\s*(\d)")
_SECTION = re.compile(r"BodyText/Section(\d+)", re.IGNORECASE)
_NAMES = {2: "title", 3: "subject", 4: "author", 5: "keywords", 12: "created", 13: "modified"}
_MOST_RECORDS = 500_000
_FAULTS = (struct.error, ValueError, IndexError, zlib.error)


class _Record(NamedTuple):
    kind: int
    level: int
    data: bytes


@dataclass(slots=True)
class _Frame:
    """A table or a note: whatever is deeper than it belongs to it."""

    level: int
    is_table: bool
    rows: dict[int, list[list[str]]] = field(default_factory=dict)


def convert(body: bytes, context: Context) -> list[Converted]:
    compound = Compound(body, context.limits)
    writer = Writer(context.limits)
    found = dict(property_set(compound.read("\x05HwpSummaryInformation"), _NAMES))
    about = Properties(**found)
    problem = ""
    try:
        head = compound.read("FileHeader")
        (flags,) = struct.unpack_from("<I", head, 36)
        if not head.startswith(_SIGNATURE):
            problem = "damaged: no document in it"
        elif flags & 6:
            problem = "encrypted"
        else:
            _write(compound, bool(flags & 1), context.limits, writer)
    except _FAULTS as fault:
        problem = f"damaged: {fault}"
    if not writer.blocks:  # what the file manager shows of it
        preview = compound.read("PrvText")
        for line in preview[: len(preview) & ~1].decode("utf-16-le", "replace").splitlines():
            writer.paragraph(line)
    page = writer.page(about.title)
    about.fill(page)
    return [Converted(page, problem=problem or compound.problem or writer.problem)]


def _write(compound: Compound, packed: bool, limits: Limits, writer: Writer) -> None:
    styles = _styles(_read(compound, "DocInfo", packed, limits))
    numbers = {
        int(match[1]): match[0] for match in map(_SECTION.fullmatch, compound.names) if match
    }
    for _, name in sorted(numbers.items()):
        section = _Section(writer, styles)
        for record in _records(_read(compound, name, packed, limits)):
            section.take(record)
        section.end()


def _read(compound: Compound, name: str, packed: bool, limits: Limits) -> bytes:
    data = compound.read(name)
    return zlib.decompressobj(-15).decompress(data, limits.member_bytes) if packed else data


def _records(data: bytes) -> Iterator[_Record]:
    at = 0
    for _ in range(_MOST_RECORDS):
        if at + 4 > len(data):
            return
        (head,) = struct.unpack_from("<I", data, at)
        at += 4
        size = head >> 20
        if size == 0xFFF and at + 4 <= len(data):
            (size,) = struct.unpack_from("<I", data, at)
            at += 4
        yield _Record(head & 0x3FF, head >> 10 & 0x3FF, data[at : at + size])
        at += size


def _styles(data: bytes) -> list[int]:
    """The level of the heading that each style means; 0 for none."""
    levels: list[int] = []
    for record in _records(data):
        if record.kind == _STYLE:
            names = record.data.decode("utf-16-le", "ignore")
            match = _OUTLINE.search(names)
            levels.append(int(match[1]) if match else 0)
    return levels


class _Section:
    def __init__(self, writer: Writer, styles: list[int]) -> None:
        self._writer, self._styles = writer, styles
        self._frames: list[_Frame] = []
        self._row = 0
        self._style = 0

    def take(self, record: _Record) -> None:
        while self._frames and record.level <= self._frames[-1].level:
            self._close(self._frames.pop())
        if record.kind == _CONTROL:
            name = record.data[3::-1]
            if name == _TABLE_CONTROL or name in _ASIDES:
                self._frames.append(_Frame(record.level, name == _TABLE_CONTROL))
        elif record.kind == _LIST:
            table = self._table()
            if table and table.level + 1 == record.level and len(record.data) >= 12:
                (self._row,) = struct.unpack_from("<H", record.data, 10)
                table.rows.setdefault(self._row, []).append([])
        elif record.kind == _PARAGRAPH:
            self._style = record.data[10] if len(record.data) > 10 else 0
        elif record.kind == _TEXT:
            self._put(_text(record.data))

    def end(self) -> None:
        while self._frames:
            self._close(self._frames.pop())

    def _table(self) -> _Frame | None:
        """The outermost one: a table in a cell is read as text of the cell."""
        return next((frame for frame in self._frames if frame.is_table), None)

    def _put(self, text: str) -> None:
        table = self._table()
        level = self._styles[self._style] if self._style < len(self._styles) else 0
        if table and table.rows.get(self._row):
            table.rows[self._row][-1].append(text)
        elif self._frames:
            self._writer.other(Tag.ASIDE, text)
        elif level:
            self._writer.heading(text, level)
        else:
            self._writer.paragraph(text)

    def _close(self, frame: _Frame) -> None:
        rows = [[" ".join(cell) for cell in row] for _, row in sorted(frame.rows.items())]
        self._writer.table(rows)


def _text(data: bytes) -> str:
    units = struct.unpack(f"<{len(data) // 2}H", data[: len(data) & ~1])
    kept: list[int] = []
    at = 0
    while at < len(units):
        unit = units[at]
        if unit >= 32:
            kept.append(unit)
        elif unit in {9, 10, 13, 24, 30, 31}:
            kept.append(0x2D if unit == 24 else 0x20)
        at += 1 if unit >= 32 or unit in _ONE_PLACE else 8
    return struct.pack(f"<{len(kept)}H", *kept).decode("utf-16-le", "replace")
