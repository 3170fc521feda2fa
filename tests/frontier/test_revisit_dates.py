"""Which pages are asked for again: all of them in a steady crawl, those that are meant in a
refresh; and feeds that people add and remove."""

from collections import Counter
from dataclasses import replace

import pytest

from shoal.frontier.background import revisit_dates as schedules
from shoal.frontier.background.revisit_dates import Selection
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.state.rows import REVISIT, SCHEDULE_MARK, after_mark
from shoal.frontier.state.settings import Seams
from shoal.model.cell import to_ms
from shoal.model.change_history import ChangeHistory
from shoal.model.document import Document, Understood
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.verdict import Verdict
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import NO_CONNECTION, OK, Answer, Play, PlaySettings, link, moved
from tests.frontier.revisits import DAY, FAST, Every, PlainDesk, crawling, go_on_as

A, B = "ftp://a.test", "ftp://b.test"
PAGES = [f"{site}/{n}" for site in (A, B) for n in range(8)]
ONCE, STEADY, REFRESH = (crawling(mode) for mode in (Mode.NEW, Mode.STEADY, Mode.REFRESH))


@pytest.fixture
def stored(table: RocksTable, clock: FakeClock) -> Play:
    """A crawl of one pass has ended."""
    play = Play(table, clock, ONCE)
    play.add(*PAGES)
    assert sorted(play.crawl()) == sorted(PAGES)
    clock.advance(3 * DAY)
    return play


def marks(play: Play) -> int:
    return sum(1 for _ in play.table.scan("queue", SCHEDULE_MARK, after_mark(SCHEDULE_MARK)))


def due_dates(play: Play) -> dict[str, int]:
    return {url: row.due_ms for url in PAGES if (row := play.row(url)) and row.waiting}


def begin_steady(play: Play, *, killed: bool = False) -> None:
    go_on_as(play, STEADY, killed=killed)
    play.frontier.change(play.frontier.schedules.date_all)


def begin_refresh(play: Play, selection: Selection | None = None, *, killed: bool = False) -> None:
    go_on_as(play, REFRESH, selection, killed=killed)


# --- a steady crawl -------------------------------------------------------------------------------


def test_a_steady_crawl_dates_what_one_pass_fetched(stored: Play) -> None:
    stored.add(f"{A}/gone", f"{A}/down", f"{A}/away", f"{A}/no")
    answers = {
        f"{A}/gone": Answer(404),
        f"{A}/down": NO_CONNECTION,
        f"{A}/away": Answer(302, [moved(f"{A}/0")]),
        f"{A}/no": Answer(410),
    }
    stored.crawl(lambda visit: answers.get(visit.url, OK))
    assert not any(row.waiting for url in PAGES if (row := stored.row(url)))
    begin_steady(stored)
    assert not stored.frontier.done()
    while stored.frontier.schedules.pending:
        assert stored.lease() is None
    assert stored.problems() == []
    waiting = {url for url in [*PAGES, *answers] if (row := stored.row(url)) and row.waiting}
    assert waiting == {*PAGES, f"{A}/down", f"{A}/away"}
    asked = Counter(stored.crawl(lambda visit: answers.get(visit.url, OK), most=2 * len(PAGES)))
    assert set(asked) == waiting
    assert stored.problems() == []


def test_dates_that_are_there_stay(stored: Play) -> None:
    begin_steady(stored)
    while stored.frontier.schedules.pending:
        stored.lease()
    dates = due_dates(stored)
    assert set(dates) == set(PAGES)
    stored.clock.advance(100)
    begin_steady(stored)
    while stored.frontier.schedules.pending:
        stored.lease()
    assert due_dates(stored) == dates
    assert stored.problems() == []


def test_what_a_sitemap_said_meanwhile_is_due_at_once(stored: Play) -> None:
    row = stored.row(PAGES[3])
    assert row is not None
    row.hinted_ms = to_ms(stored.clock.now() - 10)
    state = stored.frontier.urls.state_of(row_key(PAGES[3]))
    assert state is not None
    stored.frontier.change(
        lambda batch, now: stored.frontier.urls.write(batch, state._replace(url=row), now)
    )
    begin_steady(stored)
    assert stored.crawl(most=1) == [PAGES[3]]


