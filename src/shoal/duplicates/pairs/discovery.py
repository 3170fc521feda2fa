"""Which documents of a whole collection are near-duplicates of which? All pairs, from sketches.

No document is compared with all others. Copies with one and the same sketch are named once, beside
the first of them, and play no further part. Of every other sketch the smallest values are sorted,
and documents that share one are candidates; then their sketches are compared.

A value that too many share (a template, or a great group of copies) is not followed for all pairs.
Its documents are told apart by a second value, which is drawn again for each value: copies mostly
draw the same, while documents that share only a template mostly do not. Those that draw a value of
the template again are paired with the first two and the next four. So the work grows as the
collection does, a great group still hangs together, and copies within a template are found.

On disk (temporary files without a name, so that nothing is left even after a kill): the sketches, 8
bytes for each document and for each of its smallest values, 8 for each candidate: of 1 M documents
about 1 GB, and at worst, where every value is shared by as many as are still followed, 3 GB. In
memory: `memory_bytes`, and 9 bytes for each document.
"""

import os
import struct
import sys
import tempfile
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import combinations, groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, Protocol, TypeAlias

from shoal.duplicates.near.sketch import resemblance
from shoal.errors import UsageError
from shoal.model.record import Struct

Pair = tuple[int, int, float]
"""Two documents, the lower number first, and their resemblance."""
Progress = Callable[[str, int, int], None]
"""What is being done, for how many documents it is done, and of how many; 0: not known yet."""
Keys: TypeAlias = "bytes | bytearray | memoryview | array[int]"
"""64 bits each, as this machine has them: a mixed value above a document's number, or a pair."""

LEAST_MEMORY_BYTES = 1 << 20
MOST_COMMON = 1024
_HEAD = 4
_MOST_LEVEL = 31
_MOST_PARTS = 64
LOW = (1 << 32) - 1
_MIX = 2654435769
"""Odd, so no two values are mixed into one. Sketches of long texts hold only small numbers."""
_BLOCK = 16384
"""Documents of one value that are paired up together, with the first two of all."""
_FIRSTS = 2
_NEXT = 4
_UNLIKE = 8
"""Different sketches of one checksum among which a copy is looked for."""
_PAIRS_AT_ONCE = 8192
_TOLD_EVERY = 8192
_MOST_PIECE_BYTES = 1 << 28
ANY = 1 << 64


class Discovery(Struct, frozen=True):
    threshold: float = 0.6
    """The least resemblance of a pair."""
    smallest: int = 16
    """Values of a sketch under which a document is found."""
    most_common: int = 32
    """Documents that share a value and are all compared with each other."""
    memory_bytes: int = 256_000_000
    directory: Path | None = None
    """For temporary files; None: where the system has them."""

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise UsageError("a resemblance is above 0 and at most 1")
        if self.smallest < 1 or not _FIRSTS <= self.most_common <= MOST_COMMON:
            raise UsageError(f"smallest is at least 1, most_common from {_FIRSTS} to {MOST_COMMON}")
        if self.memory_bytes < LEAST_MEMORY_BYTES:
            raise UsageError(f"discovery needs memory_bytes of {LEAST_MEMORY_BYTES} at least")


DEFAULT = Discovery()


def discover(
    sketches: Iterable[bytes],
    settings: Discovery = DEFAULT,
    progress: Progress | None = None,
) -> Iterator[Pair]:
    """Pairs of documents, which are numbered from 0 as they come; each pair once, in order.

    Of documents with one sketch only the first is paired with others, and in groups of more than
    `most_common` not every pair is told, but enough of them to hold the group together."""
    with ExitStack() as files:
        work = Working(files, settings, progress or _tell_nobody)
        minhashes = work.spill(ANY, 0)
        kept = keep(sketches, minhashes, work)
        pairs = work.spill(max(1, kept.documents) << 32, 4 * kept.documents)
        copies = name_copies(kept, minhashes, pairs, work)
        values = work.spill(ANY, kept.documents * settings.smallest)
        enter_values(kept, copies, values, work)
        find_candidates(kept, values, pairs, work)
        yield from verified(kept, pairs, work)


