"""How is a graph made and ranked that no one process could hold? In parts, by tasks
(graph_parts.py).

Every step is one task for each part. They hand each other what the next step needs of them: which
nodes they want, where those are, links the other way round, and, in every iteration, shares of
rank. Whoever asks for all this sees counts and sums, and in the end, part after part, the files:
nodes are in the order of their hashes, so the parts stand there one behind the other, as if the
graph had been made in one piece.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from shoal.closing import Closing
from shoal.errors import CollectionError
from shoal.graph import graph_parts
from shoal.graph.arrays import I8, U4, Appended, Floats, Offsets
from shoal.graph.edges import MOST_NODES, NodeFiles, Progress
from shoal.graph.graph_parts import GATHERED, NodeNames, rows_of
from shoal.graph.link_graph import Adjacency
from shoal.graph.pagerank import Moved, Own, PageRank, floor_of, iterate
from shoal.ports import Executor

Ref = Any
"""A value that is wherever it was made."""


class PartedGraph:
    """A graph in parts, out of the pieces of each part."""

    def __init__(
        self, executor: Executor, found: Sequence[Sequence[Ref]], progress: Progress
    ) -> None:
        self._tasks = executor
        self._parts = parts = len(found)
        progress("gathering the links of parts", parts, 0)
        made = executor.each(
            graph_parts.gather, ([parts, *each] for each in found), GATHERED + parts
        )
        counts, self._hashes, self._named, self._into, *wanted = _turned(made)
        del made
        progress("numbering the links of parts", parts, 0)
        asked = ([self._hashes[part], *wanted[part]] for part in range(parts))
        self._places = executor.each(graph_parts.number, asked, parts)
        """Of each part, for each part that wants them."""
        sizes: list[int] = [executor.fetch(each) for each in counts]
        self._begins: Offsets = np.cumsum([0, *sizes])
        if self.nodes > MOST_NODES:
            raise CollectionError("More than 4 billion pages can't be ranked; split the cluster.")
        self._turn(sizes, progress)

    @property
    def nodes(self) -> int:
        return int(self._begins[-1])

    def _turn(self, sizes: list[int], progress: Progress) -> None:
        progress("turning the links of parts", self._parts, 0)
        begins, places = self._begins[:-1], _turned(self._places)
        asked = ([part, begins, self._into[part], *places[part]] for part in range(self._parts))
        turned = self._tasks.each(graph_parts.turn, asked, 1 + self._parts)
        self._numbers = [each[0] for each in turned]
        links = _turned([each[1:] for each in turned])
        del turned
        asked = ([sizes[part], *links[part]] for part in range(self._parts))
        self._out = [out for [out] in self._tasks.each(graph_parts.outgoing, asked)]

    def write(self, into: Path, progress: Progress) -> None:
        """The files of a LinkGraph (link_graph.py)."""
        fetch = self._tasks.fetch
        with NodeFiles(into) as nodes, Appended(into / "fetched", np.dtype(np.bool_)) as fetched:
            for part in range(self._parts):
                progress("writing the pages, part", part + 1, self._parts)
                named: NodeNames = fetch(self._named[part])
                nodes.add(fetch(self._hashes[part]), rows_of(named.names, named.ends))
                fetched.add(named.fetched)
        self._named.clear()
        for name in ("in", "out"):
            with _LinkFiles(into, name) as links:
                for part in range(self._parts):
                    progress("writing the links, part", part + 1, self._parts)
                    if name == "in":
                        offsets = fetch(self._into[part]).offsets
                        links.add(Adjacency(offsets, fetch(self._numbers[part])))
                    else:
                        links.add(fetch(self._out[part]))
        self._numbers.clear()

    def rank(self, personal: Sequence[int], progress: Progress) -> PageRank:
        """PageRank of all nodes; `personal` are their numbers."""
        if not self.nodes:
            return PageRank(np.empty(0), 0, 0.0, 0.0)
        each_part, parts = range(self._parts), self._parts
        chosen = [self._chosen(part, personal) for part in each_part]
        starts = len(set(personal)) or self.nodes
        asked = ([self._out[at], chosen[at], starts, *self._places[at]] for at in each_part)
        begun = self._tasks.each(graph_parts.begin, asked, 3 + parts)
        these = [each[0] for each in begun]
        ranks, moved = [each[1] for each in begun], [each[2] for each in begun]
        shares = _turned([each[3:] for each in begun])
        del begun

        def step(jump: float) -> Moved:
            nonlocal ranks, shares
            asked = [
                [jump, these[at], self._into[at], ranks[at], *self._places[at], *shares[at]]
                for at in each_part
            ]
            made = self._tasks.each(graph_parts.step, asked, 2 + parts)
            ranks, shares = [each[0] for each in made], _turned([each[2:] for each in made])
            return self._sum([each[1] for each in made])

        walked = iterate(
            step,
            self._sum(moved).dangling,
            progress=lambda iteration, _: progress("ranking, iteration", iteration, 0),
        )
        first: Own = self._tasks.fetch(these[0])
        found: Floats = np.concatenate([self._tasks.fetch(each) for each in ranks])
        found /= walked.total
        return PageRank(found, walked.iterations, walked.residual, floor_of(walked, first))

    def _chosen(self, part: int, personal: Sequence[int]) -> Offsets | None:
        """Places in a part; None where nobody is chosen at all."""
        start, end = self._begins[part : part + 2].tolist()
        within = sorted({each - start for each in personal if start <= each < end})
        return np.array(within, np.int64) if personal else None

    def _sum(self, moved: Sequence[Ref]) -> Moved:
        every = [self._tasks.fetch(each) for each in moved]
        return Moved(*(float(sum(each)) for each in zip(*every, strict=True)))


class _LinkFiles(Closing):
    """The links of all nodes in one direction; parts are added in order."""

    def __init__(self, into: Path, name: str) -> None:
        self._end = 0
        self._files = ExitStack()
        self._neighbours = self._files.enter_context(Appended(into / name, U4))
        self._offsets = self._files.enter_context(Appended(into / f"{name}.offsets", I8))
        self._offsets.add(np.zeros(1, np.int64))

    def add(self, links: Adjacency) -> None:
        self._offsets.add(links.offsets[1:] + self._end)
        self._neighbours.add(links.neighbours)
        self._end += len(links.neighbours)

    def close(self) -> None:
        self._files.close()


def _turned(rows: Sequence[Sequence[Ref]]) -> list[list[Ref]]:
    """What each part has for each, as what each part gets from each."""
    return [list(each) for each in zip(*rows, strict=True)]
