"""How does a delivery of another tablet take its effect once? In one batch, with its position.

So what was delivered twice has its effect once, and a kill loses all of a delivery or nothing.
"""

from functools import partial

from shoal.cluster.outbox import Arrivals, read_item
from shoal.engine.exchange import Exchange
from shoal.model.messages import Delivery, Position, Receipt, Sketched
from shoal.ports import Batch


class Arriving:
    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.arrivals = Arrivals(exchange.table)

    def take(self, delivery: Delivery) -> Receipt:
        new = self.arrivals.new(delivery)
        if new:
            self._exchange.frontier.change(partial(self._apply, delivery.sender, new))
            self.arrivals.written(delivery.sender, new[-1][0], len(new))
        return self.arrivals.receipt(delivery.sender)

    def _apply(
        self, sender: int, new: list[tuple[Position, bytes]], batch: Batch, now: float
    ) -> None:
        items = [read_item(data) for _, data in new]
        self._exchange.remote_duplicates.expect(
            batch, (each for each in items if isinstance(each, Sketched))
        )
        for item in items:
            self._exchange.take(batch, item, now)
        self.arrivals.note(batch, sender, new[-1][0])
