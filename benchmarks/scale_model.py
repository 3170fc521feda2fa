"""How many machines does a collection need, and what limits it first? Arithmetic on measured costs.

    python -m benchmarks.scale_model                    a billion pages on a hundred machines
    python -m benchmarks.scale_model --pages 1e8 --machines 10 --tablets 80 --page-bytes 100000

Every field of the three values below is a flag. `Costs` were measured on the pages of the
benchmarks' web (docs/scale.md says how); `Web` and `Machine` are what you assume. What grows with
the length of a page is multiplied by the length that you give. Nothing here knows of failures or of
the skew of hosts: that is what benchmarks/scale_sim.py is for.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import log10
from typing import NamedTuple, TypeVar

from benchmarks.report import table

_GB = 1e9
_DAY = 86_400.0
_NOTHING = 1e-3
"""Where calls take more than there is."""
_MEASURED_PAGE_BYTES = 29_400.0
_MEASURED_LINKS = 11.5
_FRONTIER_URLS = (1e6, 1e7, 1e8)
_FRONTIER_US = (669.0, 732.0, 1512.0)
"""An add and a take, by URLs known: measured at 1 M and 10 M, at 100 M as its ratio on a busy
machine (docs/benchmarks.md)."""


@dataclass(frozen=True)
class Costs:
    """Measured, of a page of 29.4 KB with 11.5 links; CPU on a machine of two cores."""

    main_ms: float = 1.60
    children_ms: float = 4.33
    known_link_us: float = 52.0
    """A link to a page that is known, in the main process; more than the 11.5 are added at this."""
    index_ms: float = 0.75
    """To index a page anew from the table."""
    received_bytes: float = 5_715
    table_bytes: float = 5_844
    archive_bytes: float = 6_632
    index_bytes: float = 7_790
    link_bytes: float = 70
    """In the table, of a link and its anchor; those of 11.5 are in `table_bytes`."""
    url_bytes: float = 93
    """Of a URL that is known and was not fetched."""
    parcel_bytes: float = 226
    """Of a link as it travels to another tablet."""
    sketch_bytes: float = 1_294
    travel_us: float = 8
    """CPU of a link to be sent: put into the outbox, read, deleted; to be taken in costs what a
    link costs on one machine."""
    call_us: float = 1_160
    """CPU of one call of Ray between two tablets, at both ends, with few items."""
    saved_us: float = 81
    """CPU of a page in the checkpoints of its tablet."""
    write_amplification: float = 3.3
    """Bytes of RocksDB's files that are ever put, for each that stays; at 300,000 pages."""
    tablet_gb: float = 0.9
    """Memory of a tablet's processes with all buffers full: 0.2 when it is small, and caches and
    write buffers of two processes, and the heap of the index."""
    search_ms: float = 15.6
    """CPU of a search in one tablet of 100,000 pages."""
    rank_link_us: float = 2.6
    rank_link_bytes: float = 19
    rank_mapped_bytes: float = 17


@dataclass(frozen=True)
class Web:
    """Assumed."""

    pages: float = 1e9
    page_bytes: float = 29_400
    """Decoded."""
    links: float = 50
    """On a page."""
    elsewhere: float = 0.2
    """The share of them that lead to another host."""
    known: float = 4
    """URLs known for each page fetched."""
    sketches: float = 4
    """Tablets that a page's sketch is sent to."""
    turn_seconds: float = 3.5
    """From one request at a host to the next."""


@dataclass(frozen=True)
class Machine:
    """Assumed."""

    machines: float = 100
    tablets: float = 800
    cores: float = 16
    memory_gb: float = 64
    disk_gb: float = 2_000
    web_mbit: float = 1_000
    """From the web,"""
    inner_mbit: float = 10_000
    """and between machines and to the object store."""
    checkpoint_minutes: float = 1
    outbox_items: float = 200_000
    """With more of them a tablet asks for nothing new."""
    call_seconds: float = 2
    """Between two calls from a tablet to another for which it has something. The sender waits for
    1 s, and for up to 10 s where there are hundreds of others: then this is too little time."""


class Row(NamedTuple):
    what: str
    whole: str
    """Of the whole cluster,"""
    each: str
    """of a machine, or of what is named,"""
    has: str = ""
    """and what there is of it."""
    pages_per_second: float = 0.0
    """What it allows; 0 where it is room, not speed."""
    fits: bool = True


