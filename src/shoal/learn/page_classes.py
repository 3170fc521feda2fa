"""Which classes has one page? What a trained model says, without the library that trains it.

Reader processes ask for a page at a time, and may open nothing by then. Classes are paths; models
of the leaves and of each level above them have opinions, which are made one and then a chance
(mixing.py says how the weights come about).

_learn.c does `plain_said` where it could be compiled; tests hold the two together.
"""

import math
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from shoal.learn.chances import sigmoid
from shoal.learn.stored import read
from shoal.learn.words import MOST_CHARS, WordCounter
from shoal.model.record import Struct

CONSTANT = 0.1
"""What every document has: how often a class comes, where little else is known."""
MOST_LEVELS = 12
_HALF = 2
_FAR = 700.0


class StoredClasses(Struct, array_like=True):
    classes: list[str]
    exclusive: bool
    """Whether every example had one class."""
    examples: int
    keys: bytes
    """Of the features, in order (uint32)."""
    rareness: bytes
    """How much the rareness of each counts (float32)."""
    tables: list[bytes]
    """Of leaves, then of each level from the top: weights (float16), the constant's last."""
    weights: list[float]
    """How much each table's opinion counts."""
    place: float


class Found(NamedTuple):
    """A class and how likely it is."""

    name: str
    chance: float


class Level(NamedTuple):
    names: list[str]
    of_class: list[int]
    """For each class the place of what it is at this level."""


def page_parts(url: str, title: str, headings: str, text: str) -> dict[str, str]:
    """What a page is judged by. A title's words are words of the text, too, and count for more. The
    host is left out: it teaches nothing about other sites."""
    path = url.partition("//")[2].partition("/")[2]
    whole = f"{title}\n{text}" if text else ""
    return {"text": whole, "title": title, "headings": headings, "url": path}


def ways_above(name: str) -> Iterator[str]:
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def levels_of(classes: Sequence[str]) -> list[Level]:
    """The leaves, then the levels above them from the top, as far as they are others."""
    found = [Level(list(classes), list(range(len(classes))))]
    deepest = max((name.count("/") + 1 for name in classes), default=1)
    for depth in range(1, min(deepest, MOST_LEVELS)):
        cut = ["/".join(name.split("/")[:depth]) for name in classes]
        names = sorted(set(cut))
        if 1 < len(names) < len(classes):
            place = {name: number for number, name in enumerate(names)}
            found.append(Level(names, [place[each] for each in cut]))
    return found


def with_above(
    classes: Sequence[str], chances: Sequence[float], *, exclusive: bool
) -> dict[str, float]:
    """With what stands above the classes: as likely as all below together, or where several may be
    true as the likeliest."""
    found: dict[str, float] = {}
    for name, chance in zip(classes, chances, strict=True):
        for each in (name, *ways_above(name)):
            before = found.get(each, 0.0)
            found[each] = min(1.0, before + chance) if exclusive else max(before, chance)
    return found


def accepted(chances: Mapping[str, float], accept: float, most: int = 8) -> list[Found]:
    """The classes that are likely enough, the likeliest first; of a way down only its end."""
    found = {name: chance for name, chance in chances.items() if chance >= accept}
    above = {name for each in found for name in ways_above(each)}
    ends = [Found(name, chance) for name, chance in found.items() if name not in above]
    ends.sort(key=lambda each: (-each.chance, each.name))
    return ends[:most]


def plain_said(  # noqa: PLR0913 - as the C takes them
    keys: bytes,
    values: bytes,
    known: bytes,
    rareness: bytes,
    tables: tuple[bytes, ...],
    constant: float,
) -> list[list[float]]:
    """What each table says of one document: a number for each of its outputs."""
    places, rare = memoryview(known).cast("I"), memoryview(rareness).cast("f")
    weighed: list[tuple[int, float]] = []
    for key, value in zip(memoryview(keys).cast("I"), memoryview(values).cast("f"), strict=True):
        column = bisect_left(places, key)
        if column < len(places) and places[column] == key:
            weighed.append((column, value * rare[column]))
    length = math.sqrt(1e-12 + sum(value * value for _, value in weighed))
    rows, found = len(places) + 1, []
    for table in tables:
        outputs = len(table) // _HALF // rows
        row = struct.Struct(f"<{outputs}e")
        sums = [each * constant for each in row.unpack_from(table, (rows - 1) * row.size)]
        for column, value in weighed:
            for output, weight in enumerate(row.unpack_from(table, column * row.size)):
                sums[output] += weight * value / length
        found.append(sums)
    return found


try:
    from shoal.learn._learn import said as _said
except ImportError:  # pragma: no cover - where there was no compiler
    _said = plain_said


class PageClasses:
    """Of one model; `weights` are those of parts that its examples were made with."""

    def __init__(self, stored: StoredClasses) -> None:
        self._stored = stored
        self._tables = tuple(stored.tables)
        self._levels = levels_of(stored.classes)
        rows = len(stored.keys) // 4 + 1
        sizes = [rows * len(level.names) * _HALF for level in self._levels]
        if [len(table) for table in self._tables] != sizes or len(stored.weights) != len(sizes):
            raise ValueError("its tables are not those of its classes")
        if len(stored.rareness) != len(stored.keys) or len(stored.keys) % 4:
            raise ValueError("its features are not whole")
        self._counter = WordCounter()

    @classmethod
    def from_bytes(cls, data: bytes) -> "PageClasses":
        """Raises DamagedError on what a classifier's `to_bytes` did not make."""
        return read(StoredClasses, data, cls)

    def chances(self, parts: Mapping[str, str]) -> dict[str, float]:
        """Of every class, and of what stands above it."""
        stored = self._stored
        given = tuple(
            (text[:MOST_CHARS], zlib.crc32(name.encode()), 1.0) for name, text in parts.items()
        )
        keys, values = self._counter.count(given)
        told = _said(keys, values, stored.keys, stored.rareness, self._tables, CONSTANT)
        mixed = [stored.place] * len(stored.classes)
        for level, scores, weight in zip(self._levels, told, stored.weights, strict=True):
            highest = max(scores, default=0.0) if stored.exclusive else 0.0
            for place, above in enumerate(level.of_class):
                mixed[place] += (scores[above] - highest) * weight
        chances = _exclusive(mixed) if stored.exclusive else [sigmoid(each) for each in mixed]
        return with_above(stored.classes, chances, exclusive=stored.exclusive)

    def likeliest(self, parts: Mapping[str, str]) -> int:
        """The place of the class that the leaves' own table says most for."""
        stored = self._stored
        given = tuple(
            (text[:MOST_CHARS], zlib.crc32(name.encode()), 1.0) for name, text in parts.items()
        )
        keys, values = self._counter.count(given)
        tables = self._tables[:1]
        (told,) = _said(keys, values, stored.keys, stored.rareness, tables, CONSTANT)
        return max(range(len(told)), key=told.__getitem__, default=0)

    def classify(self, parts: Mapping[str, str], accept: float = 0.5) -> list[Found]:
        return accepted(self.chances(parts), accept)


def _exclusive(scores: Sequence[float]) -> list[float]:
    highest = max(scores, default=0.0)
    powers = [math.exp(max(-_FAR, each - highest)) for each in scores]
    total = sum(powers)
    return [each / total for each in powers]
