"""Workers that wait: one release wakes one, nobody is forgotten, a cancelled worker gives back."""

import asyncio

import pytest

from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.document import Understood
from shoal.model.outcome import Outcome
from shoal.model.verdict import Verdict
from shoal.model.visit import Fetched
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import LOCAL, link

A = "ftp://a.test"
LIMIT_SECONDS = 20  # a test that hangs fails


class Patient(FakeClock):
    """A clock that stands still while somebody waits, so that only an event wakes them."""

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        del seconds
        await event.wait()


@pytest.fixture
def clock() -> FakeClock:
    return Patient()


@pytest.fixture
def frontier(table: RocksTable, clock: FakeClock) -> DiskFrontier:
    politeness = Politeness(delay=0, delay_factor=0, address_share=0)
    return DiskFrontier(table, clock, FrontierSettings(politeness=politeness))


def add(frontier: DiskFrontier, *urls: str) -> None:
    frontier.add(link(url) for url in urls)


def end(table: RocksTable, frontier: DiskFrontier, lease: SiteLease) -> None:
    fetched = Fetched(Outcome.OK, 200, address=LOCAL)
    frontier.release(lease, fetched)
    batch = table.batch()
    frontier.finish(batch, lease.visit, fetched, Understood(), Verdict())
    table.write(batch)


def run(work: object) -> None:
    async def limited() -> None:
        async with asyncio.timeout(LIMIT_SECONDS):
            await work  # type: ignore[misc]  # a coroutine

    asyncio.run(limited())


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_one_release_wakes_one_worker(table: RocksTable, frontier: DiskFrontier) -> None:
    async def work() -> None:
        add(frontier, *(f"{A}/{n}" for n in range(10)))
        first = await frontier.next_site()
        assert first is not None
        waiting = [asyncio.create_task(frontier.next_site()) for _ in range(5)]
        await settle()
        assert not any(task.done() for task in waiting), "the host is being asked"
        frontier.release(first, Fetched(Outcome.OK, 200, address=LOCAL))
        await settle()
        assert [task.done() for task in waiting] == [True, False, False, False, False]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        frontier.close()

    run(work())


def test_a_new_url_wakes_a_worker(frontier: DiskFrontier) -> None:
    async def work() -> None:
        add(frontier, f"{A}/1")
        first = await frontier.next_site()
        waiting = asyncio.create_task(frontier.next_site())
        await settle()
        assert not waiting.done()
        add(frontier, "ftp://b.test/1")
        second = await waiting
        assert first is not None
        assert second is not None
        assert second.visit.url == "ftp://b.test/1"
        frontier.close()

    run(work())


def test_a_commit_wakes_a_worker(table: RocksTable, frontier: DiskFrontier) -> None:
    """The page in flight is the only one: what it links to is all there is."""

    async def work() -> None:
        add(frontier, f"{A}/1")
        first = await frontier.next_site()
        assert first is not None
        fetched = Fetched(Outcome.OK, 200, address=LOCAL)
        frontier.release(first, fetched)
        waiting = asyncio.create_task(frontier.next_site())
        await settle()
        assert not waiting.done()
        batch = table.batch()
        understood = Understood(links=[link("ftp://c.test/")])
        frontier.finish(batch, first.visit, fetched, understood, Verdict())
        table.write(batch)
        second = await waiting
        assert second is not None
        assert second.visit.url == "ftp://c.test/"
        frontier.close()

    run(work())


def test_who_is_called_back_comes_with_nothing_and_may_wait_again(frontier: DiskFrontier) -> None:
    async def work() -> None:
        add(frontier, f"{A}/1", f"{A}/2")
        first = await frontier.next_site()
        assert first is not None
        waiting = [asyncio.create_task(frontier.next_site()) for _ in range(3)]
        await settle()
        frontier.waiters.recall()
        assert await asyncio.gather(*waiting) == [None] * 3
        assert not frontier.done()
        again = asyncio.create_task(frontier.next_site())
        await settle()
        assert not again.done()
        frontier.release(first, Fetched(Outcome.OK, 200, address=LOCAL))
        second = await again
        assert second is not None
        assert second.visit.url == f"{A}/2"
        frontier.close()

    run(work())


