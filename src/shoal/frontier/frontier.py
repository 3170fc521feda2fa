"""Which site, which URL, when? The life of a site, from its first link to its last page.

A link names a URL of a site nobody knew. The URL gets a row and a queue entry, the site an entry
in the front index: it is *idle*. When there is room among the active sites, a level is drawn and
the site that has been ready longest in it is *activated*: its queue's head comes into memory and
it takes its place in the heap, ordered by the later of its host's and its address's clock. When
its time comes a worker *leases* it, asks for one URL (first of all its robots.txt), and *releases*
it when the response has ended: the host's clock is set and the site goes back into the heap,
though the page may still be on its way through the readers. The page's commit *finishes* the
visit: entry deleted, row settled, new links queued, all in one batch, which is written before
anything else happens here. A site without due work, or one that must wait long, is *retired* to
the front index, so that another can take its slot.

"Nothing is ready now" (None from next_site) and "finished" (done) are two different answers."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from random import Random

from shoal.clock import Clock
from shoal.counters import VISITS, Counts
from shoal.frontier.background.background import Background
from shoal.frontier.background.commands import HostCommands
from shoal.frontier.background.requeue_duplicates import DuplicateRequeuer
from shoal.frontier.background.rescope import Rescope
from shoal.frontier.background.revisit_dates import Schedules
from shoal.frontier.exchange.inbound import Inbound
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.outcome.finishing import Finisher
from shoal.frontier.outcome.settling import Ending, Settler
from shoal.frontier.outcome.visits import visit_of
from shoal.frontier.schedule.allowance import Allowance, Mode
from shoal.frontier.schedule.front import Front
from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.schedule.sites import ActiveSite, Sites
from shoal.frontier.schedule.waiters import Waiters
from shoal.frontier.schedule.workbench import Workbench
from shoal.frontier.sources.listings import Listings
from shoal.frontier.sources.robots_cache import RobotsCache
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.in_flight import InFlight
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import CLOCK_KEY, COUNTS_KEY, MODE_KEY, REVISIT, entry_of
from shoal.frontier.state.settings import FrontierSettings, Report, Seams
from shoal.frontier.state.urls import Urls
from shoal.model.cell import NEVER_MS, to_ms
from shoal.model.change_history import Change
from shoal.model.document import Understood
from shoal.model.link import Link, LinkSource
from shoal.model.listings.listing import ListedUrl
from shoal.model.outcome import Outcome
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import site_of_key
from shoal.model.verdict import Finished, Verdict
from shoal.model.visit import OF_SITE, Fetched, Visit, VisitKind
from shoal.model.visit_result import result_of
from shoal.ports import Batch, Lease, Table

_ADD_AT_ONCE = 1000
_MOST_IN_FLIGHT_SHOWN = 100
_PATIENCE_OVER_DELAY_SECONDS = 1.0


class DiskFrontier:
    """The Frontier port on a Table. Memory is bounded by active sites and caches."""

    def __init__(
        self, table: Table, clock: Clock, settings: FrontierSettings, seams: Seams | None = None
    ) -> None:
        self._table = table
        self._clock = clock
        self._settings = settings
        self._seams = seams or Seams()
        stored = table.get("site", COUNTS_KEY)
        self.counts = Counts(None if stored is None else unpack(dict[str, int], stored))
        self._in_flight = InFlight()
        self.urls = Urls(table, self.counts, settings.seen_cache)
        self.sites = Sites(
            table, self.counts, self._in_flight, settings.site_cache, settings.levels
        )
        front = Front(table, settings.levels, settings.bias, Random(settings.seed))
        self.allowance = Allowance(settings.revisits, clock.now())
        self._state = FrontierState(
            table, self.urls, self.sites, front, self._in_flight, self.allowance
        )
        away = self._seams.remote
        self.discovery = Discovery(self._state, settings, self._seams, self.counts)
        self._listings = Listings(self._state, self.discovery, settings, away)
        self.schedules = Schedules(self._state, self.discovery, self._seams, settings.missing)
        self._requeuer = DuplicateRequeuer(self._state, self.discovery)
        self.commands = HostCommands(self._state, self.discovery, clock, self._begin, self._write)
        self._background = Background(
            self.discovery,
            self._seams.links_of,
            (self._requeuer, self.commands, self._listings, self.schedules),
            self._begin,
            self._write,
        )
        self._robots = RobotsCache(self.sites, away, tdmrep=settings.tdmrep)
        self._finisher = Finisher(
            Settler(self._state, self.discovery, self._seams, settings.missing),
            self.discovery,
            self.sites.credit,
            (self._requeuer, self._listings),
            self._seams.seed_moved,
        )
        self._bench = Workbench(self._state, self.discovery, clock, settings, self._seams)
        self.inbound = Inbound(
            self._state, self.discovery, self._robots, self._bench, self._requeuer
        )
        self.take_no_pages = self._bench.take_no_pages
        self._leases: set[SiteLease] = set()
        self.waiters = Waiters(clock, self.lease, self._next_ready, self._is_over)
        self._halted = False
        self._notice_clock()
        self.recovered = self._bench.recover()
        """Sites that a killed process may have been asking: they count as asked just now. Before
        sites are placed again, which takes their marks away."""
        self._notice_mode()

    # --- taking -----------------------------------------------------------------------------

    async def next_site(self) -> SiteLease | None:
        lease = self.lease()
        if lease is not None or self._is_over():
            return lease
        return await self.waiters.wait(self._return)

    def lease(self) -> SiteLease | None:
        """A site whose turn it is now."""
        if self._halted:
            return None
        now = self._clock.now()
        self._background.do(now)
        self._bench.ask_again(now)
        self._bench.wake_sites(now)
        while (active := self._bench.pop(now)) is not None:
            visit = self._next_visit(active, now)
            if visit is not None:
                return self._lend(active, visit, now)
            self._bench.retire_now(active, now)
            self._bench.wake_sites(now)
        return None

    def _lend(self, active: ActiveSite, visit: Visit, now: float) -> SiteLease:
        active.gate.busy = active.leased = True
        self._in_flight.add(visit)
        lease = SiteLease(
            active, visit, self._bench.take_turn(active, now), learned=self._seams.learned
        )
        self._leases.add(lease)
        return lease

    def _return(self, lease: SiteLease) -> None:
        """It was handed to a worker that is gone."""
        self.give_back(lease.visit)
        self.release(lease, Fetched(Outcome.REFUSED))

    def _next_visit(self, active: ActiveSite, now: float) -> Visit | None:
        """Robots.txt is the first entry of a site's queue, whenever it is unknown or out of
        date."""
        if (visit := self._robots.next_visit(active, now)) is not None:
            return visit
        now_ms = to_ms(now)
        revisit_first = self.allowance.comes_first(active.visits_before + active.visits)
        while (entry := active.queue.pop(now_ms, revisit_first=revisit_first)) is not None:
            url = self.urls.read(entry.row)
            if url is None or not url.waiting or entry_of(entry.row, url) != entry:
                continue  # never, while every entry has its row: see audit.py
            self.urls.hold(entry.row, url)
            if entry.level > REVISIT:
                self.allowance.spend(now)
            return visit_of(entry, url, active, self._settings)
        return None

    def done(self) -> bool:
        if self._leases or self._in_flight or self._background.pending or self._bench.awaiting:
            return False
        if self.allowance.mode is Mode.STEADY:
            return False  # something is always due, sooner or later
        if not self.counts["total/sites with work"]:
            return True
        # A delay is no reason to give up, however short the patience with a host that fails.
        delay = self._settings.politeness.delay + _PATIENCE_OVER_DELAY_SECONDS
        ready = self._next_ready()
        return ready is None or ready > self._clock.now() + max(self._settings.patience, delay)

    def _next_ready(self) -> float | None:
        """When there is something to do, as far as is known now."""
        return self._clock.now() if self._background.pending else self._bench.next_ready()

    def _is_over(self) -> bool:
        return self._halted or self.done()

    # --- giving back ------------------------------------------------------------------------

    def release(self, lease: Lease, fetched: Fetched) -> None:
        if not isinstance(lease, SiteLease) or lease.released:
            return
        lease.released = True
        self._leases.discard(lease)
        active, now = lease.active, self._clock.now()
        if self.sites.active.get(active.site) is not active:
            return  # the frontier was closed meanwhile
        active.gate.busy = active.leased = False
        if fetched.requested:
            active.visits += 1
            self._bench.answered(active, fetched, now)
        else:
            self._bench.clocks.addresses.take_back(lease.turn)
        self._bench.put_back(active, now)
        self.waiters.poke()

    def give_back(self, visit: Visit) -> None:
        if self._in_flight.remove(visit.row) is None:
            return
        batch = self._begin()
        url = None if visit.kind in OF_SITE else self.urls.read(visit.row)
        self.urls.let_go(visit.row)
        active = self.sites.active.get(visit.site)
        if active is not None and visit.kind in OF_SITE:
            self._robots.give_back(active, visit)
        if url is not None and url.waiting and not self.commands.turn_away(batch, visit.row, url):
            if active is not None:
                active.queue.offer(entry_of(visit.row, url))
            else:
                ready_ms = max(url.due_ms, to_ms(self._clock.now()))
                self.discovery.places.place(batch, visit.site, url.level, ready_ms)
        if active is not None:
            self._bench.place(active)
        self.sites.unmark(visit.site)
        self._write(batch)

    def finish(
        self,
        batch: Batch,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        verdict: Verdict,
    ) -> Finished:
        self.urls.begin()
        ending = Ending(visit, fetched, understood, verdict, self._clock.now())
        if visit.kind in OF_SITE:
            self._in_flight.remove(visit.row)
            self._finish_robots(batch, ending)
            finished = Finished(verdict)
        else:
            finished = self._finisher.finish(batch, ending)
            if visit.kind is not VisitKind.INJECTED:
                self._in_flight.remove(visit.row)
                self.urls.let_go(visit.row)
        if visit.kind is not VisitKind.INJECTED:
            self.sites.unmark(visit.site)
        active = self.sites.active.get(visit.site)
        if active is not None:
            self.sites.touch_clock(active.gate)
        self._count(visit, fetched, finished.change)
        self._flush(batch)
        self.waiters.poke()
        return finished

    def _finish_robots(self, batch: Batch, ending: Ending) -> None:
        visit, now, rules = ending.visit, ending.now, ending.understood.robots
        if visit.kind is VisitKind.TDMREP:
            self._robots.finish_tdmrep(batch, ending)
            return
        if self._settings.reach.sitemaps and ending.fetched.status:
            self._listings.take_robots(batch, visit.site, rules.sitemaps if rules else (), now)
        if (errand := self._robots.finish(batch, ending)) is not None:
            if self._robots.send(batch, errand):
                self._bench.await_answer(errand.requested_for, now)
                return
            if self._bench.run_errand(batch, errand, now):
                return
            self._robots.put_off(batch, visit)
        self._bench.end_request(batch, visit.requested_for or visit.site, now)

    def _count(self, visit: Visit, fetched: Fetched, change: Change) -> None:
        if not fetched.requested or visit.kind is VisitKind.INJECTED or visit.is_counted:
            return
        self.counts.add(VISITS + result_of(visit, fetched, change))
        self.counts.add("total/robots requests" if visit.kind in OF_SITE else "total/requests")
        self.counts.add("total/bytes", len(fetched.body) + len(fetched.head))
        if fetched.cut:
            self.counts.add("total/cut bodies")

    # --- finding -----------------------------------------------------------------------------

    def add(self, links: Iterable[Link], depth: int = 1) -> int:
        before = self.counts.discovered
        rest = iter(links)
        while some := list(islice(rest, _ADD_AT_ONCE)):
            batch, now = self._begin(), self._clock.now()
            named = [link for link in some if link.source in (LinkSource.SEED, LinkSource.SUBMIT)]
            for link in named:  # a person's word
                self.sites.admit_private(site_of_key(link.row))
                self.sites.credit.grant(site_of_key(link.row), self._settings.credit)
            self.discovery.offer(batch, some, Provenance(depth), now)
            self.schedules.want_sitemaps(named, batch, now)
            self._write(batch)
        return self.counts.discovered - before

    def raise_url(self, row: bytes, priority: float) -> bool:
        batch, row = self._begin(), self.urls.row_of(row)
        raised = self.discovery.hasten(batch, row, priority, self._clock.now())
        self._write(batch)
        return raised

    def take_listed(self, batch: Batch, visit: Visit, named: Sequence[ListedUrl]) -> None:
        """What a feed names that was not asked for: it was pushed."""
        self.urls.begin()
        self._listings.take(batch, visit.row, named, self._clock.now())
        self._flush(batch)
        self.waiters.poke()

    def lent(self, addresses: Iterable[str]) -> None:
        """More of these addresses is ours by now: who waits for them may be asked earlier."""
        self._bench.hasten(addresses, self._clock.now())
        self.waiters.poke()

    def change(self, work: Callable[[Batch, float], None]) -> None:
        """Do something to its state, in a batch of its own."""
        batch = self._begin()
        work(batch, self._clock.now())
        self._write(batch)

    def rescope(self, *refuses: Callable[[str], str]) -> int:
        """The scope or the order changed: judge again what was refused and what waits."""
        max_depth = self._settings.reach.max_depth
        again = Rescope(self._state, self.discovery, max_depth, *refuses)
        return again.run(self._write, self._clock.now())

    # --- writing ----------------------------------------------------------------------------

    def _begin(self) -> Batch:
        self.urls.begin()
        return self._table.batch()

    def _write(self, batch: Batch) -> None:
        self._flush(batch)
        self._table.write(batch)
        self.waiters.poke()

    def _flush(self, batch: Batch) -> None:
        self.sites.flush(batch)
        batch.put("site", COUNTS_KEY, pack(self.counts.as_dict()))
        batch.put("site", CLOCK_KEY, pack(to_ms(self._clock.now())))

    def _notice_clock(self) -> None:
        stored = self._table.get("site", CLOCK_KEY)
        if stored is not None and unpack(int, stored) > to_ms(self._clock.now()):
            self._bench.rewind()

    def _notice_mode(self) -> None:
        """Revisits wait until a crawl takes them: when that is now, or no longer, the sites with
        revisits look again how long they have to wait."""
        mode = self._settings.revisits.mode
        stored = self._table.get("site", MODE_KEY)
        if mode is Mode.REFRESH or (Mode.NEW if stored is None else stored.decode()) != mode:
            self._bench.place_all()
        batch = self._table.batch()
        batch.put("site", MODE_KEY, mode.encode())
        self._table.write(batch)

    # --- ending -----------------------------------------------------------------------------

    def halt(self) -> None:
        """No site is leased from now on; what is in flight may finish."""
        self._halted = True
        self.waiters.dispatch()

    def close(self) -> None:
        """Retire every site, so that the next start knows their clocks. What is still in flight
        stays marked: its host counts as asked just now then, and it is due again."""
        self._halted = True
        now = self._clock.now()
        batch = self._begin()
        for active in list(self.sites.active.values()):
            self._bench.retire(batch, active, now)
        self._bench.clocks.addresses.save(batch, now)
        self._write(batch)
        self.waiters.close()

    def report(self) -> Report:
        now, ready = self._clock.now(), self._next_ready()
        if ready is not None and to_ms(ready) >= NEVER_MS:  # of another crawl, or paused
            ready = None
        return Report(
            in_flight=len(self._leases),
            unfinished=len(self._in_flight) - len(self._leases),
            active_sites=len(self.sites.active),
            ready_sites=self._bench.ready_count(now),
            next_ready_seconds=None if ready is None else max(0.0, ready - now),
            sites_with_work=self.counts["total/sites with work"],
            halted=self._halted,
            in_flight_urls=self._in_flight.first_urls(_MOST_IN_FLIGHT_SHOWN),
        )
