"""How does a cluster stand, in one sentence? Running and how fast, or at rest, why, and how to go
on; the counterpart of standing.py.

What its tablets do is known from what whoever runs it writes down: their processes are on other
machines, where this one can't look for them.
"""

import shlex
from collections import Counter

from shoal.clock import iso
from shoal.collection.report.standing import Standing
from shoal.layout.cluster_status import ClusterStatus
from shoal.layout.snapshot import Live, Status
from shoal.model.record import changed

RESTING = "resting"
"""The state of every tablet when nobody runs the cluster."""
_FAULTS = ("failed", "fenced")


def cluster_standing(cluster: ClusterStatus, queued: int) -> Standing:
    if cluster.running and cluster.ended:
        done = sum(report.is_over for report in cluster.reports)
        return Standing(
            "stopping",
            f"Stopping ({_reason(cluster)}): {done:,} of {_count(cluster.tablets, 'tablet')} "
            "have ended.",
        )
    waiting = "1 URL waits" if queued == 1 else f"{queued:,} URLs wait"
    if cluster.running:
        machines = _count(sum(each.alive for each in cluster.machines), "machine")
        on_way = "1 item is" if cluster.outbox == 1 else f"{cluster.outbox:,} items are"
        return Standing(
            "running",
            f"Running at {pages_per_second(cluster):.1f} pages/s on {machines}, {waiting}, "
            f"{on_way} on the way between tablets.",
        )
    command = f"shoal cluster start {shlex.quote(cluster.place)}"
    if not cluster.written:
        return Standing(
            RESTING, f"At rest: it was never started, {waiting}; run it with: {command}"
        )
    if not cluster.ended:
        heard = f"was killed, or not heard of since {iso(cluster.written)}"
        says = f"At rest: it {heard}; nothing is lost, {waiting}; go on with: {command}"
        return Standing(RESTING, says)
    if not queued and cluster.ended == "finished":
        return Standing(RESTING, "At rest: it finished, nothing waits.")
    return Standing(RESTING, f"At rest: {_reason(cluster)}, {waiting}; go on with: {command}")


def since(cluster: ClusterStatus) -> float:
    """When it began to run, or to rest; 0: it never ran."""
    return cluster.started if cluster.running else cluster.written


def states(cluster: ClusterStatus) -> dict[str, int]:
    """How many tablets are in which state."""
    counts = Counter(state_of(cluster, number) for number in range(len(cluster.reports)))
    return dict(counts.most_common())


def state_of(cluster: ClusterStatus, tablet: int) -> str:
    """What a tablet that nobody runs was doing last says nothing; that it failed does."""
    state = cluster.reports[tablet].state
    return state if cluster.running or state in _FAULTS else RESTING


def pages_per_second(cluster: ClusterStatus) -> float:
    return sum(each.pages_per_second for each in cluster.reports if each.state == "running")


def as_run(status: Status, cluster: ClusterStatus) -> Status:
    """The counts of the tablets, with what the cluster says that it is doing."""
    if not cluster.running:
        return changed(status, running=False, live=None)
    at_work = [each for each in cluster.reports if each.state == "running"]
    in_flight = sum(each.in_flight for each in at_work)
    if status.live is not None:  # all on this machine: they say more
        live = changed(status.live, written=cluster.written)
        return changed(status, running=True, live=live)
    waiting = min(in_flight, status.queued)
    return changed(
        status,
        running=True,
        queued=status.queued - waiting,
        in_flight=status.in_flight + waiting,
        live=_live(status, cluster, in_flight),
    )


def _live(status: Status, cluster: ClusterStatus, in_flight: int) -> Live:
    return Live(
        pid=0,
        started=cluster.started,
        written=cluster.written,
        pages_per_second=pages_per_second(cluster),
        in_flight=in_flight,
        reading=0,
        active_sites=0,
        ready_sites=0,
        sites_with_work=status.totals.get("sites_with_work", 0),
        fetched=status.fetched,
        unchanged=status.unchanged,
        failed=status.failed,
        bytes=status.totals.get("bytes", 0),
        idle="",
        projected_end=None,
        stopping=cluster.ended,
    )


def _reason(cluster: ClusterStatus) -> str:
    return cluster.ended.rstrip(".")


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"
