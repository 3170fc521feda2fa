"""The price meets the budget: as pages come and go, when it changes, after a restart."""

import heapq
import math
import random
from typing import NamedTuple

import numpy as np
import pytest

from shoal.freshness.optimum import clearing_price
from shoal.freshness.population import Population
from shoal.freshness.price import OVERPLANNED, Limits, Price, PriceState
from shoal.freshness.rate import Estimate
from shoal.freshness.waiting import Policy
from shoal.model.record import pack, unpack

DAY = 86_400.0
LIMITS = Limits("age", 1.0, 90 * DAY)


def known(rate: float) -> Estimate:
    return Estimate(math.log(rate), 0.0, rate, rate, rate, ((rate, 1.0),))


def drawn_rates(count: int) -> list[float]:
    drawn = random.Random(5)
    return [math.exp(drawn.gauss(-14.8, 1.5)) for _ in range(count)]


class Plan(NamedTuple):
    every: float
    price: float


class Crawl:
    """Pages that are visited when they are due."""

    def __init__(self, price: Price, *, remembers: bool = True) -> None:
        self.price, self.remembers = price, remembers
        self.rates: list[float] = []
        self.plans: dict[int, Plan] = {}
        self.due: list[tuple[float, int]] = []
        self.visits = 0

    def find(self, rates: list[float], at: float) -> None:
        for rate in rates:
            self.rates.append(rate)
            self.visit(len(self.rates) - 1, at)

    def visit(self, page: int, at: float) -> None:
        before = self.plans.get(page)
        every = self.price.plan(
            known(self.rates[page]),
            1.0,
            None if before is None else before.every,
            before.price if before is not None and self.remembers else 0.0,
        )
        self.plans[page] = Plan(every, self.price.state.price)
        heapq.heappush(self.due, (at + every, page))
        self.visits += 1

    def go_on(self, until: float) -> None:
        while self.due[0][0] < until:
            at, page = heapq.heappop(self.due)
            self.visit(page, at)

    @property
    def planned(self) -> float:
        return sum(1 / plan.every for plan in self.plans.values())


def exact(rates: list[float], budget: float, policy: Policy) -> float:
    pages = Population("", np.array(rates), np.ones(len(rates)))
    return clearing_price(pages, OVERPLANNED * budget, policy)


@pytest.mark.parametrize("policy", ["age", "freshness", "uniform", "proportional"])
@pytest.mark.parametrize("remembers", [True, False])
def test_the_price_finds_the_optimum_and_keeps_the_budget(
    policy: Policy, *, remembers: bool
) -> None:
    rates, budget = drawn_rates(300), 300 / DAY
    crawl = Crawl(Price(PriceState(), Limits(policy, 1.0, 1e9), budget), remembers=remembers)
    crawl.find(rates, 0.0)
    crawl.go_on(12 * DAY)
    state = crawl.price.state
    assert state.planned == pytest.approx(crawl.planned)
    assert state.planned == pytest.approx(OVERPLANNED * budget, rel=0.06)
    assert state.price == pytest.approx(exact(rates, budget, policy), rel=0.25)
    visits = crawl.visits
    crawl.go_on(18 * DAY)
    assert crawl.visits - visits == pytest.approx(6 * DAY * budget, rel=0.1)


def test_it_follows_a_budget_and_pages_that_come_and_go() -> None:
    rates, budget = drawn_rates(400), 100 / DAY
    crawl = Crawl(Price(PriceState(), LIMITS, budget))
    for number in range(100):
        crawl.find(rates[4 * number : 4 * number + 4], number * 600.0)
        crawl.go_on(number * 600.0 + 600.0)
    crawl.go_on(20 * DAY)
    assert crawl.planned == pytest.approx(OVERPLANNED * budget, rel=0.06)
    crawl.price.budget_per_second = 4 * budget
    crawl.go_on(30 * DAY)
    assert crawl.planned == pytest.approx(4 * OVERPLANNED * budget, rel=0.06)
    gone = set(range(0, 400, 2))
    for page in gone:
        crawl.price.forget(*crawl.plans.pop(page))
    crawl.due = [each for each in crawl.due if each[1] not in gone]
    heapq.heapify(crawl.due)
    crawl.go_on(40 * DAY)
    assert crawl.price.state.pages == 200
    assert crawl.planned == pytest.approx(4 * OVERPLANNED * budget, rel=0.06)


