"""The cost of waiting: right for every rate and time, and its root where the cost is least."""

import math
import random
from itertools import pairwise

import pytest

from shoal.freshness.measures import mean_age, mean_freshness
from shoal.freshness.rate import DEFAULT_PRIOR, estimate, observe
from shoal.freshness.waiting import (
    Nodes,
    Policy,
    interval,
    price_of,
    value,
    waiting_for_freshness,
)
from shoal.model.change_history import ChangeHistory

DAY = 86_400.0
POLICIES: tuple[Policy, ...] = ("age", "freshness", "uniform", "proportional")
RATES = (0.0, 1e-40, 1e-12, 1e-7, 0.0199999, 0.02, 0.0200001, 1.0, 50.0, 1e9)
WIDE = 1e-6, 1e18


def waiting_for_age(rate: float, seconds: float) -> float:
    return value(((rate, 1.0),), seconds, "age")


def integral(rate: float, seconds: float, *, of_age: bool) -> float:
    """V by its derivative, t·A′(t), with Simpson's rule."""
    pieces = 4000
    step = seconds / pieces
    total = 0.0
    for number in range(pieces + 1):
        at = number * step
        slope = at * -math.expm1(-rate * at) if of_age else at * rate * math.exp(-rate * at)
        total += slope * (1 if number in (0, pieces) else 4 if number % 2 else 2)
    return total * step / 3


@pytest.mark.parametrize("rate", RATES[:-2])
def test_the_cost_is_the_integral_of_its_slope(rate: float) -> None:
    assert waiting_for_age(rate, 1.0) == pytest.approx(integral(rate, 1.0, of_age=True), rel=1e-8)
    fresh = integral(rate, 1.0, of_age=False)
    assert waiting_for_freshness(rate, 1.0) == pytest.approx(fresh, rel=1e-8)


@pytest.mark.parametrize("seconds", [1e-3, 1.0, 1e7, 1e12])
def test_the_cost_grows_with_the_time_and_age_with_the_rate(seconds: float) -> None:
    for rate in RATES:
        ages = [waiting_for_age(rate, seconds * factor) for factor in (0.5, 1.0, 2.0)]
        freshes = [waiting_for_freshness(rate, seconds * factor) for factor in (0.5, 1.0, 2.0)]
        for costs in (ages, freshes):
            assert all(0 <= one <= other < math.inf for one, other in pairwise(costs))
    by_rate = [waiting_for_age(rate, seconds) for rate in RATES]
    assert by_rate == sorted(by_rate)
    assert by_rate[-1] <= seconds * seconds / 2


def seen(visits: int, changes: int, every: float) -> Nodes:
    history = ChangeHistory()
    for number in range(visits):
        observe(history, every, changed=number < changes)
    return estimate(history, DEFAULT_PRIOR).nodes


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("nodes", [((1e-6, 1.0),), seen(0, 0, DAY), seen(9, 3, DAY)])
def test_the_interval_is_where_waiting_costs_the_price(policy: Policy, nodes: Nodes) -> None:
    for days in (0.001, 0.1, 1.0, 20.0):
        price = price_of(nodes, 3.0, days * DAY, policy)
        assert interval(nodes, 3.0, price, policy, *WIDE) == pytest.approx(days * DAY, rel=1e-5)


def test_no_other_interval_costs_less() -> None:
    drawn = random.Random(3)
    for _ in range(50):
        rate, weight = math.exp(drawn.gauss(-14, 2)), math.exp(drawn.gauss(0, 2))
        for policy in ("age", "freshness"):
            days = drawn.uniform(0.1, 30)
            price = price_of(((rate, 1.0),), weight, days * DAY, policy)

            def costs(
                every: float,
                rate: float = rate,
                weight: float = weight,
                policy: str = policy,
                price: float = price,
            ) -> float:
                stale = (
                    mean_age(rate, every) if policy == "age" else 1 - mean_freshness(rate, every)
                )
                return price / every + weight * stale

            best = interval(((rate, 1.0),), weight, price, policy, *WIDE)
            assert costs(best) <= min(costs(best * 1.05), costs(best / 1.05)) * (1 + 1e-12)


def test_every_page_is_visited_for_age_and_some_are_given_up_for_freshness() -> None:
    always, often, never = ((10.0, 1.0),), ((1 / DAY, 1.0),), ((0.0, 1.0),)
    price = price_of(often, 1.0, 3 * DAY, "age")
    assert interval(always, 1.0, price, "age", 300, 1e9) == pytest.approx(math.sqrt(2 * price))
    assert interval(never, 1.0, price, "age", 300, 1e9) == 1e9
    price = price_of(often, 1.0, 3 * DAY, "freshness")
    assert interval(always, 1.0, price, "freshness", 300, 1e9) == 1e9
    assert interval(never, 1.0, price, "freshness", 300, 1e9) == 1e9


@pytest.mark.parametrize("policy", POLICIES)
def test_limits_hold_whatever_comes(policy: Policy) -> None:
    for rate in RATES:
        for price in (0.0, 1e-300, 1.0, 1e30, math.inf):
            for weight in (0.0, 1e-12, 1.0, 1e12):
                assert 300 <= interval(((rate, 1.0),), weight, price, policy, 300, 1e7) <= 1e7


def test_weight_and_doubt_count() -> None:
    plain = seen(5, 2, 7 * DAY)
    price = price_of(plain, 1.0, 7 * DAY, "age")
    assert interval(plain, 9.0, price, "age", *WIDE) < 7 * DAY / 2
    assert interval(plain, 9.0, price_of(plain, 1.0, 7 * DAY, "uniform"), "uniform", *WIDE) == (
        pytest.approx(7 * DAY)
    )
    mixed = ((1e-8, 0.5), (1e-5, 0.5))
    assert value(mixed, DAY, "age") == pytest.approx(
        (waiting_for_age(1e-8, DAY) + waiting_for_age(1e-5, DAY)) / 2
    )


def test_proportional_goes_by_the_rate() -> None:
    slow, fast = (
        interval(((rate, 1.0),), 1.0, 1e10, "proportional", *WIDE) for rate in (1e-7, 1e-6)
    )
    assert slow == pytest.approx(10 * fast)
