"""What must be known of an index so that others can weigh words as if all were one? Plain numbers.

Every one of them is a sum over documents, and a document stands in one index only: so the numbers
of several indexes, added up, are those of one index that holds everything. Shares, means and maxima
are made of the sums (terms.py, lengths.py), never summed themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from shoal.index.analysis import STEMMERS, Token
from shoal.model.record import Struct

_MAIN_LANGUAGES = 4
_LEAST_SHARE = 0.02

Number = TypeVar("Number", int, float)
WordKey = tuple[str, bool]
"""The text of a token, and whether words that begin with it are meant too."""


class WordCounts(Struct):
    """How many documents have a word."""

    stems: dict[str, dict[str, int]] = {}
    """By its stems, in the order of their languages, and by field; fields without it are left
    out."""
    of_itself: int = 0
    """Documents that someone may read and that speak of it themselves."""
    in_any_field: int = 0
    """Where no document speaks of it itself: those that have it anywhere."""


class Shape(Struct):
    """What an index is like as a whole."""

    documents: int = 0
    """That someone may read."""
    is_restricted: bool = False
    """Whether there are others."""
    all_documents: int = 0
    words: int = 0
    """Words of the content of what they may read."""
    measured: int = 0
    """In so many documents the words were counted."""
    languages: dict[str, int] = {}
    """How many documents are in each."""
    deleted: int = 0
    """Documents that tantivy's score counts, too, until they are merged away."""
    field_words: dict[str, float] = {}
    """The words of each field, deleted documents included."""

    @property
    def mean_length(self) -> float:
        return self.words / self.measured if self.measured else 0.0

    @property
    def scored(self) -> int:
        """Documents as tantivy's score would count them in one index: with the note of the
        position."""
        return self.all_documents + self.deleted + 1

    def mean_of(self, field: str) -> float:
        """Words of a field, as tantivy takes their mean; 0 when no document has any."""
        return self.field_words.get(field, 0.0) / self.scored


class Statistics(Struct):
    """Of an index and the words of one query."""

    shape: Shape
    languages: list[str]
    """Under which the words were stemmed."""
    words: dict[WordKey, WordCounts] = {}


class Whole:
    """The statistics of all indexes, to look words up in."""

    def __init__(self, statistics: Statistics) -> None:
        self.shape = statistics.shape
        self.languages = statistics.languages
        self.documents = statistics.shape.documents
        self.is_restricted = statistics.shape.is_restricted
        self._words = statistics.words
        self._counts = {
            (field, stem): count
            for word in statistics.words.values()
            for stem, fields in word.stems.items()
            for field, count in fields.items()
        }

    def word(self, token: Token, stems: Sequence[str]) -> WordCounts:
        """A word that nobody was asked for is nowhere."""
        known = self._words.get(word_key(token))
        return known if known is not None else WordCounts({stem: {} for stem in stems})

    def count(self, field: str, stem: str) -> int:
        return self._counts.get((field, stem), 0)


def word_key(token: Token) -> WordKey:
    return token.text, token.is_prefix


def main_languages(languages: Mapping[str, int], documents: int) -> list[str]:
    """Those that a word of a query may be of: with a stemmer, and not too rare."""
    least = _LEAST_SHARE * documents
    frequent = sorted(languages.items(), key=lambda each: (-each[1], each[0]))
    known = [name for name, count in frequent if name in STEMMERS and count >= least]
    return known[:_MAIN_LANGUAGES]


def summed(parts: Sequence[Statistics]) -> Statistics:
    """Of all that several indexes hold together; they were asked for the same words."""
    words: dict[WordKey, WordCounts] = {}
    for part in parts:
        for key, counts in part.words.items():
            _add(words.setdefault(key, WordCounts()), counts)
    shape = sum_of_shapes([part.shape for part in parts])
    return Statistics(shape, parts[0].languages if parts else [], words)


def sum_of_shapes(shapes: Sequence[Shape]) -> Shape:
    return Shape(
        documents=sum(each.documents for each in shapes),
        is_restricted=any(each.is_restricted for each in shapes),
        all_documents=sum(each.all_documents for each in shapes),
        words=sum(each.words for each in shapes),
        measured=sum(each.measured for each in shapes),
        languages=_added(each.languages for each in shapes),
        deleted=sum(each.deleted for each in shapes),
        field_words=_added(each.field_words for each in shapes),
    )


def _add(total: WordCounts, counts: WordCounts) -> None:
    for stem, fields in counts.stems.items():
        total.stems[stem] = _added([total.stems.get(stem, {}), fields])
    total.of_itself += counts.of_itself
    total.in_any_field += counts.in_any_field


def _added(parts: Iterable[dict[str, Number]]) -> dict[str, Number]:
    total: dict[str, Number] = {}
    for part in parts:
        for name, number in part.items():
            total[name] = total[name] + number if name in total else number
    return total
