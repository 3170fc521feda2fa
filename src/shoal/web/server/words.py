"""Which words of a text were looked for? Those of a query, whatever their ending, case or accents.

What the index found is not repeated here: a word counts when it begins like a word of the query
and goes on for a few letters. Scripts without spaces are compared character by character.
"""

import re
import unicodedata
from collections.abc import Iterator

from shoal.collection.search.results import Marked

_MOST_WORDS = 32
_MOST_QUERY_CHARS = 4000
_QUERY_PART = re.compile(r'(-?)(?:([A-Za-z]+):)?("[^"]*"|\S+)')
_TEXT_FIELDS = frozenset({"", "intitle", "title", "headings", "bold", "content", "anchor"})
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:['’][^\W_]+)?")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_ENDINGS = ("ations", "ation", "ing", "ies", "ed", "es", "en", "er", "e", "s", "y", "n")
_LEAST_STEM_CHARS = 4
_LONGEST_ENDING_CHARS = 5
_COMMON = frozenset(
    re.findall(r"\w+", "a an and are as at be by for from in is it of on or that the to was with")
)


class Words:
    """The words of one query, to be marked in any text."""

    def __init__(self, query: str) -> None:
        found = list(dict.fromkeys(_of_query(query[:_MOST_QUERY_CHARS])))[:_MOST_WORDS]
        telling = [word for word in found if word not in _COMMON] or found
        self._whole = frozenset(telling)
        self._stems = tuple({stem for word in telling if (stem := _stem(word))})
        self._judged: dict[str, bool] = {}  # no more than the text has words
        runs = sorted((w for w in telling if _IS_UNSPACED.match(w)), key=len, reverse=True)
        self._runs = re.compile("|".join(map(re.escape, runs))) if runs else None

    def __bool__(self) -> bool:
        return bool(self._whole)

    def marked(self, text: str) -> Marked:
        """The text in pieces; True: this was looked for."""
        pieces: Marked = []
        at = 0
        for start, end in self._places(text):
            if start > at:
                pieces.append((text[at:start], False))
            pieces.append((text[start:end], True))
            at = end
        return [*pieces, (text[at:], False)] if at < len(text) else pieces

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        for word in _WORD.finditer(text):
            if self._runs is not None and _IS_UNSPACED.match(word[0]):
                yield from (
                    (word.start() + run.start(), word.start() + run.end())
                    for run in self._runs.finditer(word[0])
                )
            elif self._wants(word[0]):
                yield word.span()

    def _wants(self, word: str) -> bool:
        known = self._judged.get(word)
        if known is None:
            known = self._judged[word] = self._judge(folded(word))
        return known

    def _judge(self, word: str) -> bool:
        if word in self._whole or word.partition("'")[0] in self._whole:
            return True
        return any(
            word.startswith(stem) and len(word) - len(stem) <= _LONGEST_ENDING_CHARS
            for stem in self._stems
        )


def folded(text: str) -> str:
    """Without case and accents."""
    apart = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()


def _of_query(query: str) -> Iterator[str]:
    for minus, field, said in _QUERY_PART.findall(query):
        if minus or field.lower() not in _TEXT_FIELDS or said in ("OR", "AND", "NOT"):
            continue
        yield from (
            word[0] if _IS_UNSPACED.match(word[0]) else folded(word[0])
            for word in _WORD.finditer(said)
        )


def _stem(word: str) -> str:
    """What the forms of a word have in common, roughly; empty for short words."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM_CHARS:
            return word.removesuffix(ending)
    return word if len(word) >= _LEAST_STEM_CHARS else ""
