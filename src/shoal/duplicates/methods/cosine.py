"""Which documents use the same words as this one? The angle between word vectors.

The search scenario: one text against all others, where order and runs of words do not matter. More
is found than by any fingerprint, at the price of reading every text. A word weighs 1 + log of how
often it stands in the text, times its rarity where one is given. Sums are rounded once, so a cosine
depends neither on the order of the words nor on which text comes first.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import fsum, log, sqrt
from typing import Self, TypeVar

from shoal.duplicates.near.shingles import word_hashes

DEFAULT_AT_MOST = 10

Vector = Mapping[int, float]
"""Weights by the hashes of words."""
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Rarity:
    """What words weigh by how few documents have them (idf)."""

    weights: Mapping[int, float]
    unseen: float
    """Of a word that none of the documents has."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Learned from texts; memory grows with their distinct words."""
        number, having = 0, Counter[int]()
        for text in texts:
            number += 1
            having.update(set(word_hashes(text)))
        weights = {word: log((1 + number) / count) for word, count in having.items()}
        return cls(weights, log(1 + number) or 1.0)


def vector(text: str, rarity: Rarity | None = None) -> dict[int, float]:
    counts = Counter(word_hashes(text))
    if rarity is None:
        return {word: 1 + log(count) for word, count in counts.items()}
    weight_of, unseen = rarity.weights.get, rarity.unseen
    return {word: (1 + log(count)) * weight_of(word, unseen) for word, count in counts.items()}


def cosine(a: Vector, b: Vector) -> float:
    """From 0 (no word in common; also of a text without words) to 1 (the same words, in the same
    proportions)."""
    return _cosine(a, _square(a), b)


def ranked(
    text: str,
    others: Iterable[tuple[Key, str]],
    at_most: int = DEFAULT_AT_MOST,
    rarity: Rarity | None = None,
) -> list[tuple[Key, float]]:
    """The others that are nearest to the text, best first, then as they come. Those without a word
    in common are left out. They are read one by one, and only the best are held."""
    ours = vector(text, rarity)
    square = _square(ours)

    def scored() -> Iterator[tuple[float, int, Key]]:
        for place, (key, other) in enumerate(others):
            score = _cosine(ours, square, vector(other, rarity))
            if score > 0:
                yield score, -place, key

    best = heapq.nlargest(at_most, scored(), key=lambda each: each[:2])
    return [(key, score) for score, _, key in best]


def _cosine(a: Vector, square_of_a: float, b: Vector) -> float:
    smaller, larger = (a, b) if len(a) <= len(b) else (b, a)
    weight_of = larger.get
    product = fsum([weight * weight_of(word, 0.0) for word, weight in smaller.items()])
    if product <= 0:
        return 0.0
    return min(1.0, product / sqrt(square_of_a * _square(b)))


def _square(vector: Vector) -> float:
    return fsum([weight * weight for weight in vector.values()])
