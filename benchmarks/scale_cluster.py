"""How does a cluster go through a web, when nobody may be asked too often and machines die?

Time goes on in steps; within a step work flows, and pages are real numbers. In a step a host gives
at most what its turns allow, an address what its clock allows a tablet, a tablet what its event
loop and its workers can do, a machine what its cores can. What is too much is cut in proportion.
Between steps machines fail (exponential times, by seed): their tablets lose what came after their
last checkpoint, wait out detection, lease, delay and restore, and go on at the machines that have
fewest. A machine that is back gets tablets when the cluster is rebalanced.
"""

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from benchmarks.scale_model import Costs
from benchmarks.scale_world import Floats, Hosts, Integers
from shoal.frontier.schedule.shares import LENT

FOREVER = float("inf")
_DONE = 0.01
"""Less than this of a page is none."""


class AddressClock(StrEnum):
    """Among whom an address's gap is divided."""

    ALL = "all tablets"
    """A tablet's gap is the gap times the number of tablets: safe without asking anybody."""
    AT_MOST_DELAY = "all tablets, at most a host's delay"
    LENT = "half all tablets, half those that wait"
    """As built (src/shoal/frontier/schedule/shares.py): every tablet that has a host there
    waits."""
    PRESENT = "tablets that have a host there"
    NONE = "nobody: no address clock"


@dataclass(frozen=True)
class Cluster:
    machines: int = 100
    tablets: int = 800
    cores: float = 16.0
    main_cpu_seconds: float = Costs.main_ms / 1e3
    """Of a page, in the tablet's one event loop,"""
    children_cpu_seconds: float = Costs.children_ms / 1e3
    """in the processes that read and index,"""
    saving_cpu_seconds: float = Costs.saved_us / 1e6
    """and in checkpoints."""
    call_cpu_seconds: float = 0.0
    """Of a call between two tablets, at both ends; 0: they are left out."""
    call_every_seconds: float = 2.0
    """From each tablet to each other."""
    workers: int = 512
    """Requests in flight, of each tablet."""
    address_gap_seconds: float = 0.1
    delay_seconds: float = 3.0
    address_clock: AddressClock = AddressClock.LENT
    mean_seconds_to_failure: float = FOREVER
    """Of one machine."""
    repair_seconds: float = 1800.0
    detection_seconds: float = 20.0
    """Until Ray has seen that a machine is dead, and has started a process elsewhere."""
    lease_seconds: float = 15.0
    restore_seconds: float = 60.0
    checkpoint_every_seconds: float = 60.0
    checkpoint_cpu_seconds: float = 0.03
    """Of each checkpoint, however little is new."""
    rebalance_every_seconds: float = 3600.0
    move_seconds: float = 30.0
    """A drained tablet makes a checkpoint first, and loses nothing."""
    seed: int = 1

    @property
    def pause_seconds(self) -> float:
        """From a machine's death until its tablets fetch again."""
        lease = 1.1 * self.lease_seconds + 0.5  # as in src/shoal/cluster/ownership.py
        return self.detection_seconds + lease + self.restore_seconds + self.delay_seconds

    @property
    def cpu_seconds(self) -> float:
        """Of a page."""
        return self.main_cpu_seconds + self.children_cpu_seconds + self.saving_cpu_seconds

    @property
    def calling(self) -> float:
        """The share of a core that a tablet needs for calls; all of it at most."""
        return min((self.tablets - 1) / self.call_every_seconds * self.call_cpu_seconds, 1.0)

    @property
    def cpu_pages_per_second(self) -> float:
        """What the cores of all machines could do, and the event loops of all tablets."""
        by_cores = self.machines * self.cores / self.cpu_seconds
        return min(by_cores, self.tablets / self.main_cpu_seconds)


@dataclass(frozen=True)
class Steps:
    """A step lasts so long, or the share of the time that has passed, if that is longer."""

    shortest_seconds: float = 60.0
    growth: float = 0.03
    longest_seconds: float = FOREVER

    def next(self, now: float) -> float:
        return min(max(self.shortest_seconds, self.growth * now), self.longest_seconds)


@dataclass
class Run:
    """What came of it."""

    pages: float
    seconds: list[float] = field(default_factory=lambda: [0.0])
    fetched: list[float] = field(default_factory=lambda: [0.0])
    """Pages that are kept, at each time."""
    repeated: float = 0.0
    """Fetched, lost with a machine, and fetched again."""
    failures: int = 0
    moves: int = 0

    def seconds_until(self, share: float) -> float:
        wanted = share * self.pages
        if self.fetched[-1] < wanted:
            return FOREVER
        return float(np.interp(wanted, self.fetched, self.seconds))

    def pages_per_second(self, share: float = 1.0) -> float:
        """The mean until such a share is fetched; until the end, where it never was."""
        until = self.seconds_until(share)
        if until == FOREVER:
            return self.fetched[-1] / max(1e-9, self.seconds[-1])
        return share * self.pages / max(1e-9, until)

    def share_at(self, seconds: float) -> float:
        return float(np.interp(seconds, self.seconds, self.fetched)) / self.pages


