"""Does the index hold what the table says, no more and no less? A part of `verify`.

Asked only of an index of this release that has taken in every change: one that is behind, or is to
be rebuilt, is not wrong.
"""

from collections.abc import Iterator

from shoal.errors import ShoalError
from shoal.index.fields import digest_of
from shoal.index.index_directory import is_ours
from shoal.index.reader import IndexReader
from shoal.indexer.entries import Entries
from shoal.layout.index_state import read_state
from shoal.layout.layout import Layout
from shoal.maintenance.group_findings import Finding
from shoal.model.principal import OWNER
from shoal.model.urls.rowkey import url_of
from shoal.ports import Table
from shoal.store.change_log import last_sequence
from shoal.store.pages import PageStore


def index_findings(table: Table, layout: Layout) -> Iterator[Finding]:
    state = read_state(layout)
    if state is None or state.position != last_sequence(table) or not is_ours(layout.index):
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
