"""How is a cluster read in row order? Slice by slice of each tablet, merged.

A tablet may stand on another machine: what it answers at once is bounded, and says where to go on.
While one slice is used the next is fetched, of all tablets side by side; in memory are two of each.
Rows of one site are of one tablet, so the merge is mostly a look at who is next.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from heapq import merge
from operator import itemgetter
from typing import Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from shoal.collection.tablets import Tablets
from shoal.collection.view import TabletView

SLICE_BYTES = 1 << 20
_READ_AT_ONCE = 8

Item = TypeVar("Item")
Given = ParamSpec("Given")


class Slice(NamedTuple, Generic[Item]):
    items: list[tuple[bytes, Item]]
    """Each by its row, in row order."""
    rest: bytes
    """The row to go on with; empty when there is none."""


def cut(found: Iterable[tuple[bytes, Item, int]], most_bytes: int | None = None) -> Slice[Item]:
    """As many as fit, one at least; each comes with its size in bytes."""
    items: list[tuple[bytes, Item]] = []
    left_bytes = SLICE_BYTES if most_bytes is None else most_bytes
    for row, item, size_bytes in found:
        left_bytes -= size_bytes + len(row)
        if items and left_bytes < 0:
            return Slice(items, row)
        items.append((row, item))
    return Slice(items, b"")


def of_one(
    tablets: Tablets,
    tablet: int,
    question: Callable[Concatenate[TabletView, bytes, Given], Slice[Item]],
    start: bytes,
    *given: Given.args,
    **named: Given.kwargs,
) -> Iterator[tuple[bytes, Item]]:
    """All that one tablet has, from a row on."""
    rest = start
    while True:
        items, rest = tablets.ask(tablet, question, rest, *given, **named)
        yield from items
        if not rest:
            return


def in_order(
    tablets: Tablets,
    question: Callable[Concatenate[TabletView, bytes, Given], Slice[Item]],
    start: bytes,
    *given: Given.args,
    **named: Given.kwargs,
) -> Iterator[tuple[bytes, Item]]:
    """What all tablets have from a row on, in row order."""
    with ThreadPoolExecutor(min(tablets.count, _READ_AT_ONCE), "slice") as threads:

        def ask(tablet: int, start: bytes) -> "Future[Slice[Item]]":
            return threads.submit(lambda: tablets.ask(tablet, question, start, *given, **named))

        def stream(tablet: int, asked: "Future[Slice[Item]]") -> Iterator[tuple[bytes, Item]]:
            while True:
                items, rest = asked.result()
                if not rest:
                    yield from items
                    return
                asked = ask(tablet, rest)
                yield from items

        first = [ask(tablet, start) for tablet in range(tablets.count)]
        streams = [stream(tablet, asked) for tablet, asked in enumerate(first)]
        yield from merge(*streams, key=itemgetter(0))
