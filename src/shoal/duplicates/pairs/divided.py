"""How are all pairs found among more documents than one process could hold? In parts, by tasks.

What discovery.py does in passes over files is done here by many, each with its part:

    sketches          at their *shard*, by the document's number
    checksums, values  where their own hash leads: equal ones of all shards meet in one part
    pairs             at the shard of the lower number, so that parts are in the order of pairs

A part that needs sketches (to tell copies apart, to divide a value that many share, to compare a
pair) asks their shards for those, and for no others: `ask` finds out which, `give` has them. What
is then done with them are the functions of discovery.py, by numbers of the part's own, which are in
the same order as the documents' own: so the pairs are those that one process finds.

All functions but the last are pure tasks.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import Any, NamedTuple

from shoal.duplicates.pairs.discovery import (
    LOW,
    Discovery,
    Kept,
    Keys,
    Pair,
    Progress,
    Working,
    enter_values,
    find_candidates,
    keep,
    name_copies,
    sort,
    verified,
)
from shoal.duplicates.pairs.shards import Scattered, Shards
from shoal.ports import Executor

Ref = Any
"""A value that is wherever it was made."""

BYTES_PER_SKETCH = 4
"""For each byte of a sketch, of all that a task is given: itself, keys, what others ask for."""


class Sketches(NamedTuple):
    """Of some documents, one behind the other."""

    data: bytes
    places: "array[int]"
    """Where each begins, and where the last one ends."""

    def of(self, document: int) -> bytes:
        return self.data[self.places[document] : self.places[document + 1]]


class Posted(NamedTuple):
    """Documents on their way to their shard."""

    numbers: "array[int]"
    names: list[bytes]
    sketches: list[bytes]


class _InOrder(NamedTuple):
    keys: bytearray

    def in_order(self) -> Iterator[bytearray]:
        if self.keys:
            yield self.keys


# --- to their shards -------------------------------------------------------------------------


def post(
    shards: Shards, numbers: "array[int]", names: list[bytes], sketches: list[bytes]
) -> list[Posted]:
    """Documents that were read somewhere, to each shard."""
    found = [Posted(array("I"), [], []) for _ in range(shards.number)]
    for number, name, sketch in zip(numbers, names, sketches, strict=True):
        its = found[number // shards.width]
        its.numbers.append(number)
        its.names.append(name)
        its.sketches.append(sketch)
    return found


def settle(shards: Shards, shard: int, settings: Discovery, *posted: Posted) -> list[Any]:
    """The names and the sketches of a shard, in order; and for each part checksums."""
    every = sorted(zip(*(chain(*each) for each in zip(*posted, strict=True)), strict=True))
    minhashes = Scattered(shards.number)
    sketches = [sketch for _, _, sketch in every]
    with ExitStack() as files:
        kept = keep(sketches, minhashes, Working(files, settings, _silent), shards.first(shard))
    return [
        [name for _, name, _ in every],
        Sketches(b"".join(sketches), kept.places),
        *minhashes.all(),
    ]


# --- what a part needs -----------------------------------------------------------------------

Needs = Callable[[memoryview, int], Iterator[int]]


def ask(shards: Shards, needs: Needs, most_common: int, *keys: bytes) -> list[Any]:
    """The keys in order, each once; and the documents whose sketches are needed, for each shard."""
    found = bytearray().join(keys)
    del found[sort(found) * 8 :]
    wanted = array("I", sorted(set(needs(memoryview(found).cast("Q"), most_common))))
    return [found, *shards.divide(wanted)]


def needs_of_shared(keys: memoryview, least: int) -> Iterator[int]:
    """Documents of a checksum or value that more than `least` share."""
    start, count = 0, len(keys)
    while start < count:
        shared, end = keys[start] >> 32, start + 1
        while end < count and keys[end] >> 32 == shared:
            end += 1
        if end - start > least:
            yield from (key & LOW for key in keys[start:end])
        start = end


def needs_of_pairs(keys: memoryview, _least: int) -> Iterator[int]:
    for key in keys:
        yield key >> 32
        yield key & LOW


def give(sketches: Sketches, *wanted: "array[int]") -> list[Sketches]:
    """What a shard has, to each part that asks."""
    return [_joined(map(sketches.of, each)) for each in wanted]


def _joined(sketches: "Iterator[bytes]") -> Sketches:
    found, places = [], array("Q", [0])
    for sketch in sketches:
        found.append(sketch)
        places.append(places[-1] + len(sketch))
    return Sketches(b"".join(found), places)


class _ShardReader:
    """What a part has been given, by numbers of its own: those of the documents that its keys name,
    in order. Those whose sketches nobody needs have empty ones."""

    def __init__(
        self,
        shards: Shards,
        settings: Discovery,
        files: ExitStack,
        named: "set[int]",
        given: Sequence[Any],
    ) -> None:
        asked, answers = given[: shards.number], given[shards.number :]
        has = {
            shards.first(shard) + number: (shard, at)
            for shard, numbers in enumerate(asked)
            for at, number in enumerate(numbers)
        }
        self.documents = array("I", sorted(named))
        self.number = {document: number for number, document in enumerate(self.documents)}
        self.working = Working(files, settings, _silent)
        file, places = self.working.new_file(), array("Q", [0])
        for document in self.documents:
            shard, at = has.get(document, (0, -1))
            sketch = answers[shard].of(at) if at >= 0 else b""
            file.write(sketch)
            places.append(places[-1] + len(sketch))
        file.flush()
        self.kept = Kept(file, places)

    def pairs(self, shards: Shards) -> "_Pairs":
        return _Pairs(self.documents, shards.pairs())


class _Pairs:
    """Takes pairs by a part's numbers, and has them by the documents' own."""

    def __init__(self, documents: "array[int]", scattered: Scattered) -> None:
        self._documents = documents
        self._scattered = scattered

    def add(self, keys: Keys) -> None:
        its, pairs = self._documents, memoryview(keys).cast("B").cast("Q")
        self._scattered.add(array("Q", (its[key >> 32] << 32 | its[key & LOW] for key in pairs)))

    def all(self) -> list[bytes]:
        return self._scattered.all()


# --- what a part does ------------------------------------------------------------------------


def tell_copies(shards: Shards, settings: Discovery, keys: bytearray, *given: Any) -> list[Any]:
    """Of documents of one checksum: pairs with the first of each sketch, for the shards of those;
    and for each shard the documents that are copies."""
    with ExitStack() as files:
        view = memoryview(keys).cast("Q")
        needed = set(needs_of_shared(view, 1))
        part = _ShardReader(shards, settings, files, needed, given)
        shared = array("Q", (_renumbered(key, part.number) for key in view if key & LOW in needed))
        pairs = part.pairs(shards)
        minhashes = _InOrder(bytearray(shared.tobytes()))
        copies = name_copies(part.kept, minhashes, pairs, part.working)
        found = array("I", (part.documents[at] for at, is_copy in enumerate(copies) if is_copy))
        return [*pairs.all(), *shards.divide(found)]


def _renumbered(key: int, numbers: dict[int, int]) -> int:
    return key & ~LOW | numbers[key & LOW]


def enter(
    shards: Shards, shard: int, settings: Discovery, sketches: Sketches, *copies: "array[int]"
) -> list[bytes]:
    """The smallest values of a shard's documents, for each part; copies have none."""
    values, is_copy = Scattered(shards.number), bytearray(len(sketches.places) - 1)
    for number in chain(*copies):
        is_copy[number] = 1
    with ExitStack() as files:
        working = Working(files, settings, _silent)
        file = working.new_file()
        file.write(sketches.data)
        file.flush()
        kept = Kept(file, sketches.places)
        enter_values(kept, is_copy, values, working, shards.first(shard))
    return values.all()


