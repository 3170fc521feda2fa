"""Sitemaps that no robots.txt names: when the usual places are looked at, and when not."""

from dataclasses import replace

import pytest

from shoal.frontier.outcome.reach import Reach
from shoal.frontier.schedule.allowance import Mode
from shoal.model.link import LinkSource, Rel
from shoal.model.listings.listing import ListedUrl
from shoal.model.outcome import Outcome
from shoal.model.visit import Visit, VisitKind
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import OK, Answer, Play, link, redirect, rules
from tests.frontier.revisits import DAY, FAST, crawling, go_on_as

A, B = "http://a.test", "http://b.test"
FIRST, SECOND, THIRD = (
    f"{A}/{name}" for name in ("sitemap.xml", "sitemap_index.xml", "sitemap.xml.gz")
)
LOOKS = replace(FAST, reach=Reach(sitemaps=True), guess_sitemaps=True)
MISSING = Answer(404)


def start(table: RocksTable, clock: FakeClock, depth: int | None = None) -> Play:
    frontier = replace(LOOKS, reach=Reach(max_depth=depth, sitemaps=True))
    return Play(table, clock, crawling(Mode.NEW, frontier=frontier))


def many(pages: int, base: str = A) -> Answer:
    return Answer(links=[link(f"{base}/{n}") for n in range(pages)])


def next_ten(visit: Visit) -> Answer:
    """Of a site with a hundred pages, the links of the first and of every tenth one."""
    number = visit.url.removeprefix(f"{A}/") or "-1"
    if int(number) % 10 != 9 or int(number) >= 99:
        return OK
    return Answer(links=[link(f"{A}/{int(number) + n}") for n in range(1, 11)])


def home(visit: Visit, first: Answer = OK, place: Answer = MISSING) -> Answer:
    if visit.kind is VisitKind.SITEMAP:
        return place
    return first if visit.url.endswith(".test/") else OK


def looks(asked: list[str]) -> list[str]:
    return [url for url in asked if "sitemap" in url]


@pytest.mark.parametrize("text", ["", "User-agent: *\nDisallow:\n"])
def test_a_seed_and_then_every_twenty_pages(table: RocksTable, clock: FakeClock, text: str) -> None:
    play = start(table, clock)
    play.robots = lambda _visit: Answer(200, robots=rules(text)) if text else MISSING
    play.seed(f"{A}/")
    asked = play.crawl(
        lambda visit: MISSING if visit.kind is VisitKind.SITEMAP else next_ten(visit)
    )
    assert looks(asked) == [FIRST, SECOND, THIRD], "each once, one after the other"
    places = [asked.index(url) for url in (FIRST, SECOND, THIRD)]
    assert places == [11, 42, 63], "the first behind all that the first page links to"
    assert {play.state(url) for url in (FIRST, SECOND, THIRD)} == {"excluded/no sitemap"}
    assert play.frontier.counts["failed"] == play.frontier.counts["gone/404"] == 0
    assert play.problems() == []


def test_the_next_name_is_looked_at_when_the_pages_came_before_the_first_miss(
    table: RocksTable, clock: FakeClock
) -> None:
    play = start(table, clock)
    play.seed(f"{A}/")
    asked = play.crawl(lambda visit: home(visit, many(45)))
    assert looks(asked) == [FIRST, SECOND]
    assert play.problems() == []


def test_what_is_found_is_read_and_nothing_further_is_looked_for(
    table: RocksTable, clock: FakeClock
) -> None:
    play = start(table, clock)
    play.seed(f"{A}/")
    found = Answer(
        named=[ListedUrl(link(f"{A}/named-{n}", source=LinkSource.SITEMAP)) for n in range(90)]
    )
    asked = play.crawl(lambda visit: home(visit, place=found))
    assert looks(asked) == [FIRST]
    assert f"{A}/named-7" in asked
    assert play.state(FIRST) == "source/sitemap"
    assert play.problems() == []


@pytest.mark.parametrize(("pages", "wanted"), [(18, []), (21, [f"{B}/sitemap.xml"])])
def test_a_site_that_links_lead_to_is_asked_when_it_has_many_pages(
    table: RocksTable, clock: FakeClock, pages: int, wanted: list[str]
) -> None:
    play = start(table, clock)
    play.add(f"{B}/")
    asked = play.crawl(lambda visit: home(visit, many(pages, B)))
    assert looks(asked) == wanted


