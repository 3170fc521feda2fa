"""What does near-duplicate detection cost as a collection grows? Look-ups, and all pairs.

    python -m benchmarks.dup_growth          look-ups in 100 k and 1 M, all pairs of 10 k and 100 k
    python -m benchmarks.dup_growth --all    also look-ups in 10 M (15 GB of disk), all pairs of 1 M

Documents are drawn, not written: sketches of about 500 shingles each, with their marks, as texts
would have them. The index is the crawl's own (duplicates/near/near.py on RocksDB), filled with
groups of one document each, then opened anew. Those that are never asked for are random bytes of
the same size. Look-ups are of documents that are not there, and of copies of which the index has
nine tenths of the shingles. First: after as many other look-ups of the same kind; again: the same
once more, when what they read is in memory. Beside it stand the permuted tables of 64-bit simhashes
(duplicates/methods/permuted.py), where three bits may differ, with random simhashes; look-ups are
of some of them with three bits changed. All pairs: three in ten documents are copies, one in fifty
is of one template.
"""

import argparse
import resource
import shutil
import statistics
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, TemporaryFile, gettempdir
from typing import NamedTuple, TypeVar

from benchmarks.report import line, table
from shoal.duplicates.family import FAMILY
from shoal.duplicates.methods.permuted import PermutedTables
from shoal.duplicates.near.near import ENTERED, GROUP, MINHASH, Core, Group, NearIndex
from shoal.duplicates.near.sketch import MINHASHES, Fingerprint
from shoal.duplicates.pairs.clusters import clusters
from shoal.duplicates.pairs.discovery import discover
from shoal.model.record import pack
from shoal.store.table import RocksTable

Result = TypeVar("Result")
Asked = TypeVar("Asked")
LOOK_UPS = 2000
SHINGLES = 250
"""Values of a sketch at level 1: of a text of some 500 shingles."""
_HEAD = bytes((1, 3, 0, 0))
_SKETCH_BYTES = len(_HEAD) + 4 * SHINGLES
_BATCH = 500
_CUT = 0.6
_BITS = 3


class LookUps(NamedTuple):
    documents: int
    kind: str
    first_us: float
    """The median of look-ups that were never made before: other ones had warmed the index up."""
    median_us: float
    """Of the same, made again: what they read is in memory."""
    p99_us: float
    cpu_us: float
    found: float


Measure = Callable[[str, int, int], tuple[list[LookUps], float]]
"""Fills an index in a folder up to a number of documents, from those before, and asks it."""


def drawn(number: int) -> list[tuple[int, int]]:
    """The shingles of a document: values, with the high halves of their hashes."""
    draw = Random(number)
    low, high = array("I", draw.randbytes(4 * SHINGLES)), array("I", draw.randbytes(4 * SHINGLES))
    return sorted((value >> 1, upper) for value, upper in zip(low, high, strict=True))


def prints_of(shingles: Sequence[tuple[int, int]]) -> Fingerprint:
    values = array("I", (value for value, _ in shingles))
    if sys.byteorder == "big":
        values.byteswap()
    marks = b"".join(
        (value << 32 | high).to_bytes(8, "big") for value, high in shingles[:MINHASHES]
    )
    return Fingerprint(_HEAD + values.tobytes(), marks)


def copy_of(number: int) -> list[tuple[int, int]]:
    draw = Random(f"copy {number}")
    kept = [each for each in drawn(number) if draw.random() < 0.9]
    new = [(draw.getrandbits(31), draw.getrandbits(32)) for _ in range(SHINGLES - len(kept))]
    return sorted(kept + new)


