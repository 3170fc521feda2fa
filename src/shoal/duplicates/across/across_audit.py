"""Does what is known of other tablets' pages agree? Every invariant of shard.py and
sent_sketches.py.

1. The groups of a shard are as sound as those of one's own pages (near_audit.py), and every page
   of one is known by what its tablet said.
2. What was told of a page follows from its group.
3. A page that was sent stands for its group here, and says what it said then.

Not while all is still to be gone through again (`start_over`): then 2 and 3 are made true again.
For a tablet that nobody writes to; memory is bounded.
"""

from collections.abc import Iterator

from shoal.duplicates.across.across import PLACE
from shoal.duplicates.across.sent_sketches import SENT, Sent, sketch_digest
from shoal.duplicates.across.shard import PAGE, REALM, Foreign, Shard, far_index
from shoal.duplicates.family import FAMILY
from shoal.duplicates.near.groups import MEMBER, Groups, page_id
from shoal.duplicates.near.near import NearIndex
from shoal.duplicates.near.near_audit import audit_groups, everything
from shoal.model.record import JSON_ERRORS, unpack
from shoal.model.urls.rowkey import url_of
from shoal.ports import Table


def audit_across(table: Table) -> Iterator[str]:
    """What is wrong, one sentence each."""
    is_settled = table.get(FAMILY, PLACE) is None
    yield from audit_shards(table, is_settled)
    try:
        yield from _sent(table) if is_settled else ()
    except JSON_ERRORS as error:
        yield f"What was sent to other tablets does not read: {error}."


def audit_shards(table: Table, is_settled: bool) -> Iterator[str]:
    """What is wrong with the groups of other tablets' pages."""
    for fault in audit_groups(table, REALM):
        yield f"Among pages of other tablets: {fault}"
    try:
        yield from _shards(table, is_settled)
    except JSON_ERRORS as error:
        yield f"What other tablets said of their pages does not read: {error}."


def _shards(table: Table, is_settled: bool) -> Iterator[str]:
    index = far_index(table)
    groups = Groups(index, lambda _row: None, lambda _row: "")
    shard = Shard(index, lambda _row: lambda _core: 1.0, 0, lambda _batch, _told: None)
    for name, value in everything(table, REALM + PAGE):
        page = unpack(Foreign, value)
        where = f"{url_of(page.row)}, of which another tablet told,"
        if name != page_id(page.row) or groups.group_of(page.row) is None:
            yield f"{where} is in no group."
        elif is_settled and page.told != shard.verdict(page.row):
            yield f"{where} was not told which page stands for it now."
    for _, row in everything(table, REALM + MEMBER):
        if shard.page(row) is None:
            yield f"{url_of(row)} is in a group of other tablets' pages, and none told of it."


def _sent(table: Table) -> Iterator[str]:
    groups = Groups(NearIndex(table), lambda _row: None, lambda _row: "")
    for _, value in everything(table, REALM + SENT):
        sent = unpack(Sent, value)
        found = groups.fingerprint_of(sent.row)
        if groups.representative_of(sent.row) != sent.row or found is None:
            yield f"{url_of(sent.row)} was sent to other tablets, and stands for no group."
        elif sketch_digest(found[0]) != sent.digest:
            yield f"{url_of(sent.row)} says something else than other tablets were told."
        elif not set(sent.verdicts) <= set(sent.shards):
            yield f"{url_of(sent.row)} was judged by a tablet that it was not sent to."
