"""Which weights tell two kinds apart best? Logistic regression, by Newton's method.

A weight is pulled towards zero by its square times the variance of what it weighs, so that units do
not matter; the bias is free. The optimum is the only one and is found to six places, whatever the
machine. Rows are sparse: what is not seen counts as zero.
"""

import math
from collections.abc import Mapping, Sequence

BIAS = "bias"
_PULL = 20.0
_CLOSE = 1e-6
_STEPS = 50
_FOR_NAMES_NEVER_SEEN = 1e-9

Row = tuple[Mapping[str, float], bool, float]
"""What is seen, which of the two it is, and how much it matters."""


def fit(rows: Sequence[Row], names: Sequence[str]) -> dict[str, float]:
    place = {name: at for at, name in enumerate(names)}
    sparse = [
        ([(place[name], value) for name, value in seen.items() if value], truth, matters)
        for seen, truth, matters in rows
    ]
    pulls = [
        _FOR_NAMES_NEVER_SEEN + (0.0 if name == BIAS else _PULL * _variance(rows, name))
        for name in names
    ]
    weights = [0.0] * len(names)
    for _ in range(_STEPS):
        slope = [pull * weight for pull, weight in zip(pulls, weights, strict=True)]
        bend = [[0.0] * len(names) for _ in names]
        for seen, truth, matters in sparse:
            odds = sum(weights[at] * value for at, value in seen)
            chance = 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0
            off = matters * (chance - truth)
            spread = matters * chance * (1 - chance)
            for at, value in seen:
                slope[at] += off * value
                line, part = bend[at], spread * value
                for other, beside in seen:
                    line[other] += part * beside
        for at, pull in enumerate(pulls):
            bend[at][at] += pull
        step = _solved(bend, slope)
        weights = [weight - change for weight, change in zip(weights, step, strict=True)]
        if max(map(abs, step)) < _CLOSE:
            return dict(zip(names, weights, strict=True))
    raise ArithmeticError(f"no optimum within {_STEPS} steps")


def _variance(rows: Sequence[Row], name: str) -> float:
    values = [seen.get(name, 0.0) for seen, _, _ in rows]
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """x of matrix · x = right, by elimination; the matrix is symmetric and positive."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at, pivot in enumerate(rows):
        for below in rows[at + 1 :]:
            factor = below[at] / pivot[at]
            for column in range(at, size + 1):
                below[column] -= factor * pivot[column]
    found = [0.0] * size
    for at in reversed(range(size)):
        known = sum(rows[at][column] * found[column] for column in range(at + 1, size))
        found[at] = (rows[at][size] - known) / rows[at][at]
    return found
