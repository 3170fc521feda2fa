"""Which nodes of Ray are there? Those of a cluster that runs, or some of our own, to try it out."""

import logging
import os
from typing import Any

import ray
from ray.cluster_utils import Cluster as RayMachines

from shoal.cluster.fleet import namespace_of
from shoal.cluster.ray_address_check import must_answer
from shoal.errors import UsageError

NAME_CHARS = 8
"""Of a node's id, for people."""
OBJECT_STORE_BYTES = 80 << 20
"""Of a node on a laptop: deliveries are small."""
_SPARE = {
    "event_stats": False,
    "enable_metrics_collection": False,
    "task_events_report_interval_ms": 0,
    "enable_worker_prestart": False,
    "prestart_worker_first_driver": False,
}
"""For nodes of our own: Ray's books on itself, which nobody reads there, are a third of what an
actor costs that does nothing; and so is a worker that waits for tasks."""


def nodes_known() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return found


def start_machines(nodes: int) -> Any:
    """Several nodes of Ray on this machine, for trying it out."""
    cores = max(1, (os.cpu_count() or 1) // nodes)
    limits: dict[str, Any] = {
        "num_cpus": cores,
        "object_store_memory": OBJECT_STORE_BYTES,
        "include_log_monitor": False,  # it brings what is printed to a driver that wants none
    }
    head = {**limits, "include_dashboard": False, "_system_config": dict(_SPARE)}
    found = RayMachines(initialize_head=True, head_node_args=head)
    for _ in range(nodes - 1):
        found.add_node(**limits)
    return found


def connect(address: str, cluster: str) -> None:
    must_answer(address)
    try:
        ray.init(
            address=address,
            namespace=namespace_of(cluster),
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"No Ray cluster answers at {address!r} ({str(error).splitlines()[0]}); "
            "start one, or leave --address away to try it on this machine."
        ) from error
