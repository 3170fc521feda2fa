"""Which URL of this site is next? A read-ahead over the site's range of the queue.

Taking from the head of a range leaves tombstones, so the range is read once, in batches, from a
cursor that never goes back to the start. Invariants:

1. Per level, what is in memory (`_ahead`) lies below the cursor, what is only on disk lies at or
   above it. So an entry that is inserted below the cursor must enter memory, or it would be lost
   until a restart.
2. Memory is bounded: what does not fit is dropped from its far end and the cursor set back to it.
3. What is in memory is in the table too, and in flight it is in neither: `next` tells the truth.

Within a site the order is level, then due time, then arrival: the next URL is the head of the first
level whose head is due. Revisits have levels of their own behind the others (`rows.REVISIT`); which
of the two come first, and from when on, is for the allowance to say.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import islice

from shoal.frontier.schedule.allowance import ONLY_NEW, Doors
from shoal.frontier.state.in_flight import InFlight
from shoal.frontier.state.rows import REVISIT, Entry, entry_key, level_start, read_entry
from shoal.model.cell import NUL
from shoal.ports import Table

_FIRST = 8
"""What is read at first: most sites have few entries that are due. Twice as much each time."""
_BATCH = 64
_MOST = 4 * _BATCH
_LAST = 255


class SiteQueue:
    def __init__(
        self,
        table: Table,
        site: bytes,
        levels: int,
        in_flight: InFlight,
        doors: Callable[[int], Doors] = lambda _now_ms: ONLY_NEW,
    ) -> None:
        self._table = table
        self._site = site
        self._in_flight = in_flight
        """Rows whose entry is still on disk, until their commit, and must not be read again."""
        self._doors = doors
        self._levels = [*range(levels), *(REVISIT | level for level in range(levels))]
        self._new, self._revisits = range(levels), range(levels, 2 * levels)
        """What follows is by the place of a level in `_levels`."""
        self._ahead: list[list[Entry]] = [[] for _ in self._levels]
        self._cursor = [level_start(site, level) for level in self._levels]
        self._exhausted = [False] * len(self._levels)
        self._was_read = [False] * len(self._levels)
        self._at_once = _FIRST

    def pop(self, now_ms: int, *, revisit_first: bool = False) -> Entry | None:
        """Take the next entry that is due; it is in flight until its commit deletes it."""
        doors = self._doors(now_ms)
        for place in self._order(doors, revisit_first=revisit_first):
            ahead = self._ahead[place]
            if not (ahead or self._exhausted[place]):
                self._fill(place)
            if ahead and doors.opens_ms(ahead[0]) <= now_ms:
                return heappop(ahead)
        return None

    def _order(self, doors: Doors, *, revisit_first: bool) -> list[int]:
        if doors is ONLY_NEW:
            return list(self._new)
        wish, sources = self._new[0], self._revisits[0]  # a person's wish is next, whatever is due
        if revisit_first:
            return [wish, *self._revisits, *self._new[1:]]
        return [wish, sources, *self._new[1:], *self._revisits[1:]]

    def next(self, now_ms: int) -> tuple[int, int] | None:
        """(level, due) of the entry that `pop` would give or, if none is due, of the earliest."""
        doors = self._doors(now_ms)
        earliest: tuple[int, int] | None = None
        for place, ahead in enumerate(self._ahead):
            if not (ahead or self._exhausted[place]):
                self._fill(place)
            if not ahead:
                continue
            due_ms = doors.opens_ms(ahead[0])
            if due_ms <= now_ms:
                return self._levels[place], due_ms
            if earliest is None or due_ms < earliest[1]:
                earliest = self._levels[place], due_ms
        return earliest

    def _place(self, level: int) -> int:
        """A level that is no longer there, since the settings have fewer, is the last one."""
        most = len(self._new)
        return min(level, most - 1) if level < REVISIT else most + min(level - REVISIT, most - 1)

    def offer(self, entry: Entry) -> None:
        """An entry was written to the table, or a taken one was given back."""
        key = entry_key(self._site, entry)
        level = self._place(entry.level)
        ahead = self._ahead[level]
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
        place = self._place(entry.level)
        ahead = self._ahead[place]
        if entry_key(self._site, entry) < self._cursor[place] and entry in ahead:
            ahead.remove(entry)
            heapify(ahead)

    def _shrink(self, place: int) -> None:
        ahead = sorted(self._ahead[place])
        self._cursor[place] = entry_key(self._site, ahead[_BATCH])
        self._ahead[place][:] = ahead[:_BATCH]  # sorted, so it is a heap
        self._exhausted[place] = False

    def _fill(self, place: int) -> None:
        """One read for this level and for those behind it that were never read, up to where it
        ends: nearly always it reaches the end of them all."""
        places = len(self._ahead)
        while not self._ahead[place] and not self._exhausted[place]:
            stop = next((n for n in range(place + 1, places) if self._was_read[n]), places)
            end = _LAST if stop == places else self._levels[stop]
            entries = self._read(self._cursor[place], level_start(self._site, end), self._at_once)
            last = stop if len(entries) < self._at_once else self._place(entries[-1].level)
            for each in range(place, min(last + 1, stop)):
                self._was_read[each] = True
                self._exhausted[each] = each < last
            self._at_once = min(_BATCH, 2 * self._at_once)

    def _read(self, start: bytes, end: bytes, most: int) -> list[Entry]:
        """Take in what comes next in a range; returns all that was there."""
        site, entries = self._site, []
        for key, _ in islice(self._table.scan("queue", start, end), most):
            entry = read_entry(site, key)
            entries.append(entry)
            place = self._place(entry.level)
            self._cursor[place] = key + NUL
            if entry.row not in self._in_flight:
                self._ahead[place].append(entry)  # in the order of keys, so it is a heap
        return entries
