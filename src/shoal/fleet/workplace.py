"""Where is work done that needs all tablets? On the Ray that a cluster runs on, or one that is
named; else in this process.

While a cluster runs the owners of its tablets make snapshots, which tasks read on the same
machines. At rest nothing changes: tasks read directories of the shared file system, or checkpoints.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.collection.collection import Collection
from shoal.collection.questions import principal_of
from shoal.errors import UsageError
from shoal.fleet.snapshots import CheckpointSource, SnapshotSource, forget_snapshot
from shoal.fleet.work import TabletQuestions, Work, work_here
from shoal.layout.layout import is_cluster_place

if TYPE_CHECKING:
    from shoal.cluster.ray_executor import RayExecutor
    from shoal.layout.cluster_status import ClusterStatus


@contextmanager
def workplace(whole: Collection, address: str = "") -> Iterator[Work]:
    """Who works on all tablets, and from what. `address` of a Ray, or `local`: one that is started
    on this machine and ends with the work."""
    executor, status = None, None
    if is_cluster_place(whole.place):
        from shoal.layout.cluster_status import status_at  # noqa: PLC0415 - only clusters need it

        status = status_at(whole.place)
        executor = _executor(status, address)
    elif address:
        raise UsageError("--address is for a cluster; a collection is worked on where it is")
    if executor is None or status is None:
        with work_here(whole.tablets) as work:
            yield work
        return
    try:
        if _runs(status):
            with _snapshots(whole, status, executor) as work:
                yield work
        else:
            yield Work(executor, _at_rest(whole))
    finally:
        executor.close()


def _runs(status: "ClusterStatus") -> bool:
    return status.running and bool(status.ray_address)


def _executor(status: "ClusterStatus", address: str) -> "RayExecutor | None":
    """None where this process has to do."""
    is_running = _runs(status)
    if is_running and address not in ("", "auto", status.ray_address):
        raise UsageError("the cluster runs, and works on its own Ray; leave --address away")
    if not (address or is_running):
        return None
    if address:
        from shoal.fleet.cluster_run import must_have_ray  # noqa: PLC0415 - as above

        must_have_ray()
    elif find_spec("ray") is None:
        return None
    from shoal.cluster.ray_executor import RayExecutor  # noqa: PLC0415 - Ray is an extra

    try:
        return RayExecutor(status.name, status.ray_address if is_running else address)
    except UsageError:
        if address:
            raise
        return None  # it can't be reached from here


@contextmanager
def _snapshots(
    whole: Collection, status: "ClusterStatus", executor: "RayExecutor"
) -> Iterator[Work]:
    principal, name = whole.tablets.ask(0, principal_of), secrets.token_hex(8)
    found = executor.call_tablets(status.name, status.tablets, "snapshot", name)
    sources = [
        SnapshotSource(directory, principal, who.partition("/")[0]) for directory, who in found
    ]
    try:
        yield Work(executor, sources)
    finally:
        asked = ([each.directory] for each in sources)
        machines = [each.machine for each in sources]
        for [gone] in executor.each(forget_snapshot, asked, machines=machines):
            executor.fetch(gone)


def _at_rest(whole: Collection) -> list[TabletQuestions]:
    from shoal.layout.cluster_file import (  # noqa: PLC0415 - only clusters need it
        directories,
        is_object_store,
    )

    place, count = whole.place, whole.tablets.count
    principal = whole.tablets.ask(0, principal_of)
    if is_object_store(place):
        return [CheckpointSource(place, principal, number=number) for number in range(count)]
    paths = directories(Path(place).absolute(), count)
    return [SnapshotSource(str(path), principal) for path in paths]
