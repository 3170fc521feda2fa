"""Which of these named texts say nearly the same? Discovery over more texts than memory holds.

Texts are read once and not kept, names go to a file without a name of its own; in memory are a few
bytes for each document (duplicates/pairs/discovery.py, duplicates/pairs/clusters.py).
"""

import os
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO, Generic, NamedTuple, TypeVar

from shoal.duplicates.pairs.clusters import clusters
from shoal.duplicates.pairs.discovery import Pair, Progress
from shoal.files.deduping import Comparison, near_pairs

Said = TypeVar("Said")
Named = tuple[str, str]
"""A name and a text."""


class NameWithin(str):
    """Of a document within another one: a group is headed by it only where it has nothing else."""

    __slots__ = ()


class NamedPair(NamedTuple):
    a: str
    b: str
    resemblance: float


Admits = Callable[[NamedPair], bool]
"""Whether a pair counts, by its names too."""


class NamedThings(Generic[Said]):
    """Texts, or what stands for them, that are compared by `pairs` or by `clusters`, one of them
    and once."""

    def __init__(
        self,
        things: Iterable[tuple[str, Said]],
        near: Callable[[Iterable[Said]], Iterable[Pair]],
        progress: Progress | None = None,
        admits: Admits | None = None,
    ) -> None:
        self.number = 0
        """Of those that were read so far."""
        self._things = things
        self._near = near
        self._progress = progress
        self._admits = admits

    def pairs(self) -> Iterator[NamedPair]:
        """Each pair once, in the order of the texts. Of a great group not every pair is told."""
        with tempfile.TemporaryFile() as file:
            names = _Names(file)
            for a, b, alike in self._found(names):
                yield NamedPair(names[a], names[b], alike)

    def clusters(self) -> Iterator[list[str]]:
        """Groups of two and more, largest first; each in the order of the texts, those within
        others last."""
        with tempfile.TemporaryFile() as file:
            names = _Names(file)
            pairs = self._found(names)
            first = list(islice(pairs, 1))  # all texts are read before it comes
            found = clusters(chain(first, pairs), self.number)
            for group in sorted(found, key=len, reverse=True):
                yield [names[each] for each in sorted(group, key=names.is_within)]

    def _found(self, names: "_Names") -> Iterator[Pair]:
        admits = self._admits
        for a, b, alike in self._near(self._read(names)):
            if admits is None or admits(NamedPair(names[a], names[b], alike)):
                yield a, b, alike

    def _read(self, names: "_Names") -> Iterator[Said]:
        for name, said in self._things:
            names.add(name)
            self.number += 1
            yield said
            if self._progress is not None:
                self._progress("reading", self.number, 0)


class NamedTexts(NamedThings[str]):
    def __init__(
        self,
        texts: Iterable[Named],
        by: Comparison,
        progress: Progress | None = None,
        admits: Admits | None = None,
    ) -> None:
        super().__init__(texts, lambda texts: near_pairs(texts, by, progress), progress, admits)


class _Names:
    """Names by number, on disk."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._places = array("Q", [0])
        self._within = bytearray()

    def is_within(self, number: int) -> bool:
        return bool(self._within[number])

    def add(self, name: str) -> None:
        self._within.append(isinstance(name, NameWithin))
        data = name.encode("utf-8", "surrogateescape")
        self._file.write(data)
        self._places.append(self._places[-1] + len(data))

    def __getitem__(self, number: int) -> str:
        self._file.flush()
        start, end = self._places[number], self._places[number + 1]
        data = os.pread(self._file.fileno(), end - start, start)
        return data.decode("utf-8", "surrogateescape")
