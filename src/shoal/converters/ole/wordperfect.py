"""What does a WordPerfect document (.wpd, versions 5 and 6 on) say? Letters between codes.

Text and codes stand in one row of bytes: small bytes are letters, higher ones are functions of one
byte, of a fixed length, or of a length that stands in them. What is marked as deleted is an aside;
so are headers, notes and boxes, which version 6 keeps apart in the file's prefix.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.converters.context import Context, Converted
from shoal.converters.ole.wordperfect_characters import SHORT, letter
from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag

MAGIC = b"\xffWPC"
_BOLD = 12
_FIXED_6 = (4, 5, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 8, 8, 1)
_FIXED_5 = (4, 9, 11, 3, 3, 5, 6, 7)
_TEXT_PACKET = 0x08
_MOST_PACKETS = 5000


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    problem = ""
    try:
        if not body.startswith(MAGIC):
            problem = "damaged: no WordPerfect file"
        elif body[12:14] != bytes(2):
            problem = "encrypted"
        else:
            _write(body, writer)
    except (struct.error, IndexError) as fault:
        problem = f"damaged: {fault}"
    return [Converted(writer.page(), problem=problem or writer.problem)]


def _write(body: bytes, writer: Writer) -> None:
    (start,) = struct.unpack_from("<I", body, 4)
    flow = _Flow(writer)
    if body[10] >= 2:
        _read_6(body[start:], flow)
        for packet in _text_packets(body):
            aside = _Flow(writer, aside=True)
            _read_6(packet, aside)
    else:
        notes: list[bytes] = []
        _read_5(body[start:], flow, notes)
        for note in notes:
            _read_5(note, _Flow(writer, aside=True), [])


@dataclass(slots=True)
class _Flow:
    """Paragraphs and tables as they come out of the codes."""

    writer: Writer
    aside: bool = False
    bold: bool = False
    deleting: bool = False
    runs: list[Run] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    rows: list[list[list[Run]]] = field(default_factory=list)
    in_table: bool = False

    def put(self, text: str) -> None:
        if self.deleting:
            self.deleted.append(text)
        elif self.runs and self.runs[-1].bold == self.bold and len(self.runs[-1].text) < 200:
            self.runs[-1] = Run(self.runs[-1].text + text, self.bold)
        else:
            self.runs.append(Run(text, self.bold))

    def end_paragraph(self) -> None:
        if self.in_table:
            self.put(" ")
            return
        if self.aside:
            self.writer.other(Tag.ASIDE, self.runs)
        else:
            self.writer.paragraph(self.runs)
        self.runs = []
        if self.deleted:
            self.writer.other(Tag.ASIDE, "".join(self.deleted))
            self.deleted = []

    def cell(self, new_row: bool) -> None:
        """One begins here; the one before it ends."""
        if self.in_table and self.rows:
            self.rows[-1].append(self.runs)
        else:
            self.end_paragraph()
        self.runs, self.in_table = [], True
        if new_row or not self.rows:
            self.rows.append([])

    def end_table(self) -> None:
        if self.in_table:
            if self.rows:
                self.rows[-1].append(self.runs)
            self.writer.table(self.rows)
            self.runs, self.rows, self.in_table = [], [], False

    def end(self) -> None:
        self.end_table()
        self.end_paragraph()


def _read_6(text: bytes, flow: _Flow) -> None:
    at = 0
    while at < len(text) and not flow.writer.full:
        code = text[at]
        if code < 0x80:
            end = at + 1
            while end < len(text) and 0x20 < text[end] < 0x7F:
                end += 1
            first = SHORT[code - 1] if 0 < code <= 0x20 else chr(code) if code else ""
            flow.put(first + text[at + 1 : end].decode("ascii"))
            at = end
        elif code < 0xD0:
            _single_6(code, flow)
            at += 1
        elif code < 0xF0:
            if at + 4 > len(text):
                break
            sub, size = struct.unpack_from("<BH", text, at + 1)
            if size < 4 or text[at + size - 1 : at + size] != bytes((code,)):
                at += 1  # a function ends with its own code: this is none
                continue
            if code == 0xD0:
                _end_of_line(sub, flow)
            elif code == 0xE0:
                flow.put("\t")
            at += size
        else:
            _fixed_6(text, at, flow)
            at += _FIXED_6[code - 0xF0]
    flow.end()


def _single_6(code: int, flow: _Flow) -> None:
    if code in {0x80, 0x81}:
        flow.put(" ")
    elif code == 0x84:
        flow.put("-")
    elif code == 0x87:
        flow.end_paragraph()
    elif code >= 0xB9:  # the short forms of the ends of lines
        _end_of_line(0xD0 - code, flow)


def _end_of_line(sub: int, flow: _Flow) -> None:
    if 1 <= sub <= 3:
        flow.put(" ")
    elif 4 <= sub <= 9 or 0x14 <= sub <= 0x17:
        flow.end_paragraph()
    elif 0x0A <= sub <= 0x10:
        flow.cell(new_row=sub > 0x0A)
    elif 0x11 <= sub <= 0x13:
        flow.end_table()


def _fixed_6(text: bytes, at: int, flow: _Flow) -> None:
    code = text[at]
    if code == 0xF0 and at + 2 < len(text):
        flow.put(letter(text[at + 1], text[at + 2]))
    elif code == 0xF1 and at + 1 < len(text):
        flow.deleting = text[at + 1] == 0
    elif code in {0xF2, 0xF3} and at + 1 < len(text) and text[at + 1] == _BOLD:
        flow.bold = code == 0xF2


def _text_packets(body: bytes) -> Iterator[bytes]:
    """The texts that version 6 keeps apart: headers, notes, boxes."""
    (index,) = struct.unpack_from("<H", body, 14)
    if index + 14 > len(body):
        return
    (count,) = struct.unpack_from("<H", body, index + 2)
    for number in range(1, min(count, _MOST_PACKETS)):
        at = index + 14 * number
        if at + 14 > len(body):
            return
        kind, size, place = struct.unpack_from("<xB4xII", body, at)
        packet = body[place : place + size]
        if kind != _TEXT_PACKET or len(packet) < 10:
            continue
        blocks, first = struct.unpack_from("<HI", packet)
        sizes = packet[6 : 6 + 4 * min(blocks, 1000)]
        total = sum(struct.unpack(f"<{len(sizes) // 4}I", sizes[: len(sizes) & ~3]))
        if 0 < first < len(packet):
            yield packet[first : first + total]


def _read_5(text: bytes, flow: _Flow, notes: list[bytes]) -> None:
    at = 0
    while at < len(text) and not flow.writer.full:
        code = text[at]
        if 0x20 <= code < 0x7F:
            end = at + 1
            while end < len(text) and 0x20 <= text[end] < 0x7F:
                end += 1
            flow.put(text[at:end].decode("ascii"))
            at = end
        elif code < 0xC0:
            _single_5(code, flow)
            at += 1
        elif code < 0xD0:
            if code == 0xC0 and at + 2 < len(text):
                flow.put(letter(text[at + 1], text[at + 2]))
            elif code in {0xC3, 0xC4} and at + 1 < len(text) and text[at + 1] == _BOLD:
                flow.bold = code == 0xC3
            elif code in {0xC1, 0xC2}:
                flow.put("\t")
            at += _FIXED_5[code - 0xC0] if code - 0xC0 < len(_FIXED_5) else 1
        else:
            if at + 4 > len(text):
                break
            sub, size = struct.unpack_from("<BH", text, at + 1)
            whole = text[at : at + 4 + size]
            if size < 4 or whole[-1] != code or whole[-2] != sub:
                at += 1
                continue
            _variable_5(code, sub, flow)
            notes += _notes_5(whole)
            at += len(whole)
    flow.end()


def _single_5(code: int, flow: _Flow) -> None:
    if code in {0x0A, 0x0C, 0x8C, 0x99}:
        flow.end_paragraph()
    elif code in {0x09, 0x0B, 0x0D, 0xA0}:
        flow.put(" ")
    elif code in {0xA9, 0xAA, 0xAB}:
        flow.put("-")


def _notes_5(function: bytes) -> Iterator[bytes]:
    """The text of a header, a footer or a note, which stands within its function."""
    code, sub = function[0], function[1]
    if code == 0xD5 and len(function) > 26 and function[11]:
        yield function[22:-4]
    elif code == 0xD6 and len(function) > 12:
        yield function[8 + 2 * (function[7] + 1) + 9 : -4] if sub == 0 else function[11:-4]


def _variable_5(code: int, sub: int, flow: _Flow) -> None:
    if code == 0xDC and sub in {0, 1, 2}:  # the end of a cell, a row, a table
        if sub == 2:
            flow.end_table()
        else:
            flow.cell(new_row=sub == 1)
