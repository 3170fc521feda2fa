"""Whose turn is it, of the sites that stand ready? A heap per standing, on when each may be asked.

The best standing comes first (credit.py). What stands behind is asked when nothing better is ready,
and while better sites only wait for their delay that is nearly always: a farm of hosts would use up
the page limit of a crawl meanwhile. So with a limit, a share of it is all that is asked out of
turn; after that, what stands behind waits until nothing better is in flight or due soon.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf

from shoal.frontier.schedule.sites import ActiveSite

SOON_SECONDS = 30.0
"""A site that must wait longer gives its slot to another."""
_OUT_OF_TURN = 0.25
"""Of the page limit."""


class Turns:
    def __init__(self, standings: int, max_pages: int | None) -> None:
        self._heaps: list[list[tuple[float, int, ActiveSite]]] = [[] for _ in range(standings)]
        self._requested = [0] * standings
        """Sites that are being asked just now."""
        self._left = inf if max_pages is None else int(_OUT_OF_TURN * max_pages)
        self._tie = count()

    def add(self, active: ActiveSite, when: float) -> None:
        heappush(self._heaps[active.standing], (when, next(self._tie), active))

    def pop(self, now: float) -> ActiveSite | None:
        """The next site whose time has come; it may have been retired since it was added."""
        for standing, heap in enumerate(self._heaps):
            if heap and heap[0][0] <= now:
                return heappop(heap)[2]
            if self._left <= 0 and self._comes_soon(standing, now):
                return None
        return None

    def retime(self, when_of: Callable[[ActiveSite], float]) -> None:
        """Some may be asked earlier than was thought."""
        for heap in self._heaps:
            heap[:] = [(min(when, when_of(each)), tie, each) for when, tie, each in heap]
            heapify(heap)

    def pop_last_behind(self, standing: int) -> ActiveSite | None:
        """One of the latest of those that stand behind it, unless somebody waits for that one."""
        for heap in reversed(self._heaps[standing + 1 :]):
            if heap and not heap[-1][2].errands:
                return heap.pop()[2]
        return None

    def begin(self, active: ActiveSite, now: float) -> None:
        """It is about to be asked."""
        if any(self._comes_soon(standing, now) for standing in range(active.standing)):
            self._left -= 1
        self._requested[active.standing] += 1

    def end(self, active: ActiveSite) -> None:
        self._requested[active.standing] -= 1

    def ready_count(self, now: float) -> int:
        return sum(1 for heap in self._heaps for when, _, _ in heap if when <= now)

    def next_times(self, now: float) -> list[float]:
        """When the first of each standing may be asked, of those that need not wait for others."""
        times = []
        for standing, heap in enumerate(self._heaps):
            if heap:
                times.append(heap[0][0])
            if self._left <= 0 and self._comes_soon(standing, now):
                break
        return times

    def _comes_soon(self, standing: int, now: float) -> bool:
        heap = self._heaps[standing]
        return self._requested[standing] > 0 or (bool(heap) and heap[0][0] <= now + SOON_SECONDS)
