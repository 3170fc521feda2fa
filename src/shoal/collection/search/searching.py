"""Which pages of one collection are these words about? The source of a search that is one index.

What the index still has and the table no longer shows this principal is left out, so a page that
was taken back is not found even while the index is behind. How a search goes stands in finding.py.
"""

import threading
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from shoal.collection.search.finding import MOST_FACET_VALUES, Facets, find, weights_of
from shoal.collection.search.request import SearchRequest
from shoal.collection.search.results import Result, Results
from shoal.collection.search.showing import Showing
from shoal.collection.search.unindexed import Unindexed
from shoal.errors import DamagedError, UsageError
from shoal.index.fields import FACETS, FieldWeights
from shoal.index.reader import IndexReader
from shoal.layout.index_state import IndexState, read_state
from shoal.layout.ranks import Ranks
from shoal.model.candidate import Candidates
from shoal.model.content import content_text
from shoal.model.query import Query
from shoal.model.record import Struct
from shoal.search.parse import Like
from shoal.search.ranking import Ranked, Weights
from shoal.sources.seeds import seed_url
from shoal.store.change_log import last_sequence

if TYPE_CHECKING:
    from shoal.collection.view import TabletView

RELATED_WORDS = 24
_MOST_LINKING = 10_000


class Searcher:
    """Searches one collection, for its principal; from any number of threads."""

    def __init__(self, collection: "TabletView", weights: Weights | None = None) -> None:
        self._collection = collection
        self.weights = weights or weights_of(collection.config)
        self.ranks = Ranks(collection.layout.directory)
        self.showing = Showing(collection)
        self._reader = IndexReader(collection.layout.index)
        self._state = read_state(collection.layout)
        self._refreshing = threading.Lock()
        self._unindexed = Unindexed(collection.table, collection.store, collection.principal)

    def search(self, wanted: SearchRequest) -> Results:
        return find(_OneIndex(self, self._collection, self.newest()), self.weights, wanted)

    def behind(self) -> int:
        """How many changes the index does not have yet."""
        if not self._collection.principal.everything:
            return 0  # it would count changes of what they may not read
        return max(0, last_sequence(self._collection.table) - self._reader.position())

    def hidden(self, reader: IndexReader) -> Sequence[bytes]:
        """Rows of the index that its principal may no longer read, by changes that it does not
        have yet."""
        return self._unindexed.hidden(reader.position(), reader.holds)

    def newest(self) -> IndexReader:
        """Whoever comes while another refreshes reads what there is."""
        state = read_state(self._collection.layout)
        if state != self._state and self._refreshing.acquire(blocking=False):
            try:
                self._refresh(state)
            finally:
                self._refreshing.release()
        return self._reader

    def _refresh(self, state: IndexState | None) -> None:
        try:
            self._reader.refresh()
        except DamagedError:  # it was rebuilt in place of this one
            self._reader = IndexReader(self._collection.layout.index)
        self._state = state


def searcher_of(collection: "TabletView") -> Searcher:
    """The one that a collection keeps."""
    if collection.searcher is None:
        collection.searcher = Searcher(collection)
    return collection.searcher


class _OneIndex:
    """Of one search."""

    def __init__(self, searcher: Searcher, collection: "TabletView", reader: IndexReader) -> None:
        self._searcher = searcher
        self._principal = collection.principal
        self._reader = reader
        self._hidden = searcher.hidden(reader)
        self.pages = _Pages(collection, reader, self._hidden)

    def candidates(self, query: Query, fields: FieldWeights, limit: int) -> Candidates:
        return self._reader.candidates(query, self._principal, fields, limit, self._hidden)

    def rank_of(self, rows: Sequence[bytes]) -> list[float]:
        return self._searcher.ranks.rank_of(rows)

    def shown(self, chosen: Sequence[Ranked], found: Candidates) -> list[Result | None]:
        result = self._searcher.showing.result
        return [result(each.candidate, found.terms, each.score) for each in chosen]

    def facets(self, query: Query) -> Facets:
        hidden, most = self._hidden, MOST_FACET_VALUES
        return self._reader.facets(query, self._principal, FACETS, most, hidden=hidden)

    def behind(self) -> int:
        return self._searcher.behind()

    def notes(self) -> list[str]:
        return []


class _Pages:
    """What the query language asks of a collection."""

    def __init__(
        self, collection: "TabletView", reader: IndexReader, hidden: Sequence[bytes]
    ) -> None:
        self._collection = collection
        self._reader = reader
        self._hidden = hidden

    def linking_to(self, url: str) -> Sequence[bytes]:
        return linking_to(self._collection, url)

    def like(self, url: str) -> Like | None:
        said = said_by(self._collection, url)
        if said is None:
            return None
        principal = self._collection.principal
        words = self._reader.like(said.text, said.language, RELATED_WORDS, principal, self._hidden)
        return Like(said.row, words)


class Said(Struct):
    """What a page says."""

    row: bytes
    text: str
    language: str


def linking_to(collection: "TabletView", url: str) -> list[bytes]:
    """The rows of the pages that link to one."""
    row = _row(collection, url)
    if row is None:
        return []
    anchors = collection.store.anchors(row, collection.principal)
    return [source for source, _, _ in islice(anchors, _MOST_LINKING)]


def said_by(collection: "TabletView", url: str) -> Said | None:
    """None when there is no such page, or not for this principal."""
    row = _row(collection, url)
    store, principal = collection.store, collection.principal
    page = None if row is None else store.page(row, principal)
    if page is None:
        return None
    whole = store.text(page.row, principal, page.when)
    text = f"{page.document.title} {content_text(whole, page.document.line_scores) or whole}"
    return Said(page.row, text, page.document.language)


def _row(collection: "TabletView", url: str) -> bytes | None:
    """Never a file that happens to be named so: who searches need not be who owns them."""
    try:
        meant = seed_url(url)
        return collection.row(meant if "://" in url else meant.partition("://")[2])
    except (ValueError, UsageError):
        return None
