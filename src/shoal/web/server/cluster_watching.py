"""How does the cluster that is served stand? As whoever runs it wrote down last, read once a second
however many pages are open."""

import threading
import time
from contextlib import suppress

from shoal.errors import ShoalError
from shoal.layout.cluster_status import ClusterStatus, status_at

_LOOK_SECONDS = 1.0


class Cluster:
    def __init__(self, place: str) -> None:
        self.place = place
        self._lock = threading.Lock()
        self._seen: tuple[float, ClusterStatus] | None = None

    @property
    def name(self) -> str:
        return self.place.rstrip("/").rpartition("/")[2]

    def status(self) -> ClusterStatus:
        with self._lock:
            if self._seen is None or time.monotonic() - self._seen[0] > _LOOK_SECONDS:
                self._seen = time.monotonic(), status_at(self.place)
            return self._seen[1]

    def is_running(self) -> bool:
        with suppress(ShoalError, OSError):  # a store that does not answer: the next look may
            return self.status().running
        return False
