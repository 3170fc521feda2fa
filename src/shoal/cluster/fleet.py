"""Who runs the tablets, and where? The seam between what decides and what carries it out.

`Fleet` is what a coordinator needs of the machines; ray_fleet.py has it on Ray. Nothing of Ray is
imported unless a fleet is started.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from shoal.model.messages import Delivery, Receipt
from shoal.model.record import Struct


class Machine(Struct, frozen=True):
    """One node."""

    name: str
    """Short, and unique in the cluster: what `drain` takes."""
    address: str
    host: str = ""
    alive: bool = True
    cores: float = 0.0


class Runner(Protocol):
    """What an actor holds: one tablet (fleet/tablet.py)."""

    def start(self) -> None: ...
    def deliver(self, delivery: Delivery) -> Receipt: ...
    def report(self) -> Any: ...


Make = Callable[[int, str, Callable[[Delivery], Any]], Runner]
"""Makes the runner of a tablet, on the machine where it will be: its number, who it is, and a pipe
to the others."""


def actor_name(cluster: str, number: int) -> str:
    return f"{namespace_of(cluster)}-{number:04}"


def namespace_of(cluster: str) -> str:
    return f"shoal-{cluster}"


class Fleet(Protocol):
    def machines(self) -> list[Machine]: ...
    def start(self, number: int, machine: str = "", but_not: Sequence[str] = ()) -> None:
        """Run a tablet: on a machine, or wherever there is room."""
        ...

    def end(self, number: int) -> None:
        """End a tablet's process, if there is one; it is not started again."""
        ...

    def restart(self, number: int) -> None:
        """End a tablet's process; it is started again somewhere."""
        ...

    def call_all(self, method: str, *given: Any, seconds: float = 10.0) -> list[Any]:
        """Ask every tablet; None for one that does not answer in time."""
        ...

    def call(self, number: int, method: str, *given: Any, seconds: float = 60.0) -> Any: ...
    def close(self) -> None: ...
