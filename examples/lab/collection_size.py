"""How large is a collection that one can only ask? By the overlap of two answers. A lab exercise.

    python collection_size.py [A B BOTH]

If two words are independent, the share of documents with the one among those with the other is its
share among all: both / b = a / N, so N = a · b / both. The same sum sizes two engines by what they
share (capture and recapture). Without numbers: the textbook's example, then a made-up collection in
which some words are independent and others come together, which makes it look smaller.
"""

import random
import sys

TEXTBOOK = (771_326, 120_990, 3_018)
"""Pages of GOV2 with `lincoln`, with `tropical`, with both; it has 25,205,179."""
DOCUMENTS = 20_000
WORDS = (("reef", "tax", 0.0), ("reef", "coral", 0.5), ("reef", "desert", -0.9))
_SHARE = 0.05


def estimate(a: int, b: int, both: int) -> float:
    return a * b / both


def made(dependence: float, draw: random.Random) -> tuple[int, int, int]:
    """Documents with the one word, with the other, with both. Above 0 a document with the first has
    the second more often, below 0 less often."""
    a = b = both = 0
    for _ in range(DOCUMENTS):
        first = draw.random() < _SHARE
        chance = _SHARE
        if first:
            chance += dependence * (1 - _SHARE if dependence > 0 else _SHARE)
        second = draw.random() < chance
        a, b, both = a + first, b + second, both + (first and second)
    return a, b, both


def lines() -> list[str]:
    a, b, both = TEXTBOOK
    found = [f"lincoln {a:,}, tropical {b:,}, both {both:,}: {estimate(a, b, both):,.0f} documents"]
    draw = random.Random(1)
    found.append(f"a collection of {DOCUMENTS:,}, made up:")
    for first, second, dependence in WORDS:
        a, b, both = made(dependence, draw)
        guess = estimate(a, b, both)
        found.append(f"  {first} {a:,}, {second} {b:,}, both {both:,}: {guess:,.0f}")
    return found


def main(arguments: list[str]) -> int:
    if not arguments:
        print("\n".join(lines()))
        return 0
    try:
        a, b, both = map(int, arguments)
        if not 0 < both <= min(a, b):
            raise ValueError
    except ValueError:
        print(
            "Give three numbers: A B BOTH, with BOTH above 0 and not above A or B.", file=sys.stderr
        )
        return 2
    print(f"{estimate(a, b, both):,.0f} documents")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
