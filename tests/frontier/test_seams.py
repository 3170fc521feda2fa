"""What later parts and people do to a frontier: pause, raise, submit, inject, refresh, own."""

from dataclasses import replace

import pytest

from shoal.frontier.background.revisit_dates import Selection
from shoal.frontier.outcome.missing import MissingSettings
from shoal.frontier.schedule.allowance import Mode, RevisitSettings
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.cell import to_ms
from shoal.model.change_history import Change, ChangeHistory
from shoal.model.document import Document, Fate, Understood
from shoal.model.link import LinkSource
from shoal.model.messages import Linked
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key
from shoal.model.verdict import Verdict
from shoal.model.visit import Fetched, Keep, Visit, VisitKind
from shoal.ports import Batch
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import NO_CONNECTION, OK, Answer, Play, PlaySettings, link, rules
from tests.frontier.remote_tablets import Away
from tests.frontier.revisits import go_on_as

A, B = "ftp://a.test", "ftp://b.test"
FAST = FrontierSettings(seed=1, politeness=Politeness(delay=0, delay_factor=0, address_share=0))


# --- pause --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "site",
    ["http://a.test", "https://a.test", "http://a.test:8080", "http://a+b.test", A, "file:///d"],
)
def test_a_paused_host_is_left_alone_until_it_is_resumed(play: Play, site: str) -> None:
    play.add(f"{site}/1", f"{site}/2")
    first = play.next_page()
    assert first is not None
    host = play.host(f"{site}/1")
    play.frontier.commands.pause(host, paused=True)
    play.end(first)
    play.add(f"{site}/3", f"{B}/1")
    assert play.crawl() == [f"{B}/1"]
    assert play.frontier.done(), "a paused host keeps no crawl from ending"
    assert play.problems() == []
    play.frontier.commands.pause(host, paused=False)
    assert not play.frontier.done()
    assert play.crawl() == [f"{site}/2", f"{site}/3"]
    assert play.problems() == []


def test_a_pause_survives_a_restart(play: Play) -> None:
    play.add(f"{A}/1")
    play.frontier.commands.pause(play.host(A), paused=True)
    play.frontier.close()
    play.open()
    play.add(f"{A}/2")
    assert play.crawl() == []
    play.frontier.commands.pause(play.host(A), paused=False)
    assert play.crawl() == [f"{A}/1", f"{A}/2"]


def test_a_host_nobody_knows_can_be_paused_in_advance(play: Play) -> None:
    play.frontier.commands.pause(play.host("http://a.test"), paused=True)
    play.add("http://a.test/", "https://a.test/")
    assert play.crawl() == []
    assert play.log == []


