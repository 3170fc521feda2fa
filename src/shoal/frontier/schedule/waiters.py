"""Who waits for a site? One task hands sites to all waiting workers, so that a release wakes one of
them and not all.

A worker that is cancelled while it waits gives its site back, if it was handed one at that very
moment.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from shoal.clock import Clock

_LONGEST_NAP_SECONDS = 60.0

Given = TypeVar("Given")


class Waiters(Generic[Given]):
    def __init__(
        self,
        clock: Clock,
        take: Callable[[], Given | None],
        next_ready: Callable[[], float | None],
        is_over: Callable[[], bool],
    ) -> None:
        self._clock = clock
        self._take = take
        self._next_ready = next_ready
        self._is_over = is_over
        self._waiting: deque[asyncio.Future[Given | None]] = deque()
        self._ticker: asyncio.Task[None] | None = None
        self._poke = asyncio.Event()

    async def wait(self, give_back: Callable[[Given], None]) -> Given | None:
        """What `take` gives when it gives something; None when it is over, or who waits is called
        back."""
        waiter: asyncio.Future[Given | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._tick())
        try:
            return await waiter
        except asyncio.CancelledError:
            answered = waiter.done() and not waiter.cancelled() and waiter.exception() is None
            if answered and (given := waiter.result()) is not None:
                give_back(given)
            raise

    def poke(self) -> None:
        """Something changed: look again now."""
        self._poke.set()

    def recall(self) -> None:
        """Whoever waits comes back with nothing, as if nothing were ready."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)

    def close(self) -> None:
        if self._ticker is not None:
            self._ticker.cancel()

    async def _tick(self) -> None:
        try:
            while self._waiting:
                ready = self._next_ready()
                nap = _LONGEST_NAP_SECONDS if ready is None else ready - self._clock.now()
                if nap > 0 and not self._poke.is_set():
                    await self._clock.wait(self._poke, min(nap, _LONGEST_NAP_SECONDS))
                self._poke.clear()
                self.dispatch()
                await asyncio.sleep(0)
        except Exception as error:  # noqa: BLE001 - those who wait are told, or they would wait for ever
            while self._waiting:
                waiter = self._waiting.popleft()
                if not waiter.done():
                    waiter.set_exception(error)

    def dispatch(self) -> None:
        while self._waiting:
            if self._waiting[0].done():
                self._waiting.popleft()
                continue
            given = self._take()
            if given is None and not self._is_over():
                return
            self._waiting.popleft().set_result(given)
