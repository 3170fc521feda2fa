"""How near is a text to what a person looks for, as far as words tell?

A `ContentScorer` is given the words of a page or around a link and answers with a byte for each
*part* of what is looked for: 0 for nothing of it, 255 for as much as there can be. Of a query each
word is a part, and how rare each is among the pages read so far is for the frontier to say (see
frontier/state/worth.py). Another scorer may have one part, its judgement as a whole.

A word is found in any case and with up to three letters behind it, so that its plural counts too.
"""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote_plus

from shoal.errors import UsageError

MOST_WORDS = 16
_MOST_CHARS = 40
_ANCHOR, _ADDRESS, _AROUND, _SOURCE = 0.8, 0.6, 0.4, 0.3
"""How much each place tells of what a link leads to, of 1."""
_TITLE = 0.5
_SATURATION = 1.2
_USUAL_CHARS = 5_000
_FULL = 255
_WORD = re.compile(r"\w+")
_ENDING = r"\w{0,3}\b"
_LEAST_WITH_ENDING = 4
_WITHOUT_SPACES = "\u2e80"
"""Behind it stand the scripts that set no spaces between words."""


def words_of(query: str) -> tuple[str, ...]:
    """The different words of a query, in its order."""
    words = tuple(dict.fromkeys(_WORD.findall(query.casefold())))
    if query.strip() and not words:
        raise UsageError("what is looked for must have a word in it (--about)")
    if len(words) > MOST_WORDS or any(len(word) > _MOST_CHARS for word in words):
        most = f"at most {MOST_WORDS} words of {_MOST_CHARS} letters"
        raise UsageError(f"what is looked for may have {most} (--about)")
    return words


class QueryLikeness:
    """The ContentScorer of a query."""

    def __init__(self, words: Sequence[str]) -> None:
        self._parts = len(words)
        self._find = re.compile("|".join(map(_pattern, words))).finditer

    def page(self, title: str, text: str) -> bytes:
        """How much a page says of each word, by how often for its length, and in its title."""
        counts = self._counts(text.casefold())
        usual = _SATURATION * (0.25 + 0.75 * len(text) / _USUAL_CHARS)
        entitled = self._counts(title.casefold())
        said = [count / (count + usual) for count in counts]
        return _bytes(
            1 - (1 - share) * (1 - _TITLE * (found > 0))
            for share, found in zip(said, entitled, strict=True)
        )

    def link(self, anchor: str, around: str, url: str, page: bytes) -> bytes:
        """What a link says of each word: in its text, in its address, in the words around it; and
        the page that it stands on."""
        missing = [1 - _SOURCE * share / _FULL for share in page or bytes(self._parts)]
        address = unquote_plus(url.partition("://")[2].partition("/")[2]).replace("_", " ")
        for text, weight in ((anchor, _ANCHOR), (address, _ADDRESS), (around, _AROUND)):
            if text:
                for place in {match.lastindex or 0 for match in self._find(text.casefold())}:
                    missing[place - 1] *= 1 - weight
        return _bytes(1 - each for each in missing)

    def _counts(self, text: str) -> list[int]:
        counts = [0] * self._parts
        for match in self._find(text):
            counts[(match.lastindex or 0) - 1] += 1
        return counts


def _pattern(word: str) -> str:
    if any(letter >= _WITHOUT_SPACES for letter in word):
        return f"({re.escape(word)})"
    ending = _ENDING if len(word) >= _LEAST_WITH_ENDING else r"\b"
    return rf"(\b{re.escape(word)}{ending})"


def _bytes(shares: Iterable[float]) -> bytes:
    return bytes(round(_FULL * share) for share in shares)
