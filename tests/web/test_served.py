"""One open collection for many threads: brought up to date, and replaced when its state is."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shoal.collection.collection import Collection
from shoal.collection.report.hosts import host_lines
from shoal.config import load
from shoal.control import commands as orders
from shoal.engine.running import crawl_into
from shoal.maintenance import shadow
from shoal.model.link import Link, LinkSource
from shoal.model.principal import OWNER
from shoal.model.urls.rowkey import row_key
from shoal.model.urls.url import site_of
from shoal.web.server import served
from shoal.web.server.served import Served
from shoal.web.server.served_collection import ServedTablets
from tests.crawl.run import QUICK, crawl
from tests.world import RobotsMix, Running, Web, serve

SETTINGS = {"politeness.delay": 0.01, "crawl.scope": "host"}


@pytest.fixture(scope="module")
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=3, hosts=2, pages=2, robots=robots)) as running:
        yield running


@pytest.fixture
def first(site: Running, tmp_path: Path) -> tuple[Path, str]:
    url = site.put(0, "/page", "<p>What this page said at first, of tides.</p>")
    crawl(tmp_path / "corpus", [url], SETTINGS)
    return tmp_path / "corpus", url


def text(reading: Served, url: str) -> str:
    with reading.reading() as collection:
        page = collection.page(url)
        return "" if page is None else page.text


def test_what_is_written_is_seen(
    site: Running, first: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, _ = first
    monkeypatch.setattr(served, "_REFRESH_SECONDS", 0.0)
    reading = Served(directory, OWNER)
    later = site.put(0, "/later", "<p>A page that came later, of currents.</p>")
    assert text(reading, later) == ""
    crawl(directory, [later], SETTINGS)
    assert "currents" in text(reading, later)
    reading.close()


def test_a_view_of_one_writer_is_not_kept_for_the_next(
    first: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would keep what the first one wrote last, over what the second writes."""
    directory, url = first
    monkeypatch.setattr(served, "_REFRESH_SECONDS", 0.0)
    reading = Served(directory, OWNER)
    host = site_of(url).host_label
    for paused in (True, False, True):
        with reading.reading() as before:
            pass
        orders.pause(directory, host, paused=paused)
        with reading.reading() as after:
            assert after is not before
            assert [
                line.state == "paused" for line in host_lines(Collection(ServedTablets([reading])))
            ] == [paused]
        with reading.reading() as again:
            assert again is after
    reading.close()


def test_another_generation_is_opened_and_the_old_one_closed_by_its_last_reader(
    site: Running, first: tuple[Path, str]
) -> None:
    directory, url = first
    reading = Served(directory, OWNER)
    with reading.reading() as old:
        site.put(0, "/page", "<p>What this page says now, of moons.</p>")
        seeds = [Link(url, row_key(url), source=LinkSource.SEED)]
        apart, links = shadow.prepare(directory, seeds)
        config = load(directory, {**QUICK, **SETTINGS}, {})
        asyncio.run(crawl_into(apart, config, links))
        shadow.apply(directory)
        assert "moons" in text(reading, url)
        page = old.page(url)
        assert page is not None
        assert "tides" in page.text  # whoever began with the old state ends with it
        assert old.layout.data.joinpath("table").exists()
    assert shadow.clean(directory)  # nobody holds it any more
    assert "moons" in text(reading, url)
    reading.close()


def test_many_threads_read_while_it_is_refreshed(
    first: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, url = first
    monkeypatch.setattr(served, "_REFRESH_SECONDS", 0.0)
    reading = Served(directory, OWNER)
    ready = threading.Barrier(8)

    def read(_: int) -> set[str]:
        ready.wait(60)
        return {text(reading, url) for _ in range(5)}

    with ThreadPoolExecutor(8) as pool:
        found = set().union(*pool.map(read, range(8)))
    assert len(found) == 1
    assert "tides" in found.pop()
    reading.close()
