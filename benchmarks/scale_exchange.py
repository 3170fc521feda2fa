"""What does a link cost that goes to another tablet? CPU at the sender and at the receiver.

    python -m benchmarks.scale_exchange                 30,000 links: half a minute
    python -m benchmarks.scale_exchange --links 3000    a quick look
    python -m benchmarks.scale_exchange --ray           also what a call between two actors costs

The real outbox and the real receiver, without Ray between them: links of pages (ten to each, to
pages of which nine in ten are known) are put into the outbox in the batch of their page, read in
deliveries, taken in by another tablet, and deleted. Each link is an item of its own, as it is when
tablets are many.
"""

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import table
from shoal.cluster.exchange import MOST_BYTES, MOST_ITEMS
from shoal.cluster.outbox import Outbox
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.fleet.deliveries import Arriving
from shoal.layout.identity import TabletIdentity
from shoal.layout.layout import Layout
from shoal.model.link import Link
from shoal.model.messages import NOWHERE, Delivery, Linked
from shoal.model.urls.partition import Partition, tablet_of_row
from shoal.model.urls.rowkey import row_key

_HERE, _THERE = Partition(0, 2), Partition(1, 2)
_LINKS_OF_A_PAGE = 10
_LINKS_TO_A_PAGE = 10
_PAGES_OF_A_HOST = 20
_NOW_MS = 1_700_000_000_000


def links_to(tablet: Partition, count: int) -> list[Link]:
    """To pages of hosts of a tablet, each named so many times, in any order."""
    found: list[Link] = []
    host = 0
    while len(found) < count:
        host += 1
        for page in range(_PAGES_OF_A_HOST):
            url = f"http://host{host}.test/section/page-{page}.html"
            row = row_key(url)
            if tablet_of_row(row, tablet.tablets) == tablet.number:
                found += [Link(url, row, f"page {page} of host {host}")] * _LINKS_TO_A_PAGE
    random.Random(1).shuffle(found)
    return found[:count]


def engine_of(directory: Path, partition: Partition) -> Engine:
    identity = TabletIdentity(partition, 1, lambda: True, lambda: None)
    return Engine(Layout(directory), load(directory, {"crawl.scope": "any"}, {}), identity=identity)


def outbox_of(engine: Engine) -> Outbox:
    outbox = engine.exchange().outbox
    assert outbox is not None, "it has a seat"
    return outbox


def send(engine: Engine, links: Sequence[Link]) -> None:
    table = engine.exchange().table
    for start in range(0, len(links), _LINKS_OF_A_PAGE):
        batch = table.batch()
        source = row_key(f"http://sender.test/{start}")
        for link in links[start : start + _LINKS_OF_A_PAGE]:
            outbox_of(engine).send_to(batch, _THERE.number, Linked([link], 2, 0, source, _NOW_MS))
        table.write(batch)


def deliveries(engine: Engine) -> list[Delivery]:
    found, after = [], NOWHERE
    while items := outbox_of(engine).after(_THERE.number, after, MOST_ITEMS, MOST_BYTES):
        found.append(Delivery(_HERE.number, _THERE.number, after, items))
        after = items[-1][0]
    return found


async def costs(count: int, work: Path) -> list[list[object]]:
    links = links_to(_THERE, count)
    rows: list[list[object]] = []

    def timed(what: str, act: Callable[[], object]) -> object:
        began = time.process_time()
        answer = act()
        rows.append([what, 1e6 * (time.process_time() - began) / count])
        return answer

    with tempfile.TemporaryDirectory(prefix="exchange-", dir=work) as name:
        sender = engine_of(Path(name) / "sender", _HERE)
        receiver = engine_of(Path(name) / "receiver", _THERE)
        arriving = Arriving(receiver.exchange())
        try:
            timed("put into the outbox", lambda: send(sender, links))
            parcels = deliveries(sender)
            timed("read from it", lambda: deliveries(sender))
            timed("taken in", lambda: [arriving.take(each) for each in parcels])
            known = deliveries(sender)
            again = [Delivery(7, each.target, each.after, each.items) for each in known]
            timed("taken in, all known", lambda: [arriving.take(each) for each in again])
            last = parcels[-1].items[-1][0]
            timed("deleted", lambda: outbox_of(sender).free(_THERE.number, last))
        finally:
            await sender.close()
            await receiver.close()
    return rows


class Caller:
    """An actor that delivers to another, as tablets do: one after the other to each target."""

    async def call(self, receiver: Any, calls: int, given: Any) -> float:
        began = time.process_time()
        for _ in range(calls):
            await asyncio.wrap_future(receiver.take.remote(given).future())
        return time.process_time() - began


class Receiver:
    def take(self, given: Any) -> Any:
        return given and NOWHERE

    def cpu_seconds(self) -> float:
        return time.process_time()


def ray_costs(calls: int, parcels: Sequence[Delivery]) -> list[list[object]]:
    """CPU of a call at both its ends; what Ray's own processes use on top is not in it."""
    import ray  # noqa: PLC0415 - an extra

    from shoal.cluster.ray_nodes import connect, start_machines  # noqa: PLC0415 - likewise

    machines = start_machines(1)
    connect(str(machines.address), "exchange")
    rows: list[list[object]] = []
    try:
        caller: Any = ray.remote(Caller).remote()
        receiver: Any = ray.remote(Receiver).options(max_concurrency=16).remote()
        for given in parcels:
            ray.get(caller.call.remote(receiver, calls // 10, given))
            before = ray.get(receiver.cpu_seconds.remote())
            sent = ray.get(caller.call.remote(receiver, calls, given))
            taken = ray.get(receiver.cpu_seconds.remote()) - before
            what = f"a call with {len(given.items)} items"
            rows += [[f"{what}, sender", 1e6 * sent / calls]]
            rows += [[f"{what}, receiver", 1e6 * taken / calls]]
    finally:
        ray.shutdown()
        machines.shutdown()
    return rows


def some_parcels(work: Path) -> list[Delivery]:
    with tempfile.TemporaryDirectory(prefix="exchange-", dir=work) as name:

        async def made() -> list[Delivery]:
            sender = engine_of(Path(name), _HERE)
            send(sender, links_to(_THERE, MOST_ITEMS))
            found = deliveries(sender)
            await sender.close()
            return found

        whole = asyncio.run(made())[0]
    few = Delivery(whole.sender, whole.target, whole.after, whole.items[:3])
    return [few, whole]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale_exchange",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--links", type=int, default=30_000)
    parser.add_argument("--ray", action="store_true", help="also the calls of Ray")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    options = parser.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    rows = asyncio.run(costs(options.links, options.work))
    print(table([f"of {options.links} links", "CPU µs a link"], rows))
    if options.ray:
        rows = ray_costs(options.calls, some_parcels(options.work))
        print(table([f"of {options.calls} calls", "CPU µs a call"], rows))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
