"""A cluster that says that it runs: what its pages show of it, without anybody at work."""

import time
from pathlib import Path
from typing import Any

from shoal.cluster.fleet import Machine
from shoal.cluster.objects import open_objects
from shoal.layout.cluster_status import ClusterStatus, Move, new_status, write_status

TABLETS = 4
HOSTILE = '"><script>alert(1)</script>\u202e'


def said_to_run(place: Path, **changed: Any) -> ClusterStatus:
    """As whoever runs it would write it down."""
    status = new_status("c1", str(place), TABLETS)
    status.machines = [
        Machine("a1b2", "10.0.0.1", "north", cores=4.0),
        Machine("c3d4", "10.0.0.2", HOSTILE, cores=2.5),
        Machine("gone", "10.0.0.3", alive=False),
    ]
    status.draining = ["c3d4"]
    for number, report in enumerate(status.reports):
        report.epoch, report.state = number + 1, "running"
        report.who = ("a1b2/77", "a1b2/78", "c3d4/9", "a1b2/79")[number]
        report.counts = {"fetched/waiting": 10, "unchanged": 1, "queued": 5, "failed/timeout": 2}
        report.pages_per_second, report.outbox = 1.5, 2
        report.last_durable = time.time()
    status.reports[1].idle = True
    status.reports[3].state, status.reports[3].problem = "failed", f"OSError: {HOSTILE}"
    status.moves = [Move(2, "a1b2", "c3d4", 3, time.time(), 4.25)]
    status.started = time.time() - 60
    status.written = time.time()
    for name, value in changed.items():
        setattr(status, name, value)
    write_status(open_objects(str(place)), status)
    return status
