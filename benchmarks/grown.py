"""What does a crawl leave in the table when it has come so far? Its rows, written at once.

To grow a hundred million URLs through the frontier takes days. Here they are written nearly in the
order of their keys, in large batches: first all of them as found, then over the whole table again
as many deletions from the queue, and the entries for the next visits. Keys and values are made by
the frontier's own functions; tests/benchmarks holds the outcome against a crawl that grew, and
`audit` has nothing to say about it.
"""

import shutil
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.population import (
    ETAG,
    FETCH_SECONDS,
    Population,
    address_of,
    digest_of,
    path_of_number,
    site_of_host,
    spread,
)
from shoal.counters import VISITS
from shoal.frontier.outcome.queue_order import Order
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.schedule.credit import CreditRow, credit_key, domain_of, standing_of, standings
from shoal.frontier.schedule.front import Front
from shoal.frontier.sources.robots_cache import robots_url
from shoal.frontier.state.rows import (
    ADDRESSES_KEY,
    CLOCK_KEY,
    COUNTS_KEY,
    MODE_KEY,
    REVISIT,
    Entry,
    HostRow,
    Robots,
    RobotsRow,
    SiteRow,
    UrlRow,
    entry_key,
    host_row_key,
    pack_url,
    robots_row_key,
    site_row_key,
    url_key,
)
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.cell import to_ms
from shoal.model.change_history import ChangeHistory
from shoal.model.document import Fate
from shoal.model.outcome import State
from shoal.model.record import pack, unpack
from shoal.model.robots.robots import ALLOW_ALL, MAX_AGE_SECONDS
from shoal.model.urls.partition import host_of_site
from shoal.ports import Batch, Table
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock

NOW = FakeClock().now()
"""When the crawl goes on."""
_NOW_MS = to_ms(NOW)
_DAY_MS = 24 * 60 * 60 * 1000
_BEGAN_MS = _NOW_MS - 30 * _DAY_MS
_FINDING_MS = 10 * _DAY_MS
_ROUND_MS = 9 * _DAY_MS
"""From finding a page to its first visit, and from that to its second."""
_DUE_AT_ONCE_MS = 0
_FETCH_MS = to_ms(FETCH_SECONDS)
_AT_ONCE = 20_000
_OWN_TEXT_COSTS = 0.5
_AGAIN = REVISIT + 1
"""The level of a page's revisit."""
_RESTING_CPU_SECONDS = 0.02
_NOTE = "BUILT"


class Built(NamedTuple):
    seconds: float
    deleted: int
    peak_bytes: int = 0
    """Of the process that built it."""


def build(path: Path, population: Population) -> Built:
    """Write the table, and wait until RocksDB has put its files in order."""
    started = time.perf_counter()
    with RocksTable(path) as table:
        deleted = Grown(table, population).write()
        table.sync()
        wait_for_compactions()
    return Built(time.perf_counter() - started, deleted)


def write_note(path: Path, built: Built) -> None:
    """Beside the table's own files, which RocksDB tells from others by their names."""
    (path / _NOTE).write_bytes(pack(built))


def read_note(path: Path) -> Built:
    return unpack(Built, (path / _NOTE).read_bytes())


def copy_table(source: Path, target: Path) -> None:
    """A table that may be written to while the first stays as it is: the large files are never
    changed and so are shared."""
    target.mkdir()
    for file in source.iterdir():
        if file.suffix == ".sst":
            (target / file.name).hardlink_to(file)
        elif file.is_file():
            shutil.copy2(file, target)


