"""Which number stands before a paragraph of a Word list? It is nowhere written: it is counted.

[MS-DOC] 2.9.131 ff.: a paragraph names a list override (LFO) and a level; the override names a
list and may change its levels or where they start. Paragraphs of one list count on, whichever
override they name; a higher level starts the lower ones again.
"""

import re
import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.converters.writer import roman

BULLET, _NO_NUMBER = 23, 255
_LEVELS = 9
_MOST_LISTS = 5000
_PRIVATE = re.compile("[\ue000-\uf8ff]")


class Level(NamedTuple):
    start: int = 1
    number_format: int = 0
    text: str = ""
    """With characters 0 to 8 for the numbers of these levels."""
    legal: bool = False
    no_restart: bool = False
    restart_after: int = 0


class Marker(NamedTuple):
    text: str
    """Empty for a bullet."""
    depth: int


@dataclass(slots=True)
class _Override:
    list_id: int
    starts: dict[int, int] = field(default_factory=dict)
    levels: dict[int, Level] = field(default_factory=dict)
    begun: set[int] = field(default_factory=set)


class Lists:
    def __init__(self, lists: bytes, overrides: bytes) -> None:
        """Both tables with what follows them."""
        self._levels = _read_lists(lists)
        self._overrides = _read_overrides(overrides)
        self._counts: dict[int, list[int | None]] = {}

    def marker(self, number: int, level: int) -> Marker | None:
        """Of the next paragraph of this list (from 1); None when it is in no list."""
        if not 1 <= number <= len(self._overrides) or not 0 <= level < _LEVELS:
            return None
        override = self._overrides[number - 1]
        levels = [
            override.levels.get(each) or self._level(override.list_id, each)
            for each in range(_LEVELS)
        ]
        counts = self._counts.setdefault(override.list_id, [None] * _LEVELS)
        self._count(override, levels, counts, level)
        own = levels[level]
        if own.number_format == BULLET:
            return Marker("", level + 1)
        return Marker(_text(own, levels, counts), level + 1)

    def _level(self, list_id: int, level: int) -> Level:
        levels = self._levels.get(list_id, [])
        return levels[level] if level < len(levels) else Level(text="")

    @staticmethod
    def _count(
        override: _Override, levels: list[Level], counts: list[int | None], level: int
    ) -> None:
        before = counts[level]
        if level in override.starts and level not in override.begun:
            counts[level] = override.starts[level]
        elif before is None:
            counts[level] = levels[level].start
        else:
            counts[level] = before + 1
        override.begun.add(level)
        for upper in range(level):  # a level that was left out counts as begun
            if counts[upper] is None:
                counts[upper] = override.starts.get(upper, levels[upper].start)
        for lower in range(level + 1, _LEVELS):
            rule = levels[lower]
            if not rule.no_restart or level < rule.restart_after:
                counts[lower] = None


def _text(own: Level, levels: list[Level], counts: list[int | None]) -> str:
    pieces: list[str] = []
    for character in own.text:
        place = ord(character)
        if place >= _LEVELS:
            pieces.append(character)
            continue
        count = counts[place]
        number = levels[place].start if count is None else count
        kind = levels[place].number_format
        if own.legal and kind not in {BULLET, _NO_NUMBER, 22}:
            kind = 0
        pieces.append(written(number, kind))
    return _PRIVATE.sub("", "".join(pieces)).strip()


def written(number: int, kind: int) -> str:
    """A number in one of Word's formats; decimal in those we do not write."""
    if kind in {BULLET, _NO_NUMBER} or number < 0:
        return "" if number >= 0 else str(number)
    if kind in {1, 2} and 0 < number < 32768:
        small = roman(number, 32767)
        return small.upper() if kind == 1 else small
    if kind in {3, 4} and number:
        letter = chr(ord("A") + (number - 1) % 26) * min(30, (number - 1) // 26 + 1)
        return letter if kind == 3 else letter.lower()
    if kind == 5:
        ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{'th' if 10 <= number % 100 <= 20 else ending}"
    if kind == 22:
        return f"{number:02d}"
    if kind == 57:
        return f"- {number} -"
    return str(number)


def _read_lists(table: bytes) -> dict[int, list[Level]]:
    lists: dict[int, list[Level]] = {}
    if len(table) < 2:
        return lists
    count = min(struct.unpack_from("<H", table)[0], _MOST_LISTS, len(table) // 28)
    at = 2 + 28 * count
    for number in range(count):
        head = 2 + 28 * number
        (list_id,) = struct.unpack_from("<i", table, head)
        simple = table[head + 26] & 1 if head + 26 < len(table) else 0
        levels: list[Level] = []
        for _ in range(1 if simple else _LEVELS):
            level, at = _read_level(table, at)
            if level is None:
                return lists
            levels.append(level)
        lists[list_id] = levels
    return lists


def _read_level(table: bytes, at: int) -> tuple[Level | None, int]:
    if at + 30 > len(table):
        return None, at
    start, kind, flags = struct.unpack_from("<iBB", table, at)
    characters, paragraph, restart = table[at + 24], table[at + 25], table[at + 26]
    at += 28 + characters + paragraph
    if at + 2 > len(table):
        return None, at
    (length,) = struct.unpack_from("<H", table, at)
    text = table[at + 2 : at + 2 + 2 * length].decode("utf-16-le", "replace")
    level = Level(start, kind, text, bool(flags & 4), bool(flags & 8), restart)
    return level, at + 2 + 2 * length


def _read_overrides(table: bytes) -> list[_Override]:
    if len(table) < 4:
        return []
    count = min(struct.unpack_from("<I", table)[0], _MOST_LISTS, (len(table) - 4) // 16)
    overrides: list[_Override] = []
    changed: list[int] = []
    for number in range(count):
        (list_id,) = struct.unpack_from("<i", table, 4 + 16 * number)
        overrides.append(_Override(list_id))
        changed.append(table[4 + 16 * number + 12])
    at = 4 + 16 * count
    for override, levels in zip(overrides, changed, strict=True):
        at += 4
        for _ in range(levels):
            if at + 8 > len(table):
                return overrides
            start, flags = struct.unpack_from("<iI", table, at)
            at += 8
            number = flags & 0xF
            if flags & 0x20:
                level, at = _read_level(table, at)
                if level is None:
                    return overrides
                override.levels[number] = level
                start = level.start
            if flags & 0x10:
                override.starts[number] = start
    return overrides
