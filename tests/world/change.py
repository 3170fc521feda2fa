"""When does a page change?

Each page changes by a Poisson process of its own rate, a function of the seed, over the world's
clock in seconds from 0. The process is drawn block by block (eight events on average), each block
from its own generator, so "which version is current a year from now" costs the same as "right
now": exponential gaps are memoryless, so restarting them at a block's edge leaves the process
Poisson.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.world.chance import Purpose, fraction, stream

_EVENTS_PER_BLOCK = 8
_VERSIONS_PER_BLOCK = 256  # more events than one block can plausibly hold
_SLOWEST_PER_SECOND = 1 / (200 * 86_400)
_FASTEST_PER_SECOND = 1 / 3_600


@dataclass(frozen=True)
class History:
    """The changes of one page: versions grow, but not by one each (they name block and event)."""

    seed: int
    host: int
    page: int
    rate_per_second: float

    def current(self, time_seconds: float) -> tuple[int, float]:
        """The version at this time, and when it appeared; (0, 0.0) is the original."""
        if self.rate_per_second <= 0 or time_seconds <= 0:
            return 0, 0.0
        for block in range(int(time_seconds // self._block_seconds()), -1, -1):
            passed = [when for when in self._events(block) if when <= time_seconds]
            if passed:
                return block * _VERSIONS_PER_BLOCK + len(passed), passed[-1]
        return 0, 0.0

    def between(self, after_seconds: float, until_seconds: float) -> list[float]:
        """The times of all changes in (after, until]."""
        if self.rate_per_second <= 0 or until_seconds <= 0:
            return []
        length = self._block_seconds()
        blocks = range(int(max(after_seconds, 0) // length), int(until_seconds // length) + 1)
        return [
            when
            for block in blocks
            for when in self._events(block)
            if after_seconds < when <= until_seconds
        ]

    def _block_seconds(self) -> float:
        return _EVENTS_PER_BLOCK / self.rate_per_second

    def _events(self, block: int) -> list[float]:
        rng = stream(self.seed, Purpose.CHANGES, self.host, self.page, block)
        length = self._block_seconds()
        events: list[float] = []
        offset = rng.expovariate(self.rate_per_second)
        while offset < length:
            events.append(block * length + offset)
            offset += rng.expovariate(self.rate_per_second)
        return events


def history(seed: int, host: int, page: int, changing_share: float) -> History:
    """The page's own history: still, or at a rate log-uniform from 1 in 200 days to 1 an hour."""
    draw = fraction(seed, Purpose.RATE, host, page)
    if draw >= changing_share:
        return History(seed, host, page, 0.0)
    span = math.log(_FASTEST_PER_SECOND / _SLOWEST_PER_SECOND)
    return History(seed, host, page, _SLOWEST_PER_SECOND * math.exp(span * draw / changing_share))
