"""Pages that are not there any more, for a while or for good, and those that come back."""

from itertools import pairwise

import pytest

from shoal.frontier.outcome.missing import MissingSettings, ask_again_at, is_found, note_missing
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.state.rows import UrlRow
from shoal.model.outcome import Outcome, State
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import Fetched
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import NO_CONNECTION, OK, Answer, Play, moved, redirect
from tests.frontier.revisits import DAY, crawling

A = "ftp://a.test"
NOW = 1_793_577_600.0
HOUR = 3_600.0
SETTINGS = MissingSettings(asks_again=True)
GONE, MISSING, DOWN = Answer(410), Answer(404), NO_CONNECTION


def visit(
    url: UrlRow, outcome: Outcome, now: float, status: int = 0, settings: MissingSettings = SETTINGS
) -> float | None:
    """What a visit leaves in the row; when the next is."""
    url.status, url.visits = status, url.visits + 1
    note_missing(url, Fetched(outcome, status, ended=now), now, settings)
    return ask_again_at(url, outcome, now, settings)


def page() -> UrlRow:
    return UrlRow(State.FETCHED, fetched_ms=1, visits=1)


def until_lost(
    outcome: Outcome, status: int, settings: MissingSettings = SETTINGS
) -> tuple[list[float], float]:
    """The gaps between visits that do not find a page, and after how long it is given up."""
    url, now, gaps = page(), NOW, list[float]()
    while True:
        due = visit(url, outcome, now, status, settings)
        if url.lost:
            return gaps, now - NOW
        assert due is not None, "it is neither given up nor asked for again"
        gaps.append(due - now)
        now = due


@pytest.mark.parametrize(("outcome", "status"), [(Outcome.MISSING, 404), (Outcome.REDIRECT, 302)])
def test_a_page_that_is_missing_is_asked_for_with_growing_gaps_and_then_given_up(
    outcome: Outcome, status: int
) -> None:
    gaps, after = until_lost(outcome, status)
    assert gaps[:4] == [HOUR, 4 * HOUR, 16 * HOUR, 64 * HOUR]
    assert 7 * DAY <= after <= 7 * DAY + 2, "when its time is over, not some gap later"


@pytest.mark.parametrize("keep_days", [1, 30, 300, 3_000])
@pytest.mark.parametrize("shortest", [0.1, 300.0, DAY])
def test_it_is_given_up_whatever_the_settings(keep_days: float, shortest: float) -> None:
    settings = MissingSettings(keep_days * DAY, shortest, asks_again=True)
    gaps, after = until_lost(Outcome.MISSING, 404, settings)
    assert len(gaps) >= 2, "never by one accident"
    assert keep_days * DAY <= after <= keep_days * DAY + 5 * 12 * shortest


@pytest.mark.parametrize("part", [0.0, 0.0004, 0.0006, 0.0009])
def test_with_nothing_to_wait_for_it_is_given_up_at_once(part: float) -> None:
    """At any part of a millisecond, which the row does not keep."""
    url = page()
    visit(url, Outcome.MISSING, NOW + part, 404, MissingSettings(keep_seconds=0))
    assert url.lost


@pytest.mark.parametrize(
    ("outcome", "status"),
    [(Outcome.GONE, 410), (Outcome.REDIRECT, 301), (Outcome.REDIRECT, 308)],
)
def test_the_owners_word_is_taken_at_once(outcome: Outcome, status: int) -> None:
    url = page()
    due = visit(url, outcome, NOW, status)
    assert url.lost
    if outcome is Outcome.GONE:
        assert due is None
    else:
        assert due == NOW + 30 * DAY, "a redirect may be taken back"


def test_what_was_given_up_is_asked_for_a_few_times_more() -> None:
    url, now, visits = page(), NOW, 0
    while (due := visit(url, Outcome.MISSING, now, 404)) is not None:
        assert due > now
        now, visits = due, visits + 1
    assert url.lost
    assert 5 <= visits <= 8


def test_a_url_that_was_never_there_is_asked_for_three_times() -> None:
    url, now, gaps = UrlRow(State.QUEUED), NOW, []
    while (due := visit(url, Outcome.MISSING, now, 404)) is not None:
        assert url.lost, "there is nothing to keep"
        gaps.append(due - now)
        now = due
    assert gaps == [DAY, 4 * DAY, 16 * DAY]


@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.DNS, Outcome.SERVER_ERROR])
def test_a_site_that_is_down_loses_no_page(outcome: Outcome) -> None:
    url, now, times = page(), NOW, []
    for _ in range(40):
        due = visit(url, outcome, now)
        assert due is not None
        assert not url.lost
        times.append(now)
        now = due
    gaps = [later - sooner for sooner, later in pairwise(times)]
    assert gaps[:3] == [HOUR, 2 * HOUR, 4 * HOUR]
    assert max(gaps) == gaps[-1] == 7 * DAY
    assert url.missing_ms == 0


def test_a_404_after_a_long_silence_is_the_first_and_not_the_last() -> None:
    url, now = page(), NOW
    for _ in range(20):
        now = visit(url, Outcome.TIMEOUT, now) or pytest.fail("a site that is down is tried again")
    first = now
    due = visit(url, Outcome.MISSING, now, 404)
    assert not url.lost
    while not url.lost:
        assert due is not None, "it is kept, and so it must be asked for"
        now = due
        due = visit(url, Outcome.MISSING, now, 404)
    assert 7 * DAY <= now - first <= 8 * DAY


