"""What sitemaps and feeds name: URLs by the thousand, and hints about those that are known."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shoal.frontier.outcome.reach import Reach
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.sources import listings as namings
from shoal.frontier.sources.listings import trust
from shoal.frontier.state.rows import LISTING_MARK, SiteRow, after_mark
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.change_history import Change
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.listings.listing import ListedUrl
from shoal.model.visit import Visit, VisitKind
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import OK, Answer, Play, PlaySettings, link, moved, rules
from tests.frontier.revisits import DAY, FAST, Every, PlainDesk, crawling, go_on_as

A, B = "http://a.test", "http://b.test"
MAP = f"{A}/sitemap.xml"
READS = replace(FAST, reach=Reach(sitemaps=True))


def names(
    *urls: str, modified: float = 0.0, change_seconds: float = 0.0, priority: float = 0.5
) -> list[ListedUrl]:
    links = [link(url, source=LinkSource.SITEMAP) for url in urls]
    return [ListedUrl(each, modified, change_seconds, priority) for each in links]


def below(*urls: str) -> list[Link]:
    return [link(url, source=LinkSource.SITEMAP, rel=int(Rel.SITEMAP)) for url in urls]


def start(
    table: RocksTable,
    clock: FakeClock,
    mode: Mode = Mode.NEW,
    frontier: FrontierSettings = READS,
    change: Change = Change.NONE,
) -> Play:
    """A site with a first page, and a robots.txt that names a sitemap."""
    settings = crawling(mode, frontier=frontier)
    refresher = Every(change=change)
    refresher.plans = mode is Mode.STEADY
    seams = Seams(refresher=refresher, source_schedule=PlainDesk(plans=mode is Mode.STEADY))
    play = Play(table, clock, PlaySettings(settings.frontier, seams))
    play.robots = lambda _visit: Answer(200, robots=rules(f"Sitemap: {MAP}\n"))
    play.add(f"{A}/")
    return play


def site(*files: tuple[str, Answer]) -> Callable[[Visit], Answer]:
    answers = dict(files)
    return lambda visit: answers.get(visit.url, OK)


def parcels(play: Play) -> int:
    return sum(1 for _ in play.table.scan("queue", LISTING_MARK, after_mark(LISTING_MARK)))


# --- what is found --------------------------------------------------------------------------------


def test_the_sitemap_that_robots_names_is_read_and_its_pages_are_fetched(
    table: RocksTable, clock: FakeClock
) -> None:
    play = start(table, clock)
    asked = play.crawl(site((MAP, Answer(named=names(f"{A}/1", f"{A}/2", f"{B}/3")))))
    assert sorted(asked) == sorted([f"{A}/", MAP, f"{A}/1", f"{A}/2", f"{B}/3"])
    assert next(each.kind for each in play.log if each.url == MAP) is VisitKind.SITEMAP
    assert play.state(MAP) == "source/sitemap"
    row = play.row(f"{A}/1")
    assert row is not None
    assert (row.source, row.depth) == (LinkSource.SITEMAP, 2)
    assert play.problems() == []
    assert parcels(play) == 0


def test_a_crawl_that_uses_none_reads_none(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock, frontier=FAST)
    assert play.crawl() == [f"{A}/"]


def test_an_index_leads_to_sitemaps_but_not_for_ever(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)

    def answer(visit: Visit) -> Answer:
        if visit.kind is not VisitKind.SITEMAP:
            return OK
        depth = visit.depth
        return Answer(below=below(f"{A}/{depth}.xml"), named=names(f"{A}/page-{depth}"))

    asked = play.crawl(answer)
    files = [url for url in asked if url.endswith(".xml")]
    assert files == [MAP, f"{A}/1.xml", f"{A}/2.xml", f"{A}/3.xml"], "two indexes below the first"
    assert {f"{A}/page-{depth}" for depth in (1, 2, 3, 4)} <= set(asked)
    assert play.problems() == []


def test_a_sitemap_that_names_itself_or_its_index_ends(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    asked = play.crawl(site((MAP, Answer(below=below(MAP, f"{A}/robots.txt"), named=names(MAP)))))
    assert asked.count(MAP) == 1
    assert play.problems() == []


def test_one_that_moved_is_read_where_it_went(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    new = f"{A}/maps/new.xml"
    asked = play.crawl(site((MAP, Answer(301, [moved(new)])), (new, Answer(named=names(f"{A}/1")))))
    assert asked[-1] == f"{A}/1"
    assert next(each.kind for each in play.log if each.url == new) is VisitKind.SITEMAP


def test_robots_may_forbid_pages_that_a_sitemap_names_but_not_the_sitemap_it_names(
    table: RocksTable, clock: FakeClock
) -> None:
    play = start(table, clock)
    text = f"User-agent: *\nDisallow: /no\nDisallow: /sitemap\nSitemap: {MAP}\n"
    play.robots = lambda _visit: Answer(200, robots=rules(text))
    play.crawl(site((MAP, Answer(named=names(f"{A}/no/1", f"{A}/yes")))))
    asked = {event.url for event in play.log if event.asked}
    assert asked == {f"{A}/robots.txt", f"{A}/", MAP, f"{A}/yes"}
    assert play.state(f"{A}/no/1") == "excluded/robots"
    assert play.problems() == []


def test_what_the_scope_refuses_is_refused(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    named = [ListedUrl(link(f"{B}/1", source=LinkSource.SITEMAP, excluded="scope: elsewhere"))]
    assert f"{B}/1" not in play.crawl(site((MAP, Answer(named=named))))
    assert play.state(f"{B}/1") == "excluded/scope"


def test_priority_counts_where_the_crawl_goes_by_it(table: RocksTable, clock: FakeClock) -> None:
    named = [*names(f"{A}/low", priority=0.1), *names(f"{A}/high", priority=0.9)]
    play = start(table, clock, frontier=replace(READS, by_priority=True))
    asked = play.crawl(site((MAP, Answer(named=named))))
    assert asked == [MAP, f"{A}/high", f"{A}/", f"{A}/low"]


# --- many -----------------------------------------------------------------------------------------


def test_many_come_in_parcels_and_pages_are_fetched_meanwhile(
    table: RocksTable, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namings, "_AT_ONCE", 10)
    play = start(table, clock)
    urls = [f"{A}/{n:03}" for n in range(95)]
    answer = site((MAP, Answer(named=names(*urls))))
    while MAP not in play.crawl(answer, most=1):
        assert not play.frontier.done()
    assert parcels(play) == 10
    play.crawl(answer, most=1)
    assert parcels(play) == 9, "one parcel at a time"
    play.crawl(answer)
    assert all(play.state(url).startswith("fetched/") for url in urls)
    assert parcels(play) == 0
    assert play.problems() == []


@pytest.mark.parametrize("killed_after", range(0, 10, 2))
def test_a_kill_between_parcels_costs_nothing(
    table: RocksTable, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, killed_after: int
) -> None:
    monkeypatch.setattr(namings, "_AT_ONCE", 10)
    play = start(table, clock)
    urls = [f"{A}/{n:03}" for n in range(95)]
    answer = site((MAP, Answer(named=names(*urls))))
    while MAP not in play.crawl(answer, most=1):
        pass
    for _ in range(killed_after):
        play.lease()
    go_on_as(play, play.settings, killed=True)
    assert play.problems() == []
    assert set(urls) <= set(play.crawl(answer))
    assert play.frontier.counts.total("fetched/") == len(urls) + 1
    assert play.problems() == []


def test_no_more_than_so_many_of_one_site_are_taken(
    table: RocksTable, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namings, "_AT_ONCE", 10)
    play = start(table, clock, frontier=replace(READS, sitemap_urls=20))
    other = f"{A}/other.xml"
    play.robots = lambda _visit: Answer(200, robots=rules(f"Sitemap: {MAP}\nSitemap: {other}\n"))
    many = Answer(named=names(*(f"{A}/{n}" for n in range(100))))
    more = Answer(named=names(*(f"{A}/more/{n}" for n in range(100))))
    play.crawl(site((MAP, many), (other, more)))
    assert play.frontier.counts.total("fetched/") == 20 + 1
    assert play.problems() == []


def test_a_sitemap_that_is_read_again_and_again_still_brings_what_is_new(
    table: RocksTable, clock: FakeClock
) -> None:
    play = start(table, clock, Mode.STEADY, replace(READS, sitemap_urls=12))
    urls = [f"{A}/{n}" for n in range(5)]
    for n in range(4):
        named = names(*urls, f"{A}/new/{n}")
        while MAP not in play.crawl(site((MAP, Answer(named=named))), most=1):
            pass
    play.crawl(most=5)
    known = [n for n in range(4) if play.state(f"{A}/new/{n}") != "unknown"]
    assert known == [0, 1, 2, 3], "those that are known count once"
    assert play.problems() == []


# --- hints ----------------------------------------------------------------------------------------


def read_map(play: Play, named: list[ListedUrl]) -> None:
    """The sitemap's next visit says this."""
    while MAP not in play.crawl(site((MAP, Answer(named=named))), most=1):
        pass
    while parcels(play):
        play.frontier.change(play.frontier._listings.go_on)
    assert play.problems() == []


