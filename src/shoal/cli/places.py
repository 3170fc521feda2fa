"""Which collection or cluster does a command read? What `--dir` names, opened.

To open a cluster may take a while, when its checkpoints come from an object store: then a line
moves.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.collection.collection import Collection


@contextmanager
def reading(given_dir: str | None) -> Iterator["Collection"]:
    from shoal.access.opening import open_collection
    from shoal.cli.terminal.progress import StepProgress
    from shoal.model.principal import OWNER

    with StepProgress() as progress:
        collection = open_collection(given_dir, OWNER, progress)
    with collection:
        yield collection
