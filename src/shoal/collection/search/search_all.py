"""Which pages of a whole cluster are these words about? Scatter and gather, ranked as one index.

    statistics  each tablet counts the words of the query; the counts are summed
    hits        each finds its best, scored by the sums; the best of all are kept
    details     what is known of those, of their owners; they are ordered once, as in one index
    shown       titles and snippets of those on the page, of their owners

A word that is rare in one tablet and common in the whole is common everywhere (Callan 1995; what
others call distributed idf). Which languages the words are stemmed under depends on the whole, too:
it is taken to be as it was at the last search, and the first round is put again when it is not.
"""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import NamedTuple

from shoal.collection.readable import seen_rows
from shoal.collection.search import search_questions as questions
from shoal.collection.search.finding import MOST_FACET_VALUES, Facets, find
from shoal.collection.search.request import SearchRequest
from shoal.collection.search.results import Result, Results
from shoal.collection.search.search_questions import Counted, Detail
from shoal.collection.search.searching import RELATED_WORDS
from shoal.collection.tablets import Tablets, owner_of
from shoal.errors import CollectionError, UsageError
from shoal.index.analysis import Analysis
from shoal.index.distinctive_words import distinctive_words
from shoal.index.fields import FACETS, FieldWeights
from shoal.index.hits import Hit, Hits
from shoal.index.search_plan import Plan, languages_for, words_to_ask
from shoal.index.statistics import Shape, Statistics, sum_of_shapes, summed
from shoal.model.candidate import Candidate, Candidates
from shoal.model.query import Query
from shoal.model.record import changed
from shoal.model.urls.rowkey import row_key
from shoal.model.words.marks import MOST_WAYS, PATHS
from shoal.search.parse import Like
from shoal.search.ranking import CANDIDATES, Ranked, Weights
from shoal.sources.seeds import seed_url

_TRIES = 4
_SPARE = CANDIDATES // 2
"""Hits beyond the limit whose scores are mended (index/lengths.py): they may pass others by it."""


class SearchAll:
    """Searches all tablets, for their principal; from any number of threads."""

    def __init__(self, tablets: Tablets) -> None:
        self._tablets = tablets
        self._weights: Weights | None = None
        self._analysis = Analysis()
        self._shape = Shape()

    def search(self, wanted: SearchRequest) -> Results:
        """A tablet that is alone has the statistics of the whole, and answers by itself."""
        if self._tablets.count == 1:
            return self._tablets.ask(0, questions.search, wanted)
        return find(_AllTablets(self._tablets, self), self.weights(), wanted)

    def weights(self) -> Weights:
        if self._weights is None:
            self._weights = self._tablets.ask(0, questions.search_weights)
        return self._weights

    def statistics(self, query: Query) -> tuple[Statistics, list[Counted | None]]:
        """Of the words of a query in the whole, and what each tablet said (None: no index)."""
        tries = 0
        while True:
            tries += 1
            known = self._shape
            languages = languages_for(query, known)
            words = words_to_ask(query, self._analysis, languages)
            counted = self._tablets.ask_all(questions.word_statistics, words, languages)
            parts = [each.statistics for each in counted if each is not None]
            if not parts:
                raise CollectionError(
                    "No tablet has a full-text index yet; a cluster that runs makes it by itself, "
                    "one at rest by `shoal reindex`."
                )
            shape = self._shape = sum_of_shapes([part.shape for part in parts])
            if languages == languages_for(query, shape) or tries >= _TRIES:
                return summed(parts), counted

    def plan(self, query: Query, fields: FieldWeights, statistics: Statistics) -> Plan:
        return Plan(query, fields, statistics, self._analysis)


class _Place(NamedTuple):
    """A hit, and where it was found."""

    tablet: int
    hit: Hit


