"""Which crawls were made of a collection? One row for each of the last runs, in the family `site`.

A run's row is put into the batch that is written once a second when the archive was synced, so it
costs no write of its own, and a run that was killed is known up to its last second.
"""

from collections.abc import Iterator

from shoal.layout.identity import partition_of
from shoal.model.record import JSON_ERRORS, Struct, pack, unpack
from shoal.ports import Batch, Table

RUN_KEYS = b"\x00run\x00"
"""Before the start of a run in milliseconds, and the number of its tablet."""
MOST_RUNS = 100
RUNNING = "running"
KILLED = "killed"
_AFTER = RUN_KEYS[:-1] + b"\x01"


class Run(Struct):
    """One crawl, or refresh, as far as it came. Pages are counted by visits of this run."""

    started: float
    kind: str
    """`new`: new pages once; `steady`: these and known ones, without end; `refresh`: known ones."""
    ended: float = 0.0
    """When it was last written down: a second before a kill, or at its end."""
    why: str = ""
    """Why it ended: `finished`, `killed`, or what stopped it; `running` while it does not."""
    requests: int = 0
    """All of them, also those for robots.txt and sitemaps."""
    asked: int = 0
    """Pages that a server was asked for."""
    fetched: int = 0
    unchanged: int = 0
    changed: int = 0
    """Of the pages that had been visited before."""
    missing: int = 0
    """Of these, too: gone or moved."""
    failed: int = 0
    bytes: int = 0
    tablet: int = 0


class RunLog:
    """The run of this process, and those before it."""

    def __init__(self, table: Table, kind: str) -> None:
        self._table = table
        self._kind = kind
        self._run: Run | None = None
        self._too_old: list[bytes] = []

    def begin(self, started: float) -> Run:
        """The row of this run, which whoever runs it keeps up to date."""
        known = [key for key, _ in self._table.scan("site", RUN_KEYS, _AFTER)]
        self._too_old = known[: max(0, len(known) + 1 - MOST_RUNS)]
        self._run = Run(started, str(self._kind), tablet=partition_of(self._table).number)
        return self._run

    def put(self, batch: Batch) -> None:
        """As it stands now, if there is one; the oldest ones go."""
        if self._run is None:
            return
        batch.put("site", _key(self._run), pack(self._run))
        for key in self._too_old:
            batch.delete("site", key)
        self._too_old = []


def runs_of(table: Table, *, is_running: bool) -> list[Run]:
    """The newest first; what does not read is left out."""
    found = list(_stored(table))[::-1]
    for place, run in enumerate(found):
        run.why = run.why or (RUNNING if is_running and place == 0 else KILLED)
    return found


def _stored(table: Table) -> Iterator[Run]:
    for _, stored in table.scan("site", RUN_KEYS, _AFTER):
        try:
            yield unpack(Run, stored)
        except JSON_ERRORS:
            continue


def _key(run: Run) -> bytes:
    return RUN_KEYS + int(run.started * 1000).to_bytes(8, "big") + run.tablet.to_bytes(2, "big")