class Model:
    def __init__(self, costs: Costs, web: Web, machine: Machine) -> None:
        self.costs, self.web, self.machine = costs, web, machine
        self._longer = web.page_bytes / _MEASURED_PAGE_BYTES
        self._more_links = max(0.0, web.links - _MEASURED_LINKS)

    @property
    def main_seconds(self) -> float:
        """CPU of a page in the event loop of its tablet."""
        costs = self.costs
        extra_us = self._more_links * costs.known_link_us + self._frontier_extra_us()
        if self.machine.tablets > 1:
            extra_us += self.items * costs.travel_us
        return self.costs.main_ms / 1e3 + extra_us / 1e6

    @property
    def items(self) -> float:
        """For other tablets, of a page, if each goes by itself."""
        return self.web.links * self.web.elsewhere + self.web.sketches

    @property
    def waiting_seconds(self) -> float:
        """In the outbox: until the receiver's next checkpoint is made, and the sender hears of
        it."""
        return 60 * self.machine.checkpoint_minutes + self.machine.call_seconds

    @property
    def cpu_seconds(self) -> float:
        """And in all of its processes, with what its checkpoints cost."""
        apart = self._longer * self.costs.children_ms / 1e3 + self.costs.saved_us / 1e6
        return self.main_seconds + apart

    @property
    def calling(self) -> float:
        """The share of a core that a tablet needs for calls to all others and from them."""
        others = self.machine.tablets - 1
        return others / self.machine.call_seconds * self.costs.call_us / 1e6

    @property
    def urls_per_tablet(self) -> float:
        return self.web.pages * self.web.known / self.machine.tablets

    def _frontier_extra_us(self) -> float:
        """What a URL costs more among so many than among few; on a logarithmic scale between what
        was measured, and no further."""
        place = log10(min(max(self.urls_per_tablet, _FRONTIER_URLS[0]), _FRONTIER_URLS[-1]))
        low = 0 if place < 7 else 1
        share = place - log10(_FRONTIER_URLS[low])
        grown = _FRONTIER_US[low] + share * (_FRONTIER_US[low + 1] - _FRONTIER_US[low])
        return grown - _FRONTIER_US[0]

    @property
    def table_bytes(self) -> float:
        costs, web = self.costs, self.web
        links = self._more_links * costs.link_bytes
        return self._longer * costs.table_bytes + links + (web.known - 1) * costs.url_bytes

    @property
    def archive_bytes(self) -> float:
        return self._longer * self.costs.archive_bytes

    @property
    def disk_bytes(self) -> float:
        return self.table_bytes + self.archive_bytes + self._longer * self.costs.index_bytes

    @property
    def exchanged_bytes(self) -> float:
        """Of a page, from its tablet to others."""
        web, costs = self.web, self.costs
        apart = 1 - 1 / max(1.0, self.machine.tablets)
        links = web.links * web.elsewhere * costs.parcel_bytes
        return apart * (links + web.sketches * costs.sketch_bytes)

    @property
    def saved_bytes(self) -> float:
        """Of a page, to the object store, by all checkpoints."""
        return self.costs.write_amplification * self.table_bytes + self.archive_bytes

    @property
    def restored_bytes(self) -> float:
        """Of one tablet, when it goes on elsewhere without its disk."""
        return self.web.pages / self.machine.tablets * (self.table_bytes + self.archive_bytes)

    def speeds(self) -> list[Row]:
        web, machine = self.web, self.machine
        received = self._longer * self.costs.received_bytes
        inner = 2 * self.exchanged_bytes + self.saved_bytes  # sent and received
        calls = machine.tablets * self.calling
        cores = machine.machines * machine.cores
        loops = min(machine.tablets, cores)
        return [
            Row(
                "event loops of the tablets",
                f"{web.pages * self.main_seconds / _DAY:,.0f} core-days",
                f"{1e3 * self.main_seconds:.2f} ms a page",
                f"{loops:,.0f} loops, less calls",
                max(loops * (1 - self.calling), _NOTHING) / self.main_seconds,
            ),
            Row(
                "cores",
                f"{web.pages * self.cpu_seconds / _DAY:,.0f} core-days",
                f"{1e3 * self.cpu_seconds:.2f} ms a page",
                f"{cores:,.0f} cores, less calls",
                max(cores - calls, _NOTHING) / self.cpu_seconds,
            ),
            Row(
                "outboxes, until the next checkpoint",
                f"{self.waiting_seconds:,.0f} s",
                f"{self.items:,.0f} items a page",
                f"{machine.outbox_items:,.0f} a tablet",
                machine.tablets
                * machine.outbox_items
                / max(self.items, _NOTHING)
                / self.waiting_seconds,
            ),
            Row(
                "network from the web",
                f"{web.pages * received / _GB / 1e3:,.1f} TB",
                f"{received / 1e3:,.1f} KB a page",
                f"{machine.web_mbit:,.0f} Mbit/s each",
                machine.machines * machine.web_mbit * 1e6 / 8 / received,
            ),
            Row(
                "network between machines, to the store",
                f"{web.pages * inner / _GB / 1e3:,.1f} TB",
                f"{inner / 1e3:,.1f} KB a page",
                f"{machine.inner_mbit:,.0f} Mbit/s each",
                machine.machines * machine.inner_mbit * 1e6 / 8 / inner,
            ),
        ]

    def rooms(self, pages_per_second: float) -> list[Row]:
        """At the speed that the rest allows."""
        web, machine = self.web, self.machine
        disk = web.pages * self.disk_bytes / machine.machines / _GB
        memory = machine.tablets / machine.machines * self.costs.tablet_gb
        pages = pages_per_second * self.waiting_seconds
        waiting = pages * self.exchanged_bytes / machine.machines / _GB
        hosts = pages_per_second * web.turn_seconds
        urls, per_tablet = web.pages * web.known, self.urls_per_tablet
        has_disk, has_memory = f"{machine.disk_gb:,.0f} GB", f"{machine.memory_gb:,.0f} GB"
        all_disk, all_memory = (f"{x * machine.machines / 1e3:,.1f} TB" for x in (disk, memory))
        fits = disk + waiting < machine.disk_gb, memory < machine.memory_gb
        ready = f"{hosts / machine.tablets:,.0f} a tablet"
        calls = f"{machine.tablets * self.calling:,.0f} cores"
        return [
            Row("disk", all_disk, f"{disk:,.0f} GB", has_disk, fits=fits[0]),
            Row("  and outboxes, at that speed", "", f"{waiting:,.1f} GB"),
            Row("memory", all_memory, f"{memory:,.1f} GB", has_memory, fits=fits[1]),
            Row("calls between tablets", calls, f"{self.calling:.2f} cores a tablet"),
            Row("hosts ready at any time", f"{hosts:,.0f}", ready),
            Row("URLs known", f"{urls / 1e6:,.0f} M", f"{per_tablet / 1e6:,.1f} M a tablet"),
        ]

    def works(self) -> list[Row]:
        """What is done with the whole, or for a tablet that was lost."""
        web, machine, costs = self.web, self.machine, self.costs
        links, pages = web.pages * web.links, web.pages / machine.tablets
        search = machine.tablets * costs.search_ms / 1e3
        a_second = machine.machines * machine.cores / search
        mapped = links * costs.rank_mapped_bytes / _GB
        restoring = self.restored_bytes / (machine.inner_mbit * 1e6 / 8)
        indexing = self._longer * pages * costs.index_ms / 1e3 / 60
        return [
            Row("a search, at all tablets", f"{search:,.1f} CPU s", f"{a_second:,.0f} a second"),
            Row(
                "ranks, on one machine",
                f"{links * costs.rank_link_us / 1e6 / 3600:,.0f} CPU h",
                f"{links * costs.rank_link_bytes / _GB:,.0f} GB of disk",
                f"{mapped:,.0f} GB mapped",
                fits=mapped < machine.memory_gb,
            ),
            Row(
                "a tablet restored from the store",
                f"{self.restored_bytes / _GB:,.1f} GB",
                f"{restoring:,.0f} s of the line",
            ),
            Row("  its index rebuilt", f"{pages / 1e6:,.2f} M pages", f"{indexing:,.0f} CPU min"),
        ]

    def first_limit(self) -> Row:
        """What a crawl comes to first, where politeness is none."""
        return min(self.speeds(), key=lambda row: row.pages_per_second)

    def report(self) -> str:
        first = self.first_limit()
        rows = []
        for row in sorted(self.speeds(), key=lambda row: row.pages_per_second):
            days = self.web.pages / row.pages_per_second / _DAY
            rows.append([*row[:4], f"{row.pages_per_second:,.0f}", f"{days:,.2f}"])
        for row in (*self.rooms(first.pages_per_second), *self.works()):
            rows.append([*row[:4], "" if row.fits else "too much", ""])
        head = ["", "whole", "each", "there is", "pages/s", "days"]
        said = (
            f"First limit: {first.what}, at {first.pages_per_second:,.0f} pages/s; but see hosts."
        )
        return f"{table(head, rows)}\n\n{said}"


Value = TypeVar("Value", Costs, Web, Machine)


def _given(kind: type[Value], options: argparse.Namespace) -> Value:
    return kind(**{each.name: getattr(options, each.name) for each in fields(kind)})


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale_model",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for kind in (Web, Machine, Costs):
        group = parser.add_argument_group(kind.__name__)
        for each in fields(kind):
            flag = "--" + each.name.replace("_", "-")
            group.add_argument(flag, type=float, default=each.default, metavar="N")
    options = parser.parse_args(arguments)
    model = Model(_given(Costs, options), _given(Web, options), _given(Machine, options))
    print(model.report())


if __name__ == "__main__":
    main()
