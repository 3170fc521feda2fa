"""How many pages are there, if two engines each know some of them? Capture and recapture: exercise.

    python overlap_size.py                   try it on a made-up web, whose size is known
    python overlap_size.py FIRST SECOND      two lists of URLs, one a line, as files
    python overlap_size.py NUMBER NUMBER BOTH    sizes of two samples, and how many are in both

Biologists count fish so: catch some, mark them, let them go, catch again. If a tenth of the second
catch is marked, then the first catch was a tenth of all fish. With n pages from one engine, m from
another, and k pages in both, there are about nm / k pages. Chapman's form of it hardly errs for
small numbers either, and has a known variance:

    size = (n + 1)(m + 1) / (k + 1) - 1
    variance = (n + 1)(m + 1)(n - k)(m - k) / ((k + 1)²(k + 2))

The true size should lie within 1.96 standard deviations 95 times in 100. That holds if whether one
engine has a page says nothing on whether the other has it. Engines prefer the same pages, those
that many link to, and what they show of these are the best; so they meet too often, and the size
comes out too small, with an error that looks as small as ever. If each looks in its own part of
the web, they meet too seldom, and it comes out too large.
"""

import sys
from collections.abc import Callable, Collection
from itertools import accumulate
from math import sqrt
from pathlib import Path
from random import Random
from typing import NamedTuple

SIZE = 10_000  # pages of the made-up web
SAMPLE = 1_000  # pages that are known of each engine
TRIALS = 50
ANSWERS = 10  # that an engine shows for a query
POPULARITY = list(accumulate(1 / (number + 100) for number in range(SIZE)))  # added up
SURE = 1.96  # standard deviations, for 95%
MOST, MOST_BYTES = 10**15, 100_000_000  # pages of a sample, bytes of a list


class Estimate(NamedTuple):
    size: float
    deviation: float

    def low_and_high(self) -> tuple[float, float]:
        return self.size - SURE * self.deviation, self.size + SURE * self.deviation


def estimate(first: int, second: int, both: int) -> Estimate:
    if not 0 <= both <= min(first, second) or max(first, second) > MOST:
        raise ValueError("in both there are 0 pages or more, and at most as many as in each")
    product = (first + 1) * (second + 1)
    variance = product * (first - both) * (second - both) / ((both + 1) ** 2 * (both + 2))
    return Estimate(product / (both + 1) - 1, sqrt(variance))


def of_samples(first: Collection[object], second: Collection[object]) -> Estimate:
    a, b = set(first), set(second)
    return estimate(len(a), len(b), len(a & b))


Samples = tuple[Collection[int], Collection[int]]
"""Of a made-up web. Its pages are numbers, the most popular one is 0."""


def at_random(random: Random) -> Samples:
    return random.sample(range(SIZE), SAMPLE), random.sample(range(SIZE), SAMPLE)


def by_popularity(random: Random) -> Samples:
    """Each engine has come to a page as if it followed links: the more popular, the more likely."""

    def crawled() -> set[int]:
        found: set[int] = set()
        while len(found) < SAMPLE:
            found.update(random.choices(range(SIZE), cum_weights=POPULARITY))
        return found

    return crawled(), crawled()


def by_answers(random: Random) -> Samples:
    """Each engine has half of all pages, at random. Both are asked the same queries. One page in
    a hundred matches, and of these they show the ten that are the most popular."""
    engines = [set(random.sample(range(SIZE), SIZE // 2)) for _ in range(2)]
    shown = set[int](), set[int]()
    while min(map(len, shown)) < SAMPLE:
        matching = random.sample(range(SIZE), SIZE // 100)
        for engine, seen in zip(engines, shown, strict=True):
            seen.update(sorted(engine.intersection(matching))[:ANSWERS])
    return shown


def apart(random: Random) -> Samples:
    """Nine pages of ten from one's own half of the web."""
    halves = range(SIZE // 2), range(SIZE // 2, SIZE)
    own, other = SAMPLE * 9 // 10, SAMPLE // 10
    first = random.sample(halves[0], own) + random.sample(halves[1], other)
    return first, random.sample(halves[1], own) + random.sample(halves[0], other)


WAYS: dict[str, Callable[[Random], Samples]] = {
    "at random": at_random,
    "popular ones rather": by_popularity,
    "best ten answers": by_answers,
    "each in its own part": apart,
}


def tried() -> str:
    lines = [f"a web of {SIZE:,} pages; two samples of {SAMPLE:,}; {TRIALS} trials"]
    lines.append("samples                 in both    size   error   95% certain     truth within")
    for name, sampled in WAYS.items():
        random = Random(1)
        both, sizes, deviations, within = 0, 0.0, 0.0, 0
        for _ in range(TRIALS):
            first, second = map(set, sampled(random))
            found = of_samples(first, second)
            low, high = found.low_and_high()
            both += len(first & second)
            sizes += found.size
            deviations += found.deviation
            within += low <= SIZE <= high
        mean = Estimate(sizes / TRIALS, deviations / TRIALS)
        low, high = mean.low_and_high()
        lines.append(
            f"{name:22}{both / TRIALS:9.1f}{mean.size:8,.0f}{mean.deviation:8,.0f}"
            f"   {low:,.0f} to {high:<8,.0f}{within / TRIALS:6.0%} of trials"
        )
    return "\n".join(lines)


def told(found: Estimate) -> str:
    low, high = found.low_and_high()
    return f"{found.size:,.0f} pages, with 95% certainty {max(0.0, low):,.0f} to {high:,.0f}"


def lines_of(name: str) -> set[bytes]:
    with Path(name).open("rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"{name} has more than {MOST_BYTES:,} bytes")
    return set(text.split())


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["--help"]:
                print(__doc__.rstrip())
            case []:
                print(tried())
            case [first, second]:
                print(told(of_samples(lines_of(first), lines_of(second))))
            case [_, _, _]:
                print(told(estimate(*map(int, arguments))))
            case _:
                raise ValueError("use: nothing | FIRST SECOND | NUMBER NUMBER BOTH")
    except (OSError, ValueError) as error:
        print(f"overlap_size: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