class Machines:
    """Who is up, and who has which tablet."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._chance = np.random.default_rng(cluster.seed)
        self.place: Integers = np.arange(cluster.tablets) % cluster.machines
        self.resumes_at: Floats = np.zeros(cluster.tablets)
        self._back_at: Floats = np.zeros(cluster.machines)
        self._fails_at: Floats = self._draw(cluster.machines)
        self._rebalanced = 0.0

    def failed(self, now: float) -> Integers:
        """Who died since the last time. Their tablets are elsewhere from now on, and wait."""
        found = np.flatnonzero(self._fails_at <= now)
        if len(found):
            self._back_at[found] = now + self._cluster.repair_seconds
            self._fails_at[found] = self._back_at[found] + self._draw(len(found))
        return found

    def give_away(self, orphans: Integers, now: float) -> None:
        for tablet in orphans:
            self.place[tablet] = self._emptiest(now)
        # If nobody is up, they wait for the first who is back.
        up_at = np.maximum(now, self._back_at[self.place[orphans]])
        self.resumes_at[orphans] = up_at + self._cluster.pause_seconds

    def rebalance(self, now: float) -> list[int]:
        """Which tablets move, so that no machine that is up has two more than another."""
        if now < self._rebalanced + self._cluster.rebalance_every_seconds:
            return []
        self._rebalanced = now
        moved = []
        counts = self._counts(now)
        while counts.max() - counts[counts >= 0].min() > 1:
            fullest, emptiest = int(counts.argmax()), self._emptiest(now)
            tablet = int(np.flatnonzero(self.place == fullest)[0])
            self.place[tablet] = emptiest
            self.resumes_at[tablet] = now + self._cluster.move_seconds
            moved.append(tablet)
            counts = self._counts(now)
        return moved

    def _emptiest(self, now: float) -> int:
        if (self._back_at > now).all():
            return int(self._back_at.argmin())
        counts = self._counts(now)
        return int(np.where(counts < 0, counts.max() + 1, counts).argmin())

    def _counts(self, now: float) -> Integers:
        """Tablets of each machine; -1 for one that is down."""
        counts = np.bincount(self.place, minlength=self._cluster.machines)
        return np.where(self._back_at > now, -1, counts)

    def _draw(self, count: int) -> Floats:
        mean = self._cluster.mean_seconds_to_failure
        if mean == FOREVER:
            return np.full(count, FOREVER)
        return self._chance.exponential(mean, count)


class Crawl:
    """The work that is left, and what a step makes of it."""

    def __init__(self, hosts: Hosts, cluster: Cluster) -> None:
        self._cluster = cluster
        self.left = hosts.pages.copy()
        self._since = np.zeros_like(self.left)
        """Done since the last checkpoint."""
        self._tablet = hosts.tablets(cluster.tablets)
        self._per_second = hosts.alike / hosts.turn_seconds
        self._group, self._group_limit = _address_groups(hosts, self._tablet, cluster)
        weights = np.bincount(self._tablet, self._per_second, minlength=cluster.tablets)
        busy = np.bincount(
            self._tablet, self._per_second * hosts.fetch_seconds, minlength=cluster.tablets
        )
        mean_fetch = busy / np.maximum(weights, 1e-12)
        by_workers = cluster.workers / np.maximum(mean_fetch, 1e-9)
        by_loop = max(1 - cluster.calling, _DONE) / cluster.main_cpu_seconds
        self._tablet_limit = np.minimum(by_loop, by_workers)
        self._checkpointed = -np.linspace(0, cluster.checkpoint_every_seconds, cluster.tablets)

    def step(self, seconds: float, up: Floats, place: Integers) -> float:
        """How many pages were fetched, while each tablet was up for a share of the step."""
        cluster = self._cluster
        wanted = np.minimum(self.left, self._per_second * seconds)
        if self._group_limit is not None:
            of_group = np.bincount(self._group, wanted, minlength=len(self._group_limit))
            limit = self._group_limit * seconds
            wanted *= (limit / np.maximum(of_group, limit))[self._group]
        of_tablet = np.bincount(self._tablet, wanted, minlength=cluster.tablets)
        done = np.minimum(of_tablet, self._tablet_limit * seconds) * up
        used = done * cluster.cpu_seconds
        of_machine = np.bincount(place, used, minlength=cluster.machines)
        beside = cluster.checkpoint_cpu_seconds / cluster.checkpoint_every_seconds
        beside += cluster.calling
        tablets = np.bincount(place, minlength=cluster.machines)
        limit_cpu = np.maximum(cluster.cores - beside * tablets, 0.0) * seconds
        done *= (limit_cpu / np.maximum(np.maximum(of_machine, limit_cpu), 1e-12))[place]
        wanted *= (done / np.maximum(of_tablet, 1e-12))[self._tablet]
        self.left -= wanted
        self._since += wanted
        self.left[self.left < _DONE] = 0.0
        return float(wanted.sum())

    def checkpoint(self, now: float) -> None:
        """Of every tablet that is due for one."""
        due = now - self._checkpointed >= self._cluster.checkpoint_every_seconds
        self._checkpointed[due] = now
        self._since[due[self._tablet]] = 0.0

    def save(self, tablet: int, now: float) -> None:
        self._checkpointed[tablet] = now
        self._since[self._tablet == tablet] = 0.0

    def lose(self, tablets: Integers, now: float) -> float:
        """These go back to their last checkpoint: how many pages are to be fetched again?"""
        is_lost = np.isin(self._tablet, tablets)
        self.left[is_lost] += self._since[is_lost]
        lost = float(self._since[is_lost].sum())
        self._since[is_lost] = 0.0
        self._checkpointed[tablets] = now
        return lost

    def forget_what_is_done(self) -> None:
        """Most hosts are small and done soon: from then on a step is quick."""
        live = (self.left > 0) | (self._since > 0)
        if live.sum() * 2 < len(live):
            self.left, self._since = self.left[live], self._since[live]
            self._tablet, self._group = self._tablet[live], self._group[live]
            self._per_second = self._per_second[live]


def _address_groups(
    hosts: Hosts, tablet: Integers, cluster: Cluster
) -> tuple[Integers, Floats | None]:
    """Hosts of one tablet at one address, and how many pages a second they may give together."""
    if cluster.address_clock is AddressClock.NONE:
        return np.zeros(len(tablet), dtype=np.int64), None
    pairs = hosts.address * cluster.tablets + tablet
    distinct, group = np.unique(pairs, return_inverse=True)
    addresses = np.zeros(len(distinct))
    np.maximum.at(addresses, group, hosts.alike)  # a bundle's hosts are at as many
    gaps = _gaps(distinct // cluster.tablets, cluster)
    return group.astype(np.int64), addresses / gaps


def _gaps(address: Integers, cluster: Cluster) -> Floats:
    """The gap of each tablet at each of its addresses."""
    gap, rule = cluster.address_gap_seconds, cluster.address_clock
    present = np.bincount(address)[address]
    if rule is AddressClock.PRESENT:
        return np.asarray(gap * present)
    if rule is AddressClock.LENT:
        return np.asarray(gap / ((1 - LENT) / cluster.tablets + LENT / present))
    whole = np.full(len(address), gap * cluster.tablets)
    return np.minimum(whole, cluster.delay_seconds) if rule is AddressClock.AT_MOST_DELAY else whole


def most_at_one_address(hosts: Hosts, cluster: Cluster) -> float:
    """Requests a second that the clocks allow at the address with most hosts, of all tablets."""
    tablet, address = hosts.tablets(cluster.tablets), hosts.address
    busiest = address == np.bincount(address[hosts.alike == 1]).argmax()
    by_hosts = float((1 / hosts.turn_seconds[busiest]).sum())
    if cluster.address_clock is AddressClock.NONE:
        return by_hosts
    present = np.unique(tablet[busiest])
    at_most = float((1 / _gaps(np.zeros(len(present), dtype=np.int64), cluster)).sum())
    return min(by_hosts, at_most)


def crawl(
    hosts: Hosts,
    cluster: Cluster,
    steps: Steps,
    *,
    until_share: float = 1.0,
    until_seconds: float = FOREVER,
) -> Run:
    """Until such a share of the pages is kept, or so much time has passed."""
    machines, work = Machines(cluster), Crawl(hosts, cluster)
    run, now, kept = Run(float(hosts.pages.sum())), 0.0, 0.0
    while kept < until_share * run.pages * (1 - 1e-6) and now < until_seconds:
        seconds = min(steps.next(now), until_seconds - now)
        up = np.clip((now + seconds - machines.resumes_at) / seconds, 0.0, 1.0)
        work.step(seconds, up, machines.place)
        now += seconds
        dead = machines.failed(now)
        if len(dead):
            orphans = np.flatnonzero(np.isin(machines.place, dead))
            run.repeated += work.lose(orphans, now)
            machines.give_away(orphans, now)
            run.failures += len(dead)
        work.checkpoint(now)
        for tablet in machines.rebalance(now):
            work.save(tablet, now)
            run.moves += 1
        kept = run.pages - float(work.left.sum())
        run.seconds.append(now)
        run.fetched.append(kept)
        work.forget_what_is_done()
    return run
