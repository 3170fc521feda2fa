"""Who stands for a group of near-duplicates? One page, by its worth; the others are its duplicates.

    kin 00 page (8)               →  the group of a page, with its prints; not for the core of
                                     a group that is named after it
    member 00 group (8) page (8)  →  the row of a page, for groups of two and more

A page is named by a hash of its row. The representative changes when a page comes that is clearly
worth more, or when it goes: then the rows of two pages change (`Reassigned`), and nothing is
written to the others, which find their representative through the group. When the last core goes,
the representative becomes one. A page that is near two groups joins them: copies that are far from
each other may come before the original that is near to all. All of it is written in the visit's own
batch.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from shoal.duplicates.near.near import (
    ID_BYTES,
    MOST_CORES,
    NOT_FAR,
    Core,
    Cut,
    Group,
    NearIndex,
    Neighbour,
)
from shoal.duplicates.near.sketch import Fingerprint, resemblance
from shoal.model.cell import NUL
from shoal.model.digest import quick_digest
from shoal.model.document import Fate, Reassigned
from shoal.model.record import Struct, pack, unpack
from shoal.model.urls.rowkey import row_key, url_of
from shoal.ports import Batch

MOST_HEIRS = 200
"""Pages of a group that are looked at when its representative has gone."""
MOST_VOTERS = 32
"""Pages of a group that are asked which address they name as canonical."""
MOST_MOVED = 100
"""A group of more pages is not joined to another."""
APART = 0.85
"""A page that resembles no core more than this becomes a core as well."""
KIN = b"kin" + NUL
MEMBER = b"member" + NUL
_CLEARLY_MORE = 2
"""Times as many pages must link to a page that takes that place."""


class Worth(NamedTuple):
    """Why a page should stand for its group."""

    url: str
    canonical: str = ""
    in_links: int = 0
    published: str = ""
    found: float = 0.0

    def beats(self, representative: "Worth", votes: Mapping[str, int]) -> bool:
        """Whether it becomes the representative. A draw is no reason to change it. `votes`: how
        many pages of the group name a URL as their canonical address."""
        ours, theirs = votes.get(self.url, 0), votes.get(representative.url, 0)
        if ours != theirs:
            return ours > theirs
        if self.in_links > _CLEARLY_MORE * representative.in_links + 1:
            return True
        if representative.in_links > _CLEARLY_MORE * self.in_links + 1:
            return False
        if (
            self.published
            and representative.published
            and self.published != representative.published
        ):
            return self.published < representative.published
        if self.found != representative.found:
            return self.found < representative.found
        return (len(self.url), self.url) < (len(representative.url), representative.url)


WorthOf = Callable[[bytes], Worth | None]
"""Of a page that is stored; None when it is not."""


CanonicalOf = Callable[[bytes], str]
"""The URL that a stored page names as its canonical address; empty: none."""


class Newcomer(NamedTuple):
    """A page that is to be put into a group."""

    row: bytes
    fingerprint: Fingerprint
    readers: bytes
    twin: bytes | None
    """The row of a page with the very same bytes: whose group it is in, it is in."""
    worth: Callable[[], Worth]
    is_new: bool = False
    """Nothing was ever stored of it, so it is in no group."""
    beside: Mapping[bytes, Callable[[], Worth]] = {}
    """Documents of the same visit that came before it, by row: they are not stored yet."""


class Kin(Struct, array_like=True):
    group_id: bytes
    sketch: bytes = b""
    minhashes: bytes = b""


class Settled(NamedTuple):
    """Where a page has come to stand."""

    group_id: bytes
    representative: bytes
    reassigned: list[Reassigned]
    resemblance: float = 1.0


class Groups:
    def __init__(self, index: NearIndex, worth_of: WorthOf, canonical_of: CanonicalOf) -> None:
        self._index = index
        self._worth_of = worth_of
        self._canonical_of = canonical_of

    # --- reading ----------------------------------------------------------------------------

    def group_of(self, row: bytes) -> bytes | None:
        """The group that a page is in."""
        (stored,) = self._index.read([KIN + page_id(row)])
        if stored is not None:
            return unpack(Kin, stored).group_id
        group_id = page_id(row)
        group = self._index.group(group_id)
        if group is None:
            return None
        if group.members == 1:
            return group_id if group.core == row else None
        (member,) = self._index.read([_member_key(group_id, row)])
        return None if member is None else group_id

    def representative_of(self, row: bytes) -> bytes | None:
        """The row of the page that stands for this one (it may be itself)."""
        group_id = self.group_of(row)
        group = None if group_id is None else self._index.group(group_id)
        return None if group is None else group.representative

    def members(self, group_id: bytes) -> Iterator[bytes]:
        """The rows of a group's pages."""
        group = self._index.group(group_id)
        if group is not None and group.members == 1:
            yield group.core
        else:
            yield from self._index.scan(MEMBER + group_id)

    def all_groups(self) -> Iterator[tuple[bytes, Group]]:
        """The groups of two and more, by their names."""
        return (each for each in self._index.all_groups() if each[1].members > 1)

    def sketch_of(self, row: bytes) -> bytes:
        """What a page of a group was compared by; empty when it is in none."""
        group_id = self.group_of(row)
        group = None if group_id is None else self._index.group(group_id)
        return b"" if group is None else self._kin(row, group).sketch

    def fingerprint_of(
        self, row: bytes, representative: bytes = b""
    ) -> tuple[Fingerprint, bytes] | None:
        """The same with its minhashes, and who may read it; None when it is in no group, or in one
        that another page than `representative` stands for."""
        group_id = self.group_of(row)
        group = None if group_id is None else self._index.group(group_id)
        if group is None or (representative and group.representative != representative):
            return None
        kin = self._kin(row, group)
        return Fingerprint(kin.sketch, kin.minhashes), group.readers

    # --- writing ----------------------------------------------------------------------------

    def settle(self, batch: Batch, page: Newcomer, cut: Cut) -> Settled:
        """Put a page into the group of its near-duplicates, or into one of its own."""
        row = page.row
        kept = None if page.is_new else self._kept(page)
        if kept is not None:
            return kept
        reassigned = [] if page.is_new else self.leave(batch, row)
        found = self._joined(page, cut)
        if not found:
            return Settled(self._found(batch, page), row, reassigned)
        group_id, group, _, alike, _ = found[0]
        for other in found[1:]:
            reassigned += self._merge(batch, group_id, group, other)
        self._add(batch, group_id, group, page)
        if alike < APART:
            self._add_core(batch, group_id, group, Core(row, *page.fingerprint))
        reassigned += self._elect(group_id, group, page)
        self._index.save(batch, group_id, group)
        return Settled(group_id, group.representative, reassigned, alike)

    def leave(self, batch: Batch, row: bytes) -> list[Reassigned]:
        """A page has gone, or says something else now. Its group goes on without it."""
        group_id = self.group_of(row)
        group = None if group_id is None else self._index.group(group_id)
        if group_id is None or group is None:
            return []
        self._index.put(batch, KIN + page_id(row), None)
        was_core = any(core.row == row for core in group.cores)
        if was_core:
            for core in group.cores:
                self._index.withdraw(batch, group_id, core)
            group.cores = [core for core in group.cores if core.row != row]
        if group.members == 1:
            self._index.forget(batch, group_id)
            return []
        self._index.put(batch, _member_key(group_id, row), None)
        group.members -= 1
        reassigned = []
        if group.representative == row:
            group.representative = self._heir(group_id, row)
            reassigned.append(Reassigned(group.representative, Fate.WAITING, ""))
        if not group.cores:
            kin = self._kin(group.representative, group)
            group.cores = [Core(group.representative, kin.sketch, kin.minhashes)]
        for core in group.cores if was_core else ():  # one core may stand for others in a list
            self._index.enter(batch, group_id, core, group.readers)
        if group.members == 1:
            self._index.put(batch, _member_key(group_id, group.representative), None)
        self._index.save(batch, group_id, group)
        return reassigned

    def _add_core(self, batch: Batch, group_id: bytes, group: Group, core: Core) -> None:
        if len(group.cores) < MOST_CORES:
            self._index.enter(batch, group_id, core, group.readers)
            group.cores.append(core)

    def _elect(self, group_id: bytes, group: Group, page: Newcomer) -> list[Reassigned]:
        """Who stands for it from now on: the representative, the page that has come, or the one
        that it names?"""
        own, before = page.worth(), group.representative
        standing = {page.row: own}
        named = row_key(own.canonical) if own.canonical else page.row
        for row in (before, named):
            if row not in standing and (row == before or self.group_of(row) == group_id):
                here = page.beside.get(row)
                worth = self._worth_of(row) if here is None else here()
                if worth is not None:
                    standing[row] = worth
        votes = self._votes(group_id, page.row)
        votes[own.canonical] += 1
        representative = standing.get(before)
        for row, worth in standing.items():
            if row != group.representative and (
                representative is None or worth.beats(representative, votes)
            ):
                group.representative, representative = row, worth
        if group.representative == before:
            return []
        reassigned = []
        if before in standing:
            reassigned.append(Reassigned(before, Fate.DUPLICATE, url_of(group.representative)))
        if group.representative != page.row:
            reassigned.append(Reassigned(group.representative, Fate.WAITING, ""))
        return reassigned

    def _votes(self, group_id: bytes, aside: bytes) -> Counter[str]:
        """How many of a group's pages, as far as it is looked, name a URL as canonical."""
        rows = (row for row in self.members(group_id) if row != aside)
        return Counter(map(self._canonical_of, islice(rows, MOST_VOTERS)))

    def _merge(
        self, batch: Batch, group_id: bytes, group: Group, other: Neighbour
    ) -> list[Reassigned]:
        """The pages of another group come into this one."""
        core = other.group.cores[0]
        if other.group.members > MOST_MOVED or resemblance(core.sketch, group.sketch) < NOT_FAR:
            return []
        rows = list(self.members(other.group_id))
        kin = [self._kin(row, other.group) for row in rows]
        for each in other.group.cores:
            self._index.withdraw(batch, other.group_id, each)
        self._index.forget(batch, other.group_id)
        for row, fingerprint in zip(rows, kin, strict=True):
            self._index.put(batch, _member_key(other.group_id, row), None)
            page = Newcomer(
                row,
                Fingerprint(fingerprint.sketch, fingerprint.minhashes),
                b"",
                None,
                lambda: Worth(""),
            )
            self._add(batch, group_id, group, page)
        self._add_core(batch, group_id, group, Core(core.row, core.sketch, core.minhashes))
        theirs, ours = (
            self._worth_of(other.group.representative),
            self._worth_of(group.representative),
        )
        before, votes = group.representative, self._votes(group_id, b"")
        if theirs is None or ours is None or not theirs.beats(ours, votes):
            return [Reassigned(other.group.representative, Fate.DUPLICATE, url_of(before))]
        group.representative = other.group.representative
        return [Reassigned(before, Fate.DUPLICATE, url_of(group.representative))]

    def _kept(self, page: Newcomer) -> Settled | None:
        """A page that says what it said stays where it is."""
        group_id = self.group_of(page.row)
        group = None if group_id is None else self._index.group(group_id)
        if group_id is None or group is None or group.readers != page.readers:
            return None
        before = self._kin(page.row, group).sketch
        return (
            Settled(group_id, group.representative, [])
            if before == page.fingerprint.sketch
            else None
        )

    def _joined(self, page: Newcomer, cut: Cut) -> list[Neighbour]:
        """The groups that it belongs to; the first takes in the others."""
        near = self._index.near(page.fingerprint, page.readers, cut)
        twins = None if page.twin is None else self.group_of(page.twin)
        group = None if twins is None else self._index.group(twins)
        if twins is None or group is None or group.readers != page.readers:
            return near
        own = Neighbour(twins, group, group.core, 1.0, 1.0)
        return [own, *(each for each in near if each.group_id != twins)]

    def _found(self, batch: Batch, page: Newcomer) -> bytes:
        """A group of its own, named after the page; unless a group that it left has that name."""
        group_id = own_id = page_id(page.row)
        while self._index.group(group_id) is not None:
            group_id = quick_digest(group_id)[:ID_BYTES]
        if group_id != own_id:
            self._index.put(batch, KIN + own_id, pack(Kin(group_id, *page.fingerprint)))
        core = Core(page.row, *page.fingerprint)
        self._index.enter(batch, group_id, core, page.readers)
        self._index.save(batch, group_id, Group(page.row, [core], page.readers))
        return group_id

    def _add(self, batch: Batch, group_id: bytes, group: Group, page: Newcomer) -> None:
        if group.members == 1:
            self._index.put(batch, _member_key(group_id, group.core), group.core)
        group.members += 1
        self._index.put(batch, _member_key(group_id, page.row), page.row)
        self._index.put(batch, KIN + page_id(page.row), pack(Kin(group_id, *page.fingerprint)))

    def _heir(self, group_id: bytes, gone: bytes) -> bytes:
        """The best of those that are left, as far as it is looked."""
        best: tuple[bytes, Worth] | None = None
        votes = self._votes(group_id, gone)
        rest = (row for row in self.members(group_id) if row != gone)
        last = gone
        for row in islice(rest, MOST_HEIRS):
            last = row
            worth = self._worth_of(row)
            if worth is not None and (best is None or worth.beats(best[1], votes)):
                best = row, worth
        return last if best is None else best[0]

    def _kin(self, row: bytes, group: Group) -> Kin:
        """The prints of a page of a group. Who has no entry founded it, and is a core of it."""
        (stored,) = self._index.read([KIN + page_id(row)])
        if stored is not None:
            return unpack(Kin, stored)
        core = next((core for core in group.cores if core.row == row), None)
        return Kin(b"") if core is None else Kin(b"", core.sketch, core.minhashes)


def page_id(row: bytes) -> bytes:
    return quick_digest(row)[:ID_BYTES]


def readers_digest(readers: list[str]) -> bytes:
    """Empty: everyone may read it."""
    return quick_digest("\0".join(sorted(readers)).encode())[:ID_BYTES] if readers else b""


def _member_key(group_id: bytes, row: bytes) -> bytes:
    return MEMBER + group_id + page_id(row)
