"""The estimate of a page's rate of change: exact, honest about what it does not know, and never at
a loss."""

import random
from itertools import pairwise
from math import comb, exp, expm1, inf, isfinite, log, nan

import pytest

from shoal.freshness.rate import (
    DEFAULT_PRIOR,
    Estimate,
    LogNormal,
    bin_of,
    estimate,
    interval_of,
    observe,
)
from shoal.model.change_history import ChangeHistory

DAY = 86_400.0
WEEK = 7 * DAY
RATES = [0.1 * 20 ** ((n + 0.5) / 150) for n in range(150)]
"""Per visit: between a tenth and twice the rate of visits."""
VISITS = (1, 2, 3, 5, 10, 20, 50, 100)


def life_of(*visits: tuple[float, bool]) -> ChangeHistory:
    history = ChangeHistory()
    for seconds, changed in visits:
        observe(history, seconds, changed=changed)
    return history


def integrated(
    history: ChangeHistory, prior: LogNormal
) -> tuple[float, float, float, float, float]:
    """Mean and deviation of ln r, and ln of low, high and median, on thousands of points."""
    step = 0.01
    places = [-36 + step * n for n in range(4_800)]
    heights = []
    for x in places:
        height = history.dated * x - exp(x) * history.quiet_seconds
        height -= ((x - prior.mean) / prior.sd) ** 2 / 2
        for number, count in history.undated.items():
            height += count * log(-expm1(-exp(x) * interval_of(number)))
        heights.append(height)
    top = max(heights)
    densities = [exp(height - top) for height in heights]
    total = sum(densities)
    mean = sum(p * x for p, x in zip(densities, places, strict=True)) / total
    variance = sum(p * (x - mean) ** 2 for p, x in zip(densities, places, strict=True)) / total
    below = 0.0
    quantiles: list[float] = []
    for density, x in zip(densities, places, strict=True):
        if len(quantiles) < 3 and below + density > (0.05, 0.5, 0.95)[len(quantiles)] * total:
            quantiles.append(x)
        below += density
    low, median, high = quantiles
    return mean, variance**0.5, low, high, median


def dated(history: ChangeHistory) -> ChangeHistory:
    observe(history, WEEK, changed=True, since_change_seconds=DAY)
    return history


@pytest.mark.parametrize(
    "history",
    [
        life_of(),
        life_of((WEEK, False)),
        life_of((WEEK, True)),
        life_of((WEEK, True), (DAY, False), (30 * DAY, True)),
        life_of(*[(WEEK, False)] * 100),
        life_of(*[(WEEK, True)] * 100),
        life_of(*[(WEEK * 1.3**n, n % 3 == 0) for n in range(9)]),
        dated(life_of((WEEK, False), (DAY, True))),
    ],
    ids=["none", "quiet", "changed", "three", "never", "always", "irregular", "dated"],
)
@pytest.mark.parametrize("prior", [DEFAULT_PRIOR, LogNormal(-13.0, 0.7)], ids=["wide", "narrow"])
def test_it_is_what_integration_gives(history: ChangeHistory, prior: LogNormal) -> None:
    found, wanted = estimate(history, prior), integrated(history, prior)
    given = (found.mean, found.sd, log(found.low), log(found.high), log(found.median))
    for ours, exact in zip(given, wanted, strict=True):
        assert abs(ours - exact) < 0.1 * wanted[1]


def test_many_bins_are_hardly_less_exact() -> None:
    history = life_of(*[(WEEK * 1.2 ** (n % 20 - 10), n % 2 == 0) for n in range(200)])
    assert len(history.undated) > 8
    found, wanted = estimate(history, DEFAULT_PRIOR), integrated(history, DEFAULT_PRIOR)
    assert abs(found.mean - wanted[0]) < 0.1 * wanted[1]
    assert abs(found.sd - wanted[1]) < 0.05 * wanted[1]


def test_a_page_without_visits_is_what_the_prior_says() -> None:
    prior = LogNormal(-12.0, 1.3)
    found = estimate(ChangeHistory(), prior)
    assert found.mean == pytest.approx(prior.mean, abs=1e-6)
    assert found.sd == pytest.approx(prior.sd, rel=0.002)
    assert log(found.median) == pytest.approx(prior.mean, abs=1e-3)
    assert log(found.high) == pytest.approx(prior.mean + 1.645 * prior.sd, abs=0.01)


def test_the_nodes_carry_expectations() -> None:
    prior = LogNormal(-12.0, 0.8)
    found = estimate(life_of((WEEK, True), (DAY, False)), prior)
    assert sum(weight for _, weight in found.nodes) == pytest.approx(1.0)
    assert sum(weight * log(rate) for rate, weight in found.nodes) == pytest.approx(found.mean)
    whole = estimate(ChangeHistory(), prior)
    mean_rate = sum(weight * rate for rate, weight in whole.nodes)
    assert mean_rate == pytest.approx(exp(prior.mean + prior.sd**2 / 2), rel=0.01)


def test_every_visit_without_a_change_lowers_it_and_makes_it_surer() -> None:
    found = [estimate(life_of(*[(WEEK, False)] * n)) for n in (0, 1, 2, 5, 20, 100)]
    assert all(later.high < before.high for before, later in pairwise(found))
    assert all(later.sd < before.sd for before, later in pairwise(found))
    assert found[-1].low > 0


def test_a_page_that_always_changes_may_change_at_any_faster_rate() -> None:
    found = estimate(life_of(*[(DAY, True)] * 200), DEFAULT_PRIOR)
    assert found.low > 3 / DAY
    assert found.high > 30 / DAY  # only the prior says how much more


