"""Which sites are active, and when may each be asked? Mercator's back queues and clocks.

An active site has its queue's head in memory and its place in the heap. Invariants:

1. A host's `Gate` is `busy` from lease to release; while it is, none of its sites can be leased. So
   at most one request to a host is in flight, whatever schemes it is reached by.
2. Every active site, and every site with a visit that is not committed, is marked in the table.
   After a kill the marked ones are all those that may have been asked without our knowing the
   answer, so they count as asked just now (fail closed), and those whose entries nobody else looks
   for. A mark that is no longer needed goes with the next batch, whatever that batch is for.
3. There are never more than `capacity` active sites, but for the few that fetch another site's
   robots.txt.
"""

from collections.abc import Iterator

from shoal.counters import Counts
from shoal.frontier.schedule.credit import Credit
from shoal.frontier.schedule.politeness import is_public
from shoal.frontier.schedule.site_queue import SiteQueue
from shoal.frontier.state.in_flight import InFlight
from shoal.frontier.state.rows import (
    ACTIVE_MARK,
    EXCLUDED_KEY,
    HostRow,
    Robots,
    RobotsRow,
    SiteRow,
    after_mark,
    excluded_key,
    host_row_key,
    port_of_site,
    robots_row_key,
    site_of_row_key,
    site_row_key,
)
from shoal.model.record import pack, unpack
from shoal.model.robots.robots import RobotsRules
from shoal.model.urls.partition import host_of_site
from shoal.model.visit import Visit
from shoal.ports import Batch, Table


class Gate:
    """One host: its clock, and whether it is being asked right now."""

    __slots__ = ("busy", "excluded", "host", "queueing", "row", "users")

    def __init__(self, host: bytes, row: HostRow, *, excluded: bool = False) -> None:
        self.host = host
        self.row = row
        self.excluded = excluded
        self.busy = False
        self.users = 0
        self.queueing: list[ActiveSite] = []
        """Sites of this host that came to their turn while it was busy."""

    @property
    def closed(self) -> bool:
        """Whether a person wants nothing to be asked of it."""
        return self.row.paused or self.excluded


class ActiveSite:
    """A site with its back queue."""

    __slots__ = (
        "asking_robots",
        "errands",
        "gate",
        "leased",
        "placed",
        "port",
        "queue",
        "row",
        "rules",
        "site",
        "standing",
        "visits",
        "visits_before",
    )

    def __init__(self, site: bytes, row: SiteRow, gate: Gate, queue: SiteQueue) -> None:
        self.site = site
        self.row = row
        self.gate = gate
        self.port = port_of_site(site)
        self.queue = queue
        self.rules: RobotsRules | None = None
        self.asking_robots = False
        """Its robots.txt is on its way: nothing else may be asked until it is understood."""
        self.errands: list[Visit] = []
        """Robots.txt files that were redirected here."""
        self.visits = 0
        """Visits since it became active."""
        self.visits_before = row.visits
        """Visits until it became active."""
        self.standing = 0
        """Its domain's, when it was last put into the heap."""
        self.placed = False
        """Whether it stands in the heap or in its gate's queue."""
        self.leased = False

    @property
    def may_be_private(self) -> bool:
        """Whether it may be asked at a private address."""
        return self.row.private_ok and not has_been_public(self.gate.row)


def has_been_public(row: HostRow, address: str = "") -> bool | None:
    """A host keeps the kind of address that it first answered at: a name that was public and leads
    inside by now is not asked there. None: it has not answered yet."""
    first = row.address or address  # an older release did not keep the kind
    return is_public(first) if row.was_public is None and first else row.was_public


