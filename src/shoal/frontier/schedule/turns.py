"""Whose turn is it, of the sites that stand ready? A heap per standing, on when each may be asked.

The best standing comes first (credit.py). What stands behind is asked when nothing better is ready,
and while better sites only wait for their delay that is nearly always: a farm of hosts would use up
the page limit of a crawl meanwhile. So with a limit, a share of it is all that is asked out of
turn; after that, what stands behind waits until nothing better is in flight or due soon. A crawl by
importance leaves what stands far behind alone, limit or not, but for a share of its requests.
"""

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf

from shoal.frontier.schedule.sites import ActiveSite

SOON_SECONDS = 30.0
"""A site that must wait longer gives its slot to another."""
_OUT_OF_TURN = 0.25
"""Of the page limit."""
_FAR = 3
"""By importance: standings behind the best that comes, from which on nearly nothing is asked."""
_FAR_SHARE = 0.002
"""Of the requests: so many are asked of those all the same."""
_FAR_AT_ONCE = 10.0


class Turns:
    def __init__(self, standings: int, max_pages: int | None, *, strict: bool = False) -> None:
        """`strict`: what stands far behind is hardly ever asked while something better comes."""
        self._heaps: list[list[tuple[float, int, ActiveSite]]] = [[] for _ in range(standings)]
        self._requested = [0] * standings
        """Sites that are being asked just now."""
        self._left = inf if max_pages is None else int(_OUT_OF_TURN * max_pages)
        self._far = _FAR if strict else standings
        self._far_left = 0.0
        self._tie = count()

    def add(self, active: ActiveSite, when: float) -> None:
        heappush(self._heaps[active.standing], (when, next(self._tie), active))

    def pop(self, now: float) -> ActiveSite | None:
        """The next site whose time has come; it may have been retired since it was added."""
        for heap in self._taken(now):
            if heap[0][0] <= now:
                return heappop(heap)[2]
        return None

    def move(self, active: ActiveSite, standing: int) -> None:
        """It stands elsewhere than when it was added; if it is there, it is there once."""
        heap = self._heaps[active.standing]
        place = next((n for n, each in enumerate(heap) if each[2] is active), None)
        if place is None or standing == active.standing:
            return
        entry, heap[place] = heap[place], heap[-1]
        heap.pop()
        heapify(heap)
        active.standing = standing
        heappush(self._heaps[standing], entry)

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
        better = [each for each in range(active.standing) if self._comes_soon(each, now)]
        self._left -= bool(better)
        self._far_left = min(_FAR_AT_ONCE, self._far_left + _FAR_SHARE)
        if better and active.standing - better[0] >= self._far:
            self._far_left -= 1
        self._requested[active.standing] += 1

    def end(self, active: ActiveSite) -> None:
        self._requested[active.standing] -= 1

    def ready_count(self, now: float) -> int:
        return sum(1 for heap in self._heaps for when, _, _ in heap if when <= now)

    def next_times(self, now: float) -> list[float]:
        """When the first of each standing may be asked, of those that need not wait for others."""
        return [heap[0][0] for heap in self._taken(now)]

    def _taken(self, now: float) -> Iterator[list[tuple[float, int, ActiveSite]]]:
        """The heaps that need not wait for others, best standing first; none that is empty."""
        best: int | None = None
        for standing, heap in enumerate(self._heaps):
            if best is not None:
                is_far = standing - best >= self._far
                if self._left <= 0 or (is_far and self._far_left < 1):
                    return
            if heap:
                yield heap
            if best is None and self._comes_soon(standing, now):
                best = standing

    def _comes_soon(self, standing: int, now: float) -> bool:
        heap = self._heaps[standing]
        return self._requested[standing] > 0 or (bool(heap) and heap[0][0] <= now + SOON_SECONDS)
