"""Freshness and age as defined, looking ahead and looking back."""

import random
from math import exp

import pytest

from shoal.freshness.measures import (
    Look,
    Measure,
    at_time,
    expected,
    expected_age,
    hindsight,
    mean_age,
    mean_freshness,
    measured,
    of_missing,
)
from shoal.freshness.rate import LogNormal, estimate
from shoal.model.change_history import ChangeHistory

WEEKLY = 1 / 7
"""Changes a day; these tests count in days."""
ONE = ((WEEKLY, 1.0),)


def expected_freshness(rate: float, seconds: float) -> float:
    """The chance that nothing has changed so long after a visit."""
    return exp(-rate * max(seconds, 0.0))


def test_the_check_value() -> None:
    """A page that changes once a week is 2.58 days old, a week after a visit."""
    assert expected_age(WEEKLY, 7.0) == pytest.approx(2.58, abs=0.005)
    assert expected_age(WEEKLY, 7.0) == pytest.approx(7 / exp(1))
    assert expected_freshness(WEEKLY, 7.0) == pytest.approx(1 / exp(1))


def simpson(f: object, end: float, steps: int = 400) -> float:
    assert callable(f)
    step = end / steps
    total = f(0.0) + f(end)
    total += sum(f(n * step) * (4 if n % 2 else 2) for n in range(1, steps))
    return float(total * step / 3)


@pytest.mark.parametrize("rate", [1e-6, 1e-4, 9e-4, 0.0011, 0.1, 1.0, 30.0])
def test_age_is_the_integral_of_staleness_and_the_means_are_theirs(rate: float) -> None:
    stale = simpson(lambda t: 1 - expected_freshness(rate, t), 1.0)
    assert expected_age(rate, 1.0) == pytest.approx(stale, rel=1e-5)
    assert mean_age(rate, 1.0) == pytest.approx(
        simpson(lambda t: expected_age(rate, t), 1.0), rel=1e-5
    )
    fresh = simpson(lambda t: expected_freshness(rate, t), 1.0)
    assert mean_freshness(rate, 1.0) == pytest.approx(fresh, rel=1e-5)


@pytest.mark.parametrize("measure", [expected_age, mean_age])
def test_no_age_without_time_or_change(measure: object) -> None:
    assert callable(measure)
    assert measure(WEEKLY, 0.0) == measure(WEEKLY, -1.0) == measure(0.0, 9.0) == 0.0


def test_no_rate_and_no_time_is_too_large() -> None:
    assert expected_age(1e9, 1e12) == pytest.approx(1e12)
    assert mean_age(1e9, 1e12) == pytest.approx(5e11)
    assert expected_freshness(1e9, 1e12) == 0.0
    assert mean_freshness(0.0, 0.0) == 1.0


def test_what_the_rate_may_be_is_weighed() -> None:
    nodes = ((0.1, 0.25), (1.0, 0.75))
    wanted = 0.25 * expected_age(0.1, 3.0) + 0.75 * expected_age(1.0, 3.0)
    assert expected(nodes, expected_age, 3.0) == pytest.approx(wanted)
    assert measured(nodes, 3.0).age_seconds == pytest.approx(wanted)
    unsure = estimate(ChangeHistory(), LogNormal(-2.0, 1.5)).nodes
    for days in (0.0, 1e-3, 3.0):
        both = expected(unsure, expected_freshness, days), expected(unsure, expected_age, days)
        assert measured(unsure, days) == pytest.approx(both)


def test_looking_back_a_visit_without_change_says_that_it_was_fresh() -> None:
    assert hindsight(ONE, 0.0, Look(7.0, changed=False), 6.0) == Measure(1.0, 0.0)


def test_looking_back_a_change_was_there_for_certain_at_the_end() -> None:
    look = Look(7.0, changed=True)
    assert hindsight(ONE, 0.0, look, 7.0).freshness == pytest.approx(0.0)
    assert hindsight(ONE, 0.0, look, 0.0) == Measure(1.0, 0.0)
    slow = ((1e-30, 1.0),)
    assert hindsight(slow, 0.0, look, 3.5) == pytest.approx(Measure(0.5, 0.875))


@pytest.mark.parametrize("told", [False, True])
def test_looking_back_is_what_a_simulation_finds(told: bool) -> None:
    """Many pages with one change a week, visited on days 0 and 7, and asked about day 4."""
    drawn = random.Random(2)
    age, fresh, known_age, known_fresh = 0.0, 0, 0.0, 0.0
    pages = 10_000
    for _ in range(pages):
        changes, at = [], drawn.expovariate(WEEKLY)
        while at < 7:
            changes.append(at)
            at += drawn.expovariate(WEEKLY)
        first = changes[0] if changes else 7.0
        age += max(0.0, 4 - first)
        fresh += first > 4
        look = Look(
            7.0, changed=bool(changes), changed_at=changes[-1] if changes and told else None
        )
        known = hindsight(ONE, 0.0, look, 4.0)
        known_age += known.age_seconds
        known_fresh += known.freshness
    assert known_age == pytest.approx(age, rel=0.05)
    assert known_fresh == pytest.approx(fresh, rel=0.03)


def test_any_time_has_its_visits() -> None:
    looks = [Look(10.0, changed=False), Look(20.0, changed=True), Look(30.0, changed=False)]
    assert at_time(ONE, 0.0, looks, -1.0) is None
    assert at_time(ONE, 0.0, looks, 5.0) == Measure(1.0, 0.0)
    assert at_time(ONE, 0.0, looks, 15.0) == hindsight(ONE, 10.0, looks[1], 15.0)
    assert at_time(ONE, 0.0, looks, 20.0) == Measure(1.0, 0.0)
    assert at_time(ONE, 0.0, looks, 37.0) == measured(ONE, 7.0)
    assert at_time(ONE, 0.0, [], 7.0) == measured(ONE, 7.0)


def test_a_visit_that_could_not_tell_says_nothing_about_before() -> None:
    assert hindsight(ONE, 0.0, Look(7.0, changed=None), 4.0) == measured(ONE, 4.0)


def test_a_page_that_is_gone_grows_old() -> None:
    found = of_missing(ONE, 0.0, 7.0, 10.0)
    assert found.freshness == 0.0
    assert 3.0 + 3.5 < found.age_seconds < 3.0 + 7.0  # early in the week is likelier than late
    assert of_missing(ONE, 7.0, 7.0, 10.0) == Measure(0.0, 3.0)