def pair_up(shards: Shards, settings: Discovery, keys: bytearray, *given: Any) -> list[bytes]:
    """Documents that have a value in common, for the shard of the first of each pair."""
    view = memoryview(keys).cast("Q")
    with ExitStack() as files:
        part = _ShardReader(shards, settings, files, {key & LOW for key in view}, given)
        values = array("Q", (_renumbered(key, part.number) for key in view))
        pairs = part.pairs(shards)
        in_order = _InOrder(bytearray(values.tobytes()))
        find_candidates(part.kept, in_order, pairs, part.working)
        return pairs.all()


def compare(shards: Shards, settings: Discovery, keys: bytearray, *given: Any) -> list[list[Pair]]:
    """The pairs of a shard that are alike."""
    view = memoryview(keys).cast("Q")
    with ExitStack() as files:
        part = _ShardReader(shards, settings, files, set(needs_of_pairs(view, 0)), given)
        number, its = part.number, part.documents
        pairs = array("Q", (number[key >> 32] << 32 | number[key & LOW] for key in view))
        in_order = _InOrder(bytearray(pairs.tobytes()))
        found = verified(part.kept, in_order, part.working)
        return [[(its[a], its[b], alike) for a, b, alike in found]]


def _silent(_doing: str, _done: int, _total: int) -> None:
    """A task has nobody to tell."""


