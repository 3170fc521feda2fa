"""What time is it? Time is passed in, never read directly, so that a year of crawling can run in a
test.

`SystemClock` reads the wall clock once and counts on with the monotonic clock: a wall clock that
jumps while a crawl runs cannot shorten a site's delay. Persisted times are unix seconds.
"""

import asyncio
import math
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Unix seconds; never goes back within one process."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Return when the event is set or the seconds have passed, whichever is first."""
        ...


class SystemClock:
    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return self._offset + time.monotonic()

    def not_before(self, when: float) -> float:
        """Go on from a time that was written down: a wall clock that was set back between two runs
        must not put every stored time into the future. Returns the seconds it was behind."""
        behind = max(0.0, when - self.now())
        self._offset += behind
        return behind

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return


def as_datetime(unix_seconds: float) -> datetime:
    return datetime.fromtimestamp(unix_seconds, UTC)


def iso(unix_seconds: float) -> str:
    """`2026-11-15T21:47:50Z`, as WARC and logs write it."""
    return _iso_of_second(math.floor(unix_seconds))


@lru_cache(16)  # many are of one second
def _iso_of_second(unix_seconds: int) -> str:
    return as_datetime(unix_seconds).strftime("%Y-%m-%dT%H:%M:%SZ")
