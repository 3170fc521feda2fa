"""The Frontier port and its Lease: what every frontier must do, told by its methods alone.

Nothing here looks inside, and no clock is turned but the one that the frontier was given. Sites are
ftp ones where robots.txt is not the point, because those have none.
"""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.document import Document, Understood
from shoal.model.link import Link, LinkSource
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER
from shoal.model.robots.robots import parse
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.verdict import Verdict
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Frontier, Lease, Table
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock

A, B = "ftp://a.test", "ftp://b.test"
DELAY = 3.0
LIMIT_SECONDS = 20  # a test that hangs fails


class Stage(NamedTuple):
    """A frontier, the clock it was given and the table it writes to."""

    frontier: Frontier
    clock: FakeClock
    table: Table
    again: Callable[[], Frontier]
    """Another frontier on the same table, as after a kill."""

    def next(self) -> Lease | None:
        async def limited() -> Lease | None:
            async with asyncio.timeout(LIMIT_SECONDS):
                return await self.frontier.next_site()

        return asyncio.run(limited())

    def take(self) -> Lease:
        lease = self.next()
        assert lease is not None
        return lease

    def end(self, lease: Lease, *links: Link, outcome: Outcome = Outcome.OK) -> list[bytes]:
        visit, now = lease.next_url(), self.clock.now()
        fetched = Fetched(outcome, 200, started=now, ended=now, address="127.0.0.1:21")
        self.frontier.release(lease, fetched)
        batch = self.table.batch()
        understood = Understood([Document()], list(links))
        verdict = Verdict(understood.documents)
        finished = self.frontier.finish(batch, visit, fetched, understood, verdict)
        self.table.write(batch)
        return list(finished.targets)