@pytest.mark.parametrize("killed_after", range(5))
def test_a_kill_while_dates_are_given_costs_nothing(
    stored: Play, monkeypatch: pytest.MonkeyPatch, killed_after: int
) -> None:
    monkeypatch.setattr(schedules, "_ROWS_AT_ONCE", 4)
    begin_steady(stored)
    leases = [stored.lease() for _ in range(killed_after)]
    assert leases == [None] * killed_after
    go_on_as(stored, STEADY, killed=True)
    assert stored.problems() == []
    assert stored.frontier.schedules.pending, "it goes on without being told"
    while stored.frontier.schedules.pending:
        stored.lease()
    assert marks(stored) == 0
    assert all(row.waiting and row.level > REVISIT for url in PAGES if (row := stored.row(url)))
    assert stored.problems() == []


def test_a_crawl_of_one_pass_that_takes_over_ends(
    stored: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedules, "_ROWS_AT_ONCE", 4)
    begin_steady(stored)
    stored.lease()
    go_on_as(stored, PlaySettings(FAST), killed=True)
    assert stored.crawl() == []
    assert stored.frontier.done()
    assert marks(stored) == 0
    assert stored.problems() == []


def test_pages_in_flight_are_dated_by_their_own_commit(stored: Play) -> None:
    stored.add(f"{A}/new")
    begin_steady(stored)
    lease = stored.next_page()
    assert lease is not None
    while stored.frontier.schedules.pending:
        stored.lease()
    stored.end(lease)
    assert stored.problems() == []
    row = stored.row(f"{A}/new")
    assert row is not None
    assert row.waiting


# --- a refresh ------------------------------------------------------------------------------------


def test_a_refresh_asks_for_every_stored_page_once_and_ends(stored: Play) -> None:
    stored.add(f"{A}/new")
    begin_refresh(stored)
    assert sorted(stored.crawl(lambda _: Answer(200, [link(f"{B}/found")]))) == sorted(PAGES)
    assert stored.frontier.done()
    assert stored.state(f"{A}/new") == stored.state(f"{B}/found") == "queued"
    assert stored.problems() == []
    go_on_as(stored, ONCE)
    assert sorted(stored.crawl()) == [f"{A}/new", f"{B}/found"]


def test_of_a_part_of_the_pages(stored: Play) -> None:
    site = site_of_key(row_key(f"{A}/"))
    begin_refresh(stored, Selection(site, site + b"\xff"))
    assert sorted(stored.crawl()) == sorted(url for url in PAGES if url.startswith(A))
    assert stored.problems() == []


def test_and_of_no_other_though_others_are_due(stored: Play) -> None:
    """A steady crawl was stopped long ago: its pages are due, and not meant."""
    begin_steady(stored)
    while stored.frontier.schedules.pending:
        stored.lease()
    stored.clock.advance(30 * DAY)
    site = site_of_key(row_key(f"{A}/"))
    begin_refresh(stored, Selection(site, site + b"\xff"))
    assert sorted(stored.crawl()) == sorted(url for url in PAGES if url.startswith(A))
    assert stored.problems() == []
    go_on_as(stored, STEADY)
    stored.frontier.change(stored.frontier.schedules.date_all)
    due = stored.crawl(most=8)
    assert sorted(due) == sorted(url for url in PAGES if url.startswith(B)), "they still are"


def test_nor_of_what_an_earlier_refresh_left(stored: Play) -> None:
    begin_refresh(stored)
    stored.crawl(most=5)
    stored.clock.advance(60)
    site = site_of_key(row_key(f"{A}/"))
    begin_refresh(stored, Selection(site, site + b"\xff"))
    assert sorted(stored.crawl()) == sorted(url for url in PAGES if url.startswith(A))
    stored.clock.advance(60)
    begin_refresh(stored)
    assert sorted(stored.crawl()) == sorted(PAGES)
    assert stored.problems() == []


def test_of_those_that_were_not_seen_for_long(stored: Play) -> None:
    before = stored.clock.now() - 60
    stored.submit(PAGES[2])
    assert stored.crawl() == [PAGES[2]]
    begin_refresh(stored, Selection(seen_before_ms=to_ms(before)))
    assert sorted(stored.crawl()) == sorted(set(PAGES) - {PAGES[2]})


