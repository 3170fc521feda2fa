"""A real crawl's collection goes through the store and comes back: same rows, same bodies."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.cluster.checkpoint import Checkpointer, Tablet
from shoal.cluster.manifest import Manifest
from shoal.cluster.objects import Objects, open_objects
from shoal.cluster.restore import restore
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.engine.running import RunningCrawl
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.link import Link, LinkSource
from shoal.model.urls.rowkey import row_key
from shoal.store.archive_ends import whole_ends
from shoal.store.table import FAMILIES, RocksTable
from tests.cluster.tablet import PREFIX
from tests.crawl.run import QUICK, crawl
from tests.world import Latency, RobotsMix, Running, Web, serve

WEB = Web(
    seed=9,
    hosts=10,
    pages=120,
    skew=0,
    mean_bytes=3000,
    robots=RobotsMix(crawl_delay=0, error=0),
)


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.002)}) as running:
        yield running


@pytest.fixture(scope="module")
def corpus(world: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("crawled") / "corpus"
    crawl(directory, world.web.seeds(), {"crawl.max_pages": 40})
    return directory


def checkpointer_of(objects: Objects, layout: Layout, table: RocksTable) -> Checkpointer:
    tablet = Tablet(layout, table.checkpoint, lambda: whole_ends(table), lambda: None)
    return Checkpointer(objects, PREFIX, 1, tablet)


def contents(directory: Path) -> dict[str, dict[bytes, bytes]]:
    with RocksTable(directory / "table", reader=True) as table:
        return {family: dict(table.scan(family, b"")) for family in FAMILIES}


def archived(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (directory / "warc").iterdir()}


def faults_in(directory: Path) -> list[str]:
    with verifying(Layout(directory), lambda _: None) as verifier:
        return [str(finding) for finding in verifier.findings()]


def stored(directory: Path) -> set[bytes]:
    """The rows of stored pages."""
    return {key for key in contents(directory)["page"] if key.endswith(b"\x00fetch")}


@pytest.mark.parametrize("kind", ["directory", "s3"])
def test_a_crawl_comes_back_whole(
    kind: str, corpus: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    objects: Objects = (
        request.getfixturevalue("s3") if kind == "s3" else open_objects(str(tmp_path / "store"))
    )
    (corpus / "checkpoint.json").unlink(missing_ok=True)  # of the other store
    with RocksTable(corpus / "table") as table:
        made = checkpointer_of(objects, Layout(corpus), table).make()
    assert restore(objects, PREFIX, tmp_path / "restored") == made
    assert contents(tmp_path / "restored") == contents(corpus)
    assert archived(tmp_path / "restored") == archived(corpus)
    assert len(contents(corpus)["text"]) > 20
    assert faults_in(tmp_path / "restored") == faults_in(corpus) == []


@pytest.mark.slow
def test_checkpoints_beside_a_running_crawl(world: Running, s3: Objects, tmp_path: Path) -> None:
    """Every one of them is a collection without a fault, and the crawl goes on from the last."""

    async def crawl_and_copy() -> list[Manifest]:
        config = load(tmp_path / "corpus", QUICK, {})
        engine = Engine(tmp_path / "corpus", config)
        made: list[Manifest] = []
        try:
            checkpointer = checkpointer_of(s3, engine.layout, engine._table)
            seeds = [Link(url, row_key(url), source=LinkSource.SEED) for url in world.web.seeds()]
            running = RunningCrawl(engine)
            crawling = asyncio.create_task(running.run(seeds))
            while not crawling.done() and len(made) < 8:
                made.append(await asyncio.to_thread(checkpointer.make))
                into = tmp_path / f"restored{len(made)}"
                await asyncio.to_thread(restore, s3, PREFIX, into)
            running.stop("enough")
            await crawling
        finally:
            await engine.close()
        return made

    made = asyncio.run(crawl_and_copy())
    assert len(made) > 3
    for number in range(1, len(made) + 1):
        assert faults_in(tmp_path / f"restored{number}") == []
    whole = crawl(tmp_path / "whole", world.web.seeds())
    again = crawl(tmp_path / f"restored{len(made)}", world.web.seeds())
    assert again.recovered.torn_tails == []
    assert again.recovered.queued_again == 0
    assert again.status.queued == whole.status.queued == 0
    assert stored(tmp_path / f"restored{len(made)}") == stored(tmp_path / "whole")
