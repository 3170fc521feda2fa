"""What goes on behind `shoal serve`? The index is brought up to date, and links are ranked again.

Both in processes of their own, so that nobody's search waits for them, and only while it is nobody
else's work: a running crawl has its index process, and whoever ranks holds the graph's lock.
"""

import subprocess
from contextlib import suppress
from pathlib import Path

from shoal.collection.view import TabletView
from shoal.engine.rank_upkeep import BackgroundRanking
from shoal.errors import ShoalError
from shoal.indexer.index_child import command_of
from shoal.layout.index_state import is_behind
from shoal.layout.layout import Layout, is_given_way, is_locked
from shoal.layout.snapshot import read_snapshot, status_of
from shoal.maintenance.background_thread import Beside

_LOOK_SECONDS = 5.0
_LOOKS_BETWEEN_RANKINGS = 12


class Upkeep(Beside):
    """`with Upkeep(directory):` it goes on in a thread until the end of the block."""

    def __init__(self, directory: Path) -> None:
        super().__init__("upkeep")
        self._directory = directory
        self._ranking = BackgroundRanking(directory)
        self._indexing: subprocess.Popen[bytes] | None = None

    def look(self, *, also_rank: bool) -> None:
        """Start what is due. A running crawl sees to its own index, and opening the table beside it
        would hold up everybody's answers for a moment, again and again."""
        layout = Layout(self._directory)
        is_followed = is_given_way(layout)  # whoever follows the sources sees to the index
        if is_followed and not also_rank:
            return
        if is_locked(layout) and not is_followed:
            running = read_snapshot(layout.status) if also_rank else None
            if running is not None:
                self._ranking.look(status_of(self._directory, running).answered)
            return
        with TabletView(self._directory) as collection:
            if not collection.is_running() and is_behind(collection.layout, collection.table):
                self._index(collection.layout)
            if also_rank:
                self._ranking.look(collection.status().answered)

    def _index(self, layout: Layout) -> None:
        if self._indexing is not None and self._indexing.poll() is None:
            return
        self._indexing = start_indexing(layout)

    def _run(self) -> None:
        looks = 0
        while not self._over.is_set():
            with suppress(ShoalError):  # a collection that is being replaced; the next look will do
                self.look(also_rank=looks % _LOOKS_BETWEEN_RANKINGS == 0)
            looks += 1
            self._soon.wait(_LOOK_SECONDS)
            self._soon.clear()

    def _end(self) -> None:
        self._ranking.close()
        if self._indexing is not None:
            self._indexing.terminate()  # what it has committed stays
            self._indexing.wait()


def start_indexing(layout: Layout) -> "subprocess.Popen[bytes]":
    """A process that brings the index of a collection up to date, and ends."""
    process = subprocess.Popen(  # noqa: S603 - the command is ours
        command_of(layout),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,  # Ctrl-C is the server's, who ends it
    )
    if process.stdin is not None:
        with suppress(OSError), process.stdin as order:
            order.write(b"finish\n")
    return process
