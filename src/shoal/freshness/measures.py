"""How fresh is a copy, and how old? (Cho and Garcia-Molina, "Synchronizing a database", 2000)

Freshness is 1 while a copy is as its page and 0 from the page's first change on; age is the time
since that change, and 0 before it. It is not the time since the last visit. Nobody sees a page
between visits, so both are expectations under the Poisson model, of a page with a rate of change
r a second, t seconds after a visit. Looking back more is known: a visit that found no change says
that the copy was fresh all the time, one that found a change says that there was one.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from math import expm1
from typing import NamedTuple

_SMALL = 1e-3
"""Below this r t the closed forms lose their digits, and two terms of a series have them all."""


class Measure(NamedTuple):
    freshness: float
    """From 0 to 1."""
    age_seconds: float


class Look(NamedTuple):
    """A visit that renewed the copy, and what it says about the time before it."""

    at: float
    changed: bool | None
    """None: it could not tell."""
    changed_at: float | None = None
    """When the last change before it was, if that was told."""


def expected_age(rate: float, seconds: float) -> float:
    """t - (1 - exp(-r t)) / r."""
    if not seconds > 0:
        return 0.0
    y = rate * seconds
    if y < _SMALL:
        return seconds * y * (0.5 - y / 6.0)
    return seconds * (1.0 + expm1(-y) / y)


def mean_freshness(rate: float, interval_seconds: float) -> float:
    """Over the time between two visits so far apart."""
    y = rate * max(interval_seconds, 0.0)
    return 1.0 - y * (0.5 - y / 6.0) if y < _SMALL else -expm1(-y) / y


def mean_age(rate: float, interval_seconds: float) -> float:
    """Likewise: t/2 - 1/r + (1 - exp(-r t)) / (r² t)."""
    if not interval_seconds > 0:
        return 0.0
    y = rate * interval_seconds
    if y < _SMALL:
        return interval_seconds * y * (1.0 / 6.0 - y / 24.0)
    return interval_seconds * (0.5 - 1.0 / y - expm1(-y) / (y * y))


def expected(
    nodes: Iterable[tuple[float, float]], measure: Callable[[float, float], float], seconds: float
) -> float:
    """The expectation of a measure over what the rate may be."""
    return sum(weight * measure(rate, seconds) for rate, weight in nodes)


def measured(nodes: Sequence[tuple[float, float]], seconds: float) -> Measure:
    """What is expected of a page so long after the last visit: both at once."""
    seconds = max(seconds, 0.0)
    freshness = age = 0.0
    for rate, weight in nodes:
        y = rate * seconds
        changed = -expm1(-y)
        freshness += weight * (1.0 - changed)
        age += weight * seconds * (y * (0.5 - y / 6.0) if y < _SMALL else 1.0 - changed / y)
    return Measure(freshness, age)


def hindsight(
    nodes: Sequence[tuple[float, float]], copied_at: float, look: Look, at: float
) -> Measure:
    """What is known by now of a time `at`, between the visit that made the copy and the next
    look."""
    since, gap = at - copied_at, look.at - copied_at
    if look.changed is None:
        return measured(nodes, since)
    if not look.changed or since <= 0:
        return Measure(1.0, 0.0)
    if look.changed_at is not None and copied_at <= look.changed_at <= look.at:
        return _before_the_last(nodes, look.changed_at - copied_at, since)
    freshness = age = 0.0
    for rate, weight in nodes:
        changed = -expm1(-rate * gap)
        if changed > 0:
            freshness += weight * (1.0 + expm1(-rate * since) / changed)
            age += weight * expected_age(rate, since) / changed
        else:  # a rate of nothing: the change was at any time alike
            freshness += weight * (1.0 - since / gap)
            age += weight * since * since / (2.0 * gap)
    return Measure(min(max(freshness, 0.0), 1.0), age)


def _before_the_last(
    nodes: Sequence[tuple[float, float]], last_seconds: float, since: float
) -> Measure:
    """With a change at a known time nobody knows of others before it: until then the page is as
    any, and then its first change was there at the latest."""
    if since < last_seconds:
        return measured(nodes, since)
    return Measure(0.0, since - last_seconds + expected(nodes, expected_age, last_seconds))


def at_time(
    nodes: Sequence[tuple[float, float]], first_at: float, looks: Sequence[Look], at: float
) -> Measure | None:
    """What is known by now of any time: of a page that was first copied at `first_at` and looked
    at since, oldest first. None: there was no copy yet."""
    if at < first_at:
        return None
    following = bisect_right(looks, at, key=lambda look: look.at)
    copied_at = looks[following - 1].at if following else first_at
    if following < len(looks):
        return hindsight(nodes, copied_at, looks[following], at)
    return measured(nodes, at - copied_at)


def of_missing(
    nodes: Sequence[tuple[float, float]], seen_at: float, missing_at: float, at: float
) -> Measure:
    """Of the copy of a page that is no longer there, after that was found: it went some time
    between two visits."""
    found = hindsight(nodes, seen_at, Look(missing_at, changed=True), missing_at)
    return Measure(0.0, found.age_seconds + at - missing_at)
