"""Which shard has which documents of all that are compared?"""

from array import array
from bisect import bisect_left
from itertools import pairwise
from typing import NamedTuple

from shoal.duplicates.pairs.discovery import (
    Keys,
    scatter,
)


class Scattered:
    """Keys by the part that they belong to: by their upper 32 bits, of which each part has as many,
    so that keys which agree in those are in one part."""

    def __init__(self, parts: int, upper: int = 1 << 32) -> None:
        """`upper`: what the upper 32 bits are below of."""
        self._width = -(-upper // parts) << 32
        self._parts = [bytearray() for _ in range(parts)]

    def add(self, keys: Keys) -> None:
        if len(self._parts) == 1:
            self._parts[0].extend(memoryview(keys).cast("B"))
            return
        scattered = scatter(keys, 0, self._width, len(self._parts))
        for part, more in zip(self._parts, scattered, strict=True):
            part.extend(more)

    def all(self) -> list[bytes]:
        return [bytes(part) for part in self._parts]


class Shards(NamedTuple):
    """Which documents are in which shard."""

    documents: int
    number: int

    @property
    def width(self) -> int:
        return max(1, -(-self.documents // self.number))

    def first(self, shard: int) -> int:
        return min(shard * self.width, self.documents)

    def divide(self, numbers: "array[int]") -> "list[array[int]]":
        """Ascending numbers, by their shards, counted from the first one there."""
        cuts = [bisect_left(numbers, self.first(shard)) for shard in range(self.number)]
        return [
            array("I", (number - self.first(shard) for number in numbers[start:end]))
            for shard, (start, end) in enumerate(pairwise((*cuts, len(numbers))))
        ]

    def pairs(self) -> Scattered:
        return Scattered(self.number, self.number * self.width)