def test_those_first_that_have_probably_changed(stored: Play) -> None:
    rates = {url: -8.0 - n for n, url in enumerate(PAGES[:8])}

    def learn(url: str) -> None:
        state = stored.frontier.urls.state_of(row_key(url))
        assert state is not None
        seen_ms = to_ms(stored.clock.now() - 3 * DAY)
        state.url.history = ChangeHistory(log_rate=rates[url], log_rate_sd=0.5, seen_ms=seen_ms)
        stored.frontier.change(lambda batch, now: stored.frontier.urls.write(batch, state, now))

    for url in rates:
        learn(url)
    site = site_of_key(row_key(f"{A}/"))
    begin_refresh(stored, Selection(site, site + b"\xff", changed_first=True))
    asked = stored.crawl()
    slow = asked[-5:]
    assert slow == PAGES[3:8], "the faster it changes, the sooner"
    assert sorted(asked) == PAGES[:8]


@pytest.mark.parametrize("killed_after", range(0, 20, 3))
def test_a_refresh_that_is_killed_is_taken_up_again(
    stored: Play, monkeypatch: pytest.MonkeyPatch, killed_after: int
) -> None:
    monkeypatch.setattr(schedules, "_ROWS_AT_ONCE", 4)
    begin_refresh(stored)
    first = stored.crawl(most=killed_after)
    stored.lease()
    stored.clock.advance(600)
    begin_refresh(stored, Selection(seen_before_ms=to_ms(stored.clock.now() - DAY)), killed=True)
    second = stored.crawl()
    assert sorted(first + second) == sorted(PAGES), "none is missed, none is asked for twice"
    assert stored.frontier.done()
    assert stored.problems() == []


@pytest.mark.parametrize("killed_after", range(4))
def test_a_kill_while_it_is_chosen_costs_nothing(
    stored: Play, monkeypatch: pytest.MonkeyPatch, killed_after: int
) -> None:
    monkeypatch.setattr(schedules, "_ROWS_AT_ONCE", 4)
    stored.frontier.close()
    stored.settings = REFRESH
    stored.open()
    chosen = stored.frontier.schedules
    stored.frontier.change(lambda batch, now: chosen.select(Selection(), batch, now))
    for _ in range(killed_after):
        stored.frontier.change(chosen.go_on)
    begin_refresh(stored, killed=True)
    assert sorted(stored.crawl()) == sorted(PAGES)
    assert marks(stored) == 0
    assert stored.problems() == []


def test_errors_are_tried_again_within_the_refresh(stored: Play) -> None:
    begin_refresh(stored)
    failing = Counter[str]()

    def answer(visit: object) -> Answer:
        url = str(getattr(visit, "url", ""))
        failing[url] += 1
        return Answer(500) if url == PAGES[1] and failing[url] < 3 else OK

    stored.crawl(answer)
    assert failing[PAGES[1]] == 3
    assert set(failing) == set(PAGES)
    assert stored.state(PAGES[1]).startswith("fetched/")
    assert stored.problems() == []


def test_what_is_given_up_and_what_is_no_page_is_left_out(stored: Play) -> None:
    stored.submit(PAGES[0])
    stored.crawl(lambda _: Answer(410))
    stored.frontier.change(
        lambda batch, now: stored.frontier.schedules.want_feed(feed_link(), True, batch, now)
    )
    stored.crawl()
    begin_refresh(stored)
    assert sorted(stored.crawl()) == sorted(PAGES[1:])


def test_a_page_that_somebody_wished_for_is_asked_for_once_and_first(stored: Play) -> None:
    stored.submit(PAGES[3])
    begin_refresh(stored)
    asked = stored.crawl()
    assert sorted(asked) == sorted(PAGES)
    assert next(url for url in asked if url.startswith(A)) == PAGES[3]
    go_on_as(stored, ONCE)
    assert stored.crawl() == []
    assert stored.problems() == []


def test_excluded_and_paused_hosts_are_not_asked(stored: Play) -> None:
    stored.frontier.commands.exclude(stored.host(A), excluded=True)
    stored.frontier.commands.finish()
    begin_refresh(stored)
    assert sorted(stored.crawl()) == sorted(url for url in PAGES if url.startswith(B))
    assert stored.frontier.done()
    assert stored.problems() == []


# --- feeds ----------------------------------------------------------------------------------------

FEED = f"{A}/feed.xml"


def feed_link(url: str = FEED) -> Link:
    return link(url, rel=int(Rel.FEED), priority=1.0, source=LinkSource.FEED)


