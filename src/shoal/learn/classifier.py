"""Which classes is a document of? A model of examples that are kept, with classes that are paths.

`science/biology` is a leaf below `science`. One model knows the leaves; for each level above them
another knows what stands there; what they say is made one (mixing.py). Where every example has one
class, classes exclude each other; otherwise each is a question of its own. Chances are made from
answers about examples that were held out, and a class that is not likely enough is not given: what
stands above it may be, since its chance is that of all below it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from shoal.learn import mixing, steps
from shoal.learn.arrays import Floats, Keys, Table
from shoal.learn.calibration import sigmoids
from shoal.learn.features import Features
from shoal.learn.page_classes import (
    Found,
    Level,
    StoredClasses,
    accepted,
    levels_of,
    with_above,
)
from shoal.learn.steps import Examples
from shoal.learn.stored import read, written
from shoal.learn.vocabulary import Vocabulary

MOST_FEATURES = 1 << 18
MOST_WEIGHTS = 1 << 24
"""Of all models together; of more classes there are fewer features."""
MOST_CLASSES = 4096
_RATE, _L2, _PASSES, _FIRST_SQUARE = 24.0, 1e-5, 4, 1.0
_AVERAGED = 2
"""The last passes, whose weights are averaged: one alone sways with what came last."""
_PARTS = 4
"""One of so many is held out."""
_MANY = 16
"""Of more classes each is learned as a question of its own: the rare ones are found better so."""
_FEW = 4_000
"""Of more examples one part is asked about."""


class HeldOut(NamedTuple):
    """What a model says of examples that it did not know."""

    examples: Keys
    """Which these were."""
    chances: Floats
    truth: Table
    """1 for each class that one has."""


class Classifier:
    """Made by `taught`, or out of bytes."""

    held_out: HeldOut | None = None
    """Of one that was just taught."""

    def __init__(self, stored: StoredClasses) -> None:
        self._stored = stored
        self.classes = stored.classes
        self.exclusive = stored.exclusive
        self.examples = stored.examples
        keys, rareness = (
            np.frombuffer(stored.keys, np.uint32),
            np.frombuffer(stored.rareness, np.float32),
        )
        self._vocabulary = Vocabulary(keys, rareness)
        self._levels = levels_of(self.classes)
        shapes = [len(level.names) for level in self._levels]
        if len(shapes) != len(stored.tables) or len(shapes) != len(stored.weights):
            raise ValueError("its levels are not those of its classes")
        self._tables: list[Table] = [
            np.frombuffer(data, np.float16)
            .astype(np.float32)
            .reshape(self._vocabulary.columns, shape)
            for data, shape in zip(stored.tables, shapes, strict=True)
        ]
        self._weights = np.array(stored.weights)

    def chances(self, documents: Sequence[Features]) -> Floats:
        """A row for each document, a column for each class."""
        if not documents:
            return np.zeros((0, len(self.classes)))
        examples = self._vocabulary.examples(documents)
        return _chances(
            _opinions(self._levels, self._tables, examples, exclusive=self.exclusive),
            self._weights,
            self._stored.place,
            exclusive=self.exclusive,
        )

    def classify(self, document: Features, accept: float = 0.5, most: int = 8) -> list[Found]:
        """The classes that are likely enough, the likeliest first; of a way down only its end."""
        return self.accepted(self.chances([document])[0], accept, most)

    def accepted(self, chances: Floats, accept: float, most: int = 8) -> list[Found]:
        """Of one document's chances."""
        return accepted(self.with_above(chances), accept, most)

    def with_above(self, chances: Floats) -> dict[str, float]:
        """Of one document's chances."""
        return with_above(self.classes, chances.tolist(), exclusive=self.exclusive)

    def likeliest(self, document: Features) -> Found:
        chances = self.chances([document])[0]
        place = int(chances.argmax())
        return Found(self.classes[place], float(chances[place]))

    def said(self, document: Features, name: str) -> list[tuple[int, float]]:
        """What each feature of a document says for a class, or against it, the most first."""
        table, column = self._column(name)
        columns, values, _ = self._vocabulary.examples([document])
        weights = table[columns[:-1]]
        said = values[:-1] * (weights[:, column] - weights.mean(axis=1))
        order = np.argsort(-np.abs(said), kind="stable")
        return [(int(self._vocabulary.keys[columns[at]]), float(said[at])) for at in order]

    def strongest(self, name: str, most: int) -> list[int]:
        """The keys that speak most for a class, by what they weigh where they stand."""
        table, column = self._column(name)
        weights = table[:-1, column] - table[:-1].mean(axis=1)
        order = np.argsort(-weights * self._vocabulary.rareness, kind="stable")[:most]
        return [int(self._vocabulary.keys[at]) for at in order if weights[at] > 0]

    def _column(self, name: str) -> tuple[Table, int]:
        for level, table in zip(self._levels, self._tables, strict=True):
            if name in level.names:
                return table, level.names.index(name)
        raise KeyError(name)

    def to_bytes(self) -> bytes:
        return written(self._stored)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Classifier":
        """Raises DamagedError on what `to_bytes` did not make."""
        return read(StoredClasses, data, cls)


