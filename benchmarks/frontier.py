"""What does a URL cost the frontier, at a million and at a hundred million? Time per add and per
take, and memory, on the real table.

    python -m benchmarks.frontier                    up to 1 M URLs: a few minutes
    python -m benchmarks.frontier --urls 10000000
    python -m benchmarks.frontier --all              up to 100 M: most of a day, tens of GB of disk

One crawl, without its network, grows through the sizes. In turn it adds new URLs, names known ones
again, and takes as many visits (lease, release, finish): first visits and, as each page is due
again some minutes later, revisits. So at every size as many queue entries were deleted as URLs
added, and the queue still holds them all. Hosts are of Zipf sizes: some keep a long backlog,
most come and go. A size's figures are those of the last fifth of the way to it. CPU includes
RocksDB's threads. Making the links is not timed: child processes do that.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.population import Population
from benchmarks.web import stop_on_sigterm
from shoal.clock import FakeClock
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.settings import FrontierSettings, Seams
from shoal.model.document import Understood
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Kind, Visit
from shoal.store.table import RocksTable

HOSTS = 100_000
_SMALLEST = 100_000
_AT_ONCE = 20
"""Links of a page, and visits in flight."""
_WINDOW = 0.2
_VISITS_PER_SECOND = 1000.0
_DELAY_AND_FETCH_SECONDS = 3.5
_FETCH_SECONDS = 0.1
_DUE_AGAIN_SECONDS = (10.0, 60.0)


class Later:
    """The Refresher port: every page is looked at again after some minutes."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def next_due(self, visit: Visit, fetched: Fetched, understood: Understood) -> float | None:
        return fetched.ended + self._random.uniform(*_DUE_AGAIN_SECONDS)


class Meter:
    """Adds up what parts of the work took, between two sizes."""

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
    revisits: float
    add_us: float
    known_us: float
    take_us: float
    add_wall_us: float
    take_wall_us: float
    rss_mb: float
    disk_mb: float

    @property
    def url_us(self) -> float:
        """A URL's way through the frontier: added once, taken once."""
        return self.add_us + self.take_us


class Bench:
    def __init__(self, directory: Path, hosts: int, seed: int = 1) -> None:
        self._directory = directory
        self._population = Population(hosts, seed, _AT_ONCE)
        self._clock = FakeClock()
        self._table = RocksTable(directory / "table")
        settings = FrontierSettings(
            capacity=round(_VISITS_PER_SECOND * _DELAY_AND_FETCH_SECONDS), seed=seed
        )
        seams = Seams(refresher=Later(seed))
        self._frontier = DiskFrontier(self._table, self._clock, settings, seams)
        self._meter = Meter()
        self._kinds: Counter[str] = Counter()
        self.deleted = 0

    def grow(self, sizes: list[int]) -> Iterator[Figures]:
        urls = 0
        for size in sizes:
            window = size - max(_AT_ONCE, int(size * _WINDOW))
            while urls < size:
                if urls < window <= urls + _AT_ONCE:
                    self._meter = Meter()
                    self._kinds.clear()
                urls += self._add("add", self._population.new())
                self._add("known", self._population.known())
                self._take(_AT_ONCE)
            yield self._figures(urls)

    def close(self) -> None:
        self._frontier.close()
        self._table.close()

    def _add(self, part: str, links: list[Link]) -> int:
        since = clocks()
        new = self._frontier.add(links, depth=2)
        self._meter.add(part, since, len(links))
        return new

    def _take(self, count: int) -> None:
        """So many visits to pages; a host's robots.txt comes on top and counts as a visit, too."""
        since, robots = clocks(), self._kinds["robots"]
        pages = 0
        while pages < count:
            pages += self._visit_some(min(_AT_ONCE, count - pages))
        self._meter.add("take", since, pages + self._kinds["robots"] - robots)
        self.deleted += pages

    def _visit_some(self, count: int) -> int:
        """As crawl.py does it: several visits in flight, each one's batch written at its end."""
        leases = list(islice(iter(self._frontier.lease, None), count))
        self._clock.advance(_AT_ONCE / _VISITS_PER_SECOND)
        pages = 0
        for lease in leases:
            visit = lease.next_url()
            fetched = self._answer(visit)
            self._frontier.release(lease, fetched)
            batch = self._table.batch()
            self._frontier.finish(batch, visit, fetched, Understood())
            self._table.write(batch)
            self._kinds[_kind(visit)] += 1
            pages += visit.kind is Kind.PAGE
        return pages

    def _answer(self, visit: Visit) -> Fetched:
        missing = visit.kind is Kind.ROBOTS
        host = int(visit.url.partition("site-")[2].partition(".")[0])
        now = self._clock.now()
        return Fetched(
            Outcome.MISSING if missing else Outcome.OK,
            404 if missing else 200,
            started=now - _FETCH_SECONDS,
            ended=now,
            address=f"10.{host >> 16}.{host >> 8 & 255}.{host & 255}:443",
            headers=[("content-type", "text/html"), ("etag", '"5f3a-4c1"')],
        )

    def _figures(self, urls: int) -> Figures:
        meter = self._meter
        return Figures(
            urls,
            self.deleted,
            self._kinds["revisit"] / max(1, self._kinds.total()),
            meter.cpu_us("add"),
            meter.cpu_us("known"),
            meter.cpu_us("take"),
            meter.wall_us("add"),
            meter.wall_us("take"),
            _peak_rss_bytes() / 1e6,
            sum(file.stat().st_size for file in self._directory.rglob("*") if file.is_file()) / 1e6,
        )


def _kind(visit: Visit) -> str:
    if visit.kind is Kind.ROBOTS:
        return "robots"
    return "revisit" if visit.seen_at or visit.etag else "first"


def _peak_rss_bytes() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return 0


def sizes_up_to(urls: int) -> list[int]:
    """The end, a tenth of it, and so on down to where a frontier is still a frontier."""
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
    head = ["URLs", "deleted", "revisits", "add µs", "known µs", "take µs", "URL µs"]
    head += ["add wall", "take wall", "peak MB", "disk MB"]
    rows = [
        [name_of(each.urls), each.deleted, *each[2:6], each.url_us, *each[6:]] for each in found
    ]
    lines = [report.table(head, rows), ""]
    for before, after in pairwise(found):
        name = f"frontier.{name_of(after.urls)}_vs_{name_of(before.urls)}"
        lines += [
            report.line(f"{name}.url_cpu_us", after.url_us, before.url_us),
            report.line(f"{name}.add_cpu_us", after.add_us, before.add_us),
            report.line(f"{name}.take_cpu_us", after.take_us, before.take_us),
            report.line(f"{name}.peak_mb", after.rss_mb, before.rss_mb),
        ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.frontier",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--all", action="store_true", help="up to 100 M URLs")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    options = parser.parse_args()
    stop_on_sigterm()
    options.work.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="frontier-", dir=options.work))
    bench = Bench(directory, options.hosts)
    found = []
    try:
        for figures in bench.grow(sizes_up_to(100_000_000 if options.all else options.urls)):
            found.append(figures)
            print(f"{name_of(figures.urls)}: {figures}", file=sys.stderr, flush=True)
    finally:
        bench.close()
        shutil.rmtree(directory)
    print(results(found))


if __name__ == "__main__":
    main()
