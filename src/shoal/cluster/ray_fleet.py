"""Tablets as actors of Ray: placed and restarted by it, with no truth in it. (What knows Ray is
here and in the other modules of this room that are named after it.)

An actor holds one tablet, which runs in a thread of its own; Ray's calls come in on other threads.
When a machine dies Ray starts its actors again elsewhere, without limit: they claim their tablets
again (ownership.py). Actors find each other by name. They end with the process that started them:
what they did is in durable storage, and the same command goes on from there.
"""

import asyncio
import os
import time
from collections.abc import Sequence
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from shoal.cluster.fleet import Machine, Make, actor_name
from shoal.cluster.ray_nodes import NAME_CHARS, connect, nodes_known, start_machines
from shoal.errors import CollectionError
from shoal.model.messages import Delivery, Receipt
from shoal.model.record import pack, unpack

_CALLS_AT_ONCE = 16
_START_SECONDS = 60.0
_CPU_SHARE = 0.001
"""Of a core, for a tablet: enough for Ray to see where it has put them, and to spread them."""


class _Actor:
    """One tablet's process."""

    def __init__(self, make: Make, number: int, cluster: str) -> None:
        node = ray.get_runtime_context().get_node_id()[:NAME_CHARS]
        self._cluster = cluster
        self._handles: dict[int, Any] = {}
        self._runner = make(number, f"{node}/{os.getpid()}", self._send)
        self._runner.start()

    def call(self, method: str, *given: Any) -> Any:
        return getattr(self._runner, method)(*given)

    def deliver(self, delivery: bytes) -> bytes:
        """Packed: Ray would take each position apart."""
        return pack(self._runner.deliver(unpack(Delivery, delivery)))

    async def _send(self, delivery: Delivery) -> Receipt:
        """The pipe. A handle stays good when its actor is started again elsewhere; one that was
        moved by us is another actor of the same name."""
        target = delivery.target
        try:
            if target not in self._handles:
                found = await asyncio.to_thread(ray.get_actor, actor_name(self._cluster, target))
                self._handles[target] = found
            reference = self._handles[target].deliver.remote(pack(delivery))
            return unpack(Receipt, await asyncio.wrap_future(reference.future()))
        except BaseException:
            self._handles.pop(target, None)
            raise


class RayFleet:
    """The Fleet on Ray. `address` of a running Ray cluster, or `nodes` on this machine."""

    def __init__(
        self, cluster: str, tablets: int, make: Make, *, address: str = "", nodes: int = 1
    ) -> None:
        self._cluster = cluster
        self._make = make
        self._handles: dict[int, Any] = {}
        self._tablets = tablets
        self.local = None if address else start_machines(nodes)
        try:
            connect(address or self._address_of_local(), cluster)
        except BaseException:
            self._stop_local()
            raise

    @property
    def address(self) -> str:
        """Where other processes find the same Ray cluster."""
        return str(ray.get_runtime_context().gcs_address)

    def _address_of_local(self) -> str:
        return "" if self.local is None else str(self.local.address)

    def machines(self) -> list[Machine]:
        return [
            Machine(
                name=node["NodeID"][:NAME_CHARS],
                address=node["NodeManagerAddress"],
                host=node["NodeManagerHostname"],
                alive=node["Alive"],
                cores=node.get("Resources", {}).get("CPU", 0.0),
            )
            for node in nodes_known()
        ]

    def start(self, number: int, machine: str = "", but_not: Sequence[str] = ()) -> None:
        strategy: Any = "SPREAD"
        if not machine and but_not:
            machine = self._least_loaded(but_not)
        if node := self._whole_id(machine) if machine else "":
            strategy = NodeAffinitySchedulingStrategy(node, soft=True)
        options = {
            "name": actor_name(self._cluster, number),
            "max_restarts": -1,
            "max_task_retries": 0,
            "num_cpus": _CPU_SHARE,
            "max_concurrency": _CALLS_AT_ONCE,
            "scheduling_strategy": strategy,
        }
        actor: Any = ray.remote(_Actor)
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                made = actor.options(**options).remote(self._make, number, self._cluster)
            except ValueError as error:  # its former actor has not given up the name yet
                if time.monotonic() > deadline:
                    raise CollectionError(f"Tablet {number} can't be started: {error}") from error
                time.sleep(0.1)
            else:
                self._handles[number] = made
                return

    def _least_loaded(self, but_not: Sequence[str]) -> str:
        """Ray's own spreading does not know that a machine is being emptied."""
        names = [each.name for each in self.machines() if each.alive and each.name not in but_not]
        if not names:
            return ""
        found = self.call_all("report", seconds=5.0)
        at = [str(each.who).partition("/")[0] for each in found if each is not None]
        return min(names, key=at.count)

    def _whole_id(self, machine: str) -> str:
        """Empty when it has died since it was chosen: then any other will do."""
        for node in nodes_known():
            if node["Alive"] and node["NodeID"].startswith(machine):
                return str(node["NodeID"])
        return ""

    def end(self, number: int) -> None:
        handle = self._handles.pop(number, None)
        if handle is not None:
            ray.kill(handle, no_restart=True)

    def restart(self, number: int) -> None:
        if number in self._handles:
            ray.kill(self._handles[number], no_restart=False)

    def call_all(self, method: str, *given: Any, seconds: float = 10.0) -> list[Any]:
        asked = {
            number: handle.call.remote(method, *given) for number, handle in self._handles.items()
        }
        if asked:
            ray.wait(list(asked.values()), num_returns=len(asked), timeout=seconds)
        answers: list[Any] = [None] * self._tablets
        for number, reference in asked.items():
            answers[number] = _answer(reference)
        return answers

    def call(self, number: int, method: str, *given: Any, seconds: float = 60.0) -> Any:
        try:
            return ray.get(self._handles[number].call.remote(method, *given), timeout=seconds)
        except ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except (ray.exceptions.RayError, TimeoutError) as error:
            raise CollectionError(f"Tablet {number} does not answer; try again.") from error

    def close(self) -> None:
        for number in list(self._handles):
            self.end(number)
        ray.shutdown()
        self._stop_local()

    def _stop_local(self) -> None:
        if self.local is not None:
            self.local.shutdown()


def _answer(reference: Any) -> Any:
    try:
        return ray.get(reference, timeout=0)
    except (ray.exceptions.RayError, TimeoutError):
        return None
