"""What is the best that a budget can do, if all rates are known? (Cho & Garcia-Molina, 2003)

Every page is visited at even intervals, and the intervals are such that one more visit is worth the
same everywhere: the price. Demand falls as the price rises, so the price that spends the budget is
found by bisection, and with it the optimum: it is exact, and needs all pages at once. It is what
the online rule (price.py) is measured by. For whole arrays of pages; waiting.py has the same
equations for one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.freshness.population import Floats, Population
from shoal.freshness.waiting import MONTH_SECONDS, Policy

_MOST_CUTS = 100
_PRECISION = 1e-9
_NEWTON_STEPS = 5
_SERIES_BELOW = 0.02


class Optimum(NamedTuple):
    price: float
    intervals: Floats
    """Seconds; infinite where a page is given up."""
    age_seconds: float
    freshness: float


def optimum(pages: Population, budget_per_second: float, policy: Policy) -> Optimum:
    """The price, and what comes of it. Of `uniform` and `proportional` it is no optimum."""
    price = clearing_price(pages, budget_per_second, policy)
    found = intervals(pages.rates, pages.weights, price, policy)
    total = pages.weights.sum()
    return Optimum(
        price,
        found,
        float((pages.weights * mean_age(pages.rates, found)).sum() / total),
        float((pages.weights * mean_freshness(pages.rates, found)).sum() / total),
    )


def clearing_price(pages: Population, budget_per_second: float, policy: Policy) -> float:
    """The price at which all pages together ask for as many visits as there are."""

    def excess(log_price: float) -> float:
        asked = (1 / intervals(pages.rates, pages.weights, float(np.exp(log_price)), policy)).sum()
        return float(np.log(max(asked, 1e-300) / budget_per_second))

    at = float(np.log((len(pages.rates) / budget_per_second) ** 2 / 2))
    low = high = at
    step = 1.0
    while excess(low) < 0:
        low, high, step = low - step, low, 2 * step
    step = 1.0
    while excess(high) > 0:
        low, high, step = high, high + step, 2 * step
    return float(np.exp(_root(excess, low, high)))


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    """Bisection that takes the chord's place where the function is nearly a line (Illinois)."""
    above, below = excess(low), excess(high)
    for _ in range(_MOST_CUTS):
        if high - low <= _PRECISION:
            break
        at = low + (high - low) * (above / (above - below) if above > below else 0.5)
        found = excess(at)
        if abs(found) <= _PRECISION:
            return at
        if found > 0:
            low, above, below = at, found, below / 2
        else:
            high, below, above = at, found, above / 2
    return (low + high) / 2


def intervals(rates: Floats, weights: Floats, price: float, policy: Policy) -> Floats:
    """What pages of known rates wait at a price, without limits: waiting.interval for arrays."""
    if policy == "uniform":
        return np.full(len(rates), np.sqrt(2 * price))
    with np.errstate(divide="ignore", over="ignore"):
        if policy == "proportional":
            return np.asarray(np.sqrt(2 * price) / (rates * MONTH_SECONDS))
        if policy == "age":
            return _expected_changes_for_age(price * rates * rates / weights) / rates
        return _expected_changes_for_freshness(price * rates / weights) / rates


def _expected_changes_for_age(worth: Floats) -> Floats:
    """The x = r·t with x²/2 + x·e^(−x) − 1 + e^(−x) = worth: Newton's method on the logarithms,
    from below, where it never passes the root."""
    x = np.maximum(np.sqrt(2 * worth), np.cbrt(3 * worth))
    for _ in range(_NEWTON_STEPS):
        value = x * x * waiting_shape_for_age(x)
        growth = x * x * -np.expm1(-x)
        x = x * np.exp(np.log(worth / value) * value / growth)
    return x


def _expected_changes_for_freshness(worth: Floats) -> Floats:
    """The x with 1 − (1 + x)·e^(−x) = worth, that is x − ln(1 + x) = −ln(1 − worth): Newton's
    method from above. Infinite where worth is 1 or more: no visit is worth its price."""
    given_up = worth >= 1
    sought = -np.log1p(-np.where(given_up, 0.5, worth))
    x = sought + np.sqrt(2 * sought)
    for _ in range(_NEWTON_STEPS):
        over = np.where(x < 1e-4, x * x * (0.5 - x / 3), x - np.log1p(x)) - sought
        x = x - over * (1 + x) / x
    return np.where(given_up, np.inf, x)


def waiting_shape_for_age(x: Floats) -> Floats:
    """V(t) / t² of an expected number of changes x = r·t."""
    small = np.minimum(x, _SERIES_BELOW)
    series = small * (1 / 3 - small * (1 / 8 - small * (1 / 30 - small / 144)))
    large = np.maximum(x, _SERIES_BELOW)
    gone = np.exp(-large)
    closed = 0.5 + (gone - (1 - gone) / large) / large
    return np.where(x < _SERIES_BELOW, series, closed)


def waiting_shape_for_freshness(x: Floats) -> Floats:
    """V(t) / t likewise."""
    small = np.minimum(x, _SERIES_BELOW)
    series = small * (1 / 2 - small * (1 / 3 - small * (1 / 8 - small / 30)))
    large = np.maximum(x, _SERIES_BELOW)
    return np.where(x < _SERIES_BELOW, series, (1 - (1 + large) * np.exp(-large)) / large)


def age_so_far(rates: Floats, seconds: Floats) -> Floats:
    """The expected age, summed over the time since a visit: seconds²."""
    x = rates * seconds
    small = np.minimum(x, _SERIES_BELOW)
    series = small * (1 / 6 - small * (1 / 24 - small * (1 / 120 - small / 720)))
    large = np.maximum(x, _SERIES_BELOW)
    closed = 0.5 - (1 + np.expm1(-large) / large) / large
    return seconds * seconds * np.where(x < _SERIES_BELOW, series, closed)


def freshness_so_far(rates: Floats, seconds: Floats) -> Floats:
    """The expected freshness, likewise: seconds."""
    return -np.expm1(-rates * seconds) / rates


def mean_age(rates: Floats, every: Floats) -> Floats:
    """Of pages that are visited every so many seconds."""
    visited = np.isfinite(every)
    seconds = np.where(visited, every, 1.0)
    return np.where(visited, age_so_far(rates, seconds) / seconds, np.inf)


def mean_freshness(rates: Floats, every: Floats) -> Floats:
    visited = np.isfinite(every)
    seconds = np.where(visited, every, 1.0)
    return np.where(visited, freshness_so_far(rates, seconds) / seconds, 0.0)
