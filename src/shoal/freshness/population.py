"""Which pages are simulated? Rates of change and weights as the web has them.

Rates are log-normal, around one change a month, over several powers of ten (Cho & Garcia-Molina,
2000, found 23% of their pages changed daily: that is the second population). Weights follow the
power law of PageRank, whose density falls with the power 2.1. Both are drawn as quantiles in random
order, so that two seeds differ in which page is which and not in how many there are of a kind.
"""

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DAY_SECONDS = 86_400.0
WEEK_SECONDS = 7 * DAY_SECONDS
_MONTH_SECONDS = 30 * DAY_SECONDS
_SIGMA = 1.5
_DAILY_SHARE = 0.23
_TAIL = 1.1
"""Of the share of pages with more than a weight: one less than that of the density."""

_PLAUSIBLE = 1e-10, 1e-2
"""Changes per second: between one in three hundred years and one in two minutes."""


class Population(NamedTuple):
    name: str
    rates: Floats
    """Changes per second."""
    weights: Floats
    """With a mean of 1."""


def population(name: str, pages: int, seed: int, *, weighted: bool) -> Population:
    """One of `POPULATIONS`."""
    generator = np.random.default_rng([seed, pages])
    weights = _pareto(pages, generator) if weighted else np.ones(pages)
    return Population(name, POPULATIONS[name](pages, generator), weights)


def _lognormal(pages: int, generator: np.random.Generator) -> Floats:
    normal = NormalDist()
    quantiles = [normal.inv_cdf((number + 0.5) / pages) for number in range(pages)]
    rates: Floats = np.exp(_SIGMA * np.array(quantiles)) / _MONTH_SECONDS
    return generator.permutation(rates)


def _daily(pages: int, generator: np.random.Generator) -> Floats:
    daily = round(_DAILY_SHARE * pages)
    others = _lognormal(pages - daily, generator)
    return generator.permutation(np.concatenate([np.full(daily, 1 / DAY_SECONDS), others]))


def _pareto(pages: int, generator: np.random.Generator) -> Floats:
    weights: Floats = ((np.arange(pages) + 0.5) / pages) ** (-1 / _TAIL)
    return generator.permutation(weights / weights.mean())


POPULATIONS: dict[str, Callable[[int, np.random.Generator], Floats]] = {
    "lognormal": _lognormal,
    "daily": _daily,
}


def recorded(
    pages: Sequence[tuple[float, float, float]], most: int, seed: int, *, weighted: bool
) -> Population:
    """Pages of which a crawl knows (mean of ln r, its standard deviation, weight). The rate of each
    is drawn from that: the means alone would be less spread than the pages are."""
    generator = np.random.default_rng([seed, len(pages)])
    known = np.array(pages, dtype=np.float64)
    if len(known) > most:
        known = known[generator.choice(len(known), most, replace=False)]
    mean, deviation, weight = known.T
    rates = np.exp(generator.normal(mean, deviation))
    weights = weight / weight.mean() if weighted else np.ones(len(known))
    return Population("recorded", np.clip(rates, *_PLAUSIBLE), weights)
