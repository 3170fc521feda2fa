"""A simulated year: near the optimum, within the budget, and as a crawl would do it."""

import heapq
import random

import numpy as np
import pytest

from shoal.freshness.optimum import age_so_far, optimum
from shoal.freshness.population import WEEK_SECONDS, Population, population
from shoal.freshness.price import Limits, Price, PriceState
from shoal.freshness.priors import Priors
from shoal.freshness.rate import estimate, observe
from shoal.freshness.simulation import (
    LONGEST_SECONDS,
    SHORTEST_SECONDS,
    YEAR_SECONDS,
    Course,
    Point,
    Run,
    simulate,
)
from shoal.freshness.waiting import Policy
from shoal.model.change_history import ChangeHistory

PAGES = 250


@pytest.mark.parametrize("weighted", [False, True])
def test_known_rates_are_as_good_as_the_optimum_and_learned_ones_nearly(*, weighted: bool) -> None:
    pages = population("lognormal", PAGES, 1, weighted=weighted)
    budget = 0.5 * PAGES / WEEK_SECONDS
    best, even = (optimum(pages, budget, policy).age_seconds for policy in ("age", "uniform"))
    known, learned, uniform = (
        simulate(pages, run)
        for run in (Run("age", False, 0.5), Run("age", True, 0.5), Run("uniform", False, 0.5))
    )
    assert known.mean().age_seconds == pytest.approx(best, rel=0.03)
    assert uniform.mean().age_seconds == pytest.approx(even, rel=0.01)
    assert best < learned.mean().age_seconds < 1.10 * best
    assert learned.mean(182).age_seconds < learned.mean().age_seconds
    for course in (known, learned, uniform):
        assert 0.495 < course.visits_per_week <= 0.5001


def test_freshness_has_its_own_optimum() -> None:
    pages = population("daily", PAGES, 1, weighted=False)
    best = optimum(pages, PAGES / WEEK_SECONDS, "freshness").freshness
    assert simulate(pages, Run("freshness", False, 1.0)).mean().freshness == pytest.approx(
        best, rel=0.01
    )


@pytest.mark.parametrize("policy", ["proportional", "freshness"])
def test_others_keep_the_budget_too(policy: Policy) -> None:
    pages = population("lognormal", 100, 1, weighted=False)
    course = simulate(pages, Run(policy, True, 0.5, years=0.5))
    assert 0.4 < course.visits_per_week <= 0.5001
    assert 0 < course.mean().freshness < 1


@pytest.mark.parametrize("count", [1, 3, 9, 20])
@pytest.mark.parametrize("learns", [False, True])
def test_few_pages_get_their_budget_too(count: int, *, learns: bool) -> None:
    """Of which a step is less than one visit."""
    pages = population("lognormal", count, 1, weighted=False)
    best = optimum(pages, 7 * count / WEEK_SECONDS, "age").age_seconds
    course = simulate(pages, Run("age", learns, 7.0, years=0.2))
    assert 0.98 * 7 < course.visits_per_week <= 7.0001
    # one visit at a time: where there are two pages each waits for the other
    assert 0.9 * best < course.mean().age_seconds < (1.5 if learns else 1.3) * best


def test_the_same_seed_gives_the_same() -> None:
    pages = population("daily", 50, 1, weighted=False)
    told: list[float] = []
    run = Run("age", True, 0.5, years=0.3)
    first = simulate(pages, run, told.append)
    assert first.points == simulate(pages, run).points
    assert first.points != simulate(pages, run._replace(seed=2)).points
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_means_are_over_time() -> None:
    course = Course(
        Run("age", False, 1.0),
        1.0,
        [Point(1.0, 10.0, 1.0), Point(2.0, 20.0, 0.5), Point(4.0, 40.0, 0)],
    )
    assert course.mean() == Point(4.0, (10 + 20 + 80) / 4, 1.5 / 4)
    assert course.mean(2.0) == Point(4.0, 40.0, 0.0)


def test_page_by_page_it_is_the_same() -> None:
    """With the estimator, the priors and the price of the crawl, one visit after the other."""
    pages = population("lognormal", 150, 3, weighted=False)
    many = simulate(pages, Run("age", True, 1.0, years=0.3))
    one = one_by_one(pages, 1.0, 0.3)
    assert one == pytest.approx(many.mean().age_seconds, rel=0.06)


def one_by_one(pages: Population, visits_per_week: float, years: float) -> float:
    """The mean age."""
    count, end = len(pages.rates), years * YEAR_SECONDS
    drawn, budget = random.Random(1), count * visits_per_week / WEEK_SECONDS
    price = Price(PriceState(), Limits("age", SHORTEST_SECONDS, LONGEST_SECONDS), budget)
    priors, lives = Priors.in_memory(), [ChangeHistory() for _ in range(count)]
    for _ in range(3):
        for history in lives:
            plan(history, price, priors)
    last = [-drawn.random() * history.interval_seconds for history in lives]
    due = [(last[page] + lives[page].interval_seconds, page) for page in range(count)]
    heapq.heapify(due)
    total = -summed(pages, [-at for at in last])
    free_at = 0.0
    while max(due[0][0], free_at) < end:
        at, page = heapq.heappop(due)
        at = max(at, free_at)
        free_at = max(free_at, at - 0.1 / budget * count) + 1 / budget  # a bucket
        elapsed, history = at - last[page], lives[page]
        price.spend(1, 1 / budget)
        total += float(age_so_far(pages.rates[page : page + 1], np.array([elapsed]))[0])
        observe(history, elapsed, changed=drawn.random() < -np.expm1(-pages.rates[page] * elapsed))
        last[page] = at
        plan(history, price, priors)
        heapq.heappush(due, (at + history.interval_seconds, page))
    total += summed(pages, [end - at for at in last])
    return total / count / end


def plan(history: ChangeHistory, price: Price, priors: Priors) -> None:
    found = estimate(history, priors.prior_for(["all"]))
    if history.observed:
        before = (history.log_rate, history.log_rate_sd) if history.observed > 1 else None
        priors.learn(["all"], before, (found.mean, found.sd))
    history.log_rate, history.log_rate_sd = found.mean, found.sd
    history.interval_seconds = price.plan(
        found, 1.0, history.interval_seconds or None, history.price
    )
    history.price = price.state.price


def summed(pages: Population, seconds: list[float]) -> float:
    return float(age_so_far(pages.rates, np.array(seconds)).sum())