def want(play: Play, wanted: bool, url: str = FEED) -> None:
    """As `Engine.want_feed` does: what the desk says follows from it."""
    source_schedule = play.settings.seams.source_schedule
    assert isinstance(source_schedule, PlainDesk)
    source_schedule.removed = not wanted
    play.frontier.change(
        lambda batch, now: play.frontier.schedules.want_feed(feed_link(url), wanted, batch, now)
    )


@pytest.fixture(params=[Mode.NEW, Mode.STEADY])
def fed(request: pytest.FixtureRequest, table: RocksTable, clock: FakeClock) -> Play:
    """A crawl in either mode, with a desk of its own."""
    return Play(table, clock, crawling(request.param))


def test_a_feed_that_is_added_is_asked_for_as_one(fed: Play) -> None:
    want(fed, wanted=True)
    lease = fed.next_page()
    assert lease is not None
    assert (lease.visit.url, lease.visit.kind) == (FEED, VisitKind.FEED)
    fed.end(lease)
    row = fed.row(FEED)
    assert row is not None
    assert row.waiting is (fed.frontier.allowance.mode is Mode.STEADY)
    assert fed.problems() == []


def test_said_twice_it_does_no_harm(fed: Play) -> None:
    for wanted in (True, True, False, False, True, True):
        want(fed, wanted)
        assert fed.problems() == []
    assert fed.crawl(most=1) == [FEED]
    for wanted in (True, True, False, False, True, True):
        want(fed, wanted)
        assert fed.problems() == []
    assert fed.crawl(most=1) == [FEED], "added again, it is asked for at once"


def test_one_that_is_removed_is_not_asked_for(fed: Play) -> None:
    want(fed, wanted=True)
    want(fed, wanted=False)
    assert fed.state(FEED) == "excluded/feed"
    row = fed.row(FEED)
    assert row is not None
    assert "shoal feed add" in row.reason
    fed.add(f"{A}/1")
    assert fed.crawl(lambda _: Answer(200, [link(FEED)]), most=1) == [f"{A}/1"]
    assert fed.state(FEED) == "excluded/feed", "a link does not bring it back"
    assert fed.lease() is None
    assert fed.problems() == []


@pytest.mark.parametrize("was_read", [False, True])
def test_nor_by_the_next_steady_crawl(table: RocksTable, clock: FakeClock, was_read: bool) -> None:
    play = Play(table, clock, crawling())
    want(play, wanted=True)
    if was_read:
        play.crawl(most=1)
    want(play, wanted=False)
    for killed in (False, True):
        clock.advance(2 * DAY)
        go_on_as(play, play.settings, killed=killed)
        play.frontier.change(play.frontier.schedules.date_all)
        while play.frontier.schedules.pending:
            assert play.lease() is None
        assert play.lease() is None
        assert play.problems() == []
    want(play, wanted=True)
    assert play.crawl(most=1) == [FEED], "unless it is wanted again"
    assert play.problems() == []


ANSWERS = [OK, Answer(304), Answer(404), Answer(410), Answer(500), NO_CONNECTION]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_order_while_it_is_in_flight(fed: Play, answer: Answer) -> None:
    want(fed, wanted=True)
    lease = fed.next_page()
    assert lease is not None
    want(fed, wanted=False)
    assert fed.problems() == []
    fed.end(lease, answer)
    assert fed.problems() == []
    for _ in range(4):  # what is left of its tries, each after a wait
        fed.clock.advance(40 * DAY)
        if (again := fed.lease()) is not None:
            fed.end(again, answer)
    row = fed.row(FEED)
    assert row is not None
    assert not row.waiting, "and no more"
    assert fed.problems() == []


@pytest.mark.parametrize("mode", [Mode.NEW, Mode.STEADY])
def test_a_page_that_is_in_flight_when_it_is_added_as_a_feed(
    table: RocksTable, clock: FakeClock, mode: Mode
) -> None:
    play = Play(table, clock, crawling(mode, every=DAY))
    play.add(FEED)
    lease = play.next_page()
    assert lease is not None
    assert lease.visit.kind is VisitKind.PAGE
    want(play, wanted=True)
    play.end(lease)
    row = play.row(FEED)
    assert row is not None
    assert row.kind is VisitKind.FEED, "the order is not lost"
    assert play.problems() == []
    if mode is Mode.STEADY:
        clock.advance(2 * DAY)
        again = play.next_page()
        assert again is not None
        assert (again.visit.url, again.visit.kind) == (FEED, VisitKind.FEED)