def test_when_it_is_over_all_who_wait_are_told(table: RocksTable, frontier: DiskFrontier) -> None:
    async def work() -> None:
        add(frontier, f"{A}/1")
        first = await frontier.next_site()
        assert first is not None
        waiting = [asyncio.create_task(frontier.next_site()) for _ in range(4)]
        await settle()
        end(table, frontier, first)
        assert await asyncio.gather(*waiting) == [None] * 4
        assert frontier.done()

    run(work())


def test_a_worker_that_is_cancelled_while_it_waits_takes_nothing(frontier: DiskFrontier) -> None:
    async def work() -> None:
        add(frontier, f"{A}/1", f"{A}/2")
        first = await frontier.next_site()
        assert first is not None
        gone, stays = [asyncio.create_task(frontier.next_site()) for _ in range(2)]
        await settle()
        gone.cancel()
        await settle()
        frontier.release(first, Fetched(Outcome.OK, 200, address=LOCAL))
        lease = await stays
        assert lease is not None
        assert lease.visit.url == f"{A}/2"
        frontier.close()

    run(work())


def test_a_worker_that_is_cancelled_as_it_is_handed_a_site_gives_it_back(
    frontier: DiskFrontier,
) -> None:
    async def work() -> None:
        add(frontier, f"{A}/1", f"{A}/2", f"{A}/3")
        first = await frontier.next_site()
        assert first is not None
        gone = asyncio.create_task(frontier.next_site())
        await settle()
        frontier.release(first, Fetched(Outcome.OK, 200, address=LOCAL))
        for _ in range(20):  # until the site is handed over, to a worker that has not run since
            if frontier.report().in_flight:
                break
            await asyncio.sleep(0)
        assert frontier.report().in_flight == 1
        assert not gone.done()
        gone.cancel()
        await settle()
        assert gone.cancelled()
        assert frontier.report().in_flight == 0
        again = await frontier.next_site()
        assert again is not None
        assert again.visit.url == f"{A}/2", "as if never taken"
        frontier.close()

    run(work())


def test_halting_leases_nothing_more_and_lets_what_is_in_flight_finish(
    table: RocksTable, frontier: DiskFrontier
) -> None:
    async def work() -> None:
        add(frontier, f"{A}/1", f"{A}/2")
        first = await frontier.next_site()
        assert first is not None
        waiting = asyncio.create_task(frontier.next_site())
        await settle()
        frontier.halt()
        assert await waiting is None
        assert await frontier.next_site() is None
        assert frontier.lease() is None
        assert not frontier.done(), "work is left, which is not finished"
        assert frontier.report().halted
        end(table, frontier, first)
        assert frontier.counts.total("fetched/") == 1
        frontier.close()

    run(work())


def test_if_the_table_fails_those_who_wait_are_told(
    frontier: DiskFrontier, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        add(frontier, f"{A}/1", f"{A}/2")
        first = await frontier.next_site()
        assert first is not None
        waiting = [asyncio.create_task(frontier.next_site()) for _ in range(3)]
        await settle()

        def fail(_: object) -> None:
            raise OSError("the disk is gone")

        monkeypatch.setattr(frontier.urls, "read", fail)
        frontier.release(first, Fetched(Outcome.OK, 200, address=LOCAL))
        errors = await asyncio.gather(*waiting, return_exceptions=True)
        assert [str(error) for error in errors] == ["the disk is gone"] * 3

    run(work())


def test_many_workers_crawl_everything_once(table: RocksTable) -> None:
    """Forty workers on ten hosts, with a clock that runs: all pages, one at a time per host."""
    clock = FakeClock()
    politeness = Politeness(delay=1, delay_factor=0, address_share=0)
    settings = FrontierSettings(capacity=5, quantum=3, politeness=politeness)
    frontier = DiskFrontier(table, clock, settings)
    busy: set[bytes] = set()
    fetched: list[str] = []

    async def worker() -> None:
        while not frontier.done():
            lease = await frontier.next_site()
            if lease is None:
                continue
            assert lease.next_url().site not in busy
            busy.add(lease.next_url().site)
            await asyncio.sleep(0)
            busy.remove(lease.next_url().site)
            fetched.append(lease.visit.url)
            end(table, frontier, lease)

    async def work() -> None:
        add(frontier, *(f"ftp://h{n % 10}.test/{n}" for n in range(100)))
        await asyncio.gather(*(worker() for _ in range(40)))
        frontier.close()

    run(work())
    assert len(fetched) == len(set(fetched)) == 100
