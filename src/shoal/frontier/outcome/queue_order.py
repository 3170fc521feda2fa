"""In which order does a crawl go? By levels of priority; the first is a person's wish.

Within a level breadth first takes what came first and depth first what came last. By importance the
value decides there, too: it stands in the upper bits of the number that otherwise tells arrival
alone, so that a queue is in the order of values as finely as they can be told, and what was queued
in another order stays where it is.
"""

from dataclasses import dataclass

from shoal.frontier.state.rows import (
    REVISIT,
)

DEFAULT_PRIORITY = 0.5


URGENT = 1.0
"""The priority of a person's wish."""
FIRST = 0.999
"""The priority of a seed, in a crawl by importance."""

_REVERSED = (1 << 63) - 1
_ARRIVAL_BITS = 42
"""Milliseconds, until the year 2109."""
_ARRIVAL = (1 << _ARRIVAL_BITS) - 1
_VALUES = (1 << 21) - 1


@dataclass(frozen=True)
class Order:
    """In which order a crawl goes."""

    levels: int
    depth_first: bool = False
    by_value: bool = False
    """Whether the value decides within a level, too."""
    newest_first: bool = False
    """Among equal values, but of seeds and wishes."""

    def level_of(self, priority: float) -> int:
        """The first level is for a person's wish alone: so it is next at its site."""
        if priority >= URGENT:
            return 0
        below = int((URGENT - priority) * (self.levels - 1))
        return min(self.levels - 1, 1 + below)

    def front_level(self, level: int) -> int:
        """A site with revisits stands where one with new URLs of no special value does: what a
        revisit is worth was said by its date."""
        if level > REVISIT:
            return self.level_of(DEFAULT_PRIORITY)
        return 1 if level == REVISIT else level


class Arrivals:
    """Numbers the queue entries: the lower comes first on its level."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self._last = 0

    def number(self, priority: float, now: float) -> int:
        """Later is more, also after a restart; for depth first it is less."""
        order = self.order
        if not order.by_value:
            self._last = max(self._last + 1, round(now * 1_000_000))
            return _REVERSED - self._last if order.depth_first else self._last
        self._last = max(self._last + 1, round(now * 1_000))
        newest_first = order.newest_first and priority < FIRST
        return moved(-self._last if newest_first else self._last, priority)


def moved(number: int, priority: float) -> int:
    """The number of an entry whose value is another now; it still came when it came."""
    return behind(priority) << _ARRIVAL_BITS | number & _ARRIVAL


def value_of(number: int) -> float:
    """The value that an entry's number tells, by importance."""
    return URGENT - (number >> _ARRIVAL_BITS) / _VALUES


def behind(priority: float) -> int:
    """How far a value is from the highest, in the smallest steps that an entry can tell."""
    return round((URGENT - min(max(priority, 0.0), URGENT)) * _VALUES)
