"""A refresh of a collection with a host that is paused: its pages are left for the next one, and
nothing of them stays behind in the queue."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.cli.terminal.status_report import ending
from shoal.engine.summary import Summary
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from tests.crawl.again import crawl_until, refresh
from tests.crawl.counted_site import page
from tests.crawl.own_site import OwnSite, own_site
from tests.crawl.run import crawl

SETTINGS = {"politeness.delay": 0.01, "crawl.patience": 0.1}


@pytest.fixture
def two() -> Iterator[tuple[OwnSite, OwnSite]]:
    """Three pages each."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(own_site(f"127.46.0.{n}")) for n in (1, 2))
        for site in (one, other):
            site.put(
                "/", page(f"The start of {site.origin}. ", "<a href='/1'>1</a><a href='/2'>2</a>")
            )
            site.put("/1", page(f"Herring are cured at {site.origin} in spring. "))
            site.put("/2", page(f"Lanterns are lit over {site.origin} at dusk. "))
        yield one, other


def pause(directory: Path, site: OwnSite, *, paused: bool) -> None:
    host = site.origin.removeprefix("http://")
    with open_collection(directory) as collection:
        collection.pause(host) if paused else collection.resume(host)


def nothing_waits(directory: Path) -> None:
    with open_collection(directory) as collection:
        status = collection.status()
        assert (status.fetched, status.queued) == (6, 0)
        assert status.totals.get("sites_with_work", 0) == 0
        assert [host.row.waiting for host in collection.hosts()] == [0, 0]
        assert not any(url.waiting for _, url in collection.urls())
    with verifying(Layout(directory), lambda _: None) as verifier:
        assert list(verifier.findings()) == []


def said(summary: Summary) -> str:
    return "\n".join(ending(summary, Path("corpus"), "again", is_refresh=True))


def test_its_pages_are_left_for_the_next_refresh(
    two: tuple[OwnSite, OwnSite], tmp_path: Path
) -> None:
    one, other = two
    crawl(tmp_path, [one.url("/"), other.url("/")], SETTINGS)
    pause(tmp_path, other, paused=True)
    summary = refresh(tmp_path, SETTINGS)
    assert (summary.finished, summary.again, summary.left) == (True, 3, 3)
    assert "3 pages were left for the next refresh: their hosts are paused" in said(summary)
    nothing_waits(tmp_path)

    pause(tmp_path, other, paused=False)
    asked = len(other.asked())
    crawl(tmp_path, [], SETTINGS)
    assert len(other.asked()) == asked, "a crawl asks for no page twice"
    summary = refresh(tmp_path, SETTINGS)
    assert (summary.again, summary.left) == (6, 0)
    assert [status for _, status in other.asked(asked)] == [304] * 3
    assert "left for the next" not in said(summary)
    nothing_waits(tmp_path)


def test_a_steady_crawl_gives_them_dates(two: tuple[OwnSite, OwnSite], tmp_path: Path) -> None:
    one, other = two
    crawl(tmp_path, [one.url("/"), other.url("/")], SETTINGS)
    pause(tmp_path, other, paused=True)
    refresh(tmp_path, SETTINGS)
    pause(tmp_path, other, paused=False)

    def have_dates() -> bool:
        with open_collection(tmp_path) as collection:
            return all(url.waiting and url.due_ms > 1.5e12 for _, url in collection.urls())

    crawl_until(tmp_path, [], SETTINGS, have_dates)


def test_what_is_stopped_leaves_nothing_either(
    two: tuple[OwnSite, OwnSite], tmp_path: Path
) -> None:
    one, other = two
    crawl(tmp_path, [one.url("/"), other.url("/")], SETTINGS)
    summary = refresh(tmp_path, {**SETTINGS, "crawl.max_time": 0.0001, "politeness.delay": 5.0})
    assert not summary.finished
    assert summary.left > 0
    assert "left for the next refresh: it was stopped." in said(summary)
    nothing_waits(tmp_path)


def test_a_wish_waits_for_the_next_crawl(two: tuple[OwnSite, OwnSite], tmp_path: Path) -> None:
    one, other = two
    crawl(tmp_path, [one.url("/"), other.url("/")], SETTINGS)
    pause(tmp_path, other, paused=True)
    with open_collection(tmp_path) as collection:
        collection.submit(other.url("/1"))
    assert refresh(tmp_path, SETTINGS).left == 2
    pause(tmp_path, other, paused=False)
    asked = len(other.asked())
    crawl(tmp_path, [], SETTINGS)
    assert other.asked(asked) == [("/1", 304)]
    nothing_waits(tmp_path)
