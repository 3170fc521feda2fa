"""What does the index know of a word that someone looks for? Its stems, and how common they are.

A query does not say its language. A word is stemmed under each of the collection's main ones, and
stays as it is too: documents whose language has no stemmer, or was not known, have it so. A
document is of one language, so it has one of the stems, and scores may be added.

A rare stem of a common word would weigh too much by its own rarity; so each is weighed as if it
were as common as the word.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from shoal.index.analysis import Analysis, Token
from shoal.index.fields import WORD_FIELDS
from shoal.index.local_statistics import MOST_PAIRS, OF_ITSELF, rarity
from shoal.index.statistics import WordCounts, WordKey, word_key
from shoal.index.stop_words import STOP_WORDS
from shoal.model.candidate import Term
from shoal.model.record import Struct
from shoal.model.words.words import folded

STOP_WEIGHT = 0.1
_COMMON_SHARE = 0.03
"""Of the documents: a word of a list that is rarer than this is one that means something here."""
_FEW_DOCUMENTS = 200
"""In so few no share says anything."""


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
    """Whether it is a stop word and common here."""
    is_listed: bool
    """Whether it is in the list of stop words."""

    def term(self, times: int) -> Term:
        weight = float(times) * (STOP_WEIGHT if self.is_stop else 1.0)
        stems = [stem.text for stem in self.stems]
        word, documents = self.token.text, self.documents
        return Term(word, stems, documents, weight, is_stop=self.is_listed)


class Counts(Protocol):
    """Where words are looked up: in one index, or in the sums of several."""

    @property
    def documents(self) -> int:
        """That someone may read."""
        ...

    @property
    def is_restricted(self) -> bool: ...

    def word(self, token: Token, stems: Sequence[str]) -> WordCounts: ...


class Lexicon:
    """Knows the words of a query, under these languages."""

    def __init__(self, counts: Counts, analysis: Analysis, languages: Sequence[str]) -> None:
        self._counts = counts
        self._analysis = analysis
        self.languages = languages
        self.documents = counts.documents
        self.is_restricted = counts.is_restricted
        """Whether someone asks who may not read everything."""
        self._known: dict[WordKey, Known] = {}

    def look_up(self, token: Token) -> Known:
        key = word_key(token)
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
        return list(dict.fromkeys(found))

    def _make(self, token: Token) -> Known:
        own = self.stems(token)
        counts = self._counts.word(token, own)
        found = [Stem(text, documents) for text, documents in counts.stems.items()]
        stems = [*found[: len(own)], *_commonest(found[len(own) :])]
        if self.is_restricted:  # only what may be read is counted
            documents = counts.of_itself or counts.in_any_field
        else:
            documents = self._most(stems, OF_ITSELF) or self._most(stems, WORD_FIELDS)
        lists = (STOP_WORDS.get(each, ()) for each in self.languages or ["en"])
        is_listed = any(token.text in each for each in lists)
        is_stop = is_listed and self._is_common(documents)
        return Known(token, stems, documents, is_stop, is_listed)

    def _most(self, stems: Sequence[Stem], fields: Iterable[str]) -> int:
        most = max(sum(stem.documents.get(field, 0) for stem in stems) for field in fields)
        return min(self.documents, most)

    def _is_common(self, documents: int) -> bool:
        return self.documents < _FEW_DOCUMENTS or documents >= _COMMON_SHARE * self.documents

    def rarity(self, documents: int) -> float:
        return rarity(self.documents, documents)


def _commonest(pairs: Sequence[Stem]) -> list[Stem]:
    """Pairs that a character is the beginning of; several indexes may each have named others."""
    return sorted(pairs, key=lambda stem: (-stem.documents.get("content", 0), stem.text))[
        :MOST_PAIRS
    ]
