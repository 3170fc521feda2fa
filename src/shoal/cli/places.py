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
def reading(given_dir: str | None, as_name: str | None = None) -> Iterator["Collection"]:
    """As its owner, or as a user of this name."""
    from shoal.access.opening import open_collection
    from shoal.access.people import reader_named
    from shoal.cli.terminal.progress import StepProgress
    from shoal.model.principal import OWNER

    principal = OWNER if as_name is None else reader_named(as_name, given_dir)
    with StepProgress() as progress:
        collection = open_collection(given_dir, principal, progress)
    with collection:
        yield collection


def tell_waiting(given_dir: str | None) -> None:
    """What was ordered of a cluster at rest is not to be seen in its tables yet: say so."""
    from shoal.cli.terminal import screen
    from shoal.cli.terminal.wording import count
    from shoal.control.cluster_commands import waiting_at_rest
    from shoal.layout.layout import place_of

    waiting = waiting_at_rest(place_of(given_dir))
    if waiting:
        wait = "waits" if waiting == 1 else "wait"
        screen.remark(f"{count(waiting, 'command')} {wait} here for the next crawl to begin with.")
