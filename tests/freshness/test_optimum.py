"""The exact optimum: it spends the budget, nothing is better, and one page's rule agrees."""

import math

import numpy as np
import pytest

from shoal.freshness import measures, waiting
from shoal.freshness.optimum import clearing_price, intervals, mean_age, mean_freshness, optimum
from shoal.freshness.population import (
    DAY_SECONDS,
    WEEK_SECONDS,
    Floats,
    Population,
    population,
    recorded,
)
from shoal.freshness.waiting import Policy

POLICIES: tuple[Policy, ...] = ("age", "freshness", "uniform", "proportional")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_budget_is_spent(policy: Policy, *, weighted: bool) -> None:
    pages = population("daily", 500, 1, weighted=weighted)
    for visits in (0.01, 1.0, 100.0):
        budget = visits * 500 / WEEK_SECONDS
        found = optimum(pages, budget, policy)
        assert (1 / found.intervals).sum() == pytest.approx(budget, rel=1e-8)
        assert 0 <= found.freshness <= 1


@pytest.mark.parametrize("policy", ["age", "freshness"])
def test_no_other_way_to_spend_it_is_better(policy: Policy) -> None:
    pages = population("lognormal", 60, 2, weighted=True)
    found = optimum(pages, 60 / WEEK_SECONDS, policy)
    visits = 1 / found.intervals
    generator = np.random.default_rng(1)

    def costs(each: Floats) -> float:
        with np.errstate(divide="ignore"):
            every = 1 / each
        if policy == "age":
            return float((pages.weights * mean_age(pages.rates, every)).sum())
        return -float((pages.weights * mean_freshness(pages.rates, every)).sum())

    for _ in range(200):
        moved = visits * np.exp(0.1 * generator.standard_normal(60))
        assert costs(moved * visits.sum() / moved.sum()) >= costs(visits)


def test_two_pages_by_hand() -> None:
    rates = np.array([1 / DAY_SECONDS, 1 / (30 * DAY_SECONDS)])
    pages, budget = Population("", rates, np.ones(2)), 2 / WEEK_SECONDS
    shares = np.linspace(0.001, 0.999, 9999)
    ages = sum(
        mean_age(np.full(9999, rate), 1 / (share * budget))
        for rate, share in zip(rates, (shares, 1 - shares), strict=True)
    )
    best = shares[np.argmin(ages)]
    found = optimum(pages, budget, "age")
    assert 1 / found.intervals[0] / budget == pytest.approx(best, abs=2e-4)
    assert found.age_seconds == pytest.approx(np.min(ages) / 2, rel=1e-6)


@pytest.mark.parametrize("policy", POLICIES)
def test_one_page_and_many_wait_alike(policy: Policy) -> None:
    pages = population("lognormal", 40, 3, weighted=True)
    price = clearing_price(pages, 40 / WEEK_SECONDS, policy)
    for rate, weight, every in zip(
        pages.rates,
        pages.weights,
        intervals(pages.rates, pages.weights, price, policy),
        strict=True,
    ):
        alone = waiting.interval(((rate, 1.0),), weight, price, policy, 1e-3, 1e15)
        assert alone == pytest.approx(min(every, 1e15), rel=1e-5)


def test_the_measures_are_those_of_one_page() -> None:
    for rate in (1e-12, 1e-8, 1e-6, 1e-4):
        for every in (1.0, 1e4, 1e6, 1e8):
            ages, fresh = (
                of(np.array([rate]), np.array([every])) for of in (mean_age, mean_freshness)
            )
            assert ages[0] == pytest.approx(measures.mean_age(rate, every), rel=1e-6)
            assert fresh[0] == pytest.approx(measures.mean_freshness(rate, every), rel=1e-6)
    never = np.array([math.inf])
    assert mean_age(np.ones(1), never)[0] == math.inf
    assert mean_freshness(np.ones(1), never)[0] == 0


def test_populations_are_as_described() -> None:
    plain = population("lognormal", 10_000, 1, weighted=True)
    logs = np.log(plain.rates * 30 * DAY_SECONDS)
    assert np.median(plain.rates) * 30 * DAY_SECONDS == pytest.approx(1, rel=1e-3)
    assert logs.std() == pytest.approx(1.5, rel=1e-3)
    assert plain.weights.mean() == pytest.approx(1)
    assert plain.weights.max() > 500
    assert abs(np.corrcoef(logs, np.log(plain.weights))[0, 1]) < 0.05
    daily = population("daily", 10_000, 1, weighted=False)
    assert (daily.rates == 1 / DAY_SECONDS).mean() == pytest.approx(0.23)
    other = population("lognormal", 10_000, 2, weighted=False)
    assert not np.array_equal(plain.rates, other.rates)
    assert np.array_equal(np.sort(plain.rates), np.sort(other.rates))


def test_recorded_pages_are_drawn_from_what_is_known() -> None:
    known = [(-14.0, 0.5, 1.0), (-12.0, 0.01, 3.0)] * 500
    found = recorded(known, 5000, 1, weighted=True)
    assert len(found.rates) == 1000
    assert np.log(found.rates[1::2]).mean() == pytest.approx(-12, abs=0.01)
    assert np.log(found.rates[::2]).std() == pytest.approx(0.5, rel=0.2)
    assert set(found.weights) == {0.5, 1.5}
    assert len(recorded(known, 10, 1, weighted=False).rates) == 10
