"""Who takes in what hubs push while no crawl runs? A thread of `shoal serve`.

A running crawl looks into its inbox once a second. While none runs, what a hub has delivered would
wait there for the next one, so the server opens the collection for the moment that it takes, and
has the index brought up to date. Deliveries that come meanwhile are taken together.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shoal.config import Config, load
from shoal.engine.engine import Engine
from shoal.errors import ShoalError
from shoal.layout.layout import Layout, is_locked
from shoal.loop import run
from shoal.maintenance.background_thread import Beside
from shoal.sources.inbox import Inbox, Push

_LOOK_SECONDS = 10.0
"""Without a delivery: of what came while a crawl ran that has ended since, or an earlier server."""
_MOST_ROUNDS = 50
"""Of a hundred articles each; what is left then is read by the next crawl."""


def deliver(directory: Path) -> None:
    """Take in what hubs have pushed, while no crawl runs; `Busy` when one does. Other orders stay
    for the next crawl."""
    run(_take_in(directory, load(directory, {"crawl.children": 1}, os.environ)))


async def _take_in(directory: Path, config: Config) -> None:
    engine = Engine(directory, config, at_rest=True)
    try:
        inbox, injecting, crawl = Inbox(engine.layout.inbox), engine.injecting(), engine.crawl()
        pushes = [(name, each) for name, each in inbox.take() if isinstance(each, Push)]
        for _, command in pushes:
            await injecting.take_push(command, inbox.body_of(command))
        for _ in range(_MOST_ROUNDS):
            if not await injecting.inject_waiting(crawl):
                break
        engine.sync()
        for name, _ in pushes:
            inbox.done(name)
    finally:
        await engine.close()


class Carrier(Beside):
    """`with Carrier(…):` it goes on in a thread until the end of the block. It looks when `pushed`
    is set, and calls `then` after something was taken in."""

    def __init__(self, directory: Path, pushed: threading.Event, then: Callable[[], None]) -> None:
        super().__init__("carrier")
        self._directory = directory
        self._soon = pushed
        self._then = then

    def look(self) -> None:
        """Carry out what waits, if it is upon us."""
        layout = Layout(self._directory)
        if Inbox(layout.inbox).pushed_bytes() and not is_locked(layout):
            deliver(self._directory)
            self._then()

    def _run(self) -> None:
        while not self._over.is_set():
            with suppress(ShoalError):  # a crawl that has just started; it looks there itself
                self.look()
            self._soon.wait(_LOOK_SECONDS)
            self._soon.clear()
