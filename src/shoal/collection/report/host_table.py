"""How do the hosts stand, a page at a time? Sorted by a column, bounded however many there are."""

from collections.abc import Callable, Iterator
from heapq import nsmallest
from itertools import islice

from shoal.collection.collection import Collection
from shoal.collection.report.hosts import HostLine, host_lines
from shoal.errors import UsageError
from shoal.model.record import Struct

PAGE_SIZE = 50
MOST_PAGES = 200
_MOST_LOOKED_AT = 20_000

Key = Callable[[HostLine], "tuple[float | str, ...]"]

SORTS: dict[str, Key] = {
    "host": lambda line: (line.host, line.site),
    "state": lambda line: (line.state, line.host),
    "waiting": lambda line: (-line.waiting, line.host),
    "fetched": lambda line: (-line.fetched, line.host),
    "failed": lambda line: (-line.failed, line.host),
    "delay": lambda line: (-line.delay_seconds, line.host),
}


class HostPage(Struct):
    hosts: list[HostLine]
    page: int
    has_more: bool
    looked_at: int
    is_whole: bool
    """Whether all sites were looked at; else the first ones."""


def host_page(
    collection: Collection, sort: str = "waiting", page: int = 1, name: str = "", state: str = ""
) -> HostPage:
    """`name`: only hosts whose label contains it; `state`: only those in it."""
    if sort not in SORTS:
        raise UsageError(f"{sort[:40]!r} is no column to sort by; there are: {', '.join(SORTS)}")
    seen = _Seen(host_lines(collection))
    lines = (
        line
        for line in seen
        if name.lower() in line.host.lower() and (not state or line.state == state)
    )
    upto = nsmallest(page * PAGE_SIZE + 1, lines, key=SORTS[sort])
    shown = upto[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    has_more = len(upto) > page * PAGE_SIZE and page < MOST_PAGES
    return HostPage(shown, page, has_more, seen.count, seen.is_whole)


class _Seen:
    """The first lines, and how many they were."""

    def __init__(self, lines: Iterator[HostLine]) -> None:
        self._lines = lines
        self.count = 0
        self.is_whole = True

    def __iter__(self) -> Iterator[HostLine]:
        for line in islice(self._lines, _MOST_LOOKED_AT):
            self.count += 1
            yield line
        self.is_whole = next(self._lines, None) is None
