"""When may this address be asked again? One clock per `address:port`, beside the hosts' own (W2).

It protects a server that carries many hosts: two requests to one address are a small gap apart,
whatever the hosts. The gap is a share of the delay, so that a CDN is not serialised. A host's
address is known from its last answer.
"""

import math
from collections import OrderedDict
from typing import NamedTuple

from shoal.frontier.rows import ADDRESSES_KEY
from shoal.model.record import pack, unpack
from shoal.ports import Batch, Table

_KEPT = 100_000


class Turn(NamedTuple):
    """An address is asked: its clock before and after."""

    address: str = ""
    before: float = 0.0
    after: float = 0.0


class Addresses:
    def __init__(self, table: Table, gap_seconds: float, now: float) -> None:
        self._gap = gap_seconds
        self._ready: OrderedDict[str, float] = OrderedDict()
        self._all_asked = 0.0
        """After a kill, any of them may have been asked just now."""
        stored = table.get("site", ADDRESSES_KEY)
        if stored is None:
            self._all_asked = now + gap_seconds
            return
        for address, ready_ms in unpack(dict[str, int], stored).items():
            # No clock lies further ahead than one gap, whatever the wall clock did meanwhile.
            self._ready[address] = min(ready_ms / 1000, now + gap_seconds)
        batch = table.batch()
        batch.delete("site", ADDRESSES_KEY)
        table.write(batch)

    def ready_at(self, address: str) -> float:
        return max(self._ready.get(address, 0.0), self._all_asked) if address else 0.0

    def start(self, address: str, now: float) -> Turn:
        """The address is being asked, or has just answered."""
        if not address or self._gap <= 0:
            return Turn()
        before = self.ready_at(address)
        turn = Turn(address, before, max(now + self._gap, before))
        self._ready[address] = turn.after
        self._ready.move_to_end(address)
        if len(self._ready) > _KEPT:
            self._ready.popitem(last=False)
        return turn

    def take_back(self, turn: Turn) -> None:
        """Nothing was asked after all, and nobody took a turn since."""
        if self._ready.get(turn.address) == turn.after:
            self._ready[turn.address] = turn.before

    def save(self, batch: Batch, now: float) -> None:
        ahead = {a: math.ceil(ready * 1000) for a, ready in self._ready.items() if ready > now}
        batch.put("site", ADDRESSES_KEY, pack(ahead))
