"""What may a person want of a frontier that is at work? To leave hosts alone, for a while or for
good, to be slower with one, and to try again what failed.

Each command is durable on return and can be said twice. It holds at once: what concerns many rows
is done slice by slice (bulk_updates.py), but a host that is excluded is not asked from the first
moment. Politeness stays: no command shortens a wait below what the settings and the host itself ask
for.
"""

from collections.abc import Callable
from math import ceil

from shoal import faults
from shoal.clock import Clock
from shoal.frontier.background.bulk_updates import BulkUpdates
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.urls import UrlState
from shoal.model.cell import to_ms
from shoal.model.outcome import State
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch

LONGEST_DELAY_SECONDS = 86_400.0
"""Of one host, by hand. Who wants more pauses it."""


class HostCommands:
    def __init__(
        self,
        state: FrontierState,
        discovery: Discovery,
        clock: Clock,
        begin: Callable[[], Batch],
        write: Callable[[Batch], None],
    ) -> None:
        self._sites = state.sites
        self._discovery = discovery
        self._clock = clock
        self._begin = begin
        self._write = write
        self._bulk_updates = BulkUpdates(state, discovery)

    # --- hosts, by their labels (see partition.host_of_site) --------------------------------------

    def pause(self, host: bytes, paused: bool) -> None:
        """Stop asking a host, or go on."""
        batch = self._begin()
        gate = self._sites.gate(host)
        gate.row.paused = paused
        self._sites.touch_clock(gate)
        if not gate.closed:
            self._wake(batch, host)
        self._write(batch)

    def slow(self, host: bytes, delay_seconds: float) -> None:
        """A delay of its own, where it is more than what is kept anyway; 0 takes it back. A site
        that waits for its turn already ends that wait first (turns.SOON_SECONDS at most)."""
        batch = self._begin()
        gate = self._sites.gate(host)
        row = gate.row
        row.own_delay_ms = ceil(min(max(0.0, delay_seconds), LONGEST_DELAY_SECONDS) * 1000)
        if row.last_ms:
            ready_ms = row.last_ms + max(row.delay_ms, row.own_delay_ms)
            is_punished = row.failures or row.note
            row.next_ms = max(row.next_ms, ready_ms) if is_punished else ready_ms
        self._sites.touch_clock(gate)
        if not gate.closed:
            self._wake(batch, host)
        self._write(batch)

    def exclude(self, host: bytes, excluded: bool) -> None:
        """Want nothing more of a host: what waits there is excluded; or all of it after all."""
        batch = self._begin()
        self._sites.exclude(batch, host, excluded=excluded)
        self._bulk_updates.settle(batch, self._sites.of_host(host))
        if not self._sites.gate(host).closed:
            self._wake(batch, host)
        self._write(batch)

    def _wake(self, batch: Batch, host: bytes) -> None:
        """Its idle sites look again how long they have to wait."""
        for site in list(self._sites.of_host(host)):
            row = self._sites.row(site)
            row.rest_until_ms = 0
            self._sites.touch(site)
            if row.entry_level >= 0:
                self._discovery.places.place(batch, site, row.entry_level, to_ms(self._clock.now()))

    # --- URLs -----------------------------------------------------------------------------------

    def retry(self, reason: str, host: bytes | None = None) -> None:
        """Queue again what failed for a reason (`timeout`, `404`; empty: any), at a host or at
        all."""
        batch = self._begin()
        sites = [b""] if host is None else self._sites.of_host(host)
        self._bulk_updates.retry(batch, sites, reason)
        self._write(batch)

    def turn_away(self, batch: Batch, row: bytes, url: UrlRow) -> bool:
        """Whether a URL that comes back unasked is no longer wanted."""
        unwanted = url.state is State.QUEUED and self._sites.is_excluded(site_of_key(row))
        if unwanted:
            self._discovery.turn_away(batch, UrlState(row, url, url.counted_as), self._clock.now())
        return unwanted

    # --- what is left to do ---------------------------------------------------------------------

    @property
    def pending(self) -> bool:
        return self._bulk_updates.pending

    def go_on(self, batch: Batch, now: float) -> None:
        """One slice of rows."""
        self._bulk_updates.go_on(batch, now)

    def finish(self) -> None:
        """All that is left: for a collection that is not being crawled."""
        while self.pending:
            self.step()

    def step(self) -> None:
        """`go_on` in a batch of its own."""
        batch = self._begin()
        self.go_on(batch, self._clock.now())
        self._write(batch)
        faults.point("sweep.middle")
