"""Which collection is read? The one that is served, held open over requests of many threads.

A secondary view of the table is opened once: opening takes longer than most answers. Before a read
it is brought up to date, at most once a second, and when the index has committed. When another
generation was put in its place
(`shoal shadow apply`), or another process opened it for writing, the next reader reopens it; the
old view is closed by the last who reads it.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.collection.view import TabletView
from shoal.layout.index_state import index_commit
from shoal.layout.layout import live_data
from shoal.model.principal import Principal

_REFRESH_SECONDS = 1.0
_SOONEST_SECONDS = 0.1
"""When the index has committed something: what it finds now is shown now."""


class _Held:
    """An open collection and how many are reading it."""

    def __init__(self, collection: TabletView) -> None:
        self.collection = collection
        self.readers = 0
        self.refreshed = time.monotonic()
        self._writer = _writer_of(collection.layout.data)
        self._indexed = index_commit(collection.layout)

    def is_young(self) -> bool:
        """Whether nobody would miss what was written since it was last brought up to date."""
        age = time.monotonic() - self.refreshed
        if age >= _REFRESH_SECONDS:
            return False
        return age < _SOONEST_SECONDS or self._indexed == index_commit(self.collection.layout)

    def refresh(self) -> None:
        self._indexed = index_commit(self.collection.layout)
        self.collection.refresh()
        self.refreshed = time.monotonic()

    def is_of(self, data: Path) -> bool:
        """Whether it shows these data, as the same process writes them. A view that was opened
        under one writer may keep what that one wrote last, over what the next one writes."""
        return self.collection.layout.data == data and self._writer == _writer_of(data)


def _writer_of(data: Path) -> bytes:
    """RocksDB names another manifest here each time that the table is opened for writing."""
    try:
        return (data / "table" / "CURRENT").read_bytes()
    except OSError:
        return b""


class Served:
    """One tablet."""

    def __init__(self, directory: Path, principal: Principal) -> None:
        self._directory = directory
        self._principal = principal
        self._lock = threading.Lock()
        self._refreshing = threading.Lock()
        self._held: _Held | None = None

    @contextmanager
    def reading(self) -> Iterator[TabletView]:
        """The collection as it is now. Do not keep it beyond the block."""
        held = self._take()
        try:
            self._refresh(held)
            yield held.collection
        finally:
            self._give_back(held)

    def expire(self) -> None:
        """Something was changed: the next reader looks again, however young the view is."""
        held = self._held
        if held is not None:
            held.refreshed = float("-inf")

    def close(self) -> None:
        with self._lock:
            held, self._held = self._held, None
            unused = held is not None and held.readers == 0
        if held is not None and unused:
            held.collection.close()

    def _take(self) -> _Held:
        with self._lock:
            old, directory = self._held, self._where()
            if old is None or not old.is_of(live_data(directory)):
                self._held = _Held(TabletView(directory, self._principal))
                if old is not None and old.readers == 0:
                    old.collection.close()
            held = self._held
            assert held is not None  # noqa: S101 - made above
            held.readers += 1
            return held

    def _where(self) -> Path:
        return self._directory

    def _give_back(self, held: _Held) -> None:
        with self._lock:
            held.readers -= 1
            done = held.readers == 0 and held is not self._held
        if done:
            held.collection.close()

    def _refresh(self, held: _Held) -> None:
        """Whoever comes while another refreshes reads what there is: no one waits in a queue."""
        if held.is_young():
            return
        if not self._refreshing.acquire(blocking=False):
            return
        try:
            if not held.is_young():
                held.refresh()
        finally:
            self._refreshing.release()
