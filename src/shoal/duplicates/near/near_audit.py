"""Does what is known of near-duplicates agree? Every invariant of near.py and groups.py, looked up
again.

1. A group stands in the list of every minhash that it was entered under, and in no other.
2. A group's representative and cores are pages of it, and it counts its pages.
3. A page is in one group, and that group knows it.

The index of other tablets' pages (shard.py) has the same ones, in a realm of its own. For a
collection that nobody writes to. One pass over the family, with look-ups; memory is bounded.
"""

from collections.abc import Iterator

from shoal.duplicates.family import FAMILY
from shoal.duplicates.near.groups import KIN, MEMBER, Groups, Kin, page_id
from shoal.duplicates.near.near import GROUP, ID_BYTES, MINHASH, Group, NearIndex, cut_up
from shoal.model.record import JSON_ERRORS, unpack
from shoal.model.urls.rowkey import url_of
from shoal.ports import Table


def audit_groups(table: Table, realm: bytes = b"") -> Iterator[str]:
    """What is wrong, one sentence each."""
    index = NearIndex(table, realm)
    groups = Groups(index, lambda _row: None, lambda _row: "")
    try:
        for name, value in everything(table, realm + GROUP):
            yield from _group(index, groups, name, unpack(Group, value))
        for name, value in everything(table, realm + MINHASH):
            yield from _minhash(index, name, value)
        for name, value in everything(table, realm + KIN):
            yield from _kin(index, name, unpack(Kin, value))
        for name, row in everything(table, realm + MEMBER):
            yield from _member(index, groups, name, row)
    except JSON_ERRORS as error:
        yield f"An entry of the near-duplicates does not read: {error}."


def everything(table: Table, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
    """All entries of a kind; of their keys what stands behind its name."""
    for key, value in table.scan(FAMILY, prefix, prefix[:-1] + b"\x01"):
        yield key[len(prefix) :], value


def _group(index: NearIndex, groups: Groups, group_id: bytes, group: Group) -> Iterator[str]:
    name = f"The group of {url_of(group.representative)}"
    members = sum(1 for _ in index.scan(MEMBER + group_id)) or 1
    if members != group.members:
        yield f"{name} counts {group.members} pages and has {members}."
    for row in {group.representative, *(core.row for core in group.cores)}:
        if groups.group_of(row) != group_id:
            yield f"{name} does not have {url_of(row)}, which it names."
    entered = [minhash for core in group.cores for minhash in cut_up(core.entered)]
    for minhash, having in zip(
        entered, index.read([MINHASH + minhash for minhash in entered]), strict=True
    ):
        if group_id not in cut_up(having or b""):
            yield f"{name} is not in the index under {minhash.hex()}."


def _minhash(index: NearIndex, minhash: bytes, having: bytes) -> Iterator[str]:
    ids = cut_up(having)
    if not ids or len(having) % ID_BYTES or len(set(ids)) != len(ids):
        yield f"The list of the mark {minhash.hex()} is none."
    for group_id in ids:
        group = index.group(group_id)
        cores = [] if group is None else group.cores
        if not any(minhash in cut_up(core.entered) for core in cores):
            yield f"The mark {minhash.hex()} names a group that was not entered under it."


def _kin(index: NearIndex, page: bytes, kin: Kin) -> Iterator[str]:
    group = index.group(kin.group_id)
    if group is None:
        yield f"The page {page.hex()} is in a group that is not there."
    elif group.members == 1:
        if page_id(group.core) != page:
            yield (
                f"The page {page.hex()} is in the group of {url_of(group.representative)}, which "
                "lacks it."
            )
    elif index.read([MEMBER + kin.group_id + page]) == [None]:
        yield (
            f"The page {page.hex()} is in the group of {url_of(group.representative)}, which "
            "lacks it."
        )


def _member(index: NearIndex, groups: Groups, key: bytes, row: bytes) -> Iterator[str]:
    group_id, page = key[:ID_BYTES], key[ID_BYTES:]
    if index.group(group_id) is None:
        yield f"{url_of(row)} is a page of a group that is not there."
    elif page != page_id(row) or groups.group_of(row) != group_id:
        yield f"{url_of(row)} is a page of two groups."
