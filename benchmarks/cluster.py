"""More tablets, more pages a second? And what does a page cost in a cluster?

    python -m benchmarks.cluster                      1, 2 and 4 tablets, 200 ms of latency
    python -m benchmarks.cluster --workers 16 --rounds 3        with so many workers a tablet
    python -m benchmarks.cluster --pages 1500 --hosts 150 --workers 16 --rounds 1    a quick look

The web of benchmarks/web.py, every answer 200 ms late: a tablet with W workers can have W pages in
200 ms at the most, as long as there are cores. First the W is looked for that saturates a single
tablet: it is doubled until twice as many bring less than a quarter more. Each tablet has that W,
and so has the crawl on one machine that they are compared with; all of them take turns, in rounds.

What is measured is the middle of each crawl, from a fifth of its pages to four fifths: pages by the
crawl's own count, CPU of the whole process tree (Ray's processes with it), and of the machine, all
looked at every half second. Starting Ray and its end are left out, since they cost the same for a
thousand pages and for a billion. A shared machine is at one time half as fast as at another, which
is more than what is looked for here: so at every look a fixed piece of work is timed as well, and
the CPU of a page is told in *units* of it, too. *Linear* is what one tablet does, times their
number; *full* the least of that and of what all cores could do, at what a page costs one tablet.
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
from shoal.cluster.objects import open_objects
from shoal.counters import Counts
from shoal.layout.cluster_file import create
from shoal.layout.cluster_status import read_status
from shoal.layout.layout import Layout
from shoal.layout.snapshot import read_last_snapshot

LATENCY_MS = 200
_LOOK_SECONDS = 0.5
_FROM, _TO = 0.2, 0.8
_TICK = os.sysconf("SC_CLK_TCK")
_FLAGS = ("--scope", "any", "--delay", "0", "--quiet", "--contact", "bench@example.org")
_SETTINGS = ("politeness.delay_factor=0", "dedupe.learn=no", "index.follow=no", "crawl.children=1")


_FEWEST_LOOKS = 3
_LEAST_GAIN = 1.25
_FEWEST_WORKERS, _MOST_WORKERS = 8, 512


class Look(NamedTuple):
    seconds: float
    pages: int
    cpu_seconds: float
    busy_seconds: float
    unit_seconds: float
    """What a fixed piece of work costs just now."""


class Middle(NamedTuple):
    """Of one crawl."""

    pages_per_second: float
    cpu_ms_per_page: float
    units_per_page: float
    """The same, by what a fixed piece of work cost meanwhile."""
    cores: float
    """That it kept busy itself;"""
    busy: float
    """and that were busy on the machine."""


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


def busy_seconds() -> float:
    """Of all cores of the machine, since it was started."""
    user, nice, system, _idle, _waiting, *rest = map(
        int, Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]
    )
    return (user + nice + system + sum(rest)) / _TICK


_WORDS = {number: str(number) for number in range(20_000)}


def unit_seconds() -> float:
    """CPU of a fixed piece of work, a few milliseconds of Python over some memory."""
    began = time.process_time()
    for number in range(20_000):
        len(_WORDS[number * 7919 % 20_000])
    return time.process_time() - began


def middle_of(command: list[str], count: Callable[[], int], pages: int, log: Path) -> Middle:
    """Run a crawl to its end."""
    looks: list[Look] = []
    with log.open("wb") as output:
        program = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        while program.poll() is None:
            used = cpu_seconds(program.pid), busy_seconds()
            looks.append(Look(time.monotonic(), count(), *used, unit_seconds()))
            time.sleep(_LOOK_SECONDS)
    except BaseException:
        program.terminate()
        raise
    if program.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {log.read_text()[-1000:]}")
    if count() != pages:
        raise SystemExit(f"{count():,} pages were fetched, not {pages:,}.")
    within = [look for look in looks if _FROM * pages <= look.pages <= _TO * pages]
    if len(within) < _FEWEST_LOOKS:
        raise SystemExit("It was over too soon to be measured; use more --pages.")
    first, last = within[0], within[-1]
    seconds, done = last.seconds - first.seconds, last.pages - first.pages
    cpu = last.cpu_seconds - first.cpu_seconds
    busy = last.busy_seconds - first.busy_seconds
    unit = statistics.mean(look.unit_seconds for look in within)
    return Middle(
        done / seconds, 1000 * cpu / done, cpu / done / unit, cpu / seconds, busy / seconds
    )


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


def saturating(rate: Callable[[int], float], most: int = _MOST_WORKERS) -> int:
    """The number of workers of which twice as many bring hardly more."""
    workers, now = _FEWEST_WORKERS, rate(_FEWEST_WORKERS)
    while workers < most:
        more = rate(2 * workers)
        if more < _LEAST_GAIN * now:
            return workers
        workers, now = 2 * workers, more
    return workers


def found_workers(web: Web, most: int) -> int:
    def rate(workers: int) -> float:
        with tempfile.TemporaryDirectory() as name:
            found = cluster(web, Path(name), workers, 1)
        print(f"1 tablet, {workers} workers: {found.pages_per_second:.1f} pages/s", flush=True)
        return found.pages_per_second

    return saturating(rate, most)


class Round(NamedTuple):
    alone: Middle
    tablets: dict[int, Middle]

    def of_linear(self, tablets: int) -> float:
        few = min(self.tablets)
        linear = self.tablets[few].pages_per_second * tablets / few
        return self.tablets[tablets].pages_per_second / linear

    def of_full(self, tablets: int, cores: int) -> float:
        """Of linear, until the cores are full."""
        few = min(self.tablets)
        single = self.tablets[few]
        linear = single.pages_per_second * tablets / few
        full = cores * 1000 / single.cpu_ms_per_page
        return self.tablets[tablets].pages_per_second / min(linear, full)

    def cpu(self, tablets: int) -> float:
        return self.tablets[tablets].cpu_ms_per_page / self.alone.cpu_ms_per_page

    def units(self, tablets: int) -> float:
        return self.tablets[tablets].units_per_page / self.alone.units_per_page


def one_round(web: Web, workers: int, tablets: list[int]) -> Round:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = one_machine(web, folder, workers)
        return Round(alone, {each: cluster(web, folder, workers, each) for each in tablets})


def _with_spread(values: list[float]) -> str:
    middle = f"{statistics.median(values):.3f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.3f}-{max(values):.3f})"


def say(rounds: list[Round], cores: int) -> None:
    tablets = sorted(rounds[0].tablets)
    runs = {"one machine": [each.alone for each in rounds]}
    runs |= {f"{count} tablets": [each.tablets[count] for each in rounds] for count in tablets}
    rows = [
        (name, *(statistics.median(values) for values in zip(*middles, strict=True)))
        for name, middles in runs.items()
    ]
    print(report.table(("", "pages/s", "CPU ms a page", "units a page", "own cores", "busy"), rows))
    columns = (
        "",
        "of linear",
        "of linear, until the cores are full",
        "CPU a page to one machine's",
        "the same in units",
    )
    ratios = [
        (
            f"{count} tablets",
            _with_spread([each.of_linear(count) for each in rounds]),
            _with_spread([each.of_full(count, cores) for each in rounds]),
            _with_spread([each.cpu(count) for each in rounds]),
            _with_spread([each.units(count) for each in rounds]),
        )
        for count in tablets
    ]
    print(report.table(columns, ratios))
    medians = {name: row for name, *row in rows}
    for count in tablets[1:]:
        now, ideal = (
            medians[f"{count} tablets"][0],
            medians[f"{tablets[0]} tablets"][0] * count / tablets[0],
        )
        print(report.line(f"pages_per_second_of_{count}_to_linear", now, ideal))
    for count in tablets:
        now, alone = medians[f"{count} tablets"][1], medians["one machine"][1]
        print(report.line(f"cpu_a_page_of_{count}_to_one_machine", now, alone))
        now, alone = medians[f"{count} tablets"][2], medians["one machine"][2]
        print(report.line(f"units_a_page_of_{count}_to_one_machine", now, alone))


def main() -> None:
    stop_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument(
        "--workers", type=int, default=0, help="of each tablet (0: as many as saturate one)"
    )
    parser.add_argument("--tablets", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    web, cores = web_of(options), os.cpu_count() or 1
    with served(web, LATENCY_MS):
        most = min(_MOST_WORKERS, len(web.addresses) // 2)
        workers = options.workers or found_workers(web, most)
        rounds = [one_round(web, workers, options.tablets) for _ in range(options.rounds)]
    print(f"{web.describe()}, {LATENCY_MS} ms, {workers} workers a tablet, {cores} cores,")
    print(f"{options.rounds} rounds, medians (and least and most)")
    say(rounds, cores)


if __name__ == "__main__":
    main()
