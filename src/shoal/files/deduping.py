"""Which of these texts say nearly the same? `shoal.dedupe`: any iterable of texts, without a crawl.

Texts are read once and not kept; what is compared is a kilobyte of each, on disk. By default as in
a crawl: sketches of runs of three words, candidates by their smallest values, and the resemblance
of the sketches. `simhash` and `fingerprints` are the textbook's methods.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from shoal.duplicates.duplicates import SAME_SITE
from shoal.duplicates.methods.fingerprints import Decision, Fingerprinting
from shoal.duplicates.methods.inverted import InvertedIndex
from shoal.duplicates.methods.permuted import PermutedTables
from shoal.duplicates.methods.simhash import NEAR, simhash
from shoal.duplicates.near.near import LEAST_SHINGLES
from shoal.duplicates.near.shingles import MOST_N, word_hashes
from shoal.duplicates.near.sketch import size, sketch
from shoal.duplicates.pairs.clusters import clusters
from shoal.duplicates.pairs.discovery import Discovery, Pair, Progress, discover
from shoal.errors import UsageError
from shoal.model.digest import quick_digest
from shoal.store.table import RocksTable

Method = Literal["default", "simhash", "fingerprints"]
METHODS: tuple[Method, ...] = ("default", "simhash", "fingerprints")
_ID_BYTES = 4
_MOST_NEIGHBOURS = 100
_HEAD = sketch("")
"""A sketch without values."""


@dataclass(frozen=True)
class Deduped:
    """What came of it. Texts are numbered from 0 in the order in which they came."""

    texts: int
    pairs: list[Pair] = field(repr=False)
    """(a, b, how alike: from 0 to 1), a < b. In large groups not every pair is told."""

    @cached_property
    def groups(self) -> list[list[int]]:
        """Texts that say nearly the same, two and more in each group."""
        return clusters(self.pairs, self.texts)

    @property
    def kept(self) -> list[int]:
        """One of each: the first of every group, and all that are like no other."""
        dropped = {other for group in self.groups for other in group[1:]}
        return [number for number in range(self.texts) if number not in dropped]

    @property
    def duplicate_of(self) -> dict[int, int]:
        """For every text that is not kept, the one that is kept in its place."""
        return {other: group[0] for group in self.groups for other in group[1:]}


@dataclass(frozen=True)
class Comparison:
    """By what texts are compared, and how alike near-duplicates are."""

    method: Method = "default"
    resemblance: float | None = None
    """The least share of their runs of `n` words that two texts have (default: .65 of runs of
    three; fingerprints: .5 of runs of five)."""
    bits: int = 64
    differing: int | None = None
    """At most so many of a simhash's `bits` bits differ."""
    n: int | None = None
    fingerprinting: Fingerprinting | None = None
    decision: Decision | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(f"no method is called {self.method!r}; there are {', '.join(METHODS)}")
        if self.resemblance is not None and not 0 < self.resemblance <= 1:
            raise UsageError("a resemblance is above 0 and at most 1")
        if self.n is not None and not 1 <= self.n <= MOST_N:
            raise UsageError(f"a run has from 1 to {MOST_N} words, not {self.n}")
        if self.method != "fingerprints" and (self.fingerprinting or self.decision):
            raise UsageError("fingerprinting and decision are for the method fingerprints")
        if self.method != "simhash" and (self.bits != 64 or self.differing is not None):
            raise UsageError("bits and differing are for the method simhash")
        if self.method != "simhash":
            return
        if self.bits not in NEAR:
            raise UsageError(f"a simhash has {', '.join(map(str, NEAR))} bits, not {self.bits}")
        if not 0 <= self.most_differing < self.bits:
            raise UsageError(
                f"of {self.bits} bits from 0 to {self.bits - 1} may differ, not {self.differing}"
            )

    @property
    def most_differing(self) -> int:
        return NEAR[self.bits] if self.differing is None else self.differing


