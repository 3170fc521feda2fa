"""Is a page about it? What a handful of examples teach, beside the ordinary pages of a crawl.

Steps of a learner (online.py) need more examples than a person gives. So the weights of a topic are
the mean of the pages that are about it, less that of ordinary pages, which are not labelled and
mostly off topic: the first step of logistic regression from nothing, both sides of equal weight.
Of five examples it ranks pages twice as well as five passes of steps do (docs/topics.md).
Where a person said no, ten more steps of it follow, of all pages at once.

A score is told on a scale from 0, an ordinary page, to 1, an example. What an example scores is
told without itself, or it would always be 1. Where a person said no, too, the curve that makes a
chance of it is fitted to both.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

import numpy as np

from shoal.learn.arrays import Floats, Keys, Values
from shoal.learn.calibration import Curve, fitted
from shoal.learn.chances import sigmoid
from shoal.learn.features import Decided, FeatureMaker, Features
from shoal.learn.stored import read, written
from shoal.model.record import Struct

_BITS = 16
_STEEP, _MIDDLE = 8.0, 0.6
"""How the scale becomes a chance while few answers are known."""
_STEPS = 10
"""Further ones, where a person said no."""
_LEAST_SPAN = 0.02
_USUAL_SPAN = 0.15
"""Between an ordinary page and an example, where there is none to tell it by."""
_WORD_SHARE = 0.6
"""Of it for a topic of words: no page is as full of them as they themselves are."""
_SPREADS = 2.0
"""So many deviations of ordinary pages an example is away at least."""
_ROUNDS = 2
_LEAST_ANSWERS = 4

PARTS = {"title": 2.0, "text": 1.0}


def page_maker() -> FeatureMaker:
    return FeatureMaker(PARTS)


def address_words(url: str) -> str:
    """What an address says behind its host."""
    return unquote(url.partition("://")[2].partition("/")[2])


def page_parts(title: str, text: str) -> dict[str, str]:
    return {"title": title, "text": text}


Vector = tuple[Keys, Values]


def _own(vector: Vector, worth: float, total: float, said: float) -> float:
    """What of its own a page finds again in a mean that it is a part of: the mean of the others
    would say less by so much."""
    if total - worth <= 0:
        return said
    others = (said * total - worth * float(vector[1] @ vector[1])) / (total - worth)
    return said - others


def _scale(low: Floats, off: Floats, high: Floats, *, has_words: bool) -> tuple[float, float]:
    """Where an ordinary page stands, and how far from it an example."""
    usual = _middle(low, off) if len(low) else 0.0
    spread = float(np.sqrt(np.average((low - usual) ** 2, weights=off))) if off.sum() > 0 else 0.0
    if len(high) > 1:
        span = float(np.mean(high)) - usual
    else:
        span = _USUAL_SPAN * (_WORD_SHARE if has_words and not len(high) else 1.0)
    return usual, max(_LEAST_SPAN, span, _SPREADS * spread)


def _middle(values: Floats, worth: Floats) -> float:
    order = np.argsort(values)
    upto = np.cumsum(worth[order])
    return float(values[order][np.searchsorted(upto, upto[-1] / 2)]) if upto[-1] > 0 else 0.0


class _Stored(Struct, array_like=True):
    seen: int
    columns: bytes
    weights: bytes
    seen_columns: bytes
    times: bytes
    low: float
    span: float
    slope: float
    place: float
    told: int


class TopicModel:
    """Made anew whenever there is something to learn from."""

    def __init__(self) -> None:
        self._weights = np.zeros(1 << _BITS, np.float32)
        self._times = np.zeros(1 << _BITS, np.uint32)
        self._seen = 0
        self._low, self._span = 0.0, _USUAL_SPAN
        self._curve = Curve()
        self.told = 0
        """How many examples it was made from, ordinary pages aside."""

    @classmethod
    def made(
        cls,
        yes: Sequence[Features],
        no: Sequence[Features],
        ordinary: Sequence[Features],
        words: Features | None = None,
    ) -> "TopicModel":
        """`words`: those of the topic itself; they count as one example."""
        model = cls()
        model.told = len(yes) + len(no)
        for each in (*yes, *no, *ordinary):
            model._times[np.unique(each.keys >> np.uint32(32 - _BITS))] += 1
            model._seen += 1
        chosen = [model._vector(each) for each in yes]
        refused = [model._vector(each) for each in no]
        usual = [model._vector(each) for each in ordinary]
        asked = [model._vector(words)] if words is not None else []
        if not chosen and not asked:
            return model  # nothing is on a topic of which nobody said what it is
        off = np.ones(len(usual))
        for _ in range(_ROUNDS):  # some of the ordinary pages are about it: they count less
            near = model._learn([*chosen, *asked], usual, off, len(asked))
            off = np.array([1.0 - sigmoid(_STEEP * (each - _MIDDLE)) for each in near.tolist()])
        if refused:
            model._correct([*chosen, *asked], refused, usual, off)
        return model

    def _learn(self, for_it: list[Vector], usual: list[Vector], off: Floats, words: int) -> Floats:
        """Weights and scale; returns how near each ordinary page is. What a page scores is told
        without itself. `words`: whether the last of the examples is the topic's own words."""
        plus, minus = self._mean(for_it, np.ones(len(for_it))), self._mean(usual, off)
        self._weights = plus - minus
        total, examples = float(off.sum()), for_it[: len(for_it) - words]
        low = np.array(
            [
                self._raw(each) + _own(each, worth, total, self._dot(each, minus))
                for each, worth in zip(usual, off, strict=True)
            ]
        )
        high = np.array(
            [
                self._raw(each) - _own(each, 1.0, len(for_it), self._dot(each, plus))
                for each in examples
            ]
        )
        self._low, self._span = _scale(low, off, high, has_words=bool(words))
        return (low - self._low) / self._span

    def _correct(
        self, for_it: list[Vector], against: list[Vector], usual: list[Vector], off: Floats
    ) -> None:
        """Some further steps by what is judged wrongly, now that there are pages to be wrong of;
        and the curve of chances, by what each answer scores without its own part."""
        vectors = [*for_it, *against, *usual]
        targets = np.concatenate([np.ones(len(for_it)), np.zeros(len(against) + len(usual))])
        worth = np.concatenate(
            [
                np.full(len(for_it), 1.0 / len(for_it)),
                np.full(len(against), 1.0 / len(against)),
                off / max(1e-9, float(off.sum())),
            ]
        )
        parts = np.concatenate(
            [worth[: len(for_it)], np.zeros(len(against)), -worth[len(for_it) + len(against) :]]
        )
        for _ in range(_STEPS):
            chances = [sigmoid(self._steep(self._raw(each))) for each in vectors]
            moves = worth * (targets - np.array(chances))
            parts += moves
            for (columns, values), move in zip(vectors, moves.tolist(), strict=True):
                np.add.at(self._weights, columns, values * np.float32(move))
        answers = len(for_it) + len(against)
        if min(len(for_it), len(against)) >= _LEAST_ANSWERS:
            without = [
                self._steep(self._raw(each) - part * float(each[1] @ each[1]))
                for each, part in zip(vectors[:answers], parts[:answers].tolist(), strict=True)
            ]
            self._curve = fitted(np.array(without), targets[:answers])

    @staticmethod
    def _mean(vectors: Sequence[Vector], worth: Floats) -> Values:
        found = np.zeros(1 << _BITS, np.float32)
        total = float(worth.sum())
        for (columns, values), each in zip(vectors, worth, strict=True):
            if total > 0:
                np.add.at(found, columns, values * np.float32(each / total))
        return found

    @staticmethod
    def _dot(vector: Vector, weights: Values) -> float:
        return float(vector[1] @ weights[vector[0]])

    def _vector(self, features: Features) -> tuple[Keys, Values]:
        columns = features.keys >> np.uint32(32 - _BITS)
        times = np.minimum(self._times[columns], self._seen)
        rare = np.log((1.0 + self._seen) / (1.0 + times)) + 1.0
        values = features.values * rare.astype(np.float32)
        return columns, values / np.float32(np.sqrt(max(float(values @ values), 1e-12)))

    def _raw(self, vector: tuple[Keys, Values]) -> float:
        return float(vector[1] @ self._weights[vector[0]])

    def _steep(self, raw: float) -> float:
        return _STEEP * ((raw - self._low) / self._span - _MIDDLE)

    def near(self, features: Features) -> float:
        """0 for an ordinary page, 1 for an example; it may be less or more."""
        if not len(features.keys):
            return 0.0
        return (self._raw(self._vector(features)) - self._low) / self._span

    def near_all(self, texts: Sequence[Features]) -> list[float]:
        """`near` of many short texts at once."""
        lengths = [len(each.keys) for each in texts]
        if not sum(lengths):
            return [0.0] * len(texts)
        keys = np.concatenate([each.keys for each in texts])
        columns = keys >> np.uint32(32 - _BITS)
        rare = np.log((1.0 + self._seen) / (1.0 + np.minimum(self._times[columns], self._seen)))
        values = np.concatenate([each.values for each in texts]) * (rare + 1.0)
        of = np.repeat(np.arange(len(texts)), lengths)
        raw = np.bincount(of, values * self._weights[columns], len(texts))
        norm = np.sqrt(np.maximum(np.bincount(of, values * values, len(texts)), 1e-12))
        near = (raw / norm - self._low) / self._span
        return [float(each) if length else 0.0 for each, length in zip(near, lengths, strict=True)]

    def chance(self, features: Features) -> float:
        """That a page is about it, from 0 to 1."""
        return self._curve.chance(_STEEP * (self.near(features) - _MIDDLE))

    def decided(
        self, maker: FeatureMaker, parts: Mapping[str, str], most: int = 10
    ) -> list[Decided]:
        """The words that said most for it (above 0) or against it."""
        features = maker.of(parts)
        columns, values = self._vector(features)
        said = values * self._weights[columns] / self._span
        names = maker.names(parts)
        order = np.argsort(-np.abs(said), kind="stable")[:most]
        found = [(names.get(int(features.keys[at]), ("", "?")), float(said[at])) for at in order]
        return [Decided(*name, weight) for name, weight in found if weight]

    def to_bytes(self) -> bytes:
        moved, seen = np.flatnonzero(self._weights), np.flatnonzero(self._times)
        return written(
            _Stored(
                self._seen,
                moved.astype(np.uint32).tobytes(),
                self._weights[moved].tobytes(),
                seen.astype(np.uint32).tobytes(),
                self._times[seen].tobytes(),
                self._low,
                self._span,
                self._curve.slope,
                self._curve.place,
                self.told,
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> "TopicModel":
        """Raises DamagedError on what `to_bytes` did not make."""
        return read(_Stored, data, cls._of)

    @classmethod
    def _of(cls, stored: _Stored) -> "TopicModel":
        model = cls()
        model._weights[np.frombuffer(stored.columns, np.uint32)] = np.frombuffer(
            stored.weights, np.float32
        )
        model._times[np.frombuffer(stored.seen_columns, np.uint32)] = np.frombuffer(
            stored.times, np.uint32
        )
        model._seen, model._low, model._span = stored.seen, stored.low, stored.span
        model._curve, model.told = Curve(stored.slope, stored.place), stored.told
        return model
