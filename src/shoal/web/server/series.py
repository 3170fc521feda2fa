"""What happened in the last hour? The collection's status, sampled once a second into a ring.

One thread samples, and only while somebody listens or a crawl runs: then there is one look at the
status a second, however many pages are open. Rates are differences over a few seconds, on the clock
of whoever wrote the status, so that two looks at one snapshot are no standstill.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from shoal.collection.report.standing import Standing
from shoal.errors import ShoalError
from shoal.layout.cluster_status import ClusterStatus
from shoal.layout.snapshot import Status
from shoal.model.record import Struct

EVERY_SECONDS = 1.0
KEPT_SECONDS = 3600
MOST_LISTENERS = 20
_IDLE_SECONDS = 2.0
_RATE_SECONDS = 5.0


class Point(Struct, array_like=True, frozen=True):
    """One moment, for plots."""

    when: float
    pages_per_second: float
    queued: int
    bytes_per_second: float
    errors_per_second: float


class Look(NamedTuple):
    """What is seen of a collection at one moment."""

    when: float
    status: Status
    standing: Standing
    cluster: ClusterStatus | None = None


class _Mark(NamedTuple):
    when: float
    pid: int
    received_bytes: int
    errors: int


class Series:
    def __init__(self, look: Callable[[], Look], is_running: Callable[[], bool]) -> None:
        self._look = look
        self._is_running = is_running
        self._points: deque[Point] = deque(maxlen=KEPT_SECONDS)
        self._marks: deque[_Mark] = deque()
        self._latest: Look | None = None
        self._lock = threading.Lock()
        self._listeners = 0
        self._over = threading.Event()
        self._wanted = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._sample, name="shoal-series", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()

    @contextmanager
    def listening(self) -> Iterator[bool]:
        """Whether there was room for one more listener; while it is held, samples are taken."""
        with self._lock:
            has_capacity = self.has_capacity()
            self._listeners += has_capacity
        self._wanted.set()
        try:
            yield has_capacity
        finally:
            with self._lock:
                self._listeners -= has_capacity

    def has_capacity(self) -> bool:
        return self._listeners < MOST_LISTENERS

    def latest(self) -> Look:
        """The last look; one is taken where nobody samples, or the last is old."""
        look = self._latest
        return look if look is not None and self._is_sampled() else self.sample()

    def expire(self) -> None:
        """Something was changed: who looks next looks again."""
        self._latest = None

    def points(self, since: float = 0.0) -> list[Point]:
        """Those behind a moment, oldest first."""
        with self._lock:
            return [point for point in self._points if point.when > since]

    def sample(self) -> Look:
        look = self._look()
        with self._lock:
            self._latest = look
            if not self._points or look.when > self._points[-1].when:
                self._points.append(self._point(look))
        return look

    def _point(self, look: Look) -> Point:
        status, live = look.status, look.status.live
        when = look.when if live is None else live.written
        errors, pid = (0, 0) if live is None else (live.failed, live.pid)
        mark = _Mark(when, pid, status.totals.get("bytes", 0), errors)
        if not self._marks or mark.when > self._marks[-1].when:
            self._marks.append(mark)
        while len(self._marks) > 2 and self._marks[1].when <= when - _RATE_SECONDS:
            self._marks.popleft()
        first, last = self._marks[0], self._marks[-1]
        seconds = last.when - first.when
        same_run = first.pid == last.pid and seconds > 0
        return Point(
            when=look.when,
            pages_per_second=0.0 if live is None else live.pages_per_second,
            queued=status.queued,
            bytes_per_second=max(0.0, (last.received_bytes - first.received_bytes) / seconds)
            if live is not None and seconds > 0
            else 0.0,
            errors_per_second=max(0.0, (last.errors - first.errors) / seconds) if same_run else 0.0,
        )

    def _is_sampled(self) -> bool:
        return self._thread is not None and (self._listeners > 0 or self._is_running())

    def _sample(self) -> None:
        while not self._over.is_set():
            if self._listeners or self._is_running():
                with suppress(ShoalError, OSError):  # the next look may find it in order again
                    self.sample()
                self._over.wait(EVERY_SECONDS)
            else:
                self._wanted.wait(_IDLE_SECONDS)
                self._wanted.clear()
