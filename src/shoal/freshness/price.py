"""What may a visit cost, so that all visits together meet the budget?

A page is due when the cost of waiting passes the price (waiting.py). What all pages would ask for
at the price of now is needed for that, without asking them all. Demand falls with the price by a
power that hardly varies (1/3 to 1/2 for age), so each plan is booked as its `appetite`, visits per
second · price^power: what it was, whatever the price has become. Their sum gives the price at
which they would spend the budget: (appetite / budget)^(1/power). Where all plans are made at one
price this is exact for any power; the power only says how fast it gets there. Every plan corrects
the sum, in constant time. It follows pages that come and go and a budget that changes, and there
is no gain to tune and nothing that could swing.
"""

from typing import NamedTuple

from shoal.freshness.rate import Estimate
from shoal.freshness.waiting import Policy, interval, price_of
from shoal.model.record import Struct

POWERS: dict[Policy, float] = {
    "age": 0.42,
    "freshness": 0.6,
    "uniform": 0.5,
    "proportional": 0.5,
}
MOST_TIMES_MEAN = 12.0
"""No page waits longer than `longest`, or than so many times the mean interval if that is more:
at a small budget a fixed limit would make all pages alike."""
OVERPLANNED = 1.03
"""So many times the budget is planned, so that none of it is left over: the frontier holds back
what is too much, and pages are visited a little later than planned."""
MOST_TIMES_BOOKED = 100.0
"""A plan is not taken back for more than so many times the mean: its price had another unit."""
_LEAST_BUDGET = 1e-9
_ROUNDS = 3
"""How often pages are planned again, in the mean, until nearly all have been."""
HEALED = 0.02
"""By this share a plan is taken back at the mean: what was booked wrongly is forgotten in time."""


class Limits(NamedTuple):
    policy: Policy
    shortest_seconds: float
    longest_seconds: float


class PriceState(Struct, array_like=True):
    """What is stored. Empty at first, or when the policy is another than before."""

    policy: str = ""
    price: float = 0.0
    """At which the last page was planned: to be kept with its plan."""
    pages: int = 0
    planned: float = 0.0
    """Visits per second, of all plans: the sum of 1 / interval."""
    appetite: float = 0.0
    lowest: float = 0.0
    """Below this price nothing changes: all pages are visited as often as may be."""
    unspent: float = 0.0
    """Visits that the budget had room for of late, and that were not made."""
    foreign: int = 0
    """Plans to go until those of another policy are forgotten, whose price says nothing."""


class Price:
    """Plans pages one by one, and keeps their sum within `budget_per_second`, which may be set at
    any time."""

    def __init__(self, state: PriceState, limits: Limits, budget_per_second: float) -> None:
        self.state = state
        if state.policy != limits.policy:  # prices of another unit: what was planned stays planned
            state.policy, state.price, state.appetite, state.lowest = limits.policy, 0.0, 0.0, 0.0
            state.foreign = _ROUNDS * state.pages
        self.limits = limits
        self.budget_per_second = budget_per_second
        self._power = POWERS[limits.policy]

    def plan(
        self,
        estimate: Estimate,
        weight: float,
        before_interval: float | None = None,
        before_price: float = 0.0,
    ) -> float:
        """The seconds until the next visit of a page. `before` is what it was planned by so far, if
        it was: without the price of then (0) the mean of all plans is taken for it. The price of
        this plan is `state.price`."""
        state = self.state
        is_new = before_interval is None
        state.price = self._price(estimate, weight, state.pages + is_new)
        if before_interval is not None:
            self.forget(before_interval, before_price)
        state.pages += 1
        seconds = interval(
            estimate.nodes,
            weight,
            state.price,
            self.limits.policy,
            self.limits.shortest_seconds,
            self.longest_seconds(),
        )
        state.planned += 1 / seconds
        state.appetite += float(state.price**self._power) / seconds
        return seconds

    def forget(self, before_interval: float, before_price: float = 0.0) -> None:
        """Take a plan back: the page is planned again, or it is gone."""
        state = self.state
        if state.pages <= 1 or not before_interval > 0 or not state.planned > 0:
            state.pages = max(state.pages - 1, 0)
            if not state.pages:
                state.planned = state.appetite = 0.0
            return
        mean = state.appetite / state.planned
        is_known = before_price > 0 and not state.foreign
        state.foreign = max(state.foreign - 1, 0)
        booked = float(before_price**self._power) if is_known else mean
        booked = min(booked, MOST_TIMES_BOOKED * mean)
        booked += HEALED * (mean - booked)
        visits = min(1 / before_interval, state.planned)
        state.pages -= 1
        state.planned -= visits
        state.appetite = max(state.appetite - visits * booked, 0.0)

    def longest_seconds(self) -> float:
        mean_seconds = max(self.state.pages, 1) / max(self.budget_per_second, _LEAST_BUDGET)
        return max(self.limits.longest_seconds, MOST_TIMES_MEAN * mean_seconds)

    def spend(self, visits: float, seconds: float) -> None:
        """What was really done in the last seconds of crawling. What was left of the budget is
        offered at a lower price, for about as long as the mean page waits: nothing was due yet, or
        politeness held visits back that others may have."""
        state = self.state
        pages = max(state.pages, 1)
        allowance = self.budget_per_second * seconds
        fading = min(allowance / pages, 1.0) * state.unspent
        state.unspent = min(max(state.unspent + allowance - visits - fading, 0.0), float(pages))

    def _price(self, estimate: Estimate, weight: float, pages: int) -> float:
        """The price of now, when so many pages share the budget."""
        state, policy = self.state, self.limits.policy
        pages = max(pages, 1)
        share = OVERPLANNED + state.unspent / pages
        budget = max(self.budget_per_second, _LEAST_BUDGET) * share
        corner = price_of(estimate.nodes, weight, self.limits.shortest_seconds, policy)
        if corner > 0:  # the lowest of all is forgotten slowly: that page may be gone
            lowest = state.lowest * (1 + 1 / pages)
            state.lowest = min(lowest, corner) if lowest > 0 else corner
        if not state.appetite > 0:  # the first page: what each would have if all were like it
            price = price_of(estimate.nodes, weight, pages / budget, policy)
            state.appetite = state.planned * float(price**self._power)
            return max(price, state.lowest)
        appetite = state.appetite * pages / max(state.pages, 1)
        return max(float((appetite / budget) ** (1 / self._power)), state.lowest)
