"""How are the models of leaf and levels made one, and how far can it be trusted?

Each model has an opinion of a class: the leaf model of the class itself, the model of a level of
what stands above it. What they say is added up, each with a weight, and the sum is made a chance.
The weights, and with them how sharp a chance is, are those that make answers most likely of which
the models did not know the examples. Few such answers move the weights little from where they
start, so there need not be any.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.learn.arrays import Floats
from shoal.learn.calibration import sigmoids

_STEPS = 40
_FIRST_WEIGHT = 0.15
"""Of scores as these models make them."""
_DOUBT = 4.0
"""How many examples' worth the first weights are, for each unit that they are left by."""
_ENOUGH = 1e-7
_MOST_WEIGHT = 4.0


def first_weights(models: int) -> Floats:
    return np.full(models, _FIRST_WEIGHT / max(1, models))


def fitted_exclusive(opinions: Sequence[Floats], truth: NDArray[np.int64]) -> Floats:
    """Weights of models whose classes exclude each other. `opinions`: of each model a table with a
    row for each example and a column for each class; `truth`: the column that is true."""
    weights = first_weights(len(opinions))
    rows = np.arange(len(truth))
    start = weights.copy()
    for _ in range(_STEPS):
        chances = exclusive(opinions, weights)
        means = [(chances * each).sum(axis=1) for each in opinions]
        slope = np.array(
            [
                float((mean - each[rows, truth]).sum())
                for each, mean in zip(opinions, means, strict=True)
            ]
        )
        bend = np.empty((len(opinions), len(opinions)))
        for one, (first, first_mean) in enumerate(zip(opinions, means, strict=True)):
            for other, (second, second_mean) in enumerate(zip(opinions, means, strict=True)):
                both = (chances * first * second).sum(axis=1)
                bend[one, other] = float((both - first_mean * second_mean).sum())
        step = _newton(slope + _DOUBT * (weights - start), bend, _DOUBT)
        moved = np.clip(weights - step, 0.0, _MOST_WEIGHT)
        if float(np.abs(moved - weights).sum()) < _ENOUGH:
            break
        weights = moved
    return weights


def fitted_each(opinions: Sequence[Floats], truth: Floats) -> tuple[Floats, float]:
    """Weights and place where each class is a question of its own; `truth`: a table of 0 and 1."""
    given = np.stack([each.ravel() for each in opinions] + [np.ones(truth.size)])
    answers = truth.ravel()
    weights = np.append(first_weights(len(opinions)), 0.0)
    start = weights.copy()
    for _ in range(_STEPS):
        chances = sigmoids(weights @ given)
        slope = given @ (chances - answers) + _DOUBT * (weights - start)
        bend = (given * (chances * (1.0 - chances))) @ given.T
        moved = weights - _newton(slope, bend, _DOUBT)
        moved[:-1] = np.clip(moved[:-1], 0.0, _MOST_WEIGHT)
        if float(np.abs(moved - weights).sum()) < _ENOUGH:
            break
        weights = moved
    return weights[:-1], float(weights[-1])


def exclusive(opinions: Sequence[Floats], weights: Floats) -> Floats:
    """Chances of classes of which one is true."""
    scores = mixed(opinions, weights)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances: Floats = powers / powers.sum(axis=1, keepdims=True)
    return chances


def mixed(opinions: Sequence[Floats], weights: Floats) -> Floats:
    total = np.zeros_like(opinions[0])
    for each, weight in zip(opinions, weights, strict=True):
        total += each * weight
    return total


def _newton(slope: Floats, bend: Floats, doubt: float) -> Floats:
    step = np.linalg.solve(bend + doubt * np.eye(len(slope)), slope)
    return np.array(np.clip(step, -1.0, 1.0), np.float64)
