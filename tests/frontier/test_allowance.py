"""New pages and revisits share a crawl: how much each has of it, in every mode."""

from collections import Counter
from dataclasses import replace

import pytest

from shoal.frontier.schedule.allowance import ONLY_NEW, Allowance, Doors, Mode, RevisitSettings
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.rows import REVISIT, Entry
from shoal.model.cell import NEVER_MS, to_ms
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import NO_CONNECTION, Answer, Play
from tests.frontier.revisits import DAY, FAST, crawling, go_on_as

A, B = "ftp://a.test", "ftp://b.test"
NOW = 1_000.0
NEW, SOURCE, PAGE_REVISIT = 3, REVISIT, REVISIT + 1


def entry(level: int, due_ms: int = 0) -> Entry:
    return Entry(level, due_ms, 1, b"row")


# --- doors ----------------------------------------------------------------------------------------


def test_one_pass_opens_new_urls_alone() -> None:
    doors = Allowance(RevisitSettings(Mode.NEW), NOW).doors(to_ms(NOW))
    assert doors is ONLY_NEW
    assert doors.opens_ms(entry(NEW, 7)) == 7
    assert doors.opens_ms(entry(SOURCE, 7)) == NEVER_MS
    assert doors.opens_ms(entry(PAGE_REVISIT, 7)) == NEVER_MS


def test_a_steady_crawl_without_a_budget_opens_all_when_they_are_due() -> None:
    doors = Allowance(RevisitSettings(Mode.STEADY), NOW).doors(to_ms(NOW))
    assert [doors.opens_ms(entry(level, 7)) for level in (NEW, SOURCE, PAGE_REVISIT)] == [7, 7, 7]


def test_a_refresh_opens_the_revisits_that_were_chosen_for_it() -> None:
    began = 1_793_577_600.0
    now_ms = to_ms(began + 500)
    refresh, earlier = (
        Allowance(RevisitSettings(Mode.REFRESH), when) for when in (began, began - 1)
    )
    doors = refresh.doors(now_ms)
    assert doors.opens_ms(entry(NEW)) == doors.opens_ms(entry(SOURCE)) == NEVER_MS
    chosen = [refresh.chosen_ms(place) for place in (-1.0, 0.0, 0.5, 1.0, 2.0)]
    assert chosen == sorted(chosen)
    assert all(doors.opens_ms(entry(PAGE_REVISIT, due_ms)) == due_ms < now_ms for due_ms in chosen)
    others = (0, 1, now_ms - 1, now_ms, earlier.chosen_ms(0.0), earlier.chosen_ms(1.0))
    assert {doors.opens_ms(entry(PAGE_REVISIT, due_ms)) for due_ms in others} == {NEVER_MS}


def test_a_date_that_is_later_than_the_door_stays() -> None:
    doors = Doors(new_ms=10, sources_ms=20, revisits_ms=30)
    assert [doors.opens_ms(entry(level, 5)) for level in (NEW, SOURCE, PAGE_REVISIT)] == [
        10,
        20,
        30,
    ]
    assert [doors.opens_ms(entry(level, 99)) for level in (NEW, SOURCE, PAGE_REVISIT)] == [
        99,
        99,
        99,
    ]


# --- the bucket -----------------------------------------------------------------------------------


def spent(allowance: Allowance, begin: float, seconds: float, step: float) -> list[float]:
    """When revisits are made by a crawl that makes every one that it may."""
    times, steps = [], round(seconds / step)
    for n in range(steps):
        now = begin + n * step
        while allowance.doors(to_ms(now)).revisits_ms <= to_ms(now):
            allowance.spend(now)
            times.append(now)
    return times


@pytest.mark.parametrize("rate", [0.01, 0.5, 3.0, 40.0])
def test_the_budget_is_spent_and_not_more(rate: float) -> None:
    seconds = max(600.0, 20 / rate)
    allowance = Allowance(RevisitSettings(Mode.STEADY, per_second=rate), NOW)
    times = spent(allowance, NOW, seconds, seconds / 6_000)
    burst = max(2.0, 60 * rate)
    assert rate * seconds - max(1.0, 0.1 * burst) - 1 <= len(times) <= rate * seconds + 1


def test_what_was_not_used_is_kept_for_a_minute_only() -> None:
    allowance = Allowance(RevisitSettings(Mode.STEADY, per_second=2.0), NOW)
    allowance.doors(to_ms(NOW))
    times = spent(allowance, NOW + 10 * DAY, 0.1, 0.1)
    assert len(times) == 120


