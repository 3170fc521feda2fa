"""Who writes the index while a crawl runs? A process of its own, beside it.

It reads the table as any reader does, so the crawl's loop never waits for it, and a fault of it
costs nothing: the next one goes on from what was committed. Run as

    python -m shoal.app.index_process DIRECTORY DATA

It says on its standard output, a JSON line each, how far it has come. A line on its standard input
asks it to go on to the end of the log and finish; the end of its input (the crawl was killed) ends
it at once.
"""

import os
import select
import signal
import sys
import time
from pathlib import Path

from shoal.app.collection import Collection
from shoal.app.follower import Follower, commit, follow_to_the_end
from shoal.app.index_state import IndexState
from shoal.app.layout import Layout
from shoal.errors import ShoalError
from shoal.index.writer import IndexWriter
from shoal.model.record import to_json

_NICE = 5
"""The crawl goes first: the index may lag by seconds."""
_SECONDS_BETWEEN_COMMITS = 4.0
_FEW = 20
"""Changes at a time: who writes so little wants to find it at once,"""
_LEAST_SECONDS_BETWEEN_COMMITS = 2.0
"""but no more often than this."""
_SECONDS_BETWEEN_PAYING_BACK = 30.0
_TARGETS_AT_ONCE = 2_000
"""A crawl that never rests owes its pages' targets their new anchors, too."""
_SECONDS_BETWEEN_LOOKS = 1.0
"""Looking what the crawl has written since costs as much for one page as for hundreds;"""
_SECONDS_BETWEEN_QUIET_LOOKS = 0.4
"""where nothing was written it costs next to nothing."""


def main(arguments: list[str]) -> int:
    directory, data = map(Path, arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the crawl's, who tells us
    os.nice(_NICE)
    layout = Layout(directory, data)
    try:
        with Collection(layout) as collection, IndexWriter(layout.index) as writer:
            _follow(collection, layout, writer)
    except ShoalError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _follow(collection: Collection, layout: Layout, writer: IndexWriter) -> None:
    follower = Follower(collection.table, collection.store, writer)
    last_commit = time.monotonic()
    pay_back_at = last_commit + _SECONDS_BETWEEN_PAYING_BACK
    pause = _SECONDS_BETWEEN_LOOKS
    while True:
        next_look = time.monotonic() + pause
        collection.refresh()
        entered = 0
        while count := follower.step():
            entered += count
            if not follower.behind:  # else this view of the table has more
                break
        if next_look > pay_back_at:
            follower.pay_back(_TARGETS_AT_ONCE)
            pay_back_at = time.monotonic() + _SECONDS_BETWEEN_PAYING_BACK
        since_commit = time.monotonic() - last_commit
        least = _LEAST_SECONDS_BETWEEN_COMMITS if entered <= _FEW else _SECONDS_BETWEEN_COMMITS
        if follower.owes and (since_commit > least or not count):
            _tell(commit(layout, follower))
            last_commit = time.monotonic()
        pause = _SECONDS_BETWEEN_LOOKS if entered > _FEW else _SECONDS_BETWEEN_QUIET_LOOKS
        word = _word(max(0.0, next_look - time.monotonic()))
        if word is None:
            continue
        if word:  # "finish"
            collection.refresh()
            follow_to_the_end(layout, follower)
        _tell(commit(layout, follower))
        return


def _word(seconds: float) -> str | None:
    """What is asked of us; empty: whoever might ask is no longer there."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return sys.stdin.readline() if ready else None


def _tell(state: IndexState) -> None:
    sys.stdout.buffer.write(to_json(state) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
