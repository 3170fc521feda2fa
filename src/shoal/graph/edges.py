"""How do sorted runs become one graph? Nodes get dense numbers, edges are sorted both ways.

Nodes: the runs' hashes are merged a range at a time, each hash once; a node's number is its place.
Edges: each run's pairs are written as one number of 64 bits (target, source), sorted, and merged a
range at a time, repeats folded; then the same the other way round. Ranges are chosen by samples, so
that none is much larger than the others whatever the links are like. So memory is bounded by the
number of nodes (about 30 bytes each) and not by that of the edges.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from shoal.errors import CollectionError
from shoal.graph.arrays import I8, U4, U8, Appended, Hashes, Offsets, each_once, mapped, write
from shoal.graph.sorted_runs import Run
from shoal.model.urls.rowkey import site_or_row

KEYS_AT_ONCE = 1 << 22
"""How many numbers are sorted at a time: 32 MB."""
ROWS_AT_ONCE = 1 << 18
_SAMPLES = 64
"""Of each run, for each range."""
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
MOST_NODES = 0xFFFFFFFF

Progress = Callable[[str, int, int], None]
"""What is being done, for how many, and of how many (0: not known)."""


def build(runs: Sequence[Run], into: Path, progress: Progress) -> None:
    """Writes the files of a LinkGraph (link_graph.py); the runs may be deleted afterwards."""
    _merge_nodes(runs, into, progress)
    for run in runs:
        run.forget_rows()
    hashes: Hashes = mapped(into / "hashes", U8)
    if len(hashes) > MOST_NODES:
        raise CollectionError("More than 4 billion pages can't be ranked; split the collection.")
    fetched = np.zeros(len(hashes), np.bool_)
    for number, run in enumerate(runs):
        progress("numbering the links, part", number + 1, len(runs))
        ids = np.searchsorted(hashes, run.hashes).astype(U4)
        fetched[ids[run.sources]] = True
        edges = ids[run.edges].astype(U8)
        for name, high, low in (("in", 1, 0), ("out", 0, 1)):
            keys = each_once(edges[:, high] << _HALF | edges[:, low])
            write(run.path(name), keys, U8)
    write(into / "fetched", fetched, np.dtype(np.bool_))
    for number, name in enumerate(("in", "out")):
        progress("sorting the links, direction", number + 1, 2)
        _merge_edges([run.path(name) for run in runs], into, name, len(hashes))


def _merge_nodes(runs: Sequence[Run], into: Path, progress: Progress) -> None:
    """Hashes are spread evenly, so equal ranges of them are about equally full."""
    total = sum(len(run.hashes) for run in runs)
    ranges = total // ROWS_AT_ONCE + 1
    bounds = bounds_of(ranges)
    cuts = [[0, *np.searchsorted(run.hashes, bounds).tolist(), len(run.hashes)] for run in runs]
    with NodeFiles(into) as files:
        for number in range(ranges):
            progress("merging the pages, part", number + 1, ranges)
            slices = [(cut[number], cut[number + 1]) for cut in cuts]
            each = list(zip(runs, slices, strict=True))
            rows = [row for run, (start, end) in each for row in run.rows(start, end)]
            files.add(*each_row_once([run.hashes[start:end] for run, (start, end) in each], rows))


def bounds_of(parts: int) -> Hashes:
    """Where each of so many equal ranges of hashes but the first begins."""
    return np.array([(number << 64) // parts for number in range(1, parts)], U8)


def each_row_once(pieces: Sequence[Hashes], rows: Sequence[bytes]) -> tuple[Hashes, list[bytes]]:
    """Of rows, one behind the other, with their hashes in pieces: ascending."""
    hashes, first = np.unique(np.concatenate([*pieces, np.empty(0, U8)]), return_index=True)
    return hashes, [rows[at] for at in first.tolist()]


class NodeFiles:
    """The files of a LinkGraph's nodes, and of their sites; nodes are added in order."""

    def __init__(self, into: Path) -> None:
        self._into = into
        self._sites: dict[bytes, int] = {}
        self._names_end = 0
        with ExitStack() as files:
            self._hashes = files.enter_context(Appended(into / "hashes", U8))
            self._offsets = files.enter_context(Appended(into / "names.offsets", I8))
            self._site_of = files.enter_context(Appended(into / "site_of", U4))
            self._names = files.enter_context((into / "names").open("wb"))
            self._files = files.pop_all()
        self._offsets.add(np.zeros(1, np.int64))

    def add(self, hashes: Hashes, rows: Sequence[bytes]) -> None:
        self._hashes.add(hashes)
        ends = self._names_end + np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)))
        self._offsets.add(ends)
        self._names.write(b"".join(rows))
        self._names_end = int(ends[-1]) if len(rows) else self._names_end
        sites = self._sites
        self._site_of.add(
            np.array([sites.setdefault(site_or_row(row), len(sites)) for row in rows], U4)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()
        if kind is None:
            write(self._into / "sites.offsets", np.cumsum([0, *map(len, self._sites)]), I8)
            (self._into / "sites").write_bytes(b"".join(self._sites))


def _merge_edges(files: Sequence[Path], into: Path, name: str, nodes: int) -> None:
    degrees = np.zeros(nodes, np.int64)
    with Appended(into / name, U4) as out:
        for repeated in merged([mapped(file, U8) for file in files]):
            keys = each_once(repeated)
            owners, counts = np.unique((keys >> _HALF).astype(U4), return_counts=True)
            degrees[owners] += counts
            out.add((keys & _LOW).astype(U4))
    offsets: Offsets = np.zeros(nodes + 1, np.int64)
    np.cumsum(degrees, out=offsets[1:])
    write(into / f"{name}.offsets", offsets, I8)
    for file in files:
        file.unlink()


def merged(runs: Sequence[Hashes]) -> Iterator[Hashes]:
    """All numbers of sorted lists in pieces: those of one piece are below those of the next, and
    equal ones are in one piece."""
    total = sum(map(len, runs))
    ranges = total // KEYS_AT_ONCE + 1
    wanted = ranges * _SAMPLES
    samples = [run[:: max(1, total // wanted)] for run in runs]
    drawn = np.sort(np.concatenate([*samples, np.empty(0, U8)]))
    bounds = drawn[[len(drawn) * number // ranges for number in range(1, ranges)]]
    cuts = [[0, *np.searchsorted(run, bounds).tolist(), len(run)] for run in runs]
    for number in range(ranges):
        pieces = [run[cut[number] : cut[number + 1]] for run, cut in zip(runs, cuts, strict=True)]
        yield np.concatenate([*pieces, np.empty(0, U8)])
