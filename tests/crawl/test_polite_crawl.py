"""A crawl over hundreds or thousands of hosts, judged by the server's own log."""

from collections import defaultdict
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from tests.crawl.run import crawl
from tests.world import Latency, RobotsMix, Web, by_host, gaps, overlaps, repeats, serve

DELAY_SECONDS = 0.5


@pytest.fixture(scope="module", params=[200, pytest.param(2000, marks=pytest.mark.slow)])
def crawled(request, tmp_path_factory):  # type: ignore[no-untyped-def]
    directory: Path = tmp_path_factory.mktemp("polite") / "corpus"
    web = Web(
        seed=7,
        hosts=request.param,
        pages=3 * request.param,
        skew=0,
        mean_bytes=3000,
        robots=RobotsMix(crawl_delay=0),
    )
    with serve(web, {"*": Latency(0.01)}) as running:
        web = running.web
        summary = crawl(
            directory, web.seeds(), {"politeness.delay": DELAY_SECONDS, "politeness.rate": 1000}
        )
        log = running.log()
    return web, directory, summary, log


def test_never_two_requests_at_once_to_a_host(crawled) -> None:  # type: ignore[no-untyped-def]
    web, _, _, log = crawled
    assert len(by_host(log)) == web.hosts
    assert overlaps(log) == []


def test_every_gap_is_at_least_the_delay_from_the_end_of_the_response(crawled) -> None:  # type: ignore[no-untyped-def]
    _, _, _, log = crawled
    shortest = min(gap for host in gaps(log).values() for gap in host)
    assert shortest >= DELAY_SECONDS


def test_robots_are_asked_first_and_obeyed(crawled) -> None:  # type: ignore[no-untyped-def]
    web, _, _, log = crawled
    first = {host: requests[0] for host, requests in by_host(log).items()}
    assert all(request.is_robots for request in first.values())
    asked = [request.url for request in log if not request.is_robots]
    assert [url for url in asked if web.disallowed(url)] == []


def test_every_page_once_and_all_of_them(crawled) -> None:  # type: ignore[no-untyped-def]
    web, _, summary, log = crawled
    assert summary.finished
    assert repeats(log) == {}
    assert {request.url for request in log if not request.is_robots} == web.crawlable()


def test_what_was_fetched_is_stored_and_the_counts_add_up(crawled) -> None:  # type: ignore[no-untyped-def]
    _, directory, _, log = crawled
    by_status: dict[int, int] = defaultdict(int)
    for request in log:
        if not request.is_robots:
            by_status[request.status] += 1
    with open_collection(directory) as collection:
        status = collection.status()
        stored = sum(1 for _ in collection.pages())
    assert status.fetched == stored == by_status[200]
    parts = (status.queued, status.in_flight, status.answered, status.excluded, status.failed)
    assert status.discovered == sum(parts)
    assert status.answered == status.fetched + status.unchanged + status.redirect + status.gone
    assert status.fetched == sum(status.fetched_by_fate.values())
