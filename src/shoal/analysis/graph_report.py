"""What shape has the web that was gathered, and which laws does it follow? `shoal graph`.

Links come out of the graph that `shoal rank` made; without one it is made first. Lengths and words
come out of the pages: of many pages every n-th is read.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from shoal.access.opening import graph_place, open_collection
from shoal.analysis.ranking import Progress, rank
from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.errors import CollectionError
from shoal.graph.distances import Distances
from shoal.graph.generations import Summary, opened
from shoal.graph.link_graph import LinkGraph
from shoal.graph.report import Curve, Laws, Shape, laws, measures
from shoal.layout.layout import place_of
from shoal.layout.ranks import graph_of
from shoal.model.digest import seeded_number
from shoal.model.record import Struct

MOST_TEXTS = 5000
_MOST_WORDS = 1_000_000
"""Different ones; what is new after that is not counted."""
_MOST_CHARS = 1_000_000
_WORD = re.compile(r"[^\W\d_]{1,64}")

Found = TypeVar("Found")


class GraphReport(Struct):
    summary: Summary
    shape: Shape
    distances: Distances
    laws: Laws
    texts: int
    """Pages whose words were counted."""
    curves: list[Curve]

    @property
    def lines(self) -> list[str]:
        """In words."""
        return list(_in_words(self))

    def __repr__(self) -> str:
        return "\n".join(self.lines)


def link_graph(
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    told: Progress | None = None,
) -> GraphReport:
    """`shoal.link_graph`."""
    place = place_of(dir)
    tell = told or (lambda _doing, _done, _total: None)
    shape, far = with_graph(place, lambda graph: measures(graph, tell), tell)
    with open_collection(place) as collection:
        lengths, words, texts = _texts(collection, tell)
    found = with_graph(place, lambda graph: laws(graph, lengths, list(words.values())), tell)
    summary = opened(graph_of(graph_place(place)), lambda _, summary: summary)
    if summary is None:
        raise _gone()
    return GraphReport(summary, shape, far, found[0], texts, found[1])


def with_graph(place: str, use: Callable[[LinkGraph], Found], progress: Progress) -> Found:
    """Use the graph that holds now at a place; without one it is made."""
    for _ in range(2):
        at = graph_of(graph_place(place))
        graph = opened(at, lambda path, summary: LinkGraph(path, summary.seed))
        if graph is not None:
            return use(graph)
        rank(place, top=0, told=progress)
    raise _gone()


def _gone() -> CollectionError:
    return CollectionError("The link graph was removed while it was read; try again.")


def _texts(collection: Collection, progress: Progress) -> tuple["array[int]", Counter[str], int]:
    """The lengths of all pages, and the words of some."""
    lengths: array[int] = array("q")
    rows: list[tuple[bytes, float]] = []
    """With when each was fetched."""
    one_in = 1
    for number, page in enumerate(collection.pages(), 1):
        progress("lengths of pages read", number, 0)
        lengths.append(page.document.text_chars)
        row = page.stored.row
        if page.document.text_chars and seeded_number(row, 0) % one_in == 0:
            rows.append((row, page.stored.when))
        if len(rows) > MOST_TEXTS:
            one_in *= 2
            rows = [each for each in rows if seeded_number(each[0], 0) % one_in == 0]
    words: Counter[str] = Counter()
    for number, (row, when) in enumerate(rows, 1):
        progress("texts read", number, len(rows))
        text = collection.stored_text(row, when)[:_MOST_CHARS]
        new = Counter(word.lower() for word in _WORD.findall(text))
        if len(words) < _MOST_WORDS:
            words.update(new)
        else:
            words.update({word: count for word, count in new.items() if word in words})
    return lengths, words, len(rows)


def _in_words(report: GraphReport) -> Iterator[str]:
    summary, shape, far = report.summary, report.shape, report.distances
    nodes = summary.nodes
    yield (
        f"{nodes:,} pages on {summary.sites:,} sites, {summary.fetched:,} of them asked for, with "
        f"{summary.edges:,} links that count (of {summary.links:,}); as of {iso(summary.made)}."
    )
    if not nodes:
        return
    if shape.weak_components == 1:
        yield "All of them hang together, if links are followed in either direction."
    else:
        yield (
            f"They fall into {shape.weak_components:,} parts that no link connects; the largest "
            f"has {_share(shape.largest_weak, nodes)}."
        )
    if shape.core:
        yield f"Core, pages that all reach each other: {_share(shape.core, nodes)}."
        yield f"In, pages that lead to the core: {_share(shape.into, nodes)}."
        yield f"Out, pages that the core leads to: {_share(shape.out, nodes)}."
        yield f"Tubes, from In to Out past the core: {_share(shape.tubes, nodes)}."
    else:
        yield "There is no core: no two pages reach each other."
    yield f"Tendrils, the rest of what hangs together with them: {_share(shape.tendrils, nodes)}."
    yield f"Islands: {_share(shape.islands, nodes)}."
    yield from _distances_in_words(far, nodes)
    laws = report.laws
    yield f"In-links: {laws.in_links.says}."
    yield f"Out-links: {laws.out_links.says}."
    yield f"Page lengths: {laws.page_lengths.says}."
    yield f"Words of {report.texts:,} pages: {laws.words.says}."


def _distances_in_words(far: Distances, nodes: int) -> Iterator[str]:
    sampled = "all pages" if far.sampled >= nodes else f"{far.sampled:,} pages drawn at random"
    yield (
        f"From {sampled}: {far.connected:.1%} of the others are reached by following links, after "
        f"{far.mean:.1f} on average, 90% of these within {far.effective:.1f}, the farthest after "
        f"{far.longest:,}."
    )


def _share(number: int, of: int) -> str:
    return f"{number:,} ({number / of:.1%})"
