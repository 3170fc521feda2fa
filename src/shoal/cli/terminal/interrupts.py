"""What does Ctrl-C do? Once: finish what is in flight, and end. Twice: end now. Always valid.

SIGTERM counts like Ctrl-C, so that a service manager ends a crawl well. After the second signal the
usual meaning is back: a third one kills, which loses nothing either.
"""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from shoal.engine.running import RunningCrawl

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._running: RunningCrawl | None = None
        self._task: asyncio.Task[object] | None = None
        self.first: signal.Signals | None = None
        """The signal that stopped the crawl, if one did."""

    @property
    def exit_code(self) -> int:
        """By the shell's custom: 128 and the signal's number; 0 when none came."""
        return 0 if self.first is None else 128 + self.first

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Catch signals for the task that runs this block."""
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        for each in _SIGNALS:
            loop.add_signal_handler(each, self._on, each)
        try:
            yield
        finally:
            self._let_go()

    def started(self, running: RunningCrawl) -> None:
        self._running = running
        if self.first is not None:
            running.stop("interrupted")

    def _on(self, came: signal.Signals) -> None:
        if self.first is None:
            self.first = came
            self._say(
                "Stopping: what is in flight is finished and stored; Ctrl-C again stops at once."
            )
            if self._running is not None:
                self._running.stop("interrupted")
            return
        self._say("Stopping at once: what was in flight will be fetched again.")
        self._let_go()
        if self._task is not None:
            self._task.cancel()

    def _let_go(self) -> None:
        loop = asyncio.get_running_loop()
        for each in _SIGNALS:
            loop.remove_signal_handler(each)
