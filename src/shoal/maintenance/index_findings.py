"""Does the index hold what the table says, no more and no less? A part of `verify`.

Its files are held against their checksums. What it holds is asked only of an index of this release
that has taken in every change: one that is behind, or is to be rebuilt, is not wrong. One that is
gone is: changes that it had taken in are no longer in the log.
"""

from collections.abc import Iterator

from shoal.errors import ShoalError
from shoal.index.fields import digest_of
from shoal.index.index_directory import is_ours, version_in
from shoal.index.index_files import file_faults
from shoal.index.reader import IndexReader
from shoal.indexer.entries import Entries
from shoal.layout.index_state import read_state
from shoal.layout.layout import Layout
from shoal.maintenance.group_findings import Finding
from shoal.model.principal import OWNER
from shoal.model.urls.partition import PARTITION_KEY
from shoal.model.urls.rowkey import url_of
from shoal.ports import Table
from shoal.store.change_log import ChangeLog, last_sequence
from shoal.store.pages import PageStore


def index_findings(table: Table, layout: Layout) -> Iterator[Finding]:
    state, last = read_state(layout), last_sequence(table)
    if not version_in(layout.index) or state is None:
        was_forgotten = layout.index.is_dir() and not any(layout.index.iterdir())
        if was_indexed(table) and not was_forgotten:
            yield Finding("index", "", "The full-text index is gone, or what it says of itself.")
        return
    if not is_ours(layout.index):
        return
    faults = list(file_faults(layout.index))
    yield from (Finding("index", "", fault) for fault in faults)
    if state.position > last:
        says = f"It says that it has {state.position:,} changes, and there were {last:,}."
        yield Finding("index", "", says)
    if faults or state.position != last:
        return
    try:
        held = dict(IndexReader(layout.index).digests())
    except ShoalError as error:
        yield Finding("index", "", str(error))
        return
    store = PageStore(table, layout.warc)
    entries = Entries(table, store)
    for page in store.stream(b"\x01", b"\xff", OWNER):
        has = held.pop(page.row, None)
        try:
            entry = entries.of(page.row)
        except ShoalError:
            continue  # told already
        if entry is None and has is not None:
            yield Finding("index", page.url, "The index has it, and it should not be found.")
        elif entry is not None and has is None:
            yield Finding("index", page.url, "The index does not have it.")
        elif entry is not None and has != digest_of(entry):
            yield Finding("index", page.url, "The index has something else of it.")
    for row in held:
        yield Finding("index", url_of(row), "The index has it, and no page is stored.")


def was_indexed(table: Table) -> bool:
    """Whether an index has taken in changes: they are deleted from the log then. Not said of a
    tablet of a cluster, which may be restored without its index."""
    is_tablet = table.get("site", PARTITION_KEY) is not None
    return not is_tablet and last_sequence(table) > 0 and ChangeLog(table).first() != 1
