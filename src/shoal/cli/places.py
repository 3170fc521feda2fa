"""Which collection or cluster does a command read? What `--dir` names, opened.

To open a cluster may take a while, when its checkpoints come from an object store: then a line
moves.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.collection.collection import Collection
    from shoal.collection.whole import Whole


@contextmanager
def reading(given_dir: str | None) -> Iterator["Collection | Whole"]:
    from shoal.access.opening import open_cluster, open_reading
    from shoal.layout.layout import is_cluster_place, place_of

    place = place_of(given_dir)
    if not is_cluster_place(place):
        with open_reading(place) as collection:
            yield collection
        return
    from shoal.cli.terminal.progress import Steps
    from shoal.model.principal import OWNER

    with Steps() as steps:
        whole = open_cluster(place, OWNER, steps)
    with whole:
        yield whole
