"""What would a score be if documents were as long on average as they are in the whole?

tantivy holds the length of a field against the mean of its own index (BM25, k1 = 1.2, b = 0.75),
and lets nobody say another. Where an index is a part of a whole, what the words of the query
add to a score is reckoned with both means: exactly for the content, of which counts and length are
stored; nearly for short fields, where a word is taken to stand once among different ones. What is
left of the score is that of phrases; it changes as that of a phrase that stands once.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shoal.index.fields import Stored
from shoal.index.text_stems import HASH_BYTES
from shoal.model.candidate import Count, Where

_K1 = 1.2
_B = 0.75
_EXACT = 24
"""Lengths up to here, and four bits of what is beyond, are what tantivy keeps of a length."""
_BITS = 4
_FLAGS = {
    "title": Where.TITLE,
    "headings": Where.HEADINGS,
    "bold": Where.BOLD,
    "content": Where.CONTENT,
    "rest": Where.REST,
    "anchor": Where.ANCHOR,
    "url": Where.URL,
}


class Scored(NamedTuple):
    """A word of the query that a field was scored by."""

    term: int
    """Its place among the terms."""
    field: str
    worth: float
    """What it adds at most, without BM25's k1 + 1."""


class Means(NamedTuple):
    """The mean lengths of a field: here, and in the whole."""

    here: float
    whole: float


class Mending:
    """Mends the scores of one query in one index."""

    def __init__(self, scored: Sequence[Scored], means: Mapping[str, Means], terms: int) -> None:
        self._content = means.get("content")
        self._of_terms: list[list[tuple[int, str, float, Means]]] = [[] for _ in range(terms)]
        for term, field, worth in scored:
            if mean := means.get(field):
                of_term = (int(_FLAGS[field]), field, (_K1 + 1) * worth, mean)
                self._of_terms[term].append(of_term)

    def mended(self, score: float, stored: Stored, counts: Sequence[Count]) -> float:
        """`counts` of the terms in this document."""
        lengths = {"content": kept_length(stored.length)}
        here = whole = 0.0
        for count, fields in zip(counts, self._of_terms, strict=True):
            if not count.where:
                continue
            for flag, field, worth, mean in fields:
                if not count.where & flag:
                    continue
                if field not in lengths:
                    lengths[field] = kept_length(_length(stored, field, flag))
                often = count.content if field == "content" else 1
                here += worth * _share(often, lengths[field], mean.here)
                whole += worth * _share(often, lengths[field], mean.whole)
        rest = score - here
        if mean_ := self._content:
            length = lengths["content"]
            rest *= _share(1, length, mean_.whole) / _share(1, length, mean_.here)
        return whole + rest


def kept_length(words: int) -> int:
    """A length as tantivy keeps it, in one byte."""
    beyond = words - _EXACT
    if beyond < 1 << _BITS:
        return words
    coarse = beyond.bit_length() - _BITS
    return _EXACT + (beyond >> coarse << coarse)


def _share(often: int, length: int, mean: float) -> float:
    return often / (often + _K1 * (1 - _B + _B * length / mean))


def _length(stored: Stored, field: str, flag: int) -> int:
    """About: of different words."""
    vector = stored.vector
    if field == "rest":
        return len(vector.hashes) // HASH_BYTES - len(vector.content) - len(vector.where)
    return sum(1 for each in vector.where if each & flag)
