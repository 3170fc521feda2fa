"""How far is a long search? A line that moves on a terminal; elsewhere one now and then."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from shoal.cli.terminal import screen
from shoal.cli.terminal.wording import count
from shoal.files.file_duplicates import file_texts
from shoal.files.named_texts import Named

_DRAWN_EVERY_SECONDS = 0.2
_SAID_EVERY_SECONDS = 30.0
_MOST_REMARKS = 20


class StepProgress:
    """Progress on standard error. Told as often as anybody likes, shown seldom."""

    def __init__(self) -> None:
        self._line = screen.LiveLine() if sys.stderr.isatty() else None
        self._every = _DRAWN_EVERY_SECONDS if self._line else _SAID_EVERY_SECONDS
        self._next = time.monotonic() + self._every

    def report(self, doing: str, done: int, total: int = 0) -> None:
        """What is being done, for how many, and of how many; 0: not known yet."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._every
        says = f"{doing}: {done:,}" + (f" of {total:,}" if total else "")
        if self._line is None:
            screen.remark(says)
        else:
            self._line.draw([says])

    def remark(self, text: str) -> None:
        """A line that stays."""
        if self._line is None:
            screen.remark(text)
        else:
            self._line.above(text)

    def __enter__(self) -> Self:
        if self._line is not None:
            self._line.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._line is not None:
            self._line.__exit__(kind, error, trace)


@contextmanager
def remarked_texts(folder: str, progress: StepProgress) -> Iterator[Iterator[Named]]:
    """The texts of a folder's files, with a remark on those that have none; not on thousands."""
    without = 0

    def skipped(name: str, why: str) -> None:
        nonlocal without
        without += 1
        if without <= _MOST_REMARKS:
            progress.remark(f"{name}: {why}")

    yield file_texts(Path(folder), skipped)
    if without > _MOST_REMARKS:
        rest = count(without - _MOST_REMARKS, "more document has", "more documents have")
        progress.remark(f"{rest} no text.")
