"""What do the items of other tablets change here? One batch for each delivery, with its position.

So what was delivered twice has its effect once, and a kill loses all of a delivery or nothing.
"""

from functools import partial

from shoal.cluster.outbox import Arrivals, read_item
from shoal.engine.engine import Engine
from shoal.model.messages import (
    Delivery,
    Described,
    Errand,
    Handed,
    Item,
    Named,
    Position,
    Receipt,
    RobotsAnswer,
    Root,
    Sketched,
    Unlinked,
)
from shoal.ports import Batch


class Arriving:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.arrivals = Arrivals(engine.table)

    def take(self, delivery: Delivery) -> Receipt:
        new = self.arrivals.new(delivery)
        if new:
            self._engine.frontier.change(partial(self._apply, delivery.sender, new))
            self.arrivals.written(delivery.sender, new[-1][0], len(new))
        return self.arrivals.receipt(delivery.sender)

    def _apply(
        self, sender: int, new: list[tuple[Position, bytes]], batch: Batch, now: float
    ) -> None:
        items = [read_item(data) for _, data in new]
        self._engine.twins.expect(batch, (each for each in items if isinstance(each, Sketched)))
        for item in items:
            self._apply_one(batch, item, now)
        self.arrivals.note(batch, sender, new[-1][0])

    def _apply_one(self, batch: Batch, item: Item, now: float) -> None:
        engine = self._engine
        immigration = engine.frontier.immigration
        match item:
            case Named():
                targets = immigration.take_named(batch, item, now)
                if item.source:
                    engine.store.linking.say_of(batch, item, targets)
            case Unlinked():
                target = immigration.row_of(item.target)
                engine.store.linking.unlink(batch, target, item.source, item.when_ms / 1000)
            case Handed() | Errand() | RobotsAnswer() | Described():
                immigration.take(batch, item, now)
            case Root():
                engine.widen(item.url)
            case _:
                engine.twins.take(batch, item, now)
