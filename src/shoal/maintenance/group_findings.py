"""Is one page of each group of near-duplicates indexed, and are the others its duplicates?

A part of `verify`: the books on groups (duplicates/near/near_audit.py), held against the pages and
the frontier's rows.
"""

from collections.abc import Iterator

from shoal.duplicates.across.across_audit import audit_across
from shoal.duplicates.across.sent_sketches import SENT, Sent
from shoal.duplicates.across.shard import REALM
from shoal.duplicates.family import FAMILY
from shoal.duplicates.near.groups import MEMBER
from shoal.duplicates.near.near import ID_BYTES, NearIndex
from shoal.duplicates.near.near_audit import audit_groups, everything
from shoal.frontier.state.rows import unpack_url, url_key
from shoal.layout.identity import partition_of
from shoal.model.document import Document, Fate
from shoal.model.outcome import State
from shoal.model.record import JSON_ERRORS, Struct, unpack
from shoal.model.urls.partition import tablet_of_row
from shoal.model.urls.rowkey import row_key, url_of
from shoal.ports import Table
from shoal.store.cells import Cells
from shoal.store.rows import FETCH, FetchRow


class Finding(Struct, frozen=True):
    """One thing that is wrong."""

    check: str
    where: str
    says: str


def group_findings(table: Table, cells: Cells) -> Iterator[Finding]:
    for problem in audit_groups(table):
        yield Finding("group", "", problem)
    index = NearIndex(table)
    try:
        for key, row in table.scan(FAMILY, MEMBER, MEMBER[:-1] + b"\x01"):
            group = index.group(key[len(MEMBER) : len(MEMBER) + ID_BYTES])
            fault = "" if group is None else _fault(table, cells, row, row == group.representative)
            if fault:
                yield Finding("group", url_of(row), fault)
    except JSON_ERRORS as error:
        yield Finding("group", "", f"A page of a group does not read: {error}.")
    for problem in audit_across(table):
        yield Finding("group", "", problem)
    yield from _sent_findings(cells, table)


def _sent_findings(cells: Cells, table: Table) -> Iterator[Finding]:
    """What other tablets said of a page is what its row says."""
    try:
        for _, value in everything(table, REALM + SENT):
            sent = unpack(Sent, value)
            cell = cells.get(sent.row, FETCH)
            if cell is None or sent.verdict is None:
                continue
            document, representative = (
                unpack(FetchRow, cell.value).document,
                url_of(sent.verdict.representative),
            )
            if (document.fate, document.duplicate_of) != (Fate.DUPLICATE, representative):
                says = (
                    f"Other tablets say that {representative} stands for it, and its row does not."
                )
                yield Finding("group", url_of(sent.row), says)
    except JSON_ERRORS:
        return  # told already


def _fault(table: Table, cells: Cells, row: bytes, representatives: bool) -> str:
    cell, stored = cells.get(row, FETCH), table.get("page", url_key(row))
    if cell is None:
        return "It is in a group of near-duplicates, and no page is stored."
    document = unpack(FetchRow, cell.value).document
    fate = document.fate
    if representatives == (fate is Fate.DUPLICATE) and not _has_remote_representative(
        table, document
    ):
        expected = "stands for its group" if representatives else "is a duplicate in its group"
        return f"It {expected}, and its row says: {fate}."
    url = None if stored is None else unpack_url(stored)
    if url is not None and url.state is State.FETCHED and url.reason != fate:
        return f"It is counted under '{url.reason}', and its row says: {fate}."
    return ""


def _has_remote_representative(table: Table, document: Document) -> bool:
    """Whether a page of another tablet stands for it."""
    number, tablets = partition_of(table)
    if tablets == 1 or not document.duplicate_of:
        return False
    return tablet_of_row(row_key(document.duplicate_of), tablets) != number
