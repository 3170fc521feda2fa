"""What of the items that were on their way between the sources? They are addressed again.

What had its effect at its receiver is passed over, though its sender still has it. Links go into
the outbox of the tablet that has their page now, or are told to that tablet itself if the target
has come to its owner; credit is paid out at once; a moved seed becomes a root of all. Errands for
robots.txt are dropped: who asked has been started again since, and asks again. So are sketches:
their shards are others now.

In the scratch table, so that a backlog of any size will do:

    outbox  tablet (2) number (8)   →  to which tablet, and the item
    mark    tablet (2) number (8)   →  an item for the tablet itself, credit too
"""

from collections.abc import Iterator
from functools import partial

from shoal.cluster.outbox import Outbox, read_item
from shoal.config import Config
from shoal.engine.engine import Engine
from shoal.engine.exchange import Exchange
from shoal.frontier.schedule.credit import PASSED_ON, credit_key, domain_of, read_credit
from shoal.layout.identity import TabletIdentity
from shoal.layout.layout import Layout
from shoal.loop import run
from shoal.model.cell import to_ms
from shoal.model.messages import NOWHERE, Described, Handed, Item, Linked, Position, Root, Unlinked
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import Owners, Partition
from shoal.ports import Batch, Table
from shoal.store.cells import Cells
from shoal.store.rows import LINKS, OutLink

_MOST_ITEMS = 500
_MOST_BYTES = 1 << 20


class Post:
    """All items of all sources, by the tablet that has them now."""

    def __init__(self, scratch: Table, owners: Owners) -> None:
        self._scratch = scratch
        self._owners = owners
        self._number = 0
        self.roots: list[str] = []
        """Where seeds have moved to."""

    def collect(self, number: int, table: Table, taken: list[dict[int, Position]]) -> None:
        """From one source; `taken` says how far each has come with the items of the others."""
        outbox = Outbox(table, Partition(number, len(taken)), 0)
        for target in sorted(outbox.targets()):
            position = taken[target].get(number, NOWHERE)
            while found := outbox.after(target, position, _MOST_ITEMS, _MOST_BYTES):
                batch = self._scratch.batch()
                for _, data in found:
                    self._sort(batch, read_item(data))
                position = found[-1][0]
                self._scratch.write(batch)

    def _sort(self, batch: Batch, item: Item) -> None:
        match item:
            case Linked():
                owner = self._owners.of(item.links[0].row) if item.links else 0
                self._keep(
                    batch, item, owner, self._owners.of(item.source) if item.source else owner
                )
            case Unlinked():
                owner = self._owners.of(item.target)
                self._keep(batch, item, owner, self._owners.of(item.source))
            case Handed():
                owner = self._owners.of(item.site + b"/")
                self._keep(batch, item, owner, owner)
            case Described():
                owner = self._owners.of(item.pages[0][0]) if item.pages else 0
                self._keep(batch, item, owner, self._owners.of(item.finder))
            case Root():
                self.roots.append(item.url)

    def _keep(self, batch: Batch, item: Item, owner: int, sender: int) -> None:
        self._number += 1
        key = sender.to_bytes(2) + self._number.to_bytes(8)
        if owner == sender:
            batch.put("mark", key, pack(item))
        else:
            batch.put("outbox", key, pack((owner, pack(item))))

    def deliver(self, table: Table, tablet: int) -> None:
        """Fill the outbox of a tablet, and pay out its credit."""
        outbox = Outbox(table, Partition(tablet, self._owners.tablets), 0)
        batch = table.batch()
        for _, stored in self._scratch.scan("outbox", tablet.to_bytes(2), _end(tablet)):
            owner, data = unpack(tuple[int, bytes], stored)
            outbox.send_to(batch, owner, read_item(data))
        table.write(batch)
        for item in self._own(tablet):
            if isinstance(item, Handed):
                _pay(table, item)

    def tell(self, tablet: int, layout: Layout, config: Config) -> int:
        """Links whose targets have come to their owner are told to their tablet. Returns how many
        items there were; mostly none, and then nothing is opened."""
        items: list[Item] = [item for item in self._own(tablet) if not isinstance(item, Handed)]
        if items:
            run(_tell(items, tablet, self._owners.tablets, layout, config))
        return len(items)

    def _own(self, tablet: int) -> Iterator[Item]:
        for _, stored in self._scratch.scan("mark", tablet.to_bytes(2), _end(tablet)):
            yield read_item(stored)


async def _tell(
    items: list[Item], tablet: int, tablets: int, layout: Layout, config: Config
) -> None:
    identity = None
    if tablets > 1:
        partition = Partition(tablet, tablets)
        identity = TabletIdentity(partition, 0, holds=lambda: True, must_hold=lambda: None)
    engine = Engine(layout, config, at_rest=True, identity=identity)
    try:
        exchange = engine.exchange()
        for item in items:
            exchange.frontier.change(partial(_take, exchange, item))
        engine.sync()
    finally:
        await engine.close()


def _take(exchange: Exchange, item: Item, batch: Batch, now: float) -> None:
    targets = exchange.take(batch, item, now)
    if isinstance(item, Linked) and item.source:
        rows = dict(zip((link.row for link in item.links), targets, strict=True))
        _name_targets(exchange.store.cells, batch, item.source, rows)


def _name_targets(cells: Cells, batch: Batch, source: bytes, rows: dict[bytes, bytes]) -> None:
    """The page's own links say where their targets are kept, now that it is here."""
    cell = cells.get(source, LINKS)
    if cell is None:
        return
    links = unpack(list[OutLink], cell.value)
    for out in links:
        out.target = out.target or rows.get(out.link.row, b"")
    cells.put(batch, source, LINKS, pack(links), to_ms(cell.when) / 1000)


def _pay(table: Table, item: Handed) -> None:
    domain = domain_of(item.site)
    row, batch = read_credit(table, domain), table.batch()
    row.credit += item.pages
    row.purse += item.pages * PASSED_ON
    batch.put("site", credit_key(domain), pack(row))
    table.write(batch)


def _end(tablet: int) -> bytes:
    return tablet.to_bytes(2) + b"\xff" * 9