def test_resuming_does_not_shorten_a_wait(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"), Answer(503, headers=[("retry-after", "100")]))
    play.frontier.commands.pause(play.host(A), paused=True)
    assert play.lease() is None
    play.frontier.commands.pause(play.host(A), paused=False)
    play.clock.advance(99)
    assert play.lease() is None
    play.clock.advance(2)
    assert play.lease() is not None


# --- raise and submit ---------------------------------------------------------------------------


def test_a_url_that_waits_is_raised(play: Play) -> None:
    play.add(*(f"{A}/{n}" for n in range(5)))
    assert play.frontier.raise_url(row_key(f"{A}/3"), 0.9)
    assert not play.frontier.raise_url(row_key(f"{A}/3"), 0.9), "it is there already"
    assert not play.frontier.raise_url(row_key(f"{A}/4"), 0.1), "that would be later"
    assert not play.frontier.raise_url(row_key(f"{A}/unknown"), 1.0)
    assert play.frontier.raise_url(row_key(f"{A}/2/"), 1.0), "its slash makes no difference"
    assert play.crawl() == [f"{A}/{n}" for n in (2, 3, 0, 1, 4)]
    assert play.problems() == []


def test_one_that_is_in_flight_or_answered_is_not_raised_by_links(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    lease = play.expect(f"{A}/1")
    assert not play.frontier.raise_url(row_key(f"{A}/1"), 1.0)
    play.end(lease)
    assert not play.frontier.raise_url(row_key(f"{A}/1"), 0.9)
    assert play.crawl() == [f"{A}/2"]


def test_a_person_may_wish_for_one_that_was_fetched_again(play: Play) -> None:
    play.add(f"{A}/1")
    play.crawl(lambda _: Answer(200, headers=[("etag", '"v1"')]))
    assert play.submit(f"{A}/1") == 0
    assert play.state(f"{A}/1").startswith("fetched/"), "it still is, while it waits"
    lease = play.next_page()
    assert lease is not None
    assert lease.visit.etag == '"v1"'
    play.end(lease, Answer(304))
    assert play.state(f"{A}/1") == "fetched/waiting for the index", "it is the page that it was"
    assert play.problems() == []


@pytest.mark.parametrize("reason", ["scope: elsewhere", "nofollow: said so", "depth: 9"])
def test_or_for_one_that_was_excluded(play: Play, reason: str) -> None:
    play.frontier.add([link(f"{A}/1", excluded=reason)])
    assert play.submit(f"{A}/1") == 0
    assert play.crawl() == [f"{A}/1"]
    assert play.state(f"{A}/1").startswith("fetched/")
    assert play.problems() == []


def test_or_for_one_that_failed(play: Play) -> None:
    play.add(f"{A}/1")
    play.crawl(lambda _: NO_CONNECTION)
    assert play.state(f"{A}/1") == "failed/connect"
    play.clock.advance(4000)
    play.submit(f"{A}/1")
    assert play.crawl() == [f"{A}/1"]


def test_robots_is_obeyed_even_then(play: Play) -> None:
    play.robots = lambda _: Answer(200, robots=rules("User-agent: *\nDisallow: /"))
    play.submit("http://a.test/1")
    play.submit("http://a.test/1")
    play.crawl()
    assert play.state("http://a.test/1") == "excluded/robots"
    assert [event.url for event in play.log if event.asked] == ["http://a.test/robots.txt"]


def test_a_wish_for_a_new_url_overrules_the_scope(play: Play) -> None:
    wish = link(f"{A}/1", source=LinkSource.SUBMIT, excluded="scope: elsewhere")
    assert play.frontier.add([wish]) == 1
    assert play.crawl() == [f"{A}/1"]


def test_a_wish_for_one_in_flight_is_being_fulfilled(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    lease = play.expect(f"{A}/1")
    play.submit(f"{A}/1")
    fetched = play.release(lease, OK)
    play.clock.advance(10)
    play.expect(f"{A}/2")
    play.finish(lease.visit, fetched, OK)
    assert play.problems() == []


# --- documents that come another way -------------------------------------------------------------


def inject(play: Play, url: str, understood: Understood) -> list[bytes]:
    row = row_key(url)
    visit = Visit(url, row, play.site(url), VisitKind.INJECTED, source=LinkSource.INJECT)
    now = play.clock.now()
    batch = play.table.batch()
    fetched = Fetched(Outcome.OK, started=now, ended=now, body=b"given")
    verdict = Verdict(understood.documents)
    finished = play.frontier.finish(batch, visit, fetched, understood, verdict)
    play.table.write(batch)
    return list(finished.targets)


def test_an_injected_document_is_counted_and_its_links_are_followed(play: Play) -> None:
    understood = Understood([Document(fate=Fate.WAITING)], [link(f"{A}/linked")])
    assert inject(play, "mail:anna/1", understood) == [row_key(f"{A}/linked")]
    row = play.row("mail:anna/1")
    assert row is not None
    assert (row.state, row.source, row.depth) == ("fetched", LinkSource.INJECT, 1)
    assert play.crawl() == [f"{A}/linked"]
    assert play.frontier.counts["total/requests"] == 1, "nobody was asked for it"
    assert play.problems() == []


def test_injecting_a_url_that_waits_takes_it_from_the_queue(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"))
    inject(play, f"{A}/2", Understood([Document()]))
    assert play.frontier.done()
    assert play.problems() == []


def test_injecting_one_that_is_in_flight_harms_neither(play: Play) -> None:
    play.add(f"{A}/1")
    lease = play.expect(f"{A}/1")
    inject(play, f"{A}/1", Understood([Document()]))
    assert not play.frontier.done(), "it is still being asked"
    play.end(lease)
    assert play.problems() == []
    assert play.frontier.done()


@pytest.mark.parametrize(("asked", "row"), [("/1", "/1"), ("/1/", "/1/")])
def test_of_two_spellings_that_are_both_pages_each_means_itself(
    play: Play, asked: str, row: str
) -> None:
    """Where both were brought in from outside, and no cache remembers one of them."""
    inject(play, f"{A}/1", Understood([Document()]))
    inject(play, f"{A}/1/", Understood([Document()]))
    play.open()
    assert play.frontier.urls.row_of(row_key(A + asked)) == row_key(A + row)


def test_one_visit_may_yield_many_documents(play: Play) -> None:
    play.add(f"{A}/box.zip")
    parts = [Document(), Document(name="!/a.txt"), Document(name="!/b.txt", fate=Fate.EMPTY)]
    assert play.crawl(lambda _: Answer(200, documents=parts)) == [f"{A}/box.zip"]
    assert play.state(f"{A}/box.zip!/a.txt") == "fetched/waiting for the index"
    assert play.state(f"{A}/box.zip!/b.txt") == "fetched/empty"
    assert play.frontier.counts.discovered == 3
    play.submit(f"{A}/box.zip")
    play.crawl(lambda _: Answer(200, documents=parts[:2]))
    assert play.frontier.counts.discovered == 3
    assert play.problems() == []


def test_a_part_that_waits_under_its_own_url_waits_no_more(play: Play) -> None:
    play.add(f"{A}/box.zip", f"{A}/box.zip!/a.txt")
    parts = [Document(), Document(name="!/a.txt")]
    assert play.crawl(lambda _: Answer(200, documents=parts)) == [f"{A}/box.zip"]
    assert play.problems() == []


# --- refresh, keep, own -------------------------------------------------------------------------


class Daily:
    """A Refresher: look again after a day."""

    def learn(
        self,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        resemblance: float,
        history: ChangeHistory | None,
    ) -> tuple[ChangeHistory, Change]:
        del visit, understood, resemblance
        observed = 0 if history is None else history.observed + 1
        return ChangeHistory(observed=observed, seen_ms=to_ms(fetched.ended)), Change.UNKNOWN

    def plan(self, batch: Batch, row: bytes, history: ChangeHistory, now: float) -> float | None:
        del batch, row, history
        return now + 86_400

    def forget(self, batch: Batch, history: ChangeHistory) -> None:
        """Nothing is."""


def steady(*, mode: Mode = Mode.STEADY) -> PlaySettings:
    missing = MissingSettings(asks_again=mode is Mode.STEADY)
    return PlaySettings(
        replace(FAST, revisits=RevisitSettings(mode), missing=missing), Seams(refresher=Daily())
    )


def test_a_refresher_says_when_to_look_again(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, steady())
    play.add(f"{A}/1")
    assert play.crawl(most=1) == [f"{A}/1"]
    assert not play.frontier.done(), "it goes on for ever"
    row = play.row(f"{A}/1")
    assert row is not None
    assert row.waiting
    clock.advance(86_390)
    play.add(f"{A}/2")
    assert play.crawl(most=1) == [f"{A}/2"]
    clock.advance(11)
    assert play.crawl(lambda _: Answer(404), most=1) == [f"{A}/1"]
    assert play.state(f"{A}/1") == "gone/404"
    assert play.problems() == []


def test_a_crawl_of_one_pass_leaves_revisits_where_they_are(
    table: RocksTable, clock: FakeClock
) -> None:
    play = Play(table, clock, steady())
    play.add(f"{A}/1")
    assert play.crawl(most=1) == [f"{A}/1"]
    play.frontier.close()
    clock.advance(90_000)
    play.settings = PlaySettings(FAST)
    play.open()
    play.add(f"{A}/2")
    assert play.crawl() == [f"{A}/2"], "the other is due, but not in this crawl"
    assert play.frontier.done()
    assert play.problems() == []
    play.frontier.close()
    play.settings = steady()
    play.open()
    assert play.crawl(most=1) == [f"{A}/1"]
    assert play.problems() == []


def test_a_refresh_takes_what_was_chosen_for_it_and_nothing_else(
    table: RocksTable, clock: FakeClock
) -> None:
    play = Play(table, clock, steady())
    play.add(f"{A}/1", f"{A}/2")
    assert play.crawl(most=2) == [f"{A}/1", f"{A}/2"]
    clock.advance(86_395)
    play.add(f"{A}/3")
    assert play.crawl(most=1) == [f"{A}/3"]
    play.add(f"{A}/new")
    clock.advance(10)
    go_on_as(play, steady(mode=Mode.REFRESH), Selection(seen_before_ms=to_ms(clock.now() - 3_600)))
    assert sorted(play.crawl()) == [f"{A}/1", f"{A}/2"]
    assert play.frontier.done()
    assert play.state(f"{A}/new") == "queued"
    assert play.problems() == []


def test_a_refresh_goes_on_to_where_a_page_has_moved(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, steady())
    play.add(f"{A}/1")
    assert play.crawl(most=1) == [f"{A}/1"]
    play.add(f"{A}/new")
    play.frontier.close()
    play.settings = steady(mode=Mode.REFRESH)
    play.open()
    frontier = play.frontier
    frontier.change(lambda batch, now: frontier.schedules.select(Selection(), batch, now))
    while frontier.schedules.pending:
        frontier.change(frontier.schedules.go_on)
    moved = Answer(301, links=[link(f"{A}/2", source=LinkSource.REDIRECT)])
    asked = play.crawl(lambda visit: moved if visit.url == f"{A}/1" else OK)
    assert asked == [f"{A}/1", f"{A}/2"], "where it went, and nothing else that is new"
    assert play.state(f"{A}/new") == "queued"
    assert play.problems() == []


def test_the_archive_is_told_of_the_body_that_is_stored(play: Play) -> None:
    """The date is that of the first record with this body: a revisit refers to it."""
    play.add(f"{A}/1")
    same = Answer(200, documents=[Document(body_digest="sha1:AAA")])
    began = play.clock.now()
    play.crawl(lambda _: same)
    for _ in range(2):
        play.clock.advance(100)
        play.submit(f"{A}/1")
        lease = play.next_page()
        assert lease is not None
        assert (lease.visit.seen_digest, lease.visit.seen_at) == ("sha1:AAA", began)
        play.end(lease, same)
    play.submit(f"{A}/1")
    changed = play.clock.now()
    play.clock.advance(100)
    changed = play.clock.now()
    play.crawl(lambda _: Answer(200, documents=[Document(body_digest="sha1:BBB")]))
    play.submit(f"{A}/1")
    lease = play.next_page()
    assert lease is not None
    assert (lease.visit.seen_digest, lease.visit.seen_at) == ("sha1:BBB", changed)


def test_what_is_kept_is_told_with_each_visit(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, PlaySettings(replace(FAST, keep=Keep.TEXT)))
    play.add(f"{A}/1")
    assert play.expect(f"{A}/1").visit.keep is Keep.TEXT


def test_links_to_a_site_of_another_tablet_go_to_the_outbox(
    table: RocksTable, clock: FakeClock
) -> None:
    away = Away(b"test,b")
    play = Play(table, clock, PlaySettings(FAST, Seams(remote=away)))
    assert play.add(f"{A}/1", f"{B}/1") == 1
    lease = play.expect(f"{A}/1")
    links = [link(f"{B}/2", text="b"), link(f"{A}/2"), link(f"{B}/2", text="again")]
    assert play.end(lease, Answer(200, links)) == [b"", row_key(f"{A}/2"), b""]
    seed, found = [item for item in away.sent if isinstance(item, Linked)]
    assert [(each.url, each.text) for each in seed.links] == [(f"{B}/1", "")]
    assert [(each.url, each.text) for each in found.links] == [(f"{B}/2", "b"), (f"{B}/2", "again")]
    assert (seed.depth, seed.source) == (1, b"")
    assert (found.depth, found.source) == (2, row_key(f"{A}/1"))
    assert play.row(f"{B}/1") is None
    assert play.crawl() == [f"{A}/2"]
    assert play.problems() == []


def test_what_some_read_at_another_tablet_names_nothing_here(
    table: RocksTable, clock: FakeClock
) -> None:
    play = Play(table, clock, PlaySettings(FAST, Seams(remote=Away(b"test,b"))))
    play.add(f"{A}/1")
    item = Linked([link(f"{A}/1"), link(f"{A}/2")], 1, 0, row_key(f"{B}/1"), 1, readers=["ann"])
    found: list[bytes] = []
    play.frontier.change(
        lambda batch, now: found.extend(play.frontier.inbound.take_linked(batch, item, now))
    )
    assert found == [row_key(f"{A}/1"), row_key(f"{A}/2")]
    assert play.row(f"{A}/2") is None
    assert play.crawl() == [f"{A}/1"]
    assert play.problems() == []


def test_many_seeds_come_in_bounded_batches(table: RocksTable, clock: FakeClock) -> None:
    """Also from a source that never says how many there are; each is durable on return."""
    play = Play(table, clock, PlaySettings(FAST))
    assert play.frontier.add(link(f"{A}/{n}") for n in range(2_500)) == 2_500
    play.open()
    assert play.frontier.counts["queued"] == 2_500
    assert play.problems() == []
