"""Which documents of a view are the best, and what is known of them? Addresses first, then more.

Reading what is stored of a document costs more than finding it. So where several indexes are
searched, each says the scores and addresses of its best, and tells more only of those that are
among the best of all.
"""

from collections.abc import Sequence

from shoal.index.exact_hits import exact_hits
from shoal.index.fields import Stored
from shoal.index.lengths import Means, Mending, Scored
from shoal.index.local_statistics import Here
from shoal.index.matching import Matching
from shoal.index.native import DocAddress
from shoal.index.readable import total_of
from shoal.index.statistics import Shape
from shoal.index.text_stems import hash_of
from shoal.index.vector import called, content_hashes, count_in
from shoal.index.view import View
from shoal.model.candidate import Candidate
from shoal.model.query import Query
from shoal.model.record import Struct

MOST_CANDIDATES = 10_000

Hit = tuple[float, int, int]
"""Its score (where nothing but filters was given, its date), and its address in the view."""


class Hits(Struct):
    """The best of one view, the best first."""

    stamp: str
    total: int = 0
    """How many match in all."""
    found: list[Hit] = []


class Wanted(Struct):
    """What is to be counted in documents that were found."""

    hashes: list[bytes]
    """Of the stems of each term."""
    names: list[bytes] = []
    is_scored: bool = True
    """By words; otherwise they are in the order of their dates."""
    scored: list[Scored] = []
    whole: Shape | None = None
    """Where the index is a part of it; then scores are mended to its mean lengths."""


def wanted_of(matching: Matching, whole: Shape | None = None) -> Wanted:
    return Wanted(
        hashes=[b"".join(map(hash_of, term.stems)) for term in matching.terms()],
        names=matching.names(),
        is_scored=matching.has_words,
        scored=[] if whole is None or whole.is_restricted else matching.scored(),
        whole=None if whole is None or whole.is_restricted else whole,
    )


def best_hits(
    here: Here, matching: Matching, query: Query, limit: int
) -> tuple[int, list[tuple[float, DocAddress]]]:
    """How many match, and the best by the index's own score; where only filters were given, the
    newest."""
    view, readable = here.view, here.readable
    if here.is_restricted:
        at_most = min(limit, MOST_CANDIDATES)
        return exact_hits(view, readable, matching, query, at_most, here.mean_length)
    wanted = matching.query(query)
    if wanted is None or limit < 1 or not readable.documents:
        return 0, []
    at_most = min(limit, MOST_CANDIDATES)
    if matching.has_words:
        result = view.searcher.search(readable.of(matching.with_nearness(wanted)), at_most)
    else:
        result = view.searcher.search(readable.of(wanted), at_most, order_by_field="date")
    return total_of(result), [(float(value or 0), address) for value, address in result.hits]


def candidates_at(
    view: View, hits: Sequence[tuple[float, DocAddress]], wanted: Wanted
) -> list[Candidate]:
    mending = None
    if wanted.whole is not None and wanted.is_scored:
        means = _means(view, wanted.whole)
        mending = Mending(wanted.scored, means, len(wanted.hashes))
    return [_candidate(view.stored(at), score, wanted, mending) for score, at in hits]


def _means(view: View, whole: Shape) -> dict[str, Means]:
    both = {field: Means(mean, whole.mean_of(field)) for field, mean in view.mean_words.items()}
    return {field: each for field, each in both.items() if each.whole > 0}


def _candidate(stored: Stored, score: float, wanted: Wanted, mending: Mending | None) -> Candidate:
    sites, by_itself = called(stored.vector, wanted.names)
    counts = [count_in(stored.vector, each) for each in wanted.hashes]
    if mending is not None:
        score = mending.mended(score, stored, counts)
    return Candidate(
        row=stored.row,
        score=score if wanted.is_scored else 0.0,
        counts=counts,
        length=stored.length,
        stems=content_hashes(stored.vector),
        stem_counts=stored.vector.content,
        called=sites,
        is_titled=by_itself,
        site=stored.site,
        language=stored.language,
        media_type=stored.media_type,
        fetched=stored.fetched,
        published=stored.published,
    )
