"""What if the groups of other tablets' pages are damaged? They are rebuilt from their sketches.

First each page's sketch is put beside what its tablet said of it, then the groups go, then the
pages come in again one by one. A kill between leaves pages with their sketch beside them: the next
run goes on from those. Pages whose sketch does not read are forgotten here; their other shards
know them still. Whoever has to be told something else is told by `Across.go_on`.
"""

from collections.abc import Callable

from shoal.duplicates.across.shard import PAGE, REALM, Foreign, far_index
from shoal.duplicates.family import FAMILY
from shoal.duplicates.near.groups import KIN, MEMBER, Groups, Newcomer, Worth
from shoal.duplicates.near.near import GROUP, MINHASH, Cut, NearIndex
from shoal.duplicates.near.near_audit import everything
from shoal.duplicates.near.sketch import Fingerprint
from shoal.model.record import JSON_ERRORS, pack, unpack
from shoal.ports import Batch, Table

_AT_ONCE = 500


def remake(table: Table, cut: Callable[[bytes], Cut]) -> None:
    writing = _Writing(table)
    reading = Groups(far_index(table), lambda _row: None, lambda _row: "")
    for name, stored in everything(table, REALM + PAGE):
        page = _with_prints(reading, stored)
        key = REALM + PAGE + name
        if page is None:
            writing.next().delete(FAMILY, key)
        else:
            writing.next().put(FAMILY, key, pack(page))
    for kind in (MINHASH, GROUP, KIN, MEMBER):
        for name, _ in everything(table, REALM + kind):
            writing.next().delete(FAMILY, REALM + kind + name)
    writing.end()
    index = far_index(table)
    groups = Groups(index, lambda _row: None, lambda _row: "")
    for _, stored in everything(table, REALM + PAGE):
        _settle(table, index, groups, unpack(Foreign, stored), cut)


def _with_prints(groups: Groups, stored: bytes) -> Foreign | None:
    """None when it can't be put into a group again."""
    try:
        page = unpack(Foreign, stored)
        found = groups.fingerprint_of(page.row)
    except JSON_ERRORS:
        return None
    if found is not None and found[0].sketch:
        page.fingerprint = (*found[0], found[1])
    return None if page.fingerprint is None else page


def _settle(
    table: Table, index: NearIndex, groups: Groups, page: Foreign, cut: Callable[[bytes], Cut]
) -> None:
    if page.fingerprint is None:
        return
    sketch, minhashes, readers = page.fingerprint
    worth: Worth = page.worth
    index.begin()
    batch = table.batch()
    came = Newcomer(
        page.row, Fingerprint(sketch, minhashes), readers, None, lambda: worth, is_new=True
    )
    groups.settle(batch, came, cut(page.row))
    table.write(batch)


class _Writing:
    """Batches of a bounded size."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._batch = table.batch()
        self._count = 0

    def next(self) -> Batch:
        self._count += 1
        if self._count % _AT_ONCE == 0:
            self.end()
        return self._batch

    def end(self) -> None:
        self._table.write(self._batch)
        self._batch = self._table.batch()
