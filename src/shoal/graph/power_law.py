"""Is it a power law? Fitted, not assumed: an exponent, from where it holds, and how well.

Clauset, Shalizi and Newman, "Power-law distributions in empirical data" (2009), for whole numbers:
the exponent by maximum likelihood, the least value x_min from which it holds by the least distance
of the fitted from the found distribution (Kolmogorov-Smirnov), and how often numbers drawn from the
fitted law lie further from theirs than the found ones do (p; x_min is not searched again for these,
so p is a little too kind). Below 0.1 it is no power law. An exponential tail is fitted beside it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.graph.arrays import Floats
from shoal.graph.zeta import zeta
from shoal.model.record import Struct

LEAST_TAIL = 50
"""Fewer observations are not fitted."""
_LEAST_VALUES = 5
_STARTS = 60
"""Values of x_min that are tried."""
_POINTS = 1000
"""At which the distributions are compared."""
_DRAWS, _MOST_DRAWN = 200, 2500
_PLAUSIBLE = 0.1
_CLOSE = 0.03
_MOST_OF_IT = 0.1
_EXPONENTS = (1.0001, 12.0)
_ROUNDS = 60
_TABLE = 1 << 16


class PowerLaw(Struct):
    observations: int
    exponent: float = 0.0
    error: float = 0.0
    """Standard error of the exponent."""
    x_min: int = 0
    tail: int = 0
    """Observations from x_min on: what the law is said of."""
    distance: float = 1.0
    """Kolmogorov-Smirnov, of the tail."""
    p: float = 0.0
    beats_exponential: bool = False
    fits: bool = False
    says: str = ""


class Histogram(NamedTuple):
    values: NDArray[np.int64]
    """Ascending, all above 0."""
    counts: NDArray[np.int64]

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def tail(self, start: int) -> "Histogram":
        first = int(np.searchsorted(self.values, start))
        return Histogram(self.values[first:], self.counts[first:])


def histogram(numbers: NDArray[np.int64]) -> Histogram:
    """Of numbers; zero is not on a logarithmic scale, and is left out."""
    return Histogram(*np.unique(numbers[numbers > 0], return_counts=True))


def fit(given: Histogram) -> PowerLaw:
    starts = _starts(given)
    if not len(starts):
        return PowerLaw(given.total, says="too few different numbers to tell")
    tails = [given.tail(int(start)) for start in starts]
    logs = np.array([_mean_log(tail) for tail in tails])
    exponents = _exponents(logs, starts)
    distances = [
        _distance(tail, exponent, int(start))
        for tail, exponent, start in zip(tails, exponents.tolist(), starts, strict=True)
    ]
    best = int(np.argmin(distances))
    start, tail, exponent = int(starts[best]), tails[best], float(exponents[best])
    found = PowerLaw(
        given.total,
        exponent,
        _error(exponent, start, tail.total),
        start,
        tail.total,
        distances[best],
        _p(exponent, start, tail.total, distances[best]),
        _beats_exponential(tail, exponent, start),
    )
    found.fits = found.p >= _PLAUSIBLE and found.beats_exponential
    found.says = _verdict(found)
    return found


def _verdict(found: PowerLaw) -> str:
    share = found.tail / found.observations
    what = f"exponent {found.exponent:.2f} from {found.x_min:,} on, {share:.1%} of them"
    if found.fits:
        return f"a power law{'' if share >= _MOST_OF_IT else ' in its far tail only'}: {what}"
    if not found.beats_exponential:
        return f"no power law, an exponential fits its tail better ({what})"
    if found.distance <= _CLOSE:
        return f"near a power law, but not one: {what}"
    return f"no power law; the nearest would be {what}"


def _starts(given: Histogram) -> NDArray[np.int64]:
    """Values from which enough observations are left, spread evenly over their logarithms."""
    left = given.total - np.cumsum(given.counts) + given.counts
    enough = (left >= LEAST_TAIL) & (np.arange(len(left), 0, -1) >= _LEAST_VALUES)
    values = given.values[enough]
    if len(values) <= _STARTS:
        return values
    wanted = np.geomspace(values[0], values[-1], _STARTS)
    return values[np.unique(np.searchsorted(values, wanted))]


def _mean_log(tail: Histogram) -> float:
    return float((np.log(tail.values) * tail.counts).sum() / tail.total)


def _exponents(mean_logs: Floats, starts: NDArray[np.int64]) -> Floats:
    """Of greatest likelihood, for each pair: ln ζ(a, start) + a × mean log is least there."""
    low = np.full(len(mean_logs), _EXPONENTS[0])
    high = np.full(len(mean_logs), _EXPONENTS[1])
    for _ in range(_ROUNDS):
        third = (high - low) / 3
        left, right = low + third, high - third
        is_left = np.log(zeta(left, starts)) + left * mean_logs < (
            np.log(zeta(right, starts)) + right * mean_logs
        )
        high, low = np.where(is_left, right, high), np.where(is_left, low, left)
    middle: Floats = (low + high) / 2
    return middle


def _distance(tail: Histogram, exponent: float, start: int) -> float:
    """The greatest difference of the two distributions, at the values and just before them."""
    below = np.cumsum(tail.counts) / tail.total
    before = below - tail.counts / tail.total
    at = slice(None)
    if len(tail.values) > _POINTS:
        spread = np.geomspace(1, len(tail.values), _POINTS).astype(np.int64) - 1
        at = np.unique(spread)  # type: ignore[assignment]  # numpy takes either
    values, whole = tail.values[at], zeta(exponent, start)
    law_before = 1 - zeta(exponent, values) / whole
    law_at = 1 - zeta(exponent, values + 1) / whole
    return float(max(np.abs(law_at - below[at]).max(), np.abs(law_before - before[at]).max()))


def _error(exponent: float, start: int, tail: int) -> float:
    """From the curvature of the likelihood."""
    step = 1e-3
    logs = np.log(zeta(exponent + np.array([-step, 0, step]), start))
    curvature = float(logs[0] - 2 * logs[1] + logs[2]) / step**2
    return float(1 / np.sqrt(tail * curvature)) if curvature > 0 else 0.0


def _p(exponent: float, start: int, tail: int, distance: float) -> float:
    """How often numbers that are drawn from the law lie further from it than those found. A
    distance shrinks with the root of how many there are, so of many a part is drawn."""
    random = np.random.default_rng(1)
    count = min(tail, _MOST_DRAWN)
    cumulated = np.cumsum(np.arange(start, start + _TABLE, dtype=np.float64) ** -exponent)
    chance = random.random((_DRAWS, count)) * float(zeta(exponent, start))
    drawn = start + np.searchsorted(cumulated, chance)
    beyond = drawn == start + _TABLE  # there the law is as good as continuous
    rest = np.maximum(float(zeta(exponent, start)) - chance[beyond], 1e-300)
    far = ((exponent - 1) * rest) ** (1 / (1 - exponent))
    drawn[beyond] = np.minimum(np.maximum(far, start + _TABLE), 2.0**52).astype(np.int64)
    exponents = _exponents(np.log(drawn).mean(axis=1), np.full(_DRAWS, start))
    further = 0
    for numbers, own in zip(drawn, exponents.tolist(), strict=True):
        own_distance = _distance(histogram(numbers), own, start)
        further += own_distance * np.sqrt(count) >= distance * np.sqrt(tail)
    return float(further / _DRAWS)


def _beats_exponential(tail: Histogram, exponent: float, start: int) -> bool:
    """By likelihood, against the geometric distribution of the same mean."""
    law = -exponent * np.log(tail.values) - np.log(zeta(exponent, start))
    stop = 1 / (1 + float(((tail.values - start) * tail.counts).sum() / tail.total))
    stop = min(stop, 1 - 1e-12)
    other = np.log(stop) + (tail.values - start) * np.log1p(-stop)
    return bool(((law - other) * tail.counts).sum() > 0)
