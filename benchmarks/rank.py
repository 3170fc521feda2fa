"""What does it cost to rank a collection by its links? Reading, sorting, PageRank, the report.

    python -m benchmarks.rank            10 M links of 1 M pages, and 1 M beside two other ways
    python -m benchmarks.rank --all      also 100 M links of 10 M pages (8 GB of disk meanwhile)

Pages are drawn, not crawled: some 17 links each on six pages of ten, none on the others; to which
page a link leads is drawn so that few pages get most links, as on the web. Rows are as long as
those of a crawl. Every size runs in a process of its own. Its memory is the most that it had at one
time, with what is mapped of files, which the kernel may drop at any time, and (own) without. What
drawing takes is measured on a tenth and taken off. "Decoding" is that of stored links, which here
come decoded already. Beside it, on 1 M links, all in memory: one loop of plain Python, as in
textbooks, and one of numpy that adds up with bincount; their ranks must agree with ours to 1e-9.
"""

import argparse
import shutil
import time
from collections.abc import Iterator
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import line, table
from shoal.graph.bow_tie import bow_tie
from shoal.graph.distances import distances
from shoal.graph.generations import Summary, opened
from shoal.graph.graph_building import make
from shoal.graph.link_graph import LinkGraph
from shoal.graph.scores import RankFile
from shoal.graph.votes import Votes, votes
from shoal.model.link import Link
from shoal.model.record import pack

SMALL, MIDDLE, LARGE = 1_000_000, 10_000_000, 100_000_000
_LINKS_PER_NODE = 10
_WITH_LINKS = 0.6
_SKEW = 3.0
_PAGES_AT_ONCE = 10_000
_LOOK_UPS = 20_000


class Measured(NamedTuple):
    making: float
    """Seconds on the clock: reading, sorting, ranking, writing, without drawing."""
    making_cpu: float
    ranking: float
    iterations: int
    bow_tie: float
    distances: float
    look_up_us: float
    peak_mb: float
    own_mb: float
    disk_mb: float


def row(number: int) -> bytes:
    return b"org,example%d,www)443:https/some/folder/page-%d.html" % (number % 9973, number)


def pages(edges: int) -> Iterator[tuple[bytes, Votes]]:
    nodes = edges // _LINKS_PER_NODE
    random = np.random.default_rng(1)
    mean = edges / nodes / _WITH_LINKS
    for first in range(0, nodes, _PAGES_AT_ONCE):
        count = min(_PAGES_AT_ONCE, nodes - first)
        degrees = random.poisson(mean, count) * (random.random(count) < _WITH_LINKS)
        drawn = (nodes * random.random(int(degrees.sum())) ** _SKEW).astype(np.int64)
        targets = (drawn * 7_368_787 % nodes).tolist()  # so that neighbours are not alike
        at = 0
        for number, degree in zip(range(first, first + count), degrees.tolist(), strict=True):
            yield row(number), Votes([row(each) for each in targets[at : at + degree]], degree)
            at += degree


def measure(edges: int) -> Measured:
    directory = Path(mkdtemp(prefix="shoal-rank-"))
    try:
        drawing, drawing_cpu = _drawing(edges)
        began: dict[str, float] = {}
        own_mb = 0.0

        def told(doing: str, done: int, total: int) -> None:
            nonlocal own_mb
            began.setdefault(doing, time.perf_counter())
            if done % 100_000 < 1000 or total or "iteration" in doing:
                own_mb = max(own_mb, _memory_mb("RssAnon"))

        started, started_cpu = time.perf_counter(), time.process_time()
        summary = make(pages(edges), directory, [], told)
        ended, ended_cpu = time.perf_counter(), time.process_time()
        peak_mb = _memory_mb("VmHWM")
        report, look_up = opened(directory, _report), opened(directory, _look_up)
        if report is None or look_up is None:
            raise RuntimeError("the graph that was made can't be opened")
        return Measured(
            ended - started - drawing,
            ended_cpu - started_cpu - drawing_cpu,
            ended - began["ranking, iteration"],
            summary.iterations,
            *report,
            look_up,
            peak_mb,
            own_mb,
            sum(file.stat().st_size for file in directory.rglob("*")) / 1e6,
        )
    finally:
        shutil.rmtree(directory)