def test_few_pages_are_visited_as_often_as_may_be_and_many_find_the_price_at_once() -> None:
    price = Price(PriceState(), Limits("age", 300.0, 90 * DAY), 1.0)
    crawl = Crawl(price)
    crawl.find(drawn_rates(20), 0.0)
    crawl.go_on(DAY / 8)
    assert {plan.every for plan in crawl.plans.values()} == {300.0}
    crawl.find(drawn_rates(1500), DAY / 8)
    last = [crawl.plans[page].every for page in range(1000, 1520)]
    assert 300 < sum(last) / len(last) < 10_000


def test_the_first_page_and_the_last() -> None:
    price = Price(PriceState(), LIMITS, 1 / DAY)
    assert price.plan(known(1e-6), 1.0) == pytest.approx(DAY, rel=0.05)
    price.forget(DAY, price.state.price)
    assert (price.state.pages, price.state.planned, price.state.appetite) == (0, 0.0, 0.0)
    price.forget(DAY)
    assert price.state.pages == 0
    assert 0 < price.plan(known(1e-6), 0.0) < math.inf


def test_a_restart_goes_on_where_it_was() -> None:
    price = Price(PriceState(), LIMITS, 50 / DAY)
    for rate in drawn_rates(50):
        price.plan(known(rate), 1.0)
    again = Price(unpack(PriceState, pack(price.state)), LIMITS, 50 / DAY)
    assert again.plan(known(1e-6), 2.0, DAY, 1e9) == price.plan(known(1e-6), 2.0, DAY, 1e9)


def test_another_policy_goes_on_with_what_is_planned() -> None:
    rates, budget = drawn_rates(200), 200 / DAY
    crawl = Crawl(Price(PriceState(), LIMITS, budget))
    crawl.find(rates, 0.0)
    crawl.go_on(5 * DAY)
    crawl.price = Price(crawl.price.state, Limits("freshness", 1.0, 1e9), budget)
    crawl.go_on(25 * DAY)
    assert crawl.price.state.planned == pytest.approx(crawl.planned)
    assert crawl.planned == pytest.approx(OVERPLANNED * budget, rel=0.15)


def test_no_page_waits_for_ever() -> None:
    price = Price(PriceState(), LIMITS, 10 / DAY)
    for rate in drawn_rates(100):
        price.plan(known(rate), 1.0)
    assert price.plan(known(1e-30), 1e-9) == 120 * 1.01 * DAY
    price.budget_per_second = 100 / DAY
    assert price.plan(known(1e-30), 1e-9) == 90 * DAY


def test_without_a_budget_all_wait_long() -> None:
    price = Price(PriceState(), LIMITS, 0.0)
    price.spend(0, DAY)
    assert all(90 * DAY <= price.plan(known(rate), 1.0) < math.inf for rate in drawn_rates(9))


def test_what_was_not_spent_is_offered_at_a_lower_price() -> None:
    price = Price(PriceState(), LIMITS, 100 / DAY)
    for rate in drawn_rates(100):
        price.plan(known(rate), 1.0)
    before = price.plan(known(1e-6), 1.0)
    price.spend(0, DAY / 2)
    sooner = price.plan(known(1e-6), 1.0, before, price.state.price)
    assert sooner < 0.9 * before
    for _ in range(100):
        price.spend(10, DAY / 10)
    assert price.state.unspent < 0.01
    assert price.plan(known(1e-6), 1.0, sooner, price.state.price) == pytest.approx(before, rel=0.1)
    price.spend(0, 1e12)
    assert price.state.unspent <= price.state.pages
