"""Which group of near-duplicates does a text belong to? An index of minhashes, in the family
`print`.

    mark 00 minhash (8)      →  the groups of which a core has this shingle, 8 bytes each
    near 00 group (8)     →  the group: its cores' sketches, who leads it, who may read it

Every group has a core, its first page, and up to three more that are a little apart from it. Only
cores are entered: other copies add nothing here. A text is near a group when its sketch resembles
that of a core by more than a cut, and that of the first core at least by .4, so that groups do not
drift from copy to copy. Candidates are the groups that share one of its 16 minhashes: one read for
all minhashes, one for the groups that they name.

A minhash that 24 groups have is a phrase of a template, or a commonplace. It is no longer followed,
and a core is entered under others: so what a look-up costs is bounded, whatever the collection.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from struct import Struct as Layout
from typing import NamedTuple, TypeGuard

from shoal.duplicates.family import FAMILY
from shoal.duplicates.near.sketch import MINHASHES, Fingerprint, overlap, size
from shoal.model.cell import NUL
from shoal.model.record import Struct, pack, unpack
from shoal.ports import Batch, Table

LEAST_SHINGLES = 12
"""A text of fewer says too little to be near another."""
ENTERED = 8
"""Minhashes that a core is entered under."""
MOST_GROUPS = 24
MOST_CANDIDATES = 24
MOST_CORES = 4
NOT_FAR = 0.4
"""The least resemblance to the first core, whichever core a text is near."""

ID_BYTES = 8
MINHASH = b"mark" + NUL
GROUP = b"near" + NUL


class Core(Struct, array_like=True):
    """A page that others are compared with."""

    row: bytes
    sketch: bytes
    minhashes: bytes
    entered: bytes = b""
    """The minhashes under which the group stands in the index for it."""


class Group(Struct, array_like=True):
    representative: bytes
    """Row of the representative."""
    cores: list[Core]
    """The first is the one that none may be far from."""
    readers: bytes = b""
    """Who may read its pages, as a digest; empty: everyone."""
    members: int = 1

    @property
    def core(self) -> bytes:
        """Row of the first core,"""
        return self.cores[0].row

    @property
    def sketch(self) -> bytes:
        """and what it says."""
        return self.cores[0].sketch


class Neighbour(NamedTuple):
    """A group, and how much of it is in a text: by the core that resembles the text most."""

    group_id: bytes
    group: Group
    core: bytes
    """Its row."""
    resemblance: float
    containment: float
    """How much of the text is in the core."""


Cut = Callable[[bytes], float]
"""The least resemblance to a core (by its row) that makes a near-duplicate."""


class NearIndex:
    """Reads see what was put for the commit at hand; `begin` opens the next one. Until it ends,
    what was read is kept at hand, too; who only reads never begins one. `realm` stands before all
    keys: an index of other tablets' pages is one of its own (shard.py). Of a text's minhashes,
    `first` are looked up; the rest only when one of those is common."""

    def __init__(
        self, table: Table, realm: bytes = b"", entered: int = ENTERED, first: int = MINHASHES
    ) -> None:
        self._table = table
        self._realm = realm
        self._entered = entered
        self._first = first
        self._put_now: dict[bytes, dict[bytes, bytes | None]] = {}
        """By what stands before the last name in their keys: a delivery is one commit, and long."""
        self.pending = 0
        """Entries that were put for the commit at hand."""
        self._read_now: dict[bytes, bytes | None] | None = None

    def begin(self) -> None:
        self._put_now = {}
        self._read_now = {}
        self.pending = 0

    # --- looking up -------------------------------------------------------------------------

    def near(self, fingerprint: Fingerprint, readers: bytes, cut: Cut) -> list[Neighbour]:
        """The groups that it belongs to, the nearest first; mostly there is none or one."""
        if size(fingerprint.sketch) < LEAST_SHINGLES:
            return []
        return [
            each
            for each in self.neighbours(fingerprint, NOT_FAR, readers)
            if each.group.readers == readers and each.resemblance >= cut(each.core)
        ]

    def neighbours(
        self, fingerprint: Fingerprint, least: float = 0.0, readers: bytes = b""
    ) -> list[Neighbour]:
        """The groups of these readers that share most minhashes with it, the nearest first; those
        whose first core it resembles by so much."""
        named: Counter[bytes] = Counter()
        minhashes, first = _of_readers(fingerprint.minhashes, readers), self._first * ID_BYTES
        if self._count(named, minhashes[:first]):
            self._count(named, minhashes[first:])
        if not named:
            return []
        likely = sorted(named, key=lambda group_id: (-named[group_id], group_id))
        del likely[MOST_CANDIDATES:]
        found = []
        groups = self.read([GROUP + group_id for group_id in likely])
        for group_id, stored in zip(likely, groups, strict=True):
            if stored is not None:
                near = _compared(group_id, unpack(Group, stored), fingerprint.sketch, least)
                if near is not None:
                    found.append(near)
        return sorted(found, key=lambda each: (-each.resemblance, each.group_id))

    def _count(self, named: Counter[bytes], minhashes: bytes) -> bool:
        """The groups under some minhashes. Whether one of the minhashes is common, and not
        followed."""
        common = False
        for having in self.read([MINHASH + minhash for minhash in cut_up(minhashes)]):
            if is_followed(having):
                named.update(cut_up(having))
            elif having is not None:
                common = True
        return common

    def group(self, group_id: bytes) -> Group | None:
        (stored,) = self.read([GROUP + group_id])
        return None if stored is None else unpack(Group, stored)

    def all_groups(self) -> Iterator[tuple[bytes, Group]]:
        """Every group as the table has it, by its name, in an order that says nothing."""
        start = self._realm + GROUP
        for key, stored in self._table.scan(FAMILY, start, start[:-1] + b"\x01"):
            yield key[len(start) :], unpack(Group, stored)

    # --- entering ---------------------------------------------------------------------------

    def enter(self, batch: Batch, group_id: bytes, core: Core, readers: bytes = b"") -> None:
        """Put a core of a group into the index, under minhashes that are not common."""
        says_enough = size(core.sketch) >= LEAST_SHINGLES
        minhashes = _of_readers(core.minhashes, readers)
        keys = [MINHASH + minhash for minhash in cut_up(minhashes)] if says_enough else []
        entered: list[bytes] = []
        for key, groups in self._one_by_one(keys):
            if groups is not None and group_id in cut_up(groups):
                continue  # under another core, which this one need not tell again
            if groups is None or len(groups) < MOST_GROUPS * ID_BYTES:
                self.put(batch, key, (groups or b"") + group_id)
                entered.append(key[len(MINHASH) :])
                if len(entered) == self._entered:
                    break
        core.entered = b"".join(entered)

    def _one_by_one(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes | None]]:
        """What stands there, and what stands behind the first only when it is wanted."""
        for some in (keys[: self._first], keys[self._first :]):
            yield from zip(some, self.read(some), strict=True)

    def withdraw(self, batch: Batch, group_id: bytes, core: Core) -> None:
        """Take a core of a group out of the index."""
        keys = [MINHASH + minhash for minhash in cut_up(core.entered)]
        for key, groups in zip(keys, self.read(keys), strict=True):
            rest = [each for each in cut_up(groups or b"") if each != group_id]
            self.put(batch, key, b"".join(rest) or None)
        core.entered = b""

    def save(self, batch: Batch, group_id: bytes, group: Group) -> None:
        self.put(batch, GROUP + group_id, pack(group))

    def forget(self, batch: Batch, group_id: bytes) -> None:
        self.put(batch, GROUP + group_id, None)

    # --- the table, through what was put for this commit ------------------------------------

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        now = self._read_now
        if now is None:
            return self._stored(keys)
        asked = [key for key in keys if key not in now]
        if asked:
            now.update(zip(asked, self._stored(asked), strict=True))
        return [now[key] for key in keys]

    def _stored(self, keys: Sequence[bytes]) -> list[bytes | None]:
        realm = self._realm
        return self._table.get_many(FAMILY, [realm + key for key in keys] if realm else keys)

    def scan(self, prefix: bytes) -> Iterator[bytes]:
        """The values of all keys that are this and one name more."""
        now = dict(self._put_now.get(prefix, ()))
        yield from (value for value in now.values() if value)
        start = self._realm + prefix
        for key, value in self._table.scan(FAMILY, start, start + b"\xff" * (ID_BYTES + 1)):
            if key[len(self._realm) :] not in now:
                yield value

    def put(self, batch: Batch, key: bytes, value: bytes | None) -> None:
        """None deletes."""
        self._put_now.setdefault(key[:-ID_BYTES], {})[key] = value
        self.pending += 1
        if self._read_now is not None:
            self._read_now[key] = value
        if value is None:
            batch.delete(FAMILY, self._realm + key)
        else:
            batch.put(FAMILY, self._realm + key, value)


def _compared(group_id: bytes, group: Group, sketch: bytes, least: float) -> Neighbour | None:
    """None when it is far from the first core."""
    cores = group.cores
    best, of = overlap(sketch, cores[0].sketch), cores[0].row
    alike = best.resemblance
    if alike < least or (alike < NOT_FAR and len(cores) > 1):
        return None
    for core in cores[1:]:
        shared = overlap(sketch, core.sketch)
        if shared.resemblance > alike:
            best, of, alike = shared, core.row, shared.resemblance
    return Neighbour(group_id, group, of, alike, best.containment)


def _of_readers(minhashes: bytes, readers: bytes) -> bytes:
    """Under which a text is entered that is not for everybody: what some may read makes no minhash
    common for others, and stands in nobody else's way."""
    if not readers:
        return minhashes
    salt = int.from_bytes(readers)
    each = (int.from_bytes(minhash) ^ salt for minhash in cut_up(minhashes))
    return b"".join(number.to_bytes(ID_BYTES) for number in each)


def is_followed(having: bytes | None) -> TypeGuard[bytes]:
    """Whether a minhash leads to some groups, and is not common."""
    return having is not None and len(having) < MOST_GROUPS * ID_BYTES


def cut_up(ids: bytes) -> tuple[bytes, ...]:
    """Minhashes and groups stand one behind the other, eight bytes each."""
    return _CUTS[min(len(ids) // ID_BYTES, _MOST_IDS)].unpack_from(ids)


_MOST_IDS = max(MINHASHES, MOST_GROUPS)
_CUTS = [Layout(f"{ID_BYTES}s" * count) for count in range(_MOST_IDS + 1)]