# --- who has them done -----------------------------------------------------------------------


class Found(NamedTuple):
    """Documents that were read together, in the order of their numbers."""

    numbers: "array[int]"
    names: Ref
    sketches: Ref


class Divided:
    """All pairs among documents that stand wherever they were read."""

    def __init__(
        self,
        executor: Executor,
        shards: Shards,
        settings: Discovery,
        progress: Progress | None = None,
    ) -> None:
        self._tasks, self._shards, self._settings = executor, shards, settings
        self._progress = progress or _silent
        self._each = range(shards.number)
        self._names: list[Ref] = []
        self._sketches: list[Ref] = []

    def names(self) -> Iterator[bytes]:
        """Of all documents, by number; a shard's at a time."""
        for shard in self._names:
            yield from self._tasks.fetch(shard)

    def take(self, found: Sequence[Found]) -> list[list[Ref]]:
        """Bring documents to their shards. Returns the checksums of each part, from each shard."""
        asked = ([self._shards, *each] for each in found)
        posted = _turned(self._tasks.each(post, asked, self._shards.number), self._shards.number)
        asked = ([self._shards, shard, self._settings, *posted[shard]] for shard in self._each)
        made = self._tasks.each(settle, asked, 2 + self._shards.number)
        self._names = [each[0] for each in made]
        self._sketches = [each[1] for each in made]
        return _turned([each[2:] for each in made], self._shards.number)

    def pairs(self, minhashes: list[list[Ref]]) -> Iterator[Pair]:
        """Each once, in order."""
        shards, count = self._shards, self._shards.number
        self._progress("copies", 0, shards.documents)
        told = self._with_sketches(tell_copies, needs_of_shared, 1, minhashes, 2 * count)
        copies = _turned([each[count:] for each in told], count)
        self._progress("values", 0, shards.documents)
        asked = (
            [shards, shard, self._settings, self._sketches[shard], *copies[shard]]
            for shard in self._each
        )
        values = _turned(self._tasks.each(enter, asked, count), count)
        self._progress("candidates", 0, shards.documents)
        most = self._settings.most_common
        pairs = self._with_sketches(pair_up, needs_of_shared, most, values, count)
        every = [each[:count] for each in told] + pairs
        self._progress("pairs", 0, shards.documents)
        found = self._with_sketches(compare, needs_of_pairs, 0, _turned(every, count), 1)
        for shard, [each] in enumerate(found):
            yield from self._tasks.fetch(each)
            self._progress("pairs", shards.first(shard + 1), shards.documents)

    def _with_sketches(
        self,
        task: Callable[..., Any],
        needs: Needs,
        least: int,
        keys: list[list[Ref]],
        returns: int,
    ) -> list[list[Ref]]:
        """A task for each part, on its keys and the sketches that it needs for them."""
        shards, count = self._shards, self._shards.number
        asked = self._tasks.each(ask, ([shards, needs, least, *each] for each in keys), 1 + count)
        wanted = [each[1:] for each in asked]
        by_shard = _turned(wanted, count)
        given = self._tasks.each(
            give, ([self._sketches[shard], *by_shard[shard]] for shard in self._each), count
        )
        answers = _turned(given, count)
        return self._tasks.each(
            task,
            (
                [shards, self._settings, asked[part][0], *wanted[part], *answers[part]]
                for part in self._each
            ),
            returns,
        )


def _turned(rows: Sequence[Sequence[Ref]], count: int) -> list[list[Ref]]:
    """What each has for each of `count`, as what each of those gets."""
    return [[row[at] for row in rows] for at in range(count)]
