"""How is a running cluster told something? By an order, laid down where it looks every second."""

import secrets
import time
from collections.abc import Iterator

from shoal.cluster.objects import Missing, Objects, open_objects
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


class Tell(Struct, tag="tell"):
    """What people want of the crawl: told to the tablets that it concerns."""

    commands: list[Command]


Order = Drain | Rebalance | StopAll | Tell


class Orders:
    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def post(self, order: Order) -> None:
        key = f"{_FOLDER}/{time.time_ns():020}-{secrets.token_hex(4)}"
        self._objects.put(key, to_json(order))

    def take(self) -> Iterator[tuple[str, Order]]:
        """In the order in which they were given; each is `done` with afterwards."""
        for key, _ in self._objects.names(_FOLDER):
            try:
                order: Order = from_json(Order, self._objects.get(key))  # type: ignore[arg-type]
            except Missing:
                continue
            except JSON_ERRORS:
                self.done(key)
                continue
            yield key, order

    def done(self, key: str) -> None:
        self._objects.delete([key])


def post(place: str, order: Order) -> None:
    Orders(open_objects(place)).post(order)
