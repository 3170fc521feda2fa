"""What goes on behind `shoal serve` of a cluster? While nobody runs it, the indexes of its tablets
are brought up to date, one after another, each in a process of its own.

A running cluster has its index processes. Whoever takes a tablet over meanwhile makes its directory
from this one, where an index is whole or not there: nothing is lost but the work.
"""

import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from shoal.collection.collection import Collection
from shoal.collection.view import TabletView
from shoal.errors import ShoalError
from shoal.layout.index_state import is_behind
from shoal.layout.layout import Layout
from shoal.maintenance.background_thread import Beside
from shoal.maintenance.upkeep import start_indexing

_LOOK_SECONDS = 5.0
_ENDED_SECONDS = 0.1

Reading = Callable[[], AbstractContextManager[Collection]]


class ClusterUpkeep(Beside):
    """`with ClusterUpkeep(reading, is_running):` it goes on in a thread until the end of the
    block."""

    def __init__(self, reading: Reading, is_running: Callable[[], bool]) -> None:
        super().__init__("cluster-upkeep")
        self._reading = reading
        self._is_running = is_running
        self._indexing: subprocess.Popen[bytes] | None = None

    def look(self) -> None:
        """Do what is due."""
        if self._is_running():
            return
        with self._reading() as held:
            tablets = held.tablets
            places = [place for place in tablets.ask_all(behind) if place is not None]
        for directory, data in places:
            if self._over.is_set() or self._is_running():
                return
            self._index(Layout(Path(directory), Path(data)))

    def _index(self, layout: Layout) -> None:
        self._indexing = start_indexing(layout)
        while self._indexing.poll() is None and not self._over.wait(_ENDED_SECONDS):
            pass

    def _run(self) -> None:
        while not self._over.is_set():
            with suppress(ShoalError, OSError):  # nobody started it yet; the next look will do
                self.look()
            self._soon.wait(_LOOK_SECONDS)
            self._soon.clear()

    def _end(self) -> None:
        if self._indexing is not None:
            self._indexing.terminate()  # what it has committed stays
            self._indexing.wait()


def behind(collection: TabletView) -> tuple[str, str] | None:
    """A question: where a tablet lies whose index is not up to date, when nobody writes it."""
    if collection.is_running() or not is_behind(collection.layout, collection.table):
        return None
    return str(collection.layout.directory), str(collection.layout.data)
