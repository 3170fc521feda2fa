"""Where do fingerprints go, when a collection is divided or put together?

What was learned of a site goes with the site, a hint with the page that it names, a pair of mirrors
with both. A group of near-duplicates goes with its pages: each tablet has a group of those that
it has, found again by the same sketches, so no text is read. Where the representative is another
tablet's, a page of the group stands for it there, and is itself a duplicate of the representative.
Such groups become one again when they come together:

    join 00 group (8)   →  the row of the representative, until all groups of the tablet are there
"""

from collections.abc import Callable, Iterator, Sequence

from shoal.duplicates.across.shard import REALM
from shoal.duplicates.exact.exact import BODY, TEXT, BodyPrint
from shoal.duplicates.family import FAMILY
from shoal.duplicates.learn.lessons import FORM_KEY, LESSON_KEY
from shoal.duplicates.learn.mirrors import MIRRORS, PAIR, Pair
from shoal.duplicates.near.groups import KIN, MEMBER, Groups, Kin, page_id
from shoal.duplicates.near.near import GROUP, ID_BYTES, MINHASH, MOST_CORES, Core, Group, NearIndex
from shoal.duplicates.near.sketch import Fingerprint
from shoal.model.cell import NUL
from shoal.model.digest import quick_digest
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import tablet_of_row, tablet_of_site
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Table

OF_GROUPS = (MINHASH, GROUP, KIN, MEMBER, REALM)
"""Moved page by page; what tablets told each other of theirs is said again (`start_over`)."""
_JOIN = b"join" + NUL
_AT_ONCE = 1000

Reassign = Callable[[bytes, bytes], None]
"""A page (by its row) is a duplicate of another from now on, which another tablet may have."""


def tablets_of_print(key: bytes, value: bytes, tablets: int) -> Sequence[int] | None:
    """For what is not of groups; None for a kind that is not known."""
    kind = key[: key.index(NUL) + 1]
    if kind == BODY:
        return (tablet_of_row(unpack(BodyPrint, value).row, tablets),)
    if kind in (TEXT, FORM_KEY):
        return (tablet_of_row(value, tablets),)
    if kind in (LESSON_KEY, MIRRORS):
        return (tablet_of_site(key[len(kind) :], tablets),)
    if kind == PAIR:
        places = key[len(kind) :].split(NUL)
        return sorted({tablet_of_site(site_of_key(place), tablets) for place in places})
    return None


def either(key: bytes, one: bytes, other: bytes) -> bytes:
    """Of two entries under one key the one that knows more, or is older."""
    if key.startswith(BODY):
        return min(one, other, key=lambda each: unpack(BodyPrint, each).when)
    if key.startswith(PAIR):
        return max(one, other, key=lambda each: unpack(Pair, each).evidence.seen)
    return min(one, other)


class StoredGroups:
    """The groups of a collection that is being moved."""

    def __init__(self, table: Table) -> None:
        self._index = NearIndex(table)
        self._groups = Groups(self._index, lambda _row: None, lambda _row: "")

    def groups(self) -> Iterator[tuple[bytes, Group]]:
        return self._index.all_groups()

    def members(self, group_id: bytes, group: Group) -> Iterator[tuple[bytes, Fingerprint]]:
        """Each page of a group, with what it was compared by."""
        cores = {core.row: Fingerprint(core.sketch, core.minhashes) for core in group.cores}
        for row in self._groups.members(group_id):
            (stored,) = self._index.read([KIN + page_id(row)])
            if stored is None:
                yield row, cores.get(row, Fingerprint(b"", b""))
            else:
                kin = unpack(Kin, stored)
                yield row, Fingerprint(kin.sketch, kin.minhashes)


