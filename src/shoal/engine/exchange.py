"""What do the items of other tablets change here? By which parts do tablets reach each other?"""

from collections.abc import Callable
from typing import NamedTuple

from shoal.cluster.outbox import Outbox
from shoal.engine.remote_duplicates import RemoteDuplicates
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.schedule.shares import Borrower
from shoal.model.messages import (
    Described,
    Errand,
    Handed,
    Item,
    Linked,
    RobotsAnswer,
    Root,
    Unlinked,
)
from shoal.ports import Batch, Table
from shoal.store.pages import PageStore


class Exchange(NamedTuple):
    """The parts of a tablet that other tablets have to do with."""

    table: Table
    frontier: DiskFrontier
    store: PageStore
    remote_duplicates: RemoteDuplicates
    widen: Callable[[str], None]
    """A seed moved: its new site is in scope from the next page on."""
    outbox: Outbox | None
    """What concerns other tablets; None for a collection of its own."""
    borrower: Borrower | None

    def take(self, batch: Batch, item: Item, now: float) -> list[bytes]:
        """An item has arrived. Returns the rows of the pages that it names."""
        inbound, linking = self.frontier.inbound, self.store.linking
        match item:
            case Linked():
                targets = inbound.take_linked(batch, item, now)
                if item.source:
                    linking.say_of(batch, item, targets)
                return targets
            case Unlinked():
                target = inbound.row_of(item.target)
                linking.unlink(batch, target, item.source, item.when_ms / 1000)
            case Handed() | Errand() | RobotsAnswer() | Described():
                inbound.take(batch, item, now)
            case Root():
                self.widen(item.url)
            case _:
                self.remote_duplicates.take(batch, item, now)
        return []
