"""How do links of any number become files while memory stays small? First step: sorted runs.

Pages come one after another. Whenever half a million rows have been named, they are hashed (64
bits, with a seed, so that nobody can aim at another page's number), each one kept once, sorted, and
written with the links between them. A run is an external sort's run: edges.py merges all of them.

    hashes    of the rows, ascending                 rows, offsets   the rows, one behind the other
    edges     pairs of places in `hashes`            sources         places of the pages themselves
"""

from collections.abc import Sequence
from itertools import chain, pairwise, repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shoal.graph.arrays import I8, U4, U8, Hashes, Ids, Offsets, mapped, write
from shoal.model.digest import seeded_number

ROWS_PER_RUN = 1 << 19


class Run:
    """One run on disk."""

    def __init__(self, directory: Path, number: int) -> None:
        self._stem = directory / f"run-{number:05d}"

    def path(self, kind: str) -> Path:
        return self._stem.with_suffix(f".{kind}")

    @property
    def hashes(self) -> Hashes:
        return mapped(self.path("hashes"), U8)

    @property
    def edges(self) -> Ids:
        """Pairs (source, target)."""
        return mapped(self.path("edges"), U4).reshape(-1, 2)

    @property
    def sources(self) -> Ids:
        return mapped(self.path("sources"), U4)

    def rows(self, start: int, end: int) -> list[bytes]:
        offsets: Offsets = mapped(self.path("offsets"), I8)
        ends = offsets[start : end + 1].tolist()
        with self.path("rows").open("rb") as file:
            file.seek(ends[0])
            blob = file.read(ends[-1] - ends[0])
        first = ends[0]
        return [blob[a - first : b - first] for a, b in pairwise(ends)]

    def forget_rows(self) -> None:
        """They are most of what a run takes on disk."""
        self.path("rows").unlink()
        self.path("offsets").unlink()


class RunWriter:
    """Takes pages with those they vote for, and writes runs into a directory."""

    def __init__(self, directory: Path, seed: int, rows_per_run: int = ROWS_PER_RUN) -> None:
        self._directory = directory
        self._seed = seed
        self._rows_per_run = rows_per_run
        self._rows: list[bytes] = []
        self._counts: list[int] = []
        self.runs: list[Run] = []

    def add(self, source: bytes, targets: Sequence[bytes]) -> None:
        self._rows.append(source)
        self._rows += targets
        self._counts.append(len(targets))
        if len(self._rows) >= self._rows_per_run:
            self.flush()

    def flush(self) -> None:
        if not self._rows:
            return
        found = gathered(self._rows, self._counts, self._seed)
        run = Run(self._directory, len(self.runs))
        write(run.path("hashes"), found.hashes, U8)
        write(run.path("edges"), found.edges, U4)
        write(run.path("sources"), found.sources, U4)
        kept = found.rows
        lengths = np.fromiter(chain((0,), map(len, kept)), np.int64, len(kept) + 1)
        write(run.path("offsets"), np.cumsum(lengths), I8)
        run.path("rows").write_bytes(b"".join(kept))
        self.runs.append(run)
        self._rows, self._counts = [], []


class Gathered(NamedTuple):
    """Some pages with those they vote for."""

    hashes: Hashes
    """Of the rows, ascending, each once."""
    rows: list[bytes]
    edges: Offsets
    """Pairs (source, target) of places in `hashes`."""
    sources: Offsets
    """Places of the pages themselves."""


def gathered(rows: Sequence[bytes], counts: Sequence[int], seed: int) -> Gathered:
    """Of rows that stand one behind the other, each page before those it votes for, and of how many
    those are for each page."""
    named = map(seeded_number, rows, repeat(seed))
    hashes, first, place = np.unique(
        np.fromiter(named, U8, len(rows)), return_index=True, return_inverse=True
    )
    votes = np.array(counts, np.int64)
    starts = np.cumsum(votes + 1) - votes - 1
    is_target = np.ones(len(rows), np.bool_)
    is_target[starts] = False
    edges = np.column_stack((np.repeat(place[starts], votes), place[is_target]))
    kept = [rows[at] for at in first.tolist()]
    return Gathered(hashes, kept, edges[edges[:, 0] != edges[:, 1]], place[starts])
