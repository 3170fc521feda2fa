"""What is a document to a model? Hashed words of its parts, and numbers that have names.

Parts are named by whoever asks: text, title, headings, url, anchor … The same word in two parts is
two features. A number is a feature of its own that is not weighed as words are.
"""

import math
import zlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from shoal.learn.arrays import Keys, Values
from shoal.learn.words import MOST_CHARS, WordCounter, named

_NUMBER = "number "


class Features(NamedTuple):
    keys: Keys
    values: Values
    numbers: int = 0
    """How many of them, the last ones, are numbers."""


def features_of(keys: bytes, values: bytes) -> Features:
    """As a `WordCounter` counted them."""
    return Features(np.frombuffer(keys, np.uint32), np.frombuffer(values, np.float32))


class Decided(NamedTuple):
    """What a word or a number did for a decision, or against it."""

    part: str
    """Where it stands; `number` of a number."""
    word: str
    weight: float


class FeatureMaker:
    """`weights` says how much a word of a part counts; 1 where it says nothing."""

    def __init__(self, weights: Mapping[str, float] | None = None, *, pairs: bool = False) -> None:
        self._weights = dict(weights or {})
        self._pairs = pairs
        self._counter = WordCounter()
        self._seeds: dict[str, int] = {}

    def of(self, parts: Mapping[str, str], numbers: Mapping[str, float] | None = None) -> Features:
        seed, weights = self._seed, self._weights
        given = tuple(
            [
                (text[:MOST_CHARS], seed(part), weights.get(part, 1.0))
                for part, text in parts.items()
            ]
        )
        found = self._counter.count(given, pairs=self._pairs)
        keys, values = np.frombuffer(found[0], np.uint32), np.frombuffer(found[1], np.float32)
        told = {name: value for name, value in (numbers or {}).items() if math.isfinite(value)}
        if told:
            more = np.array([self._seed(_NUMBER + name) for name in told], np.uint32)
            keys = np.concatenate([keys, more])
            values = np.concatenate([values, np.array([*told.values()], np.float32)])
        return Features(keys, values, len(told))

    def names(
        self, parts: Mapping[str, str], numbers: Mapping[str, float] | None = None
    ) -> dict[int, tuple[str, str]]:
        """What each key stands for: the part and the word."""
        found: dict[int, tuple[str, str]] = {}
        for part, text in parts.items():
            for key, word in named(text[:MOST_CHARS], self._seed(part), pairs=self._pairs):
                found.setdefault(key, (part, word))
        for name in numbers or {}:
            found[self._seed(_NUMBER + name)] = ("number", name)
        return found

    def _seed(self, name: str) -> int:
        seed = self._seeds.get(name)
        if seed is None:
            seed = self._seeds[name] = zlib.crc32(name.encode())
        return seed
