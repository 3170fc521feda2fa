"""Do words follow Zipf's law? And what is drawn of it and of power laws.

Zipf (1949): the word of rank r is used in proportion to r^-s, with s near 1. The exponent is that
of greatest likelihood over the ranks found; the distance is the greatest difference between the
shares of the r most frequent words, as found and as the law has them.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.graph.power_law import Histogram, PowerLaw
from shoal.graph.zeta import zeta
from shoal.model.record import Struct

_EXPONENTS = (0.01, 4.0)
_ROUNDS = 50
_CLOSE = 0.1
_NEAR_ONE = (0.5, 1.5)
_LEAST_WORDS = 50
_MOST_RANKS = 200_000
_POINTS = 120

Point = tuple[float, float]


class Zipf(Struct):
    words: int
    """All, however often."""
    different: int
    exponent: float = 0.0
    distance: float = 1.0
    fits: bool = False
    says: str = ""


def fit_zipf(frequencies: NDArray[np.int64]) -> Zipf:
    """Of how often each word is used; of very many words the most frequent are looked at."""
    ordered = -np.sort(-frequencies[frequencies > 0])
    found = Zipf(int(ordered.sum()), len(ordered))
    if len(ordered) < _LEAST_WORDS:
        found.says = "too few words to tell"
        return found
    ordered = ordered[:_MOST_RANKS]
    logs = np.log(np.arange(1, len(ordered) + 1))
    total = int(ordered.sum())
    mean = float((logs * ordered).sum()) / total
    low, high = _EXPONENTS
    for _ in range(_ROUNDS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if left * mean + np.log(np.exp(-left * logs).sum()) < right * mean + np.log(
            np.exp(-right * logs).sum()
        ):
            high = right
        else:
            low = left
    found.exponent = (low + high) / 2
    law = np.cumsum(np.exp(-found.exponent * logs))
    found.distance = float(np.abs(law / law[-1] - np.cumsum(ordered) / total).max())
    found.fits = found.distance <= _CLOSE and _NEAR_ONE[0] <= found.exponent <= _NEAR_ONE[1]
    near = "Zipf's law" if found.fits else "not Zipf's law"
    found.says = f"{near}: exponent {found.exponent:.2f}, {found.distance:.0%} off at most"
    return found


def rank_points(frequencies: NDArray[np.int64], fitted: Zipf) -> tuple[list[Point], list[Point]]:
    """(rank, frequency) as found, and by the law."""
    ordered = -np.sort(-frequencies[frequencies > 0])
    if not len(ordered):
        return [], []
    ranks = np.unique(np.geomspace(1, len(ordered), _POINTS).astype(np.int64))
    found = [(float(rank), float(ordered[rank - 1])) for rank in ranks.tolist()]
    if not fitted.exponent:
        return found, []
    every = np.arange(1, min(len(ordered), _MOST_RANKS) + 1, dtype=np.float64)
    top = ordered[:_MOST_RANKS].sum() / (every**-fitted.exponent).sum()
    return found, [(rank, float(top * rank**-fitted.exponent)) for rank, _ in found]


def tail_points(given: Histogram, fitted: PowerLaw) -> tuple[list[Point], list[Point]]:
    """(value, share of the observations that are at least that), as found, and by the law."""
    if not len(given.values):
        return [], []
    left = (given.total - np.cumsum(given.counts) + given.counts) / given.total
    at = np.unique(np.geomspace(1, len(given.values), _POINTS).astype(np.int64)) - 1
    found = list(zip(given.values[at].astype(float).tolist(), left[at].tolist(), strict=True))
    if not fitted.exponent:
        return found, []
    values = np.array([value for value, _ in found if value >= fitted.x_min])
    share = fitted.tail / given.total
    law = share * zeta(fitted.exponent, values) / zeta(fitted.exponent, fitted.x_min)
    return found, list(zip(values.tolist(), law.tolist(), strict=True))
