"""Orders from Python, on a collection at rest: what they change, what they refuse."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.collection.report.hosts import HostLine, host_lines
from shoal.control import commands as orders
from shoal.errors import UsageError
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.sources.inbox import Exclude, Inbox, Retry, Slow
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Status, Web, gaps, serve

WEB = Web(seed=8, hosts=2, pages=30, skew=0, starts=2, robots=RobotsMix(disallow=0, error=0))

LOCKED = "/locked.html"


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    with serve(WEB) as running:
        running.put(1, LOCKED, "<title>locked</title>")
        running.set(f"{running.web.host_name(1)}{LOCKED}", Status(403))
        yield running


def locked(world: Running) -> str:
    """A page that can't be had."""
    return f"http://{world.web.host_name(1)}:{world.port}{LOCKED}"


@pytest.fixture
def corpus(world: Running, tmp_path: Path) -> Path:
    settings = {"politeness.delay": 0.02, "crawl.max_pages": 8}
    crawl(tmp_path / "corpus", [locked(world), *world.web.seeds()], settings)
    return tmp_path / "corpus"


def line_of(directory: Path, host: str) -> HostLine:
    with open_collection(directory) as collection:
        return next(line for line in host_lines(collection) if line.host == host)


def problems(directory: Path) -> list[object]:
    with verifying(Layout(directory), lambda _: None) as verifier:
        return list(verifier.findings())


def test_hosts_are_slowed_excluded_and_included(corpus: Path, world: Running) -> None:
    host = f"{world.web.host_name(0)}:{world.port}"
    waiting = line_of(corpus, host).waiting
    assert waiting > 0
    with open_collection(corpus) as collection:
        collection.slow(host, 12)
        collection.exclude(f"http://{host}/")
    found = line_of(corpus, host)
    assert (found.state, found.waiting, found.delay_seconds) == ("excluded", 0, 12)
    assert found.note == "slowed down to 12 s by hand"
    with open_collection(corpus) as collection:
        assert collection.status().excluded_by_reason["by hand"] == waiting
        url = next(url for url, row in collection.urls(host) if row.category == "by hand")
        story = collection.explain(url)
        assert "by hand: its host is excluded" in story.verdict
        assert "Admitted." in [each.says for each in story.lines], "by the scope it was"
        collection.include(host)
        collection.slow(host, 0)
    found = line_of(corpus, host)
    assert (found.state, found.waiting) == ("ready", waiting)
    assert found.delay_seconds < 1
    assert problems(corpus) == []


def test_what_failed_is_queued_again(corpus: Path, world: Running) -> None:
    host = f"{world.web.host_name(1)}:{world.port}"
    with open_collection(corpus) as collection:
        failed, queued = collection.status().failed, collection.status().queued
        assert failed == 1
        collection.retry("403", host)
        collection.refresh()
        status = collection.status()
    assert (status.failed, status.queued) == (0, queued + failed)
    assert line_of(corpus, host).failed == 0
    assert problems(corpus) == []


def test_a_running_crawl_carries_out_what_is_in_its_inbox(corpus: Path, world: Running) -> None:
    unwanted = f"{world.web.host_name(0)}:{world.port}"
    slowed = f"{world.web.host_name(1)}:{world.port}"
    inbox = Inbox(Layout(corpus).inbox)
    for order in (Exclude(unwanted), Slow(slowed, 0.3), Retry("forbidden", slowed)):
        inbox.post(order)
    before = world.log()
    crawl(corpus, [], {"politeness.delay": 0.02, "crawl.max_pages": 1000, "crawl.max_time": 2.0})
    came = world.log()[len(before) :]
    assert [each for each in came if each.host == unwanted] == [], "not one request"
    late = [each for each in came if each.host == slowed]
    assert len(late) > 3
    assert all(gap >= 0.3 for gap in gaps(late[1:])[slowed])
    with open_collection(corpus) as collection:
        assert collection.status().failed == 0, "it waits again"
    assert inbox.take() == []
    assert problems(corpus) == []


def test_what_makes_no_sense_is_refused(corpus: Path, world: Running) -> None:
    host = f"{world.web.host_name(0)}:{world.port}"
    for seconds, says in ((0.01, "every host is given 0.02 s"), (1e9, "from 0 to 86400 s")):
        with pytest.raises(UsageError, match=says):
            orders.slow(corpus, host, seconds)
    with pytest.raises(UsageError, match=r"does not know the host elsewhere\.test"):
        orders.exclude(corpus, "elsewhere.test", excluded=True)
    with pytest.raises(UsageError, match="'timeuot'; there is: forbidden"):
        orders.retry(corpus, "timeuot")
