"""How does every tablet of a cluster come to the ranks of all pages? By copies of their files."""

from pathlib import Path

from shoal.collection.tablets import Tablets
from shoal.collection.view import TabletView
from shoal.errors import CollectionError
from shoal.graph.generations import adopt, arriving, newest
from shoal.graph.scores import RANK_FILES
from shoal.layout.ranks import graph_of

_PART_BYTES = 4 << 20


def hand_out(tablets: Tablets, place: Path) -> None:
    """Give every tablet the ranks that hold in a place."""
    graph = newest(graph_of(place))
    if graph is None:
        raise CollectionError(f"No ranks are in {place}; rank the pages first.")
    if not any(tablets.ask_all(lacks, graph.name)):
        return
    try:
        for name in RANK_FILES:
            with (graph / name).open("rb") as file:
                offset, data = 0, file.read(_PART_BYTES)
                while data or not offset:
                    tablets.ask_all(take_part, graph.name, name, offset, data)
                    offset += max(1, len(data))
                    data = file.read(_PART_BYTES)
    except FileNotFoundError:
        raise CollectionError("The ranks were replaced while they were read; try again.") from None
    tablets.ask_all(hold, graph.name)


def lacks(view: TabletView, graph: str) -> bool:
    """Whether a tablet has not got this graph yet; the only tablet of a collection has it."""
    there = newest(view.layout.graph)
    return there is None or there.name != graph


def take_part(collection: TabletView, graph: str, name: str, offset: int, data: bytes) -> None:
    """A piece of one of a graph's files, at its place; twice is as good as once."""
    if name not in RANK_FILES:
        raise ValueError(f"{name!r} is no file of ranks")
    path = arriving(collection.layout.graph, graph) / name
    path.touch()
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def hold(collection: TabletView, graph: str) -> None:
    """All of it is here: searches and the crawl may use it."""
    adopt(collection.layout.graph, graph)
