"""Where does an idle site stand in the front index? One entry, the best of what waits at it."""

from shoal.frontier.outcome.queue_order import Order
from shoal.frontier.schedule.front import Front
from shoal.frontier.schedule.sites import Sites
from shoal.ports import Batch


class FrontPlaces:
    def __init__(self, sites: Sites, front: Front, order: Order) -> None:
        self._sites, self._front, self._order = sites, front, order

    def place(self, batch: Batch, site: bytes, level: int, ready_ms: int) -> None:
        """An idle site has work of this level from this time on: its entry is the best of both.

        Never from earlier than now, or sites that were just found would always come before those
        that wait for their second turn.
        """
        row, front = self._sites.row(site), self._front
        level = self._order.front_level(level)
        ready_ms = max(ready_ms, row.rest_until_ms)
        if row.entry_level >= 0:
            level = min(level, front.level_of(row.entry_level))
            ready_ms = min(ready_ms, row.entry_ready_ms)
        rank = front.rank(self._sites.credit.standing(site), level)
        if (rank, ready_ms) == (row.entry_level, row.entry_ready_ms):
            return
        self.displace(batch, site)
        row.entry_level, row.entry_ready_ms = rank, ready_ms
        front.insert(batch, rank, ready_ms, site)
        self._sites.touch(site)

    def place_again(self, batch: Batch, site: bytes) -> None:
        """Its domain's standing has changed."""
        row = self._sites.row(site)
        if row.entry_level >= 0:
            level = self._front.level_of(row.entry_level)
            self.place(batch, site, level, row.entry_ready_ms)

    def displace(self, batch: Batch, site: bytes) -> None:
        """Take an idle site out of the front index, if it is there."""
        row = self._sites.row(site)
        if row.entry_level >= 0:
            self._front.remove(batch, row.entry_level, row.entry_ready_ms, site)
            row.entry_level = -1
            self._sites.touch(site)
