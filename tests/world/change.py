"""When does a page change?

Each page changes by a Poisson process of its own rate, a function of the seed, over the world's
clock in seconds from 0. The process is drawn block by block (eight events on average), each block
from its own generator, so "which version is current a year from now" costs the same as "right
now": exponential gaps are memoryless, so restarting them at a block's edge leaves the process
Poisson.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tests.world.chance import Purpose, fraction, stream

_EVENTS_PER_BLOCK = 8
_VERSIONS_PER_BLOCK = 256  # more events than one block can plausibly hold


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
        return list(self.walk(after_seconds, until_seconds))

    def walk(self, after_seconds: float, until_seconds: float) -> Iterator[float]:
        """The same, one by one: the first is cheap, however late the last."""
        if self.rate_per_second <= 0 or until_seconds <= 0:
            return
        length = self._block_seconds()
        for block in range(int(max(after_seconds, 0) // length), int(until_seconds // length) + 1):
            for when in self._events(block):
                if after_seconds < when <= until_seconds:
                    yield when

    def events_until(self, time_seconds: float) -> list[tuple[int, float]]:
        """(version, time) of every change until then, in order."""
        if self.rate_per_second <= 0 or time_seconds <= 0:
            return []
        blocks = range(int(time_seconds // self._block_seconds()) + 1)
        found = [event for block in blocks for event in self._numbered(block)]
        return [(version, when) for version, when in found if when <= time_seconds]

    def events_of(self, version: int) -> list[tuple[int, float]]:
        """(version, time) of the changes around this one: its own is among them, if it exists."""
        return self._numbered(version // _VERSIONS_PER_BLOCK)

    def _numbered(self, block: int) -> list[tuple[int, float]]:
        first = block * _VERSIONS_PER_BLOCK + 1
        return [(first + number, when) for number, when in enumerate(self._events(block))]

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


def history(
    seed: int, host: int, page: int, changing_share: float, seconds: tuple[float, float]
) -> History:
    """The page's own history: still, or with a mean gap log-uniform between these two."""
    draw = fraction(seed, Purpose.RATE, host, page)
    if draw >= changing_share:
        return History(seed, host, page, 0.0)
    longest, shortest = max(seconds), min(seconds)
    rate = math.exp(math.log(longest / shortest) * draw / changing_share) / longest
    return History(seed, host, page, rate)
