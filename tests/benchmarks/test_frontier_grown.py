"""Is a table that was written at once the table of a crawl that grew? The same rows, but for their
times; and the frontier's own audit finds nothing wrong with it."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.frontier import Bench, figures_at, sizes_up_to
from benchmarks.grown import NOW, build
from benchmarks.population import (
    Population,
    answer,
    path_of_number,
    site_of_host,
    spread,
    understand,
)
from shoal.frontier.audit.audit import audit
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.schedule.allowance import Mode, RevisitSettings
from shoal.frontier.schedule.credit import CreditRow
from shoal.frontier.state.rows import (
    FRONT_MARK,
    HostRow,
    RobotsRow,
    SiteRow,
    read_entry,
    read_front_key,
    row_of_url_key,
    unpack_url,
)
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.change_history import Change, ChangeHistory
from shoal.model.document import Understood
from shoal.model.link import Link
from shoal.model.record import unpack
from shoal.model.urls.rowkey import row_key, site_of_key, url_of
from shoal.model.verdict import Verdict
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Batch
from shoal.store.table import FAMILIES, RocksTable
from tests.fake_clock import FakeClock

HOSTS = 200
URLS = 1000
KINDS: dict[bytes, type[msgspec.Struct]] = {
    b"site": SiteRow,
    b"host": HostRow,
    b"robots": RobotsRow,
    b"credit": CreditRow,
}


class TwiceIfBusy:
    """The Refresher port: a page of a busy host is due again soon, once."""

    def __init__(self, population: Population) -> None:
        self._busy = {site_of_host(host) for host in range(population.busy)}

    def learn(
        self,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        resemblance: float,
        life: ChangeHistory | None,
    ) -> tuple[ChangeHistory, Change]:
        return ChangeHistory(observed=int(not visit.is_first)), Change.UNKNOWN

    def plan(self, batch: Batch, row: bytes, life: ChangeHistory, now: float) -> float | None:
        soon = not life.observed and site_of_key(row) in self._busy
        return now + (10.0 if soon else 1e6)

    def forget(self, batch: Batch, life: ChangeHistory) -> None:
        """Nothing is."""


@pytest.fixture
def population() -> Population:
    return Population(HOSTS, URLS)


@pytest.fixture
def written(tmp_path: Path, population: Population) -> Iterator[RocksTable]:
    built = build(tmp_path / "written", population)
    assert built.deleted == sum(visits_of(population).values())
    with RocksTable(tmp_path / "written") as table:
        yield table


def visits_of(population: Population) -> dict[bytes, int]:
    return {
        site_of_host(host) + path_of_number(number): (
            population.visits_each(host) if number < population.visited(host) else 0
        )
        for host, size in enumerate(population.sizes)
        for number in range(size)
    }


def grow(table: RocksTable, population: Population) -> None:
    """The same crawl, through the frontier."""
    clock, wanted = FakeClock(NOW - 100_000), visits_of(population)
    seams = Seams(refresher=TwiceIfBusy(population))
    settings = FrontierSettings(seed=1, revisits=RevisitSettings(Mode.STEADY))
    frontier = DiskFrontier(table, clock, settings, seams)
    frontier.add([link_to(row) for row, visits in wanted.items() if visits], depth=2)
    pages = 0
    while pages < sum(wanted.values()):
        while (lease := frontier.lease()) is not None:
            visit, batch = lease.next_url(), table.batch()
            fetched = answer(visit, clock.now())
            frontier.release(lease, fetched)
            understood = understand(visit)
            verdict = Verdict(understood.documents)
            frontier.finish(batch, visit, fetched, understood, verdict)
            table.write(batch)
            pages += visit.kind is VisitKind.PAGE
        clock.advance(1)
    frontier.add([link_to(row) for row, visits in wanted.items() if not visits], depth=2)
    frontier.close()


def link_to(row: bytes) -> Link:
    return Link(url_of(row), row)


def shape(table: RocksTable) -> dict[str, Any]:
    """Everything in a table; of a time only whether there is one."""
    found: dict[str, Any] = {}
    for family in FAMILIES:
        for key, value in table.scan(family, b""):
            name, content = shape_of_row(family, key, value)
            found[f"{family} {name}"] = content
    return found


def shape_of_row(family: str, key: bytes, value: bytes) -> tuple[object, object]:
    if family == "page":
        assert row_of_url_key(key) is not None
        return key, timeless(unpack_url(value))
    if family == "queue" and key.startswith(FRONT_MARK):
        rank, ready_ms, site = read_front_key(key)
        return (rank, ready_ms > 0, site), value
    if family == "queue":
        entry = read_entry(key.partition(b"\x00")[0], key)
        return (entry.level, entry.due_ms > 0, entry.order > 0, entry.row), value
    kind = KINDS.get(key.rpartition(b"\x00")[2])
    if kind is not None:
        return key, timeless(unpack(kind, value))
    return key, unpack(dict[str, int], value) if key == b"\x00counts" else None


def timeless(row: msgspec.Struct) -> dict[str, object]:
    fields = msgspec.structs.asdict(row)
    fields.pop("rest_until_ms", None)  # long past, if it was ever set
    timed = ("_ms", "order")
    return {name: bool(v) if name.endswith(timed) else v for name, v in fields.items()}


def test_it_is_the_table_of_a_crawl_that_grew(
    tmp_path: Path, population: Population, written: RocksTable
) -> None:
    with RocksTable(tmp_path / "grown") as grown:
        grow(grown, population)
        assert audit(grown) == []
        expected = shape(grown)
    found = shape(written)
    assert found.keys() == expected.keys()
    differing = {name: (found[name], expected[name]) for name in found}
    assert {name: pair for name, pair in differing.items() if pair[0] != pair[1]} == {}
    assert sum(name.startswith("page ") for name in found) == URLS
    assert found[r"site b'\x00counts'"]["queued"] > 0


def test_the_frontier_finds_nothing_wrong(written: RocksTable) -> None:
    assert audit(written) == []


def test_a_measured_crawl_leaves_all_in_order(tmp_path: Path, population: Population) -> None:
    built = build(tmp_path / "table", population)
    bench = Bench(tmp_path / "table", population)
    bench.run(200)
    figures = bench.figures(built)
    bench.close()
    with RocksTable(tmp_path / "table") as table:
        assert audit(table) == []
    assert 0 < figures.revisits < 1
    assert 0 < figures.wakes <= 1
    assert min(figures.add_us, figures.known_us, figures.take_us, figures.disk_mb) > 0


@pytest.mark.slow
def test_a_kept_table_is_measured_again_and_stays_as_it_was_built(tmp_path: Path) -> None:
    first = figures_at(1000, 50, 40, tmp_path, keep=True)
    (kept,) = tmp_path.iterdir()
    before = {file.name: file.read_bytes() for file in kept.iterdir()}
    again = figures_at(1000, 50, 40, tmp_path, keep=False)
    assert {file.name: file.read_bytes() for file in kept.iterdir()} == before
    assert list(tmp_path.iterdir()) == [kept]
    assert again.build_s == first.build_s  # it was not built again
    assert (again.deleted, again.revisits, again.wakes) == first[1:2] + first[3:5]


@pytest.mark.parametrize("urls", [1_000_000, 10_000_000, 100_000_000])
def test_a_second_is_the_same_at_every_size(urls: int) -> None:
    population = Population(100_000, urls)
    assert sum(population.sizes) == urls
    assert (population.busy, population.visits_per_second) == (1000, 1000)
    calm = urls - sum(population.sizes[:1000])
    assert calm / population.due_again_seconds == pytest.approx(300)
    least = population.sizes[999] // 2
    assert least >= 40  # more than a window of 125 s takes, three seconds apart


def test_due_times_are_spread_evenly() -> None:
    moments = sorted(spread(host, number) for host in range(5000) for number in range(2))
    gaps = [after - before for before, after in pairwise(moments)]
    assert max(gaps) < 0.01
    assert sum(moment < 0.1 for moment in moments) == pytest.approx(1000, rel=0.1)


def test_rows_are_those_of_their_urls() -> None:
    row = site_of_host(12) + path_of_number(345)
    assert row_key(url_of(row)) == row
    assert url_of(row).startswith("https://www.site-12.example/articles/")


def test_sizes_end_where_they_are_told_to() -> None:
    assert sizes_up_to(100_000_000) == [1_000_000, 10_000_000, 100_000_000]
    assert sizes_up_to(10_000_000) == [1_000_000, 10_000_000]
    assert sizes_up_to(1000) == [100, 1000]
