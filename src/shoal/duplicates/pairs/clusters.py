"""Which documents belong together, when it is known which pairs are near-duplicates?

Joined pair by pair, copies drift: the first and the last of a chain may share nothing. So groups
are stars: every member is near the group's core. Cores are chosen by most neighbours first, then by
the lowest number, and no core is near another; each other document goes to the core that it
resembles most. Documents that resemble each other fully count as one, because of those
discovery.py pairs only the first with others. A core whose neighbours all prefer other cores stands
alone.

Joining takes 12 bytes for each document; stars take 40, and 24 for each pair.
"""

from array import array
from collections.abc import Iterable
from itertools import chain

from shoal.duplicates.pairs.discovery import Pair


def clusters(pairs: Iterable[Pair], documents: int, star: bool = True) -> list[list[int]]:
    """Groups of two and more, each sorted, the list sorted; documents are 0 up to `documents`."""
    joined = _Joined(documents)
    if star:
        core_of = _Near(joined, documents, pairs).core_of()
        representatives = array("I", (core_of[joined.root(each)] for each in range(documents)))
    else:
        for a, b, _ in pairs:
            joined.join(a, b)
        representatives = array("I", map(joined.root, range(documents)))
    sizes = _zeros("I", documents)
    for representative in representatives:
        sizes[representative] += 1
    groups: dict[int, list[int]] = {}
    for document, representative in enumerate(representatives):
        if sizes[representative] > 1:
            groups.setdefault(representative, []).append(document)
    return list(groups.values())  # as their first members came


def _zeros(kind: str, count: int) -> "array[int]":
    return array(kind, bytes(array(kind).itemsize * count))


class _Joined:
    """Documents that are one, whatever joined them: named by the lowest number."""

    def __init__(self, documents: int) -> None:
        self._above = array("I", range(documents))

    def root(self, document: int) -> int:
        above = self._above
        while above[document] != document:
            above[document] = above[above[document]]
            document = above[document]
        return document

    def join(self, a: int, b: int) -> None:
        first, second = sorted((self.root(a), self.root(b)))
        self._above[second] = first


class _Near:
    """Pairs of documents that are near; those that are alike in full are joined."""

    def __init__(self, joined: _Joined, documents: int, pairs: Iterable[Pair]) -> None:
        self._documents = documents
        self._a, self._b, self._alike = array("I"), array("I"), array("d")
        for a, b, alike in pairs:
            if alike >= 1:
                joined.join(a, b)
            else:
                self._a.append(a)
                self._b.append(b)
                self._alike.append(alike)
        for side in (self._a, self._b):
            for at, document in enumerate(side):
                side[at] = joined.root(document)
        self._weights = self._weighed(joined)

    def _weighed(self, joined: _Joined) -> "array[int]":
        """How many documents each one is near, its copies and theirs counted."""
        copies, weights = _zeros("I", self._documents), _zeros("Q", self._documents)
        for document in range(self._documents):
            copies[joined.root(document)] += 1
        for document, count in enumerate(copies):
            weights[document] = max(count, 1) - 1
        for a, b in zip(self._a, self._b, strict=True):
            weights[a] += copies[b]
            weights[b] += copies[a]
        return weights

    def core_of(self) -> "array[int]":
        """The core that each document resembles most; a document near none is its own."""
        is_core, weights = self._cores(), self._weights
        core_of, best = array("I", range(self._documents)), array("d", [0]) * self._documents
        for a, b, alike in zip(self._a, self._b, self._alike, strict=True):
            for document, core in ((a, b), (b, a)):
                if not is_core[core] or is_core[document]:
                    continue
                now = core_of[document]
                if (alike, weights[core], -core) > (best[document], weights[now], -now):
                    core_of[document], best[document] = core, alike
        return core_of

    def _cores(self) -> bytearray:
        starts, others = self._by_document()
        is_core, is_near = bytearray(self._documents), bytearray(self._documents)
        weights = self._weights
        paired = (each for each in range(self._documents) if starts[each] != starts[each + 1])
        for document in sorted(paired, key=lambda each: (-weights[each], each)):
            if not is_near[document]:
                is_core[document] = 1
                for other in others[starts[document] : starts[document + 1]]:
                    is_near[other] = 1
        return is_core

    def _by_document(self) -> "tuple[array[int], array[int]]":
        """Where the neighbours of each document stand, and they."""
        starts = _zeros("Q", self._documents + 1)
        for document in chain(self._a, self._b):
            starts[document] += 1
        for document in range(self._documents):
            starts[document + 1] += starts[document]
        others = _zeros("I", 2 * len(self._a))
        for document, other in chain(
            zip(self._a, self._b, strict=True), zip(self._b, self._a, strict=True)
        ):
            starts[document] -= 1  # from the end of its neighbours to their start
            others[starts[document]] = other
        return starts, others
