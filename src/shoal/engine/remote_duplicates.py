"""What do other tablets say of near-duplicates, and what does it change here?

What they say is judged in duplicates/across/across.py; pages whose place changes get it in their
row and in the counts, in the same batch, as after a visit.
"""

import asyncio
from collections.abc import Iterable, Sequence

from shoal.duplicates.across.across import Across
from shoal.frontier.frontier import DiskFrontier
from shoal.model.document import Reassigned
from shoal.model.messages import Repeated, Sketched
from shoal.ports import Batch
from shoal.store.pages import PageStore


class RemoteDuplicates:
    def __init__(self, across: Across | None, frontier: DiskFrontier, store: PageStore) -> None:
        """Without `across`, near-duplicates are not looked for."""
        self._across = across
        self._frontier = frontier
        self._store = store

    @property
    def pending(self) -> bool:
        """Whether all is still to be gone through again, after a split or a repair."""
        return self._across is not None and self._across.pending

    def expect(self, batch: Batch, items: Iterable[Sketched]) -> None:
        if self._across is not None:
            self._across.expect(batch, items)

    def take(self, batch: Batch, item: Sketched | Repeated, now: float) -> None:
        if self._across is not None:
            self._reassign(batch, self._across.take(batch, item), now)

    async def go_through(self) -> None:
        """What other tablets were not told is told, beside the crawl."""
        while self.pending:
            self._frontier.change(self._go_on)
            await asyncio.sleep(0)

    def _go_on(self, batch: Batch, now: float) -> None:
        if self._across is not None:
            self._reassign(batch, self._across.go_on(batch), now)

    def _reassign(self, batch: Batch, reassigned: Sequence[Reassigned], now: float) -> None:
        last = {each.row: each for each in reassigned}  # the last word on each counts
        self._frontier.inbound.reassign(batch, list(last.values()), now)
        self._store.reassign(batch, list(last.values()), now)