class Sites:
    """Rows of sites and hosts, through a bounded cache; and the marks of active sites."""

    def __init__(
        self, table: Table, counts: Counts, in_flight: InFlight, cache_size: int, levels: int
    ) -> None:
        self._table = table
        self._counts = counts
        self._in_flight = in_flight
        self._cache_size = cache_size
        self.credit = Credit(table, counts, cache_size, levels)
        self._rows: dict[bytes, SiteRow] = {}
        self._dirty: set[bytes] = set()
        self._clocks: dict[bytes, HostRow] = {}
        """Clocks that changed and go into the next batch, as do the rows of `_dirty`."""
        self._unmarked: set[bytes] = set()
        """The marks that the next batch deletes."""
        self.active: dict[bytes, ActiveSite] = {}
        self.improved: set[bytes] = set()
        """Active sites that stand better than when they were put into the heap."""
        self.gates: dict[bytes, Gate] = {}
        first = len(EXCLUDED_KEY)
        keys = table.scan("site", EXCLUDED_KEY, EXCLUDED_KEY + b"\xff")
        self._excluded = {key[first:] for key, _ in keys}
        """Hosts that a person wants nothing more of: as many as were named by hand."""

    def row(self, site: bytes) -> SiteRow:
        active = self.active.get(site)
        if active is not None:
            return active.row
        row = self._rows.get(site)
        if row is None:
            stored = self._table.get("site", site_row_key(site))
            row = SiteRow() if stored is None else unpack(SiteRow, stored)
            if stored is None:
                self._counts.add("total/sites")
                self._dirty.add(site)
            self._rows[site] = row
        return row

    def count_waiting(self, site: bytes, change: int) -> None:
        """Queue entries came or went."""
        row = self.row(site)
        had_work = row.waiting > 0
        row.waiting += change
        if had_work != (row.waiting > 0):
            self._counts.add("total/sites with work", -1 if had_work else 1)
        self._dirty.add(site)

    def touch(self, site: bytes) -> None:
        """Its row was changed by the caller and is to be written."""
        self._dirty.add(site)

    def admit_private(self, site: bytes) -> None:
        """It may be at a private address: a person named it, or a page that is at one."""
        self.row(site).private_ok = True
        self._dirty.add(site)

    def lead_on(self, finder: bytes, site: bytes) -> None:
        """A page of one site leads to another: from a private address also to a private one."""
        if not self.row(site).private_ok and self.is_private(finder):
            self.admit_private(site)

    def may_be_private(self, site: bytes, *, named: bool = False) -> bool:
        """Whether it may be asked at a private address: a person named it, or a private page (or
        `named` says so), and it never was a public one."""
        if not (named or self.row(site).private_ok):
            return False
        gate = self.gates.get(host_of_site(site))
        return not has_been_public(gate.row if gate else self.clock_of(host_of_site(site)))

    def is_private(self, site: bytes) -> bool:
        """Whether its pages come from this machine or a private address, as last seen."""
        if site.startswith(b"file:"):
            return True
        gate = self.gates.get(host_of_site(site))
        address = gate.row.address if gate else self.clock_of(host_of_site(site)).address
        return bool(address) and not is_public(address)

    def is_excluded(self, site: bytes) -> bool:
        """Whether a person wants nothing more of its host."""
        return bool(self._excluded) and host_of_site(site) in self._excluded

    def exclude(self, batch: Batch, host: bytes, *, excluded: bool) -> None:
        if excluded:
            self._excluded.add(host)
            batch.put("site", excluded_key(host), b"")
        else:
            self._excluded.discard(host)
            batch.delete("site", excluded_key(host))
        if (gate := self.gates.get(host)) is not None:
            gate.excluded = excluded

    def flush(self, batch: Batch) -> None:
        """Write what changed of sites and their clocks, then let the cache shrink."""
        for site in self._dirty:
            batch.put("site", site_row_key(site), pack(self.row(site)))
        self._dirty.clear()
        for host, clock in self._clocks.items():
            batch.put("site", host_row_key(host), pack(clock))
        self._clocks.clear()
        for site in self._unmarked:
            batch.delete("queue", ACTIVE_MARK + site)
        self._unmarked.clear()
        self.credit.flush(batch)
        while len(self._rows) > self._cache_size:
            self._rows.pop(next(iter(self._rows)))

    def touch_clock(self, gate: Gate) -> None:
        """Its clock was changed by the caller and is to be written."""
        self._clocks[gate.host] = gate.row

    def gate(self, host: bytes) -> Gate:
        gate = self.gates.get(host)
        if gate is None:
            gate = Gate(host, self.clock_of(host), excluded=host in self._excluded)
        return gate

    def clock_of(self, host: bytes) -> HostRow:
        if (unwritten := self._clocks.get(host)) is not None:
            return unwritten
        stored = self._table.get("site", host_row_key(host))
        return HostRow() if stored is None else unpack(HostRow, stored)

    def robots_of(self, site: bytes) -> RobotsRow | None:
        stored = self._table.get("site", robots_row_key(site))
        return None if stored is None else unpack(RobotsRow, stored)

    def write_robots(self, batch: Batch, site: bytes, robots: RobotsRow) -> None:
        batch.put("site", robots_row_key(site), pack(robots))

    def activate(self, batch: Batch, site: bytes, queue: SiteQueue) -> ActiveSite:
        row = self.row(site)
        gate = self.gate(host_of_site(site))
        gate.users += 1
        self.gates[gate.host] = gate
        active = ActiveSite(site, row, gate, queue)
        robots = None if row.robots is Robots.UNKNOWN else self.robots_of(site)
        active.rules = None if robots is None else robots.rules
        self._rows.pop(site, None)
        self.active[site] = active
        self._unmarked.discard(site)
        batch.put("queue", ACTIVE_MARK + site, b"")
        return active

    def retire(self, active: ActiveSite) -> None:
        del self.active[active.site]
        self._rows[active.site] = active.row
        self._dirty.add(active.site)
        self.touch_clock(active.gate)
        active.gate.users -= 1
        if active.gate.users == 0:
            del self.gates[active.gate.host]
        self.unmark(active.site)

    def unmark(self, site: bytes) -> None:
        """Nothing is to be looked for after a kill, if the site is idle and has nothing in
        flight."""
        if site not in self.active and not self._in_flight.has_site(site):
            self._unmarked.add(site)

    def marked(self) -> Iterator[bytes]:
        """Sites that may have been asked when the last process ended."""
        for key, _ in self._table.scan("queue", ACTIVE_MARK, after_mark(ACTIVE_MARK)):
            yield key[1:]

    def known(self) -> Iterator[bytes]:
        """Every site there is a row of."""
        for key, _ in self._table.scan("site", b"\x01"):
            site = site_of_row_key(key)
            if site is not None:
                yield site

    def of_host(self, host: bytes) -> Iterator[bytes]:
        """The known sites of a host: one per scheme that its label stands for."""
        if host.startswith(b"//"):
            candidates = [b"http:" + host, b"https:" + host]
        elif host.endswith(b")"):
            candidates = [host + b"80:http", host + b"443:https"]
        else:
            keys = self._table.scan("site", host + b":", host + b";")
            sites = (site_of_row_key(key) for key, _ in keys)
            candidates = [host, *(site for site in sites if site is not None)]
        for site in candidates:
            if self._table.get("site", site_row_key(site)) is not None:
                yield site
