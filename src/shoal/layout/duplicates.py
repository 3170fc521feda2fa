"""How do the indexes of duplicates see the pages? Through the store and the frontier's rows."""

from collections.abc import Iterator
from functools import partial
from math import inf

from shoal.config import Dedupe
from shoal.duplicates.across.across import Across, Own, Send
from shoal.duplicates.duplicates import DiskDuplicates, Known, Learning, Near, NearSettings
from shoal.duplicates.exact.exact import ExactDuplicates, Stored
from shoal.duplicates.learn.lessons import Lessons
from shoal.duplicates.learn.mirrors import Mirrors
from shoal.duplicates.near.groups import Groups, Worth
from shoal.duplicates.near.near import NearIndex
from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.view import FrontierView
from shoal.model.document import Document
from shoal.model.messages import Item
from shoal.model.outcome import State
from shoal.model.principal import OWNER
from shoal.model.urls.partition import Partition
from shoal.model.urls.rowkey import is_inside, site_of_key, url_of
from shoal.ports import Batch, Table
from shoal.store.pages import PageStore
from shoal.store.rows import stored_inside

_MOST_IN_LINKS = 64
"""Pages that link to a page are counted up to here, to weigh it against another."""
ALONE = Partition()
_STORED = (State.FETCHED, State.UNCHANGED)
_WANTED = (State.QUEUED, *_STORED)


def exact_prints(table: Table, store: PageStore) -> ExactDuplicates:
    frontier = FrontierView(table)

    def stored_of(row: bytes) -> Stored | None:
        if is_inside(row):  # its bytes are another's: only an older release asked for it
            return None
        page, url = store.page(row, OWNER), frontier.url(row)
        if page is None or url is None:
            return None
        return Stored(page.document, page.fetch.payload, url.depth)

    return ExactDuplicates(table, stored_of, lambda row: [out.link for out in store.links_of(row)])


def groups(table: Table, store: PageStore) -> Groups:
    """The groups of near-duplicates, to read."""
    worths = _Worths(table, store)
    return Groups(NearIndex(table), worths.of_stored, worths.canonical)


def near(table: Table, store: PageStore, settings: Dedupe) -> Near:
    worths, index = _Worths(table, store), NearIndex(table)
    cuts = NearSettings(settings.resemblance, settings.resemblance_across)
    grouped = Groups(index, worths.of_stored, worths.canonical)
    return Near(index, grouped, worths.of, cuts)


def send_nowhere(_batch: Batch, tablet: int, _item: Item) -> None:
    raise AssertionError(f"a collection of one tablet has something for tablet {tablet}")


def duplicates(
    table: Table,
    store: PageStore,
    settings: Dedupe,
    partition: Partition = ALONE,
    send: Send = send_nowhere,
) -> DiskDuplicates:
    """`send` puts items for other tablets into the outbox."""
    exact, inside_of = exact_prints(table, store), partial(stored_inside, store.cells)
    if settings.near == "no":
        return DiskDuplicates(exact, inside_of=inside_of)
    judge, worths = near(table, store, settings), _Worths(table, store, partition)
    mirrors = None if settings.learn == "no" else Mirrors(table, worths.of_site)
    across = None
    if partition.tablets > 1:
        own = Own(judge.groups, worths.of, worths.of_stored, judge.cut, mirrors)
        across = Across(table, partition, send, own)
    if mirrors is None:
        return DiskDuplicates(exact, judge, across=across, inside_of=inside_of)
    known = Known(worths.is_stored, worths.is_wanted)
    learning = Learning(Lessons(table, worths.stored_at), mirrors, judge.groups, known)
    return DiskDuplicates(exact, judge, learning, across, inside_of)


class _Worths:
    """What makes one page stand for others, out of the table."""

    def __init__(self, table: Table, store: PageStore, partition: Partition = ALONE) -> None:
        self._store = store
        self._frontier = FrontierView(table)
        self._partition = partition

    def of_stored(self, row: bytes) -> Worth | None:
        page = self._store.page(row, OWNER)
        return None if page is None else self.of(row, page.document)

    def of(self, row: bytes, document: Document) -> Worth:
        url = self._frontier.url(row)
        return Worth(
            url_of(row),
            document.canonical,
            self._store.linking.public_in_links(row, _MOST_IN_LINKS),
            document.published,
            0.0 if url is None else url.found_ms / 1000,
        )

    def canonical(self, row: bytes) -> str:
        page = self._store.page(row, OWNER)
        return "" if page is None else page.document.canonical

    def of_site(self, site: bytes) -> tuple[float, ...]:
        """Of two sites that are the same the one with more pages is the original. One of another
        tablet is, because it is the page here that is told to be a copy
        (duplicates/across/across.py)."""
        if not self._partition.owns(site):
            return (inf,)
        view = self._frontier.site(site)
        return (0,) if view is None else (view.row.fetched,)

    def stored_at(self, site: bytes) -> Iterator[bytes]:
        """The rows of a site's stored pages."""
        for row, url in self._frontier.urls(site, site + b"\xff"):
            if url.state in _STORED and site_of_key(row) == site:
                yield row

    def is_stored(self, row: bytes) -> bool:
        return self._is(row, _STORED)

    def is_wanted(self, row: bytes) -> bool:
        return self._is(row, _WANTED)

    def _is(self, row: bytes, states: tuple[State, ...]) -> bool:
        url: UrlRow | None = self._frontier.url(row)
        return url is not None and url.state in states
