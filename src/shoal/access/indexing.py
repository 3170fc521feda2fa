"""How is the index of a place brought up to date, or rebuilt? That of a collection, or of each
tablet of a cluster."""

from pathlib import Path

from shoal.access.opening import tablet_directories
from shoal.errors import Busy
from shoal.indexer.follower import Progress
from shoal.indexer.indexing import bring_up_to_date, rebuild
from shoal.layout.layout import place_of
from shoal.model.record import Struct


class Reindexed(Struct):
    pages: int
    """In the index from now on."""
    documents: int
    """Stored ones that were looked at: also duplicates and what has no text."""


def update_index(
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    told: Progress | None = None,
) -> int:
    """`shoal.update_index`."""
    try:
        return sum(bring_up_to_date(each, told) for each in tablet_directories(place_of(dir)))
    except Busy:
        return 0


def reindex(
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    told: Progress | None = None,
) -> Reindexed:
    """`shoal.reindex`."""
    every = [_reindex(each, told) for each in tablet_directories(place_of(dir))]
    return Reindexed(sum(each.pages for each in every), sum(each.documents for each in every))


def _reindex(directory: Path, progress: Progress | None) -> Reindexed:
    state, documents = rebuild(directory, progress)
    return Reindexed(state.pages, documents)
