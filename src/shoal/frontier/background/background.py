"""What is to be done beside the visits? Some of it at a time, so that it does not hold them up.

Each kind of work stands in the table until it is done, a slice in a batch, so a kill costs nothing.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from shoal import faults
from shoal.frontier.outcome.discovery import Discovery
from shoal.ports import Batch, LinksOf


class BackgroundTask(Protocol):
    @property
    def pending(self) -> bool: ...
    def go_on(self, batch: Batch, now: float) -> None: ...


class Background:
    def __init__(
        self,
        discovery: Discovery,
        links_of: LinksOf,
        others: Sequence[BackgroundTask],
        begin: Callable[[], Batch],
        write: Callable[[Batch], None],
    ) -> None:
        self._discovery = discovery
        self._links_of = links_of
        self._others = others
        self._begin = begin
        self._write = write

    @property
    def pending(self) -> bool:
        return self._discovery.relaxing or any(each.pending for each in self._others)

    def do(self, now: float) -> None:
        """A slice of each kind."""
        if self._discovery.relaxing:
            batch = self._begin()
            self._discovery.relax(batch, self._links_of, now)
            self._write(batch)
        for each in self._others:
            if each.pending:
                batch = self._begin()
                each.go_on(batch, now)
                self._write(batch)
                faults.point("sweep.middle")
