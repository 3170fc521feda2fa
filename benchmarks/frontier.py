"""What does a URL cost the frontier, at a million and at a hundred million? Time per add and per
take, and memory, on the real table.

    python -m benchmarks.frontier            1 M and 10 M URLs: a quarter of an hour
    python -m benchmarks.frontier --all      and 100 M: an hour or more, at least 10 GB of disk
    python -m benchmarks.frontier --keep     leaves the tables in --work, for a next run

The table of a crawl that knows so many URLs is written at once (grown.py); then the real frontier
is opened on it and the crawl goes on: in turn new URLs are added, known ones named again, and as
many pages visited (lease, release, finish). What happens in a second is the same at every size, so
that only the table differs: 100,000 hosts of Zipf sizes and 1,000 visits, of which

* a third go to the thousand largest hosts, which always have new pages, more than the window takes;
* three tenths to pages of the other hosts that are due again. The time from one visit of a page to
  the next grows with the number of pages, so that as many are due in a second;
* the rest to new pages of the other hosts. So a visit wakes a site as often at every size.

The window begins after a quarter as many visits, with caches full, and is as long at every size:
an eighth of the smallest size. Below 1 M the largest hosts would run dry, and the memtables would
not fill. CPU includes RocksDB's threads. Making the links is not timed: child processes do that.
Building and measuring are processes of their own, so that the peak is that of the frontier alone;
measured is a copy, so that a table that is kept stays as it was built.
"""

import argparse
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks import grown, report
from benchmarks.population import Population, answer, understand
from benchmarks.web import stop_on_sigterm
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.schedule.allowance import Mode, RevisitSettings
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.change_history import Change, ChangeHistory
from shoal.model.document import Understood
from shoal.model.link import Link
from shoal.model.verdict import Verdict
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Batch
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock

HOSTS = 100_000
MOST_URLS = 100_000_000
_SMALLEST = 1_000_000
_AT_ONCE = 20
"""Links of a page, and visits in flight."""
_WINDOW = 1 / 8
_WARMING = 1 / 4
_DELAY_AND_FETCH_SECONDS = 3.5

Result = TypeVar("Result")


class Later:
    """The Refresher port: every page is looked at again after about the same time."""

    def __init__(self, seconds: float) -> None:
        self._random = random.Random(1)
        self._range = (0.9 * seconds, 1.1 * seconds)

    def learn(
        self,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        resemblance: float,
        life: ChangeHistory | None,
    ) -> tuple[ChangeHistory, Change]:
        return life or ChangeHistory(), Change.UNKNOWN

    def plan(self, batch: Batch, row: bytes, life: ChangeHistory, now: float) -> float | None:
        return now + self._random.uniform(*self._range)

    def forget(self, batch: Batch, life: ChangeHistory) -> None:
        """Nothing is."""


class Meter:
    """Adds up what parts of the work took."""

    def __init__(self) -> None:
        self._wall: defaultdict[str, float] = defaultdict(float)
        self._cpu: defaultdict[str, float] = defaultdict(float)
        self._times: Counter[str] = Counter()

    def add(self, part: str, since: tuple[float, float], times: int) -> None:
        now = clocks()
        self._wall[part] += now[0] - since[0]
        self._cpu[part] += now[1] - since[1]
        self._times[part] += times

    def wall_us(self, part: str) -> float:
        return 1e6 * self._wall[part] / max(1, self._times[part])

    def cpu_us(self, part: str) -> float:
        return 1e6 * self._cpu[part] / max(1, self._times[part])


def clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


class Figures(NamedTuple):
    """What was seen at one size."""

    urls: int
    deleted: int
    per_second: float
    """Visits in a second of the crawl's own clock,"""
    revisits: float
    """and of all visits: those to a page seen before,"""
    wakes: float
    """and those before which a site had to be woken."""
    add_us: float
    known_us: float
    take_us: float
    add_wall_us: float
    known_wall_us: float
    take_wall_us: float
    rss_mb: float
    disk_mb: float
    build_s: float
    build_rss_mb: float

    @property
    def url_us(self) -> float:
        """A URL's way through the frontier: added once, taken once."""
        return self.add_us + self.take_us