def dedupe(
    texts: Iterable[str], comparison: Comparison, progress: Progress | None = None
) -> Deduped:
    """`shoal.dedupe`."""
    if isinstance(texts, str):
        raise UsageError("texts are an iterable of texts, and this is one text")
    counted = _Counted(texts)
    pairs = list(near_pairs(counted, comparison, progress))
    return Deduped(counted.number, pairs)


def near_pairs(
    texts: Iterable[str], by: Comparison, progress: Progress | None = None
) -> Iterable[Pair]:
    """The pairs of near-duplicates, in order. By default they come out one by one, so that any
    number of texts can be compared."""
    if by.method == "simhash":
        return _by_simhash(texts, by.bits, by.most_differing)
    if by.method == "fingerprints":
        return _by_fingerprints(
            texts,
            by.fingerprinting or Fingerprinting(n=by.n or 5),
            by.decision or Decision("resemblance", by.resemblance or 0.5),
        )
    return sketch_pairs((text_sketch(text, by.n or 3) for text in texts), by, progress)


def sketch_pairs(
    sketches: Iterable[bytes], by: Comparison, progress: Progress | None = None
) -> Iterable[Pair]:
    """The same, of texts whose sketches were made before."""
    return discover(sketches, discovery_of(by), progress)


def discovery_of(by: Comparison) -> Discovery:
    """How sketches are searched."""
    return Discovery(threshold=by.resemblance or SAME_SITE)


class _Counted:
    """Counts what is read out of it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for text in self._texts:
            if not isinstance(text, str):
                kind = type(text).__name__
                raise UsageError(f"the text with the number {self.number} is none, but {kind}")
            self.number += 1
            yield text


def text_sketch(text: str, n: int = 3) -> bytes:
    """A text of a few words is near none, unless it has the same words: then it shares all of a
    few values that are drawn from them."""
    found = sketch(text, n)
    if size(found) >= LEAST_SHINGLES or len(found) <= len(_HEAD):
        return found
    whole = quick_digest(word_hashes(text).tobytes())
    values = sorted(whole[at : at + 4] for at in range(0, len(whole), 4))
    return bytes((0, n, 0, 0)) + b"".join(values)


def _by_simhash(texts: Iterable[str], bits: int, most: int) -> list[Pair]:
    def look_up(table: RocksTable) -> Callable[[int, str], list[tuple[bytes, float]]]:
        tables = PermutedTables(table, b"simhash", bits, most)

        def next_text(number: int, text: str) -> list[tuple[bytes, float]]:
            mark = simhash(text, bits)
            if not any(mark):
                return []
            found = [(each.key, 1 - each.distance / bits) for each in tables.find(mark)]
            batch = table.batch()
            tables.add(batch, number.to_bytes(_ID_BYTES), mark)
            table.write(batch)
            while tables.widen():
                pass
            return found

        return next_text

    return _one_after_another(texts, look_up)


def _by_fingerprints(texts: Iterable[str], make: Fingerprinting, decision: Decision) -> list[Pair]:
    def look_up(table: RocksTable) -> Callable[[int, str], list[tuple[bytes, float]]]:
        index = InvertedIndex(table, make)

        def next_text(number: int, text: str) -> list[tuple[bytes, float]]:
            marks = make.fingerprints(text)
            found = index.find(marks, decision, _MOST_NEIGHBOURS)
            batch = table.batch()
            index.add(batch, number.to_bytes(_ID_BYTES), marks)
            table.write(batch)
            return found

        return next_text

    return _one_after_another(texts, look_up)


def _one_after_another(
    texts: Iterable[str],
    look_up: Callable[[RocksTable], Callable[[int, str], list[tuple[bytes, float]]]],
) -> list[Pair]:
    """Each text is looked up among those before it, in an index of its own on disk."""
    pairs: list[Pair] = []
    with (
        tempfile.TemporaryDirectory(prefix="shoal-dedupe-") as scratch,
        RocksTable(Path(scratch) / "table") as table,
    ):
        next_text = look_up(table)
        for number, text in enumerate(texts):
            for key, score in next_text(number, text):
                pairs.append((int.from_bytes(key), number, score))
    return sorted(pairs)
