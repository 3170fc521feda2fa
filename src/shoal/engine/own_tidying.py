"""When is what went really gone? The table's files are written anew where own documents changed.

What is deleted stays in the files of a table until they are written anew, and what has just come is
not compressed yet. So after a look that took much in, or anything out, the stretches that changed
are rewritten, in quiet time. That it is owed stands in the table: after a kill all of one's own is
rewritten, once. Nothing is read or written for it while nothing changes.
"""

from collections.abc import Iterable, Iterator

from shoal.model.source import STOCK_KEYS, TIDY_KEY
from shoal.store.table import RocksTable

_MUCH = 200
"""Documents that came; fewer are left to the table's own care."""
_MOST_STRETCHES = 16
_FAMILIES = ("page", "text", "link", "mark")
_BEHIND = b"\xff"

Stretch = tuple[bytes, bytes]
"""Of rows."""


class Tidying:
    def __init__(self, table: RocksTable) -> None:
        self._table = table
        self._is_owed = table.get("site", TIDY_KEY) is not None
        self._all = self._is_owed
        """Nobody knows any more where."""
        self._rows: set[bytes] = set()
        self._first = self._last = b""
        self._came = 0

    @property
    def is_owed(self) -> bool:
        return self._is_owed

    def note(self, row: bytes, *, gone: bool) -> None:
        """A document came or went; before it is written."""
        self._first = min(self._first or row, row)
        self._last = max(self._last, row)
        self._came += 1
        if len(self._rows) <= _MOST_STRETCHES:
            self._rows.add(row)
        if not self._is_owed and (gone or self._came >= _MUCH):
            batch = self._table.batch()
            batch.put("site", TIDY_KEY, b"")
            self._table.write(batch)
            self._is_owed = True

    def begin(self, own: Iterable[bytes]) -> list[Stretch]:
        """What is to be rewritten. `own`: what the rows of all sources begin with."""
        stretches = list(self._stretches(own))
        self._is_owed = self._all = False
        self._rows, self._first, self._last, self._came = set(), b"", b"", 0
        return stretches

    def rewrite(self, stretches: Iterable[Stretch]) -> None:
        """Any thread may do it, whatever comes and goes meanwhile."""
        self._table.flush()
        for start, end in stretches:
            for family in _FAMILIES:
                self._table.compact_range(family, start, end)
        for keys in STOCK_KEYS:
            self._table.compact_range("site", keys, keys + _BEHIND)
        self._table.compact_range("change", None, None)

    def end(self) -> None:
        if not self._is_owed:  # by what has come or gone meanwhile
            batch = self._table.batch()
            batch.delete("site", TIDY_KEY)
            self._table.write(batch)

    def _stretches(self, own: Iterable[bytes]) -> Iterator[Stretch]:
        if self._all:
            yield from ((start, start + _BEHIND) for start in own)
        elif len(self._rows) <= _MOST_STRETCHES:
            yield from ((row, row + _BEHIND) for row in sorted(self._rows))
        else:
            yield self._first, self._last + _BEHIND
