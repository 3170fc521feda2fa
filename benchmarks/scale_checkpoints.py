"""What does a checkpoint cost, by how much was written since the last? CPU, time, bytes per page.

    python -m benchmarks.scale_checkpoints          three sizes, ten checkpoints each: a minute
    python -m benchmarks.scale_checkpoints --pages 200 --times 3        a quick look

The real table and the real checkpoints, into a directory; no network. A page is what
benchmarks/scale_costs.py weighed: a cell in each family, of that size, that does not compress, with
a row of its own; and a record in the archive. `again` is how many bytes of the table were put for
each that was written: a file that RocksDB has merged into another is another file, and goes again.
"""

import argparse
import os
import random
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import table
from shoal.cluster.checkpoint import Checkpointer, Tablet
from shoal.cluster.objects import open_objects
from shoal.store.table import RocksTable

_CELLS = {"page": 844, "text": 2942, "anchor": 358, "link": 446, "print": 1202, "queue": 32}
"""Bytes of a page in each family, compacted."""
_RECORD_BYTES = 6632
_KEY_BYTES = 24


class Place(NamedTuple):
    directory: Path
    warc: Path


class Cost(NamedTuple):
    """Of one checkpoint; the mean."""

    pages: int
    cpu_seconds: float
    seconds: float
    table_bytes: float
    """Put for each page."""
    archive_bytes: float

    def cells(self) -> list[object]:
        again = self.table_bytes / sum(_CELLS.values())
        sizes = (self.table_bytes, self.archive_bytes)
        return [str(self.pages), self.cpu_seconds, self.seconds, *sizes, again]


class Crawl:
    """Writes as a crawl does, and knows how far its archive goes."""

    def __init__(self, directory: Path) -> None:
        self.place = Place(directory, directory / "warc")
        self.place.warc.mkdir(parents=True)
        self._file = self.place.warc / "benchmark.warc.gz"
        self._file.touch()
        self.table = RocksTable(directory / "table")
        self._chance = random.Random(1)

    def visit(self) -> None:
        batch = self.table.batch()
        key = self._chance.randbytes(_KEY_BYTES)
        for family, size in _CELLS.items():
            batch.put(family, key, self._chance.randbytes(size))
        with self._file.open("ab") as file:
            file.write(self._chance.randbytes(_RECORD_BYTES))
        self.table.write(batch)

    def ends(self) -> dict[str, int]:
        return {self._file.name: self._file.stat().st_size}

    def tablet(self) -> Tablet:
        return Tablet(self.place, self.table.checkpoint, self.ends, lambda: None)


def cost_of(pages: int, times: int, work: Path) -> Cost:
    """Checkpoints after so many pages each."""
    home = Path(tempfile.mkdtemp(prefix="checkpoints-", dir=work))
    try:
        crawl = Crawl(home / "tablet")
        objects = open_objects(str(home / "store"))
        checkpointer = Checkpointer(objects, "tablets/000", 1, crawl.tablet())
        cpu = seconds = uploaded = 0.0
        for _ in range(times):
            for _ in range(pages):
                crawl.visit()
            began, cpu_began = time.monotonic(), time.process_time()
            uploaded += checkpointer.make().uploaded
            seconds += time.monotonic() - began
            cpu += time.process_time() - cpu_began
        crawl.table.close()
    finally:
        shutil.rmtree(home)
    of_table = uploaded / (times * pages) - _RECORD_BYTES
    return Cost(pages, cpu / times, seconds / times, of_table, _RECORD_BYTES)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale_checkpoints",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=int, nargs="+", default=[300, 3000, 30_000])
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    options = parser.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    rows = [cost_of(pages, options.times, options.work).cells() for pages in options.pages]
    head = ["pages between", "CPU s", "s", "table bytes a page", "archive bytes", "again"]
    print(f"{table(head, rows)}\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
