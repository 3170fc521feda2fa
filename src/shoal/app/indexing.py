"""How is the index made while no crawl runs? Brought up to date before a search, or made anew.

Readers see the old index until the new one is committed, in one step.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shoal.app.collection import Collection
from shoal.app.follower import Follower, Told, commit, follow_to_the_end
from shoal.app.index_state import read_state
from shoal.app.layout import Layout, is_cluster_place, place_of
from shoal.errors import Busy, ShoalError
from shoal.index.place import is_ours
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.model.record import Struct
from shoal.store.change_log import last_sequence


class Reindexed(Struct):
    pages: int
    """In the index from now on."""
    documents: int
    """Stored ones that were looked at: also duplicates and what has no text."""


def is_behind(collection: Collection) -> bool:
    """Whether pages were stored that the index does not have, or another release has made it."""
    state = read_state(collection.layout)
    if state is None or not is_ours(collection.layout.index):
        return True
    return state.position < last_sequence(collection.table)


def lag(collection: Collection) -> int:
    """Changes that the index has not taken in."""
    state = read_state(collection.layout)
    return max(0, last_sequence(collection.table) - (0 if state is None else state.position))


def bring_up_to_date(directory: Path, told: Told | None = None) -> int:
    """Take in what was stored since. Returns how many documents were looked at: none when a crawl
    is running, whose own process does it."""
    with Collection(directory) as collection:
        if not is_behind(collection):
            return 0
        try:
            with IndexWriter(collection.layout.index) as writer:
                follower = Follower(collection.table, collection.store, writer)
                return follow_to_the_end(collection.layout, follower, told)
        except Busy:
            return 0


def update_index(
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    told: Told | None = None,
) -> int:
    """Take in what was stored since; how many documents were looked at. A crawl, `shoal search` and
    `shoal serve` do so by themselves, and so do the tablets of a cluster that runs."""
    try:
        return sum(bring_up_to_date(each, told) for each in _directories(place_of(dir)))
    except Busy:
        return 0


def reindex(
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    told: Told | None = None,
) -> Reindexed:
    """Make the index anew out of the table. `told` is handed how many documents were read. Of a
    cluster, that of each tablet."""
    every = [_reindex(each, told) for each in _directories(place_of(dir))]
    return Reindexed(sum(each.pages for each in every), sum(each.documents for each in every))


def _reindex(directory: Path, told: Told | None) -> Reindexed:
    with Collection(directory) as collection, IndexWriter(collection.layout.index) as writer:
        follower = Follower(collection.table, collection.store, writer)
        documents = follower.rebuild(told)
        state = commit(collection.layout, follower)
        return Reindexed(state.pages, documents)


def _directories(place: str) -> list[Path]:
    """A collection's own, or those of a cluster's tablets."""
    if not is_cluster_place(place):
        return [Path(place)]
    from shoal.app.opening import tablet_directories  # noqa: PLC0415 - only clusters need it

    return tablet_directories(place)


def index_holds(layout: Layout) -> Callable[[bytes], bool]:
    """Whether a row is in the index, for many rows."""
    with suppress(ShoalError):
        return IndexReader(layout.index).holds
    return lambda _row: False  # there is no index yet