def _drawing(edges: int) -> tuple[float, float]:
    """Seconds on the clock and of the processor, of which a tenth is measured."""
    started, started_cpu = time.perf_counter(), time.process_time()
    for _ in islice(pages(edges), edges // _LINKS_PER_NODE // 10):
        pass
    return 10 * (time.perf_counter() - started), 10 * (time.process_time() - started_cpu)


def _memory_mb(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    found = dict(line.split(":", 1) for line in lines)
    return int(found[field].split()[0]) / 1024


def _report(path: Path, summary: Summary) -> tuple[float, float]:
    graph = LinkGraph(path, summary.seed)
    started = time.perf_counter()
    bow_tie(graph.into, graph.out)
    middle = time.perf_counter()
    distances(graph.out)
    return middle - started, time.perf_counter() - middle


def _look_up(path: Path, summary: Summary) -> float:
    ranks = RankFile(path, summary)
    rows = [row(number * 37 % (summary.nodes * 2)) for number in range(_LOOK_UPS)]
    ranks.pages(rows)
    started = time.perf_counter()
    ranks.pages(rows)
    return (time.perf_counter() - started) / _LOOK_UPS * 1e6


def decode_ns() -> float:
    """Of one stored link, with nine others on a hundred pages."""
    targets = [row(number) for number in range(17)]
    url = "https://www.example17.org/some/folder/page-17.html"
    stored = pack([(Link(url, each, "what it is called"), each) for each in targets])
    source, times = row(99), 5000
    started = time.perf_counter()
    for _ in range(times):
        votes(source, stored)
    return (time.perf_counter() - started) / times / len(targets) * 1e9


def compare(edges: int) -> tuple[float, float, float]:
    """Seconds of ours, of a plain loop and of bincount, for the same number of iterations."""
    directory = Path(mkdtemp(prefix="shoal-rank-"))
    try:
        make(pages(edges), directory, [], lambda *_: None)
        found = opened(directory, _compare)
        if found is None:
            raise RuntimeError("the graph that was made can't be opened")
        return found
    finally:
        shutil.rmtree(directory)


def _compare(path: Path, summary: Summary) -> tuple[float, float, float]:
    from shoal.graph.pagerank import pagerank  # noqa: PLC0415 - beside its peers

    graph = LinkGraph(path, summary.seed)
    started = time.perf_counter()
    ours = pagerank(graph.into, graph.out.degrees())
    seconds = [time.perf_counter() - started]
    for peer in (_plain_loop, _bincount):
        started = time.perf_counter()
        rank = peer(graph, ours.iterations)
        seconds.append(time.perf_counter() - started)
        if np.abs(rank - ours.rank).max() > 1e-9:
            raise RuntimeError(f"{peer.__name__} disagrees")
    return seconds[0], seconds[1], seconds[2]


def _plain_loop(graph: LinkGraph, iterations: int) -> NDArray[np.float64]:
    nodes = graph.nodes
    out = [graph.out.of(node).tolist() for node in range(nodes)]
    rank = [1 / nodes] * nodes
    for _ in range(iterations):
        new, lost = [0.0] * nodes, 0.0
        for node, targets in enumerate(out):
            if not targets:
                lost += rank[node]
                continue
            share = 0.85 * rank[node] / len(targets)
            for target in targets:
                new[target] += share
        jump = (0.15 + 0.85 * lost) / nodes
        rank = [each + jump for each in new]
    return np.array(rank)


def _bincount(graph: LinkGraph, iterations: int) -> NDArray[np.float64]:
    nodes, degrees = graph.nodes, graph.out.degrees()
    targets = graph.out.neighbours.astype(np.int64)
    sources = np.repeat(np.arange(nodes), degrees)
    rank = np.full(nodes, 1 / nodes)
    for _ in range(iterations):
        jump = (0.15 + 0.85 * rank[degrees == 0].sum()) / nodes
        share = 0.85 * rank / np.maximum(degrees, 1)
        rank = np.bincount(targets, share[sources], minlength=nodes) + jump
    return rank


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="also 100 M links")
    sizes = (MIDDLE, LARGE) if parser.parse_args().all else (MIDDLE,)
    context = get_context("spawn")
    rows = []
    for size in sizes:
        with context.Pool(1) as pool:
            rows.append((f"{size / 1e6:.0f} M", *pool.apply(measure, (size,))))
    head = ("links", "making s", "CPU s", "of it ranking s", "iterations", "bow tie s")
    print(table((*head, "distances s", "look-up us", "peak MB", "own MB", "disk MB"), rows))
    ours, plain, bincount = compare(SMALL)
    print(f"decoding a stored link: {decode_ns():.0f} ns")
    print(line("rank_1m_seconds_plain_loop", ours, plain))
    print(line("rank_1m_seconds_bincount", ours, bincount))


if __name__ == "__main__":
    main()
