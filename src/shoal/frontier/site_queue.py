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
from shoal.model.cell import NUL
from shoal.ports import Table

_FIRST = 8
"""What is read at first: most sites have few entries that are due. Twice as much each time."""
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
        self._was_read = [False] * levels
        self._at_once = _FIRST

    def pop(self, now_ms: int) -> Entry | None:
        """Take the next entry that is due; it is in flight until its commit deletes it."""
        for level, ahead in enumerate(self._ahead):
            if not (ahead or self._exhausted[level]):
                self._fill(level)
            if ahead and ahead[0].due_ms <= now_ms:
                return heappop(ahead)
        return None

    def next(self, now_ms: int) -> tuple[int, int] | None:
        """(level, due) of the entry that `pop` would give or, if none is due, of the earliest."""
        earliest: tuple[int, int] | None = None
        for level, ahead in enumerate(self._ahead):
            if not (ahead or self._exhausted[level]):
                self._fill(level)
            if not ahead:
                continue
            due_ms = ahead[0].due_ms
            if due_ms <= now_ms:
                return level, due_ms
            if earliest is None or due_ms < earliest[1]:
                earliest = level, due_ms
        return earliest

    def offer(self, entry: Entry) -> None:
        """An entry was written to the table, or a taken one was given back."""
        key = entry_key(self._site, entry)
        level, ahead = entry.level, self._ahead[entry.level]
        if key < self._cursor[level]:
            heappush(ahead, entry)
        elif self._exhausted[level] and len(ahead) < _BATCH:
            heappush(ahead, entry)
            self._cursor[level] = key + NUL
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
        """One read for this level and for those behind it that were never read, up to where it
        ends: nearly always it reaches the end of them all."""
        levels = len(self._ahead)
        while not self._ahead[level] and not self._exhausted[level]:
            stop = next((n for n in range(level + 1, levels) if self._was_read[n]), levels)
            entries = self._read(self._cursor[level], level_start(self._site, stop), self._at_once)
            last = stop if len(entries) < self._at_once else entries[-1].level
            for each in range(level, min(last + 1, stop)):
                self._was_read[each] = True
                self._exhausted[each] = each < last
            self._at_once = min(_BATCH, 2 * self._at_once)

    def _read(self, start: bytes, end: bytes, most: int) -> list[Entry]:
        """Take in what comes next in a range; returns all that was there."""
        site, entries = self._site, []
        for key, _ in islice(self._table.scan("queue", start, end), most):
            entry = read_entry(site, key)
            entries.append(entry)
            self._cursor[entry.level] = key + NUL
            if entry.row not in self._in_flight:
                self._ahead[entry.level].append(entry)  # in the order of keys, so it is a heap
        return entries