class Bench:
    """A crawl without its network, on a table that was built."""

    def __init__(self, path: Path, population: Population) -> None:
        self._path = path
        self._population = population
        self._clock = FakeClock(grown.NOW)
        self._table = RocksTable(path)
        capacity = max(1, round(population.visits_per_second * _DELAY_AND_FETCH_SECONDS))
        seams = Seams(refresher=Later(population.due_again_seconds), prefetch=self._count_woken)
        settings = FrontierSettings(
            capacity=capacity, seed=1, revisits=RevisitSettings(Mode.STEADY)
        )
        self._frontier = DiskFrontier(self._table, self._clock, settings, seams)
        self._meter = Meter()
        self._seen: Counter[str] = Counter()

    def run(self, takes: int) -> None:
        """The figures are those of the last run."""
        self._meter, self._seen = Meter(), Counter()
        began = self._clock.now()
        for _ in range(0, takes, _AT_ONCE):
            self._add("add", self._population.new(_AT_ONCE))
            self._add("known", self._population.known(_AT_ONCE))
            self._take(_AT_ONCE)
        self._seconds = self._clock.now() - began

    def figures(self, built: grown.Built) -> Figures:
        meter, visits = self._meter, max(1, self._seen["visit"])
        return Figures(
            self._population.urls,
            built.deleted,
            visits / max(1.0, self._seconds),
            self._seen["revisit"] / visits,
            self._seen["woken"] / visits,
            meter.cpu_us("add"),
            meter.cpu_us("known"),
            meter.cpu_us("take"),
            meter.wall_us("add"),
            meter.wall_us("known"),
            meter.wall_us("take"),
            peak_rss_bytes() / 1e6,
            sum(file.stat().st_size for file in self._path.rglob("*") if file.is_file()) / 1e6,
            built.seconds,
            built.peak_bytes / 1e6,
        )

    def close(self) -> None:
        self._frontier.close()
        self._table.close()

    def _add(self, part: str, links: list[Link]) -> None:
        since = clocks()
        self._frontier.add(links, depth=2)
        self._meter.add(part, since, len(links))

    def _take(self, count: int) -> None:
        """So many visits to pages; a host's robots.txt comes on top and counts as a visit, too."""
        since, before = clocks(), self._seen["visit"]
        pages = 0
        while pages < count:
            pages += self._visit_some(count - pages)
        self._meter.add("take", since, self._seen["visit"] - before)

    def _visit_some(self, count: int) -> int:
        """As core.py does it: several visits in flight, each one's batch written at its end."""
        leases = list(islice(iter(self._frontier.lease, None), count))
        self._clock.advance(count / self._population.visits_per_second)
        pages = 0
        for lease in leases:
            visit = lease.next_url()
            fetched = answer(visit, self._clock.now())
            self._frontier.release(lease, fetched)
            batch = self._table.batch()
            understood = understand(visit)
            verdict = Verdict(understood.documents)
            self._frontier.finish(batch, visit, fetched, understood, verdict)
            self._table.write(batch)
            pages += visit.kind is VisitKind.PAGE
            self._seen["revisit"] += bool(visit.etag)
        self._seen["visit"] += len(leases)
        return pages

    def _count_woken(self, urls: Iterable[str]) -> None:
        self._seen["woken"] += sum(1 for _ in urls)


def peak_rss_bytes() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return 0


def _build(path: Path, hosts: int, urls: int) -> None:
    """In a directory of another name, until all of it is there."""
    unfinished = _unfinished(path)
    shutil.rmtree(unfinished, ignore_errors=True)
    built = grown.build(unfinished, Population(hosts, urls))
    grown.write_note(unfinished, built._replace(peak_bytes=peak_rss_bytes()))
    unfinished.rename(path)


def _unfinished(path: Path) -> Path:
    return path.with_name(f"{path.name}.unfinished")


def _measure(path: Path, hosts: int, urls: int, takes: int, built: grown.Built) -> Figures:
    bench = Bench(path, Population(hosts, urls))
    try:
        grown.wait_for_compactions()  # of what the log still held when the table was opened
        bench.run(int(takes * _WARMING))
        bench.run(takes)
        return bench.figures(built)
    finally:
        bench.close()


def in_a_process(work: Callable[..., Result], *arguments: object) -> Result:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def figures_at(urls: int, hosts: int, takes: int, work: Path, *, keep: bool) -> Figures:
    """Of a table that stands in `work` already; else it is built and, unless kept, deleted."""
    path = work / f"frontier-{name_of(urls)}-{hosts}"
    stays = keep or path.is_dir()
    try:
        if not path.is_dir():
            in_a_process(_build, path, hosts, urls)
        with tempfile.TemporaryDirectory(prefix="frontier-", dir=work) as directory:
            copy = Path(directory) / "table"
            grown.copy_table(path, copy)
            return in_a_process(_measure, copy, hosts, urls, takes, grown.read_note(path))
    finally:
        if not stays:
            for each in (path, _unfinished(path)):
                shutil.rmtree(each, ignore_errors=True)


def sizes_up_to(urls: int) -> list[int]:
    """From where a frontier is large, or from a tenth of the end, tenfold each time."""
    sizes = [urls // 10, urls]
    while sizes[0] >= 10 * _SMALLEST:
        sizes.insert(0, sizes[0] // 10)
    return sizes


def name_of(urls: int) -> str:
    for unit, letter in ((1_000_000, "M"), (1000, "k")):
        if urls % unit == 0:
            return f"{urls // unit}{letter}"
    return str(urls)


def results(found: list[Figures]) -> str:
    head = ["URLs", "deleted", "visits/s", "revisits", "wakes", "add µs", "known µs", "take µs"]
    head += ["URL µs", "add wall", "known wall", "take wall", "peak MB", "disk MB"]
    head += ["build s", "build MB"]
    rows = [[name_of(each.urls), *each[1:8], each.url_us, *each[8:]] for each in found]
    lines = [report.table(head, rows), ""]
    first = found[0]
    for after in found[1:]:
        name = f"frontier.{name_of(after.urls)}_vs_{name_of(first.urls)}"
        lines += [
            report.line(f"{name}.url_cpu_us", after.url_us, first.url_us),
            report.line(f"{name}.add_cpu_us", after.add_us, first.add_us),
            report.line(f"{name}.take_cpu_us", after.take_us, first.take_us),
            report.line(f"{name}.peak_mb", after.rss_mb, first.rss_mb),
        ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.frontier",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--urls", type=int, default=10 * _SMALLEST)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--all", action="store_true", help="up to 100 M URLs")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    parser.add_argument("--keep", action="store_true", help="leave the tables in --work")
    options = parser.parse_args()
    stop_on_sigterm()
    options.work.mkdir(parents=True, exist_ok=True)
    sizes = sizes_up_to(MOST_URLS if options.all else options.urls)
    takes = max(_AT_ONCE, int(sizes[0] * _WINDOW))
    found = []
    for size in sizes:
        found.append(figures_at(size, options.hosts, takes, options.work, keep=options.keep))
        print(f"{name_of(size)}: {found[-1]}", file=sys.stderr, flush=True)
    print(results(found))


if __name__ == "__main__":
    main()
