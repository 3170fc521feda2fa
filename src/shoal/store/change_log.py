"""What changed, in which order? The log that followers read: numbers without a gap, a row each.

A number is handed out with the batch that it goes into. What every follower has taken in is
forgotten from the head.
"""

from collections.abc import Iterator
from itertools import islice

from shoal.model.record import pack, unpack
from shoal.ports import Batch, Table
from shoal.store.rows import Change, What

_NUMBER_BYTES = 8
_MOST_AWAITED = 100
SEQUENCE_KEY = b"\x00sequence"


class ChangeLog:
    def __init__(self, table: Table) -> None:
        self._table = table
        self.last = last_sequence(table)
        """The number of the newest change, also while it is only in a batch."""
        self._awaited: list[int] = []

    def append(self, batch: Batch, row: bytes, what: What, when: float) -> None:
        self.last += 1
        key = self.last.to_bytes(_NUMBER_BYTES, "big")
        batch.put("change", key, pack(Change(row, what, when)))
        batch.put("site", SEQUENCE_KEY, key)

    def await_since(self, number: int) -> None:
        """Somebody waits for the changes behind a number: followers are to be told of them. The
        first of many are enough: the others come in their order."""
        room = _MOST_AWAITED - len(self._awaited)
        self._awaited += range(number + 1, min(self.last, number + room) + 1)

    def take_awaited(self) -> list[int]:
        """Their numbers, once."""
        taken, self._awaited = self._awaited, []
        return taken

    def get(self, number: int) -> Change | None:
        stored = self._table.get("change", number.to_bytes(_NUMBER_BYTES, "big"))
        return None if stored is None else unpack(Change, stored)

    def after(self, number: int) -> Iterator[tuple[int, Change]]:
        """Those behind a number, with theirs."""
        start = (number + 1).to_bytes(_NUMBER_BYTES, "big")
        for key, value in self._table.scan("change", start):
            yield int.from_bytes(key, "big"), unpack(Change, value)

    def first(self) -> int:
        """The number of the oldest change that is still there; 0 when none is."""
        return next((int.from_bytes(key, "big") for key, _ in self._table.scan("change", b"")), 0)

    def forget(self, batch: Batch, up_to: int, at_most: int) -> int:
        """Changes that every follower has taken in. Returns how many were forgotten."""
        end = (up_to + 1).to_bytes(_NUMBER_BYTES, "big")
        keys = [key for key, _ in islice(self._table.scan("change", b"", end), at_most)]
        for key in keys:
            batch.delete("change", key)
        return len(keys)


def last_sequence(table: Table) -> int:
    """The number of the newest change."""
    stored = table.get("site", SEQUENCE_KEY)
    return 0 if stored is None else int.from_bytes(stored, "big")
