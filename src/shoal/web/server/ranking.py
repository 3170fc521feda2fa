"""How are ranks computed while pages are served? By `shoal rank`, in a process of its own."""

import threading

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

    def start(self, layout: Layout) -> None:
        with self._lock:
            if self.is_running():
                raise UsageError("the ranks are being computed already")
            words = ["rank", "--dir", str(layout.directory)]
            process = spawn(layout, RANK_LOG, words)
            self._thread = threading.Thread(target=process.wait, name="shoal-rank", daemon=True)
            self._thread.start()