@pytest.fixture
def hinted(table: RocksTable, clock: FakeClock) -> Play:
    """A steady crawl that has fetched what its sitemap names, just after it read that again."""
    play = start(table, clock, Mode.STEADY)
    play.settings.seams.refresher.seconds = 30 * DAY  # type: ignore[union-attr]
    read_map(play, names(f"{A}/1", f"{A}/2"))
    play.crawl(most=2)
    clock.advance(3_600)
    return play


def due_in(play: Play, url: str) -> float:
    row = play.row(url)
    assert row is not None
    assert row.waiting
    return row.due_ms / 1000 - play.clock.now()


def test_a_page_that_changed_by_its_sitemap_is_due_at_once(hinted: Play) -> None:
    changed = hinted.clock.now() - 60
    read_map(hinted, [*names(f"{A}/1", modified=changed), *names(f"{A}/2")])
    assert due_in(hinted, f"{A}/1") <= 0
    assert due_in(hinted, f"{A}/2") > 20 * DAY
    row = hinted.row(f"{A}/1")
    assert row is not None
    assert row.hinted_ms == round(changed * 1000)


@pytest.mark.parametrize("ago", [7_200.0, -10 * DAY, 2e9])
def test_a_change_before_the_last_visit_or_in_the_future_is_none(hinted: Play, ago: float) -> None:
    read_map(hinted, names(f"{A}/1", modified=hinted.clock.now() - ago))
    assert due_in(hinted, f"{A}/1") > 20 * DAY


