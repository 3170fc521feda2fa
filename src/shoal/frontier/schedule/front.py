"""Which idle site is woken next? Mercator's front queues, as an index on disk.

One entry per idle site with work, `rank | ready time | site`. A rank is a domain's standing
(credit.py) and, within it, a level. Of the standings the best one with a site that is ready comes
first; within it a level is drawn at random, each `bias` times as likely as the one below it;
within that the site that has been ready longest is taken. The index is a queue that is eaten at its
head, so the lowest key that may live is remembered per rank: a scan from the start would walk over
the tombstones again. A batch that was given to `insert` is written before the next `choose`.
"""

from random import Random

from shoal.frontier.schedule.credit import standings
from shoal.frontier.state.rows import FRONT_MARK, front_key, read_front_key
from shoal.ports import Batch, Table

Head = tuple[int, int, bytes]
"""(rank, ready, site)"""


class Front:
    def __init__(self, table: Table, levels: int, bias: float, random: Random) -> None:
        self._table = table
        self._random = random
        self._levels = levels
        self._weights = [bias ** (levels - level) for level in range(levels)]
        ranks = range(levels * standings(levels))
        self._low = [FRONT_MARK + bytes([rank]) for rank in ranks]
        self._end = [FRONT_MARK + bytes([rank + 1]) for rank in ranks]
        self._head: list[Head | None] = [None] * len(ranks)
        self._known = [False] * len(ranks)
        """Whether `_head` tells the truth about the table."""
        self._used = list(ranks)
        """Ranks that may have an entry, in order: nearly always a few of them."""
        self._heads: list[Head] | None = None
        """What `heads` gives, until one of them changes."""

    def rank(self, standing: int, level: int) -> int:
        return standing * self._levels + level

    def level_of(self, rank: int) -> int:
        return rank % self._levels

    def standing_of(self, rank: int) -> int:
        return rank // self._levels

    def insert(self, batch: Batch, rank: int, ready_ms: int, site: bytes) -> None:
        key = front_key(rank, ready_ms, site)
        batch.put("queue", key, b"")
        self._low[rank] = min(self._low[rank], key)
        head = self._head[rank]
        if self._known[rank] and (head is None or (ready_ms, site) < head[1:]):
            self._head[rank] = (rank, ready_ms, site)
            self._heads = None
            if head is None:
                self._used = sorted({*self._used, rank})

    def remove(self, batch: Batch, rank: int, ready_ms: int, site: bytes) -> None:
        key = front_key(rank, ready_ms, site)
        batch.delete("queue", key)
        if self._known[rank] and self._head[rank] == (rank, ready_ms, site):
            self._known[rank] = False
            self._heads = None
            self._low[rank] = key + b"\x00"

    def choose(self, now_ms: int) -> Head | None:
        """The site to wake, or None when none is ready."""
        ready = [head for head in self.heads() if head[1] <= now_ms]
        if not ready:
            return None
        best = self.standing_of(ready[0][0])
        ready = [head for head in ready if self.standing_of(head[0]) == best]
        weights = [self._weights[self.level_of(head[0])] for head in ready]
        return self._random.choices(ready, weights)[0]

    def best_standing(self, now_ms: int) -> int | None:
        """Of the sites that are ready; None when none is."""
        for rank, ready_ms, _ in self.heads():
            if ready_ms <= now_ms:
                return self.standing_of(rank)
        return None

    def earliest_ms(self) -> int | None:
        """When the next idle site becomes ready."""
        return min((head[1] for head in self.heads()), default=None)

    def head(self, rank: int) -> Head | None:
        if not self._known[rank]:
            first = next(self._table.scan("queue", self._low[rank], self._end[rank]), None)
            self._head[rank] = None if first is None else read_front_key(first[0])
            self._known[rank] = True
            if first is not None:
                self._low[rank] = first[0]
        return self._head[rank]

    def heads(self) -> list[Head]:
        """The first entry of every rank that has one, best rank first."""
        if self._heads is None:
            self._heads = [head for rank in self._used if (head := self.head(rank)) is not None]
            self._used = [rank for rank, _, _ in self._heads]
        return self._heads
