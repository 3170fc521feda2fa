"""Do links earn their place? Pages found by what other pages call them, with and without links.

    python -m benchmarks.links                   crawls the documentation web (web.py), 5,000 pages
    python -m benchmarks.links --dir DIR         takes a collection that is there

Known items: every different text that pages use to link to a page is something that people call it,
and as a query it should find that page. A thousand such texts are drawn by lot. Each is taken from
one linking page, and that is held out: the link is left out of the anchors that are indexed and out
of the graph that is ranked. All ways of searching ask one index; without links, anchors and rank
have no weight. Reported is the mean reciprocal rank among the first 100, and how likely chance
alone would give the difference (a paired randomisation test), for all names and for those that
another page uses too.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import line, table
from benchmarks.search_scores import chance, mean
from benchmarks.web import add_arguments, served, stop_on_sigterm, web_of
from shoal.analysis.ranking import stored_votes
from shoal.collection.view import TabletView
from shoal.graph.generations import opened
from shoal.graph.graph_building import make
from shoal.graph.scores import RankFile
from shoal.graph.votes import NO_VOTE, Votes
from shoal.index.fields import FieldWeights
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.indexer.entries import Entries
from shoal.model.principal import OWNER
from shoal.model.record import changed
from shoal.search.parse import parse, words_of
from shoal.search.ranking import CANDIDATES, RankOf, Weights, order

_DEPTH = 100
_MOST_WORDS = 8
_SAYS_NOTHING = re.compile(
    r"(?:next|prev|previous|up|home|top|index|contents?|table of contents|here|more|link|back"
    r"|\W*|\d[\d.]*)",
    re.IGNORECASE,
)
_MOST_OF_ONE = 3
"""Names of one page."""
CONTENT, RANK = "content alone", "with rank"
ANCHORS, LINKS = "with anchors", "with anchors and rank"


class Item(NamedTuple):
    """A page that is known, the words that should find it, and who said them."""

    row: bytes
    words: str
    source: bytes
    is_shared: bool
    """Whether another page calls it so, too."""


def items(collection: TabletView, at_most: int, seed: int) -> list[Item]:
    """Drawn from all that pages are called by others, if at least two others link to them."""
    draw = random.Random(seed)
    entries = Entries(collection.table, collection.store)
    every: list[Item] = []
    for page in collection.store.stream(b"\x01", b"\xff", OWNER):
        anchors = anchors_of(collection, page.row)
        if len({source for source, _ in anchors}) > 1 and entries.of(page.row) is not None:
            names: dict[tuple[str, ...], list[tuple[str, bytes]]] = {}
            for source, text in anchors:
                if _says(text):
                    names.setdefault(same_words(text), []).append((text, source))
            for said in names.values():
                text, source = draw.choice(said)
                every.append(Item(page.row, text, source, len(said) > 1))
    draw.shuffle(every)
    times: Counter[bytes] = Counter()
    found = []
    for item in every:
        times[item.row] += 1
        if times[item.row] <= _MOST_OF_ONE:
            found.append(item)
    return found[:at_most]


def anchors_of(collection: TabletView, row: bytes) -> list[tuple[bytes, str]]:
    """(source row, text) of the links that count."""
    anchors = collection.store.anchors(row, OWNER)
    return [
        (source, anchor.text)
        for source, _, anchor in anchors
        if anchor.text and source != row and not anchor.rel & NO_VOTE
    ]


def _says(text: str) -> bool:
    return not _SAYS_NOTHING.fullmatch(text.strip()) and 1 <= len(text.split()) <= _MOST_WORDS


def same_words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in words_of(text))


def fill(index: Path, collection: TabletView, held: set[tuple[bytes, bytes]]) -> None:
    """All pages, without the links that are held out."""
    entries = Entries(collection.table, collection.store)
    with IndexWriter(index) as writer:
        for page in collection.store.stream(b"\x01", b"\xff", OWNER):
            entry = entries.of(page.row)
            if entry is None:
                continue
            sites: dict[str, set[bytes]] = {}
            for source, text in anchors_of(collection, page.row):
                if (source, page.row) not in held:
                    sites.setdefault(text, set()).add(source.partition(b"/")[0])
            entry.anchors = [(text, len(who)) for text, who in sites.items()]
            writer.put(entry)
        writer.commit(1)


def ranks_of(collection: TabletView, held: set[tuple[bytes, bytes]], place: Path) -> RankOf:
    """PageRank of the graph without the links that are held out."""

    def pages() -> Iterator[tuple[bytes, Votes]]:
        for row, votes in stored_votes(collection):
            targets = [each for each in votes.targets if (row, each) not in held]
            yield row, votes._replace(targets=targets)

    make(pages(), place, [], lambda *_: None)
    file = opened(place, RankFile)
    if file is None:
        raise RuntimeError("the graph that was made can't be opened")
    return file.pages


def reciprocal_ranks(
    reader: IndexReader, asked: Sequence[Item], weights: Weights, rank_of: RankOf
) -> list[float]:
    """Of each item; 0 where it is not among the first."""
    fields = FieldWeights() if weights.anchor else FieldWeights(anchor=0.0)
    now, found = time.time(), []
    for item in asked:
        query = parse(item.words, now)
        candidates = reader.candidates(query, OWNER, fields, max(CANDIDATES, _DEPTH))
        ranked = [each.candidate.row for each in order(candidates, weights, rank_of, now)][:_DEPTH]
        found.append(1 / (1 + ranked.index(item.row)) if item.row in ranked else 0.0)
    return found


def compare(collection: TabletView, given: argparse.Namespace, work: Path) -> Iterator[str]:
    asked = items(collection, given.items, given.seed)
    held = {(item.source, item.row) for item in asked}
    rank_of = ranks_of(collection, held, work / "graph")
    fill(work / "index", collection, held)
    reader, usual = IndexReader(work / "index"), Weights()
    ways = {
        CONTENT: changed(usual, anchor=0.0, rank=0.0),
        RANK: changed(usual, anchor=0.0),
        ANCHORS: changed(usual, rank=0.0),
        LINKS: usual,
    }
    scored = {name: reciprocal_ranks(reader, asked, each, rank_of) for name, each in ways.items()}
    pages = len({item.row for item in asked})
    yield f"{len(asked)} names of {pages} pages, among {reader.documents():,}"
    shared = [place for place, item in enumerate(asked) if item.is_shared]
    for label, places in (("all", list(range(len(asked)))), ("shared", shared)):
        some = {name: [each[place] for place in places] for name, each in scored.items()}
        yield f"{label}: {len(places)} names\n{_table(some)}"
        yield line(f"mrr/links/{label}/content", mean(some[LINKS]), mean(some[CONTENT]))


def _table(scored: dict[str, list[float]]) -> str:
    rows = []
    for name, each in scored.items():
        first = mean([float(one == 1) for one in each])
        p = "-" if name == CONTENT else f"{chance(each, scored[CONTENT]):.4f}"
        rows.append([name, f"{mean(each):.4f}", f"{first:.3f}", p])
    return table(["", "MRR", "found first", "p, against content alone"], rows)


def crawl(given: argparse.Namespace, work: Path) -> Path:
    """The documentation web, crawled as it comes."""
    web, directory = web_of(given), work / "collection"
    flags = ["--scope", "any", "--delay", "0", "--workers", "64", "--quiet"]
    for setting in ("politeness.delay_factor=0", "dedupe.learn=no", "index.follow=no"):
        flags += ["--set", setting]
    command = [sys.executable, "-m", "shoal", "crawl", *web.seeds, "--dir", str(directory), *flags]
    with served(web):
        subprocess.run(command, check=True)
    return directory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--dir", type=Path, help="a collection; without it the web is crawled")
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    add_arguments(parser)
    given = parser.parse_args()
    stop_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="shoal-links-") as folder:
        work = Path(folder)
        with TabletView(given.dir or crawl(given, work)) as collection:
            for paragraph in compare(collection, given, work):
                print(f"\n{paragraph}", flush=True)


if __name__ == "__main__":
    main()
