"""Yes or no, and how surely? A model that learns by one example after the other.

It never holds more than its table of hashed features. How rare a word is, is counted as it is seen,
also in documents that nobody judged (`see`). Each example is asked before it is learned: these
answers are those of a model that did not know it, so they show how far its scores can be trusted,
and the chance that it tells is made from them (calibration.py). A target between 0 and 1 is learned
as well, so it also tells values, such as that of a link.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from shoal.learn import steps
from shoal.learn.arrays import Keys, Values
from shoal.learn.calibration import Curve, fitted
from shoal.learn.features import Decided, FeatureMaker, Features
from shoal.learn.stored import read, written
from shoal.model.record import Struct

_REMEMBERED = 512
"""Answers from which the curve is made: the last ones."""
_LEAST_BITS, _MOST_BITS = 4, 22


class Example(NamedTuple):
    features: Features
    target: float
    worth: float = 1.0


class _Stored(Struct, array_like=True):
    bits: int
    rate: float
    l2: float
    seen: int
    learned: int
    columns: bytes
    weights: bytes
    squares: bytes
    seen_columns: bytes
    seen_times: bytes
    answers: list[tuple[float, float, float]]


class OnlineModel:
    """A feature takes a place of 2 to the power of `bits`; two may share one. `rate` is how far a
    step goes, `l2` how strongly weights are drawn to nothing."""

    def __init__(self, bits: int = 18, rate: float = 0.5, l2: float = 1e-5) -> None:
        if not _LEAST_BITS <= bits <= _MOST_BITS:
            raise ValueError(f"bits are from {_LEAST_BITS} to {_MOST_BITS}")
        self._bits, self._rate, self._l2 = bits, rate, l2
        places = (1 << bits) + 1  # the last is the constant
        self._weights = np.zeros((places, 1), np.float32)
        self._squares = np.full((places, 1), steps.FIRST_SQUARE, np.float32)
        self._times = np.zeros(places, np.uint32)
        self.seen = 0
        """Documents that were seen, judged or not."""
        self.learned = 0
        self._answers: list[tuple[float, float, float]] = []
        self._curve: Curve | None = None

    def see(self, features: Features) -> None:
        """Count the words of a document, without a judgement."""
        words = features.keys[: len(features.keys) - features.numbers]
        self._times[np.unique(words >> np.uint32(32 - self._bits))] += 1
        self.seen += 1

    def learn(self, features: Features, target: float, worth: float = 1.0) -> None:
        """`target` from 0 (no) to 1 (yes); `worth` as if the example came so often. Its words are
        counted too: `see` is for documents that are not learned."""
        self.see(features)
        self._step(features, target, worth)

    def learn_all(self, examples: Sequence[Example], passes: int = 5, seed: int = 0) -> None:
        """Several times, each time in another order that is always the same."""
        for each in examples:
            self.see(each.features)
        random = np.random.default_rng(seed)
        for _ in range(passes):
            for place in random.permutation(len(examples)):
                self._step(*examples[place], is_new=_ == 0)

    def _step(
        self, features: Features, target: float, worth: float, *, is_new: bool = True
    ) -> None:
        target, worth = min(1.0, max(0.0, target)), max(0.0, worth)
        if is_new:
            self._answers.append((self.score(features), target, worth))
            del self._answers[:-_REMEMBERED]
            self._curve = None
            self.learned += 1
        columns, values = self._vector(features)
        offsets = np.array([0, len(columns)], np.uint32)
        steps.learn(
            self._weights,
            self._squares,
            steps.Examples(columns, values, offsets),
            np.array([[target]], np.float32),
            np.array([worth], np.float32),
            np.zeros(1, np.uint32),
            rate=self._rate,
            l2=self._l2,
            exclusive=False,
        )

    def score(self, features: Features) -> float:
        """Any number: above 0 means rather yes."""
        columns, values = self._vector(features)
        return float(values @ self._weights[columns, 0])

    def chance(self, features: Features) -> float:
        """From 0 to 1, as often as it came true for the last examples."""
        return self.curve.chance(self.score(features))

    @property
    def curve(self) -> Curve:
        if self._curve is None:
            told = np.array(self._answers, np.float64).reshape(-1, 3)
            self._curve = fitted(told[:, 0], told[:, 1], told[:, 2])
        return self._curve

    def decided(
        self,
        maker: FeatureMaker,
        parts: Mapping[str, str],
        numbers: Mapping[str, float] | None = None,
        most: int = 10,
    ) -> list[Decided]:
        """The words and numbers that said most, for yes (above 0) or for no."""
        features = maker.of(parts, numbers)
        columns, values = self._vector(features)
        said = (values * self._weights[columns, 0])[: len(features.keys)]
        names = maker.names(parts, numbers)
        order = np.argsort(-np.abs(said), kind="stable")[:most]
        return [
            Decided(*names.get(int(features.keys[at]), ("", "?")), float(said[at]))
            for at in order
            if said[at]
        ]

    def _vector(self, features: Features) -> tuple[Keys, Values]:
        """Places and values: words by how rare they are, their length 1; numbers; the constant."""
        words = len(features.keys) - features.numbers
        columns = np.empty(len(features.keys) + 1, np.uint32)
        np.right_shift(features.keys, 32 - self._bits, out=columns[:-1])
        columns[-1] = 1 << self._bits
        values = np.ones(len(columns), np.float32)
        values[words:-1] = features.values[words:]
        if words:
            times = self._times[columns[:words]]
            rare = np.log((1.0 + self.seen) / (1.0 + np.minimum(times, self.seen))) + 1.0
            weighed = features.values[:words] * rare.astype(np.float32)
            values[:words] = weighed / np.sqrt(np.maximum(weighed @ weighed, 1e-12))
        return columns, values

    def to_bytes(self) -> bytes:
        moved = np.flatnonzero(self._squares[:, 0] != np.float32(steps.FIRST_SQUARE))
        seen = np.flatnonzero(self._times)
        return written(
            _Stored(
                self._bits,
                self._rate,
                self._l2,
                self.seen,
                self.learned,
                moved.astype(np.uint32).tobytes(),
                self._weights[moved, 0].tobytes(),
                self._squares[moved, 0].tobytes(),
                seen.astype(np.uint32).tobytes(),
                self._times[seen].tobytes(),
                self._answers,
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> "OnlineModel":
        """Raises DamagedError on what `to_bytes` did not make."""
        return read(_Stored, data, cls._of)

    @classmethod
    def _of(cls, stored: _Stored) -> "OnlineModel":
        model = cls(stored.bits, stored.rate, stored.l2)
        moved = np.frombuffer(stored.columns, np.uint32)
        model._weights[moved, 0] = np.frombuffer(stored.weights, np.float32)
        model._squares[moved, 0] = np.frombuffer(stored.squares, np.float32)
        seen = np.frombuffer(stored.seen_columns, np.uint32)
        model._times[seen] = np.frombuffer(stored.seen_times, np.uint32)
        model.seen, model.learned = stored.seen, stored.learned
        model._answers = stored.answers[-_REMEMBERED:]
        return model