def _tell_nobody(_doing: str, _done: int, _total: int) -> None:
    """Progress that nobody asked for."""


class Working:
    """What every pass needs: the settings, files that go with the search, and who is told."""

    def __init__(self, files: ExitStack, settings: Discovery, progress: Progress) -> None:
        self.settings = settings
        self.progress = progress
        self.piece_bytes = min(settings.memory_bytes // 128 * 8, _MOST_PIECE_BYTES)
        """A sixteenth of the memory: a pass has a few pieces at hand, and copies of them."""
        self._files = files

    def new_file(self) -> BinaryIO:
        file = tempfile.TemporaryFile(dir=self.settings.directory)  # noqa: SIM115 - files closes it
        return self._files.enter_context(file)

    def spill(self, high: int, likely_keys: int) -> "Spill":
        parts = max(16, min(_MOST_PARTS, likely_keys * 8 // self.piece_bytes))
        return Spill(self.new_file, 0, high, parts, 2 * self.piece_bytes)


class Sink(Protocol):
    def add(self, keys: Keys) -> None: ...


class Ordered(Protocol):
    def in_order(self) -> Iterator[bytearray]: ...


class Spill:
    """Keys from `low` up to `high`, more than memory holds, given back sorted and each once."""

    def __init__(
        self, new_file: Callable[[], BinaryIO], low: int, high: int, parts: int, most_bytes: int
    ) -> None:
        self._new_file = new_file
        self._low = low
        self._width = -(-(high - low) // parts)
        self._most_bytes = most_bytes
        self._files = [new_file() for _ in range(parts)]

    def add(self, keys: Keys) -> None:
        scattered = scatter(keys, self._low, self._width, len(self._files))
        for file, part in zip(self._files, scattered, strict=True):
            file.write(part)

    def in_order(self) -> Iterator[bytearray]:
        """Pieces of at most `most_bytes`. Can be asked for once: what was read is deleted."""
        for at, file in enumerate(self._files):
            size_bytes = file.tell()
            file.seek(0)
            if size_bytes > self._most_bytes and self._width > 1:
                yield from self._finer(self._low + at * self._width, file, size_bytes).in_order()
            elif size_bytes:
                keys = bytearray(size_bytes)
                file.readinto(keys)  # type: ignore[attr-defined]  # of all that buffer
                file.close()
                del keys[sort(keys) * 8 :]
                yield keys
            file.close()

    def _finer(self, low: int, file: BinaryIO, size_bytes: int) -> "Spill":
        """A part that is too much for memory, in parts."""
        parts = min(_MOST_PARTS, 2 * size_bytes // self._most_bytes, self._width)
        finer = Spill(self._new_file, low, low + self._width, parts, self._most_bytes)
        while piece := file.read(self._most_bytes // 8 * 8):
            finer.add(piece)
        file.close()
        return finer


class Kept:
    """All sketches, one behind the other in a file."""

    def __init__(self, sketches: BinaryIO, places: "array[int]") -> None:
        self.file = sketches.fileno()
        self.places = places
        """Where each begins, and where the last one ends."""
        self.documents = len(places) - 1

    def sketch(self, document: int) -> bytes:
        return _sketch(self.file, self.places, document)

    def done(self, keys: bytearray, high: int) -> int:
        """About how many documents' keys stand before the end of these."""
        return (int.from_bytes(keys[-8:], sys.byteorder) + 1) * self.documents // high


def keep(sketches: Iterable[bytes], marked: Sink, work: Working, low: int = 0) -> Kept:
    """The sketches of documents from the number `low` on, and a checksum of each."""
    file, places, n, minhashes = work.new_file(), array("Q", [0]), -1, array("Q")
    for document, sketch in enumerate(sketches, low):
        if len(sketch) < _HEAD or len(sketch) % 4 or sketch[0] > _MOST_LEVEL:
            raise ValueError("this is no sketch")
        if sketch[1] != n >= 0:
            raise ValueError("sketches of shingles of different lengths")
        n = sketch[1]
        file.write(sketch)
        places.append(places[-1] + len(sketch))
        if len(sketch) > _HEAD:  # an empty one says nothing, and is nobody's copy
            minhashes.append(zlib.crc32(sketch) << 32 | document)
        if len(minhashes) * 8 >= work.piece_bytes:
            marked.add(minhashes)
            del minhashes[:]
        if document % _TOLD_EVERY == 0:
            work.progress("reading", document, 0)
    marked.add(minhashes)
    file.flush()
    return Kept(file, places)


def name_copies(kept: Kept, minhashes: Ordered, pairs: Sink, work: Working) -> bytearray:
    """Marks the documents with the very sketch of an earlier one, a byte for each document."""
    copies, minhash, firsts = bytearray(kept.documents), -1, [0]
    for keys in minhashes.in_order():
        found = array("Q")
        for key in memoryview(keys).cast("Q"):
            document = key & LOW
            if key >> 32 != minhash:
                minhash, firsts = key >> 32, [document]
                continue
            sketch = kept.sketch(document)
            first = next((each for each in firsts if kept.sketch(each) == sketch), None)
            if first is not None:
                found.append(first << 32 | document)
                copies[document] = 1
            elif len(firsts) < _UNLIKE:
                firsts.append(document)
        pairs.add(found)
        work.progress("copies", kept.done(keys, ANY), kept.documents)
    return copies


def enter_values(kept: Kept, copies: bytearray, values: Sink, work: Working, low: int = 0) -> None:
    smallest, places, first = work.settings.smallest, kept.places, 0
    while first < kept.documents:
        fits = bisect_right(places, places[first] + work.piece_bytes) - 1
        last = max(first + 1, fits)
        data = os.pread(kept.file, places[last] - places[first], places[first])
        these = places[first : last + 1]
        values.add(entries(data, these, copies[first:last], low + first, smallest))
        work.progress("values", last, kept.documents)
        first = last


def find_candidates(kept: Kept, values: Ordered, pairs: Sink, work: Working) -> None:
    most_common = work.settings.most_common

    def pair_up(keys: bytearray, is_last: bool) -> bytearray:
        """Returns what is left, because more documents of its value may come."""
        view, done = memoryview(keys), -1
        while done:
            found, done = candidates(kept.file, kept.places, view, most_common, is_last)
            pairs.add(found)
            view = view[done * 8 :]
        return bytearray(view)

    rest = bytearray()
    for keys in values.in_order():
        work.progress("candidates", kept.done(keys, ANY), kept.documents)
        rest = pair_up(rest + keys, is_last=False)
    pair_up(rest, is_last=True)


def verified(kept: Kept, pairs: Ordered, work: Working) -> Iterator[Pair]:
    threshold, at_once = work.settings.threshold, _PAIRS_AT_ONCE * 8
    for keys in pairs.in_order():
        for start in range(0, len(keys), at_once):
            yield from verify(kept.file, kept.places, keys[start : start + at_once], threshold)
        work.progress("pairs", kept.done(keys, kept.documents << 32), kept.documents)
    work.progress("pairs", kept.documents, kept.documents)


# --- the loops, as _pairs.c has them ---------------------------------------------------------


def plain_sort(keys: bytearray) -> int:
    """Sorts in place, each key once; returns how many there are, behind which is nothing."""
    distinct = array("Q", sorted(set(memoryview(keys).cast("Q"))))
    keys[: len(distinct) * 8] = distinct.tobytes()
    return len(distinct)


def plain_scatter(keys: Keys, low: int, width: int, parts: int) -> list[bytes]:
    """The keys of each part, in the order in which they came; a part is `width` wide."""
    scattered = [array("Q") for _ in range(parts)]
    for key in memoryview(keys).cast("B").cast("Q"):
        scattered[(key - low) // width].append(key)
    return [part.tobytes() for part in scattered]


def plain_entries(
    data: bytes, places: "array[int]", copies: bytearray, first: int, smallest: int
) -> bytes:
    """Keys of the smallest values of some documents, from `first` on, whose sketches are `data`."""
    keys = array("Q")
    for at, (start, end) in enumerate(pairwise(places)):
        if not copies[at]:
            values = _values(data[start - places[0] : end - places[0]])[:smallest]
            keys.extend((value * _MIX & LOW) << 32 | first + at for value in values)
    return keys.tobytes()


def plain_candidates(
    file: int, places: "array[int]", keys: memoryview, most_common: int, is_last: bool
) -> tuple[bytes, int]:
    """Pairs of documents with a value in common, a few at a time, and how many keys are done. A
    value of many documents is taken in blocks; each begins, in place, with the first two of all."""
    pairs: list[tuple[int, int]] = []
    view, start = keys.cast("Q"), 0
    while start < len(view) and len(pairs) < _PAIRS_AT_ONCE:
        mixed, end = view[start] >> 32, start + 1
        while end < len(view) and end - start <= _BLOCK and view[end] >> 32 == mixed:
            end += 1
        is_block = end - start > _BLOCK
        if end == len(view) and not (is_last or is_block):
            break
        documents = [key & LOW for key in view[start : start + min(end - start, _BLOCK)]]
        if len(documents) <= most_common:
            pairs += combinations(documents, 2)
        else:
            samples = [_sample(_sketch(file, places, each), mixed) for each in documents]
            pairs += _common_pairs(documents, samples, most_common)
        if is_block:
            firsts, end = view[start : start + _FIRSTS], start + _BLOCK - _FIRSTS
            view[end : end + _FIRSTS] = firsts
        start = end
    return array("Q", (a << 32 | b for a, b in pairs if a != b)).tobytes(), start


def plain_verify(file: int, places: "array[int]", keys: Keys, threshold: float) -> list[Pair]:
    """Those of the pairs that are as alike as the threshold asks."""
    found = []
    for key in memoryview(keys).cast("B").cast("Q"):
        a, b = key >> 32, key & LOW
        alike = resemblance(_sketch(file, places, a), _sketch(file, places, b))
        if alike >= threshold:
            found.append((a, b, alike))
    return found


def _common_pairs(
    documents: list[int], samples: list[int], most_common: int
) -> Iterator[tuple[int, int]]:
    yield from _with_firsts(documents)
    ordered = sorted(zip(samples, documents, strict=True))
    for _, group in groupby(ordered, key=itemgetter(0)):
        alike = [document for _, document in group]
        if len(alike) <= most_common:
            yield from combinations(alike, 2)
        else:
            yield from _with_firsts(alike)
            for at, document in enumerate(alike):
                yield from ((document, other) for other in alike[at + 1 : at + 1 + _NEXT])


def _with_firsts(documents: list[int]) -> Iterator[tuple[int, int]]:
    for at in range(_FIRSTS):
        yield from ((documents[at], other) for other in documents[at + 1 :])


def _sample(sketch: bytes, mixed: int) -> int:
    """Another value of the sketch, the same one for most documents that are alike."""
    others = (value for value in _values(sketch) if value * _MIX & LOW != mixed)
    return min((_stirred(value ^ mixed) for value in others), default=LOW)


def _stirred(value: int) -> int:
    value = (value ^ value >> 16) * 0x85EBCA6B & LOW
    value = (value ^ value >> 13) * 0xC2B2AE35 & LOW
    return value ^ value >> 16


def _values(sketch: bytes) -> tuple[int, ...]:
    return struct.unpack_from(f"<{max(0, len(sketch) - _HEAD) // 4}I", sketch, _HEAD)


def _sketch(file: int, places: "array[int]", document: int) -> bytes:
    return os.pread(file, places[document + 1] - places[document], places[document])


try:
    from shoal.duplicates.pairs._pairs import candidates as candidates
    from shoal.duplicates.pairs._pairs import entries as entries
    from shoal.duplicates.pairs._pairs import scatter as scatter
    from shoal.duplicates.pairs._pairs import sort as sort
    from shoal.duplicates.pairs._pairs import verify as verify
except ImportError:
    candidates, entries, scatter = plain_candidates, plain_entries, plain_scatter
    sort, verify = plain_sort, plain_verify
