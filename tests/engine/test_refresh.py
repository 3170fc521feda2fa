"""The settings of [refresh] as a crawl's parts get them, and refreshes of a real collection."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.api import refresh
from shoal.config import Config, load
from shoal.counters import Counts
from shoal.engine.revisit_settings import (
    budget_per_second,
    missing_settings,
    mode_of,
    revisit_settings,
    selection_of,
)
from shoal.errors import UsageError
from shoal.frontier.background.revisit_dates import Selection, seen
from shoal.frontier.schedule.allowance import Mode
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.urls.rowkey import row_key
from tests.crawl.again import crawl_until
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve

DAY = 86_400.0
NOW = 1_793_577_600.0
FAST = {"politeness.delay": 0.02}


def config(tmp_path: Path, **settings: object) -> Config:
    named = {name.replace("__", "."): value for name, value in settings.items()}
    return load(tmp_path, named, {})


def counts(pages: int, sites: int = 1, queued: int = 0) -> Counts:
    return Counts({"fetched/indexed": pages, "total/sites": sites, "queued": queued})


# --- settings -------------------------------------------------------------------------------------


def test_forever_is_steady(tmp_path: Path) -> None:
    assert mode_of(config(tmp_path)) is Mode.NEW
    assert mode_of(config(tmp_path, crawl__forever="yes")) is Mode.STEADY


def test_a_budget_is_what_was_said(tmp_path: Path) -> None:
    told = config(tmp_path, refresh__budget=8_640.0)
    for pages in (0, 1, 10**9):
        assert budget_per_second(told, counts(pages)) == 0.1


def test_without_one_each_page_has_its_visit_a_day(tmp_path: Path) -> None:
    usual = config(tmp_path)
    assert budget_per_second(usual, counts(864, sites=100)) == pytest.approx(0.01)
    twice = config(tmp_path, refresh__per_page=2.0)
    assert budget_per_second(twice, counts(864, sites=100)) == pytest.approx(0.02)
    assert budget_per_second(usual, counts(0)) > 0
    both = Counts({"fetched/indexed": 400, "unchanged": 464, "total/sites": 100})
    assert budget_per_second(usual, both) == pytest.approx(0.01)


def test_pages_count_from_the_moment_they_are_planned_for(tmp_path: Path) -> None:
    """Or the first page of a crawl would wait for weeks."""
    usual = config(tmp_path)
    assert budget_per_second(usual, counts(0), 1) == pytest.approx(1 / 86_400)
    assert budget_per_second(usual, counts(1, sites=10), 864) == pytest.approx(0.01)


def test_but_no_more_than_politeness_allows_and_its_share_while_new_pages_wait(
    tmp_path: Path,
) -> None:
    usual = config(tmp_path, politeness__delay=1.5, politeness__rate=100.0, refresh__share=0.25)
    assert budget_per_second(usual, counts(10**9, sites=4)) == pytest.approx(2.0)
    assert budget_per_second(usual, counts(10**9, sites=4, queued=1)) == pytest.approx(0.5)
    assert budget_per_second(usual, counts(10**9, sites=10**6)) == 100.0


def test_what_the_frontier_is_told(tmp_path: Path) -> None:
    told = config(
        tmp_path, refresh__share=0.3, refresh__keep_missing=5.0, refresh__shortest=2.0,
        refresh__longest=9.0,
    )  # fmt: skip
    again = revisit_settings(told, Mode.STEADY)
    assert (again.mode, again.share) == (Mode.STEADY, 0.3)
    missing = missing_settings(told, Mode.STEADY)
    assert (missing.keep_seconds, missing.shortest_seconds, missing.longest_seconds) == (5, 2, 9)
    assert missing.asks_again
    assert not missing_settings(told, Mode.REFRESH).asks_again


def test_what_a_refresh_is_of() -> None:
    everything = selection_of("", None, NOW, changed_first=False)
    row = row_key("https://a.example/x")
    assert everything.start < row < everything.end
    assert everything.seen_before_ms == 0
    some = selection_of("a.example", 7 * DAY, NOW, changed_first=True)
    assert some.start <= row < some.end
    assert not some.start <= row_key("https://b.example/x") < some.end
    assert some.seen_before_ms == (NOW - 7 * DAY) * 1000
    assert some.changed_first
    assert selection_of("", 10 * NOW, NOW, changed_first=False).seen_before_ms == 1, "none, not all"


@pytest.mark.parametrize("age", [-1.0, float("nan"), float("-inf")])
def test_no_age_is_below_zero(age: float) -> None:
    with pytest.raises(UsageError, match="0 or more"):
        selection_of("", age, NOW, changed_first=False)


# --- a collection ---------------------------------------------------------------------------------


@pytest.fixture
def world() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=4, hosts=3, pages=12, skew=0, starts=3, robots=robots)) as running:
        yield running


def asked(running: Running, since: int = 0) -> list[str]:
    return [each.url for each in running.log()[since:] if not each.is_robots]


def problems(directory: Path) -> list[object]:
    with verifying(Layout(directory), lambda _: None) as verifier:
        return list(verifier.findings())


def test_a_refresh_of_one_host_asks_that_host_alone_also_after_a_steady_crawl(
    world: Running, tmp_path: Path
) -> None:
    """The pages of the others have dates that are long past by then."""
    directory = tmp_path / "corpus"
    settings = {**FAST, "refresh.shortest": 0.1, "refresh.longest": 1.0, "refresh.budget": 1e5}
    crawl_until(directory, world.web.seeds(), settings, lambda: len(set(asked(world))) == 12)
    host = f"{world.web.host_name(1)}:{world.port}"
    with open_collection(directory) as collection:
        mine = {url for url, _ in collection.urls(host)}
    assert 0 < len(mine) < 12
    before = len(world.log())
    chosen = selection_of(host, None, NOW, changed_first=False)
    assert crawl(directory, [], FAST, selection=chosen).finished
    assert sorted(asked(world, before)) == sorted(mine)
    assert problems(directory) == []


def test_a_limit_on_pages_is_none_on_looking_again(world: Running, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    crawl(directory, world.web.seeds(), {**FAST, "crawl.max_pages": 6})
    (directory / "shoal.toml").write_text("[crawl]\nmax_pages = 6\n")
    before = len(world.log())
    polite = {name: value for name, value in FAST.items() if name.startswith("politeness.")}
    assert refresh(dir=directory, settings=polite).finished
    assert len(asked(world, before)) == 6


def test_a_refresh_that_was_stopped_is_ended_by_the_next(world: Running, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    crawl(directory, world.web.seeds(), FAST)
    with open_collection(directory) as collection:
        latest_ms = max(seen(row) for _, row in collection.urls())
    before = len(world.log())
    slow = {**FAST, "politeness.delay": 0.5, "crawl.max_time": 0.8}
    assert not crawl(directory, [], slow, selection=Selection()).finished
    first = set(asked(world, before))
    assert 0 < len(first) < 12
    before = len(world.log())
    older = Selection(seen_before_ms=latest_ms + 1)
    assert crawl(directory, [], FAST, selection=older).finished
    assert set(asked(world, before)) >= set(world.web.urls()) - first
    before = len(world.log())
    assert crawl(directory, [], FAST).finished
    assert asked(world, before) == [], "one pass asks for nothing again"
    assert problems(directory) == []
