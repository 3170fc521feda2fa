"""What does a text of a PowerPoint file say, and how? Paragraphs with depth, bullets, bold, links.

[MS-PPT] 2.9: a header atom tells what kind of text follows (title, body …), an atom of characters
gives the text, an atom of styles the lengths of its paragraphs and runs with what differs from the
master. Only the few differences that we use are kept; all have to be stepped over.
"""

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeVar

from shoal.converters.ole.ppt_numbers import Numbers
from shoal.converters.ole.ppt_records import Record, children, text_of
from shoal.converters.ooxml.symbols import readable
from shoal.converters.writer import Run

TITLE, BODY, NOTES, OTHER, CENTER_BODY, CENTER_TITLE, HALF_BODY, QUARTER_BODY = (
    *(0, 1, 2, 4, 5, 6, 7, 8),
)
_HEADER, _CHARS, _STYLES, _BYTES, _LINK, _LINK_RANGE = (
    *(0x0F9F, 0x0FA0, 0x0FA1, 0x0FA8, 0x0FF2, 0x0FDF),
)
_FIELDS = {0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA}  # number, date, header, footer: `*` in the text
# Bits of a mask, and the bytes that each adds, in the order of the bytes.
_PARAGRAPH_FIELDS = (
    *((0xF, 2), (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2)),
    *((0x2000, 2), (0x4000, 2), (0x100, 2), (0x400, 2), (0x8000, 2)),
)
_PARAGRAPH_END = ((0x10000, 2), (0xE0000, 2), (0x200000, 2))
_CHARACTER_FIELDS = (
    *((0x10000, 2), (0x200000, 2), (0x400000, 2), (0x800000, 2), (0x20000, 2)),
    *((0x40000, 4), (0x80000, 2)),
)


_PLAIN = (False, 0)
_T = TypeVar("_T")


class Line(NamedTuple):
    runs: list[Run]
    depth: int
    bullet: bool
    marker: str = ""
    """The number that it shows instead of a bullet."""


@dataclass(slots=True)
class TextBody:
    kind: int = OTHER
    text: str = ""
    styles: bytes = b""
    links: list[tuple[int, int, str]] = field(default_factory=list)
    fields: set[int] = field(default_factory=set)
    """Places where a `*` stands for a number or a date."""
    numbering: bytes = b""
    """How stretches of paragraphs are numbered."""

    @property
    def is_title(self) -> bool:
        return self.kind in {TITLE, CENTER_TITLE}

    def lines(self) -> list[Line]:
        paragraphs, looks = _read_styles(self.styles, len(self.text))
        numbers = Numbers(self.numbering)
        lists = self.kind in {BODY, HALF_BODY, QUARTER_BODY}
        lines: list[Line] = []
        at = 0
        cuts = self._cuts(looks)
        for text in self.text.split("\r"):
            depth, bullet = _value_at(paragraphs, at, (0, None))
            runs = self._runs(at, at + len(text), looks, cuts)
            shown = lists if bullet is None else bullet
            _, stretch = _value_at(looks, at, _PLAIN)
            marker = numbers.marker(stretch, depth) if shown and text.strip() else ""
            lines.append(Line(runs, depth + 1, shown, marker))
            at += len(text) + 1
        return lines

    def _cuts(self, looks: list[tuple[int, tuple[bool, int]]]) -> list[int]:
        """Where something changes within the text."""
        cuts = {place for place, _ in looks} | self.fields | {place + 1 for place in self.fields}
        for first, last, _ in self.links:
            cuts |= {first, last}
        return sorted(cuts)

    def _runs(
        self, start: int, end: int, looks: list[tuple[int, tuple[bool, int]]], cuts: list[int]
    ) -> list[Run]:
        inner = [start, *cuts[bisect_right(cuts, start) : bisect_left(cuts, end)], end]
        runs: list[Run] = []
        for first, last in pairwise(inner):
            if first in self.fields:
                continue
            href = next((href for a, b, href in self.links if a <= first < b), "")
            text = readable(self.text[first:last].replace("\x0b", " "), "")
            runs.append(Run(text, _value_at(looks, first, _PLAIN)[0], href))
        return runs


def texts(atoms: Iterable[Record], hrefs: dict[int, str]) -> list[TextBody]:
    """The texts of a row of atoms: each begins with a header."""
    found: list[TextBody] = []
    current = TextBody()
    href = ""
    for atom in atoms:
        if atom.kind == _HEADER:
            kind = struct.unpack_from("<I", atom.data)[0] if len(atom.data) >= 4 else OTHER
            current = TextBody(kind)
            found.append(current)
        elif atom.kind in {_CHARS, _BYTES}:
            if not found:
                found.append(current)
            current.text = text_of(atom)
        elif atom.kind == _STYLES:
            current.styles = atom.data
        elif atom.kind in _FIELDS and len(atom.data) >= 4:
            current.fields.add(struct.unpack_from("<I", atom.data)[0])
        elif atom.kind == _LINK:
            info = children(atom, 0x0FF3)
            number = (
                struct.unpack_from("<4xI", info[0].data)[0]
                if info and len(info[0].data) >= 8
                else 0
            )
            href = hrefs.get(number, "")
        elif atom.kind == _LINK_RANGE and len(atom.data) >= 8 and href and len(current.links) < 500:
            current.links.append((*struct.unpack_from("<II", atom.data), href))
    return found


def _value_at(spans: list[tuple[int, _T]], at: int, default: _T) -> _T:
    """Of the last span that begins there or before."""
    index = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return spans[index][1] if index >= 0 else default


def _read_styles(
    data: bytes, length: int
) -> tuple[list[tuple[int, tuple[int, bool | None]]], list[tuple[int, tuple[bool, int]]]]:
    """From which place on which depth and bullet; and which boldness and kind of numbers. Where
    nothing is said it is the master's."""
    paragraphs: list[tuple[int, tuple[int, bool | None]]] = []
    looks: list[tuple[int, tuple[bool, int]]] = []
    at = place = 0
    while at + 10 <= len(data):
        count, depth, mask = struct.unpack_from("<IHI", data, at)
        # Styles reach one beyond the text, at times with a stretch of its own.
        if place > length or (place and place == length and count != 1):
            break
        flags = struct.unpack_from("<H", data, at + 10)[0] if len(data) >= at + 12 else 0
        paragraphs.append((place, (min(depth, 4), bool(flags & 1) if mask & 1 else None)))
        at = _after_paragraph(data, at + 10, mask)
        place += max(1, count)
    place = 0
    while place <= length and at + 8 <= len(data):
        count, mask = struct.unpack_from("<II", data, at)
        at += 8
        flags = 0
        if mask & 0xFFFF:
            flags = struct.unpack_from("<H", data, at)[0] if len(data) >= at + 2 else 0
            at += 2
        at += sum(size for bit, size in _CHARACTER_FIELDS if mask & bit)
        looks.append((place, (bool(flags & mask & 1), flags >> 10 & 0xF)))
        place += max(1, count)
    return paragraphs, looks


def _after_paragraph(data: bytes, at: int, mask: int) -> int:
    at += sum(size for bit, size in _PARAGRAPH_FIELDS if mask & bit)
    if mask & 0x100000:
        tabs = struct.unpack_from("<H", data, at)[0] if len(data) >= at + 2 else 0
        at += 2 + 4 * tabs
    return at + sum(size for bit, size in _PARAGRAPH_END if mask & bit)
