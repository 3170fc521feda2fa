"""Which active sites stand ready? The heap of them, and who comes in and goes.

A site may be asked when its clocks say so (site_clocks.py); turns.py has them in order.
Invariants: an active site stands at most once in the heap or in its gate's queue (`placed`), and
in neither while it is leased; a site whose robots.txt is on its way stands in neither, unless it
has an errand to run; the back queues are never empty while work remains, because every slot that
comes free is filled from the front index at once, and a site that must wait long gives its slot
away.
"""

from collections.abc import Iterable
from itertools import islice
from math import ceil
from random import Random

from shoal import faults
from shoal.clock import Clock
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.schedule.addresses import Addresses, Turn
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.schedule.credit import standings
from shoal.frontier.schedule.site_clocks import SiteClocks
from shoal.frontier.schedule.site_queue import SiteQueue
from shoal.frontier.schedule.sites import ActiveSite
from shoal.frontier.schedule.turns import SOON_SECONDS, Turns
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.rows import MODE_KEY, REVISIT, Robots
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.cell import NEVER_MS, to_ms
from shoal.model.urls.rowkey import url_of
from shoal.model.visit import Fetched, Visit
from shoal.ports import Batch

_MOST_ERRANDS = 8
"""For one host: each keeps the slot of the site that waits for it."""
_AWAITED_SECONDS = 60.0


