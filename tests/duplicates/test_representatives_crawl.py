"""Who stands for a group, by real crawls: by its canonical link, while it is there."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.analysis.regroup import regroup_collection
from shoal.api import open as open_collection
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.layout.layout import Layout
from shoal.maintenance.repair import repair
from shoal.maintenance.verify import verifying
from shoal.model.document import Fate, Reassigned
from shoal.model.urls.rowkey import row_key
from shoal.store.table import RocksTable
from tests.crawl.run import QUICK, crawl
from tests.duplicates.test_near_crawl import edited, page, prose
from tests.world import RobotsMix, Running, Web, serve

SETTINGS = {"politeness.delay": 0.02, "crawl.scope": "host"}


@pytest.fixture
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=7, hosts=1, pages=1, robots=robots)) as running:
        yield running


def findings(directory: Path) -> list[str]:
    with verifying(Layout(directory), lambda _: None) as verifier:
        return [f"{found.where}: {found.says}" for found in verifier.findings()]


def again(directory: Path, url: str) -> None:
    async def queue() -> None:
        engine = Engine(directory, load(directory, QUICK, {}))
        assert engine.raise_url(row_key(url), 1.0)
        await engine.close()

    asyncio.run(queue())
    crawl(directory, [], SETTINGS)


def fates(directory: Path, *urls: str) -> list[Fate]:
    with open_collection(directory) as collection:
        found = [collection.page(url) for url in urls]
        return [each.document.fate for each in found if each is not None]


def counted(directory: Path) -> dict[str, int]:
    with open_collection(directory) as collection:
        return collection.status().fetched_by_fate


def test_a_lead_that_goes_or_changes_is_replaced(site: Running, tmp_path: Path) -> None:
    words = prose("story", 150)
    first = site.put(0, "/first", page("First", words))
    second = site.put(0, "/second", page("Second", edited(words, "a")))
    third = site.put(0, "/third", page("Third", edited(words, "b")))
    directory = tmp_path / "corpus"
    for seed in (first, second, third):
        crawl(directory, [seed], SETTINGS)
    assert fates(directory, first, second, third) == [Fate.WAITING, Fate.DUPLICATE, Fate.DUPLICATE]
    with open_collection(directory) as collection:
        told = [line.says for line in collection.explain(first).lines]
        assert any(says.startswith("It stands for 2 other pages") for says in told)
        told = [line.says for line in collection.explain(third).lines]
        assert any(f"It is a duplicate of {first} (8" in says for says in told)  # 8x% alike
    site.put(0, "/first", "", status=404)
    again(directory, first)
    assert fates(directory, second, third) == [Fate.WAITING, Fate.DUPLICATE]
    assert counted(directory) == {"waiting for the index": 1, "duplicate": 1}
    with open_collection(directory) as collection:
        found = collection.page(third)
        assert found is not None
        assert found.duplicate_of == second
    site.put(0, "/second", page("Second", prose("another", 150)))
    again(directory, second)
    assert fates(directory, second, third) == [Fate.WAITING, Fate.WAITING]
    assert counted(directory) == {"waiting for the index": 2}
    site.put(0, "/first", page("First", words))
    again(directory, first)
    assert sorted(fates(directory, first, third)) == [Fate.DUPLICATE, Fate.WAITING]
    assert findings(directory) == []


def test_the_page_that_canonical_links_name_leads(site: Running, tmp_path: Path) -> None:
    words = prose("story", 150)
    directory = tmp_path / "corpus"
    right = f"http://{site.web.host_name(0)}:{site.port}/right"
    link = f"<link rel=canonical href='{right}'>"
    copy = site.put(0, "/print", link + page("Print", edited(words, "a")))
    site.put(0, "/right", link + page("Right", words))
    crawl(directory, [copy], SETTINGS)  # which leads to the other
    assert fates(directory, copy, right) == [Fate.DUPLICATE, Fate.WAITING]
    assert counted(directory) == {"waiting for the index": 1, "duplicate": 1}
    assert findings(directory) == []


def test_a_page_that_goes_without_a_visit_leaves_its_group(site: Running, tmp_path: Path) -> None:
    words = prose("story", 150)
    first = site.put(0, "/first", page("First", words))
    second = site.put(0, "/second", page("Second", edited(words, "a")))
    directory = tmp_path / "corpus"
    for seed in (first, second):
        crawl(directory, [seed], SETTINGS)

    async def withdraw() -> list[Reassigned]:
        engine = Engine(directory, load(directory, QUICK, {}))
        batch = engine._table.batch()
        reassigned = engine._prints.withdraw(batch, row_key(first))
        engine._table.write(batch)
        await engine.close()
        return reassigned

    assert asyncio.run(withdraw()) == [Reassigned(row_key(second), Fate.WAITING, "")]
    with open_collection(directory) as collection:
        assert collection.lead(second) == second
        assert collection.duplicates(second) == []


def test_damaged_groups_are_found_and_made_anew(site: Running, tmp_path: Path) -> None:
    words = prose("story", 150)
    urls = [
        site.put(0, "/a", page("A", words)),
        site.put(0, "/b", page("B", edited(words, "b"))),
        site.put(0, "/c", page("C", prose("other", 150))),
    ]
    directory = tmp_path / "corpus"
    for url in urls:
        crawl(directory, [url], SETTINGS)
    with RocksTable(Layout(directory).table) as table:
        batch = table.batch()
        for key, _ in table.scan("print", b"near\0", b"near\1"):
            batch.delete("print", key)
        table.write(batch)
    assert findings(directory) != []
    assert repair(directory, lambda _: None).regrouped
    assert findings(directory) == []
    assert fates(directory, *urls) == [Fate.WAITING, Fate.DUPLICATE, Fate.WAITING]
    assert counted(directory) == {"waiting for the index": 2, "duplicate": 1}


def test_groups_are_made_for_a_collection_that_has_none(site: Running, tmp_path: Path) -> None:
    words = prose("story", 150)
    urls = [site.put(0, f"/{n}", page(n, edited(words, n))) for n in ("a", "b", "c")]
    directory = tmp_path / "corpus"
    for url in urls:
        crawl(directory, [url], {**SETTINGS, "dedupe.near": "no"})
    assert counted(directory) == {"waiting for the index": 3}
    assert regroup_collection(directory, lambda _: None) == 2
    assert counted(directory) == {"waiting for the index": 1, "duplicate": 2}
    assert findings(directory) == []
