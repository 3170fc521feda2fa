"""What does it cost not to look, and when does that pass a price?

A page that is visited every T seconds costs, per second, (price of a visit + what its copy's age
adds up to) / T. That is least where weight · V(T) = price, with V(t) = t·A(t) − ∫A and A the
expected age t seconds after a visit (Cho & Garcia-Molina, TODS 2003, solved by the method of
Lagrange; the price is the multiplier). For changes at rate r, and x = r·t:

    age        V(t) = t²/2 + t·e^(−x)/r − (1 − e^(−x))/r²      grows without end: no page starves
    freshness  V(t) = (1 − e^(−x))/r − t·e^(−x)                at most 1/r: some are given up

A rate that is only estimated stands as nodes (rate, probability), and V is its expectation over
them. `uniform` and `proportional` know no cost; they get an interval from the same price, so that
one control keeps all within a budget. Prices are seconds² (freshness: seconds) times weight.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

Policy = Literal["age", "freshness", "uniform", "proportional"]
Nodes = Sequence[tuple[float, float]]
"""(rate, probability): what is known of a rate of change. The probabilities sum to 1."""

MONTH_SECONDS = 30.4375 * 86_400
"""At one change in this time, proportional waits as long as uniform for the same price."""

_SERIES_BELOW = 0.02  # of r·t: above, the closed forms lose at most 5 of 16 digits
_MOST_STEPS = 60
_PRECISION = 1e-7
_STEEPEST = 50.0


class _Cost(NamedTuple):
    value: float
    growth: float
    """t·V′(t): by how much the value would grow if it went on so until twice the time."""


def waiting_for_freshness(rate: float, seconds: float) -> float:
    x = rate * seconds
    if x < _SERIES_BELOW:
        return seconds * x * (1 / 2 - x * (1 / 3 - x * (1 / 8 - x / 30)))
    return (1 - (1 + x) * math.exp(-x)) / rate


def value(nodes: Nodes, seconds: float, policy: Policy) -> float:
    """The expected V of a page of weight 1; of a policy without a cost what stands for it."""
    if policy == "uniform":
        return seconds * seconds / 2
    if policy == "proportional":
        stretched = seconds * _mean_rate(nodes) * MONTH_SECONDS
        return stretched * stretched / 2
    cost = _of_age if policy == "age" else _of_freshness
    return cost(nodes, seconds).value


def price_of(nodes: Nodes, weight: float, seconds: float, policy: Policy) -> float:
    """The price at which such a page would be visited every so many seconds."""
    return value(nodes, seconds, policy) * (weight if policy in ("age", "freshness") else 1.0)


def interval(  # noqa: PLR0913 - what is known of a page, what a visit costs, and the limits
    nodes: Nodes, weight: float, price: float, policy: Policy, shortest: float, longest: float
) -> float:
    """How many seconds to wait until the next visit of a page."""
    if policy == "uniform":
        return min(max(math.sqrt(2 * price), shortest), longest)
    if policy == "proportional":
        pace = _mean_rate(nodes) * MONTH_SECONDS
        return min(max(math.sqrt(2 * price) / pace, shortest), longest) if pace > 0 else longest
    if not weight > 0:
        return longest
    worth = price / weight
    cost, start = (_of_age, _start_for_age) if policy == "age" else (_of_freshness, _start)
    if cost(nodes, longest).value <= worth:
        return longest  # freshness may have no root at all
    if cost(nodes, shortest).value >= worth:
        return shortest
    return _root(cost, nodes, worth, start(_mean_rate(nodes), worth), (shortest, longest))


def _root(
    cost: Callable[[Nodes, float], _Cost],
    nodes: Nodes,
    worth: float,
    start: float,
    bracket: tuple[float, float],
) -> float:
    """Newton's method on ln V(ln t), which is nearly a line; bisection where it would leave the
    bracket."""
    low, high = bracket
    at = min(max(start, low), high)
    for _ in range(_MOST_STEPS):
        found = cost(nodes, at)
        if found.value < worth:
            low = at
        else:
            high = at
        following = _newton(at, found, worth)
        if not low <= following <= high:
            following = math.sqrt(low * high)
        if abs(following - at) <= _PRECISION * at:
            return following
        at = following
    return at


def _newton(at: float, found: _Cost, worth: float) -> float:
    """Where the tangent meets what is sought; infinity where it is level."""
    if found.growth <= 0 or found.value <= 0:
        return math.inf
    exponent = math.log(worth / found.value) * found.value / found.growth
    return at * math.exp(exponent) if exponent < _STEEPEST else math.inf


def _start_for_age(rate: float, worth: float) -> float:
    """V is at most t²/2 and at most r·t³/3, so the root is not below either's."""
    slow = math.cbrt(3 * worth / rate) if rate > 0 else 0.0
    return max(math.sqrt(2 * worth), slow)


def _start(rate: float, worth: float) -> float:
    return math.sqrt(2 * worth / rate) if rate > 0 else math.inf


def _mean_rate(nodes: Nodes) -> float:
    return sum(rate * share for rate, share in nodes)


def _of_age(nodes: Nodes, seconds: float) -> _Cost:
    total = growth = 0.0
    square = seconds * seconds
    for rate, share in nodes:
        x = rate * seconds
        if x < _SERIES_BELOW:
            total += share * x * (1 / 3 - x * (1 / 8 - x * (1 / 30 - x / 144)))
            growth += share * x * (1 - x * (1 / 2 - x * (1 / 6 - x / 24)))
        else:
            gone = math.exp(-x)
            total += share * (0.5 + (gone - (1 - gone) / x) / x)
            growth += share * (1 - gone)
    return _Cost(total * square, growth * square)


def _of_freshness(nodes: Nodes, seconds: float) -> _Cost:
    total = growth = 0.0
    for rate, share in nodes:
        x = rate * seconds
        total += share * waiting_for_freshness(rate, seconds)
        growth += share * x * math.exp(-x)
    return _Cost(total, growth * seconds)
