"""How do items get from one tablet to another? A sender per target, over any pipe that may fail.

One delivery at a time is under way to each target; the next begins where the receiver said that it
is, and after a moment, so that it carries much: a call costs more than what is in it. The moment is
longer when there are many targets, and when the receiver says that it has enough to do. An answer
that is lost, a delivery that comes twice or late, a receiver that was restored to an earlier state:
in each case the next answer says from where to go on, and what has had its effect is passed over
(outbox.py). Items that a receiver has, but not yet for good, are asked about again until it says
so.
"""

import asyncio
from collections.abc import Awaitable, Callable

from shoal.cluster.outbox import Outbox
from shoal.model.messages import Delivery, Receipt

Pipe = Callable[[Delivery], Awaitable[Receipt]]
"""Brings a delivery to its target; raises whatever it likes when it could not."""

MOST_ITEMS = 500
MOST_BYTES = 1 << 20
_SHORTEST_PAUSE_SECONDS = 0.05
_LONGEST_PAUSE_SECONDS = 2.0
_MOMENT_SECONDS = 1.0
_MOMENT_OF_BUSY_SECONDS = 3.0
_MOMENT_PER_TARGET_SECONDS = 0.05
_LONGEST_MOMENT_SECONDS = 10.0
_PATIENCE_SECONDS = 30.0


class Sender:
    """Empties an outbox until it is cancelled."""

    def __init__(self, outbox: Outbox, pipe: Pipe) -> None:
        self._outbox = outbox
        self._pipe = pipe
        self._news = asyncio.Event()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self.failures = 0
        """Deliveries in a row, to any target, that did not come through."""
        outbox.on_new = self._news.set

    async def run(self) -> None:
        try:
            while True:
                for target in self._outbox.targets():
                    if target not in self._tasks or self._tasks[target].done():
                        self._tasks[target] = asyncio.create_task(self._serve(target))
                self._news.clear()
                await self._news.wait()
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _serve(self, target: int) -> None:
        """Until nothing waits for the target any more."""
        start, pause = self._outbox.freed(target), _SHORTEST_PAUSE_SECONDS
        while self._outbox.depth_for(target):
            items = self._outbox.after(target, start, MOST_ITEMS, MOST_BYTES)
            delivery = Delivery(self._outbox.number, target, start, items)
            try:
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    receipt = await self._pipe(delivery)
            except Exception:  # noqa: BLE001 - whatever a pipe does wrong, it is tried again
                self.failures += 1
                receipt = None
            if receipt is None:
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
                await asyncio.sleep(pause)
                continue
            self.failures = 0
            self._outbox.free(target, receipt.durable)
            start, pause = receipt.applied, _SHORTEST_PAUSE_SECONDS
            if len(items) < MOST_ITEMS or receipt.applied < items[-1][0]:
                await asyncio.sleep(moment_seconds(len(self._outbox.targets()), receipt.busy))


def moment_seconds(targets: int, busy: bool) -> float:
    """Between two deliveries to one of so many targets."""
    least = _MOMENT_OF_BUSY_SECONDS if busy else _MOMENT_SECONDS
    return min(max(_MOMENT_PER_TARGET_SECONDS * targets, least), _LONGEST_MOMENT_SECONDS)
