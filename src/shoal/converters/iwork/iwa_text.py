"""How does a text of iWork 2013 and later look? Paragraphs with their styles, lists and links.

A storage holds one string, and tables of which style, list or field begins at which place. Places
count UTF-16 units. (TSWP.StorageArchive, ParagraphStyleArchive, ListStyleArchive.)
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from shoal.converters.iwork.iwa import (
    Fields,
    Object,
    fields,
    first_int,
    first_message,
    reference,
    text,
)
from shoal.converters.odf.lists import formatted
from shoal.converters.writer import Run

BODY, HEADER, FOOTNOTE, TEXTBOX, NOTE, CELL = range(6)
_PARAGRAPH_STYLES, _PARAGRAPH_DATA, _LIST_STYLES, _CHARACTER_STYLES = 5, 6, 7, 8
_ATTACHMENTS, _FIELDS, _FOOTNOTES, _DELETIONS = 9, 11, 16, 22
_MAX_PARENTS = 20
_LEVELS = 10
_HYPERLINK = 2032
_BREAKS = re.compile("[\n\r\u2029\x04\x05\x0c]")
_PLACES = str.maketrans("", "", "\ufffc\ufffb\x0e")
_HEADING = re.compile(r"Heading(?: ?([1-6]))?$", re.IGNORECASE)
_NUMBER_FORMATS = "1IiAa"


@dataclass(slots=True)
class Paragraph:
    runs: list[Run]
    level: int = 0
    """The level of a heading."""
    depth: int = 0
    """The depth of an item."""
    is_numbered: bool = False
    marker: str = ""
    apart: list[int] = field(default_factory=list)
    """Objects that hang on it: pictures, tables, footnotes."""


class Texts:
    def __init__(self, objects: dict[int, Object]) -> None:
        self._objects = objects
        self._styles: dict[int, tuple[bool | None, int]] = {}
        self._lists: dict[int, tuple[list[int], list[int]]] = {}

    def paragraphs(self, storage: Fields) -> Iterator[Paragraph]:
        units = text(storage, 3).encode("utf-16-le", "replace")
        look = _Look(self, storage)
        counts: dict[int, int] = {}
        start = 0
        for piece in _BREAKS.split(units.decode("utf-16-le", "replace")):
            end = start + len(piece.encode("utf-16-le", "replace")) // 2
            paragraph = look.paragraph(units, start, end)
            self._number(paragraph, look.label(start), counts)
            yield paragraph
            start = end + 1

    def _number(self, paragraph: Paragraph, label: tuple[int, int], counts: dict[int, int]) -> None:
        kind, number_type = label
        if not paragraph.depth or paragraph.level:
            counts.clear()
            return
        for deeper in [each for each in counts if each > paragraph.depth]:
            del counts[deeper]
        if kind == 3:
            counts[paragraph.depth] = counts.get(paragraph.depth, 0) + 1
            paragraph.is_numbered = True
            paragraph.marker = _marker(counts[paragraph.depth], number_type)

    def bold(self, style: int) -> bool | None:
        return self._style(style)[0]

    def heading_level(self, style: int) -> int:
        return self._style(style)[1]

    def _style(self, style: int) -> tuple[bool | None, int]:
        if style not in self._styles:
            bold, level = None, 0
            for found in self._chain(style):
                name = text(first_message(found, 1), 1)
                identifier = text(first_message(found, 1), 2).rpartition("paragraphstyle-")[2]
                properties = first_message(found, 11)
                if bold is None and 1 in properties:
                    bold = first_int(properties, 1) == 1
                level = level or _heading_level(name) or _heading_level(identifier)
            self._styles[style] = (bold, level)
        return self._styles[style]

    def list_level(self, style: int, depth: int) -> tuple[int, int]:
        """(kind of label, kind of number) at a depth."""
        if style not in self._lists:
            levels = ((_enums(found, 11), _enums(found, 15)) for found in self._chain(style))
            self._lists[style] = next((level for level in levels if level[0]), ([], []))
        kinds, numbers = self._lists[style]
        if depth >= len(kinds):
            return 0, 0
        return kinds[depth], numbers[depth] if depth < len(numbers) else 0

    def _chain(self, style: int) -> Iterator[Fields]:
        for _ in range(_MAX_PARENTS):
            found = self._objects.get(style)
            if found is None:
                return
            message = fields(found.payload)
            yield message
            style = reference(first_message(message, 1), 3)

    def href(self, identity: int) -> str:
        found = self._objects.get(identity)
        if found is None or found.type != _HYPERLINK:
            return ""
        return text(fields(found.payload), 2)


class _Look:
    """The tables of one storage."""

    def __init__(self, texts: Texts, storage: Fields) -> None:
        self._texts = texts
        self._styles = _table(storage, _PARAGRAPH_STYLES)
        self._lists = _table(storage, _LIST_STYLES)
        self._data = _table(storage, _PARAGRAPH_DATA)
        self._spans = [_table(storage, n) for n in (_CHARACTER_STYLES, _FIELDS, _DELETIONS)]
        self._apart = sorted([*_table(storage, _ATTACHMENTS), *_table(storage, _FOOTNOTES)])

    def label(self, start: int) -> tuple[int, int]:
        return self._texts.list_level(_at(self._lists, start), min(_at(self._data, start), _LEVELS))

    def paragraph(self, units: bytes, start: int, end: int) -> Paragraph:
        style = _at(self._styles, start)
        level = self._texts.heading_level(style)
        bold = not level and bool(self._texts.bold(style))
        cuts = {start, end}
        for table in self._spans:
            cuts.update(place for place, _ in _between(table, start + 1, end - 1))
        places = sorted(cuts)
        runs: list[Run] = []
        for begin, until in pairwise(places):
            characters, link, deletion = (_at(table, begin) for table in self._spans)
            if not deletion:
                own = self._texts.bold(characters) if characters else None
                part = units[2 * begin : 2 * until].decode("utf-16-le", "replace")
                is_bold = bold if own is None else own
                runs.append(Run(part.translate(_PLACES), is_bold, self._texts.href(link)))
        kind, _ = self.label(start)
        depth = min(_at(self._data, start), _LEVELS) + 1 if kind else 0
        apart = [identity for _, identity in _between(self._apart, start, end) if identity]
        return Paragraph(runs, level, depth, apart=apart)


def _table(storage: Fields, number: int) -> list[tuple[int, int]]:
    """(place, object or value), in order."""
    entries = first_message(storage, number).get(1, [])
    found: list[tuple[int, int]] = []
    for entry in entries:
        if isinstance(entry, bytes):
            values = fields(entry)
            value = reference(values, 2) or first_int(values, 2)
            found.append((first_int(values, 1), value))
    return sorted(found)


def _at(table: list[tuple[int, int]], place: int) -> int:
    index = bisect_right(table, place, key=lambda entry: entry[0])
    return table[index - 1][1] if index else 0


def _between(table: list[tuple[int, int]], first: int, last: int) -> list[tuple[int, int]]:
    begin = bisect_left(table, first, key=lambda entry: entry[0])
    end = bisect_right(table, last, key=lambda entry: entry[0])
    return table[begin:end]


def _enums(found: Fields, number: int) -> list[int]:
    """Packed or not."""
    values: list[int] = []
    for value in found.get(number, []):
        values += [value] if isinstance(value, int) else list(value)
    return values


def _heading_level(name: str) -> int:
    found = _HEADING.match(name)
    return int(found[1] or 1) if found else int(name.lower() == "title")


def _marker(number: int, number_type: int) -> str:
    kind, around = divmod(number_type, 3)
    shown = formatted(number, _NUMBER_FORMATS[kind] if kind < len(_NUMBER_FORMATS) else "1")
    return (f"{shown}.", f"({shown})", f"{shown})")[around]
