"""Work over all tablets as tasks of Ray, which runs them again when they are lost."""

from collections.abc import Iterable, Sequence
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from shoal.cluster.ray_nodes import (
    NAME_CHARS,
    OBJECT_STORE_BYTES,
    connect,
    nodes_known,
    start_machines,
)
from shoal.cluster.ray_questions import Actors
from shoal.errors import CollectionError
from shoal.ports import Task

LOCAL = "local"
_CPU_SHARE = 0.9
"""Of a core, for a task: less than one, which is no longer free where there are tablets."""
_TRIES = 10
_MOST_AT_ONCE = 16
_STORE_SHARE = 8
"""Of a machine's store of objects a task may be given one in so many."""


class RayExecutor:
    """The `Executor` (ports.py) of a Ray cluster."""

    def __init__(self, cluster: str, address: str) -> None:
        """`local`: one node, on this machine, until it is closed."""
        self._local: Any = None
        self._connected = not ray.is_initialized()
        if self._connected:
            self._local = start_machines(1) if address == LOCAL else None
            try:
                connect(address if self._local is None else self._local.address, cluster)
            except BaseException:
                self.close()
                raise
        alive = [node["Resources"] for node in nodes_known() if node["Alive"]]
        stores = [node.get("object_store_memory", OBJECT_STORE_BYTES) for node in alive]
        self.capacity_bytes = int(min(stores)) // _STORE_SHARE
        self.at_once = max(1, min(_MOST_AT_ONCE, int(sum(node.get("CPU", 0) for node in alive))))

    def call_tablets(self, cluster: str, tablets: int, method: str, *given: Any) -> list[Any]:
        """What the owner of each tablet answers."""
        asked = [(tablet, method, given) for tablet in range(tablets)]
        return Actors(cluster).answers(asked)

    def each(
        self,
        task: Task,
        given: Iterable[Sequence[Any]],
        returns: int = 1,
        machines: Sequence[str] = (),
    ) -> list[list[Any]]:
        remote: Any = ray.remote(_perform)
        nodes = {
            node["NodeID"][:NAME_CHARS]: node["NodeID"] for node in nodes_known() if node["Alive"]
        }
        found = []
        for number, its in enumerate(given):
            options: dict[str, Any] = {
                "name": task.__name__,
                "num_cpus": _CPU_SHARE,
                "num_returns": returns,
                "max_retries": _TRIES,
            }
            node = nodes.get(machines[number]) if machines else None
            if node is not None:
                options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(node, soft=True)
            made = remote.options(**options).remote(task, *its)
            found.append(made if returns > 1 else [made])
        return found

    def fetch(self, ref: Any) -> Any:
        try:
            return ray.get(ref)
        except ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except ray.exceptions.RayError as error:
            raise CollectionError(
                f"A task was lost ({type(error).__name__}); try again."
            ) from error

    def close(self) -> None:
        if self._connected:
            ray.shutdown()
            self._connected = False
        if self._local is not None:
            self._local.shutdown()
            self._local = None


def _perform(task: Task, *given: Any) -> Any:
    made = tuple(task(*given))
    return made if len(made) > 1 else made[0]
