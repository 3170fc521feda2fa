"""Hundreds of hosts, many workers, random answers and durations: never two at once, never too soon.

Everything is checked from the log of who was asked from when to when, as a server would see it, not
from anything that the frontier says of itself.
"""

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count, pairwise
from random import Random
from zlib import crc32

import pytest

from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.outcome import Outcome
from shoal.model.robots.patterns import path_of
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import Answer, Event, Play, PlaySettings, link, moved, redirect, rules

DELAY, SHARE, WORKERS, HOSTS = 2.0, 10.0, 40, 200
TOLERANCE = 1e-6  # of floating point


class Simulation:
    """Workers that take, ask for a random while, release, and commit a random while later."""

    def __init__(self, table: RocksTable, seed: int) -> None:
        self.random = Random(seed)
        politeness = Politeness(delay=DELAY, address_share=SHARE, backoff_base=3, backoff_cap=20)
        settings = FrontierSettings(
            capacity=3 * WORKERS, quantum=5, seed=seed, patience=1000, politeness=politeness
        )
        self.play = Play(table, FakeClock(), PlaySettings(settings))
        self.pending: list[tuple[float, int, object]] = []
        self.tie = count()
        self.asking = 0
        self.robots_known: dict[bytes, float] = {}
        self.hosts = [f"h{n}.test" for n in range(HOSTS)]

    def site(self) -> str:
        host = self.random.choice(self.hosts)
        return self.random.choice([f"http://{host}", f"https://{host}", f"http://{host}:8080"])

    def address(self, visit: Visit) -> str:
        """Ten hosts share an address, and a port has a clock of its own."""
        number = int(visit.url.partition("://h")[2].partition(".")[0])
        port = 8080 if ":8080" in visit.url else 443 if visit.url.startswith("https") else 80
        return f"127.0.0.{number // 10 + 1}:{port}"

    def answer(self, visit: Visit) -> Answer:
        luck, address = self.random.random(), self.address(visit)
        if luck < 0.03:
            return Answer(0, outcome=Outcome.TIMEOUT, address="", seconds=5)
        if luck < 0.06:
            return Answer(503, headers=[("retry-after", "8")], address=address)
        seconds = self.random.expovariate(5)
        if visit.kind is VisitKind.ROBOTS:
            return self.robots(visit.url)._replace(address=address, seconds=seconds)
        if luck < 0.12:
            target = moved(f"{self.site()}/{self.random.randrange(30)}")
            return Answer(302, [target], address=address)
        names = [f"{self.random.choice(['', 'no/'])}{self.random.randrange(30)}" for _ in range(4)]
        links = [link(f"{self.site()}/{name}") for name in names]
        return Answer(200, links, address=address, seconds=seconds)

    def robots(self, url: str) -> Answer:
        """The same for one URL every time."""
        kind = crc32(url.encode()) % 10
        if kind < 2:
            return redirect(f"https://h{crc32(url.encode()) % HOSTS}.test/robots.txt")
        if kind < 6:
            return Answer(200, robots=rules("User-agent: *\nDisallow: /no\nCrawl-delay: 4"))
        return Answer(404)

    def run(self, most: int) -> None:
        play = self.play
        play.add(*(f"http://{host}/" for host in self.hosts))
        while len(play.log) < most and not play.frontier.done():
            while self.asking < WORKERS and (lease := play.lease()) is not None:
                self.start(lease)
            ready = play.frontier.report().next_ready_seconds
            at = self.pending[0][0] if self.pending else float("inf")
            if self.asking < WORKERS and ready is not None:
                at = min(at, play.clock.now() + max(ready, 0.0005))
            if at == float("inf"):
                break
            play.clock.advance(max(0.0, at - play.clock.now()))
            while self.pending and self.pending[0][0] <= play.clock.now():
                self.happen(heappop(self.pending)[2])

    def start(self, lease: SiteLease) -> None:
        refused = bool(lease.refusal(lease.visit))
        answer = Answer() if refused else self.answer(lease.visit)
        self.asking += 1
        self.later(0.0 if refused else answer.seconds, (lease, answer))

    def later(self, seconds: float, what: object) -> None:
        heappush(self.pending, (self.play.clock.now() + seconds, next(self.tie), what))

    def happen(self, what: object) -> None:
        match what:
            case (SiteLease() as lease, Answer() as answer):
                self.asking -= 1
                fetched = self.play.release(lease, answer._replace(seconds=0.0))
                fetched.started = fetched.ended - answer.seconds * fetched.requested
                self.later(self.random.choice([0.0, 0.1, 6.0]), (lease.visit, fetched, answer))
            case (Visit() as visit, Fetched() as fetched, Answer() as answer):
                self.play.finish(visit, fetched, answer)
                if visit.kind is VisitKind.ROBOTS:
                    self.note_robots(visit.requested_for or visit.site, visit.site)

    def note_robots(self, *sites: bytes) -> None:
        for site in sites:
            if self.play.frontier.sites.robots_of(site) is not None:
                self.robots_known.setdefault(site, self.play.clock.now())


@pytest.fixture(
    scope="module", params=[0, *(pytest.param(each, marks=pytest.mark.slow) for each in (1, 2))]
)
def simulation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Simulation]:
    with RocksTable(tmp_path_factory.mktemp("table") / "t") as table:
        simulation = Simulation(table, request.param)
        simulation.run(most=4_000)
        assert len(simulation.play.log) == 4_000
        yield simulation


@pytest.fixture
def log(simulation: Simulation) -> list[Event]:
    return [event for event in simulation.play.log if event.asked]


def test_the_books_agree(simulation: Simulation) -> None:
    assert simulation.play.problems() == []


def test_no_page_is_asked_for_before_its_robots_txt_is_understood(simulation: Simulation) -> None:
    play = simulation.play
    assert any(not event.asked for event in play.log), "nothing was refused"
    for event in play.log:
        if event.asked and event.kind is VisitKind.PAGE:
            known = simulation.robots_known[play.site(event.url)]
            assert event.began >= known
            robots = play.frontier.sites.robots_of(play.site(event.url))
            assert robots is not None
            assert robots.rules.verdict(path_of(event.url)).allowed


def test_hosts_are_asked_one_at_a_time_and_never_too_soon(log: list[Event]) -> None:
    by_host: dict[bytes, list[Event]] = defaultdict(list)
    for event in log:
        by_host[event.host].append(event)
    assert len(by_host) > HOSTS
    assert max(map(len, by_host.values())) > 10
    for events in by_host.values():
        events.sort()
        for one, next_one in pairwise(sorted(events, key=lambda event: event.began)):
            assert next_one.began >= one.ended + DELAY - TOLERANCE


def test_an_address_is_asked_a_gap_apart_once_it_is_known(log: list[Event]) -> None:
    known: set[bytes] = set()
    asked: dict[str, float] = {}
    checked = 0
    for event in sorted(log, key=lambda event: event.began):
        if event.host in known and event.address:
            if event.address in asked:
                checked += 1
                assert event.began >= asked[event.address] + DELAY / SHARE - TOLERANCE
            asked[event.address] = event.began
        if event.address:
            known.add(event.host)
    assert checked > 1_000


def test_the_workers_are_kept_busy(log: list[Event]) -> None:
    """Two hundred hosts and more are worth about as many requests per delay, not one."""
    took = max(e.ended for e in log) - min(e.began for e in log)
    assert len(log) / took > 20
