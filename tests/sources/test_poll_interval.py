"""R1: a feed is asked as often as it posts, and as its owner allows."""

import random
from itertools import pairwise

import pytest

from shoal.sources.poll_interval import (
    DAY_SECONDS,
    HOUR_SECONDS,
    PollHints,
    hour_weights,
    next_poll_seconds,
)

MONDAY = 1_793_577_600.0
"""2026-11-02, 00:00 UTC."""
NOW = MONDAY + 14 * DAY_SECONDS
SHORTEST, LONGEST = 300.0, DAY_SECONDS
NOTHING = PollHints()


def wait(told: PollHints = NOTHING, posted: list[float] | None = None, now: float = NOW) -> float:
    return next_poll_seconds(told, posted or [], now, shortest=SHORTEST, longest=LONGEST)


def every(seconds: float, items: int, now: float = NOW) -> list[float]:
    return [now - seconds * (number + 0.5) for number in range(items)]


def test_the_wait_follows_the_posts() -> None:
    waits = [wait(posted=every(gap, 20)) for gap in (600, 3600, 6 * 3600, DAY_SECONDS)]
    assert waits == sorted(waits)
    assert waits[1] == pytest.approx(3600 / 2, rel=0.6)
    assert wait(posted=every(60, 50)) < 2 * 3600
    assert wait(posted=every(10 * DAY_SECONDS, 20)) == LONGEST


def test_a_feed_that_stopped_is_asked_less_and_less() -> None:
    posted = every(3600, 20)
    waits = [wait(posted=posted, now=NOW + days * DAY_SECONDS) for days in (0, 1, 3, 10, 60)]
    assert waits == sorted(waits)
    assert waits[0] < waits[1] < waits[-1] == LONGEST


def test_a_feed_without_dates_is_asked_twice_a_day() -> None:
    assert wait() == DAY_SECONDS / 2
    assert wait(posted=[0.0, -5.0, NOW + 9e9]) == DAY_SECONDS / 2


def quick(told: PollHints, posted: list[float], now: float = NOW) -> float:
    return next_poll_seconds(told, posted, now, shortest=5.0, longest=LONGEST)


def test_a_handful_of_items_at_a_steady_pace_counts() -> None:
    five = [NOW - 20 * number for number in range(5)]
    assert quick(NOTHING, five) == pytest.approx(10, rel=0.3)
    waits = [quick(NOTHING, five[:count]) for count in range(6)]
    assert waits == sorted(waits, reverse=True)
    assert waits[1] > HOUR_SECONDS, "one item tells no pace"
    later = [quick(NOTHING, five, NOW + silence) for silence in (0, 60, 600, 3600, DAY_SECONDS)]
    assert later == sorted(later)
    assert later[2] > 60
    assert later[-1] > 2 * HOUR_SECONDS


def test_a_burst_counts_while_it_lasts() -> None:
    before = [NOW - 29 * HOUR_SECONDS * number for number in range(1, 20)]
    burst = [NOW - 20 * number for number in range(5)]
    assert quick(NOTHING, before) > 6 * HOUR_SECONDS
    assert quick(NOTHING, burst + before) == pytest.approx(10, rel=0.3)
    assert quick(NOTHING, burst + before, NOW + 60) < 60
    assert quick(NOTHING, burst + before, NOW + 90) > 6 * HOUR_SECONDS, "it is over"
    assert quick(NOTHING, [NOW] * 9 + before) >= 5.0, "one date tells no pace"


def test_new_items_speed_it_up_at_once() -> None:
    daily = every(29 * HOUR_SECONDS, 20)
    usual = quick(NOTHING, daily)
    found = [quick(PollHints(found=count, found_in_seconds=3600), daily) for count in (0, 1, 2, 6)]
    assert found == [usual, usual, 900, 300]
    assert quick(PollHints(found=6), daily) == usual, "the first poll: nobody knows since when"
    assert quick(PollHints(found=6, found_in_seconds=3600, ttl_seconds=7200), daily) == 7200


def test_a_paper_with_hours_may_still_be_fast() -> None:
    posted = [*morning_paper(14)[-45:], *(NOW + 6 * HOUR_SECONDS - 20 * n for n in range(5))]
    assert hour_weights(posted) is not None
    assert quick(NOTHING, posted, NOW + 6 * HOUR_SECONDS) == pytest.approx(10, rel=0.3)


