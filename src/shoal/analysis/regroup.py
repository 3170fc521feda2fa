"""What if the groups of near-duplicates are wrong, or were never made? They are rebuilt.

From the stored texts, in the order of their rows, as a crawl would have met them. For a damaged
collection (`shoal repair`), for one that an earlier release gathered, and for one whose settings
have changed (`shoal dups --rebuild`). What was learned about URLs stays.
"""

import time
from collections.abc import Callable
from pathlib import Path

from shoal.config import Dedupe, load
from shoal.duplicates.across.across import start_over
from shoal.duplicates.across.across_audit import audit_shards
from shoal.duplicates.across.rebuild import remake
from shoal.duplicates.across.sent_sketches import SENT, Sent, verdict_of
from shoal.duplicates.across.shard import REALM
from shoal.duplicates.exact.exact import Judged
from shoal.duplicates.family import FAMILY
from shoal.duplicates.near.groups import KIN, MEMBER
from shoal.duplicates.near.near import GROUP, MINHASH, Cut
from shoal.duplicates.near.near_audit import everything
from shoal.duplicates.near.sketch import fingerprint
from shoal.frontier.audit.rebuild import rebuild
from shoal.frontier.state.rows import pack_url, unpack_url, url_key
from shoal.layout.duplicates import near
from shoal.layout.identity import partition_of
from shoal.layout.index_state import forget_index
from shoal.layout.layout import Layout, WriteLock
from shoal.model.content import content_text
from shoal.model.document import Document, Fate, Reassigned
from shoal.model.outcome import Outcome, State
from shoal.model.principal import OWNER
from shoal.model.record import JSON_ERRORS, pack, unpack
from shoal.model.urls.rowkey import part_of, row_key, site_of_key, url_of
from shoal.model.visit import Fetched, Visit
from shoal.ports import Batch, Table
from shoal.store.pages import PageStore
from shoal.store.rows import FETCH, FetchRow
from shoal.store.table import RocksTable

_AT_ONCE = 1000
_TELL_EVERY = 10_000

Progress = Callable[[str], None]


def regroup_collection(directory: Path, progress: Progress) -> int:
    """Raises Busy while another process writes to the collection. Returns how many pages are
    duplicates of others."""
    layout = Layout(directory)
    layout.must_exist()
    config = load(layout.directory, {}, {})
    with WriteLock(layout), RocksTable(layout.table) as table:
        store = PageStore(table, layout.warc, config.crawl.versions)
        found = regroup(table, store, config.dedupe, progress)
        rebuild(table, time.time())
        table.sync()
        forget_index(layout)
    return found


def regroup(table: Table, store: PageStore, settings: Dedupe, progress: Progress) -> int:
    """The counts have to be rebuilt after it."""
    _forget(table)
    judge, done, duplicates = near(table, store, settings), 0, 0
    for page in store.stream(b"\x01", b"\xff", OWNER):
        document, batch = page.document, table.batch()
        if not document.text_chars:
            continue  # what can't be read is told by its bytes alone
        twin = _twin(store, document)
        if document.fate is Fate.DUPLICATE:
            document.fate, document.duplicate_of = Fate.WAITING, ""
        text = store.text(page.row, OWNER, page.when)
        found = fingerprint(content_text(text, document.line_scores) or text)
        row = page.row.removesuffix(part_of(document.name))
        visit = Visit(url_of(row), row, site_of_key(row), is_first=True)
        fetched = Fetched(Outcome.OK, cut=page.fetch.visit.cut)
        grouped = judge.judge(batch, visit, fetched, [found], Judged([document], twin))
        (document,) = grouped.documents
        own = Reassigned(page.row, document.fate, document.duplicate_of)
        for each in (own, *grouped.reassigned):
            _write(table, store, batch, _as_told(table, each))
            duplicates += each.fate is Fate.DUPLICATE
        duplicates -= sum(each.fate is not Fate.DUPLICATE for each in grouped.reassigned)
        table.write(batch)
        done += 1
        if done % _TELL_EVERY == 0:
            progress(f"{done:,} pages grouped …")
    if partition_of(table).tablets > 1:
        _regroup_far(table, judge.cut)
    return duplicates


def _as_told(table: Table, graded: Reassigned) -> Reassigned:
    """What other tablets said of a page holds until they say otherwise."""
    try:
        told = verdict_of(table, graded.row)
    except JSON_ERRORS:
        return graded
    if graded.fate is Fate.DUPLICATE or told is None:
        return graded
    return Reassigned(graded.row, Fate.DUPLICATE, url_of(told.representative))


def _regroup_far(table: Table, cut: Callable[[bytes], Cut]) -> None:
    """Other tablets are told of what has changed when this one is next at work."""
    if next(audit_shards(table, is_settled=False), None) is not None:
        remake(table, cut)
    batch = table.batch()
    for name, stored in everything(table, REALM + SENT):
        if not _reads(stored):
            batch.delete(FAMILY, REALM + SENT + name)
    start_over(batch)
    table.write(batch)


def _reads(stored: bytes) -> bool:
    try:
        unpack(Sent, stored)
    except JSON_ERRORS:
        return False
    return True


def _twin(store: PageStore, document: Document) -> bytes | None:
    """The page that it has the very same bytes as."""
    row = row_key(document.duplicate_of) if document.duplicate_of else None
    other = None if row is None else store.page(row, OWNER)
    same = other is not None and other.document.body_digest == document.body_digest != ""
    return row if same else None


def _forget(table: Table) -> None:
    batch, pending = table.batch(), 0
    for prefix in (MINHASH, GROUP, KIN, MEMBER):
        for key, _ in table.scan(FAMILY, prefix, prefix[:-1] + b"\x01"):
            batch.delete(FAMILY, key)
            pending += 1
            if pending % _AT_ONCE == 0:
                table.write(batch)
                batch = table.batch()
    table.write(batch)


def _write(table: Table, store: PageStore, batch: Batch, graded: Reassigned) -> None:
    cell, stored = store.cells.get(graded.row, FETCH), table.get("page", url_key(graded.row))
    if cell is None:
        return
    fetch = unpack(FetchRow, cell.value)
    document = fetch.document
    if (document.fate, document.duplicate_of) == (graded.fate, graded.duplicate_of):
        return
    document.fate, document.duplicate_of = graded.fate, graded.duplicate_of
    store.cells.put(batch, graded.row, FETCH, pack(fetch), cell.when)
    url = None if stored is None else unpack_url(stored)
    if url is not None and url.state is State.FETCHED:
        url.reason = graded.fate
        batch.put("page", url_key(graded.row), pack_url(url, time.time()))
