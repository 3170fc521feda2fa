"""Where does everything stand in a Word document? The file information block and the pieces.

Written from [MS-DOC] (Word 97 to 2003) and the published Word 6 layout, whose block is shorter but
has the same order of tables. The text of a document is one row of characters (its "CPs"): the main
text, then the notes, headers, comments and text boxes; a table of pieces says where in the stream
(at which "FC") each stretch of it lies.
"""

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.converters.characters.codepages import codec_of_language
from shoal.converters.ole.ole import Compound

STYLES, FOOTNOTES, HEADERS, CHARACTERS, PARAGRAPHS, FONTS = 1, 3, 11, 12, 13, 15
_CLX = 33
DRAWINGS = 50
LISTS, LIST_OVERRIDES = 73, 74
_MAIN = 0
PARTS = ("main", "footnotes", "headers", "macros", "comments", "endnotes", "boxes", "header boxes")


class Piece(NamedTuple):
    start: int
    """In characters of the document."""
    end: int
    place: int
    """In bytes of the stream."""
    width: int
    changes: bytes
    """Formatting of the whole piece (a fast save leaves it here)."""
    changes_old: bool = False


@dataclass(slots=True)
class Fib:
    stream: bytes
    """The stream with the text."""
    table: bytes
    """The stream with the tables; before Word 97 it is the one with the text."""
    old: bool
    """Word 6 or 95: text in a code page, formatting in one-byte codes."""
    encrypted: bool
    codec: str
    lengths: list[int]
    """Of the parts, in characters."""
    at: int
    """Where the list of tables begins."""
    tables: int
    """How many tables there are."""
    text_from: int
    text_to: int
    complex: bool
    extended: bool
    """Of old files: two bytes a character, the second one for East Asian text."""
    problem: str = ""
    pieces: list[Piece] = field(default_factory=list)

    def part(self, index: int) -> bytes:
        """A table of the list; empty when the file has none."""
        place = self.at + 8 * index
        if index >= self.tables or place + 8 > len(self.stream):
            return b""
        start, size = struct.unpack_from("<II", self.stream, place)
        return self.table[start : start + size]

    def from_start_of(self, index: int) -> bytes:
        """The same, with whatever follows it (some tables reach beyond their length)."""
        if not self.part(index):
            return b""
        (start,) = struct.unpack_from("<I", self.stream, self.at + 8 * index)
        return self.table[start:]

    def span(self, part: str) -> tuple[int, int]:
        number = PARTS.index(part)
        start = sum(self.lengths[:number])
        return start, start + self.lengths[number]


def read_fib(compound: Compound, most_chars: int) -> Fib | None:
    """None when there is no Word document at all."""
    stream = compound.read("WordDocument")
    if len(stream) < 0x60:
        return None
    magic, version, language, flags = struct.unpack_from("<HHxxHxxH", stream)
    text_from, text_to = struct.unpack_from("<II", stream, 24)
    old = magic == 0xA5DC or version < 106
    if old:
        table, lengths_at, at, tables = stream, 0x34, 0x58, 52
    else:
        name = "1Table" if flags & 0x200 else "0Table"
        table = compound.read(name) or compound.read("1Table") or compound.read("0Table")
        lengths_at, at = 76, 154
        tables = struct.unpack_from("<H", stream, 152)[0] if len(stream) > 154 else 0
    lengths = [0] * 8
    if len(stream) >= lengths_at + 32:
        lengths = [max(0, n) for n in struct.unpack_from("<8i", stream, lengths_at)]
    fib = Fib(
        *(stream, table, old, bool(flags & 0x100), codec_of_language(language), lengths),
        *(at, tables, text_from, text_to, bool(flags & 4), old and bool(flags & 0x1000)),
    )
    if not fib.encrypted:
        _read_pieces(fib, most_chars)
    return fib


def _read_pieces(fib: Fib, most_chars: int) -> None:
    clx = fib.part(_CLX)
    at, changes = 0, list[bytes]()
    while at + 3 <= len(clx) and clx[at] == 1:
        (size,) = struct.unpack_from("<H", clx, at + 1)
        changes.append(clx[at + 3 : at + 3 + size])
        at += 3 + size
    if at + 5 <= len(clx) and clx[at] == 2:
        (size,) = struct.unpack_from("<I", clx, at + 1)
        _add_pieces(fib, clx[at + 5 : at + 5 + size], changes, most_chars)
    if fib.pieces:
        return
    if clx or fib.complex:
        fib.problem = "damaged: no table of pieces"
    total = sum(fib.lengths)
    size = max(0, min(fib.text_to, len(fib.stream)) - fib.text_from)
    wide = fib.extended or not fib.old
    width = 2 if wide and total and size >= 2 * total else 1
    count = min(size // width, total or size, most_chars)
    fib.pieces = [Piece(0, count, fib.text_from, width, b"")]
    if not total:
        fib.lengths[_MAIN] = count


def _add_pieces(fib: Fib, plc: bytes, changes: list[bytes], most_chars: int) -> None:
    count = (len(plc) - 4) // 12
    if count <= 0:
        return
    starts = struct.unpack_from(f"<{count + 1}I", plc)
    for number in range(count):
        start, end = starts[number], starts[number + 1]
        place, prm = struct.unpack_from("<IH", plc, 4 * (count + 1) + 8 * number + 2)
        width = 2 if fib.extended else 1
        if not fib.old:
            width = 1 if place & 0x40000000 else 2
            place = (place & 0x3FFFFFFF) // (2 if width == 1 else 1)
        expected = fib.pieces[-1].end if fib.pieces else 0
        if start != expected or end < start or end > most_chars:
            fib.problem = "damaged: a broken table of pieces"
            return
        if end > start:
            grpprl, grpprl_old = _changes(prm, changes, fib.old)
            fib.pieces.append(Piece(start, end, place, width, grpprl, grpprl_old))


def _changes(prm: int, changes: list[bytes], old: bool) -> tuple[bytes, bool]:
    """A piece names either a list of changes or a single one, in one-byte code."""
    if prm & 1:
        number = prm >> 1
        return (changes[number] if number < len(changes) else b""), old
    return (bytes((prm >> 1 & 0x7F, prm >> 8)) if prm else b""), True