def test_never_where_robots_names_one(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    play.robots = lambda _visit: Answer(200, robots=rules(f"Sitemap: {A}/mine.xml\n"))
    play.seed(f"{A}/")
    asked = play.crawl(lambda visit: home(visit, many(90)))
    assert looks(asked) == []
    assert f"{A}/mine.xml" in asked


def test_not_for_pages_that_are_only_submitted_nor_beside_seeds_alone(
    table: RocksTable, clock: FakeClock
) -> None:
    play = start(table, clock, depth=1)
    play.seed(f"{A}/")
    for n in range(30):
        play.submit(f"{B}/{n}")
    assert looks(play.crawl()) == []


def test_not_again_after_a_restart_nor_in_a_steady_crawl(
    table: RocksTable, clock: FakeClock
) -> None:
    play = start(table, clock)
    play.seed(f"{A}/")
    assert looks(play.crawl(home)) == [FIRST]
    play.frontier.close()
    play.open()
    play.seed(f"{A}/", f"{A}/more")
    assert play.crawl(home) == [f"{A}/more"]
    go_on_as(play, crawling(Mode.STEADY, frontier=LOOKS))
    play.frontier.change(play.frontier.schedules.date_all)
    clock.advance(30 * DAY)
    before = len(play.log)
    play.crawl(home, most=5)
    assert len(play.log) > before
    assert [each.url for each in play.log].count(FIRST) == 1
    assert play.problems() == []


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (OK, "names no pages"),
        (redirect(f"{A}/welcome"), "leads to a page"),
        (Answer(0, outcome=Outcome.BROKEN), "broken answer"),
        (Answer(403), "403"),
    ],
)
def test_what_is_no_sitemap(table: RocksTable, clock: FakeClock, place: Answer, says: str) -> None:
    """A page that is shown in place of what is missing stays a page for those who link to it."""
    play = start(table, clock)
    play.seed(f"{A}/")
    play.crawl(lambda visit: home(visit, place=place))
    row = play.row(FIRST)
    assert row is not None
    assert row.counted_as == "excluded/no sitemap"
    assert says in row.reason
    assert play.row(f"{A}/welcome") is None
    assert play.problems() == []


def test_one_that_has_moved_is_read_where_it_went(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    play.seed(f"{A}/")
    gone_to = f"{A}/maps/sitemap-index.xml"
    found = Answer(below=[link(f"{A}/one.xml", rel=int(Rel.SITEMAP), source=LinkSource.SITEMAP)])

    def answer(visit: Visit) -> Answer:
        return redirect(gone_to) if visit.url == FIRST else home(visit, place=found)

    assert play.crawl(answer) == [f"{A}/", FIRST, gone_to, f"{A}/one.xml"]
    assert play.state(gone_to) == "source/sitemap"


def test_where_nothing_was_is_asked_when_robots_or_a_person_names_it(
    table: RocksTable, clock: FakeClock
) -> None:
    play = start(table, clock)
    play.seed(f"{A}/")
    play.crawl(home)
    assert play.state(FIRST) == "excluded/no sitemap"
    play.robots = lambda _visit: Answer(200, robots=rules(f"Sitemap: {FIRST}\n"))
    clock.advance(2 * DAY)
    play.seed(f"{A}/new")
    assert FIRST in play.crawl(home)
    assert play.state(FIRST) == "gone/404", "it was said to be there"
    assert play.problems() == []


def test_a_person_names_it(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    play.seed(f"{A}/")
    play.crawl(home)
    found = Answer(named=[ListedUrl(link(f"{A}/named", source=LinkSource.SITEMAP))])
    play.frontier.add([link(FIRST, source=LinkSource.SEED, rel=int(Rel.SITEMAP))])
    assert play.crawl(lambda visit: home(visit, place=found)) == [FIRST, f"{A}/named"]
    assert play.problems() == []


def test_robots_may_forbid_it(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    play.robots = lambda _visit: Answer(200, robots=rules("User-agent: *\nDisallow: /*.xml\n"))
    play.seed(f"{A}/")
    play.crawl(home)
    assert not any(each.asked for each in play.log if each.url == FIRST)
    assert play.state(FIRST) == "excluded/no sitemap"
