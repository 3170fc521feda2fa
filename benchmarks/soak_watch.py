"""How does a crawl stand, seen from outside? Memory, descriptors, threads and disk, look by look;
and whether they stay flat.

The first tenth of the way is warm-up: caches and write buffers of a fixed size fill. After it the
most that was seen in the second half of the way may be a quarter more than in the first half.
Descriptors of the table's files are told apart: there are more of them as the table grows, up to
the number that RocksDB is allowed, and they say nothing about a leak.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.process_tree import pss_bytes, tree

WARM_UP = 0.1
MOST_GROWTH = 1.25
_TABLE_FILE = ".sst"


class Look(NamedTuple):
    """At one moment. Memory in bytes, as PSS: what processes share counts once."""

    seconds: float
    fetches: int
    tree_bytes: int
    main_bytes: int
    main_rss_bytes: int
    descriptors: int
    """Of the main process, without the table's files."""
    table_descriptors: int
    child_descriptors: int
    threads: int
    """Of the main process."""
    processes: int
    disk_bytes: int


class Trend(NamedTuple):
    """The most that was seen in each half of the way, warm-up left out."""

    first: float
    last: float

    @property
    def ratio(self) -> float:
        return self.last / self.first if self.first else 1.0

    @property
    def is_flat(self) -> bool:
        return self.last <= MOST_GROWTH * self.first


def look(pid: int, seconds: float, fetches: int, directory: Path) -> Look:
    """At a process, all below it, and the directory that it writes to."""
    below = list(tree(pid))[1:]
    main_bytes = pss_bytes(pid)
    open_here = _open_files(pid)
    table = sum(each.endswith(_TABLE_FILE) for each in open_here)
    return Look(
        seconds,
        fetches,
        main_bytes + sum(pss_bytes(child) for child in below),
        main_bytes,
        _status(pid, "VmRSS:") << 10,
        len(open_here) - table,
        table,
        sum(len(_open_files(child)) for child in below),
        _status(pid, "Threads:"),
        1 + len(below),
        _disk_bytes(directory),
    )


def trend(looks: Sequence[Look], measure: Callable[[Look], float]) -> Trend:
    """Halves by fetches, not by time: a slow stretch would weigh too much."""
    end = looks[-1].fetches
    warm = [each for each in looks if each.fetches >= WARM_UP * end]
    first = [measure(each) for each in warm if each.fetches < end / 2]
    last = [measure(each) for each in warm if each.fetches >= end / 2]
    return Trend(max(first, default=0), max(last))


def at(looks: Sequence[Look], share: float) -> Look:
    """The first look when so much of the way was done."""
    end = looks[-1].fetches
    return next(each for each in looks if each.fetches >= share * end)


def _open_files(pid: int) -> list[str]:
    """Where its descriptors lead; none when it has ended."""
    found = []
    try:
        for each in Path(f"/proc/{pid}/fd").iterdir():
            try:
                found.append(str(each.readlink()))
            except OSError:
                continue  # closed since
    except OSError:
        return []
    return found


def _status(pid: int, name: str) -> int:
    """A number of proc(5)'s status; 0 when the process has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(name)), 0)


def _disk_bytes(directory: Path) -> int:
    total = 0
    for place, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH118 - quick
            except OSError:
                continue  # the table drops files as it compacts
    return total
