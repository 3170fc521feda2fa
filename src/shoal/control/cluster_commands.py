"""How is a running cluster told something? By a command, laid down where it looks every second."""

import secrets
import time
from collections.abc import Iterator

from shoal.cluster.objects import Missing, Objects, open_objects
from shoal.layout.cluster_status import status_at
from shoal.layout.layout import is_cluster_place
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.sources.inbox import Command

_FOLDER = "orders"


class Drain(Struct, tag="drain"):
    """Move every tablet away from a machine, and put none there."""

    machine: str


class Rebalance(Struct, tag="rebalance"):
    """Spread the tablets evenly over the machines there are."""


class StopAll(Struct, tag="stop"):
    """End, as after Ctrl-C."""


class TabletCommands(Struct, tag="tell"):
    """What people want of the crawl: told to the tablets that it concerns."""

    commands: list[Command]


ClusterCommand = Drain | Rebalance | StopAll | TabletCommands


class ClusterCommands:
    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def post(self, command: ClusterCommand) -> None:
        key = f"{_FOLDER}/{time.time_ns():020}-{secrets.token_hex(4)}"
        self._objects.put(key, to_json(command))

    def take(self) -> Iterator[tuple[str, ClusterCommand]]:
        """In the order in which they were given; each is `done` with afterwards."""
        for key, _ in self._objects.names(_FOLDER):
            try:
                command: ClusterCommand = from_json(ClusterCommand, self._objects.get(key))  # type: ignore[arg-type]
            except Missing:
                continue
            except JSON_ERRORS:
                self.done(key)
                continue
            yield key, command

    def done(self, key: str) -> None:
        self._objects.delete([key])


def post(place: str, command: ClusterCommand) -> None:
    ClusterCommands(open_objects(place)).post(command)


def waiting_at_rest(place: str) -> int:
    """How many commands wait for the next start of a cluster. None do while it runs, and none in a
    collection, where each is carried out at once."""
    if not is_cluster_place(place) or status_at(place).running:
        return 0
    given = ClusterCommands(open_objects(place)).take()
    return sum(len(each.commands) for _, each in given if isinstance(each, TabletCommands))
