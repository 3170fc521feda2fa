"""More tablets, more pages a second? And what does a page cost in a cluster?

    python -m benchmarks.cluster                      1, 2 and 4 tablets, 200 ms of latency
    python -m benchmarks.cluster --pages 1000 --hosts 100 --rounds 1       a quick look

The web of benchmarks/web.py, every answer 200 ms late: a tablet with W workers can have W pages in
200 ms at the most, as long as there are cores. Each tablet has the same W, and so has the crawl on
one machine that they are compared with. What is measured is the middle of each crawl, from a fifth
of its pages to four fifths: pages by the crawl's own count, CPU of the whole process tree (Ray's
processes with it), both looked at every half second. Starting Ray and its end are left out, since
they cost the same for a thousand pages and for a billion.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks import process_tree, report
from benchmarks.web import Web, add_arguments, served, stop_on_sigterm, web_of
from shoal.app.cluster_file import create
from shoal.app.cluster_status import read_status
from shoal.app.layout import Layout
from shoal.app.status import read_last_snapshot
from shoal.cluster.objects import open_objects
from shoal.counters import Counts

LATENCY_MS = 200
_LOOK_SECONDS = 0.5
_FROM, _TO = 0.2, 0.8
_TICK = os.sysconf("SC_CLK_TCK")
_FLAGS = ("--scope", "any", "--delay", "0", "--quiet", "--contact", "bench@example.org")
_SETTINGS = ("politeness.delay_factor=0", "dedupe.learn=no", "index.follow=no", "crawl.children=1")


class Look(NamedTuple):
    seconds: float
    pages: int
    cpu_seconds: float


class Middle(NamedTuple):
    """Of one crawl."""

    pages_per_second: float
    cpu_ms_per_page: float
    cores: float


def fetched(counts: Counts) -> int:
    return counts.total("fetched/")


def cpu_seconds(process: int) -> float:
    """Of a process and all below it, those that have ended with them."""
    ticks = 0
    for each in process_tree.tree(process):
        try:
            text = Path(f"/proc/{each}/stat").read_text(encoding="ascii")
        except OSError:
            continue
        ticks += sum(int(field) for field in text.rpartition(")")[2].split()[11:15])
    return ticks / _TICK


def middle_of(command: list[str], count: Callable[[], int], pages: int, log: Path) -> Middle:
    """Run a crawl to its end."""
    looks: list[Look] = []
    with log.open("wb") as output:
        program = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        while program.poll() is None:
            looks.append(Look(time.monotonic(), count(), cpu_seconds(program.pid)))
            time.sleep(_LOOK_SECONDS)
    except BaseException:
        program.terminate()
        raise
    if program.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {log.read_text()[-1000:]}")
    if count() != pages:
        raise SystemExit(f"{count():,} pages were fetched, not {pages:,}.")
    within = [look for look in looks if _FROM * pages <= look.pages <= _TO * pages]
    first, last = within[0], within[-1]
    seconds, done = last.seconds - first.seconds, last.pages - first.pages
    cpu = last.cpu_seconds - first.cpu_seconds
    return Middle(done / seconds, 1000 * cpu / done, cpu / seconds)


def flags(workers: int) -> list[str]:
    assigned = [word for setting in _SETTINGS for word in ("--set", setting)]
    return [*_FLAGS, "--workers", str(workers), *assigned]


def one_machine(web: Web, folder: Path, workers: int) -> Middle:
    place = folder / "one"
    shoal = [sys.executable, "-m", "shoal", "crawl", *web.seeds, "--dir", str(place)]

    def count() -> int:
        snapshot = read_last_snapshot(Layout(place).status)
        return 0 if snapshot is None else fetched(Counts(snapshot.counts))

    return middle_of([*shoal, *flags(workers)], count, len(web.urls), folder / "one.log")


def cluster(web: Web, folder: Path, workers: int, tablets: int) -> Middle:
    place = str(folder / f"cluster-{tablets}")
    create(place, tablets)
    shoal = [sys.executable, "-m", "shoal", "cluster", "start", place, *web.seeds]

    def count() -> int:
        status = read_status(open_objects(place))
        return 0 if status is None else fetched(status.counts)

    log = folder / f"cluster-{tablets}.log"
    return middle_of([*shoal, *flags(workers)], count, len(web.urls), log)


def main() -> None:
    stop_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--workers", type=int, default=8, help="of each tablet (8)")
    parser.add_argument("--tablets", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    web = web_of(options)
    found: dict[str, list[Middle]] = {}
    with served(web, LATENCY_MS):
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                found.setdefault("one machine", []).append(
                    one_machine(web, folder, options.workers)
                )
                for tablets in options.tablets:
                    row = found.setdefault(f"{tablets} tablets", [])
                    row.append(cluster(web, folder, options.workers, tablets))
    print(f"{web.describe()}, {LATENCY_MS} ms, {options.workers} workers a tablet")
    rows = {
        name: Middle(*(statistics.median(values) for values in zip(*runs, strict=True)))
        for name, runs in found.items()
    }
    print(
        report.table(
            ("", "pages/s", "CPU ms a page", "cores used"),
            [
                (name, row.pages_per_second, row.cpu_ms_per_page, row.cores)
                for name, row in rows.items()
            ],
        )
    )
    alone, single = rows["one machine"], rows[f"{options.tablets[0]} tablets"]
    for tablets in options.tablets[1:]:
        ideal = single.pages_per_second * tablets / options.tablets[0]
        now = rows[f"{tablets} tablets"].pages_per_second
        print(report.line(f"pages_per_second_of_{tablets}_to_linear", now, ideal))
    for tablets in options.tablets:
        now = rows[f"{tablets} tablets"].cpu_ms_per_page
        print(report.line(f"cpu_a_page_of_{tablets}_to_one_machine", now, alone.cpu_ms_per_page))


if __name__ == "__main__":
    main()
