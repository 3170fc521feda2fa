"""What is this page's rank? Sorted hashes and a number for each, looked up without numpy.

Child processes and searches ask for a few pages at a time: a memory map and a bisection answer in
about a microsecond, and need no library that takes 20 MB and a tenth of a second to load.

Scores are ranks on a scale from 0 to 1: 0 for a page that nobody links to, 1 for the highest, by
the logarithm between them (graph_building.py).
"""

import mmap
import os
from bisect import bisect_left
from collections.abc import Iterable
from math import isqrt
from pathlib import Path

from shoal.graph.generations import SUMMARY, Summary, opened, stamp
from shoal.model.digest import seeded_number
from shoal.model.record import JSON_ERRORS, unpack

_SPREAD = 4
"""Hashes are spread evenly: an even spread's own place is missed by more than this many times the
root of their number only if somebody has forged them, and then the whole is searched."""
_HASH_BITS = 64
UNFETCHED = "unfetched"
RANK_FILES = ("hashes", "scores", UNFETCHED, "site_hashes", "site_scores", SUMMARY)
"""What a `RankFile` reads of a graph."""


class Scores:
    """Of the rows in one pair of files."""

    def __init__(self, hashes: Path, scores: Path, seed: int) -> None:
        self._hashes = _mapped(hashes).cast("Q")
        self._scores = _mapped(scores).cast("f")
        self._seed = seed
        self._reach = _SPREAD * isqrt(len(self._hashes)) + 16

    def __len__(self) -> int:
        return len(self._hashes)

    def of(self, row: bytes) -> float:
        """0 for a row that is not there."""
        hashes = self._hashes
        wanted, count = seeded_number(row, self._seed), len(hashes)
        place = wanted * count >> _HASH_BITS
        low, high = max(0, place - self._reach), min(count, place + self._reach)
        if low and hashes[low] > wanted:
            low = 0
        if high < count and hashes[high] < wanted:
            high = count
        found = bisect_left(hashes, wanted, low, high)
        return self._scores[found] if found < count and hashes[found] == wanted else 0.0


class RankFile:
    """The scores of a finished graph's pages and sites."""

    def __init__(self, directory: Path, summary: Summary) -> None:
        self.summary = summary
        self._pages = Scores(directory / "hashes", directory / "scores", summary.seed)
        self._unfetched = _mapped(directory / UNFETCHED)
        self._sites = Scores(directory / "site_hashes", directory / "site_scores", summary.seed)

    def pages(self, rows: Iterable[bytes]) -> list[float]:
        return list(map(self._pages.of, rows))

    def page(self, row: bytes) -> float:
        return self._pages.of(row)

    def unfetched(self) -> list[bytes]:
        """The rows of the highest scores that were not fetched then, highest first."""
        try:
            return unpack(list[bytes], bytes(self._unfetched))
        except JSON_ERRORS:
            return []  # damaged: `verify` says so

    def site(self, key: bytes) -> float:
        """By the site's key."""
        return self._sites.of(key)


class NewestRanks:
    """The scores of the graph that holds, looked for again at each `refresh`."""

    def __init__(self, directory: Path) -> None:
        """Of graphs, not of one."""
        self._directory = directory
        self._stamp = 0
        self.file: RankFile | None = None

    def refresh(self) -> bool:
        """Whether there are others now; asking costs one look at the file system."""
        now = stamp(self._directory)
        if now == self._stamp:
            return False
        self.file, self._stamp = opened(self._directory, RankFile), now
        return True

    def page(self, row: bytes) -> float:
        return 0.0 if self.file is None else self.file.page(row)


def _mapped(path: Path) -> memoryview:
    """An empty file can't be mapped, and needs no map."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
