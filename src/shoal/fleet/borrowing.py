"""How does a tablet come to its parts of addresses? It asks their owners, and lends what it is the
owner of (frontier/schedule/shares.py). Questions and answers go with deliveries that carry nothing
else."""

import asyncio
import time

from shoal.cluster.exchange import Pipe
from shoal.engine.exchange import Exchange
from shoal.frontier.schedule.shares import ENDED_SECONDS, Borrower, Lender
from shoal.model.messages import NOWHERE, Delivery, Wanted

_LOOK_SECONDS = 1.0
_PATIENCE_SECONDS = 5.0


class Borrowing:
    def __init__(self, exchange: Exchange, number: int, epoch: int, pipe: Pipe) -> None:
        self._exchange = exchange
        self._number = number
        self._pipe = pipe
        self.lender = Lender(ENDED_SECONDS if epoch > 1 else 0.0)

    async def run(self) -> None:
        """Until it is cancelled."""
        borrower = self._exchange.borrower
        while borrower is not None:
            await asyncio.sleep(_LOOK_SECONDS)
            due = borrower.due()
            await asyncio.gather(*(self._ask(borrower, *each) for each in due.items()))

    async def _ask(self, borrower: Borrower, owner: int, wanted: Wanted) -> None:
        asked_at = time.monotonic()
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                lent = await self._lent(owner, wanted)
        except Exception:  # noqa: BLE001 - whatever a pipe does wrong, it is asked again
            return
        if len(lent) == len(wanted.addresses):
            grown = borrower.take(wanted, lent, asked_at)
            if grown:
                self._exchange.frontier.lent(grown)

    async def _lent(self, owner: int, wanted: Wanted) -> list[float]:
        if owner == self._number:
            return self.lender.lend(owner, wanted)
        return (await self._pipe(Delivery(self._number, owner, NOWHERE, [], wanted))).lent