def test_the_owners_words_count() -> None:
    often = every(600, 20)
    assert wait(PollHints(ttl_seconds=7200), often) == 7200
    assert wait(PollHints(max_age_seconds=7200), often) == 7200
    assert wait(PollHints(ttl_seconds=60, max_age_seconds=60), often) == wait(posted=often)
    assert wait(PollHints(ttl_seconds=9e9), often) == LONGEST
    assert wait(posted=[NOW - n for n in range(1, 50)], now=NOW) >= SHORTEST


def test_failures_double_the_wait() -> None:
    often = every(600, 20)
    waits = [wait(PollHints(failures=count), often) for count in range(5)]
    assert [later / sooner for sooner, later in pairwise(waits)] == [2, 2, 2, 2]
    assert wait(PollHints(failures=1_000_000), often) == LONGEST


def test_a_feed_that_is_pushed_is_asked_rarely() -> None:
    assert wait(PollHints(is_pushed=True), every(600, 20)) == LONGEST


@pytest.mark.parametrize(
    ("told", "hour", "expected_hour"),
    [
        (PollHints(skip_hours=[1, 2, 3]), 1, 4),
        (PollHints(skip_hours=[23, 0]), 23, 25),
        (PollHints(skip_days=[0]), 5, 24),
        (PollHints(skip_days=[0, 1, 2, 3, 4, 5]), 5, 144),
        (PollHints(skip_days=[0], skip_hours=[0, 1]), 23, 26),
        (PollHints(skip_hours=[5]), 6, 6),
    ],
)
def test_skipped_hours_and_days_are_waited_out(
    told: PollHints, hour: float, expected_hour: float
) -> None:
    start = MONDAY + hour * HOUR_SECONDS
    found = next_poll_seconds(told, [], start - 60, shortest=90, longest=90)
    expected = MONDAY + expected_hour * HOUR_SECONDS
    assert start - 60 + found == (start + 30 if expected_hour == hour else expected)


def test_who_skips_everything_means_nothing() -> None:
    assert wait(PollHints(skip_hours=range(24))) == wait()
    assert wait(PollHints(skip_days=range(7), skip_hours=[99, -1])) == wait()


def morning_paper(days: int) -> list[float]:
    """Four items a day, all between six and seven."""
    chance = random.Random(8)
    return [
        MONDAY + day * DAY_SECONDS + (6 + chance.random()) * HOUR_SECONDS
        for day in range(days)
        for _ in range(4)
    ]


def test_a_paper_of_the_morning_is_asked_in_the_morning() -> None:
    posted = morning_paper(14)[-50:]
    weights = hour_weights(posted)
    assert weights is not None
    assert weights.index(max(weights)) == 6
    assert sum(weights) / 24 == pytest.approx(1)
    at_night = wait(posted=posted, now=NOW + 22 * HOUR_SECONDS)
    at_noon = wait(posted=posted, now=NOW + 12 * HOUR_SECONDS)
    in_the_morning = wait(posted=posted, now=NOW + 6 * HOUR_SECONDS)
    assert in_the_morning < HOUR_SECONDS
    assert 6 * HOUR_SECONDS < at_night < 9 * HOUR_SECONDS
    assert at_noon > at_night


def test_no_pattern_is_seen_where_there_is_none() -> None:
    chance = random.Random(8)
    assert hour_weights([NOW - chance.random() * 14 * DAY_SECONDS for _ in range(50)]) is None
    assert hour_weights(morning_paper(2)) is None, "two days are too few to tell"
    assert hour_weights([]) is None


def test_polls_by_the_rhythm_find_items_sooner_for_the_same_polls() -> None:
    """A month of the morning paper: how long items wait, against polls at a fixed interval."""
    posted = morning_paper(44)
    now, polls, delays, seen = NOW, 0, [], 56
    while now < MONDAY + 43 * DAY_SECONDS:
        known = sorted(posted[:seen], reverse=True)[:50]
        now += wait(posted=known, now=now)
        polls += 1
        new = [when for when in posted if when <= now][seen:]
        delays += [now - when for when in new]
        seen += len(new)
    fixed = 29 * DAY_SECONDS / polls / 2
    assert sum(delays) / len(delays) < 0.8 * fixed
