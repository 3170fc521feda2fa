"""How common are words in this index, for someone? Its own share of the statistics.

`Here` looks a word up when it is asked for; with the sums of several indexes (statistics.py) it
is the scale by which tantivy's own score, which knows this index alone, becomes that of the whole:

    score here × rarity in the whole / rarity here        (of a phrase: the sums over its words)
"""

import math
from collections.abc import Iterable, Sequence

from shoal.index.analysis import Token
from shoal.index.fields import WORD_FIELDS
from shoal.index.readable import Readable
from shoal.index.statistics import Shape, Whole, WordCounts, WordKey, word_key
from shoal.index.view import View

OF_ITSELF = ("title", "headings", "bold", "content")
"""A word of every URL or every menu of a site is still rare if few pages speak of it."""
MOST_PAIRS = 32
"""That a single character may be the beginning of."""


def rarity(documents: int, having: int) -> float:
    """BM25's, which is never negative."""
    return math.log1p((max(0, documents - having) + 0.5) / (having + 0.5))


class Here:
    """One index, as far as someone may read it."""

    def __init__(
        self,
        view: View,
        readable: Readable,
        whole: Whole | None = None,
    ) -> None:
        """`whole`: of all indexes, where there are others."""
        self.view = view
        self.readable = readable
        self.whole = whole

    @property
    def documents(self) -> int:
        return self.readable.documents

    @property
    def is_restricted(self) -> bool:
        return self.readable.only is not None

    @property
    def mean_length(self) -> float:
        """Words of content of a document that may be read."""
        return self.readable.mean_length if self.whole is None else self.whole.shape.mean_length

    def shape(self) -> Shape:
        words, measured = self.readable.lengths
        view = self.view
        if self.is_restricted:
            return Shape(
                documents=self.documents,
                is_restricted=True,
                all_documents=self.documents,
                words=words,
                measured=measured,
                languages=self.readable.languages,
            )
        return Shape(
            documents=self.documents,
            is_restricted=self.is_restricted,
            all_documents=view.all.documents,
            words=words,
            measured=measured,
            languages=view.languages,
            deleted=view.scored - view.searcher.num_docs,
            field_words={name: mean * view.scored for name, mean in view.mean_words.items()},
        )

    def word(self, token: Token, stems: Sequence[str]) -> WordCounts:
        pairs = self._pairs(stems[0]) if token.is_prefix else {}
        if not self.is_restricted:
            return WordCounts({stem: self._fields_of(stem) for stem in (*stems, *pairs)})
        counts = {stem: {"content": count} for stem, count in pairs.items()}
        counts = {stem: dict[str, int]() for stem in stems} | counts
        found = WordCounts(counts, self._readable_with(counts, OF_ITSELF))
        # Looked at only where no index has a document that speaks of it itself.
        found.in_any_field = 0 if found.of_itself else self._readable_with(counts, WORD_FIELDS)
        return found

    def scale(self, field: str, stems: Iterable[str]) -> float:
        """What tantivy's score of these words is multiplied with."""
        if self.whole is None or self.is_restricted:
            return 1.0
        here = whole = 0.0
        for stem in stems:
            here += rarity(self.view.scored, self.view.count(field, stem))
            whole += rarity(self.whole.shape.scored, self.whole.count(field, stem))
        return whole / here if here > 0 else 1.0

    def count(self, field: str, stem: str) -> int:
        """Whether it is 0 is all that is asked of one who may not read everything, and not even
        that is told: it would count documents that they may not read, or that are deleted."""
        return 1 if self.is_restricted else self.view.count(field, stem)

    def _fields_of(self, stem: str) -> dict[str, int]:
        counts = {field: self.view.count(field, stem) for field in WORD_FIELDS}
        return {field: count for field, count in counts.items() if count}

    def _pairs(self, character: str) -> dict[str, int]:
        found = self.readable.searcher.terms_with_prefix(
            "content", character, filter_query=self.readable.only, limit=MOST_PAIRS
        )
        return {text: count for text, count in found if count}

    def _readable_with(self, stems: Iterable[str], fields: Sequence[str]) -> int:
        return self.readable.count(
            [self.readable.has(field, stem) for stem in stems for field in fields]
        )


class Nowhere:
    """No index at all: for whoever only wants to know which words a query would look up."""

    documents = 0
    is_restricted = False

    def __init__(self) -> None:
        self.asked: dict[WordKey, Token] = {}

    def word(self, token: Token, stems: Sequence[str]) -> WordCounts:
        self.asked[word_key(token)] = token
        return WordCounts({stem: {} for stem in stems})

    def scale(self, _field: str, _stems: Iterable[str]) -> float:
        return 1.0

    def count(self, _field: str, _stem: str) -> int:
        return 0
