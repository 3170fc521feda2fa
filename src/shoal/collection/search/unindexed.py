"""What may someone no longer read, though the index does not know it yet? Rows, to be left out.

A change of permissions holds at once: until the index has it, what it took away is in no list and
no number. Only changes behind the index are looked at, each once.
"""

import threading
from collections.abc import Callable, Sequence

from shoal.model.principal import Principal
from shoal.ports import Table
from shoal.store.change_log import last_sequence
from shoal.store.pages import PageStore
from shoal.store.rows import What


class Unindexed:
    """Of one principal; for any number of threads."""

    def __init__(self, table: Table, store: PageStore, principal: Principal) -> None:
        self._table = table
        self._store = store
        self._principal = principal
        self._lock = threading.Lock()
        self._from = self._up_to = 0
        self._hidden: dict[bytes, None] = {}

    def hidden(self, position: int, holds: Callable[[bytes], bool]) -> Sequence[bytes]:
        """Of an index that has everything up to a position of the change log, and holds rows."""
        if self._principal.everything:
            return ()
        last = last_sequence(self._table)
        with self._lock:
            if position != self._from or last < self._up_to:
                self._hidden.clear()
                self._from = self._up_to = position
            if last > self._up_to:
                for number, change in self._store.log.after(self._up_to):
                    self._look_at(change.row, change.what, holds)
                    self._up_to = max(number, self._up_to)
            return tuple(self._hidden)

    def _look_at(self, row: bytes, what: What, holds: Callable[[bytes], bool]) -> None:
        if what is What.LINKED:
            return
        if self._store.page(row, self._principal) is not None:
            self._hidden.pop(row, None)
        elif holds(row):  # what is new is in no list anyway
            self._hidden[row] = None