def fill(folder: Path, start: int, end: int, asked: set[int]) -> None:
    draw = Random(start)
    with RocksTable(folder) as rocks:
        for first in range(start, end, _BATCH):
            batch = rocks.batch()
            for number in range(first, min(first + _BATCH, end)):
                row, name = f"org,example)443:https/{number}".encode(), number.to_bytes(8, "big")
                if number in asked:
                    prints = prints_of(drawn(number))
                else:
                    prints = Fingerprint(
                        _HEAD + draw.randbytes(4 * SHINGLES), draw.randbytes(8 * MINHASHES)
                    )
                entered = prints.minhashes[: 8 * ENTERED]
                core = Core(row, *prints, entered)
                batch.put(FAMILY, GROUP + name, pack(Group(row, [core])))
                marks = (MINHASH + entered[at : at + 8] for at in range(0, len(entered), 8))
                batch.put_many(FAMILY, ((mark, name) for mark in marks))
            rocks.write(batch)


def asked_for(documents: int, start: int) -> list[int]:
    """Documents of which copies are looked up: among those that are there from `start` on."""
    return [Random(f"copy {n}").randrange(start, documents) for n in range(2 * LOOK_UPS)]


def fill_simhashes(folder: Path, start: int, end: int) -> None:
    draw = Random(f"simhash {start}")
    with RocksTable(folder) as rocks:
        tables = PermutedTables(rocks, b"simhash", 64, _BITS)
        for first in range(start, end, _BATCH):
            batch = rocks.batch()
            for number in range(first, min(first + _BATCH, end)):
                tables.add(batch, number.to_bytes(4, "big"), draw.randbytes(8))
            rocks.write(batch)
            while tables.widen(10_000):
                pass


def look_up_simhashes(folder: Path, start: int, end: int) -> list[LookUps]:
    draw, among = Random(f"simhash {start}"), min(end - start, 100 * LOOK_UPS)
    known = [draw.randbytes(8) for _ in range(among)]
    asked = []
    for number in range(2 * LOOK_UPS):
        choose = Random(f"asked {number}")
        whole = int.from_bytes(known[choose.randrange(among)])
        for bit in choose.sample(range(64), _BITS):
            whole ^= 1 << bit
        asked.append(whole.to_bytes(8, "big"))
    with RocksTable(folder) as rocks:
        tables = PermutedTables(rocks, b"simhash", 64, _BITS)
        return [timed(end, f"simhash, {tables.tables} tables", asked, tables.find)]


def look_up(folder: Path, documents: int, originals: Sequence[int]) -> list[LookUps]:
    with RocksTable(folder) as rocks:
        index = NearIndex(rocks)
        results = []
        for kind in ("new", "copy"):
            asked = []
            for number, original in enumerate(originals):
                shingles = copy_of(original) if kind == "copy" else drawn(documents + 1 + number)
                asked.append(prints_of(shingles))
            near = partial(index.near, readers=b"", cut=lambda _core: _CUT)
            results.append(timed(documents, kind, asked, near))
        return results


def timed(
    documents: int, kind: str, asked: Sequence[Asked], find: Callable[[Asked], Sequence[object]]
) -> LookUps:
    for each in asked[:LOOK_UPS]:
        find(each)
    asked = asked[LOOK_UPS:]
    first, _, _ = walls_of(asked, find)
    walls, found, cpu = walls_of(asked, find)
    return LookUps(
        documents,
        kind,
        statistics.median(first),
        statistics.median(walls),
        walls[int(0.99 * len(walls))],
        cpu,
        found / LOOK_UPS,
    )


def walls_of(
    asked: Sequence[Asked], find: Callable[[Asked], Sequence[object]]
) -> tuple[list[float], int, float]:
    """How long each took (sorted, in µs), how many were found, and the CPU of one."""
    walls, found, cpu = [], 0, time.process_time()
    for each in asked:
        started = time.perf_counter()
        found += bool(find(each))
        walls.append((time.perf_counter() - started) * 1e6)
    return sorted(walls), found, (time.process_time() - cpu) * 1e6 / len(asked)


