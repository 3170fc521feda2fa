"""How are ranks computed while pages are served? By `shoal rank`, in a process of its own."""

import threading

from shoal.access.opening import graph_place
from shoal.control.launching import spawn
from shoal.errors import UsageError
from shoal.layout.layout import Layout

RANK_LOG = "rank.log"


class Computation:
    """At most one at a time, in a process of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self, place: str) -> None:
        with self._lock:
            if self.is_running():
                raise UsageError("the ranks are being computed already")
            log = Layout(graph_place(place))
            process = spawn(log, RANK_LOG, ["rank", "--dir", place])
            self._thread = threading.Thread(target=process.wait, name="shoal-rank", daemon=True)
            self._thread.start()
