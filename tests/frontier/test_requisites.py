"""What a page needs is asked for once, behind wishes and before pages; a link makes it a page."""

from shoal.frontier.audit.audit import audit
from shoal.frontier.outcome.requisites import QUEUED
from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.link import LinkSource
from shoal.model.visit import VisitKind
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import NO_ROBOTS, OK, Answer, Play, PlaySettings, link

A = "http://a.test"
PICTURE = f"{A}/picture.png"


def need(play: Play, *urls: str, excluded: str = "") -> None:
    source = LinkSource.REQUISITE
    play.frontier.add(link(url, source=source, priority=1.0, excluded=excluded) for url in urls)


def begin(play: Play) -> None:
    play.end(play.expect(f"{A}/robots.txt"), NO_ROBOTS)


def later(play: Play, url: str, kind: VisitKind = VisitKind.PAGE) -> SiteLease:
    play.clock.advance(60)
    lease = play.expect(url)
    assert lease.visit.kind is kind
    return lease


def take(play: Play, url: str, answer: Answer = OK) -> None:
    kind = VisitKind.REQUISITE
    play.end(later(play, url, kind), answer._replace(documents=[]))


def test_behind_wishes_and_before_pages(play: Play) -> None:
    play.add(f"{A}/1")
    begin(play)
    need(play, PICTURE)
    play.submit(f"{A}/wish")
    assert play.frontier.counts[QUEUED] == 1
    play.end(later(play, f"{A}/wish"))
    take(play, PICTURE)
    play.end(later(play, f"{A}/1"))
    assert play.state(PICTURE) == "source/requisite"
    assert play.frontier.counts[QUEUED] == 0


def test_once_and_not_at_all_where_it_is_a_page(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    begin(play)
    need(play, PICTURE, f"{A}/2")
    take(play, PICTURE, Answer(404))
    need(play, PICTURE)
    play.end(later(play, f"{A}/1"))
    need(play, f"{A}/1")
    play.end(later(play, f"{A}/2"))
    assert play.frontier.done()
    assert (play.state(PICTURE), play.state(f"{A}/2")) == (
        "gone/404",
        "fetched/waiting for the index",
    )


def test_what_the_scope_refuses_as_a_page_may_be_needed(play: Play) -> None:
    play.frontier.add([link(PICTURE, excluded="scope: not on b.test")])
    need(play, f"{A}/x.png", excluded="excluded: matches x")
    assert play.state(f"{A}/x.png") == "excluded/excluded"
    need(play, PICTURE)
    begin(play)
    take(play, PICTURE)
    assert play.frontier.done()


def test_a_link_makes_it_a_page(play: Play) -> None:
    play.add(f"{A}/1")
    begin(play)
    need(play, PICTURE)
    take(play, PICTURE, Answer(headers=[("etag", '"a"')]))
    play.frontier.add([link(PICTURE, excluded="scope: not on b.test")])
    assert play.state(PICTURE) == "source/requisite"
    play.add(PICTURE)
    play.end(later(play, f"{A}/1"))
    lease = later(play, PICTURE)
    assert lease.visit.etag == ""
    play.end(lease)
    assert play.state(PICTURE) == "fetched/waiting for the index"
    play.add(PICTURE)
    need(play, PICTURE)
    assert play.frontier.done()


def test_also_while_it_is_being_asked_for(play: Play) -> None:
    need(play, PICTURE)
    begin(play)
    lease = later(play, PICTURE, VisitKind.REQUISITE)
    play.add(PICTURE)
    play.end(lease, OK._replace(documents=[]))
    assert play.state(PICTURE) == "queued"
    play.end(later(play, PICTURE))
    assert play.state(PICTURE) == "fetched/waiting for the index"
    assert play.frontier.done()


def test_without_pages_only_what_is_needed_is_asked_for(
    table: RocksTable, clock: FakeClock
) -> None:
    settings = FrontierSettings(seed=1, politeness=Politeness(address_share=0))
    play = Play(table, clock, PlaySettings(settings))
    play.add(f"{A}/1", "http://b.test/1")
    begin(play)
    need(play, PICTURE)
    play.frontier.take_no_pages()
    take(play, PICTURE)
    play.clock.advance(60)
    assert play.lease() is None
    assert play.frontier.done()
    play.frontier.close()
    assert list(audit(table)) == []
    play.open()
    assert sorted(play.crawl()) == [f"{A}/1", "http://b.test/1"]
