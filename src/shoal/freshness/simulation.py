"""How would a policy do? A year of a hundred thousand pages in a minute.

The rule is the crawl's own: the posterior of a page's rate (rate.py), a prior that is learned from
all of them (priors.py), the cost of waiting (waiting.py) and the price (price.py), for arrays. Time
goes in steps of a twentieth of the mean interval: all pages that come due in one are visited at
their own time, at one price. Visits beyond the budget wait. Changes are drawn, which is what there
is to learn from; age and freshness are not drawn but expected, given the true rates, from visit to
visit: the same mean with less noise.

It begins in the steady state of what is known at the start. So known rates need no warm-up, and a
run that learns begins as uniform as its prior is.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from shoal.freshness.learner import Learner, Rows, Seen
from shoal.freshness.optimum import age_so_far, freshness_so_far, intervals
from shoal.freshness.population import DAY_SECONDS, WEEK_SECONDS, Floats, Population
from shoal.freshness.price import HEALED, MOST_TIMES_BOOKED, MOST_TIMES_MEAN, OVERPLANNED, POWERS
from shoal.freshness.waiting import Policy

SHORTEST_SECONDS = 300.0
LONGEST_SECONDS = 90 * DAY_SECONDS
YEAR_SECONDS = 365.25 * DAY_SECONDS
_STEPS_PER_INTERVAL = 20
_BURST_STEPS = 2
_LEAST_BURST = 8.0
"""So much of the budget may be saved up, in steps and in visits: of few pages a step is less than
one visit, and several that come due together would find less saved than they need."""
_POINTS_PER_YEAR = 60


class Run(NamedTuple):
    policy: Policy
    learns: bool
    """Whether rates are known from the start or learned from visits."""
    visits_per_week: float
    """Per page: the budget."""
    years: float = 1.0
    seed: int = 1


class Point(NamedTuple):
    """What was measured from the point before to this one, weighted by importance."""

    day: float
    age_seconds: float
    freshness: float


class Course(NamedTuple):
    """How a run went."""

    run: Run
    visits_per_week: float
    """What was spent, per page."""
    points: list[Point]

    def mean(self, from_day: float = 0.0) -> Point:
        """Over the time from a day on, to the end."""
        total = age = fresh = 0.0
        day = 0.0
        for point in self.points:
            length, day = point.day - day, point.day
            if day > from_day:
                total += length
                age += length * point.age_seconds
                fresh += length * point.freshness
        return Point(day, age / total, fresh / total)


class Rule(Protocol):
    """Says how long pages wait at a price."""

    def opening(self, price: float) -> Floats: ...

    def plan(self, rows: Rows, seen: Seen, price: float) -> Floats: ...


class Known:
    """The rates are known, and nothing is learned from what is seen."""

    def __init__(self, pages: Population, policy: Policy) -> None:
        self._pages, self._policy = pages, policy

    def opening(self, price: float) -> Floats:
        return intervals(self._pages.rates, self._pages.weights, price, self._policy)

    def plan(self, rows: Rows, seen: Seen, price: float) -> Floats:
        pages = self._pages
        return intervals(pages.rates[rows], pages.weights[rows], price, self._policy)


class Ledger:
    """price.Price for arrays: what all plans ask for, and the price that follows."""

    def __init__(self, pages: int, budget_per_second: float, policy: Policy) -> None:
        self._pages, self._budget, self._power = pages, budget_per_second, POWERS[policy]
        self.planned = self.appetite = self.unspent = 0.0

    def price(self) -> float:
        budget = self._budget * (OVERPLANNED + self.unspent / self._pages)
        return float((self.appetite / budget) ** (1 / self._power))

    def spend(self, visits: float, seconds: float) -> None:
        allowance = self._budget * seconds
        fading = min(allowance / self._pages, 1.0) * self.unspent
        unspent = self.unspent + allowance - visits - fading
        self.unspent = min(max(unspent, 0.0), float(self._pages))

    def add(self, every: Floats, price: float) -> None:
        visits = float((1 / every).sum())
        self.planned += visits
        self.appetite += visits * price**self._power

    def take_back(self, every: Floats, prices: Floats) -> None:
        mean = self.appetite / self.planned
        booked = np.minimum(prices**self._power, MOST_TIMES_BOOKED * mean)
        booked += HEALED * (mean - booked)
        self.planned -= float((1 / every).sum())
        self.appetite -= float((booked / every).sum())


def simulate(
    pages: Population, run: Run, progress: Callable[[float], None] | None = None
) -> Course:
    """Let the time of a run go by; `tell` is told the share of it that is done."""
    crawl = _Crawl(pages, run)
    end = run.years * YEAR_SECONDS
    step = WEEK_SECONDS / run.visits_per_week / _STEPS_PER_INTERVAL
    steps = max(1, round(end / step))
    points_at = {round(n * steps / _POINTS_PER_YEAR) for n in range(1, _POINTS_PER_YEAR + 1)}
    for number in range(1, steps + 1):
        crawl.go_on(end * (number - 1) / steps, end * number / steps)
        if number in points_at:
            crawl.measure(end * number / steps)
            if progress is not None:
                progress(number / steps)
    spent = crawl.visits / len(pages.rates) / (end / WEEK_SECONDS)
    return Course(run, spent, crawl.points)


class _Crawl:
    """All pages: when each was visited last, when it is due, by which plan."""

    def __init__(self, pages: Population, run: Run) -> None:
        count = len(pages.rates)
        mean_seconds = WEEK_SECONDS / run.visits_per_week
        self._pages, self._generator = pages, np.random.default_rng([run.seed, 7])
        self._budget = count / mean_seconds
        self._limits = SHORTEST_SECONDS, max(LONGEST_SECONDS, MOST_TIMES_MEAN * mean_seconds)
        self._rule: Rule = (
            Learner(pages.weights, run.policy, self._limits)
            if run.learns
            else Known(pages, run.policy)
        )
        self._ledger = Ledger(count, self._budget, run.policy)
        self._share = pages.weights / pages.weights.sum()
        price = self._opening_price()
        self._every = np.clip(self._rule.opening(price), *self._limits)
        self._prices = np.full(count, price)
        self._ledger.add(self._every, price)
        self._last = -self._generator.random(count) * self._every
        self._due = self._last + self._every
        self._saved = 0.0
        self.visits = 0
        self.points: list[Point] = []
        self._done = np.zeros(2)
        self._measured = self._total(0.0)
        self._measured_at = 0.0

    def _opening_price(self) -> float:
        """At which what is known at the start asks for the budget."""
        low, high = 1e-10, 1e40
        while high > low * (1 + 1e-6):
            price = float(np.sqrt(low) * np.sqrt(high))
            every = np.clip(self._rule.opening(price), *self._limits)
            if float((1 / every).sum()) > self._budget:
                low = price
            else:
                high = price
        return high

    def go_on(self, now: float, until: float) -> None:
        allowance, before = self._budget * (until - now), self.visits
        most_saved = max(_BURST_STEPS * allowance, _LEAST_BURST)
        self._saved = min(self._saved + allowance, most_saved)
        while self._saved >= 1:
            rows = np.flatnonzero(self._due < until)
            if not len(rows):
                break
            most = int(self._saved)
            if len(rows) > most:  # those that wait longest go first
                rows = rows[np.argpartition(self._due[rows], most - 1)[:most]]
            self._visit(rows, np.maximum(self._due[rows], now))
            self._saved -= len(rows)
        self._ledger.spend(self.visits - before, until - now)

    def _visit(self, rows: Rows, at: Floats) -> None:
        pages, elapsed = self._pages, at - self._last[rows]
        rates = pages.rates[rows]
        self._done += self._sums(rows, elapsed)
        changed = self._generator.random(len(rows)) < -np.expm1(-rates * elapsed)
        price = self._ledger.price()
        self._ledger.take_back(self._every[rows], self._prices[rows])
        every = np.clip(self._rule.plan(rows, Seen(elapsed, changed), price), *self._limits)
        self._ledger.add(every, price)
        self._every[rows], self._prices[rows] = every, price
        self._last[rows], self._due[rows] = at, at + every
        self.visits += len(rows)

    def measure(self, now: float) -> None:
        total, length = self._total(now), now - self._measured_at
        age, fresh = (total - self._measured) / length
        self.points.append(Point(now / DAY_SECONDS, float(age), float(fresh)))
        self._measured, self._measured_at = total, now

    def _total(self, now: float) -> Floats:
        """Age and freshness summed over time until now, from before the start."""
        everything = np.arange(len(self._last))
        return self._done + self._sums(everything, now - self._last)

    def _sums(self, rows: Rows, seconds: Floats) -> Floats:
        rates, share = self._pages.rates[rows], self._share[rows]
        age, fresh = age_so_far(rates, seconds), freshness_so_far(rates, seconds)
        return np.array([float((share * age).sum()), float((share * fresh).sum())])