def test_a_page_that_turns_out_to_be_a_feed_is_polled_when_its_desk_says(
    table: RocksTable, clock: FakeClock
) -> None:
    play = Play(table, clock, crawling(every=DAY))
    play.add(FEED)
    assert play.crawl(most=1) == [FEED]
    before = play.row(FEED)
    assert before is not None
    assert before.history is not None
    source_schedule = play.settings.seams.source_schedule
    assert isinstance(source_schedule, PlainDesk)
    source_schedule.adopts, source_schedule.seconds = True, 300.0
    clock.advance(2 * DAY)
    lease = play.next_page()
    assert lease is not None
    assert lease.visit.kind is VisitKind.PAGE
    play.end(lease)
    now, row = clock.now(), play.row(FEED)
    assert row is not None
    assert (row.kind, row.due_ms) == (VisitKind.FEED, to_ms(now + 300.0))
    assert row.history is None, "how a page changes says nothing of a feed"
    assert play.lease() is None, "not at once: its links were just read"
    clock.advance(301.0)
    again = play.next_page()
    assert again is not None
    assert again.visit.kind is VisitKind.FEED
    play.end(again)
    assert play.problems() == []


def test_a_page_that_is_added_as_a_feed_has_no_life_of_a_page(
    table: RocksTable, clock: FakeClock
) -> None:
    play = Play(table, clock, crawling(every=DAY))
    play.add(FEED)
    assert play.crawl(most=1) == [FEED]
    want(play, wanted=True)
    row = play.row(FEED)
    assert row is not None
    assert (row.kind, row.history) == (VisitKind.FEED, None)


def test_an_article_that_bears_the_url_of_a_feed_does_not_end_its_polls(
    table: RocksTable, clock: FakeClock
) -> None:
    play = Play(table, clock, crawling())
    want(play, wanted=True)
    assert play.crawl(most=1) == [FEED]
    before = play.row(FEED)
    assert before is not None
    visit = Visit(FEED, row_key(FEED), play.site(FEED), VisitKind.INJECTED, source=LinkSource.FEED)
    play.finish(visit, Fetched(Outcome.OK, 200), OK)
    row = play.row(FEED)
    assert row is not None
    assert (row.waiting, row.due_ms, row.history) == (True, before.due_ms, None)
    assert play.problems() == []


def test_a_feed_of_an_excluded_host_waits_until_the_host_is_wanted(fed: Play) -> None:
    fed.frontier.commands.exclude(fed.host(A), excluded=True)
    want(fed, wanted=True)
    assert fed.lease() is None
    assert fed.state(FEED) == "excluded/by hand"
    if fed.frontier.allowance.mode is Mode.STEADY:
        fed.frontier.change(fed.frontier.schedules.date_all)
        while fed.frontier.schedules.pending:
            fed.lease()
    fed.frontier.commands.exclude(fed.host(A), excluded=False)
    assert fed.crawl(most=1) == [FEED]
    assert fed.problems() == []


def test_what_was_refused_on_a_later_visit_is_queued_once_when_it_is_allowed(
    table: RocksTable, clock: FakeClock
) -> None:
    """A lesson refuses a page that waits for its next date; then the lesson is unlearned."""
    refusals = {"why": ""}
    settings = crawling(every=10.0)
    seams = Seams(refresher=Every(10.0), learned=lambda _visit: refusals["why"])
    play = Play(table, clock, replace(settings, seams=seams))
    play.add(f"{A}/1")
    play.crawl(most=1)
    refusals["why"] = "pattern: nothing new is there"
    play.crawl(most=1)
    assert play.state(f"{A}/1") == "excluded/pattern"
    play.add(f"{B}/1")
    lease = play.next_page()
    assert lease is not None
    fetched = play.release(lease, OK)
    refusals["why"] = ""
    batch = table.batch()
    understood = Understood([Document()])
    verdict = Verdict(understood.documents, revoked=[play.site(A)])
    play.frontier.finish(batch, lease.visit, fetched, understood, verdict)
    table.write(batch)
    assert f"{A}/1" in play.crawl(most=1)
    assert play.problems() == []
    assert play.state(f"{A}/1").startswith("fetched/")
