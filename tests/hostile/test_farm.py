"""Neither an endless site nor a farm of hosts takes a crawl over: the honest sites are completed
within a page limit of twice their size."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.collection.report.hosts import host_lines
from shoal.model.outcome import State
from tests.crawl.run import crawl
from tests.hostile.farmweb import CALENDAR, MILLION, FarmWeb

HONEST_ADDRESSES = [f"127.70.0.{i}" for i in range(1, 9)]
FARM_ADDRESSES = [f"127.71.0.{i}" for i in range(1, 5)]


@contextmanager
def serving(web: FarmWeb) -> Iterator[int]:
    words = [str(n) for n in (web.honest, web.pages, web.farm)]
    command = [sys.executable, "-m", "tests.hostile.farmweb", *words]
    with subprocess.Popen(
        [*command, *HONEST_ADDRESSES, *FARM_ADDRESSES], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


def resolve_table(web: FarmWeb, port: int, farm_addresses: list[str]) -> dict[str, str]:
    honest = [f"h{i}.test" for i in range(web.honest)]
    where = {host: HONEST_ADDRESSES[i % len(HONEST_ADDRESSES)] for i, host in enumerate(honest)} | {
        host: farm_addresses[i % len(farm_addresses)]
        for i, host in enumerate([CALENDAR, MILLION, *web.farm_hosts()])
    }
    return {f"resolve.{host}": f"{address}:{port}" for host, address in where.items()}


def fetched_by_kind(directory: Path, honest: set[str]) -> Counter[str]:
    kinds: Counter[str] = Counter()
    with open_collection(directory) as collection:
        for url, row in collection.urls():
            if row.state is State.FETCHED:
                host = url.split("/")[2]
                if url in honest:
                    kinds["honest"] += 1
                else:
                    kinds[host if host in (CALENDAR, MILLION) else "farm"] += 1
    return kinds


def check(
    web: FarmWeb, directory: Path, seeds: int, *, shared: bool, delay: float = 0.0
) -> Counter[str]:
    honest = web.honest_urls()
    with serving(web) as port:
        table = resolve_table(web, port, HONEST_ADDRESSES if shared else FARM_ADDRESSES)
        settings = {
            "politeness.delay": delay,
            "crawl.max_pages": 2 * len(honest),
            "crawl.keep": "text",
            **table,
        }
        crawl(directory, [f"http://h{i}.test/" for i in range(seeds)], settings)
    kinds = fetched_by_kind(directory, honest)
    assert kinds["honest"] == len(honest), kinds
    assert kinds["farm"], "nobody was refused"
    return kinds


def waiting_words(directory: Path) -> str:
    """What `explain` and `hosts` say of a page that waits behind others."""
    with open_collection(directory) as collection:
        waiting = next(
            url for url, row in collection.urls() if MILLION in url and row.state is State.QUEUED
        )
        notes = {line.host: line.note for line in host_lines(collection)}
        told = collection.explain(waiting).lines[-1]
    assert notes[MILLION] in told.says
    return notes[MILLION]


@pytest.mark.parametrize("shared", [False, True], ids=["own addresses", "shared addresses"])
@pytest.mark.parametrize("seeds", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_honest_sites_are_completed(tmp_path: Path, seeds: int, shared: bool) -> None:
    check(FarmWeb(honest=15, pages=20, farm=500), tmp_path / "corpus", seeds, shared=shared)
    assert waiting_words(tmp_path / "corpus").endswith("it waits behind others")


@pytest.mark.parametrize(
    "shared",
    [pytest.param(False, marks=pytest.mark.slow), True],
    ids=["own addresses", "shared addresses"],
)
def test_also_while_workers_are_idle_because_the_honest_hosts_wait(
    tmp_path: Path, shared: bool
) -> None:
    """With a delay there is nearly always nothing but the farm to ask: a share of the limit is all
    that it gets meanwhile."""
    web = FarmWeb(honest=15, pages=20, farm=500)
    kinds = check(web, tmp_path / "corpus", 3, shared=shared, delay=0.2)
    assert sum(kinds.values()) - kinds["honest"] >= len(web.honest_urls()) // 4


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True], ids=["own addresses", "shared addresses"])
@pytest.mark.parametrize("seeds", [1, 5])
def test_fifty_honest_sites_beside_five_thousand_generated(
    tmp_path: Path, seeds: int, shared: bool
) -> None:
    check(FarmWeb(honest=50, pages=40, farm=5_000), tmp_path / "corpus", seeds, shared=shared)
