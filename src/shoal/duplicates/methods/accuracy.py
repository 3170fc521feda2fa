"""How many near-duplicates does a fingerprint of so many bytes find? The textbook's exercise.

All pairs of a sample are judged by simhashes of several sizes, by n-grams of which more and more
are left out (those that are 0 mod p are kept), and by sketches, as in a crawl. The truth is given
as pairs, or it is the resemblance of all distinct shingles, without any sampling. Each size is
scored at its default cut and at the cut that is best for this sample, which no one knows
beforehand: the first says what to expect, the second what the fingerprint holds.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from struct import unpack
from typing import Literal, NamedTuple

from shoal.duplicates.duplicates import SAME_SITE
from shoal.duplicates.methods.fingerprints import Decision, Fingerprinting
from shoal.duplicates.methods.simhash import NEAR, simhash
from shoal.duplicates.near.shingles import DEFAULT_N, shingle_hashes
from shoal.duplicates.near.sketch import fingerprint
from shoal.errors import UsageError

Pair = tuple[int, int]
"""Two texts by their places in the sample, the lower first."""
Compared = tuple[int, int, int, int]
"""A pair, how many values both have, and how many there are in both."""
Cut = Literal["best", "default"]
Grade = int
"""How far apart a pair is: bits that differ, or thousandths that a resemblance lacks."""

_FINGERPRINT_BYTES = 8
_GRADES = 1000
_SKETCH_HEAD_BYTES = 4


@dataclass(frozen=True, slots=True)
class Exercise:
    bits: tuple[int, ...] = (64, 128, 256, 384)
    """Sizes of simhash, each one that has a default distance."""
    p: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64)
    n: int = DEFAULT_N
    """Words of an n-gram."""
    values: tuple[int, ...] = (16, 32, 64, 128, 256)
    """The most that a sketch keeps."""
    true_n: int = 3
    true_at_least: float = 0.5
    """Where no truth is given: texts with this resemblance are near-duplicates."""
    most_texts: int = 2500
    """The sample: the first so many. Time grows with its square."""

    def __post_init__(self) -> None:
        if unknown := set(self.bits) - set(NEAR):
            known = ", ".join(map(str, NEAR))
            raise UsageError(f"Simhashes have {known} bits, not {min(unknown)}.")
        if self.values and min(self.values) < 1:
            raise UsageError("A sketch keeps 1 value or more.")


class Score(NamedTuple):
    precision: float
    """1 where nothing was found."""
    recall: float
    """1 where there was nothing to find."""
    f1: float


class Row(NamedTuple):
    method: Literal["simhash", "n-grams", "sketch"]
    size_bytes: float
    """Of a document's fingerprint, on average."""
    setting: str
    cut: Cut
    at: float
    """Where the cut is: at most so many bits differ, or the least resemblance."""
    precision: float
    recall: float
    f1: float


class _Graded(NamedTuple):
    pairs: Mapping[Grade, int]
    """How many pairs have each grade."""
    true: Mapping[Grade, int]
    """How many pairs of each grade are near-duplicates."""


def accuracy(
    texts: Iterable[str],
    truth: Iterable[Pair] | None = None,
    exercise: Exercise = Exercise(),  # noqa: B008 - it is frozen
) -> list[Row]:
    """Two rows for each fingerprint, by method and setting. A truth about texts that are not in the
    sample is left out."""
    sample = list(islice(texts, exercise.most_texts))
    if truth is None:
        true = true_pairs(sample, exercise.true_at_least, exercise.true_n)
    else:
        true = {(min(pair), max(pair)) for pair in truth if max(pair) < len(sample)}
    rows: list[Row] = []
    for bits in exercise.bits:
        graded = _by_simhash([simhash(text, bits) for text in sample], true)
        for cut, grade, score in _scored(graded, NEAR[bits], len(true)):
            rows.append(Row("simhash", bits / 8, f"{bits} bits", cut, grade, *score))
    for p in exercise.p:
        make = Fingerprinting(exercise.n, keep="mod", p=p).fingerprints
        kept = [make(text) for text in sample]
        mean_bytes = _FINGERPRINT_BYTES * sum(map(len, kept)) / (len(kept) or 1)
        graded = _by_resemblance(_with_unions(kept), true)
        for cut, least, score in _at_least(graded, Decision().at_least, len(true)):
            rows.append(Row("n-grams", mean_bytes, f"0 mod {p}", cut, least, *score))
    for most in exercise.values:
        sketches = [fingerprint(text, most=most, minhashes=0).sketch for text in sample]
        mean_bytes = sum(map(len, sketches)) / (len(sketches) or 1)
        graded = _by_resemblance(_overlaps(sketches), true)
        for cut, least, score in _at_least(graded, SAME_SITE, len(true)):
            rows.append(Row("sketch", mean_bytes, f"{most} values", cut, least, *score))
    return rows