def test_an_empty_bucket_says_when_it_opens_and_then_is_open() -> None:
    allowance = Allowance(RevisitSettings(Mode.STEADY, per_second=1.0), NOW)
    times = spent(allowance, NOW, 1.0, 1.0)
    assert times == [NOW]
    opens_ms = allowance.doors(to_ms(NOW)).revisits_ms
    assert opens_ms == to_ms(NOW + 6) + 1, "a tenth of a minute's worth"
    assert allowance.doors(opens_ms - 2).revisits_ms > opens_ms - 2
    assert allowance.doors(opens_ms).revisits_ms == 0
    assert len(spent(allowance, opens_ms / 1000, 0.1, 0.1)) == 6


def test_another_budget_holds_from_now_on() -> None:
    allowance = Allowance(RevisitSettings(Mode.STEADY, per_second=1e-6), NOW)
    spent(allowance, NOW, 1.0, 1.0)
    assert allowance.doors(to_ms(NOW)).revisits_ms > to_ms(NOW + 10 * DAY)
    allowance.set_rate(1.0, NOW + 1)
    assert allowance.doors(to_ms(NOW + 1)).revisits_ms <= to_ms(NOW + 8)
    allowance.set_rate(0.001, NOW + 100)
    assert len(spent(allowance, NOW + 100, 1.0, 1.0)) <= 2, "what a smaller bucket holds"


def test_a_clock_that_was_set_back_gives_nothing_for_nothing() -> None:
    allowance = Allowance(RevisitSettings(Mode.STEADY, per_second=1.0), NOW)
    spent(allowance, NOW, 1.0, 1.0)
    assert spent(allowance, NOW - 500, 1.0, 1.0) == []


# --- who is next at a site ------------------------------------------------------------------------


def shares(play: Play, visits: int) -> tuple[int, int]:
    """Of so many visits, how many were the first of their pages, and how many were not."""
    seen: Counter[bool] = Counter()
    for _ in range(visits):
        lease = play.next_page()
        assert lease is not None
        seen[lease.visit.is_first] += 1
        play.end(lease)
    return seen[True], seen[False]


@pytest.mark.parametrize("delay", [0.0, 5.0, 100.0])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_neither_starves_the_other(
    table: RocksTable, clock: FakeClock, delay: float, share: float
) -> None:
    """Also at a site that is so slow that it is retired after each of its turns."""
    frontier = replace(
        FAST, politeness=Politeness(delay=delay, delay_factor=0, address_share=0), quantum=10_000
    )
    again = RevisitSettings(share=share)
    play = Play(table, clock, crawling(every=0.0, frontier=frontier, again=again))
    play.add(*(f"{A}/{n}" for n in range(100)))
    first, later = shares(play, 60)
    assert later / 60 == pytest.approx(share, abs=0.1)
    assert first
    assert play.problems() == []


def test_without_a_share_revisits_take_what_is_left(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, crawling(every=0.0, again=RevisitSettings(share=0.0)))
    play.add(*(f"{A}/{n}" for n in range(9)))
    assert shares(play, 9) == (9, 0)
    assert shares(play, 9) == (0, 9)


def test_a_share_that_one_kind_can_not_use_is_the_others(
    table: RocksTable, clock: FakeClock
) -> None:
    play = Play(table, clock, crawling(every=DAY))
    play.add(*(f"{A}/{n}" for n in range(9)))
    assert shares(play, 9) == (9, 0), "nothing is due again"


def test_a_wish_is_next_also_where_a_revisit_would_be(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, crawling(every=0.0, again=RevisitSettings(share=1.0)))
    play.add(*(f"{A}/{n}" for n in range(4)))
    play.crawl(most=9)
    clock.advance(1)
    play.submit(f"{A}/wish")
    assert play.crawl(most=1) == [f"{A}/wish"]


def test_a_budget_of_revisits_leaves_new_pages_alone(table: RocksTable, clock: FakeClock) -> None:
    """One revisit in a hundred seconds: the rest of the time belongs to what is new."""
    frontier = replace(FAST, politeness=Politeness(delay=1, delay_factor=0, address_share=0))
    again = RevisitSettings(per_second=0.01)
    play = Play(table, clock, crawling(every=0.0, frontier=frontier, again=again))
    play.add(*(f"{A}/{n}" for n in range(500)))
    began = clock.now()
    first, later = shares(play, 400)
    assert later <= 0.01 * (clock.now() - began) + 2
    assert first == 400 - later
    assert later >= 2
    assert play.problems() == []


