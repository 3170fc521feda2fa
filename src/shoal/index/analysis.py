"""What are the stems of a text? The same cutting and stemming for documents and for queries.

    NFKC, case folded → words (letters, digits and their marks; all else parts them)
                      → stem, by the document's language (Snowball) → accents folded

The stem comes before the folding, for the stemmers know accents. Scripts that are written without
spaces, and Hangul, are cut into overlapping pairs of characters, and the last character of a run
stands alone: so every substring of two or more is a phrase, and one character is a prefix of a pair
or is itself there.
"""

from typing import NamedTuple

from shoal.index.native import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer
from shoal.index.text_stems import Stems, make_pieces
from shoal.model.words.words import IS_PAIRED, MOST_WORD_CHARS, RUN, folded, normal, words

STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
"""By language; words of others are not stemmed."""

_MOST_PIECES = 300_000
_MOST_WORDS = 100_000
"""Remembered for one language. Then all are forgotten, and the common ones are soon back."""


class Token(NamedTuple):
    """One word of a query."""

    text: str
    """Normalised, not stemmed."""
    position: int
    is_pair: bool
    """Two characters of a script without spaces; they are never stemmed."""
    is_prefix: bool
    """One character that stood alone in such a script: pairs that begin with it are meant too."""


def tokens(text: str, at_most: int) -> list[Token]:
    """The words of a query. Their positions are those that the same text has in a document."""
    found: list[Token] = []
    position = 0
    for run in RUN.findall(normal(text)):
        if len(found) >= at_most:
            break
        if not IS_PAIRED.match(run):
            found.append(Token(run[:MOST_WORD_CHARS], position, False, False))
            position += 1
            continue
        if len(run) == 1:
            found.append(Token(run, position, True, True))
        for at in range(len(run) - 1):
            found.append(Token(run[at : at + 2], position + at, True, False))
        position += len(run)
    return found[:at_most]


class Stemmer:
    """Of one language; without one for it, words stay as they are."""

    def __init__(self, language: str) -> None:
        self._native: TextAnalyzer | None = None
        if language in STEMMERS:
            stemmer = Filter.stemmer(STEMMERS[language])
            self._native = TextAnalyzerBuilder(Tokenizer.whitespace()).filter(stemmer).build()
        self.pieces = make_pieces(self.of_piece, _MOST_PIECES)
        self._known: dict[str, str] = {}
        """A piece that is new is often made of words that are not (`std::vector<int>`)."""

    def of_piece(self, piece: str) -> str:
        """The stems of a piece of text, with spaces between."""
        return " ".join([self.stem(word) for word in words(piece)])

    def stem(self, word: str) -> str:
        """Of a normalised word; never empty, never with a space in it."""
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= _MOST_WORDS:
                self._known.clear()
            known = self._known[word] = self._stem(word)
        return known

    def _stem(self, word: str) -> str:
        if self._native is not None and not word.isdigit():
            stems = self._native.analyze(word)
            if len(stems) == 1 and stems[0]:
                return folded(stems[0]) or word
        return folded(word) or word


class Analysis:
    """The stemmers that were needed so far, each with what it remembers."""

    def __init__(self) -> None:
        self._stemmers: dict[str, Stemmer] = {}

    def stemmer(self, language: str) -> Stemmer:
        key = language if language in STEMMERS else ""
        if key not in self._stemmers:
            self._stemmers[key] = Stemmer(key)
        return self._stemmers[key]

    def stems(self, text: str, language: str) -> Stems:
        return Stems(*self.stemmer(language).pieces.stems(text))