def sketches(documents: int) -> Iterator[bytes]:
    """Three in ten are copies, one in fifty has a template in common with the others."""
    template = drawn(-1)[:100]
    for number in range(documents):
        draw = Random(f"kind {number}").random()
        if draw < 0.3 and number > 10:
            original = Random(f"of {number}").randrange(number)
            shingles = copy_of(original)
        elif draw < 0.32:
            shingles = sorted(template + drawn(number)[100:])
        else:
            shingles = drawn(number)
        yield prints_of(shingles).sketch


def all_pairs(folder: str, documents: int) -> tuple[float, float, int, int]:
    """They are drawn before, into a file: drawing takes longer than finding."""
    with TemporaryFile(dir=folder) as file:
        file.writelines(sketches(documents))
        file.seek(0)
        started = time.process_time()
        pairs = list(discover(iter(lambda: file.read(_SKETCH_BYTES), b"")))
        groups = clusters(pairs, documents)
        cpu = time.process_time() - started
    return cpu, peak_mb(), len(pairs), len(groups)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def measured_look_ups(folder: str, documents: int, before: int) -> tuple[list[LookUps], float]:
    originals = asked_for(documents, before)
    fill(Path(folder), before, documents, set(originals))
    return look_up(Path(folder), documents, originals), peak_mb()


def measured_simhashes(folder: str, documents: int, before: int) -> tuple[list[LookUps], float]:
    fill_simhashes(Path(folder), before, documents)
    return look_up_simhashes(Path(folder), before, documents), peak_mb()


def in_a_process(work: Callable[..., Result], *given: object) -> Result:
    """Its memory is its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--all", action="store_true", help="10 M look-ups, all pairs of 1 M")
    parser.add_argument("--look-ups", type=int, nargs="*", default=None)
    parser.add_argument("--simhashes", type=int, nargs="*", default=None)
    parser.add_argument("--pairs", type=int, nargs="*", default=None)
    parser.add_argument("--work", type=Path, default=Path(gettempdir()))
    given = parser.parse_args()
    looked = given.look_ups
    if looked is None:
        looked = [100_000, 1_000_000, *([10_000_000] if given.all else [])]
    paired = given.pairs
    if paired is None:
        paired = [10_000, 100_000, *([1_000_000] if given.all else [])]
    show_pairs(paired, given.work)
    show_look_ups(looked, given.work, measured_look_ups)
    simhashes = looked if given.simhashes is None else given.simhashes
    show_look_ups(simhashes, given.work, measured_simhashes)


def show_pairs(sizes: Sequence[int], work: Path) -> None:
    rows = []
    for documents in sizes:
        cpu, peak, pairs, groups = in_a_process(all_pairs, str(work), documents)
        rows.append((f"{documents:,}", cpu, 1e6 * cpu / documents, peak, pairs, groups))
    if rows:
        head = ["all pairs of", "CPU s", "µs each", "peak MB", "pairs", "groups"]
        print(table(head, rows), flush=True)
    for before, after in pairwise(rows):
        print(line(f"pairs/us_each/{after[0]}_vs_{before[0]}", after[2], before[2]), flush=True)


def show_look_ups(sizes: Sequence[int], work: Path, measure: Measure) -> None:
    rows: list[tuple[object, ...]] = []
    before = 0
    with TemporaryDirectory(dir=work, prefix="dup-growth-") as folder:
        for documents in sizes:
            started = time.perf_counter()
            results, peak = in_a_process(measure, folder, documents, before)
            seconds, before = time.perf_counter() - started, documents
            used = sum(path.stat().st_size for path in Path(folder).rglob("*")) / 1e6
            for each in results:
                rows.append((f"{documents:,}", *each[1:], peak, used, seconds))
            print(f"{documents:,} documents: {seconds:.0f} s, {used:.0f} MB", flush=True)
            assert shutil.disk_usage(folder).free > 2e9, "the disk is nearly full"
    head = [
        "look-ups among",
        "of",
        "first µs",
        "again µs",
        "p99 µs",
        "CPU µs",
        "found",
        "peak MB",
        "disk MB",
        "s",
    ]
    print(table(head, rows), flush=True)


if __name__ == "__main__":
    main()