def taught(
    examples: Sequence[Features],
    classes: Sequence[Collection[str]],
    folders: Sequence[str] = (),
) -> Classifier:
    """A model of these examples, each with its classes; one without any is an example of none.
    What stands in one folder is alike, and is held out together: else the model would be asked
    about what it all but knows, and take itself for better than it is elsewhere. Same examples in
    the same order make the same bytes."""
    names = sorted({name for each in classes for name in each})
    if not names:
        raise ValueError("no example has a class")
    if len(names) > MOST_CLASSES:
        raise ValueError(f"{len(names):,} classes are more than {MOST_CLASSES:,}")
    is_exclusive = all(len(set(each)) == 1 for each in classes)
    levels = levels_of(names)
    outputs = sum(len(level.names) for level in levels)
    vocabulary = Vocabulary.of(examples, min(MOST_FEATURES, MOST_WEIGHTS // outputs))
    rows = vocabulary.examples(examples)
    place = {name: number for number, name in enumerate(names)}
    truth = np.zeros((len(examples), len(names)), np.float32)
    for row, each in enumerate(classes):
        truth[row, [place[name] for name in each]] = 1.0
    parts = _parts(classes, folders or [str(number) for number in range(len(examples))])
    tables, weights, offset, held_out = _learned(
        levels, vocabulary.columns, rows, truth, parts, exclusive=is_exclusive
    )
    made = Classifier(
        StoredClasses(
            names,
            is_exclusive,
            len(examples),
            vocabulary.keys.tobytes(),
            vocabulary.rareness.tobytes(),
            [table.astype(np.float16).tobytes() for table in tables],
            [float(weight) for weight in weights],
            offset,
        )
    )
    made.held_out = held_out
    return made


def _parts(classes: Sequence[Collection[str]], folders: Sequence[str]) -> Keys:
    """In which part each example is held out. What is of one folder is in one part, but where a
    class is in few folders: nothing of it would be left to learn from."""
    of_class: dict[str, set[str]] = {}
    for names, folder in zip(classes, folders, strict=True):
        for name in names:
            of_class.setdefault(name, set()).add(folder)
    together = [
        folder if all(len(of_class[name]) >= _PARTS for name in names) else f"{number}\n"
        for number, (names, folder) in enumerate(zip(classes, folders, strict=True))
    ]
    shuffled = [together[each] for each in np.random.default_rng(1).permutation(len(together))]
    part_of: dict[str, int] = {}
    sizes = [0] * _PARTS
    for name, size in Counter(shuffled).most_common():  # the largest first, so that parts are even
        part_of[name] = sizes.index(min(sizes))
        sizes[part_of[name]] += size
    return np.array([part_of[name] for name in together], np.uint32)


def _learned(  # noqa: PLR0913 - all about the examples
    levels: Sequence[Level],
    columns: int,
    rows: Examples,
    truth: Table,
    parts: Keys,
    *,
    exclusive: bool,
) -> tuple[list[Table], Floats, float, HeldOut | None]:
    """The tables; and how much each is to be trusted, by answers about what it did not know: of few
    examples about all, each part by a model without it; of many about one part."""
    everything = np.arange(len(rows), dtype=np.uint32)
    opinions: list[list[Floats]] = [[] for _ in levels]
    asked: list[Keys] = []
    for part in range(_PARTS if len(rows) <= _FEW else 1):
        kept, out = (everything[each] for each in (parts != part, parts == part))
        if not len(kept) or not len(out):
            continue
        tables = _tables(levels, columns, rows, truth, kept, exclusive=exclusive)
        told = _opinions(levels, tables, _some(rows, out), exclusive=exclusive)
        for all_, each in zip(opinions, told, strict=True):
            all_.append(each)
        asked.append(out)
    whole = _tables(levels, columns, rows, truth, everything, exclusive=exclusive)
    if not asked:
        return whole, mixing.first_weights(len(levels)), 0.0, None
    given = [np.concatenate(each) for each in opinions]
    which = np.concatenate(asked)
    true = truth[which]
    if exclusive:
        weights, place = mixing.fitted_exclusive(given, true.argmax(axis=1)), 0.0
    else:
        weights, place = mixing.fitted_each(given, true.astype(np.float64))
    chances = _chances(given, weights, place, exclusive=exclusive)
    return whole, weights, place, HeldOut(which, chances, true)


def _tables(  # noqa: PLR0913 - a part of all examples
    levels: Sequence[Level],
    columns: int,
    rows: Examples,
    truth: Table,
    taken: Keys,
    *,
    exclusive: bool,
) -> list[Table]:
    worth = np.ones(len(rows), np.float32)
    found = []
    for level in levels:
        random = np.random.default_rng(0)
        shape, targets = (columns, len(level.names)), _above(truth, level)
        weights, squares = np.zeros(shape, np.float32), np.full(shape, _FIRST_SQUARE, np.float32)
        mean = np.zeros(shape, np.float32)
        for number in range(_PASSES):
            steps.learn(
                weights,
                squares,
                rows,
                targets,
                worth,
                taken[random.permutation(len(taken))],
                rate=_RATE,
                l2=_L2,
                exclusive=exclusive and len(level.names) <= _MANY,
            )
            if number >= _PASSES - _AVERAGED:
                mean += weights
        mean /= _AVERAGED
        found.append(mean)
    return found


def _above(truth: Table, level: Level) -> Table:
    if len(level.names) == truth.shape[1]:
        return truth
    found = np.zeros((len(truth), len(level.names)), np.float32)
    for column, place in enumerate(level.of_class):
        found[:, place] = np.maximum(found[:, place], truth[:, column])
    return found


def _some(rows: Examples, wanted: Keys) -> Examples:
    spans = [(int(rows.offsets[each]), int(rows.offsets[each + 1])) for each in wanted]
    lengths = [end - start for start, end in spans]
    taken = np.concatenate([np.arange(start, end) for start, end in spans])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    return Examples(rows.columns[taken], rows.values[taken], offsets)


def _opinions(
    levels: Sequence[Level], tables: Iterable[Table], rows: Examples, *, exclusive: bool
) -> list[Floats]:
    """Of each model what it says of each class."""
    found = []
    for level, table in zip(levels, tables, strict=True):
        scores = steps.scores(table, rows).astype(np.float64)
        if exclusive:
            scores -= scores.max(axis=1, keepdims=True)
        found.append(scores[:, level.of_class])
    return found


def _chances(
    opinions: Sequence[Floats], weights: Floats, place: float, *, exclusive: bool
) -> Floats:
    if exclusive:
        return mixing.exclusive(opinions, weights)
    return sigmoids(mixing.mixed(opinions, weights) + place)
