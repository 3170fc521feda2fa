"""How alike are two texts, without having both at hand? Sketches of their shingles.

A sketch is a sample of a text's distinct shingles by their hashes alone: all whose low 32 bits are
below 2**(32 - level), at the least level at which no more than 256 are left. What one text's sample
takes another's takes too, so at the coarser level of two sketches shared and not shared values
are counted as if all were there: the resemblance of long texts is known to about .03, that of
short ones exactly. Unlike MinHash it also tells containment, of texts of very different lengths.

    level, n, 0, 0, then the sorted distinct values, each 4 bytes, least byte first

Minhashes are the whole hashes of the smallest values: two texts that share half of their shingles
share some of their 16 minhashes with a probability of .9999. They are what near-duplicates are
looked up by (near.py).
"""

from typing import NamedTuple

from shoal.duplicates.native import prints as _native
from shoal.duplicates.near.shingles import plain_shingle_hashes

NEAR_N = 3
"""Words in a shingle. Of a text with one word in twenty changed 77% of the runs of five are still
there, which two texts of one template may have as well; of the runs of three it is 86%."""
MOST_VALUES = 256
MINHASHES = 16
_HEAD = 4
_MOST_LEVEL = 31
_LOW = (1 << 32) - 1


class Fingerprint(NamedTuple):
    sketch: bytes
    minhashes: bytes
    """8 bytes each, smallest first."""


class Overlap(NamedTuple):
    """What two sketches share at the coarser of their levels."""

    shared: int
    only_a: int
    only_b: int

    @property
    def resemblance(self) -> float:
        return self.shared / ((self.shared + self.only_a + self.only_b) or 1)

    @property
    def containment(self) -> float:
        """How much of a is in b."""
        return self.shared / ((self.shared + self.only_a) or 1)


def fingerprint(
    text: str, n: int = NEAR_N, most: int = MOST_VALUES, minhashes: int = MINHASHES
) -> Fingerprint:
    if _native is not None:
        return Fingerprint(*_native.prints(text, n, most, minhashes))
    return plain_fingerprint(text, n, most, minhashes)


def sketch(text: str, n: int = NEAR_N, most: int = MOST_VALUES) -> bytes:
    return fingerprint(text, n, most).sketch


def size(sketch: bytes) -> int:
    """About how many distinct shingles the text has."""
    return (len(sketch) - _HEAD) // 4 << sketch[0]


def overlap(a: bytes, b: bytes) -> Overlap:
    return Overlap._make((plain_overlap if _native is None else _native.overlap)(a, b))


def resemblance(a: bytes, b: bytes) -> float:
    """The share of all their shingles that both have, from 0 to 1."""
    return overlap(a, b).resemblance


def containment(a: bytes, b: bytes) -> float:
    """The share of a's shingles that b has."""
    return overlap(a, b).containment


def plain_fingerprint(text: str, n: int, most: int, minhashes: int) -> Fingerprint:
    if not (most >= 1 and 0 <= minhashes <= most):
        raise ValueError("no such sketch can be made")
    smallest: dict[int, int] = {}
    for value in plain_shingle_hashes(text, n, True):
        low, high = value & _LOW, value >> 32
        smallest[low] = min(high, smallest.get(low, high))
    level, kept = 0, sorted(smallest)
    while len(kept) > most and level < _MOST_LEVEL:
        level += 1
        kept = [value for value in kept if value < 1 << (32 - level)]
    del kept[most:]
    values = b"".join(value.to_bytes(4, "little") for value in kept)
    marked = b"".join((low << 32 | smallest[low]).to_bytes(8, "big") for low in kept[:minhashes])
    return Fingerprint(bytes([level, n, 0, 0]) + values, marked)


def plain_overlap(a: bytes, b: bytes) -> tuple[int, int, int]:
    for each in (a, b):
        if len(each) < _HEAD or len(each) % 4 or each[0] > _MOST_LEVEL:
            raise ValueError("this is no sketch")
    if a[1] != b[1]:
        raise ValueError("sketches of shingles of different lengths")
    limit = 1 << (32 - max(a[0], b[0]))
    ours, theirs = ({value for value in _values(each) if value < limit} for each in (a, b))
    shared = len(ours & theirs)
    return shared, len(ours) - shared, len(theirs) - shared


def _values(sketch: bytes) -> list[int]:
    return [int.from_bytes(sketch[at : at + 4], "little") for at in range(_HEAD, len(sketch), 4)]
