"""Which URL of this site is next? A read-ahead over the site's range of the queue.

Taking from the head of a range leaves tombstones, so the range is read once, in batches, from a
cursor that never goes back to the start. Invariants:

1. Per level, what is in memory (`_ahead`) lies below the cursor, what is only on disk lies at or
   above it. So an entry that is inserted below the cursor must enter memory, or it would be lost
   until a restart.
2. Memory is bounded: what does not fit is dropped from its far end and the cursor set back to it.
3. What is in memory is in the table too, and in flight it is in neither: `next` tells the truth.

Within a site the order is level, then due time, then arrival: the next URL is the head of the first
level whose head is due.
"""

from heapq import heapify, heappop, heappush
from itertools import islice

from shoal.frontier.in_flight import InFlight
from shoal.frontier.rows import Entry, entry_key, level_start, read_entry
from shoal.ports import Table

_BATCH = 64
_MOST = 4 * _BATCH


class SiteQueue:
    def __init__(self, table: Table, site: bytes, levels: int, in_flight: InFlight) -> None:
        self._table = table
        self._site = site
        self._in_flight = in_flight
        """Rows whose entry is still on disk, until their commit, and must not be read again."""
        self._ahead: list[list[Entry]] = [[] for _ in range(levels)]
        self._cursor = [level_start(site, level) for level in range(levels)]
        self._exhausted = [False] * levels
        self._opened = False

    def pop(self, now_ms: int) -> Entry | None:
        """Take the next entry that is due; it is in flight until its commit deletes it."""
        for level, ahead in enumerate(self._ahead):
            self._fill(level)
            if ahead and ahead[0].due_ms <= now_ms:
                return heappop(ahead)
        return None

    def next(self, now_ms: int) -> tuple[int, int] | None:
        """(level, due) of the entry that `pop` would give or, if none is due, of the earliest."""
        earliest: tuple[int, int] | None = None
        for level, ahead in enumerate(self._ahead):
            self._fill(level)
            if ahead and ahead[0].due_ms <= now_ms:
                return level, ahead[0].due_ms
            if ahead and (earliest is None or ahead[0].due_ms < earliest[1]):
                earliest = level, ahead[0].due_ms
        return earliest

    def offer(self, entry: Entry) -> None:
        """An entry was written to the table, or a taken one was given back."""
        key = entry_key(self._site, entry)
        level, ahead = entry.level, self._ahead[entry.level]
        if key < self._cursor[level]:
            heappush(ahead, entry)
        elif self._exhausted[level] and len(ahead) < _BATCH:
            heappush(ahead, entry)
            self._cursor[level] = key + b"\x00"
        else:
            self._exhausted[level] = False
        if len(ahead) > _MOST:
            self._shrink(level)

    def withdraw(self, entry: Entry) -> None:
        """An entry that was not taken is being deleted from the table."""
        ahead = self._ahead[entry.level]
        if entry in ahead:
            ahead.remove(entry)
            heapify(ahead)

    def _shrink(self, level: int) -> None:
        ahead = sorted(self._ahead[level])
        self._cursor[level] = entry_key(self._site, ahead[_BATCH])
        self._ahead[level][:] = ahead[:_BATCH]  # sorted, so it is a heap
        self._exhausted[level] = False

    def _fill(self, level: int) -> None:
        if not self._opened:
            self._open()
        while not self._ahead[level] and not self._exhausted[level]:
            end = level_start(self._site, level + 1)
            keys = self._read(self._cursor[level], end)
            self._exhausted[level] = len(keys) < _BATCH
            self._take_in(level, keys)

    def _open(self) -> None:
        """Most sites have few entries: one read gives all levels, up to where it ends."""
        self._opened = True
        levels = len(self._ahead)
        keys = self._read(self._cursor[0], level_start(self._site, levels))
        last = levels if len(keys) < _BATCH else read_entry(self._site, keys[-1]).level
        for level in range(min(last + 1, levels)):
            self._exhausted[level] = level < last
            mark = level_start(self._site, level)
            self._take_in(level, [key for key in keys if key.startswith(mark)])

    def _read(self, start: bytes, end: bytes) -> list[bytes]:
        return [key for key, _ in islice(self._table.scan("queue", start, end), _BATCH)]

    def _take_in(self, level: int, keys: list[bytes]) -> None:
        if keys:
            self._cursor[level] = keys[-1] + b"\x00"
        entries = (read_entry(self._site, key) for key in keys)
        self._ahead[level] += [entry for entry in entries if entry.row not in self._in_flight]
