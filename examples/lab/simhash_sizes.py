"""How many bits does a simhash need to tell copies from other texts? A lab exercise.

    python simhash_sizes.py

Charikar's simhash: each word votes, with its hash, for or against every bit; the sign of the sum is
the bit. The share of bits that agree grows with the likeness of two texts, and the more bits there
are the less it strays. Texts here are drawn at random by a law of Zipf; a copy has one word in ten
or in three replaced. For each size a threshold is chosen that errs least, and its errors are shown.
"""

import hashlib
import random
import sys
from collections.abc import Sequence
from itertools import pairwise
from statistics import mean, pstdev

SIZES = (16, 32, 64, 128, 256, 384)
TEXTS, WORDS, VOCABULARY = 80, 100, 3_000
CHANGED = (0.1, 1 / 3)
_MOST_BITS = 512


def bits_of(word: str) -> int:
    """512 bits that belong to a word."""
    return int.from_bytes(hashlib.sha512(word.encode()).digest(), "big")


def simhash(words: Sequence[str], size: int) -> int:
    if not 0 < size <= _MOST_BITS:
        raise ValueError(size)
    hashes = [bits_of(word) for word in words]
    found = 0
    for bit in range(size):
        votes = sum(1 if each >> bit & 1 else -1 for each in hashes)
        found |= (votes > 0) << bit
    return found


def agreement(one: int, other: int, size: int) -> float:
    """The share of bits that are the same."""
    return 1 - (one ^ other).bit_count() / size


def texts(seed: int = 1) -> list[list[str]]:
    draw = random.Random(seed)
    words = [f"w{number}" for number in range(VOCABULARY)]
    weights = [1 / (number + 5) for number in range(VOCABULARY)]
    return [draw.choices(words, weights, k=WORDS) for _ in range(TEXTS)]


def copied(text: Sequence[str], share: float, draw: random.Random) -> list[str]:
    new = [f"w{draw.randrange(VOCABULARY)}" for _ in text]
    return [other if draw.random() < share else word for word, other in zip(text, new, strict=True)]


def least_errors(copies: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """The threshold that errs least, and how often: copies below it, others at it or above."""
    best = (0.0, 1.0)
    for threshold in sorted({*copies, *others, 1.1}):
        missed = sum(each < threshold for each in copies) / len(copies)
        false = sum(each >= threshold for each in others) / len(others)
        best = min(best, (threshold, (missed + false) / 2), key=lambda found: found[1])
    return best


def rows() -> list[tuple[str, ...]]:
    draw, originals = random.Random(2), texts()
    changed = [[copied(text, share, draw) for text in originals] for share in CHANGED]
    found: list[tuple[str, ...]] = [
        ("bits", "others", "± of it", "1 in 10", "error", "1 in 3", "error")
    ]
    for size in SIZES:
        prints = [simhash(text, size) for text in originals]
        others = [agreement(one, other, size) for one, other in pairwise(prints)]
        row = [f"{size}", f"{mean(others):.3f}", f"{pstdev(others):.3f}"]
        for copies in changed:
            alike = [
                agreement(one, simhash(copy, size), size)
                for one, copy in zip(prints, copies, strict=True)
            ]
            row += [f"{mean(alike):.3f}", f"{least_errors(alike, others)[1]:.1%}"]
        found.append(tuple(row))
    return found


def main(arguments: list[str]) -> int:
    if arguments:
        print("simhash_sizes.py takes no arguments.", file=sys.stderr)
        return 2
    for row in rows():
        print(" ".join(f"{cell:>8}" for cell in row))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
