"""In what order? The best candidates of the index weighed again, from counts alone.

    text      BM25 of the content; a word in the title, a heading or an anchor adds to it (a sum of
              fields: a word in the title is not lost in a page that says it a hundred times)
    position  the index's own score, which knows where words stand beside each other
    name      whether it is called exactly so, by its title or by other sites
    feedback  likeness to the best few (feedback.py), unless some page is called so
    rank      what links say of the page; fresh: how young it is; home: how near to its site's root

All but the text are shares of the best text score, so the weights mean the same for every query,
and a page gains little by them that the words do not speak for.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from shoal.model.candidate import Candidate, Candidates, Count, Term, Where
from shoal.model.record import Struct
from shoal.search.feedback import likeness

RankOf = Callable[[Sequence[bytes]], Sequence[float]]
"""The rank of each row, from 0 to 1."""

CANDIDATES = 120
"""That are ordered again."""
_QUESTION_WORDS = 3
_STOP_WORTH = 0.5
_DAY_SECONDS = 86_400
_HALF_FRESH_DAYS = 365
_UNKNOWN_AGE = 0.25
"""A page without a date is taken for two years old: having one is no merit."""


class Weights(Struct, frozen=True):
    """How much each part counts. `k1` and `b` are BM25's: how soon repeating a word adds nothing,
    and how much of a page's length is held against it."""

    k1: float = 2.0
    b: float = 0.75
    title: float = 1.5
    headings: float = 0.6
    bold: float = 0.2
    url: float = 0.4
    rest: float = 0.05
    anchor: float = 1.0
    position: float = 0.3
    name: float = 1.0
    feedback: float = 0.5
    rank: float = 0.1
    fresh: float = 0.03
    home: float = 0.05


class Reason(NamedTuple):
    """One part of a score."""

    name: str
    value: float
    says: str


class Ranked(NamedTuple):
    candidate: Candidate
    score: float
    text: float
    position: float = 0.0
    name: float = 0.0
    feedback: float = 0.0
    rank: float = 0.0
    fresh: float = 0.0
    home: float = 0.0


def order(found: Candidates, weights: Weights, rank_of: RankOf, now: float) -> list[Ranked]:
    """The candidates, the best first. The same candidates are always in the same order."""
    text = TextScore(found, weights)
    texts = [text.score(each) for each in found.found]
    best = max(texts, default=0.0) or 1.0
    best_own = max((each.score for each in found.found), default=0.0) or 1.0
    names = [_name(each, weights) for each in found.found]
    alike = [0.0] * len(texts) if any(names) else likeness(found, texts, weights)
    ranks = rank_of([each.row for each in found.found])
    ranked = []
    for place, each in enumerate(found.found):
        parts = (
            texts[place],
            best * weights.position * each.score / best_own,
            best * weights.name * names[place],
            best * weights.feedback * alike[place],
            best * weights.rank * ranks[place],
            best * weights.fresh * freshness(each.published, now),
            best * weights.home * nearness(each.row),
        )
        ranked.append(Ranked(each, sum(parts), *parts))
    ranked.sort(key=lambda each: (-each.score, each.candidate.row))
    return ranked


def _name(candidate: Candidate, weights: Weights) -> float:
    """How much it is called by the very words of the query: half by its own title, the rest by
    other sites, the more the better."""
    called = candidate.called if weights.anchor > 0 else 0
    return 0.5 * candidate.is_titled + called / (called + 1)


