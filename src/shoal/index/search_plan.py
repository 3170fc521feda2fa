"""How are several indexes searched as one? What each must be asked, and what to make of it.

The words of a query are looked up in all indexes and summed; with the sums each index finds its
best, scored as in the whole. A plan has no index of its own: it makes the same query as they do,
from the same sums, and so knows its terms, in their order and with their weights.
"""

from collections.abc import Sequence
from functools import lru_cache

from shoal.index.analysis import Analysis, Token
from shoal.index.fields import FieldWeights, make_schema
from shoal.index.hits import Wanted, wanted_of
from shoal.index.local_statistics import Nowhere
from shoal.index.matching import Matching, asked_languages
from shoal.index.native import Schema
from shoal.index.statistics import Shape, Statistics, Whole, main_languages
from shoal.index.terms import Lexicon
from shoal.model.candidate import Term
from shoal.model.query import Query


class Plan:
    """Of one query, over all indexes."""

    def __init__(
        self, query: Query, weights: FieldWeights, statistics: Statistics, analysis: Analysis
    ) -> None:
        whole = Whole(statistics)
        lexicon = Lexicon(whole, analysis, whole.languages)
        matching = Matching(_schema(), Nowhere(), lexicon, weights)
        matching.query(query)
        self.terms: list[Term] = matching.terms()
        self.wanted: Wanted = wanted_of(matching, whole.shape)


def words_to_ask(query: Query, analysis: Analysis, languages: Sequence[str]) -> list[Token]:
    """The words that an index would look up for a query."""
    nowhere = Nowhere()
    lexicon = Lexicon(nowhere, analysis, languages)
    Matching(_schema(), nowhere, lexicon, FieldWeights()).query(query)
    return list(nowhere.asked.values())


def languages_for(query: Query, shape: Shape) -> list[str]:
    """Under which the words of a query are stemmed."""
    return asked_languages(query) or main_languages(shape.languages, shape.all_documents)


@lru_cache(maxsize=1)
def _schema() -> Schema:
    return make_schema()
