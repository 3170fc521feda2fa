"""How well is a page's rate of change known after so many visits? Beside two other estimators.

    python -m benchmarks.rates                20,000 pages, two to three minutes
    python -m benchmarks.rates --days 1       visited daily

Pages change at rates between a tenth and twice the rate of visits, log-uniform; visits are equally
far apart, or from a third to three times as far as usual. The error is the mean of |ln(estimate /
truth)|, ours that of the posterior's median; `held` is how often the 90% interval had the truth in
it. "Naive" is changes per visit, "Cho" -ln((n - X + 0.5) / (n + 0.5)) per interval (Cho and Garcia-
Molina 2003); zero changes count as half of one in both. Ours is measured alone (its prior is that a
page changes about as often as it is visited), and with a prior learned from 1,000 other pages of
the same population, visited twenty times each.
"""

import argparse
from collections.abc import Iterator
from math import exp, expm1, log
from random import Random
from typing import NamedTuple

from benchmarks.report import line, table
from shoal.freshness.priors import Priors, groups_of
from shoal.freshness.rate import LogNormal, estimate, observe
from shoal.model.change_history import ChangeHistory

VISITS = (1, 2, 3, 5, 10, 20, 50, 100)
_LOW, _HIGH = 0.1, 2.0
_SPREAD = 3.0
_LEARN_PAGES, _LEARN_VISITS = 1_000, 20
_DAY_SECONDS = 86_400.0
_GROUPS = groups_of("https://www.example.com/", "text/html")


class Score(NamedTuple):
    """Means over pages, after so many visits."""

    visits: int
    naive: float
    cho: float
    alone: float
    alone_held: float
    learned: float
    learned_held: float


class _Seen(NamedTuple):
    life: ChangeHistory
    seconds: float


def _visits(
    rate: float, most: int, interval: float, spread: float, random: Random
) -> Iterator[_Seen]:
    """What is known after each visit of a page."""
    life, total = ChangeHistory(), 0.0
    mean = (spread - 1 / spread) / (2 * log(spread)) if spread > 1 else 1.0
    for _ in range(most):
        seconds = interval * spread ** random.uniform(-1, 1) / mean
        observe(life, seconds, changed=random.random() < -expm1(-rate * seconds))
        total += seconds
        yield _Seen(life, total)


def _rates(pages: int, interval: float) -> Iterator[float]:
    for page in range(pages):
        yield _LOW * (_HIGH / _LOW) ** ((page + 0.5) / pages) / interval


def learned(interval: float, spread: float, random: Random, pages: int = _LEARN_PAGES) -> LogNormal:
    """All pages are visited in turn, as a crawl does."""
    priors = Priors.in_memory()
    visited = [
        _visits(rate, _LEARN_VISITS, interval, spread, random) for rate in _rates(pages, interval)
    ]
    said: list[tuple[float, float] | None] = [None] * pages
    for round_of_visits in zip(*visited, strict=True):
        for number, seen in enumerate(round_of_visits):
            found = estimate(seen.life, priors.prior_for(_GROUPS))
            priors.learn(_GROUPS, said[number], (found.mean, found.sd))
            said[number] = found.mean, found.sd
    return priors.prior_for(_GROUPS)


def naive(changes: float, visits: int) -> float:
    """Per interval."""
    return (changes or 0.5) / visits


def cho(changes: float, visits: int) -> float:
    return -log((visits - (changes or 0.5) + 0.5) / (visits + 0.5))


def scores(
    pages: int, interval: float, spread: float, prior: LogNormal, random: Random
) -> list[Score]:
    sums = {visits: [0.0] * 6 for visits in VISITS}
    for rate in _rates(pages, interval):
        for seen in _visits(rate, VISITS[-1], interval, spread, random):
            visits = seen.life.observed
            if visits not in sums:
                continue
            mean_interval = seen.seconds / visits
            simple, corrected = (
                abs(log(per_interval(seen.life.changes, visits) / mean_interval / rate))
                for per_interval in (naive, cho)
            )
            found = [simple, corrected]
            for each in (None, prior):
                ours = estimate(seen.life, each)
                found += [abs(log(ours.median / rate)), float(ours.low <= rate <= ours.high)]
            sums[visits] = [total + new for total, new in zip(sums[visits], found, strict=True)]
    return [Score(visits, *(total / pages for total in totals)) for visits, totals in sums.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--days", type=float, default=14.0, help="between two visits")
    asked = parser.parse_args()
    interval, lines = asked.days * _DAY_SECONDS, []
    for name, spread in (("regular", 1.0), ("irregular", _SPREAD)):
        random = Random(8)
        prior = learned(interval, spread, random)
        found = scores(asked.pages, interval, spread, prior, random)
        median_days = exp(-prior.mean) / _DAY_SECONDS
        print(
            f"Visits every {asked.days:g} days, {name}; learned: a change in {median_days:.1f} "
            f"days, sd {prior.sd:.2f} (truth: {asked.days / (_LOW * _HIGH) ** 0.5:.1f}, 0.86)"
        )
        head = ("visits", "naive", "Cho", "alone", "held", "learned", "held")
        print(table(head, found), end="\n\n")
        lines += [
            line(f"rate-error-{name}-{each.visits}", each.learned, min(each.naive, each.cho))
            for each in found
        ]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
