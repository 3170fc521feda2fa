"""How much alike are two texts, told by a few bytes of each? Simhash (Charikar 2002; U3).

Every feature of a text (a word by its frequency, or a run of words) votes with its weight, bit by
bit, for what its hash has: the bit is 1 where the sum of weights for 1 is the greater. Texts with
mostly the same features differ in few bits, in proportion to the angle between their vectors.

The hash of a feature is of 64 bits; more are had by steps of splitmix64 from it, so that a short
fingerprint is the beginning of a longer one. The first bit is the highest of the first byte. A text
without features has a fingerprint of zeros, which says nothing: whoever compares must know.

_simhash.c does `plain_fingerprint` where it could be compiled; tests hold the two together.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from shoal.duplicates.methods.stop_words import STOP_WORDS
from shoal.duplicates.near.shingles import hash_word, shingle_hashes, word_hashes, words

Features = Literal["words", "shingles"]
HashOf = Callable[[str, int], bytes]
"""The hash of a feature, of so many bits."""

NEAR: Mapping[int, int] = {64: 3, 128: 5, 256: 8, 384: 11}
"""At most so many bits of a fingerprint differ in near-duplicates, by its size. Of 64 bits: Manku,
Jain and Das Sarma (2007). Of 384: Henzinger (2006), more than 372 are equal. The others lie between
the two by the share of bits: the shorter a fingerprint, the more of it chance moves."""

DEFAULT_BITS = 64
DEFAULT_N = 3
MOST_BITS = 1024
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_STOP_HASHES = array("Q", sorted(map(hash_word, STOP_WORDS))).tobytes()


def simhash(
    text: str, bits: int = DEFAULT_BITS, features: Features = "words", n: int = DEFAULT_N
) -> bytes:
    """The fingerprint of a text: of its words, stop words aside, or of its shingles of n words."""
    if features == "words":
        return fingerprint(word_hashes(text), _STOP_HASHES, bits)
    if features == "shingles":
        return fingerprint(shingle_hashes(text, n), b"", bits)
    raise ValueError(f"features are words or shingles, not {features!r}")


def distance(a: bytes, b: bytes) -> int:
    """How many bits of two fingerprints differ."""
    if len(a) != len(b):
        raise ValueError("fingerprints of different sizes can't be compared")
    return (int.from_bytes(a) ^ int.from_bytes(b)).bit_count()


def weights_of(text: str) -> Counter[str]:
    """The words of a text by their frequencies, stop words aside."""
    return Counter(word for word in words(text) if word not in STOP_WORDS)


def hash_bits(word: str, bits: int) -> bytes:
    """The hash of a feature in as many bits as are wanted."""
    return _expanded(hash_word(word), bits)


def simhash_of(
    weights: Mapping[str, float] | Iterable[tuple[bytes, float]],
    bits: int = DEFAULT_BITS,
    hash_of: HashOf = hash_bits,
) -> bytes:
    """The fingerprint of features with any weights; of words, or of what is hashed already."""
    return signs(vector_of(weights, bits, hash_of))


def vector_of(
    weights: Mapping[str, float] | Iterable[tuple[bytes, float]],
    bits: int = DEFAULT_BITS,
    hash_of: HashOf = hash_bits,
) -> list[float]:
    """For each bit the weights of the features that have it, less those that do not."""
    _check_bits(bits)
    if isinstance(weights, Mapping):
        weights = [(hash_of(word, bits), weight) for word, weight in weights.items()]
    vector = [0.0] * bits
    for hashed, weight in weights:
        if len(hashed) * 8 != bits:
            raise ValueError(f"a hash of {len(hashed) * 8} bits where {bits} are wanted")
        for place, bit in enumerate(f"{int.from_bytes(hashed):0{bits}b}"):
            vector[place] += weight if bit == "1" else -weight
    return vector


def signs(vector: Sequence[float]) -> bytes:
    """A bit for each component: 1 where it is positive."""
    _check_bits(len(vector))
    return int("".join("01"[value > 0] for value in vector), 2).to_bytes(len(vector) // 8)


def plain_fingerprint(
    hashes: "bytes | array[int]", aside: "bytes | array[int]", bits: int, /
) -> bytes:
    """The fingerprint of features given by their 64-bit hashes, each as often as it occurs, but for
    those aside."""
    counts = Counter(array("Q", bytes(hashes)))
    for value in array("Q", bytes(aside)):
        del counts[value]
    return simhash_of([(_expanded(value, bits), count) for value, count in counts.items()], bits)


def _expanded(value: int, bits: int) -> bytes:
    lanes = b"".join(
        _splitmix64(value + lane * _GOLDEN).to_bytes(8) for lane in range(1, (bits + 63) // 64 + 1)
    )
    return lanes[: bits // 8]


def _splitmix64(state: int) -> int:
    state &= _MASK
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    state = (state ^ state >> 27) * 0x94D049BB133111EB & _MASK
    return state ^ state >> 31


def _check_bits(bits: int) -> None:
    if not 8 <= bits <= MOST_BITS or bits % 8:
        raise ValueError(f"bits must be a multiple of 8 up to {MOST_BITS}, not {bits}")


try:
    from shoal.duplicates.methods._simhash import fingerprint as fingerprint
except ImportError:  # it was not compiled here
    fingerprint = plain_fingerprint