class Grown:
    def __init__(self, table: Table, population: Population) -> None:
        settings = FrontierSettings()
        self._table = table
        self._population = population
        self._hosts = sorted(range(len(population.sizes)), key=site_of_host)
        self._levels = settings.levels
        self._front = Front(table, settings.levels, settings.bias, Random(0))
        found = UrlRow(State.QUEUED, depth=2, waiting=True)
        self._level = found.level = Order(settings.levels).level_of(found.priority)
        visited = UrlRow(
            State.FETCHED,
            Fate.WAITING,
            depth=2,
            waiting=True,
            level=_AGAIN,
            etag=ETAG,
            status=200,
        )
        self._found, self._visited = found, visited
        self._delay_ms = to_ms(settings.politeness.delay)
        self._counts: Counter[str] = Counter()

    def write(self) -> int:
        """Returns how many queue entries were deleted."""
        self._write_found()
        deleted = self._write_visits()
        self._write_sites()
        return deleted

    def _write_found(self) -> None:
        """Every page with its first queue entry; its row is as it will be in the end."""
        writer = _Writer(self._table)
        for host in self._hosts:
            life = self._life(host)
            for number in range(life.size):
                row = life.site + path_of_number(number)
                visits = life.visits_each if number < life.visited else 0
                first = last = life.entry(number, row, 0)
                if visits:
                    last = life.entry(number, row, visits)
                writer.batch.put("queue", entry_key(life.site, first), b"")
                writer.add_page(url_key(row), self._value(last, visits))
        writer.write()

    def _write_visits(self) -> int:
        """Each visit deletes an entry and writes the next: of these only the last is left."""
        deleted, writer = 0, _Writer(self._table)
        for host in self._hosts:
            life = self._life(host)
            for number in range(life.visited):
                row = life.site + path_of_number(number)
                for visits in range(life.visits_each):
                    entry = life.entry(number, row, visits)
                    writer.batch.delete("queue", entry_key(life.site, entry))
                last = life.entry(number, row, life.visits_each)
                writer.add_entry(entry_key(life.site, last))
            deleted += life.visited * life.visits_each
        writer.write()
        return deleted

    def _life(self, host: int) -> "_Life":
        return _Life(host, self._population, self._level)

    def _value(self, entry: Entry, visits: int) -> bytes:
        """The row of a page, after so many visits and with this queue entry."""
        url = self._visited if visits else self._found
        written_ms = entry.order // 1000
        url.found_ms = written_ms - _ROUND_MS * visits
        url.due_ms, url.order = entry.due_ms, entry.order
        if visits:
            url.visits = visits
            url.history = ChangeHistory(observed=int(visits > 1))
            url.digest = digest_of(entry.row)
            url.body_ms = url.found_ms + _ROUND_MS - _FETCH_MS
            url.fetched_ms = written_ms - _FETCH_MS
        return pack_url(url, written_ms / 1000)

    def _write_sites(self) -> None:
        batch = self._table.batch()
        for host in self._hosts:
            if self._population.sizes[host]:
                self._write_site(batch, self._life(host))
        counts = {name: count for name, count in self._counts.items() if count}
        batch.put("site", COUNTS_KEY, pack(counts))
        batch.put("site", CLOCK_KEY, pack(_NOW_MS))
        batch.put("site", ADDRESSES_KEY, pack({}))
        batch.put("site", MODE_KEY, Mode.STEADY.encode())
        self._table.write(batch)

    def _write_site(self, batch: Batch, life: "_Life") -> None:
        site = life.site
        visits = life.visited * life.visits_each
        credit = CreditRow(spent=_OWN_TEXT_COSTS * life.visited)
        standing = standing_of(credit, standings(self._levels) - 1)
        row = SiteRow(waiting=life.size, visits=visits, fetched=life.visited)
        row.deaf = visits - life.visited  # the same body came again, whatever was asked
        row.entry_level = self._front.rank(standing, self._level)
        row.entry_ready_ms = life.ready_ms()
        if visits:
            asked_ms = _NOW_MS - int(spread(life.host, 0) * MAX_AGE_SECONDS * 1000)
            row.robots = Robots.NONE
            row.robots_until_ms = asked_ms + MAX_AGE_SECONDS * 1000
            robots = RobotsRow(ALLOW_ALL, asked_ms, 404, robots_url(site))
            batch.put("site", robots_row_key(site), pack(robots))
            clock = HostRow(
                asked_ms + self._delay_ms, self._delay_ms, last_ms=asked_ms, was_public=False
            )
            clock.address = address_of(life.host)
            batch.put("site", host_row_key(host_of_site(site)), pack(clock))
            batch.put("site", credit_key(domain_of(site)), pack(credit))
        batch.put("site", site_row_key(site), pack(row))
        self._front.insert(batch, row.entry_level, row.entry_ready_ms, site)
        self._counts["total/sites"] += 1
        self._counts["total/sites with work"] += 1
        self._counts["total/robots requests"] += visits > 0
        self._counts["total/requests"] += visits
        self._counts[VISITS + "robots"] += visits > 0
        self._counts[VISITS + "first"] += life.visited
        self._counts[VISITS + "unchanged"] += visits - life.visited
        self._counts[self._visited.counted_as] += life.visited
        self._counts[self._found.counted_as] += life.size - life.visited


class _Life:
    """What happened when, on one host."""

    def __init__(self, host: int, population: Population, level: int) -> None:
        self.host = host
        self.site = site_of_host(host)
        self.size = population.sizes[host]
        self.visited = population.visited(host)
        self._is_busy = host < population.busy
        self.visits_each = population.visits_each(host)
        self._level = level
        self._due_again_ms = population.due_again_seconds * 1000

    def found_ms(self, number: int) -> int:
        return _BEGAN_MS + _FINDING_MS * number // self.size

    def due_ms(self, number: int, visits: int) -> int:
        """When it was due after so many visits."""
        if not visits:
            return _DUE_AT_ONCE_MS
        if visits < self.visits_each:
            return self.found_ms(number) + _ROUND_MS * (visits + 1)
        return _NOW_MS + int(spread(self.host, number) * self._due_again_ms)

    def entry(self, number: int, row: bytes, visits: int) -> Entry:
        """Its queue entry after so many visits."""
        order = (self.found_ms(number) + _ROUND_MS * visits) * 1000
        return Entry(_AGAIN if visits else self._level, self.due_ms(number, visits), order, row)

    def ready_ms(self) -> int:
        """When it has work: a busy one for long, another when its first page is due again."""
        if self._is_busy:
            return _NOW_MS - _DAY_MS + self.host
        return min(self.due_ms(number, self.visits_each) for number in range(self.visited))


class _Writer:
    """Large batches, the rows of pages sorted: RocksDB moves files that don't overlap, and merges
    those that do. Queue entries come in order, but for those of a host's revisits."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.batch = table.batch()
        self._pages: list[tuple[bytes, bytes]] = []
        self._entries: list[bytes] = []

    def add_page(self, key: bytes, value: bytes) -> None:
        self._pages.append((key, value))
        if len(self._pages) == _AT_ONCE:
            self.write()

    def add_entry(self, key: bytes) -> None:
        self._entries.append(key)
        if len(self._entries) == _AT_ONCE:
            self.write()

    def write(self) -> None:
        self.batch.put_many("page", sorted(self._pages))
        self.batch.put_many("queue", ((key, b"") for key in sorted(self._entries)))
        self._table.write(self.batch)
        self.batch, self._pages, self._entries = self._table.batch(), [], []


def wait_for_compactions() -> None:
    """Until RocksDB's threads rest; nothing else runs in this process."""
    used = _RESTING_CPU_SECONDS
    while used >= _RESTING_CPU_SECONDS:
        before = time.process_time()
        time.sleep(1)
        used = time.process_time() - before
