"""What is on its way to other tablets, and how far have theirs come? In the table, with the rest.

    outbox  target (2) | epoch (8) | number (8)   →  an item, put there by the batch it comes from
    site    00 outbox                             →  a number that none was given out above of
            00 freed 00 target (2)                →  up to here the target has them for good
            00 taken 00 sender (2)                →  up to here the sender's items had their effect

Numbers only grow, and an epoch's come after those of the epochs before it (model/messages.py says
why both are needed). An item is deleted when its receiver says that it is durable, not before.
"""

import struct
from collections import Counter
from collections.abc import Callable
from itertools import islice

from shoal.model.messages import NOWHERE, Delivery, Item, Position, Receipt
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import Partition, tablet_of_site
from shoal.ports import Batch, Table

_KEY = struct.Struct(">HQQ")
_TARGET = struct.Struct(">H")
_NUMBER = b"\x00outbox"
_FREED = b"\x00freed\x00"
_TAKEN = b"\x00taken\x00"
_FREED_AT_ONCE = 5_000
_NUMBERS_AT_ONCE = 1000
"""So many are set aside at a time: one entry of the books for many items."""
OUTBOX_KEYS = (_NUMBER, _FREED, _TAKEN)
"""Where the exchange keeps its books in the family `site`."""


class Outbox:
    """The Elsewhere port: what leaves."""

    def __init__(self, table: Table, partition: Partition, epoch: int) -> None:
        self._table = table
        self._partition = partition
        self._epoch = epoch
        stored = table.get("site", _NUMBER)
        self._number = self._set_aside = 0 if stored is None else unpack(int, stored)
        self._waiting: Counter[int] = Counter()
        for key, _ in table.scan("outbox", b""):
            self._waiting[_KEY.unpack(key)[0]] += 1
        self.sent = 0
        """Items put here by this process; with it, somebody who watches sees that it was busy."""
        self.on_new: Callable[[], None] = lambda: None

    @property
    def number(self) -> int:
        return self._partition.number

    @property
    def depth(self) -> int:
        """Items that wait, or are not known to be durable where they went."""
        return sum(self._waiting.values())

    def targets(self) -> list[int]:
        return [target for target, count in self._waiting.items() if count > 0]

    def depth_for(self, target: int) -> int:
        return self._waiting[target]

    def owns(self, site: bytes) -> bool:
        return self._partition.owns(site)

    def send(self, batch: Batch, site: bytes, item: Item) -> None:
        self.send_to(batch, tablet_of_site(site, self._partition.tablets), item)

    def send_all(self, batch: Batch, item: Item) -> None:
        for target in range(self._partition.tablets):
            if target != self._partition.number:
                self.send_to(batch, target, item)

    def send_to(self, batch: Batch, target: int, item: Item) -> None:
        self._number += 1
        batch.put("outbox", _KEY.pack(target, self._epoch, self._number), pack(item))
        if self._number > self._set_aside:  # in the batch of the first item that needs it
            self._set_aside = self._number + _NUMBERS_AT_ONCE
            batch.put("site", _NUMBER, pack(self._set_aside))
        self._waiting[target] += 1
        self.sent += 1
        self.on_new()

    def after(
        self, target: int, position: Position, most_items: int, most_bytes: int
    ) -> list[tuple[Position, bytes]]:
        """The next items for a target behind a position."""
        start = _KEY.pack(target, position.epoch, position.number + 1)
        found: list[tuple[Position, bytes]] = []
        size = 0
        for key, value in self._table.scan("outbox", start, _end_of(target)):
            _, epoch, number = _KEY.unpack(key)
            size += len(value)
            if found and size > most_bytes:
                break
            found.append((Position(epoch, number), value))
            if len(found) == most_items:
                break
        return found

    def freed(self, target: int) -> Position:
        stored = self._table.get("site", _FREED + _TARGET.pack(target))
        return NOWHERE if stored is None else unpack(Position, stored)

    def free(self, target: int, position: Position) -> None:
        """The target has everything up to here for good."""
        end = _KEY.pack(target, position.epoch, position.number + 1)
        start = _KEY.pack(target, 0, 0)
        while True:
            keys = [
                key for key, _ in islice(self._table.scan("outbox", start, end), _FREED_AT_ONCE)
            ]
            if not keys:
                return
            batch = self._table.batch()
            for key in keys:
                batch.delete("outbox", key)
            _, epoch, number = _KEY.unpack(keys[-1])
            batch.put("site", _FREED + _TARGET.pack(target), pack(Position(epoch, number)))
            self._table.write(batch)
            self._waiting[target] -= len(keys)
            start = keys[-1]


class Arrivals:
    """How far this tablet has come with the items of each sender."""

    def __init__(self, table: Table) -> None:
        self._applied: dict[int, Position] = {}
        for key, value in table.scan("site", _TAKEN, _TAKEN[:-1] + b"\x01"):
            sender = _TARGET.unpack(key[len(_TAKEN) :])[0]
            self._applied[sender] = unpack(Position, value)
        self._durable = dict(self._applied)
        self.taken = 0
        """Items that had their effect in this process."""

    def new(self, delivery: Delivery) -> list[tuple[Position, bytes]]:
        """Of a delivery, what did not have its effect yet. Nothing of one that comes too early:
        what is before it is still on its way."""
        applied = self._applied.get(delivery.sender, NOWHERE)
        if delivery.after > applied:
            return []
        return [each for each in delivery.items if each[0] > applied]

    def note(self, batch: Batch, sender: int, position: Position) -> None:
        """In the batch of what they change;"""
        batch.put("site", _TAKEN + _TARGET.pack(sender), pack(position))

    def written(self, sender: int, position: Position, items: int) -> None:
        """and once that is written, not before: another thread may be making it durable."""
        self._applied[sender] = position
        self.taken += items

    def receipt(self, sender: int) -> Receipt:
        applied = self._applied.get(sender, NOWHERE)
        return Receipt(applied, self._durable.get(sender, NOWHERE))

    def now(self) -> dict[int, Position]:
        """To be taken before what was written is made durable, and told to `settle` after it."""
        return dict(self._applied)

    def settle(self, durable: dict[int, Position]) -> None:
        self._durable = durable


def read_item(data: bytes) -> Item:
    found: Item = unpack(Item, data)  # type: ignore[arg-type]  # a union is a kind, too
    return found


def _end_of(target: int) -> bytes:
    return _KEY.pack(target, (1 << 64) - 1, (1 << 64) - 1)