@pytest.fixture(params=["disk"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    assert request.param == "disk"
    clock = FakeClock()
    with RocksTable(tmp_path / "table") as table:

        def make() -> Frontier:
            return DiskFrontier(table, clock, FrontierSettings(seed=1))

        yield Stage(make(), clock, table, make)


def links(*urls: str) -> list[Link]:
    return [Link(url, row_key(url)) for url in urls]


def test_an_empty_frontier_is_done_and_gives_nothing(stage: Stage) -> None:
    assert stage.frontier.done()
    assert stage.next() is None


def test_add_says_how_many_were_new(stage: Stage) -> None:
    assert stage.frontier.add(links(f"{A}/1", f"{A}/2", f"{A}/1")) == 2
    assert stage.frontier.add(links(f"{A}/2", f"{A}/3")) == 1
    assert not stage.frontier.done()


def test_a_lease_names_its_site_and_its_visit(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1"), depth=3)
    lease = stage.take()
    assert type(lease) is SiteLease  # the one that there is: all that follows is of the port
    visit = lease.next_url()
    assert (visit.url, visit.row, visit.depth) == (f"{A}/1", row_key(f"{A}/1"), 3)
    assert visit.site == site_of_key(visit.row)
    assert lease.next_url() == visit
    assert lease.refusal(visit) == ""


def test_every_url_is_given_once_and_then_it_is_done(stage: Stage) -> None:
    urls = [f"ftp://h{n % 3}.test/{n}" for n in range(12)]
    stage.frontier.add(links(*urls))
    given = []
    while not stage.frontier.done():
        lease = stage.next()
        if lease is not None:
            given.append(lease.next_url().url)
            stage.end(lease)
    assert sorted(given) == sorted(urls)


def test_a_site_is_leased_to_one_at_a_time_and_rests_after_its_release(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1", f"{A}/2", f"{B}/1"))
    first, second = stage.take(), stage.take()
    assert first.next_url().site != second.next_url().site
    stage.clock.advance(60)
    stage.end(first)
    ended = stage.clock.now()
    third = stage.take()  # the clock runs while it waits
    assert third.next_url().site == site_of_key(row_key(f"{A}/2"))
    assert stage.clock.now() >= ended + DELAY


def test_what_is_in_flight_is_not_finished(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1"))
    lease = stage.take()
    assert not stage.frontier.done()
    now = stage.clock.now()
    stage.frontier.release(lease, Fetched(Outcome.OK, 200, started=now, ended=now))
    assert not stage.frontier.done(), "answered, and not acknowledged"


def test_releasing_twice_is_releasing_once(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1", f"{A}/2"))
    lease = stage.take()
    now = stage.clock.now()
    answer = Fetched(Outcome.OK, 200, started=now, ended=now, address="127.0.0.1:21")
    stage.frontier.release(lease, answer)
    other = stage.take()
    stage.frontier.release(lease, answer)  # as in a `finally`
    stage.frontier.add(links(f"{A}/3"))
    stage.frontier.halt()
    assert stage.next() is None
    assert other.next_url().url == f"{A}/2"


def test_finish_gives_the_row_of_each_link_in_order(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1"))
    found = links(f"{A}/2", f"{A}/2/", f"{A}/1", f"{B}/")
    rows = [row_key(url) for url in (f"{A}/2", f"{A}/2", f"{A}/1", f"{B}/")]
    assert stage.end(stage.take(), *found) == rows


def test_an_acknowledged_visit_does_not_come_again_and_another_does(stage: Stage) -> None:
    """A kill loses nothing acknowledged, and repeats what was in flight."""
    stage.frontier.add(links(f"{A}/1", f"{B}/1"))
    stage.end(stage.take(), *links(f"{A}/found"))
    stage.take()
    again = stage._replace(frontier=stage.again())
    given = []
    while not again.frontier.done():
        lease = again.next()
        if lease is not None:
            given.append(lease.next_url().url)
            again.end(lease)
    assert sorted(given) == [f"{A}/found", f"{B}/1"]


def test_a_batch_that_is_not_written_acknowledges_nothing(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1"))
    lease = stage.take()
    now = stage.clock.now()
    fetched = Fetched(Outcome.OK, 200, started=now, ended=now)
    stage.frontier.release(lease, fetched)
    visit, batch = lease.next_url(), stage.table.batch()
    stage.frontier.finish(batch, visit, fetched, Understood(), Verdict())
    again = stage._replace(frontier=stage.again())
    assert again.take().next_url().url == f"{A}/1"


def test_a_visit_that_is_given_back_is_due_again(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1", f"{A}/2"))
    lease = stage.take()
    stage.frontier.give_back(lease.next_url())
    stage.frontier.release(lease, Fetched(Outcome.CANCELLED))
    assert stage.take().next_url().url == f"{A}/1"


def test_giving_back_what_was_not_taken_changes_nothing(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1"))
    url = f"{A}/never"
    stage.frontier.give_back(Visit(url, row_key(url), site_of_key(row_key(url))))
    stage.end(stage.take())
    assert stage.next() is None
    assert stage.frontier.done()


def test_a_raised_url_comes_first(stage: Stage) -> None:
    stage.frontier.add(links(*(f"{A}/{n}" for n in range(5))))
    assert stage.frontier.raise_url(row_key(f"{A}/4"), 1.0)
    assert not stage.frontier.raise_url(row_key(f"{A}/none"), 1.0)
    assert stage.take().next_url().url == f"{A}/4"


def test_a_persons_wish_is_next_at_its_site(stage: Stage) -> None:
    stage.frontier.add(links(*(f"{A}/{n}" for n in range(5))))
    wish = Link(f"{A}/wish", row_key(f"{A}/wish"), priority=1.0, source=LinkSource.SUBMIT)
    assert stage.frontier.add([wish]) == 1
    assert stage.take().next_url().url == f"{A}/wish"


def test_halted_it_gives_nothing_and_is_not_finished(stage: Stage) -> None:
    stage.frontier.add(links(f"{A}/1", f"{B}/1"))
    lease = stage.take()
    stage.frontier.halt()
    assert stage.next() is None
    assert not stage.frontier.done()
    stage.end(lease)


def test_robots_txt_comes_first_and_what_it_forbids_is_refused(stage: Stage) -> None:
    stage.frontier.add(links("http://a.test/no", "http://a.test/yes"))
    lease = stage.take()
    visit = lease.next_url()
    assert (visit.kind, visit.url) == (VisitKind.ROBOTS, "http://a.test/robots.txt")
    now = stage.clock.now()
    fetched = Fetched(Outcome.OK, 200, started=now, ended=now)
    stage.frontier.release(lease, fetched)
    batch = stage.table.batch()
    rules = parse(b"User-agent: *\nDisallow: /no", "shoal")
    stage.frontier.finish(batch, visit, fetched, Understood(robots=rules), Verdict())
    stage.table.write(batch)
    lease = stage.take()
    assert lease.next_url().url == "http://a.test/no"
    assert lease.refusal(lease.next_url()).startswith("robots: Disallow: /no")


@pytest.mark.parametrize(
    "name", ["#page=2", "!/in a zip/ä.txt", "?id=<1>&x=%41", "\x00url", "../x\r\ny"]
)
def test_frontier_and_store_call_a_part_of_a_document_the_same(
    tmp_path: Path, stage: Stage, name: str
) -> None:
    """Two rooms write rows of one document: what a file calls its parts must not come between."""
    store = PageStore(stage.table, tmp_path / "warc")
    stage.frontier.add(links(f"{A}/box"))
    lease = stage.take()
    visit, now = lease.next_url(), stage.clock.now()
    fetched = Fetched(Outcome.OK, 200, started=now, ended=now)
    understood = Understood([Document(), Document(name=name, title="part")])
    stage.frontier.release(lease, fetched)
    batch = stage.table.batch()
    verdict = Verdict(understood.documents)
    finished = stage.frontier.finish(batch, visit, fetched, understood, verdict)
    store.keep(batch, visit, fetched, understood, finished)
    stage.table.write(batch)
    rows = [key.partition(b"\x00")[0] for key, _ in stage.table.scan("page", b"")]
    assert len(set(rows)) == 2
    part = max(rows)
    cells = {key.partition(b"\x00")[2] for key, _ in stage.table.scan("page", part)}
    assert {b"url", b"fetch"} <= cells
    document = store.read(part, OWNER)
    assert document is not None
    assert document.title == "part"
