"""What is each tablet asked in a search over all of them? Questions, as collection/tablets.py has
them.

In the order in which they are put: the statistics of the query's words, the best hits by the sums
of these, what is known of the hits that are among the best of all, and what is shown of those on
the page. A tablet whose index was never made has nothing, and says so.
"""

from collections.abc import Sequence

from shoal.collection.search.finding import Facets, weights_of
from shoal.collection.search.request import SearchRequest
from shoal.collection.search.results import Result, Results
from shoal.collection.search.searching import Searcher, said_by, searcher_of
from shoal.collection.search.searching import linking_to as linking_to
from shoal.collection.view import TabletView
from shoal.index.analysis import Token
from shoal.index.distinctive_words import Frequent
from shoal.index.fields import FACETS, FieldWeights
from shoal.index.hits import Hit, Hits, Wanted
from shoal.index.index_directory import is_ours
from shoal.index.statistics import Statistics
from shoal.model.candidate import Candidate, Term
from shoal.model.query import Query
from shoal.model.record import Struct, changed
from shoal.search.feedback import MOST_STEMS
from shoal.search.ranking import Weights

_FACET_VALUES = 100
"""A site is in one tablet, so the most frequent are among these; of languages, types and years
there are few."""
_HASH_BYTES = 4


class Counted(Struct):
    statistics: Statistics
    behind: int
    """How many changes its index does not have yet."""


class Detail(Struct):
    candidate: Candidate
    rank: float


class PageWords(Struct):
    """The frequent words of a page."""

    row: bytes
    words: list[Frequent]


def search(view: TabletView, wanted: SearchRequest) -> Results:
    """The whole search, where there is no other tablet."""
    return searcher_of(view).search(wanted)


def search_weights(collection: TabletView) -> Weights:
    """As its settings have them."""
    return weights_of(collection.config)


def word_statistics(
    collection: TabletView, words: Sequence[Token], languages: Sequence[str]
) -> Counted | None:
    """None without an index."""
    searcher = _searcher(collection)
    if searcher is None:
        return None
    reader = searcher.newest()
    found = reader.statistics(words, languages, collection.principal, searcher.hidden(reader))
    return Counted(found, searcher.behind())


def best_hits(
    collection: TabletView, query: Query, fields: FieldWeights, whole: Statistics, limit: int
) -> Hits:
    searcher = _searcher(collection)
    if searcher is None:
        return Hits("")
    reader = searcher.newest()
    hidden = searcher.hidden(reader)
    return reader.hits(query, collection.principal, fields, whole, limit, hidden)


def details(
    collection: TabletView, stamp: str, hits: Sequence[Hit], wanted: Wanted
) -> list[Detail] | None:
    """None when the commit that they were found in is gone."""
    if not hits:
        return []
    searcher = searcher_of(collection)
    found = searcher.newest().details(stamp, hits, wanted)
    if found is None:
        return None
    ranks = searcher.ranks.rank_of([each.row for each in found])
    return [Detail(_light(each), rank) for each, rank in zip(found, ranks, strict=True)]


def shown(
    collection: TabletView, chosen: Sequence[tuple[Candidate, float]], terms: Sequence[Term]
) -> list[Result | None]:
    """Candidates with their scores; None for what is no longer there."""
    if not chosen:
        return []
    result = searcher_of(collection).showing.result
    return [result(candidate, terms, score) for candidate, score in chosen]


def facet_values(collection: TabletView, query: Query, whole: Statistics) -> Facets:
    searcher = _searcher(collection)
    if searcher is None:
        return {}
    reader, principal = searcher.newest(), collection.principal
    hidden = searcher.hidden(reader)
    return reader.facets(query, principal, FACETS, _FACET_VALUES, whole, hidden)


def page_words(collection: TabletView, url: str) -> PageWords | None:
    """None when there is no such page."""
    said, searcher = said_by(collection, url), _searcher(collection)
    if said is None or searcher is None:
        return None
    return PageWords(said.row, searcher.newest().frequent(said.text, said.language))


def having(collection: TabletView, stems: Sequence[str]) -> tuple[list[int], int]:
    """How many documents have each of these stems, and of how many."""
    searcher = _searcher(collection)
    if searcher is None:
        return [0] * len(stems), 0
    reader = searcher.newest()
    return reader.having(stems, collection.principal, searcher.hidden(reader))


def _searcher(collection: TabletView) -> Searcher | None:
    return searcher_of(collection) if is_ours(collection.layout.index) else None


def _light(candidate: Candidate) -> Candidate:
    """With as many stems as are looked at."""
    stems, counts = candidate.stems[: MOST_STEMS * _HASH_BYTES], candidate.stem_counts[:MOST_STEMS]
    return changed(candidate, stems=stems, stem_counts=counts)
