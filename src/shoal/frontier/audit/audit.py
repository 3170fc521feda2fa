"""Does the frontier's state agree? Every invariant of the table, counted again from its rows.

For a collection that nobody is writing to. Memory grows with the sites, not with the URLs. What it
holds:

1. The counts are those of the rows.
2. A URL that waits has exactly one queue entry, and every entry belongs to a URL that waits.
3. A site's row counts its entries, and names its entry in the front index.
4. A site with work is in the front index, or marked as one that may be being asked: else nobody
   would ever look for its URLs again. A site without work is not in the index.
"""

from collections import Counter
from collections.abc import Iterator

from shoal.frontier.state.rows import (
    ACTIVE_MARK,
    COUNTS_KEY,
    FRONT_MARK,
    LAST_MARK,
    SiteRow,
    after_mark,
    entry_key,
    entry_of,
    front_key,
    read_entry,
    read_front_key,
    row_of_url_key,
    site_of_row_key,
    unpack_url,
    url_key,
)
from shoal.model.cell import NUL
from shoal.model.outcome import State
from shoal.model.record import unpack
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Table

_TOLD = 1000
"""Problems that are told; a damaged table has too many to keep."""


def audit(table: Table) -> list[str]:
    """What is wrong, one sentence each; nothing when all is well."""
    problems: list[str] = []
    for problem in _Audit(table).problems():
        problems.append(problem)
        if len(problems) == _TOLD:
            break
    return problems


class _Audit:
    def __init__(self, table: Table) -> None:
        self._table = table
        self._counted: Counter[str] = Counter()
        self._entries: Counter[bytes] = Counter()
        self._indexed: dict[bytes, bytes] = {}
        marks = table.scan("queue", ACTIVE_MARK, after_mark(ACTIVE_MARK))
        self._marked = {key[1:] for key, _ in marks}

    def problems(self) -> Iterator[str]:
        yield from self._queue()
        yield from self._urls()
        yield from self._front()
        yield from self._sites()
        yield from self._counts()

    def _queue(self) -> Iterator[str]:
        for key, _ in self._table.scan("queue", after_mark(LAST_MARK)):
            site = key.partition(NUL)[0]
            entry = read_entry(site, key)
            self._entries[site] += 1
            stored = self._table.get("page", url_key(entry.row))
            if stored is None:
                yield f"{entry.row!r} has a queue entry and no row."
                continue
            url = unpack_url(stored)
            if not url.waiting or entry_of(entry.row, url) != entry:
                yield f"{entry.row!r} has a queue entry that its row does not name."

    def _urls(self) -> Iterator[str]:
        for key, stored in self._table.scan("page", b""):
            row = row_of_url_key(key)
            if row is None:
                continue
            url = unpack_url(stored)
            self._counted[url.counted_as] += 1
            if url.waiting:
                wanted = entry_key(site_of_key(row), entry_of(row, url))
                if self._table.get("queue", wanted) is None:
                    yield f"{row!r} waits and has no queue entry."
            elif url.state is State.QUEUED:
                yield f"{row!r} is queued and does not wait."

    def _front(self) -> Iterator[str]:
        for key, _ in self._table.scan("queue", FRONT_MARK, after_mark(FRONT_MARK)):
            site = read_front_key(key)[2]
            if site in self._indexed:
                yield f"{site!r} is in the front index twice."
            self._indexed[site] = key

    def _sites(self) -> Iterator[str]:
        known, working = 0, 0
        for key, stored in self._table.scan("site", b"\x01"):
            site = site_of_row_key(key)
            if site is None:
                continue
            row = unpack(SiteRow, stored)
            known, working = known + 1, working + (row.waiting > 0)
            yield from self._site(site, row)
        self._counted["total/sites"] = known
        self._counted["total/sites with work"] = working
        for site in sorted({*self._entries, *self._indexed}):
            yield f"{site!r} has work or an entry in the front index, and no row."

    def _site(self, site: bytes, row: SiteRow) -> Iterator[str]:
        entries = self._entries.pop(site, 0)
        if row.waiting != entries:
            yield f"{site!r} counts {row.waiting} queue entries and has {entries}."
        indexed = self._indexed.pop(site, None)
        named = (
            front_key(row.entry_level, row.entry_ready_ms, site) if row.entry_level >= 0 else None
        )
        if indexed != named:
            yield f"{site!r} is not in the front index as its row says."
        if entries and indexed is None and site not in self._marked:
            yield f"{site!r} has work, and nobody would look for it."
        if not entries and indexed is not None:
            yield f"{site!r} is in the front index without work."

    def _counts(self) -> Iterator[str]:
        stored = self._table.get("site", COUNTS_KEY)
        counts = {} if stored is None else unpack(dict[str, int], stored)
        totals = ("total/sites", "total/sites with work")
        for name in sorted({*counts, *self._counted}):
            if name.startswith("total/") and name not in totals:
                continue
            if counts.get(name, 0) != self._counted[name]:
                yield f"{name}: counted {counts.get(name, 0)}, found {self._counted[name]}."
