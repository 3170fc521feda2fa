"""What would the crawl's estimator say of a hundred thousand pages at once?

rate.py follows the posterior of one page with nine points; here that of every page is kept on one
grid of ln r, and a visit adds a row of a table to it. The expected cost of waiting, for all times
of a second grid, is then one product of matrices, and the interval is where it passes the price.
Both say the same (a test compares them): this is fast for many pages and useless for one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.freshness.optimum import waiting_shape_for_age, waiting_shape_for_freshness
from shoal.freshness.population import Floats
from shoal.freshness.priors import Group, Priors
from shoal.freshness.rate import bin_of, interval_of
from shoal.freshness.waiting import MONTH_SECONDS, Policy

_LOWEST, _HIGHEST, _STEP = -25.0, -6.0, 0.14
"""Of ln r: one change in 2,000 years to one in seven minutes. The sum over a grid is exact as long
as a posterior is no narrower than half a step: after some hundred visits."""
_TIME_STEP = 0.1
_LEAST = -70.0
"""Of a logarithm of a probability: below, the processor is slow, and nothing is gained."""
_GROUP = ("all",)

Singles = NDArray[np.float32]
Rows = NDArray[np.intp]


class Seen(NamedTuple):
    """What visits showed."""

    elapsed: Floats
    """Seconds since the ones before."""
    changed: NDArray[np.bool_]


class Learner:
    def __init__(self, weights: Floats, policy: Policy, limits: tuple[float, float]) -> None:
        self._weights, self._policy = weights, policy
        self._grid: Floats = np.arange(_LOWEST, _HIGHEST, _STEP)
        self._rates = np.exp(self._grid)
        # single precision: a logarithm is as good to 1e-5, and all pages fit in half the memory
        self._seen: Singles = np.zeros((len(weights), len(self._grid)), np.float32)
        self._first_bin = bin_of(limits[0])
        longest_bin = bin_of(100 * limits[1])
        bins = range(self._first_bin, longest_bin + 1)
        lengths = np.array([interval_of(number) for number in bins])
        self._if_changed: Singles = np.log(-np.expm1(-np.outer(lengths, self._rates))).astype(
            np.float32
        )
        self._waits: Floats = np.exp(np.arange(np.log(limits[0]), np.log(limits[1]), _TIME_STEP))
        self._waits = np.append(self._waits, limits[1])
        self._costs = self._cost_table()
        self._said: Floats = np.full((len(weights), 2), np.nan)
        self._group = Group()
        self._priors = Priors(lambda _: self._group, lambda _key, _group: None)

    def _cost_table(self) -> Singles:
        """V at each rate and wait."""
        changes = np.outer(self._rates, self._waits)
        if self._policy == "freshness":
            return (waiting_shape_for_freshness(changes) * self._waits).astype(np.float32)
        return (waiting_shape_for_age(changes) * self._waits**2).astype(np.float32)

    def opening(self, price: float) -> Floats:
        """The intervals of all pages, of which nothing was seen yet."""
        everything = np.arange(len(self._weights))
        posterior = self._posterior(everything[:1])
        return self._intervals(np.broadcast_to(posterior, self._seen.shape), everything, price)

    def plan(self, rows: Rows, seen: Seen, price: float) -> Floats:
        """The intervals of pages after a visit."""
        self._observe(rows, seen)
        posterior = self._posterior(rows)
        self._learn(rows, posterior)
        return self._intervals(posterior, rows, price)

    def estimate(self, rows: Rows) -> tuple[Floats, Floats]:
        """Mean and standard deviation of ln r, as of now."""
        return self._moments(self._posterior(rows))

    def _observe(self, rows: Rows, seen: Seen) -> None:
        elapsed, changed = seen.elapsed, seen.changed
        self._seen[rows[~changed]] -= np.outer(elapsed[~changed], self._rates).astype(np.float32)
        bins = np.rint(4 * np.log2(elapsed[changed])).astype(np.intp) - self._first_bin
        self._seen[rows[changed]] += self._if_changed[np.clip(bins, 0, len(self._if_changed) - 1)]

    def _learn(self, rows: Rows, posterior: Singles) -> None:
        """priors.learn for many: what pages said before is replaced by what they say now."""
        now = np.column_stack(self._moments(posterior))
        before = self._said[rows]
        before = before[~np.isnan(before[:, 0])]
        self._said[rows] = now
        group = self._group
        self._group = Group(
            group.pages + len(now) - len(before),
            group.means + float(now[:, 0].sum() - before[:, 0].sum()),
            group.squares + float((now**2).sum() - (before**2).sum()),
        )

    def _posterior(self, rows: Rows) -> Singles:
        """The probability of each rate of the grid."""
        prior = self._priors.prior_for(_GROUP)
        off = (self._grid - prior.mean) / prior.sd
        heights = self._seen[rows]
        heights += (-0.5 * off * off).astype(np.float32)
        heights -= heights.max(axis=1, keepdims=True)
        np.maximum(heights, _LEAST, out=heights)
        np.exp(heights, out=heights)
        heights /= heights.sum(axis=1, keepdims=True)
        return heights

    def _moments(self, posterior: Singles) -> tuple[Floats, Floats]:
        centred = self._grid - self._grid.mean()  # single precision has no digits to give away
        powers = np.column_stack([centred, centred**2]).astype(np.float32)
        mean, square = (posterior @ powers).astype(np.float64).T
        return mean + self._grid.mean(), np.sqrt(np.maximum(square - mean * mean, 0.0))

    def _intervals(self, posterior: Singles, rows: Rows, price: float) -> Floats:
        if self._policy == "uniform":
            return np.full(len(rows), np.sqrt(2 * price))
        if self._policy == "proportional":
            rates: Floats = (posterior @ self._rates.astype(np.float32)).astype(np.float64)
            return np.asarray(np.sqrt(2 * price) / (rates * MONTH_SECONDS))
        return self._where(posterior @ self._costs, price / self._weights[rows])

    def _where(self, costs: Singles, worth: Floats) -> Floats:
        """Where costs, which grow along each row, pass what a visit is worth: nearly a line on
        logarithmic axes."""
        after = np.clip((costs < worth[:, None]).sum(axis=1), 1, len(self._waits) - 1)
        number = np.arange(len(after))
        low, high = (np.log(costs[number, each].astype(np.float64)) for each in (after - 1, after))
        share = np.clip((np.log(worth) - low) / np.maximum(high - low, 1e-9), 0.0, 1.0)
        waits = np.log(self._waits)
        found: Floats = np.exp(waits[after - 1] + share * (waits[after] - waits[after - 1]))
        return found
