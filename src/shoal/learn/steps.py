"""How does a model change by an example? Logistic regression, by steps of AdaGrad.

Weights stand in a table with a row for each feature and a column for each output. The chances of
the outputs exclude each other (softmax), or each is a question of its own. A step moves the weights
of the features that the example has, against the error, each by less the more it was moved before;
L2 draws them back whenever they are moved. Same examples in the same order give the same bytes.

_learn.c does `plain_learn` where it could be compiled; tests hold the two together.
"""

from typing import NamedTuple

import numpy as np

from shoal.learn.arrays import Keys, Table, Values

FIRST_SQUARE = 1e-3
STILL = np.float32(1e-3)
"""A smaller error moves nothing."""


class Examples(NamedTuple):
    """Rows of a sparse table, one behind the other."""

    columns: Keys
    values: Values
    offsets: Keys
    """Where each example begins, and where the last one ends."""

    def __len__(self) -> int:
        return len(self.offsets) - 1


def plain_learn(  # noqa: PLR0913 - arrays, as the C takes them
    weights: Table,
    squares: Table,
    columns: Keys,
    values: Values,
    offsets: Keys,
    targets: Table,
    worth: Values,
    order: Keys,
    outputs: int,
    rate: float,
    l2: float,
    exclusive: bool,
) -> None:
    for example in order:
        part = slice(int(offsets[example]), int(offsets[example + 1]))
        rows, given = columns[part], values[part]
        chances = plain_chances(given @ weights[rows], exclusive=exclusive)
        errors = (chances - targets[example]) * worth[example]
        wrong = np.flatnonzero(np.abs(errors) >= STILL)
        cells = np.ix_(rows, wrong)
        slopes = given[:, None] * errors[None, wrong] + np.float32(l2) * weights[cells]
        squares[cells] += slopes * slopes
        weights[cells] -= np.float32(rate) * slopes / np.sqrt(squares[cells])


def plain_chances(scores: Table, *, exclusive: bool) -> Table:
    if not exclusive:
        return (1.0 / (1.0 + np.exp(-np.clip(scores, -60.0, 60.0)))).astype(np.float32)
    powers: Table = np.exp(scores - scores.max())
    powers /= powers.sum()
    return powers


def plain_scores(
    weights: Table, columns: Keys, values: Values, offsets: Keys, outputs: int
) -> bytes:
    found = np.zeros((len(offsets) - 1, outputs), np.float32)
    for example in range(len(found)):
        part = slice(int(offsets[example]), int(offsets[example + 1]))
        found[example] = values[part] @ weights[columns[part]]
    return found.tobytes()


try:
    from shoal.learn._learn import learn as _learn
    from shoal.learn._learn import scores as _scores
except ImportError:  # pragma: no cover - where there was no compiler
    _learn, _scores = plain_learn, plain_scores


def learn(  # noqa: PLR0913 - what is changed, by what, and how
    weights: Table,
    squares: Table,
    examples: Examples,
    targets: Table,
    worth: Values,
    order: Keys,
    *,
    rate: float,
    l2: float,
    exclusive: bool,
) -> None:
    """A step for each number in `order`, of the example that it names."""
    arrays = (examples.columns, examples.values, examples.offsets, targets, worth, order)
    _learn(weights, squares, *arrays, weights.shape[1], rate, l2, exclusive)


def scores(weights: Table, examples: Examples) -> Table:
    """A row for each example."""
    arrays = (examples.columns, examples.values, examples.offsets)
    found = np.frombuffer(_scores(weights, *arrays, weights.shape[1]), np.float32)
    return found.reshape(len(examples), weights.shape[1])
