"""How is the index made while no crawl runs? Brought up to date before a search, or rebuilt.

Readers see the old index until the new one is committed, in one step.
"""

import os
from pathlib import Path

from shoal.collection.view import TabletView
from shoal.errors import Busy
from shoal.index.writer import IndexWriter
from shoal.indexer.follower import Follower, Progress, commit, follow_to_the_end
from shoal.indexer.memory import Memory
from shoal.layout.index_state import IndexState, is_behind, read_state
from shoal.layout.layout import Layout


def bring_up_to_date(directory: Path, progress: Progress | None = None) -> int:
    """Take in what was stored since. Returns how many documents were looked at: none when a crawl
    is running, whose own process does it, and none on a disk that can only be read."""
    with TabletView(directory) as collection:
        if not is_behind(collection.layout, collection.table):
            return 0
        if not os.access(collection.layout.data, os.W_OK):
            return 0  # a read-only disk: what is there is what can be found
        try:
            index = collection.layout.index
            with (
                Memory(index, collection.config.index.memory) as memory,
                IndexWriter(index, memory.heap_bytes) as writer,
            ):
                follower = Follower(collection.table, collection.store, writer, memory)
                return follow_to_the_end(collection.layout, follower, progress)
        except Busy:
            return 0


def make_anew(directory: Path, at_most: int) -> bool:
    """The index is rebuilt, so that its files hold no word of what was removed; not where more
    documents than these are left, or another process writes it. Returns whether it was."""
    state = read_state(Layout(directory))
    if state is None:
        return True  # there is none
    if state.pages + state.inside > at_most:
        return False
    try:
        rebuild(directory)
    except Busy:
        return False
    return True


def rebuild(directory: Path, progress: Progress | None = None) -> tuple[IndexState, int]:
    """Of all that is stored. Returns also how many documents were looked at."""
    with (
        TabletView(directory) as collection,
        Memory(collection.layout.index, collection.config.index.memory) as memory,
        IndexWriter(collection.layout.index, memory.heap_bytes) as writer,
    ):
        follower = Follower(collection.table, collection.store, writer, memory)
        documents = follower.rebuild(progress)
        return commit(collection.layout, follower), documents