class _AllTablets:
    """The source of one search."""

    def __init__(self, tablets: Tablets, search: SearchAll) -> None:
        self._tablets = tablets
        self._search = search
        self._statistics: Statistics | None = None
        self._counted: list[Counted | None] = []
        self._details: dict[bytes, Detail] = {}
        self._tablet_of: dict[bytes, int] = {}
        self.pages = _Pages(tablets)

    def candidates(self, query: Query, fields: FieldWeights, limit: int) -> Candidates:
        """Once more where an index was committed twice between two questions."""
        tries = 0
        while True:
            tries += 1
            statistics, self._counted = self._search.statistics(query)
            self._statistics = statistics
            plan = self._search.plan(query, fields, statistics)
            at_most = limit + _SPARE
            hits = self._tablets.ask_all(questions.best_hits, query, fields, statistics, at_most)
            best = list(islice(_best_of(hits), at_most))
            found, is_whole = self._detailed(best, hits, plan)
            if is_whole or tries >= _TRIES:
                break
        if plan.wanted.is_scored:
            for each in found:
                each.score = _without_noise(each.score)
            found.sort(key=lambda each: (-each.score, each.row))
        return Candidates(
            found=found[:limit],
            total=sum(each.total for each in hits),
            terms=plan.terms,
            documents=statistics.shape.documents,
            mean_length=statistics.shape.mean_length,
        )

    def _detailed(
        self, best: Sequence[_Place], hits: Sequence[Hits], plan: Plan
    ) -> tuple[list[Candidate], bool]:
        """What is known of hits, in their order, and whether every tablet could say so."""
        asked: list[list[Hit]] = [[] for _ in hits]
        for tablet, hit in best:
            asked[tablet].append(hit)
        given = [
            (each.stamp, wanted, plan.wanted) for each, wanted in zip(hits, asked, strict=True)
        ]
        answers = self._tablets.ask_each(questions.details, given)
        told = [iter(answer or ()) for answer in answers]
        found: list[Candidate] = []
        for tablet, _ in best:
            detail = next(told[tablet], None)
            if detail is not None:
                row = detail.candidate.row
                self._details[row], self._tablet_of[row] = detail, tablet
                found.append(detail.candidate)
        return found, all(answer is not None for answer in answers)

    def rank_of(self, rows: Sequence[bytes]) -> list[float]:
        return [self._details[row].rank for row in rows]

    def shown(self, chosen: Sequence[Ranked], found: Candidates) -> list[Result | None]:
        asked: list[list[tuple[Candidate, float]]] = [[] for _ in range(self._tablets.count)]
        for each in chosen:
            bare = changed(each.candidate, counts=[], stems=b"", stem_counts=b"")
            asked[self._tablet_of[bare.row]].append((bare, each.score))
        given = [(wanted, found.terms) for wanted in asked]
        answers = self._tablets.ask_each(questions.shown, given) if chosen else []
        told = [iter(answer) for answer in answers]
        return [next(told[self._tablet_of[each.candidate.row]]) for each in chosen]

    def facets(self, query: Query) -> Facets:
        whole = self._statistics
        if whole is None:
            return {}
        answers = self._tablets.ask_all(questions.facet_values, query, whole)
        return {name: _most_frequent(answers, name) for name in FACETS}

    def behind(self) -> int:
        return sum(each.behind for each in self._counted if each is not None)

    def notes(self) -> list[str]:
        absent = sum(each is None for each in self._counted)
        tablets = len(self._counted)
        return [f"{absent} of {tablets} tablets have no full-text index yet"] if absent else []


class _Pages:
    """What the query language asks of a collection: the owner of a page, or all."""

    def __init__(self, tablets: Tablets) -> None:
        self._tablets = tablets

    def linking_to(self, url: str) -> Sequence[bytes]:
        """The links to a page stand with it; whether one may know of their sources is known where
        these are."""
        owner = self._owner(url)
        rows = [] if owner is None else self._tablets.ask(owner, questions.linking_to, url)
        known = seen_rows(self._tablets, rows)
        return [row for row in rows if row in known]

    def like(self, url: str) -> Like | None:
        owner = self._owner(url)
        said = None if owner is None else self._tablets.ask(owner, questions.page_words, url)
        if said is None:
            return None
        answers = self._tablets.ask_all(questions.having, [each.stem for each in said.words])
        counts = [sum(each) for each in zip(*(counts for counts, _ in answers), strict=True)]
        documents = sum(documents for _, documents in answers)
        return Like(said.row, distinctive_words(said.words, counts, documents, RELATED_WORDS))

    def _owner(self, url: str) -> int | None:
        try:
            return owner_of(self._tablets, row_key(seed_url(url)))
        except (ValueError, UsageError):
            return None


def _best_of(hits: Sequence[Hits]) -> Iterator[_Place]:
    """Of all tablets, the best first."""
    places = ([_Place(tablet, hit) for hit in each.found] for tablet, each in enumerate(hits))
    return merge(*places, key=lambda each: -each.hit[0])


def _without_noise(score: float) -> float:
    """Mended scores (index/lengths.py) are right to five digits or so: what is alike in one index
    is alike here."""
    return float(f"{score:.4g}")


def _most_frequent(answers: Sequence[Facets], name: str) -> list[tuple[str, int]]:
    total: dict[str, int] = {}
    for answer in answers:
        for value, count in answer.get(name, ()):
            total[value] = total.get(value, 0) + count
    frequent = sorted(total.items(), key=lambda each: (-each[1], each[0]))
    return frequent[: MOST_WAYS if name in PATHS else MOST_FACET_VALUES]
