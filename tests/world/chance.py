"""Where does the world's randomness come from?

Everything is a pure function of (seed, purpose, host, page …): no state, no order of calls, so a
page is the same in the generator, in the server process and in the truth that a test computes.
`mix` is a 64-bit finaliser in the manner of splitmix; it is not for secrets.
"""

from __future__ import annotations

import random
from enum import IntEnum

_MASK = (1 << 64) - 1


class Purpose(IntEnum):
    """Keeps draws for different questions independent of each other."""

    SIZES = 1
    PERMUTATION = 2
    PAGE = 3
    LINKS = 4
    HREFS = 5
    TEXT = 6
    ROBOTS = 7
    HOST = 8
    LINKING_PAGE = 9
    RATE = 10
    CHANGES = 11
    SENTENCES = 12
    FAULTS = 13
    SITEMAP = 14
    FEED = 15


def mix(*parts: int) -> int:
    """A well spread 64-bit number for these integers."""
    value = 0x9E3779B97F4A7C15
    for part in parts:
        value = ((value ^ part) * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) & _MASK
        value ^= value >> 31
    value = (value * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 29)


def fraction(*parts: int) -> float:
    """A number in [0, 1) for these integers."""
    return (mix(*parts) >> 11) / (1 << 53)


def stream(*parts: int) -> random.Random:
    """A generator of its own for these integers."""
    return random.Random(mix(*parts))
