"""How does a collection's graph come to be? Pages in, files out: nodes, edges, ranks, scores.

A score is a rank on a scale from 0 to 1, by its logarithm, since ranks are spread over many powers
of ten: 0 is what a page has that nobody links to, 1 what the highest has. Where the highest has
less than a hundred times as much, nothing reaches 1: in a small, even graph no page stands out.
"""

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from shoal.graph.arrays import F4, F8, U4, U8, Floats, Hashes, write
from shoal.graph.edges import Progress, build
from shoal.graph.generations import Fresh, Summary, replacing, summary_of
from shoal.graph.link_graph import LinkGraph, highest
from shoal.graph.pagerank import PageRank, pagerank
from shoal.graph.rank_mass import rank_mass
from shoal.graph.scores import UNFETCHED
from shoal.graph.sites import site_graph
from shoal.graph.sorted_runs import RunWriter
from shoal.graph.votes import Votes
from shoal.model.digest import seeded_number
from shoal.model.record import pack
from shoal.model.urls.rowkey import url_of

LEAST_SPREAD = 100.0
_PERSONAL_SPREAD = 1e6
"""Personalised, a page may have no rank at all: what has a millionth of the highest has score 0."""
_PAGES_PER_REMARK = 10_000
_MOST_UNFETCHED = 10_000


class NoneKnown(LookupError):
    """None of the pages that the ranks should start from is in the graph."""


Ranker = Callable[[Sequence[int]], PageRank]
"""Ranks the pages of a graph whose files are written; by the nodes that ranks start from."""
Build = Callable[[Fresh, Summary, Progress], Ranker]
"""Writes the files of a graph, and says in the summary what it is of."""


def make(
    pages: Iterable[tuple[bytes, Votes]],
    directory: Path,
    personal: Sequence[bytes],
    progress: Progress,
    seeds: Sequence[bytes] = (),
) -> Summary:
    """Make a graph of pages with their votes, rank it, and let it hold. `seeds` are the rows that
    the crawl started from."""

    def from_pages(fresh: Fresh, summary: Summary, progress: Progress) -> Ranker:
        _gather(pages, fresh, summary, progress)
        graph = LinkGraph(fresh.path, summary.seed)
        return lambda chosen: pagerank(
            graph.into,
            graph.out.degrees(),
            chosen,
            progress=lambda iteration, _: progress("ranking, iteration", iteration, 0),
        )

    return make_by(from_pages, directory, personal, progress, seeds)


def make_by(
    build: Build,
    directory: Path,
    personal: Sequence[bytes],
    progress: Progress,
    seeds: Sequence[bytes] = (),
) -> Summary:
    """Make a graph that is built and ranked in some way, and let it hold."""
    before = summary_of(directory)
    seed = secrets.randbits(64) if before is None else before.seed
    started = time.perf_counter()
    with replacing(directory) as fresh:
        summary = Summary(seed=seed, made=time.time(), links=0, fetched=0)
        rank = build(fresh, summary, progress)
        summary.personal = [url_of(row) for row in personal]
        graph = LinkGraph(fresh.path, seed)
        chosen = graph.nodes_of(personal)
        if personal and not chosen:
            raise NoneKnown
        summary.nodes, summary.edges, summary.sites = graph.nodes, graph.edges, graph.site_count
        _write_ranks(graph, rank(chosen), fresh, summary)
        _rank_sites(graph, fresh, summary, chosen)
        if started_from := graph.nodes_of(seeds):
            summary.rank_mass = rank_mass(graph, started_from)
        summary.seconds = time.perf_counter() - started
        fresh.finish(summary)
    return summary


def _gather(
    pages: Iterable[tuple[bytes, Votes]], fresh: Fresh, summary: Summary, progress: Progress
) -> None:
    writer = RunWriter(fresh.scratch, summary.seed)
    for row, votes in pages:
        writer.add(row, votes.targets)
        summary.links += votes.links
        summary.fetched += 1
        if summary.fetched % _PAGES_PER_REMARK == 0:
            progress("links read", summary.links, 0)
    writer.flush()
    build(writer.runs, fresh.path, progress)


def _write_ranks(graph: LinkGraph, found: PageRank, fresh: Fresh, summary: Summary) -> None:
    summary.iterations, summary.residual = found.iterations, found.residual
    write(fresh.path / "rank", found.rank, F8)
    write(fresh.path / "scores", scaled(found), F4)
    (fresh.path / UNFETCHED).write_bytes(pack(_unfetched(graph, found.rank)))


def _rank_sites(graph: LinkGraph, fresh: Fresh, summary: Summary, personal: list[int]) -> None:
    path = fresh.path
    sites = site_graph(graph, fresh.scratch)
    chosen = sorted({int(graph.site_of[node]) for node in personal})
    by_site = pagerank(sites.into, sites.out_weight, chosen)
    write(path / "site_rank", by_site.rank, F8)
    write(path / "site_links_in", sites.into.degrees(), U4)
    keys = (graph.site(number) for number in range(graph.site_count))
    hashes: Hashes = np.fromiter((seeded_number(key, summary.seed) for key in keys), U8)
    order = np.argsort(hashes)
    write(path / "site_hashes", hashes[order], U8)
    write(path / "site_scores", scaled(by_site)[order], F4)


def _unfetched(graph: LinkGraph, rank: Floats) -> list[bytes]:
    """The rows that a crawl does best to fetch next, highest rank first."""
    ranks = np.where(graph.fetched, -1.0, rank)
    return [graph.row(node) for node in highest(ranks, _MOST_UNFETCHED) if ranks[node] >= 0]


def scaled(found: PageRank) -> Floats:
    """Ranks from 0 to 1: log(rank / lowest) / log(highest / lowest)."""
    if not len(found.rank):
        return found.rank
    highest = float(found.rank.max())
    lowest = found.floor or highest / _PERSONAL_SPREAD
    spread = max(highest / lowest, LEAST_SPREAD)
    scores: Floats = np.log(np.maximum(found.rank, lowest) / lowest) / np.log(spread)
    return np.clip(scores, 0.0, 1.0)
