"""Is one page of each group of near-duplicates indexed, and are the others its duplicates?

A part of `verify`: the books on groups (dedupe/near_audit.py), held against the pages and the
frontier's rows.
"""

from collections.abc import Iterator

from shoal.dedupe.family import FAMILY
from shoal.dedupe.groups import MEMBER
from shoal.dedupe.near import ID_BYTES, NearIndex
from shoal.dedupe.near_audit import audit_groups
from shoal.frontier.rows import unpack_url, url_key
from shoal.model.document import Fate
from shoal.model.outcome import State
from shoal.model.record import JSON_ERRORS, Struct, unpack
from shoal.model.rowkey import url_of
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
            fault = "" if group is None else _fault(table, cells, row, row == group.lead)
            if fault:
                yield Finding("group", url_of(row), fault)
    except JSON_ERRORS as error:
        yield Finding("group", "", f"A page of a group does not read: {error}.")


def _fault(table: Table, cells: Cells, row: bytes, leads: bool) -> str:
    cell, stored = cells.get(row, FETCH), table.get("page", url_key(row))
    if cell is None:
        return "It is in a group of near-duplicates, and no page is stored."
    fate = unpack(FetchRow, cell.value).document.fate
    if leads == (fate is Fate.DUPLICATE):
        expected = "stands for its group" if leads else "is a duplicate in its group"
        return f"It {expected}, and its row says: {fate}."
    url = None if stored is None else unpack_url(stored)
    if url is not None and url.state is State.FETCHED and url.reason != fate:
        return f"It is counted under '{url.reason}', and its row says: {fate}."
    return ""