def true_pairs(texts: Sequence[str], at_least: float = 0.5, n: int = 3) -> set[Pair]:
    """All pairs whose distinct shingles of n words have at least this resemblance."""
    sets = [set(shingle_hashes(text, n)) for text in texts]
    decision = Decision("resemblance", at_least)
    return {
        (i, j)
        for i, j, shared in _sharing(sets)
        if decision.admits(decision.score_of(shared, len(sets[i]), len(sets[j])))
    }


def score(found_true: int, found: int, true: int) -> Score:
    precision = found_true / found if found else 1.0
    recall = found_true / true if true else 1.0
    f1 = 2 * found_true / (found + true) if found + true else 1.0
    return Score(precision, recall, f1)


def _by_simhash(prints: Sequence[bytes], true: Collection[Pair]) -> _Graded:
    # A text without words has a fingerprint of zeros, and is near to nothing.
    values = {place: int.from_bytes(each) for place, each in enumerate(prints) if any(each)}
    pairs: Counter[Grade] = Counter()
    earlier: list[int] = []
    for value in values.values():
        pairs.update([(value ^ other).bit_count() for other in earlier])
        earlier.append(value)
    known = [(i, j) for i, j in true if i in values and j in values]
    return _Graded(pairs, Counter((values[i] ^ values[j]).bit_count() for i, j in known))


def _with_unions(sets: Sequence[Collection[int]]) -> Iterator[Compared]:
    for i, j, shared in _sharing(sets):
        yield i, j, shared, len(sets[i]) + len(sets[j]) - shared


def _overlaps(sketches: Sequence[bytes]) -> Iterator[Compared]:
    """As sketch.overlap counts them: what both have is at the coarser of two levels anyway."""
    values = [unpack(f"<{len(each) // 4 - 1}I", each[_SKETCH_HEAD_BYTES:]) for each in sketches]
    levels = {each[0] for each in sketches}
    at_level = [
        {level: bisect_left(each, 1 << (32 - level)) for level in levels} for each in values
    ]
    for i, j, shared in _sharing(values):
        level = max(sketches[i][0], sketches[j][0])
        yield i, j, shared, at_level[i][level] + at_level[j][level] - shared


def _by_resemblance(compared: Iterable[Compared], true: Collection[Pair]) -> _Graded:
    pairs: Counter[Grade] = Counter()
    of_true: Counter[Grade] = Counter()
    for i, j, shared, all_values in compared:
        # Whole numbers: a resemblance of exactly the cut is on the right side of it.
        grade = _GRADES - _GRADES * shared // all_values
        pairs[grade] += 1
        of_true[grade] += (i, j) in true
    return _Graded(pairs, of_true)


def _sharing(sets: Sequence[Collection[int]]) -> Iterator[tuple[int, int, int]]:
    """Each pair of sets that share values, with how many: by an index of who has which."""
    having: dict[int, list[int]] = {}
    for place, values in enumerate(sets):
        shared: Counter[int] = Counter()
        for value in values:
            earlier = having.setdefault(value, [])
            shared.update(earlier)
            earlier.append(place)
        for other, number in shared.items():
            yield other, place, number


def _at_least(graded: _Graded, default: float, true: int) -> Iterator[tuple[Cut, float, Score]]:
    """By the least resemblance."""
    for cut, grade, score in _scored(graded, round(_GRADES * (1 - default)), true):
        yield cut, (_GRADES - grade) / _GRADES, score


def _scored(graded: _Graded, default: Grade, true: int) -> Iterator[tuple[Cut, Grade, Score]]:
    """At the best cut (of equals the strictest), and at the default one."""
    found, found_true = 0, 0
    best, best_at, at_default = score(0, 0, true), 0, score(0, 0, true)
    for grade in sorted(graded.pairs):
        found += graded.pairs[grade]
        found_true += graded.true.get(grade, 0)
        now = score(found_true, found, true)
        if now.f1 > best.f1:
            best, best_at = now, grade
        if grade <= default:
            at_default = now
    yield "best", best_at, best
    yield "default", default, at_default
