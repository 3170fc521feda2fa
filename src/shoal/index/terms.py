"""What does the index know of a word that someone looks for? Its stems, and how common they are.

A query does not say its language. A word is stemmed under each of the collection's main ones, and
stays as it is too: documents whose language has no stemmer, or was not known, have it so. A
document is of one language, so it has one of the stems, and scores may be added.

A rare stem of a common word would weigh too much by its own rarity; so each is weighed as if it
were as common as the word.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from shoal.index.analysis import Analysis, Token, folded
from shoal.index.fields import WORD_FIELDS
from shoal.index.readable import Readable
from shoal.index.stop_words import STOP_WORDS
from shoal.model.candidate import Term
from shoal.model.record import Struct

STOP_WEIGHT = 0.1
_OF_ITSELF = ("title", "headings", "bold", "content")
"""A word of every URL or every menu of a site is still rare if few pages speak of it."""
_COMMON_SHARE = 0.03
"""Of the documents: a word of a list that is rarer than this is one that means something here."""
_FEW_DOCUMENTS = 200
"""In so few no share says anything."""
_MOST_TELLING = 300
"""Words of a text that are looked up."""
_MOST_PAIRS = 32
"""That a single character may be the beginning of."""


class Stem(Struct, frozen=True):
    text: str
    documents: dict[str, int]
    """How many have it, by field; fields that lack it are left out."""


class Known(Struct):
    """A word of the query."""

    token: Token
    stems: list[Stem]
    documents: int
    is_stop: bool
    """And common here;"""
    is_listed: bool
    """or in the list at least."""

    def term(self, times: int) -> Term:
        weight = float(times) * (STOP_WEIGHT if self.is_stop else 1.0)
        stems = [stem.text for stem in self.stems]
        word, documents = self.token.text, self.documents
        return Term(word, stems, documents, weight, is_stop=self.is_listed)


class Lexicon:
    """Looks words up in what someone may read of the index, under these languages."""

    def __init__(self, readable: Readable, analysis: Analysis, languages: Sequence[str]) -> None:
        self._readable = readable
        self._searcher = readable.searcher
        self._analysis = analysis
        self.languages = languages
        self.documents = readable.documents
        self._known: dict[tuple[str, bool], Known] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def look_up(self, token: Token) -> Known:
        key = (token.text, token.is_prefix)
        if key not in self._known:
            self._known[key] = self._make(token)
        return self._known[key]

    def stem(self, token: Token, language: str) -> str:
        if token.is_pair:
            return folded(token.text)
        return self._analysis.stemmer(language).stem(token.text)

    def stems(self, token: Token) -> list[str]:
        """Distinct, the main language's first."""
        found = [self.stem(token, language) for language in (*self.languages, "")]
        if token.is_prefix:
            found += self._pairs(found[0])
        return list(dict.fromkeys(found))

    def _pairs(self, character: str) -> list[str]:
        found = self._searcher.terms_with_prefix(
            "content", character, filter_query=self._readable.only, limit=_MOST_PAIRS
        )
        return [text for text, _ in found]

    def _make(self, token: Token) -> Known:
        stems = [self._stem_of(text) for text in self.stems(token)]
        fields = _OF_ITSELF if self._most(stems, _OF_ITSELF) else WORD_FIELDS
        documents = self._readable_with(stems, fields)
        is_listed = self._is_listed(token)
        is_stop = is_listed and self._is_common(documents)
        return Known(token, stems, documents, is_stop, is_listed)

    def _most(self, stems: Sequence[Stem], fields: Iterable[str]) -> int:
        most = max(sum(stem.documents.get(field, 0) for stem in stems) for field in fields)
        return min(self.documents, most)

    def _readable_with(self, stems: Sequence[Stem], fields: Sequence[str]) -> int:
        """Where not everything may be read, only what may be is counted."""
        if self._readable.only is None:
            return self._most(stems, fields)
        held = [
            self._readable.has(field, stem.text)
            for stem in stems
            for field in fields
            if field in stem.documents
        ]
        return self._readable.count(held)

    def _stem_of(self, text: str) -> Stem:
        counts = {field: self.count(field, text) for field in WORD_FIELDS}
        return Stem(text, {field: count for field, count in counts.items() if count})

    def count(self, field: str, stem: str) -> int:
        """How many documents have this stem in this field."""
        key = (field, stem)
        if key not in self._counts:
            self._counts[key] = self._searcher.doc_freq(field, stem)
        return self._counts[key]

    def _is_listed(self, token: Token) -> bool:
        return any(token.text in STOP_WORDS.get(each, ()) for each in self.languages or ["en"])

    def _is_common(self, documents: int) -> bool:
        return self.documents < _FEW_DOCUMENTS or documents >= _COMMON_SHARE * self.documents

    def telling(self, found: Sequence[str], n: int) -> list[str]:
        """Of the normalised words of a text, those that tell most of it."""
        language = self.languages[0] if self.languages else ""
        stemmer = self._analysis.stemmer(language)
        stop = STOP_WORDS.get(language, frozenset())
        times = Counter(found)
        shapes: dict[str, str] = {}
        weights: Counter[str] = Counter()
        for word, count in times.most_common():
            if len(word) > 1 and word not in stop and not word.isdigit():
                stem = stemmer.stem(word)
                shapes.setdefault(stem, word)
                weights[stem] += count
        common = weights.most_common(_MOST_TELLING)
        scored = [
            (math.log1p(count) * self.rarity(self.count("content", stem)), stem)
            for stem, count in common
        ]
        scored.sort(reverse=True)
        return [shapes[stem] for _, stem in scored[: max(0, n)]]

    def rarity(self, documents: int) -> float:
        """BM25's, which is never negative."""
        return math.log1p((max(0, self.documents - documents) + 0.5) / (documents + 0.5))
