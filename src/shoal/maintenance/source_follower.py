"""Who follows one's own documents while a collection is served? A process beside `shoal serve`.

It is started where the collection has sources and nobody else writes, and ends with the server,
however that ends. Whoever wants to write is given way to (control/following.py). A crawl without
end follows the sources itself; after any other writer it is started again.
"""

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shoal.control.following import start_following
from shoal.control.own_sources import holds_own
from shoal.errors import ShoalError
from shoal.layout.layout import Layout, is_locked, writer_of
from shoal.layout.sources import rows
from shoal.maintenance.background_thread import Beside
from shoal.store.table import RocksTable

_LOOK_SECONDS = 1.0
_WHILE_WRITTEN_SECONDS = 10.0
"""Between two looks for sources that a running crawl was told to read."""
_AFTER_A_FAULT_SECONDS = 60.0
_ENDING_SECONDS = 30.0


class SourceFollower(Beside):
    """`with SourceFollower(directory, found):` it goes on in a thread until the end of the block.
    `found` is called when there are documents of people's own; `follows`: they are followed."""

    def __init__(self, directory: Path, found: Callable[[], None], *, follows: bool = True) -> None:
        super().__init__("sources")
        self._layout = Layout(directory)
        self._found = found
        self._follows = follows
        self._process: subprocess.Popen[bytes] | None = None
        self._has_sources = self._has_own = False
        self._written = self._looked_s = 0.0
        """When somebody last wrote, as it was when that was looked at, and when that was."""
        self._not_before_s = 0.0

    def look(self) -> None:
        """Start it if it is due."""
        if self._process is not None and self._process.poll() is None:
            return
        if self._process is not None:
            if self._process.returncode:
                self._not_before_s = time.monotonic() + _AFTER_A_FAULT_SECONDS
            self._bury(self._process)
        if self._may_have_changed():
            self._has_sources = has_sources(self._layout)
            if not self._has_own and holds_own(self._layout.directory):
                self._has_own = True
                self._found()
        is_due = self._has_sources and self._follows and time.monotonic() >= self._not_before_s
        if is_due and not is_locked(self._layout):
            self._process = start_following(self._layout)

    def _may_have_changed(self) -> bool:
        """To open the table costs more than to see that nobody has written since."""
        try:
            written = self._layout.lock.stat().st_mtime
        except OSError:
            return False
        now_s, is_written = time.monotonic(), is_locked(self._layout)
        is_soon = now_s < self._looked_s + _WHILE_WRITTEN_SECONDS
        if written == self._written and (is_soon or not is_written):
            return False
        self._written, self._looked_s = written, now_s
        return True

    def _run(self) -> None:
        while not self._over.is_set():
            with suppress(ShoalError, OSError):  # a collection that is being replaced
                self.look()
            self._soon.wait(_LOOK_SECONDS)
            self._soon.clear()

    def _end(self) -> None:
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        try:
            process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:  # what it has committed stays
            process.kill()
            process.wait()
        self._process = None

    def _bury(self, process: "subprocess.Popen[bytes]") -> None:
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        self._process = None


def has_sources(layout: Layout) -> bool:
    if not layout.exists():
        return False
    with RocksTable(layout.table, reader=True) as table:
        return next(rows(table), None) is not None


def why_not_followed(directory: Path) -> str:
    """What a person is told who serves sources that another process keeps from being followed;
    empty where none does."""
    layout = Layout(directory)
    if not is_locked(layout) or not has_sources(layout):
        return ""
    return (
        f"{writer_of(layout)} is writing to {directory}; its sources are followed from here when "
        "that has ended."
    )