class TextScore:
    """BM25 over what the index counted, summed over fields."""

    def __init__(self, found: Candidates, weights: Weights) -> None:
        self._terms = found.terms
        self._idfs = worths(found)
        self._weights = weights
        self._mean_length = found.mean_length or 1.0
        self._beside = _beside_content(weights)

    def score(self, candidate: Candidate) -> float:
        return sum(self.of_terms(candidate))

    def of_terms(self, candidate: Candidate) -> list[float]:
        """What each word of the query adds."""
        k1, b, beside = self._weights.k1, self._weights.b, self._beside
        room = (1 - b + b * candidate.length / self._mean_length) or 1.0
        added = []
        for value, (content, anchor, where) in zip(self._idfs, candidate.counts, strict=True):
            if not where or not value:
                added.append(0.0)
                continue
            often = content / room
            worth = (k1 + 1) * often / (often + k1) + beside[where]
            if anchor:
                said = math.log2(1 + anchor)
                worth += self._weights.anchor * said / (said + 1)
            added.append(value * worth)
        return added

    def reasons(self, candidate: Candidate) -> list[Reason]:
        of_terms = zip(self._terms, self.of_terms(candidate), candidate.counts, strict=True)
        return [Reason(term.word, value, _places(term, count)) for term, value, count in of_terms]


def reasons(ranked: Ranked, found: Candidates, weights: Weights) -> list[Reason]:
    """The parts of a score, in words; they add up to it."""
    published = ranked.candidate.published
    beside = [
        Reason("position", ranked.position, "the index's own score, which knows word order"),
        Reason("name", ranked.name, _names(ranked.candidate)),
        Reason("feedback", ranked.feedback, "how much it is like the best results"),
        Reason("rank", ranked.rank, "what links say of it (PageRank)"),
        Reason("fresh", ranked.fresh, "how young it is" if published else "its age is not known"),
        Reason("home", ranked.home, "how near it is to the root of its site"),
    ]
    return [*TextScore(found, weights).reasons(ranked.candidate), *(r for r in beside if r.value)]


def worths(found: Candidates) -> list[float]:
    """What each word of the query is worth. In a question the words that only make it one are worth
    half: they may be rare where nobody asks (`which` in abstracts)."""
    is_question = sum(1 for term in found.terms if not term.is_stop) >= _QUESTION_WORDS
    return [
        idf(term, found.documents) * (_STOP_WORTH if is_question and term.is_stop else term.weight)
        for term in found.terms
    ]


def idf(term: Term, documents: int) -> float:
    """How telling a word is: the fewer documents have it, the more."""
    having = min(term.documents, documents)
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


def freshness(published: float, now: float) -> float:
    """1 today, half of that after a year."""
    if published <= 0:
        return _UNKNOWN_AGE
    days = max(0.0, now - published) / _DAY_SECONDS
    return float(0.5 ** (days / _HALF_FRESH_DAYS))


def nearness(row: bytes) -> float:
    """1 for the root of a site, less for each step down; 0 for what has no site."""
    host, slash, path = row.partition(b"/")
    if not slash or b")" not in host:
        return 0.0
    path = path.strip(b"/")
    steps = (1 + path.count(b"/") + (b"?" in path)) if path else 0
    return 1 / (1 + steps)


@lru_cache(maxsize=16)
def _beside_content(weights: Weights) -> list[float]:
    """For each set of fields that a word may stand in, what they add to it."""
    fields = {
        Where.TITLE: weights.title,
        Where.HEADINGS: weights.headings,
        Where.BOLD: weights.bold,
        Where.REST: weights.rest,
        Where.URL: weights.url,
    }
    bits = {int(bit): weight for bit, weight in fields.items()}
    return [sum(bits[bit] for bit in bits if where & bit) for where in range(2 * max(Where))]


def _names(candidate: Candidate) -> str:
    sites = "1 site" if candidate.called == 1 else f"{candidate.called} sites"
    by = [sites] if candidate.called else []
    by += ["its own title"] if candidate.is_titled else []
    return f"called exactly so by {' and '.join(by)}"


def _places(term: Term, count: Count) -> str:
    """Where a word stands, in words."""
    if not count.where:
        return "is not in it"
    places = [f"{count.content} times in the content"] if count.content else []
    places += [name for bit, name in _NAMES.items() if count.where & bit]
    places += [f"{count.anchor} times in links to it"] if count.anchor else []
    return f"{', '.join(places)}; in {term.documents:,} documents"


_NAMES = {
    Where.TITLE: "in the title",
    Where.HEADINGS: "in a heading",
    Where.BOLD: "in bold",
    Where.REST: "beside the content",
    Where.URL: "in the URL",
}
