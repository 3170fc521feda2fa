"""A reader that can't finish one page before a file appears: what a very slow document does."""

import time
from pathlib import Path

from shoal.model.document import Understood
from shoal.model.record import unpack
from shoal.model.visit import Fetched, Visit
from shoal.worker.child import Worker, make
from shoal.worker.child_config import ChildConfig

SLOW = "/slow"


class SlowWorker:
    def __init__(self, worker: Worker, gate: Path) -> None:
        self._worker = worker
        self._gate = gate
        self.places = worker.places

    def __call__(self, visit: Visit, fetched: Fetched, archive_only: bool) -> Understood:
        while visit.url.endswith(SLOW) and not self._gate.exists():
            time.sleep(0.01)
        return self._worker(visit, fetched, archive_only)


def make_slow(config: bytes) -> SlowWorker:
    collection = Path(unpack(ChildConfig, config).warc_directory).parent
    return SlowWorker(make(config), collection / "gate")
