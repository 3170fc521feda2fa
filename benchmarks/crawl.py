"""Shoal, Scrapy and wget on the same web: pages per second, CPU and memory per crawl.

    python -m benchmarks.crawl                  5,000 pages, three rounds, without and with 50 ms
    python -m benchmarks.crawl --pages 500 --hosts 50 --rounds 1 --latency 0     a quick look

The crawlers take turns within a round, so that what else the machine does falls on all of them. A
run counts only if exactly the pages of the web were fetched. CPU is that of the whole process tree;
the server's is nobody's.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import process_tree, report
from benchmarks.crawlers import Crawler, scrapy_crawler, shoal_crawler, wget_crawler
from benchmarks.web import Web, add_arguments, served, stop_on_sigterm, web_of

OURS = "shoal"
"""With all that the others do and more: robots, links, text, digests, WARC and table."""
CLEANING = "shoal_cleaning"
"""Each page's content is told from its frame, and near-duplicates are, which no peer does;"""
EVERYTHING = "shoal_everything"
"""as it comes: every page is also indexed, with what others call it."""
NO_INDEX = "index.follow=no"


class Run(NamedTuple):
    crawler: str
    latency_ms: int
    pages: int
    cost: process_tree.Cost

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.cost.seconds

    @property
    def cpu_seconds_per_1000_pages(self) -> float:
        return 1000 * self.cost.cpu_seconds / self.pages

    @property
    def main_cpu_seconds_per_1000_pages(self) -> float:
        return 1000 * self.cost.own_cpu_seconds / self.pages

    @property
    def children_cpu_seconds_per_1000_pages(self) -> float:
        return 1000 * self.cost.children_cpu_seconds / self.pages

    @property
    def peak_megabytes(self) -> float:
        return self.cost.peak_bytes / 1e6


Measure = Callable[[Run], float]

MEASURES: dict[str, Measure] = {
    "pages_per_s": lambda run: run.pages_per_second,
    "cpu_s_per_1000_pages": lambda run: run.cpu_seconds_per_1000_pages,
    "peak_mb": lambda run: run.peak_megabytes,
}
SPLIT: dict[str, Measure] = {
    "of it main": lambda run: run.main_cpu_seconds_per_1000_pages,
    "children": lambda run: run.children_cpu_seconds_per_1000_pages,
}


def crawl_once(crawler: Crawler, web: Web, latency_ms: int, work: Path) -> Run:
    """One crawl of the whole web into a directory that is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix=f"{crawler.name}-", dir=work) as directory:
        out, log = Path(directory) / "out", Path(directory) / "log"
        out.mkdir()
        cost = process_tree.run(crawler.command(web, out), log, crawler.accepted)
        fetched = crawler.fetched(out)
        if fetched != set(web.urls):
            missing, extra = set(web.urls) - fetched, fetched - set(web.urls)
            some = ", ".join(sorted(missing | extra)[:3])
            raise SystemExit(
                f"{crawler.name} did not fetch this web: {len(missing)} pages are missing and "
                f"{len(extra)} are not of it, such as {some}."
            )
    return Run(crawler.name, latency_ms, len(fetched), cost)


def compare(
    web: Web, crawlers: Sequence[Crawler], latencies_ms: Sequence[int], rounds: int, work: Path
) -> list[Run]:
    runs = []
    for number in range(rounds):
        for latency_ms in latencies_ms:
            with served(web, latency_ms):
                for crawler in crawlers:
                    run = crawl_once(crawler, web, latency_ms, work)
                    runs.append(run)
                    _tell(f"round {number + 1}, {latency_ms} ms, {crawler.name}", run)
    return runs


def _tell(what: str, run: Run) -> None:
    figures = ", ".join(f"{name} {measure(run):.2f}" for name, measure in MEASURES.items())
    print(f"{what}: {figures}", file=sys.stderr, flush=True)


def results(runs: Sequence[Run]) -> str:
    """Medians over the rounds, and ours beside each peer's."""
    kinds = list(dict.fromkeys((run.latency_ms, run.crawler) for run in runs))

    def median(kind: tuple[int, str], measure: Measure) -> float:
        return statistics.median(
            measure(run) for run in runs if (run.latency_ms, run.crawler) == kind
        )

    shown = MEASURES | SPLIT
    rows = [
        [f"{kind[1]}, {kind[0]} ms", *(median(kind, measure) for measure in shown.values())]
        for kind in kinds
    ]
    lines = [report.table(["median of the rounds", *shown], rows), ""]
    for ours, prefix in ((OURS, "crawl"), (EVERYTHING, "crawl.everything")):
        for latency_ms, peer in kinds:
            if peer in (ours, EVERYTHING) or (latency_ms, ours) not in kinds:
                continue
            for name, measure in MEASURES.items():
                pair = median((latency_ms, ours), measure), median((latency_ms, peer), measure)
                lines.append(report.line(f"{prefix}.{peer}.{latency_ms}ms.{name}", *pair))
    return "\n".join(lines)


def chosen_crawlers(names: Sequence[str], work: Path, workers: int) -> list[Crawler]:
    makers: dict[str, Callable[[], Crawler]] = {
        OURS: lambda: shoal_crawler(
            OURS, workers, "understand.content=none", "dedupe.near=no", NO_INDEX
        ),
        CLEANING: lambda: shoal_crawler(CLEANING, workers, NO_INDEX),
        EVERYTHING: lambda: shoal_crawler(EVERYTHING, workers),
        "scrapy": lambda: scrapy_crawler(work, "scrapy", "twisted"),
        "scrapy_aiohttp": lambda: scrapy_crawler(work, "scrapy_aiohttp", "aiohttp"),
        "wget": wget_crawler,
    }
    if unknown := set(names) - set(makers):
        raise SystemExit(f"No such crawler: {', '.join(unknown)}; there are {', '.join(makers)}.")
    if "wget" in names and shutil.which("wget") is None:
        raise SystemExit("wget is missing; run: apt-get install wget, or leave it out.")
    return [make() for name, make in makers.items() if name in names]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.crawl",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--latency", type=int, nargs="+", default=[0, 50], metavar="MS")
    everyone = [OURS, CLEANING, EVERYTHING, "scrapy", "scrapy_aiohttp", "wget"]
    parser.add_argument("--crawlers", nargs="+", default=everyone, metavar="NAME")
    parser.add_argument("--workers", type=int, default=64, help="Shoal's requests at once")
    options = parser.parse_args()
    stop_on_sigterm()
    web = web_of(options)
    crawlers = chosen_crawlers(options.crawlers, options.work, options.workers)
    runs = compare(web, crawlers, options.latency, options.rounds, options.work)
    print(f"{web.describe()}, {options.rounds} rounds")
    print(results(runs))


if __name__ == "__main__":
    main()