def test_the_same_hint_is_not_taken_twice(hinted: Play) -> None:
    named = names(f"{A}/1", modified=hinted.clock.now() - 60)
    read_map(hinted, named)
    while f"{A}/1" not in hinted.crawl(most=1):
        pass
    row = hinted.row(f"{A}/1")
    assert row is not None
    assert row.hinted_ms == 0
    read_map(hinted, named)
    assert due_in(hinted, f"{A}/1") > 20 * DAY


@pytest.mark.parametrize(("change", "is_trusted"), [(Change.NONE, False), (Change.MAJOR, True)])
def test_a_site_is_believed_as_far_as_it_was_right(
    table: RocksTable, clock: FakeClock, change: Change, is_trusted: bool
) -> None:
    play = start(table, clock, Mode.STEADY, change=change)
    play.settings.seams.refresher.seconds = 300 * DAY  # type: ignore[union-attr]
    urls = [f"{A}/{n}" for n in range(8)]
    read_map(play, names(*urls))
    play.crawl(most=9)
    for _ in range(6):
        clock.advance(3_600)
        read_map(play, names(*urls, modified=clock.now() - 60))
        if all(due_in(play, url) > DAY for url in urls):
            break
        play.crawl(site((MAP, OK)), most=8)
    row = play.frontier.sites.row(play.site(A))
    assert (trust(row) >= 0.4) is is_trusted
    assert (row.hints_right > 10) is is_trusted
    assert bool(row.hints_wrong) is not is_trusted
    assert play.problems() == []


def test_a_told_frequency_is_where_a_new_page_begins(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    read_map(play, names(f"{A}/1", change_seconds=DAY))
    row = play.row(f"{A}/1")
    assert row is not None
    assert row.history is not None
    assert row.history.quiet_seconds / row.history.dated == DAY
    assert not row.history.seen_ms


def test_one_pass_remembers_a_hint_for_a_steady_crawl(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    play.crawl(site((MAP, Answer(named=names(f"{A}/1")))))
    clock.advance(3_600)
    visit = Visit(MAP, play.frontier.urls.row_of(link(MAP).row), play.site(A), VisitKind.SITEMAP)
    understood_named = names(f"{A}/1", modified=clock.now() - 60)
    play.frontier.change(
        lambda batch, now: play.frontier._listings.take(batch, visit.row, understood_named, now)
    )
    assert play.crawl() == [], "one pass does not ask again"
    row = play.row(f"{A}/1")
    assert row is not None
    assert row.hinted_ms
    go_on_as(play, crawling(Mode.STEADY, frontier=READS))
    play.frontier.change(play.frontier.schedules.date_all)
    assert f"{A}/1" in play.crawl(most=2)


def test_pages_in_flight_and_wishes_are_left_alone(hinted: Play) -> None:
    hinted.submit(f"{A}/1")
    lease = hinted.next_page()
    assert lease is not None
    assert lease.visit.url == f"{A}/1"
    hinted.submit(f"{A}/2")
    named = names(f"{A}/1", f"{A}/2", modified=hinted.clock.now() - 60)
    finder = link(MAP).row
    hinted.frontier.change(
        lambda batch, now: hinted.frontier._listings.take(batch, finder, named, now)
    )
    hinted.frontier.change(hinted.frontier._listings.go_on)
    assert hinted.problems() == []
    hinted.end(lease)
    assert hinted.crawl(most=1) == [f"{A}/2"]
    assert hinted.problems() == []


def test_who_never_told_anything_is_believed_at_first() -> None:
    assert trust(SiteRow()) == 0.5