class Arriving:
    """The groups of one tablet, as they come in."""

    def __init__(self, table: Table, tablet: int, tablets: int, reassign: Reassign) -> None:
        self._table = table
        self._tablet = tablet
        self._tablets = tablets
        self._reassign = reassign
        self._index = NearIndex(table)
        self._index.begin()
        self._groups = Groups(self._index, lambda _row: None, lambda _row: "")
        self._batch = table.batch()
        self._open: tuple[bytes, Group] | None = None

    def take(self, before: bytes, group: Group, row: bytes, fingerprint: Fingerprint) -> None:
        """A page of a group of a source, which had this name there."""
        if self._open is None:
            self._open = self._found(before, group, row, fingerprint)
        group_id, own = self._open
        own.members += 1
        if not (row == own.core and page_id(row) == group_id):
            self._index.put(self._batch, KIN + page_id(row), pack(Kin(group_id, *fingerprint)))
        self._index.put(self._batch, _member_key(group_id, row), row)
        self._write(_AT_ONCE)

    def _found(
        self, before: bytes, group: Group, row: bytes, fingerprint: Fingerprint
    ) -> tuple[bytes, Group]:
        cores = [
            Core(core.row, core.sketch, core.minhashes)
            for core in group.cores
            if tablet_of_row(core.row, self._tablets) == self._tablet
        ] or [Core(row, *fingerprint)]
        group_id = before if cores[0].row == group.core else page_id(cores[0].row)
        while self._index.group(group_id) is not None:
            group_id = quick_digest(group_id)[:ID_BYTES]
        for core in cores:
            self._index.enter(self._batch, group_id, core, group.readers)
        return group_id, Group(cores[0].row, cores, group.readers, 0)

    def end(self, representative: bytes, stands: bytes) -> None:
        """All pages of the group have come. `representative` stood for it in its source; `stands`
        is the page that stands for that one, in another tablet of before, or the representative
        itself."""
        if self._open is None:
            return
        (group_id, own), self._open = self._open, None
        if tablet_of_row(representative, self._tablets) == self._tablet:
            own.representative = representative
        if own.members == 1:
            self._index.put(self._batch, _member_key(group_id, own.core), None)
        self._index.save(self._batch, group_id, own)
        if own.representative != stands:
            if own.representative != representative:
                self._reassign(own.representative, stands)
            if tablet_of_row(stands, self._tablets) == self._tablet:
                self._index.put(self._batch, _JOIN + group_id, stands)

    def join(self) -> None:
        """All groups are there: those of one representative become one."""
        self._write()
        for key, representative in self._table.scan(FAMILY, _JOIN, _JOIN[:-1] + b"\x01"):
            self._index.put(self._batch, key, None)
            group_id, into = key[len(_JOIN) :], self._groups.group_of(representative)
            if into is not None and into != group_id:
                self._merge(group_id, into)
            self._write(_AT_ONCE)
        self._write()

    def _merge(self, group_id: bytes, into: bytes) -> None:
        gone, group = self._index.group(group_id), self._index.group(into)
        if gone is None or group is None:
            return
        rows = list(self._groups.members(group_id))
        found = [self._fingerprint(row, gone) for row in rows]
        for core in gone.cores:
            self._index.withdraw(self._batch, group_id, core)
        self._index.forget(self._batch, group_id)
        if group.members == 1:
            self._index.put(self._batch, _member_key(into, group.core), group.core)
        for row, fingerprint in zip(rows, found, strict=True):
            self._index.put(self._batch, _member_key(group_id, row), None)
            self._index.put(self._batch, _member_key(into, row), row)
            self._index.put(self._batch, KIN + page_id(row), pack(Kin(into, *fingerprint)))
        group.members += len(rows)
        for core in gone.cores[: MOST_CORES - len(group.cores)]:
            self._index.enter(self._batch, into, core, group.readers)
            group.cores.append(core)
        self._index.save(self._batch, into, group)

    def _fingerprint(self, row: bytes, group: Group) -> Fingerprint:
        (stored,) = self._index.read([KIN + page_id(row)])
        if stored is not None:
            kin = unpack(Kin, stored)
            return Fingerprint(kin.sketch, kin.minhashes)
        own = next((core for core in group.cores if core.row == row), None)
        return Fingerprint(b"", b"") if own is None else Fingerprint(own.sketch, own.minhashes)

    def _write(self, at_least: int = 0) -> None:
        """When so much is to be written that reading through it would cost too much memory."""
        if self._index.pending >= at_least:
            self._table.write(self._batch)
            self._batch = self._table.batch()
            self._index.begin()


def _member_key(group_id: bytes, row: bytes) -> bytes:
    return MEMBER + group_id + page_id(row)
