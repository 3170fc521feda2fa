"""What stood in this cell at that time? Rows with columns and timestamps on an ordered table.

The newest version of a cell stands under `row NUL qualifier`, so that reading it is one point
lookup that a filter can answer. Older versions stand under the same key plus NUL and the time,
inverted, so that `get(…, at=time)` is one seek. Row keys and qualifiers contain no NUL.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from shoal.model.cell import (
    LAST_MS,
    NUL,
    newest_key,
    older_key,
    stamp_of,
    stamped,
    time_in_older_key,
    to_ms,
    value_of,
)
from shoal.ports import Batch, Table


class Cell(NamedTuple):
    row: bytes
    qualifier: bytes
    when: float
    value: bytes


class Cells:
    """The cells of one table. A column is `family:qualifier`."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def get(self, row: bytes, column: str, at: float | None = None) -> Cell | None:
        """The newest version, or the newest that is not later than `at`."""
        family, qualifier = _split(column)
        key = newest_key(row, qualifier)
        stored = self._table.get(family, key)
        if stored is None:
            return None
        newest = _newest(row, qualifier, stored)
        if at is None or to_ms(newest.when) <= to_ms(at):
            return newest
        return next(self._older(row, family, qualifier, to_ms(at)), None)

    def versions(self, row: bytes, column: str) -> Iterator[Cell]:
        """Every version that is kept, newest first."""
        family, qualifier = _split(column)
        stored = self._table.get(family, newest_key(row, qualifier))
        if stored is not None:
            yield _newest(row, qualifier, stored)
            yield from self._older(row, family, qualifier, LAST_MS)

    def put(  # noqa: PLR0913 - a cell is a row, a column, a value and a time
        self, batch: Batch, row: bytes, column: str, value: bytes, when: float, keep: int = 1
    ) -> None:
        """Write a version; `keep` is how many stay. One that is older than the newest takes its
        place in the past (an import, for instance, brings yesterday's page after today's)."""
        family, qualifier = _split(column)
        key = newest_key(row, qualifier)
        stored = self._table.get(family, key)
        when_ms = to_ms(when)
        old_ms = when_ms if stored is None else stamp_of(stored)
        if when_ms >= old_ms:
            batch.put(family, key, stamped(when_ms, value))
        if stored is None or when_ms == old_ms:
            return
        if when_ms > old_ms:
            batch.put(family, older_key(row, qualifier, old_ms), value_of(stored))
        else:
            batch.put(family, older_key(row, qualifier, when_ms), value)
        older = {to_ms(cell.when) for cell in self._older(row, family, qualifier, LAST_MS)}
        older.add(min(when_ms, old_ms))
        for surplus_ms in sorted(older, reverse=True)[max(0, keep - 1) :]:
            batch.delete(family, older_key(row, qualifier, surplus_ms))

    def first(  # noqa: PLR0913 - likewise
        self, batch: Batch, row: bytes, column: str, value: bytes, when: float, keep: int = 1
    ) -> None:
        """`put` for a cell that was never written: there is no older version to look for."""
        del keep
        family, qualifier = _split(column)
        batch.put(family, newest_key(row, qualifier), stamped(to_ms(when), value))

    def set(  # noqa: PLR0913 - likewise
        self, batch: Batch, row: bytes, family: str, qualifier: bytes, value: bytes, when: float
    ) -> None:
        """Write the only version of a cell, without looking at what was there: for the many
        anchors."""
        batch.put(family, newest_key(row, qualifier), stamped(to_ms(when), value))

    def delete(self, batch: Batch, row: bytes, column: str) -> None:
        """Forget a cell with all its versions."""
        family, qualifier = _split(column)
        batch.delete(family, newest_key(row, qualifier))
        for cell in self._older(row, family, qualifier, LAST_MS):
            batch.delete(family, older_key(row, qualifier, to_ms(cell.when)))

    def scan(self, family: str, start: bytes, end: bytes | None = None) -> Iterator[Cell]:
        """The newest cells of a range of rows, in row order."""
        for key, stored in self._table.scan(family, start, end):
            row, _, rest = key.partition(NUL)
            qualifier, is_older, _ = rest.partition(NUL)
            if not is_older:
                yield _newest(row, qualifier, stored)

    def row(self, family: str, row: bytes) -> Iterator[Cell]:
        """The newest cells of one row and family: `anchor` gives every page that links to it."""
        return self.scan(family, row + NUL, row + b"\x01")

    def _older(self, row: bytes, family: str, qualifier: bytes, at_ms: int) -> Iterator[Cell]:
        start = older_key(row, qualifier, at_ms)
        for key, value in self._table.scan(family, start, newest_key(row, qualifier) + b"\x01"):
            yield Cell(row, qualifier, time_in_older_key(key) / 1000, value)


@lru_cache(256)
def _split(column: str) -> tuple[str, bytes]:
    family, _, qualifier = column.partition(":")
    return family, qualifier.encode()


def _newest(row: bytes, qualifier: bytes, stored: bytes) -> Cell:
    return Cell(row, qualifier, stamp_of(stored) / 1000, value_of(stored))
