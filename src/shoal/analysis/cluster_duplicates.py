"""What does a cluster say twice? All pairs of near-duplicates among the pages of all tablets.

What is compared of a text is its sketch, about a kilobyte: tasks over snapshots of the tablets
(work.py) make them, and more tasks find the pairs (duplicates/pairs/divided.py). Documents are
numbered in row order, so that the answer is that of one collection. Pages of a site are of one
tablet and stand together: so it is enough to know how many each tablet has of each site. Methods
that need the words themselves get the texts, here.
"""

from array import array
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from itertools import groupby
from typing import Any, NamedTuple

from shoal.collection.page import Page
from shoal.collection.slices import Slice, cut
from shoal.collection.view import TabletView
from shoal.duplicates.pairs.discovery import Pair, Progress
from shoal.duplicates.pairs.divided import BYTES_PER_SKETCH, Divided, Found
from shoal.duplicates.pairs.shards import Shards
from shoal.files.deduping import Comparison, discovery_of, text_sketch
from shoal.files.named_texts import Admits, NamedThings
from shoal.fleet.work import TabletQuestions, Work
from shoal.model.urls.rowkey import site_or_row, url_of

_SLICE_BYTES = 16 << 20
"""Sketches of a tablet that a task makes."""

Working = AbstractContextManager[Work]
"""Who does it, for as long as it takes."""


class PagesCompared(NamedThings[None]):
    """The pages of a range of rows, compared by whoever does the work."""

    def __init__(
        self,
        working: Working,
        by: Comparison,
        within: tuple[bytes, bytes],
        progress: Progress | None,
        admits: Admits | None,
    ) -> None:
        self._working = ExitStack()
        self._opening = working
        self._by = by
        self._within = within
        self._search_progress = progress
        self._search: Divided | None = None
        self._minhashes: list[list[Any]] = []
        super().__init__(self._names(), self._pairs, None, admits)

    def _names(self) -> Iterator[tuple[str, None]]:
        """Of all pages, by number; before the first is known all are read."""
        work = self._working.enter_context(self._opening)
        read = _read(work, self._within, self._by.n or 3, self._search_progress)
        sizes = sum(each.size_bytes for each in read)
        found = _numbered(read)
        pages = sum(len(each.numbers) for each in found)
        shards = Shards(pages, work.parts(sizes * BYTES_PER_SKETCH))
        self._search = Divided(work.executor, shards, discovery_of(self._by), self._search_progress)
        self._minhashes = self._search.take(found)
        del read, found
        for row in self._search.names():
            yield url_of(row), None

    def _pairs(self, names: Iterable[None]) -> Iterator[Pair]:
        with self._working:
            for _ in names:
                pass
            if self._search is not None:
                yield from self._search.pairs(self._minhashes)


class _Batch(NamedTuple):
    """What one task has read."""

    runs: list[tuple[bytes, int]]
    """The first row of each site here, and how many of its pages follow in row order."""
    size_bytes: int
    rows: Any
    sketches: Any


def _read(
    work: Work, within: tuple[bytes, bytes], n: int, progress: Progress | None
) -> list[_Batch]:
    """All tablets, a slice of each after the other."""
    first, end = within
    most_bytes = min(_SLICE_BYTES, work.executor.capacity_bytes // 8)
    found, documents = [], 0
    starts = dict.fromkeys(range(len(work.sources)), first)
    while starts:
        given = {number: (start, end, n, most_bytes) for number, start in starts.items()}
        rests: dict[int, bytes] = {}
        for number, (read, rows, sketches) in work.of_tablets(read_sketches, given, 3).items():
            rest, runs, size_bytes = work.executor.fetch(read)
            found.append(_Batch(runs, size_bytes, rows, sketches))
            documents += sum(count for _, count in runs)
            rests[number] = rest
        starts = {number: rest for number, rest in rests.items() if rest}
        if progress is not None:
            progress("reading", documents, 0)
    return found


def _numbered(read: list[_Batch]) -> list[Found]:
    """With the numbers that their rows have among all."""
    runs = sorted(
        (row, batch, at, count)
        for batch, each in enumerate(read)
        for at, (row, count) in enumerate(each.runs)
    )
    begins: list[list[tuple[int, int, int]]] = [[] for _ in read]
    number = 0
    for _, batch, at, count in runs:
        begins[batch].append((at, number, count))
        number += count
    return [
        Found(
            array("I", (begin + each for _, begin, count in sorted(its) for each in range(count))),
            batch.rows,
            batch.sketches,
        )
        for batch, its in zip(read, begins, strict=True)
    ]


# --- tasks ----------------------------------------------------------------------------------


def read_sketches(
    source: TabletQuestions, start: bytes, end: bytes, n: int, most_bytes: int
) -> list[Any]:
    """A slice of a tablet: (where to go on, its sites, bytes); its rows; their sketches."""
    items, rest = source.ask(sketch_slice, start, end, n, most_bytes)
    rows, sketches = [row for row, _ in items], [sketch for _, sketch in items]
    sites = [list(its) for _, its in groupby(rows, key=site_or_row)]
    runs = [(its[0], len(its)) for its in sites]
    return [(rest, runs, sum(map(len, sketches))), rows, sketches]


# --- questions ------------------------------------------------------------------------------


def sketch_slice(
    collection: TabletView, start: bytes, end: bytes, n: int, most_bytes: int
) -> Slice[bytes]:
    """Of the content of every stored page that has any."""
    made = (
        (page.stored.row, text_sketch(page.text, n)) for page in _with_text(collection, start, end)
    )
    return cut(((row, sketch, len(sketch)) for row, sketch in made), most_bytes)


def text_slice(collection: TabletView, start: bytes, end: bytes) -> Slice[str]:
    read = ((page.stored.row, page.text) for page in _with_text(collection, start, end))
    return cut((row, text, len(text)) for row, text in read)


def _with_text(collection: TabletView, start: bytes, end: bytes) -> Iterator[Page]:
    for stored in collection.store.stream(start, end, collection.principal):
        if stored.document.text_chars:
            yield Page(collection, stored)
