"""A crawl that goes on for ever over pages that change, judged by the server's own truth."""

import signal
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from statistics import fmean

import pytest

from shoal.api import open as open_collection
from tests.crash.crawler import PATIENCE_SECONDS, Crawler
from tests.crawl.again import crawl_until
from tests.world import (
    Copies,
    Header,
    Latency,
    Request,
    RobotsMix,
    Running,
    Web,
    gaps,
    overlaps,
    serve,
)

DAY_SECONDS = 86_400.0
LONG_AGO = 5_000.0
"""When the crawl begins, in the world's time: pages have been changing for a while."""
POLITE = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)


def fast_web(hosts: int, pages: int, *, slowest_seconds: float) -> Web:
    return Web(
        seed=21,
        hosts=hosts,
        pages=pages,
        skew=0,
        starts=hosts,
        files=0,
        changing=1.0,
        change_seconds=(3.0, slowest_seconds),
        mean_bytes=3_000,
        links_per_page=3,
        robots=POLITE,
    )


def revisits(log: list[Request]) -> list[Request]:
    """Requests for pages that had been asked for before."""
    seen: set[str] = set()
    found = []
    for request in log:
        if not request.is_robots and request.url in seen:
            found.append(request)
        seen.add(request.url)
    return found


def assert_budget_kept(log: list[Request], per_second: float) -> None:
    """At any time: no more revisits than the budget gave since the beginning, which may be a second
    before the first request where the machine has other work."""
    for number, request in enumerate(revisits(log), 1):
        elapsed = request.start - log[0].start + 1.0
        assert number <= per_second * elapsed + 3, f"{number} revisits in {elapsed:.1f} s"


def assert_polite(log: list[Request], delay_seconds: float) -> None:
    assert overlaps(log) == []
    assert min(gap for host in gaps(log).values() for gap in host) >= delay_seconds


def test_pages_are_asked_again_within_the_budget_and_politely(tmp_path: Path) -> None:
    per_second, delay_seconds = 10.0, 0.1
    settings = {
        "politeness.delay": delay_seconds,
        "refresh.budget": per_second * DAY_SECONDS,
        "refresh.shortest": 0.5,
        "refresh.longest": 4.0,
    }
    web = fast_web(5, 20, slowest_seconds=300.0)
    promising = f"{web.address(4)}/*"
    behaviours = {"*": Latency(0.01), promising: Header("Cache-Control", "max-age=600")}
    with serve(web, behaviours) as running:
        running.set_time(LONG_AGO)
        running.run_time()
        promised = {running.web.url(4, page) for page in range(running.web.size(4))}
        pages = set(running.web.urls()) - promised

        def all_twice() -> bool:
            return {request.url for request in revisits(running.log())} >= pages

        summary = crawl_until(tmp_path / "corpus", running.web.seeds(), settings, all_twice)
        log = running.log()
    assert summary.reason == "enough"
    assert_budget_kept(log, per_second)
    assert_polite(log, delay_seconds)
    asked = Counter(request.url for request in log if not request.is_robots)
    assert set(asked) == pages | promised
    assert {asked[url] for url in promised} == {1}, "they were to stay as they are for a while"
    with open_collection(tmp_path / "corpus") as collection:
        for url, row in collection.urls():
            # One request may have been cut off by the stop.
            visits = len(collection.history(url))
            assert asked[url] - 1 <= visits <= asked[url]
            assert row.waiting, "it has a date"
            assert row.history is not None
            assert row.history.observed == visits - 1
            assert row.history.interval_seconds >= 0.5


@pytest.mark.slow
def test_the_age_that_is_reported_is_the_true_one_after_a_kill_too(tmp_path: Path) -> None:
    """A minute, a kill -9, and another minute: 16 changes a second, 25 revisits."""
    per_second, delay_seconds, life_seconds = 25.0, 0.1, 60.0
    crawler = Crawler(
        tmp_path / "corpus",
        [],
        delay_seconds=delay_seconds,
        workers=30,
        more=(
            "--forever",
            *("--set", f"refresh.budget={per_second * DAY_SECONDS}"),
            *("--set", "refresh.shortest=0.5", "--set", "refresh.longest=600"),
        ),
    )
    with serve(fast_web(25, 500, slowest_seconds=300.0), {"*": Latency(0.01)}) as running:
        running.set_time(LONG_AGO)
        running.run_time()
        crawler.seeds = running.web.seeds()
        process = crawler.run_until(running, 1)
        time.sleep(life_seconds)  # not to wait for something: this is how long it lives
        process.kill()
        process.communicate(timeout=PATIENCE_SECONDS)
        killed_at = time.time()
        process = crawler.run_until(running, 1)
        time.sleep(life_seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert b"Traceback" not in out + err
        log = running.log()
        check_ages(running, log, crawler.directory)
    assert_budget_kept(log, per_second)
    spent = [request for request in revisits(log) if request.start > killed_at]
    assert len(spent) > 0.8 * per_second * life_seconds, "and it is not left unused"
    assert_polite(log, delay_seconds)
    assert {request.url for request in revisits(log)} == set(running.web.urls()), "nobody starves"
    crawler.verify()


def check_ages(running: Running, log: list[Request], directory: Path) -> None:
    """Over the whole time, from when every page had been fetched."""
    copies = Copies(running, log)
    pages = running.web.pages
    with open_collection(directory) as collection:
        report = collection.freshness(since=log[0].start)
    moments = [(datetime.fromisoformat(each.at).timestamp(), each) for each in report.over_time]
    whole = [(at, each) for at, each in moments if len(copies.urls(at)) == pages]
    assert len(whole) > 30
    assert {each.pages for _, each in whole} == {pages}
    told = fmean(each.age_days for _, each in whole) * DAY_SECONDS
    true = copies.mean_age_between(whole[0][0], whole[-1][0])
    assert told == pytest.approx(true, rel=0.1)
    fresh = fmean(copies.freshness(at) for at, _ in whole)
    assert fmean(each.freshness for _, each in whole) == pytest.approx(fresh, rel=0.1)