def test_a_page_that_returns_was_never_away() -> None:
    url = page()
    for n in range(9):
        visit(url, Outcome.MISSING, NOW + n * DAY, 404)
    assert url.lost
    for outcome in (Outcome.OK, Outcome.UNCHANGED):
        visit(url, outcome, NOW + 10 * DAY, 200)
        assert (url.lost, url.misses, url.missing_ms) == (False, 0, 0)
    visit(url, Outcome.MISSING, NOW + 11 * DAY, 404)
    assert not url.lost, "its time begins anew"


def test_who_was_not_asked_has_said_nothing() -> None:
    url = page()
    note_missing(url, Fetched(Outcome.REFUSED, note="robots: no"), NOW, SETTINGS)
    assert (url.misses, url.lost) == (0, False)
    assert ask_again_at(url, Outcome.REFUSED, NOW, SETTINGS) == NOW + 30 * DAY
    assert ask_again_at(UrlRow(State.EXCLUDED), Outcome.REFUSED, NOW, SETTINGS) is None


def test_no_gap_is_longer_than_the_longest() -> None:
    settings = MissingSettings(shortest_seconds=600.0, longest_seconds=HOUR, asks_again=True)
    for outcome, status in ((Outcome.MISSING, 404), (Outcome.TIMEOUT, 0), (Outcome.REDIRECT, 301)):
        due = visit(page(), outcome, NOW, status, settings)
        assert due is not None
        assert due <= NOW + HOUR


def test_what_counts_as_found() -> None:
    found = {outcome for outcome in Outcome if is_found(outcome)}
    assert found == {Outcome.OK, Outcome.UNCHANGED, Outcome.EMPTY_ANSWER}


# --- in a crawl -----------------------------------------------------------------------------------


@pytest.fixture
def steady(table: RocksTable, clock: FakeClock) -> Play:
    play = Play(table, clock, crawling(every=DAY))
    play.add(f"{A}/1")
    play.crawl(most=1)
    return play


def next_visit(play: Play, answer: Answer) -> float:
    """Waits for it; returns how long."""
    began = play.clock.now()
    lease = play.next_page()
    assert lease is not None
    assert lease.visit.url == f"{A}/1"
    waited = play.clock.now() - began
    play.end(lease, answer)
    assert play.problems() == []
    return waited


def test_a_page_flaps_and_is_still_there(steady: Play) -> None:
    assert next_visit(steady, MISSING) == pytest.approx(DAY, rel=0.01)
    assert steady.state(f"{A}/1") == "gone/404"
    assert next_visit(steady, OK) == pytest.approx(HOUR, rel=0.01)
    assert steady.state(f"{A}/1").startswith("fetched/")
    assert next_visit(steady, Answer(304)) == pytest.approx(DAY, rel=0.01)
    row = steady.row(f"{A}/1")
    assert row is not None
    assert (row.misses, row.lost, row.state) == (0, False, State.FETCHED)


def test_a_page_that_is_gone_is_not_asked_for_again(steady: Play) -> None:
    next_visit(steady, GONE)
    assert steady.state(f"{A}/1") == "gone/410"
    assert not steady.frontier.counts["total/sites with work"]


def test_down_is_not_gone(steady: Play) -> None:
    for _ in range(3):  # the tries of one visit
        next_visit(steady, DOWN)
    row = steady.row(f"{A}/1")
    assert row is not None
    assert (row.state, row.lost, row.waiting) == (State.FAILED, False, True)
    assert next_visit(steady, OK) >= HOUR
    assert steady.state(f"{A}/1").startswith("fetched/")


@pytest.mark.parametrize(("status", "is_lost"), [(301, True), (302, False), (307, False)])
def test_a_redirect_moves_a_row_or_only_points_elsewhere(
    steady: Play, status: int, is_lost: bool
) -> None:
    target = f"{A}/moved"
    next_visit(steady, Answer(status, [moved(target)], [("location", target)]))
    row = steady.row(f"{A}/1")
    assert row is not None
    assert (row.state, row.lost, row.waiting) == (State.REDIRECT, is_lost, True)
    new = steady.row(target)
    assert new is not None
    assert (new.history is not None) is is_lost, "what is known of the page goes with it"
    assert steady.crawl(most=1) == [target]
    assert steady.problems() == []
    while not (row := steady.row(f"{A}/1")) or row.state is State.REDIRECT:
        assert steady.crawl(lambda _: OK, most=1)
    assert (row.state, row.lost) == (State.FETCHED, False), "it was taken back"
    assert steady.problems() == []


def test_a_redirect_to_itself_by_its_slash_harms_nothing(steady: Play) -> None:
    next_visit(steady, redirect(f"{A}/1/"))
    assert steady.crawl(most=1) == [f"{A}/1/"]
    assert steady.frontier.urls.row_of(row_key(f"{A}/1")) == row_key(f"{A}/1/")
    assert steady.problems() == []


def test_one_pass_gives_up_what_is_missing_for_as_long_as_nobody_asks(play: Play) -> None:
    play.add(f"{A}/1")
    play.crawl(lambda _: MISSING)
    row = play.row(f"{A}/1")
    assert row is not None
    assert (row.state, row.lost, row.waiting) == (State.GONE, True, False)
    assert play.frontier.allowance.mode is Mode.NEW