def test_a_site_whose_revisits_wait_for_the_budget_is_woken_by_a_new_url(
    table: RocksTable, clock: FakeClock
) -> None:
    again = RevisitSettings(per_second=1e-5)
    play = Play(table, clock, crawling(every=1.0, again=again))
    play.add(f"{A}/1", f"{B}/1")
    play.crawl(most=2)
    clock.advance(10)
    play.crawl(most=1)
    assert play.lease() is None, "the other is due, and the budget is spent"
    play.add(f"{B}/new")
    assert play.crawl(most=1) == [f"{B}/new"]
    assert play.problems() == []


# --- one mode after another -----------------------------------------------------------------------


def test_modes_follow_each_other_and_nothing_is_lost_or_doubled(
    table: RocksTable, clock: FakeClock
) -> None:
    """New, steady, refresh, in every order, now and then killed: each URL is queued once, and each
    is asked for by the crawl that should."""
    steady, once, only = (
        crawling(mode, every=3_600.0) for mode in (Mode.STEADY, Mode.NEW, Mode.REFRESH)
    )
    play = Play(table, clock, steady)
    sites = [f"ftp://{name}.test" for name in "abcdef"]
    for n, (settings, killed) in enumerate(
        (settings, killed)
        for settings in (steady, once, only, steady, only, once, only, only, steady, once, steady)
        for killed in (False, True)
    ):
        play.add(*(f"{site}/{n}" for site in sites))
        asked = [play.next_page() for _ in range(4)]
        for lease in asked[: 2 if killed else 4]:
            if lease is not None:
                play.end(lease, Answer(404) if n % 5 == 4 else Answer(200))
        if not killed:
            assert play.problems() == []
        clock.advance(4_000)
        go_on_as(play, settings, killed=killed)
        assert play.problems() == [], (n, settings.frontier.revisits.mode)
    go_on_as(play, once)
    new = sum(1 for site in sites for k in range(n + 1) if play.state(f"{site}/{k}") == "queued")
    assert len(play.crawl()) == new
    assert play.frontier.counts["queued"] == 0
    clock.advance(2 * DAY)
    go_on_as(play, only)
    stored = sum(
        1
        for site in sites
        for k in range(n + 1)
        if (row := play.row(f"{site}/{k}")) is not None and row.fetched_ms and not row.lost
    )
    refreshed = play.crawl()
    assert len(refreshed) == len(set(refreshed)) == stored > 0
    assert play.problems() == []


@pytest.mark.parametrize("after", list(Mode))
@pytest.mark.parametrize("before", list(Mode))
def test_a_host_that_was_being_asked_at_a_kill_is_left_alone_in_any_mode(
    table: RocksTable, clock: FakeClock, before: Mode, after: Mode
) -> None:
    frontier = replace(FAST, politeness=Politeness(delay=20, delay_factor=0, address_share=0))
    play = Play(table, clock, crawling(Mode.STEADY, every=1.0, frontier=frontier))
    play.add(f"{A}/1", f"{A}/2")
    play.crawl(most=1)
    clock.advance(100)
    go_on_as(play, crawling(before, every=1.0, frontier=frontier))
    assert play.lease() is not None
    clock.advance(1)
    go_on_as(play, crawling(after, every=1.0, frontier=frontier), killed=True)
    assert play.frontier.recovered == 1
    assert play.lease() is None, "it counts as asked just now"
    clock.advance(20)
    assert play.lease() is not None
    assert play.problems() == []


def test_a_refresh_of_a_host_that_is_down_ends(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, crawling(every=10.0))
    play.add(f"{A}/1", f"{A}/2", f"{B}/1")
    play.crawl(most=3)
    clock.advance(100)
    go_on_as(play, crawling(Mode.REFRESH))
    asked = Counter(play.crawl(lambda visit: NO_CONNECTION if "/a.test" in visit.url else Answer()))
    assert asked[f"{B}/1"] == 1
    assert 1 <= asked[f"{A}/1"] <= 3
    assert play.frontier.done()
    assert play.problems() == []
