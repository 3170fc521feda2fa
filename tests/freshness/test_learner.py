"""Many pages at once learn as one page does: the same estimates, priors and intervals."""

from collections.abc import Sequence

import numpy as np
import pytest

from shoal.freshness.learner import Learner, Seen
from shoal.freshness.price import Limits, Price, PriceState
from shoal.freshness.priors import Priors
from shoal.freshness.rate import Estimate, estimate, observe
from shoal.freshness.simulation import Ledger
from shoal.freshness.waiting import Policy, interval
from shoal.model.change_history import ChangeHistory

DAY = 86_400.0
LIMITS = 300.0, 400 * DAY
PAGES = 25


class Both:
    """The same visits, seen by the crawl's own parts and by the ones for arrays."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.weights = np.linspace(0.2, 3.0, PAGES)
        self.learner = Learner(self.weights, policy, LIMITS)
        self.priors = Priors.in_memory()
        self.lives = [ChangeHistory() for _ in range(PAGES)]
        self.said: list[Estimate | None] = [None] * PAGES
        self.generator = np.random.default_rng(4)
        self.rates = np.exp(self.generator.normal(-14.8, 1.5, PAGES))

    def visit(self, page: int, price: float) -> tuple[float, float]:
        """The interval that the one says, and that the other says."""
        elapsed = float(self.generator.uniform(0.2, 20) * DAY)
        changed = bool(self.generator.random() < -np.expm1(-self.rates[page] * elapsed))
        observe(self.lives[page], elapsed, changed=changed)
        found = estimate(self.lives[page], self.priors.prior_for(["all"]))
        before = self.said[page]
        self.priors.learn(["all"], before and (before.mean, before.sd), (found.mean, found.sd))
        self.said[page] = found
        one = interval(found.nodes, self.weights[page], price, self.policy, *LIMITS)
        seen = Seen(np.array([elapsed]), np.array([changed]))
        many = self.learner.plan(np.array([page]), seen, price)
        return one, float(np.clip(many[0], *LIMITS))


@pytest.mark.parametrize(
    ("policy", "prices"),
    [
        ("age", (1e8, 1e10, 1e12)),
        ("freshness", (1e3, 1e5)),
        ("uniform", (1e10,)),
        ("proportional", (1e10,)),
    ],
)
def test_every_visit_is_answered_alike(policy: Policy, prices: Sequence[float]) -> None:
    both = Both(policy)
    for turn in range(12):
        for page in range(PAGES):
            one, many = both.visit(page, prices[turn % len(prices)])
            assert many == pytest.approx(one, rel=0.03), (turn, page)
    means, deviations = both.learner.estimate(np.arange(PAGES))
    prior = both.priors.prior_for(["all"])
    for page, history in enumerate(both.lives):
        found = estimate(history, prior)
        assert means[page] == pytest.approx(found.mean, abs=0.02)
        assert deviations[page] == pytest.approx(found.sd, rel=0.03)


def test_before_the_first_visit_all_wait_by_the_prior() -> None:
    both = Both("age")
    nodes = estimate(ChangeHistory(), both.priors.prior_for(["all"])).nodes
    for weight, every in zip(both.weights, both.learner.opening(1e11), strict=True):
        assert every == pytest.approx(interval(nodes, weight, 1e11, "age", *LIMITS), rel=0.03)


def test_the_ledger_is_the_price() -> None:
    generator = np.random.default_rng(2)
    budget = 30 / DAY
    price = Price(PriceState(), Limits("age", 1.0, 1e9), budget)
    ledger = Ledger(30, budget, "age")
    plans: list[tuple[float, float]] = []
    for rate in np.exp(generator.normal(-14, 1.5, 30)):
        every = price.plan(known(rate), 1.0)
        plans.append((every, price.state.price))
        ledger.add(np.array([every]), price.state.price)
    for turn in range(300):
        page = turn % 30
        price.spend(0.7, DAY / 30)
        ledger.spend(0.7, DAY / 30)
        every = price.plan(known(float(np.exp(generator.normal(-14, 1.5)))), 1.0, *plans[page])
        assert ledger.price() == pytest.approx(price.state.price)
        ledger.take_back(np.array([plans[page][0]]), np.array([plans[page][1]]))
        ledger.add(np.array([every]), price.state.price)
        plans[page] = every, price.state.price
        assert ledger.planned == pytest.approx(price.state.planned)


def known(rate: float) -> Estimate:
    return Estimate(float(np.log(rate)), 0.0, rate, rate, rate, ((rate, 1.0),))
