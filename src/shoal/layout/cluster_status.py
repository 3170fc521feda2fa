"""How does a cluster stand? Machines, tablets, epochs, what is on its way, what has moved."""

import time

from shoal.cluster.fleet import Machine
from shoal.cluster.objects import Missing, Objects, open_objects
from shoal.counters import Counts
from shoal.errors import UsageError
from shoal.layout.cluster_file import read as read_cluster
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json

STATUS = "status.json"
SILENT_SECONDS = 30.0
"""Whoever runs a cluster writes every second, or when the store lets it."""


class AskedAgain(Struct, frozen=True):
    """Visits to pages that had been visited before, and what became of them."""

    pages: int = 0
    changed: int = 0
    missing: int = 0
    """Gone or moved."""
    failed: int = 0


class TabletReport(Struct):
    """What a tablet is doing."""

    number: int
    epoch: int = 0
    state: str = "starting"
    who: str = ""
    problem: str = ""
    idle: bool = False
    """Nothing is left to do here, as far as is known here."""
    sent: int = 0
    taken: int = 0
    """Items to and from other tablets, by this process."""
    outbox: int = 0
    """Items that are not durable where they go."""
    counts: dict[str, int] = {}
    pages_per_second: float = 0.0
    in_flight: int = 0
    waited_seconds: float = 0.0
    """Between its start and its first request: the pause of a tablet that moved."""
    last_durable: float = 0.0
    """When what was written then was made durable."""
    uploaded_bytes: int = 0
    again: AskedAgain = AskedAgain()
    """By this process."""
    granted: int = 0
    """Of the limit on the pages of all: how many it may count in all."""

    @property
    def is_over(self) -> bool:
        return self.state in ("done", "failed", "fenced")


class Move(Struct):
    """A tablet has another owner than before."""

    tablet: int
    before: str
    now: str
    """Machines."""
    epoch: int
    when: float
    pause_seconds: float
    """From when it was last seen at work there to when it was first seen here."""


class ClusterStatus(Struct):
    name: str
    place: str
    tablets: int
    reports: list[TabletReport]
    machines: list[Machine] = []
    draining: list[str] = []
    moves: list[Move] = []
    started: float = 0.0
    """When it last was; 0: never."""
    written: float = 0.0
    running: bool = True
    ended: str = ""
    """Why it is over."""
    ray_address: str = ""
    """Where its tablets can be asked while it runs."""
    grants: list[int] = []
    """Of the limit on pages, by tablet: how many each may have counted."""

    @property
    def counts(self) -> Counts:
        """Of all tablets together: a page is in exactly one of them."""
        total = Counts()
        for report in self.reports:
            for name, amount in report.counts.items():
                total.add(name, amount)
        return total

    @property
    def again(self) -> AskedAgain:
        parts = [report.again for report in self.reports]
        return AskedAgain(
            pages=sum(each.pages for each in parts),
            changed=sum(each.changed for each in parts),
            missing=sum(each.missing for each in parts),
            failed=sum(each.failed for each in parts),
        )

    @property
    def outbox(self) -> int:
        return sum(report.outbox for report in self.reports)


def new_status(name: str, place: str, tablets: int) -> ClusterStatus:
    return ClusterStatus(name, place, tablets, [TabletReport(number) for number in range(tablets)])


def next_status(objects: Objects, name: str, place: str, tablets: int) -> ClusterStatus:
    """Of a start: what tablets counted last, or may have, holds until they say more."""
    status, before = new_status(name, place, tablets), read_status(objects)
    for report, known in zip(status.reports, before.reports if before else (), strict=False):
        report.counts = known.counts
    status.grants = [] if before is None else before.grants
    return status


def write_status(objects: Objects, status: ClusterStatus) -> None:
    objects.put(STATUS, to_json(status))


def read_status(objects: Objects) -> ClusterStatus | None:
    try:
        return from_json(ClusterStatus, objects.get(STATUS))
    except (Missing, *JSON_ERRORS):
        return None


def status_at(place: str) -> ClusterStatus:
    """As it was last written down. One that says it runs, and has been silent, does not."""
    objects = open_objects(place)
    file = read_cluster(place, objects)
    status = read_status(objects) or new_status(file.name, place, file.tablets)
    if not status.written or time.time() - status.written > SILENT_SECONDS:
        status.running = False
    return status


def running_status(place: str) -> ClusterStatus:
    status = status_at(place)
    if not status.running:
        raise UsageError(
            f"the cluster in {place} does not run; start it with: shoal cluster start {place}"
        )
    return status
