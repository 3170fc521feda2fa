"""A clock that a test turns by hand."""

import asyncio


class FakeClock:
    """A clock that a test turns. Waiting for an event turns it on by itself."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        await asyncio.sleep(0)
        if not event.is_set():
            self.advance(seconds)
