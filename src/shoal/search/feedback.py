"""Which candidates are like the best ones? Relevance feedback without asking anybody (Rocchio 1971;
Lavrenko and Croft 2001).

The words that the best few have, and the other candidates have not, tell what a question is about
beyond its own words. They only reorder what was found. Everything is counted among the candidates
themselves, so nothing is read for it: a word is telling if few of them have it. A query of one or
two words is left alone: whoever types a name wants that page, not what is like it. Where pages are
long it counts less: they speak of many things.
"""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Protocol

from shoal.model.candidate import Candidate, Candidates

_CANDIDATES = 50
_BEST = 5
_WORDS = 40
_LEAST_HAVING = 3
MOST_STEMS = 300
"""Of each candidate: its beginning says what it is about, and the work is bounded."""
_ONE_THING_WORDS = 300
"""The length of an abstract."""
_FEWEST_TERMS = 3
_ENOUGH_TERMS = 5


class Saturation(Protocol):
    @property
    def k1(self) -> float: ...

    @property
    def b(self) -> float: ...


def likeness(found: Candidates, texts: Sequence[float], weights: Saturation) -> list[float]:
    """For each candidate from 0 to 1; the one that is most like the best has 1 (or, for a query of
    few words, less)."""
    share = _share(found)
    by_text = sorted(range(len(texts)), key=lambda at: (-texts[at], found.found[at].row))
    looked_at = [at for at in by_text[:_CANDIDATES] if texts[at] > 0]
    if not share or len(looked_at) <= _BEST:
        return [0.0] * len(texts)
    counts = {at: _counts(found.found[at]) for at in looked_at}
    having = Counter(chain.from_iterable(counts.values()))
    rooms = {at: _room(found.found[at], found.mean_length, weights) for at in looked_at}
    telling: Counter[int] = Counter()
    for at in looked_at[:_BEST]:
        for stem, count in counts[at].items():
            if (others := having[stem]) >= _LEAST_HAVING:
                worth = math.log(1 + (len(looked_at) - others + 0.5) / (others + 0.5))
                telling[stem] += texts[at] ** 2 * worth * count / (count + rooms[at])  # type: ignore[assignment]  # weights
    chosen = telling.most_common(_WORDS)
    alike = {
        at: math.fsum(
            worth * count / (count + rooms[at])
            for stem, worth in chosen
            if (count := counts[at].get(stem, 0))
        )
        for at in looked_at
    }
    best = max(alike.values(), default=0.0)
    return [share * alike.get(at, 0.0) / best if best else 0.0 for at in range(len(texts))]


def _share(found: Candidates) -> float:
    """How much of a question the query is: 0 up to two words, 1 from five on; and how much a
    document is about one thing."""
    terms = sum(1 for term in found.terms if term.documents and not term.is_stop)
    steps = _ENOUGH_TERMS - _FEWEST_TERMS + 1
    question = max(0.0, min(1.0, (terms - _FEWEST_TERMS + 1) / steps))
    return question * min(1.0, _ONE_THING_WORDS / (found.mean_length or 1.0))


def _counts(candidate: Candidate) -> dict[int, int]:
    stems = array("I", candidate.stems[: 4 * MOST_STEMS])
    return dict(zip(stems, candidate.stem_counts, strict=False))


def _room(candidate: Candidate, mean_length: float, weights: Saturation) -> float:
    return weights.k1 * (1 - weights.b + weights.b * candidate.length / (mean_length or 1.0))
