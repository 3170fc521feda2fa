"""Which idle site is woken next? Mercator's front queues, as an index on disk (W3).

One entry per idle site with work, `level | ready time | site`. A level is drawn at random among
those with a site that is ready, each level `bias` times as likely as the one below it; within it
the site that has been ready longest is taken. The index is a queue that is eaten at its head, so
the lowest key that may live is remembered per level: a scan from the start would walk over the
tombstones again. A batch that was given to `insert` is written before the next `choose`.
"""

from random import Random

from shoal.frontier.rows import FRONT_MARK, front_key, read_front_key
from shoal.ports import Batch, Table


class Front:
    def __init__(self, table: Table, levels: int, bias: float, random: Random) -> None:
        self._table = table
        self._random = random
        self._weights = [bias ** (levels - level) for level in range(levels)]
        self._low = [FRONT_MARK + bytes([level]) for level in range(levels)]
        self._end = [FRONT_MARK + bytes([level + 1]) for level in range(levels)]
        self._head: list[bytes | None] = [None] * levels
        self._known = [False] * levels
        """Whether `_head` tells the truth about the table."""

    def insert(self, batch: Batch, level: int, ready_ms: int, site: bytes) -> None:
        key = front_key(level, ready_ms, site)
        batch.put("queue", key, b"")
        self._low[level] = min(self._low[level], key)
        head = self._head[level]
        if self._known[level] and (head is None or key < head):
            self._head[level] = key

    def remove(self, batch: Batch, level: int, ready_ms: int, site: bytes) -> None:
        key = front_key(level, ready_ms, site)
        batch.delete("queue", key)
        if self._known[level] and self._head[level] == key:
            self._known[level] = False
            self._low[level] = key + b"\x00"

    def choose(self, now_ms: int) -> tuple[int, int, bytes] | None:
        """(level, ready, site) of the site to wake, or None when none is ready."""
        ready = [
            (level, head)
            for level in range(len(self._weights))
            if (head := self.head(level)) is not None and head[1] <= now_ms
        ]
        if not ready:
            return None
        weights = [self._weights[level] for level, _ in ready]
        return self._random.choices([head for _, head in ready], weights)[0]

    def earliest_ms(self) -> int | None:
        """When the next idle site becomes ready."""
        heads = [self.head(level) for level in range(len(self._weights))]
        return min((head[1] for head in heads if head is not None), default=None)

    def head(self, level: int) -> tuple[int, int, bytes] | None:
        if not self._known[level]:
            scan = self._table.scan("queue", self._low[level], self._end[level])
            self._head[level] = next((key for key, _ in scan), None)
            self._known[level] = True
            if (key := self._head[level]) is not None:
                self._low[level] = key
        key = self._head[level]
        return None if key is None else read_front_key(key)
