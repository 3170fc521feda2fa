"""Tablets as actors of Ray: placed and restarted by it, with no truth in it. The only module that
knows Ray.

An actor holds one tablet, which runs in a thread of its own; Ray's calls come in on other threads.
When a machine dies Ray starts its actors again elsewhere, without limit: they claim their tablets
anew (ownership.py). Actors find each other by name. They end with the process that started them:
what they did is in durable storage, and the same command goes on from there.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import ray
from ray.cluster_utils import Cluster as RayMachines
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from shoal.cluster.fleet import Machine, Make, actor_name, namespace_of
from shoal.cluster.reach import must_answer
from shoal.errors import CollectionError, UsageError
from shoal.model.parcel import Delivery, Receipt
from shoal.model.principal import Principal
from shoal.model.record import pack, unpack
from shoal.ports import Task

Answer = TypeVar("Answer")

_NAME_CHARS = 8
_CALLS_AT_ONCE = 16
_OBJECT_STORE_BYTES = 80 << 20
"""Of a node on a laptop: deliveries are small."""
_START_SECONDS = 60.0
_AGAIN_SECONDS = 1.0
_ASK_SECONDS = 600.0
"""A slice of a large tablet, or all its votes."""
_CPU_SHARE = 0.001
"""Of a core, for a tablet: enough for Ray to see where it has put them, and to spread them."""
LOCAL = "local"
_TASK_CPU_SHARE = 0.9
"""Of a core, for a task: less than one, which is no longer free where there are tablets."""
_TRIES = 10
_MOST_AT_ONCE = 16
_STORE_SHARE = 8
"""Of a machine's store of objects a task may be given one in so many."""


class _Actor:
    """One tablet's process."""

    def __init__(self, make: Make, number: int, cluster: str) -> None:
        node = ray.get_runtime_context().get_node_id()[:_NAME_CHARS]
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
                name=node["NodeID"][:_NAME_CHARS],
                address=node["NodeManagerAddress"],
                host=node["NodeManagerHostname"],
                alive=node["Alive"],
                cores=node.get("Resources", {}).get("CPU", 0.0),
            )
            for node in _nodes()
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
        for node in _nodes():
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


def _nodes() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return found


def start_machines(nodes: int) -> Any:
    """Several nodes of Ray on this machine, for trying it out."""
    cores = max(1, (os.cpu_count() or 1) // nodes)
    limits: dict[str, Any] = {"num_cpus": cores, "object_store_memory": _OBJECT_STORE_BYTES}
    found = RayMachines(initialize_head=True, head_node_args={**limits, "include_dashboard": False})
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


_Asked = tuple[int, str, tuple[Any, ...]]
"""A tablet, a method, and what that is given."""


class _Actors:
    """The tablets of a running cluster, by their names."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._handles: dict[int, Any] = {}

    def answers(self, asked: Sequence[_Asked]) -> list[Any]:
        """Once more where a tablet has moved: questions change nothing that twice would spoil."""
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                found: list[Any] = ray.get(
                    [self._put(*each) for each in asked], timeout=_ASK_SECONDS
                )
            except ray.exceptions.RayTaskError as error:
                raise error.cause if isinstance(error.cause, Exception) else error from None
            except (ray.exceptions.RayActorError, ValueError) as error:
                self.forget()
                if time.monotonic() > deadline:
                    raise CollectionError("A tablet does not answer; try again.") from error
                time.sleep(_AGAIN_SECONDS)
            except (ray.exceptions.RayError, TimeoutError) as error:
                raise CollectionError("A tablet does not answer; try again.") from error
            else:
                return found

    def _put(self, tablet: int, method: str, given: tuple[Any, ...]) -> Any:
        """The reference of an answer. Without an actor of that name, a ValueError of Ray."""
        if tablet not in self._handles:
            name, space = actor_name(self._cluster, tablet), namespace_of(self._cluster)
            self._handles[tablet] = ray.get_actor(name, namespace=space)
        return self._handles[tablet].call.remote(method, *given)

    def forget(self) -> None:
        """Those that moved are found again."""
        self._handles.clear()


class RayTablets:
    """The tablets of a running cluster, asked from another process than the one that runs it: the
    `Tablets` of app/tablets.py."""

    def __init__(self, cluster: str, tablets: int, address: str, principal: Principal) -> None:
        self._actors = _Actors(cluster)
        self._principal = principal
        self._connected = not ray.is_initialized()
        if self._connected:
            connect(address, cluster)
        self.count = tablets

    def ask(
        self, tablet: int, question: Callable[..., Answer], *given: Any, **named: Any
    ) -> Answer:
        found: Answer = self._answers(partial(question, **named), {tablet: given})[0]
        return found

    def ask_all(self, question: Callable[..., Answer], *given: Any, **named: Any) -> list[Answer]:
        return self._answers(partial(question, **named), dict.fromkeys(range(self.count), given))

    def ask_each(
        self, question: Callable[..., Answer], given: Sequence[tuple[Any, ...]]
    ) -> list[Answer]:
        return self._answers(question, dict(enumerate(given)))

    def _answers(
        self, question: Callable[..., Answer], given: Mapping[int, tuple[Any, ...]]
    ) -> list[Answer]:
        as_who = self._principal
        return self._actors.answers(
            [(tablet, "ask_as", (as_who, question, *its)) for tablet, its in given.items()]
        )

    def refresh(self) -> None:
        """Tablets look at what is newest whenever they are asked."""
        self._actors.forget()

    def close(self) -> None:
        if self._connected:
            ray.shutdown()
            self._connected = False


class RayHands:
    """The `Hands` (ports.py) of a Ray cluster: tasks, which Ray runs again when they are lost."""

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
        alive = [node["Resources"] for node in _nodes() if node["Alive"]]
        stores = [node.get("object_store_memory", _OBJECT_STORE_BYTES) for node in alive]
        self.room_bytes = int(min(stores)) // _STORE_SHARE
        self.at_once = max(1, min(_MOST_AT_ONCE, int(sum(node.get("CPU", 0) for node in alive))))

    def call_tablets(self, cluster: str, tablets: int, method: str, *given: Any) -> list[Any]:
        """What the owner of each tablet answers."""
        asked = [(tablet, method, given) for tablet in range(tablets)]
        return _Actors(cluster).answers(asked)

    def each(
        self,
        task: Task,
        given: Iterable[Sequence[Any]],
        returns: int = 1,
        machines: Sequence[str] = (),
    ) -> list[list[Any]]:
        remote: Any = ray.remote(_perform)
        nodes = {node["NodeID"][:_NAME_CHARS]: node["NodeID"] for node in _nodes() if node["Alive"]}
        found = []
        for number, its in enumerate(given):
            options: dict[str, Any] = {
                "name": task.__name__,
                "num_cpus": _TASK_CPU_SHARE,
                "num_returns": returns,
                "max_retries": _TRIES,
            }
            node = nodes.get(machines[number]) if machines else None
            if node is not None:
                options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(node, soft=True)
            made = remote.options(**options).remote(task, *its)
            found.append(made if returns > 1 else [made])
        return found

    def fetch(self, held: Any) -> Any:
        try:
            return ray.get(held)
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
