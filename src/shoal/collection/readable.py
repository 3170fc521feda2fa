"""Which pages may be named to who asks? Each tablet knows its own."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from shoal.collection import questions as asked
from shoal.collection.tablets import Tablets, owner_of


def readable(tablets: Tablets, said: Iterable[asked.Said]) -> Iterator[asked.Said]:
    """Of what pages say those whose page may be named to who asks: each tablet knows its own."""
    rest = iter(said)
    everything: bool | None = None
    while some := list(islice(rest, asked.SEEN_AT_ONCE)):
        if everything is None:
            everything = tablets.ask(0, asked.sees_all)
        if everything:
            yield from some
            continue
        seen = seen_rows(tablets, [each.source for each in some])
        yield from (each for each in some if each.source in seen)


def seen_rows(tablets: Tablets, rows: Sequence[bytes]) -> set[bytes]:
    """Those of some pages that may be named."""
    by_owner: dict[int, list[bytes]] = defaultdict(list)
    for row in dict.fromkeys(rows):
        by_owner[owner_of(tablets, row)].append(row)
    found: set[bytes] = set()
    for owner, its in by_owner.items():
        may = tablets.ask(owner, asked.seen, its)
        found.update(row for row, ok in zip(its, may, strict=True) if ok)
    return found
