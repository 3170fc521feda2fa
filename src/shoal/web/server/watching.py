"""What does the dashboard look at? The sampled series, and what costs too much to read each time.

Everything here is one of its kind per server, so that many open pages cost what one does.
"""

import threading
import time
from bisect import bisect_left
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Generic, TypeVar

from shoal.collection.collection import Collection
from shoal.collection.report.cluster_standing import as_run, cluster_standing
from shoal.collection.report.freshness import Freshness, sampled
from shoal.collection.report.repeats import Repeats
from shoal.collection.report.sampling import Sample
from shoal.collection.report.sizes import Sizes
from shoal.collection.report.standing import standing
from shoal.collection.report.survey import counts_of, repeats_of, sample_of, sizes_of
from shoal.control.launching import CRAWL_LOG, rotate
from shoal.layout.layout import Layout, is_given_way, is_locked
from shoal.web.server.cluster_watching import Cluster
from shoal.web.server.ranking import Computation
from shoal.web.server.series import Look, Series

BUCKET_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_SAMPLE_SECONDS = 20.0
_SIZES_SECONDS = 10.0
_REPEATS_SECONDS = 60.0
_FRESHNESS_SECONDS = 60.0
_ROTATE_SECONDS = 60.0

_COUNTS_SECONDS = 10.0

T = TypeVar("T")

Reading = Callable[[], AbstractContextManager[Collection]]


class Cached(Generic[T]):
    """What a collection is found to hold, found out again after a while."""

    def __init__(self, reading: Reading, find: Callable[[Collection], T], seconds: float) -> None:
        self._reading = reading
        self._find = find
        self._seconds = seconds
        self._lock = threading.Lock()
        self._found: tuple[float, T] | None = None

    def get(self) -> T:
        with self._lock:
            if self._found is None or time.monotonic() - self._found[0] > self._seconds:
                with self._reading() as collection:
                    self._found = time.monotonic(), self._find(collection)
            return self._found[1]


class Durations:
    """How long did searches take? Counts by upper bound, as Prometheus has histograms."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = [0] * (len(BUCKET_SECONDS) + 1)
        self._total_seconds = 0.0

    def note(self, seconds: float) -> None:
        with self._lock:
            self._counts[bisect_left(BUCKET_SECONDS, seconds)] += 1
            self._total_seconds += seconds

    def read(self) -> tuple[list[int], float]:
        """How many took no longer than each bound, and then all; and the sum of seconds."""
        with self._lock:
            up_to, total = [], 0
            for count in self._counts:
                total += count
                up_to.append(total)
            return up_to, self._total_seconds


class Watching:
    def __init__(
        self,
        directory: Path,
        reading: Reading,
        cluster: Cluster | None = None,
    ) -> None:
        self._layout = Layout(directory)
        self._reading = reading
        self._cluster = cluster
        self._rotated_s = 0.0
        self.series = Series(self._look, self.is_running)
        self.sample: Cached[Sample] = Cached(reading, sample_of, _SAMPLE_SECONDS)
        self.sizes: Cached[Sizes] = Cached(reading, sizes_of, _SIZES_SECONDS)
        self.repeats: Cached[Repeats] = Cached(reading, repeats_of, _REPEATS_SECONDS)
        self.counts: Cached[list[dict[str, int]]] = Cached(reading, counts_of, _COUNTS_SECONDS)
        """Of each tablet."""
        self.freshness: Cached[Freshness] = Cached(reading, sampled, _FRESHNESS_SECONDS)
        self.searches = Durations()
        self.ranks = Computation()
        self.starting = threading.Lock()
        """Held while a crawl is started: who presses twice starts one."""

    def start(self) -> None:
        self.series.start()

    def close(self) -> None:
        self.series.close()

    def is_running(self) -> bool:
        """Whether somebody is writing to the collection who does not make room for a crawl, or runs
        the cluster."""
        if self._cluster is not None:
            return self._cluster.is_running()
        return is_locked(self._layout) and not is_given_way(self._layout)

    def _look(self) -> Look:
        if self._cluster is not None:
            return self._look_at(self._cluster)
        if time.monotonic() - self._rotated_s > _ROTATE_SECONDS:
            self._rotated_s = time.monotonic()
            rotate(self._layout, CRAWL_LOG)
        with self._reading() as collection:
            status = collection.status()
            stands = collection.tablets.ask(0, standing, status)
        return Look(time.time(), status, stands)

    def _look_at(self, cluster: Cluster) -> Look:
        seen = cluster.status()
        with self._reading() as whole:
            status = as_run(whole.status(), seen)
        return Look(time.time(), status, cluster_standing(seen, status.queued), seen)