class Workbench:
    def __init__(
        self,
        state: FrontierState,
        discovery: Discovery,
        clock: Clock,
        settings: FrontierSettings,
        seams: Seams,
    ) -> None:
        self._table, _, self._sites, self._front, self._in_flight, self._allowance = state
        self._discovery = discovery
        self._clock = clock
        self._settings = settings
        self._seams = seams
        self._turns = Turns(
            standings(settings.levels), settings.max_pages, strict=settings.importance is not None
        )
        self._empty: dict[bytes, ActiveSite] = {}
        """Sites that had nothing left when they were put back; they may have by now."""
        self.awaiting: dict[bytes, float] = {}
        """Until when sites wait for a robots.txt from another tablet; the first first."""
        gap = settings.politeness.address_gap()
        addresses = Addresses(self._table, gap, clock.now(), seams.borrower)
        self.clocks = SiteClocks(settings.politeness, addresses, Random(settings.seed))

    # --- the heap ---------------------------------------------------------------------------

    def pop(self, now: float) -> ActiveSite | None:
        """A site that may be asked now."""
        while self._sites.improved:
            improved = self._sites.active.get(self._sites.improved.pop())
            if improved is not None:
                self._turns.move(improved, self._sites.credit.standing(improved.site))
        while (active := self._turns.pop(now)) is not None:
            if self._sites.active.get(active.site) is not active:
                continue  # retired meanwhile
            active.placed = False
            if active.gate.busy:
                self.place(active)
                continue
            ready = self.clocks.ready_at(active)
            if self._must_rest(active, ready - now):
                self.retire_now(active, now)
            elif ready > now:
                self.place(active)
            else:
                return active
        return None

    def place(self, active: ActiveSite) -> None:
        """Put a site into the heap, at the time when it may be asked."""
        if active.placed or active.leased or (active.asking_robots and not active.errands):
            return
        if active.gate.busy:
            active.gate.queueing.append(active)
        else:
            active.standing = self._sites.credit.standing(active.site)
            self._turns.add(active, self.clocks.ready_at(active))
        active.placed = True

    def take_turn(self, active: ActiveSite, now: float) -> Turn:
        """It is about to be asked, and its address with it."""
        self._turns.begin(active, now)
        return self.clocks.start(active, now)

    def hasten(self, addresses: Iterable[str], now: float) -> None:
        """More of these addresses is ours by now."""
        self.clocks.addresses.shorten(addresses, now)
        self._turns.retime(self.clocks.ready_at)

    def answered(self, active: ActiveSite, fetched: Fetched, now: float) -> None:
        """Its host's clock is set. A wait that is longer than one would keep after a kill is
        written before the host can be asked again: the page's own commit may be far away."""
        row = active.gate.row
        after_kill_ms = self.clocks.wait_if_unknown_ms(row)
        self.clocks.answered(active, fetched, now)
        if max(row.next_ms, active.row.tls_until_ms) - row.last_ms > after_kill_ms:
            self._sites.touch_clock(active.gate)
            self._sites.touch(active.site)
            self._write(self._table.batch())

    def put_back(self, active: ActiveSite, now: float) -> None:
        """A site's response has ended: back into the heap, or out when others wait or it must."""
        self._turns.end(active)
        waiting, active.gate.queueing = active.gate.queueing, []
        for other in waiting:
            other.placed = False
            self.place(other)
        ready = self.clocks.ready_at(active)
        kept = active.asking_robots or active.errands
        if not kept and (self._is_crowded(active, now) or self._must_rest(active, ready - now)):
            self.retire_now(active, now)
            return
        self.place(active)
        if self._is_empty(active, max(now, ready)):
            self._empty[active.site] = active

    def ready_count(self, now: float) -> int:
        return self._turns.ready_count(now)

    def next_ready(self) -> float | None:
        """When the next site may be asked, as far as is known now."""
        times = self._turns.next_times(self._clock.now())
        room = len(self._sites.active) < self._settings.capacity
        if room and (idle_ms := self._front.earliest_ms()) is not None:
            times.append(idle_ms / 1000)
        times += islice(self.awaiting.values(), 1)
        return min(times, default=None)

    def _must_rest(self, active: ActiveSite, wait_seconds: float) -> bool:
        """Whether its slot is worth more to another. One with an errand stays: somebody waits."""
        if active.errands:
            return False
        return active.gate.closed or wait_seconds > SOON_SECONDS

    def _is_empty(self, active: ActiveSite, turn: float) -> bool:
        """Whether nothing will be due when its turn comes. New links may still change that."""
        if active.leased or active.asking_robots or active.errands:
            return False
        turn_ms = to_ms(turn)
        waiting = active.queue.next(turn_ms)
        return waiting is None or waiting[1] > turn_ms

    def _has_capacity(self, now: float) -> bool:
        """Whether a slot is free, or is made so by retiring a site whose back queue is empty."""
        while len(self._sites.active) >= self._settings.capacity:
            best = self._front.best_standing(to_ms(now))
            if best is None:
                return False
            if not self._empty:
                if not self._evict(best, now):
                    return False
                continue
            active = self._empty.pop(next(iter(self._empty)))
            turn = max(now, self.clocks.ready_at(active))
            if self._sites.active.get(active.site) is active and self._is_empty(active, turn):
                self.retire_now(active, now)
        return True

    def _is_crowded(self, active: ActiveSite, now: float) -> bool:
        """Whether a site that had its turns should make room for one that stands no worse, or any
        site for one that stands better."""
        best = self._front.best_standing(to_ms(now))
        if best is None:
            return False
        standing = self._sites.credit.standing(active.site)
        return best < standing or (best == standing and active.visits >= self._settings.quantum)

    def _evict(self, best: int, now: float) -> bool:
        """Make room for a site of a better standing than the worst that stands in a heap."""
        while (active := self._turns.pop_last_behind(best)) is not None:
            if self._sites.active.get(active.site) is active:
                active.placed = False
                self.retire_now(active, now)
                return True
        return False

    # --- waking and retiring ----------------------------------------------------------------

    def wake_sites(self, now: float) -> None:
        """Fill the free slots from the front index."""
        woken = []
        while self._has_capacity(now):
            chosen = self._front.choose(to_ms(now))
            if chosen is None:
                break
            batch, (rank, _, site) = self._table.batch(), chosen
            if self._sites.credit.standing(site) > self._front.standing_of(rank):
                self._discovery.places.place_again(batch, site)  # it has fallen behind meanwhile
                self._write(batch)
                continue
            self._front.remove(batch, *chosen)
            if site not in self._sites.active:  # twice active would be two requests at once
                active = self.activate(batch, site)
                if self._must_rest(active, self.clocks.ready_at(active) - now):
                    self.retire(batch, active, now)
                else:
                    self.place(active)
                    woken.append(url_of(site + b"/"))
            self._write(batch)
        if woken:
            self._seams.prefetch(woken)

    def activate(self, batch: Batch, site: bytes) -> ActiveSite:
        queue = SiteQueue(
            self._table, site, self._settings.levels, self._in_flight, self._allowance.doors
        )
        active = self._sites.activate(batch, site, queue)
        self._discovery.places.displace(batch, site)
        self.clocks.mend(active, self._clock.now())
        if active.gate.row.last_ms < self._settings.requested_by_others * 1000:
            self.clocks.count_as_requested(active, self._settings.requested_by_others)
        return active

    def run_errand(self, batch: Batch, errand: Visit, now: float) -> bool:
        """Give a site another's robots.txt to fetch; not if that would take long."""
        runner = self._sites.active.get(errand.site) or self.activate(batch, errand.site)
        wait = self.clocks.ready_at(runner) - now
        if len(runner.errands) >= _MOST_ERRANDS or self._must_rest(runner, wait):
            self.settle_in(batch, runner, now)
            return False
        runner.errands.append(errand)
        self.place(runner)
        return True

    def await_answer(self, site: bytes, now: float) -> None:
        """Another tablet fetches what its robots.txt redirects to, if it lives to do so."""
        if site in self._sites.active:
            self.awaiting[site] = now + _AWAITED_SECONDS

    def ask_again(self, now: float) -> None:
        """Sites that have waited long enough begin with their robots.txt once more."""
        while self.awaiting:
            site, until = next(iter(self.awaiting.items()))
            if until > now:
                return
            batch = self._table.batch()
            self.end_request(batch, site, now)
            self._write(batch)

    def end_request(self, batch: Batch, site: bytes, now: float) -> None:
        """What its robots.txt says is known now, or that it can't be had."""
        self.awaiting.pop(site, None)
        asker = self._sites.active.get(site)
        if asker is None:
            return
        asker.asking_robots = False
        if asker.row.robots is Robots.UNREACHABLE:
            self.clocks.slow_down(asker, asker.row.robots_failures, now)
            self._sites.touch_clock(asker.gate)
        self.settle_in(batch, asker, now)

    def settle_in(self, batch: Batch, active: ActiveSite, now: float) -> None:
        """A site that stands nowhere takes its place in the heap, or is retired."""
        if active.placed or active.leased:
            return
        if self._must_rest(active, self.clocks.ready_at(active) - now) and not active.asking_robots:
            self.retire(batch, active, now)
        else:
            self.place(active)

    def retire(self, batch: Batch, active: ActiveSite, now: float) -> None:
        """Back to the front index, at the level of its best pending URL; without work, nowhere."""
        now_ms = to_ms(now)
        waiting = self._leave(active, now_ms)
        if waiting is not None:
            level, due_ms = waiting
            self._discovery.places.place(batch, active.site, level, max(due_ms, now_ms))

    def retire_now(self, active: ActiveSite, now: float) -> None:
        """`retire` in a batch of its own, which the front index needs (see front.py). Without work
        there is nothing to be found there, and what changed can wait for the next batch."""
        now_ms = to_ms(now)
        waiting = self._leave(active, now_ms)
        if waiting is not None:
            batch, (level, due_ms) = self._table.batch(), waiting
            self._discovery.places.place(batch, active.site, level, max(due_ms, now_ms))
            self._write(batch)

    def _leave(self, active: ActiveSite, now_ms: int) -> tuple[int, int] | None:
        """Give up the slot; returns level and due time of what is left to do."""
        rest_ms = NEVER_MS if active.gate.closed else ceil(self.clocks.ready_at(active) * 1000)
        active.row.rest_until_ms = rest_ms if rest_ms > now_ms else 0
        self._empty.pop(active.site, None)
        self._sites.retire(active)
        waiting = active.queue.next(now_ms)
        if waiting is None or waiting[0] <= REVISIT or not now_ms < waiting[1] < NEVER_MS:
            return waiting
        is_for_budget = waiting[1] == self._allowance.doors(now_ms).revisits_ms
        return (waiting[0], self._allowance.slot_ms(now_ms)) if is_for_budget else waiting

    def _write(self, batch: Batch) -> None:
        self._sites.flush(batch)
        self._table.write(batch)

    # --- after a kill, or with another clock ------------------------------------------------

    def recover(self) -> int:
        """A kill left sites marked: they count as asked just now, and go to the front index."""
        now, found = self._clock.now(), list(self._sites.marked())
        for site in found:
            batch = self._table.batch()
            active = self.activate(batch, site)
            self.clocks.count_as_requested(active, now)
            self.retire(batch, active, now)
            self._write(batch)
            faults.point("recovery.middle")
        return len(found)

    def rewind(self) -> None:
        """The wall clock was set back since the last run: the waits that are left are counted from
        now, or a host would be silent for as long as the clock was set back."""
        now = self._clock.now()
        now_ms = to_ms(now)
        for site in list(self._sites.known()):
            row = self._sites.row(site)
            ahead = [ms for ms in (row.rest_until_ms, row.entry_ready_ms) if now_ms < ms < NEVER_MS]
            if ahead:
                batch = self._table.batch()
                self.retire(batch, self.activate(batch, site), now)
                self._write(batch)

    def take_no_pages(self) -> None:
        """What pages need is asked for from now on, and no more pages: as in a refresh that has
        chosen none. The next crawl finds this mode, and looks again when sites may be asked."""
        self._allowance.mode = Mode.REFRESH
        batch = self._table.batch()
        batch.put("site", MODE_KEY, self._allowance.mode.encode())
        self._write(batch)
        self.place_all()

    def place_all(self) -> None:
        """Every idle site with work looks again when it may be asked."""
        now = self._clock.now()
        for site in list(self._sites.known()):
            if self._sites.row(site).waiting and site not in self._sites.active:
                batch = self._table.batch()
                self.retire(batch, self.activate(batch, site), now)
                self._write(batch)
