"""When may this address be asked again? One clock per `address:port`, beside the hosts' own.

It protects a server that carries many hosts: two requests to one address are a small gap apart,
whatever the hosts. The gap is a share of the delay, so that a CDN is not serialised. A host's
address is known from its last answer. Of many tablets each has a part of an address (shares.py).
"""

import math
from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from shoal.frontier.schedule.shares import Borrower
from shoal.frontier.state.rows import ADDRESSES_KEY
from shoal.model.record import pack, unpack
from shoal.ports import Batch, Table

_KEPT = 100_000


class Turn(NamedTuple):
    """An address is asked: its clock before and after."""

    address: str = ""
    before: float = 0.0
    after: float = 0.0


class Addresses:
    def __init__(
        self, table: Table, gap_seconds: float, now: float, borrower: Borrower | None = None
    ) -> None:
        """Without a borrower all of an address is ours."""
        self._borrower = borrower
        self._gap = gap_seconds if borrower is None else borrower.longest_gap
        self._ready: OrderedDict[str, float] = OrderedDict()
        self._all_requested = 0.0
        """After a kill, any of them may have been asked just now."""
        stored = table.get("site", ADDRESSES_KEY)
        if stored is None:
            self._all_requested = now + self._gap
            return
        for address, ready_ms in unpack(dict[str, int], stored).items():
            # No clock lies further ahead than one gap, whatever the wall clock did meanwhile.
            self._ready[address] = min(ready_ms / 1000, now + self._gap)
        batch = table.batch()
        batch.delete("site", ADDRESSES_KEY)
        table.write(batch)

    def ready_at(self, address: str) -> float:
        return max(self._ready.get(address, 0.0), self._all_requested) if address else 0.0

    def start(self, address: str, now: float) -> Turn:
        """The address is being asked, or has just answered."""
        if not address or self._gap <= 0:
            return Turn()
        before = self.ready_at(address)
        gap = self._gap if self._borrower is None else self._borrower.gap(address)
        turn = Turn(address, before, max(now + gap, before))
        self._ready[address] = turn.after
        self._ready.move_to_end(address)
        if len(self._ready) > _KEPT:
            self._ready.popitem(last=False)
        return turn

    def take_back(self, turn: Turn) -> None:
        """Nothing was asked after all, and nobody took a turn since."""
        if self._ready.get(turn.address) == turn.after:
            self._ready[turn.address] = turn.before

    def press(self, address: str) -> None:
        """Somebody waits for nothing but this address."""
        if self._borrower is not None:
            self._borrower.press(address)

    def shorten(self, addresses: Iterable[str], now: float) -> None:
        """More of them is ours than when their clocks were set."""
        for address in addresses:
            if self._borrower is not None and address in self._ready:
                ready = now + self._borrower.gap(address)
                self._ready[address] = min(self._ready[address], ready)

    def save(self, batch: Batch, now: float) -> None:
        ahead = {a: math.ceil(ready * 1000) for a, ready in self._ready.items() if ready > now}
        batch.put("site", ADDRESSES_KEY, pack(ahead))
