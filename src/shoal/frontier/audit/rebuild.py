"""How is the frontier's state put in order? Counted and indexed again from the rows of the URLs.

The rows are the truth; queue entries, the sites' counts, the front index and the totals follow from
them (audit.py holds them against each other). For a table that no frontier is open on. Every step
writes what a second run would write again, so a kill in the middle costs another run.
"""

from collections import Counter
from collections.abc import Iterator

from shoal.frontier.state.rows import (
    ACTIVE_MARK,
    COUNTS_KEY,
    FRONT_MARK,
    LAST_MARK,
    REVISIT,
    SiteRow,
    UrlRow,
    after_mark,
    entry_key,
    entry_of,
    front_key,
    pack_url,
    read_entry,
    read_front_key,
    row_of_url_key,
    site_of_row_key,
    site_row_key,
    unpack_url,
    url_key,
)
from shoal.model.cell import NUL, to_ms
from shoal.model.outcome import State
from shoal.model.record import JSON_ERRORS, pack, unpack
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch, Table

_WRITE_AT_ONCE = 1000


def queue_again(table: Table, batch: Batch, row: bytes, now: float) -> bool:
    """What was stored of a URL is lost: it is to be fetched whole, whatever its validators say.
    `rebuild` has to follow."""
    stored = table.get("page", url_key(row))
    if stored is None:
        return False
    url = unpack_url(stored)
    is_new = url.waiting and not (url.etag or url.last_modified or url.digest)
    if is_new or url.state is State.EXCLUDED:
        return False
    url.etag = url.last_modified = url.digest = ""
    _let_wait(batch, row, url, now)
    return True


def rebuild(table: Table, now: float) -> int:
    """Returns how many entries, rows and counts were wrong."""
    return _Rebuilding(table, now).run()


class _Rebuilding:
    def __init__(self, table: Table, now: float) -> None:
        self._table = table
        self._now = now
        self._batch = table.batch()
        self._mended = 0
        self._counted: Counter[str] = Counter()
        self._entries: Counter[bytes] = Counter()
        self._best: dict[bytes, tuple[int, int]] = {}
        """Of each site with work: the best level, and when its first entry there is due."""

    def run(self) -> int:
        self._drop_strange_entries()
        self._count_urls()
        self._index_sites()
        self._write_counts()
        self._write()
        return self._mended

    def _drop_strange_entries(self) -> None:
        for key, _ in self._table.scan("queue", after_mark(LAST_MARK)):
            entry = read_entry(key.partition(NUL)[0], key)
            stored = self._table.get("page", url_key(entry.row))
            url = None if stored is None else _url(stored)
            if url is None or not url.waiting or entry_of(entry.row, url) != entry:
                self._batch.delete("queue", key)
                self._note()
        self._write()

    def _count_urls(self) -> None:
        for row, url in self._urls():
            if url.waiting or url.state is State.QUEUED:
                site = site_of_key(row)
                if not url.waiting:
                    _let_wait(self._batch, row, url, self._now)
                    self._note()
                elif self._table.get("queue", entry_key(site, entry_of(row, url))) is None:
                    self._batch.put("queue", entry_key(site, entry_of(row, url)), b"")
                    self._note()
                self._entries[site] += 1
                first = (url.level, url.due_ms)
                self._best[site] = min(self._best.get(site, first), first)
            self._counted[url.counted_as] += 1

    def _urls(self) -> Iterator[tuple[bytes, UrlRow]]:
        for key, stored in self._table.scan("page", b""):
            row = row_of_url_key(key)
            if row is None:
                continue
            url = _url(stored)
            if url is not None:
                yield row, url
            else:  # it would stop every frontier; a link to it may bring it again
                self._batch.delete("page", key)
                self._note()

    def _index_sites(self) -> None:
        marks = self._table.scan("queue", ACTIVE_MARK, after_mark(ACTIVE_MARK))
        marked = {key[1:] for key, _ in marks}
        indexed: dict[bytes, set[bytes]] = {}
        for key, _ in self._table.scan("queue", FRONT_MARK, after_mark(FRONT_MARK)):
            indexed.setdefault(read_front_key(key)[2], set()).add(key)
        for site, row in self._sites():
            self._counted["total/sites"] += 1
            self._counted["total/sites with work"] += self._entries[site] > 0
            self._index(site, row, indexed.pop(site, set()), site in marked)
        for keys in indexed.values():  # of sites without a row
            for key in keys:
                self._batch.delete("queue", key)
                self._note()

    def _index(self, site: bytes, row: SiteRow, there: set[bytes], marked: bool) -> None:
        before = pack(row)
        row.waiting = self._entries[site]
        named = (
            front_key(row.entry_level, row.entry_ready_ms, site) if row.entry_level >= 0 else b""
        )
        if not row.waiting or named not in there:
            row.entry_level, named = -1, b""
        if row.waiting and not named and not marked:
            level, due_ms = self._best[site]
            row.entry_level = level = level & ~REVISIT
            row.entry_ready_ms = max(due_ms, row.rest_until_ms, to_ms(self._now))
            named = front_key(level, row.entry_ready_ms, site)
            self._batch.put("queue", named, b"")
            self._note()
        for key in there - {named}:
            self._batch.delete("queue", key)
            self._note()
        if pack(row) != before or site not in self._known:
            self._batch.put("site", site_row_key(site), pack(row))
            self._note()

    def _sites(self) -> Iterator[tuple[bytes, SiteRow]]:
        """Those with a row, and those that have work and no row."""
        self._known: set[bytes] = set()
        for key, stored in self._table.scan("site", b"\x01"):
            site = site_of_row_key(key)
            if site is not None:
                self._known.add(site)
                yield site, unpack(SiteRow, stored)
        for site in sorted(set(self._best) - self._known):
            yield site, SiteRow()

    def _write_counts(self) -> None:
        stored = self._table.get("site", COUNTS_KEY)
        counts = {} if stored is None else unpack(dict[str, int], stored)
        totals = {name: n for name, n in counts.items() if name.startswith("total/")}
        right = totals | {name: n for name, n in self._counted.items() if n}
        for name in ("total/sites", "total/sites with work"):
            right[name] = self._counted[name]
        right = {name: n for name, n in right.items() if n}
        if right != counts:
            self._batch.put("site", COUNTS_KEY, pack(right))
            self._note()

    def _note(self) -> None:
        self._mended += 1
        if self._mended % _WRITE_AT_ONCE == 0:
            self._write()

    def _write(self) -> None:
        self._table.write(self._batch)
        self._batch = self._table.batch()


def _let_wait(batch: Batch, row: bytes, url: UrlRow, now: float) -> None:
    if not url.waiting:
        url.waiting, url.due_ms, url.order = True, 0, round(now * 1_000_000)
        batch.put("queue", entry_key(site_of_key(row), entry_of(row, url)), b"")
    batch.put("page", url_key(row), pack_url(url, now))


def _url(stored: bytes) -> UrlRow | None:
    try:
        return unpack_url(stored)
    except JSON_ERRORS:
        return None
