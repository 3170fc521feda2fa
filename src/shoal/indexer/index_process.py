"""Who writes the index while a crawl runs? A process of its own, beside it.

It reads the table as any reader does, so the crawl's loop never waits for it, and a fault of it
costs nothing: the next one goes on from what was committed. Run as

    python -m shoal.indexer.index_process DIRECTORY DATA MEMORY

It says on its standard output, a JSON line each, how far it has come. A line on its standard input,
`finish`, asks it to go on to the end of the log and end; `soon 12 13` says that somebody waits for
these changes: they are entered before all others and committed at once, but not more often than
once a second. `patient` says that all that is written will be told so: it need not look by itself,
or hardly ever. The end of its input (the crawl was killed) ends it at once.
"""

import os
import select
import signal
import sys
import time
from pathlib import Path

from shoal.collection.view import TabletView
from shoal.errors import ShoalError
from shoal.index.writer import IndexWriter
from shoal.indexer.follower import Follower, commit, follow_to_the_end
from shoal.indexer.memory import Memory, give_back_early
from shoal.layout.index_state import IndexState
from shoal.layout.layout import Layout
from shoal.model.record import to_json

_NICE = 5
"""The crawl goes first: the index may lag by seconds."""
_SECONDS_BETWEEN_COMMITS = 4.0
_FEW = 20
"""Changes at a time: who writes so little wants to find it at once."""
_LEAST_SECONDS_BETWEEN_COMMITS = 2.0
"""Commits come no more often than this."""
_SECONDS_BETWEEN_EARLY_COMMITS = 1.0
"""For what somebody waits for, whatever else there is."""
_SECONDS_BETWEEN_PAYING_BACK = 30.0
_TARGETS_AT_ONCE = 2_000
"""A crawl that never rests owes its pages' targets their new anchors, too: so many are entered at a
time."""
_TARGETS_BETWEEN = 100
"""So many targets are entered between two looks whether somebody waits for something else."""
_SECONDS_BETWEEN_LOOKS = 1.0
"""Looking what the crawl has written since costs as much for one page as for hundreds."""
_SECONDS_BETWEEN_QUIET_LOOKS = 0.4
_SECONDS_BETWEEN_PATIENT_LOOKS = 60.0
"""Where nothing was written a look costs next to nothing."""

SOON = b"soon "
MORE = b"more"
PATIENT = b"patient"
_READ_BYTES = 1 << 16


def main(arguments: list[str]) -> int:
    directory, data = map(Path, arguments[:2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the crawl's, who tells us
    os.nice(_NICE)
    give_back_early()
    layout = Layout(directory, data)
    try:
        with (
            TabletView(layout) as collection,
            Memory(layout.index, int(arguments[2])) as memory,
            IndexWriter(layout.index, memory.heap_bytes) as writer,
        ):
            Following(collection, layout, writer, Words(sys.stdin.fileno()), memory).run()
    except ShoalError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


class Following:
    """The index and how far it has come. Between two slices of its work it listens: whoever waits
    for a change does not wait for the others."""

    def __init__(
        self,
        collection: TabletView,
        layout: Layout,
        writer: IndexWriter,
        words: "Words",
        memory: Memory | None = None,
    ) -> None:
        self._collection = collection
        self._layout = layout
        self._follower = Follower(collection.table, collection.store, writer, memory)
        self._words = words
        self._last_word: bytes | None = None
        """`finish`, or nothing when whoever might say it is no longer there."""
        self._last_commit = time.monotonic()
        self._last_early = 0.0
        self._pay_back_at = self._last_commit + _SECONDS_BETWEEN_PAYING_BACK
        self._awaited: list[int] = []
        """Changes that somebody waits for."""
        self._is_patient = self._is_stirred = False
        """Whether all that is written is told, and whether something was since the last look."""

    def run(self) -> None:
        pause = _SECONDS_BETWEEN_LOOKS
        while self._last_word is None:
            next_look, self._is_stirred = time.monotonic() + pause, False
            entered = self._look()
            pause = _SECONDS_BETWEEN_LOOKS if entered > _FEW else _SECONDS_BETWEEN_QUIET_LOOKS
            if self._is_patient and not (entered or self._is_stirred or self._follower.owes):
                next_look = time.monotonic() + _SECONDS_BETWEEN_PATIENT_LOOKS
            self._attend(next_look)
        if self._last_word:
            self._collection.refresh()
            follow_to_the_end(self._layout, self._follower)
        self._commit()

    def _look(self) -> int:
        """Take in what was written since. Returns how many documents were looked at."""
        self._collection.refresh()
        entered = count = 0
        while count := self._follower.step(self._attend):
            entered += count
            if not self._follower.behind:  # else this view of the table has more
                break
        if time.monotonic() > self._pay_back_at:
            for _ in range(_TARGETS_AT_ONCE // _TARGETS_BETWEEN):
                self._follower.pay_back(_TARGETS_BETWEEN)
                self._attend()
            self._pay_back_at = time.monotonic() + _SECONDS_BETWEEN_PAYING_BACK
        since_commit = time.monotonic() - self._last_commit
        least = _LEAST_SECONDS_BETWEEN_COMMITS if entered <= _FEW else _SECONDS_BETWEEN_COMMITS
        if self._follower.owes and (since_commit > least or not count):
            self._commit()
        return entered

    def _attend(self, until: float = 0.0) -> None:
        """Listen until then, and see to what somebody waits for."""
        while self._last_word is None:
            early_at = self._last_early + _SECONDS_BETWEEN_EARLY_COMMITS
            if self._awaited and time.monotonic() >= early_at:
                self._commit_early()
                continue
            awake_at = min(until, early_at) if self._awaited else until
            word = self._words.wait(max(0.0, awake_at - time.monotonic()))
            if word is None and awake_at == until:
                return
            if word is not None and word.startswith(SOON):
                self._awaited += map(int, word[len(SOON) :].split())
            if word is not None and word.startswith((SOON, MORE)):
                self._is_stirred = True
                if self._is_patient:
                    until = min(until, time.monotonic() + _SECONDS_BETWEEN_QUIET_LOOKS)
            elif word == PATIENT:
                self._is_patient = True
            elif word is not None:
                self._last_word = word

    def _commit_early(self) -> None:
        self._collection.refresh()
        self._awaited = self._follower.enter_ahead(self._awaited)
        self._commit()
        self._last_early = self._last_commit

    def _commit(self) -> None:
        _tell(commit(self._layout, self._follower))
        self._last_commit = time.monotonic()


class Words:
    """What is asked of us, a line at a time. Read without a buffer of Python's, in which a second
    line could lie unseen."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._read = b""
        self._is_over = False

    def wait(self, seconds: float) -> bytes | None:
        """The next line; empty when whoever might ask is no longer there; None: nothing yet."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._read and not self._is_over:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self._source], [], [], left)[0]:
                return None
            data = os.read(self._source, _READ_BYTES)
            self._read += data
            self._is_over = not data
        line, _, self._read = self._read.partition(b"\n")
        return line.strip()


def _tell(state: IndexState) -> None:
    sys.stdout.buffer.write(to_json(state) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
