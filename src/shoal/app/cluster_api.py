"""What can a Python program do with clusters? What `shoal cluster` does, with the same words.

Reading one is `shoal.open(place)`. Ray is imported only by who runs one.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from shoal.app import cluster_change, cluster_file, cluster_run
from shoal.app.api import run, with_whole_paths
from shoal.app.cluster_file import ClusterFile
from shoal.app.cluster_orders import StopAll, post
from shoal.app.cluster_run import Running
from shoal.app.cluster_status import ClusterStatus, running_status, status_at
from shoal.app.coordinator import Watch
from shoal.app.preflight import check
from shoal.app.repartition import Moved, Tell
from shoal.model.partition import DEFAULT_TABLETS


def create_cluster(place: str | Path, tablets: int = DEFAULT_TABLETS) -> ClusterFile:
    """Make an empty cluster: in a directory that all machines share, or at s3://bucket/prefix."""
    return cluster_file.create(str(place), tablets)


def run_cluster(  # noqa: PLR0913 - the flags of the command, by name
    place: str | Path,
    *seeds: str | Iterable[str],
    address: str = "",
    nodes: int = 1,
    lease: float = 15.0,
    checkpoint: float = 60.0,
    work: str | Path = "",
    settings: Mapping[str, object] | None = None,
    watch: Watch | None = None,
) -> ClusterStatus:
    """Crawl with a cluster until nothing is left to do, or go on with it: at the `address` of a
    running Ray cluster, else on this machine. `settings` takes any setting by its dotted name."""
    where = str(place)
    cluster_file.read(where)
    config = cluster_file.config_of(where, with_whole_paths(settings or {}), dict(os.environ))
    words = [word for each in seeds for word in ([each] if isinstance(each, str) else each)]
    links = cluster_run.seeds_for(where, words, config)
    run(check(config, links, Path(where)))
    how = Running(address, nodes, lease, checkpoint, str(work))
    return cluster_run.run_cluster(where, config, links, how, watch=watch)


def cluster_status(place: str | Path) -> ClusterStatus:
    """How a cluster stands: its machines and tablets, what is on its way, what has moved."""
    return status_at(str(place))


def stop_cluster(place: str | Path) -> None:
    """Ask a running cluster to end well."""
    running_status(str(place))
    post(str(place), StopAll())


def split(
    dir: str | Path,  # noqa: A002 - the flag's own name
    place: str | Path,
    tablets: int = DEFAULT_TABLETS,
    told: Tell | None = None,
) -> Moved:
    """Make a cluster out of a collection at rest, which stays as it is."""
    return cluster_change.split(Path(dir), str(place), tablets, told)


def merge(
    place: str | Path,
    dir: str | Path,  # noqa: A002 - the flag's own name
    told: Tell | None = None,
) -> Moved:
    """Make one collection, in a new directory, out of a cluster at rest, which stays as it is."""
    return cluster_change.merge(str(place), Path(dir), told)