def test_a_time_of_change_tells_more_than_a_change() -> None:
    plain, told = ChangeHistory(), ChangeHistory()
    for _ in range(10):
        observe(plain, WEEK, changed=True)
        observe(told, WEEK, changed=True, since_change_seconds=DAY)
    assert estimate(told, DEFAULT_PRIOR).sd < estimate(plain, DEFAULT_PRIOR).sd / 2
    assert estimate(told, DEFAULT_PRIOR).median == pytest.approx(1 / DAY, rel=0.2)


@pytest.mark.parametrize("since", [None, 0.0, 0.5, -5.0, 8 * DAY, nan, inf])
def test_a_time_that_cannot_be_is_none(since: float | None) -> None:
    history = ChangeHistory()
    observe(history, WEEK, changed=True, since_change_seconds=since)
    assert (history.dated, history.quiet_seconds) == (0.0, 0.0)
    assert history.undated == {bin_of(WEEK): 1.0}
    assert (history.observed, history.changes) == (1, 1)


@pytest.mark.parametrize("seconds", [0.0, -1.0, nan, -inf])
def test_a_visit_after_no_time_shows_nothing(seconds: float) -> None:
    history = ChangeHistory()
    observe(history, seconds, changed=True)
    observe(history, seconds, changed=False)
    assert history == ChangeHistory()


def test_bins_are_quarter_octaves() -> None:
    for seconds in (0.002, 0.5, 1.0, 61.0, DAY, WEEK, 4e8):
        assert abs(log(interval_of(bin_of(seconds)) / seconds)) <= log(2) / 8 + 1e-9
    assert bin_of(2 * DAY) == bin_of(DAY) + 4
    assert bin_of(inf) == bin_of(1e10)
    assert bin_of(nan) == bin_of(0.0) == bin_of(-1.0)


def sane(found: Estimate) -> bool:
    return (
        all(map(isfinite, found[:5]))
        and 0 < found.low <= found.median <= found.high
        and found.sd > 0
        and all(rate > 0 and isfinite(rate) and weight >= 0 for rate, weight in found.nodes)
        and abs(sum(weight for _, weight in found.nodes) - 1) < 1e-9
    )


def test_no_life_and_no_prior_is_too_strange() -> None:
    drawn = random.Random(3)
    values = [0.0, 5e-324, 1e-9, 1.0, 1e6, 1e15, 1e300, inf, -1.0, nan]
    numbers = [-(10**9), -40, 0, 80, 130, 400, 10**9]
    for _ in range(500):
        bins = {
            drawn.choice(numbers) + n: drawn.choice(values) for n in range(drawn.choice((0, 1, 20)))
        }
        history = ChangeHistory(
            quiet_seconds=drawn.choice(values), dated=drawn.choice(values), undated=bins
        )
        prior = LogNormal(drawn.choice(values), drawn.choice(values))
        found = estimate(history, drawn.choice([prior, DEFAULT_PRIOR, LogNormal(-15.0, 900.0)]))
        assert sane(found), (history, prior)


def test_thousands_of_visits_of_any_length() -> None:
    drawn, history = random.Random(4), ChangeHistory()
    for _ in range(5000):
        since = drawn.choice([None, drawn.uniform(0, 1e6)])
        observe(
            history,
            10 ** drawn.uniform(-9, 12),
            changed=drawn.random() < 0.5,
            since_change_seconds=since,
        )
    assert history.observed == 5000
    assert len(history.undated) < 200
    assert sane(estimate(history))


def over_pages(visits: int, prior: LogNormal | None) -> tuple[float, float, float]:
    """The mean error of ours, the share of intervals that hold the truth, and the lower error of
    changes per visit and of Cho and Garcia-Molina: exactly, over all that can be seen."""
    errors, held = [0.0, 0.0, 0.0], 0.0
    for changes in range(visits + 1):
        found = estimate(life_of(*[(WEEK, n < changes) for n in range(visits)]), prior)
        some = changes or 0.5
        guesses = (found.median * WEEK, some / visits, -log((visits - some + 0.5) / (visits + 0.5)))
        for rate in RATES:
            chance = comb(visits, changes) * (-expm1(-rate)) ** changes
            chance *= exp(-rate * (visits - changes)) / len(RATES)
            held += chance * (found.low * WEEK <= rate <= found.high * WEEK)
            for number, guess in enumerate(guesses):
                errors[number] += chance * abs(log(guess / rate))
    return errors[0], held, min(errors[1:])


@pytest.mark.parametrize("visits", VISITS)
def test_error_and_coverage_with_a_prior_of_the_population(visits: int) -> None:
    prior = LogNormal(sum(map(log, RATES)) / len(RATES) - log(WEEK), 1.0)
    error, held, others = over_pages(visits, prior)
    assert error <= others
    assert 0.85 <= held <= 0.95


@pytest.mark.parametrize("visits", VISITS)
def test_coverage_with_the_default_prior(visits: int) -> None:
    error, held, others = over_pages(visits, DEFAULT_PRIOR)
    assert 0.85 <= held <= 0.95
    assert error <= 2 * others


@pytest.mark.parametrize("visits", VISITS)
def test_error_and_coverage_of_a_page_alone(visits: int) -> None:
    error, held, others = over_pages(visits, None)
    assert error <= others
    assert 0.85 <= held <= 0.95


def test_alone_the_unit_of_time_does_not_matter() -> None:
    found = [estimate(life_of((t, True), (t, False), (2 * t, True))) for t in (DAY, 8 * DAY)]
    assert found[0].median == pytest.approx(8 * found[1].median, rel=0.01)
