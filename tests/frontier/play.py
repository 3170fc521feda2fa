"""A crawl without a network: the real frontier on a real table, with answers that a test makes up.

`Play` does what core.py does (lease, release, finish, write), one step at a time and under a fake
clock, and keeps a log of who was asked from when to when.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from shoal.frontier.audit.audit import audit
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.document import Document, Understood
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.listings.listing import ListedUrl
from shoal.model.outcome import Outcome, of_status
from shoal.model.robots.robots import RobotsRules, parse
from shoal.model.urls.partition import host_of_site
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.verdict import Verdict
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Table
from tests.fake_clock import FakeClock

LOCAL = "127.0.0.1:80"
"""An address at which no public minimum applies."""


def link(url: str, **fields: object) -> Link:
    return Link(url, row_key(url), **fields)  # type: ignore[arg-type]  # a test names its fields


def moved(url: str) -> Link:
    return link(url, rel=int(Rel.REDIRECT), source=LinkSource.REDIRECT)


def rules(text: str) -> RobotsRules:
    return parse(text.encode(), "shoal")


class Answer(NamedTuple):
    """What a server says, and what the page's reader makes of it."""

    status: int = 200
    links: Sequence[Link] = ()
    headers: Sequence[tuple[str, str]] = ()
    robots: RobotsRules | None = None
    seconds: float = 0.0
    address: str = LOCAL
    outcome: Outcome | None = None
    """When it is not that of the status: no answer came, for instance."""
    body: bytes = b"page"
    documents: Sequence[Document] | None = None
    named: Sequence[ListedUrl] = ()
    below: Sequence[Link] = ()


OK = Answer()
NO_ROBOTS = Answer(404)
NO_CONNECTION = Answer(0, outcome=Outcome.CONNECT, address="", body=b"")


def redirect(url: str) -> Answer:
    return Answer(301, [moved(url)], [("location", url)])


class Event(NamedTuple):
    url: str
    kind: VisitKind
    host: bytes
    address: str
    began: float
    ended: float
    asked: bool


@dataclass
class PlaySettings:
    frontier: FrontierSettings = field(
        default_factory=lambda: FrontierSettings(seed=1, politeness=Politeness(address_share=0))
    )
    seams: Seams = field(default_factory=Seams)


class Play:
    def __init__(
        self, table: Table, clock: FakeClock, settings: PlaySettings | None = None
    ) -> None:
        self.table = table
        self.clock = clock
        self.settings = settings or PlaySettings()
        self.links: dict[bytes, list[Link]] = {}
        self.log: list[Event] = []
        self.robots: Callable[[Visit], Answer] = lambda _visit: NO_ROBOTS
        self.began: dict[int, float] = {}
        self.open()

    def open(self) -> None:
        """Start, or start again: on a table that was closed cleanly, or left as by a kill."""
        seams = replace(self.settings.seams, links_of=lambda row: self.links.get(row, []))
        self.frontier = DiskFrontier(self.table, self.clock, self.settings.frontier, seams)

    # --- naming -----------------------------------------------------------------------------

    def add(self, *urls: str, depth: int = 1, priority: float = 0.5) -> int:
        return self.frontier.add((link(url, priority=priority) for url in urls), depth)

    def seed(self, *urls: str) -> int:
        return self.frontier.add(link(url, source=LinkSource.SEED) for url in urls)

    def submit(self, url: str) -> int:
        return self.frontier.add([link(url, source=LinkSource.SUBMIT, priority=1.0)])

    def row(self, url: str) -> UrlRow | None:
        return self.frontier.urls.read(row_key(url))

    def state(self, url: str) -> str:
        row = self.row(url)
        return "unknown" if row is None else row.counted_as

    def site(self, url: str) -> bytes:
        return site_of_key(row_key(url))

    def host(self, url: str) -> bytes:
        return host_of_site(self.site(url))

    # --- asking -----------------------------------------------------------------------------

    def lease(self) -> SiteLease | None:
        lease = self.frontier.lease()
        if lease is not None:
            self.began[id(lease)] = self.clock.now()
        return lease

    def expect(self, url: str) -> SiteLease:
        """The next visit, now, is this one."""
        lease = self.lease()
        assert lease is not None, f"nothing is ready, not even {url}"
        assert lease.visit.url == url
        return lease

    def release(self, lease: SiteLease, answer: Answer) -> Fetched:
        self.clock.advance(answer.seconds)
        now = self.clock.now()
        refusal = lease.refusal(lease.visit)
        if refusal:
            fetched = Fetched(Outcome.REFUSED, started=now, ended=now, note=refusal)
        else:
            fetched = self.fetched(answer, now)
        self.frontier.release(lease, fetched)
        visit, began = lease.visit, self.began.pop(id(lease), now)
        host = host_of_site(lease.next_url().site)
        event = Event(visit.url, visit.kind, host, fetched.address, began, now, fetched.requested)
        self.log.append(event)
        return fetched

    def fetched(self, answer: Answer, now: float) -> Fetched:
        return Fetched(
            answer.outcome or of_status(answer.status),
            answer.status,
            started=now - answer.seconds,
            ended=now,
            address=answer.address,
            headers=list(answer.headers),
            body=answer.body,
        )

    def finish(self, visit: Visit, fetched: Fetched, answer: Answer) -> list[bytes]:
        documents = answer.documents
        if documents is None:
            documents = [Document()] if fetched.outcome is Outcome.OK else []
        links = [] if fetched.outcome is Outcome.REFUSED else list(answer.links)
        robots = answer.robots
        if visit.kind is VisitKind.ROBOTS:
            documents = []
            if fetched.outcome is Outcome.OK and robots is None:
                robots = RobotsRules()
        named, below = list(answer.named), list(answer.below)
        understood = Understood(list(documents), links, robots, listed=named, below=below)
        batch, verdict = self.table.batch(), Verdict(documents)
        finished = self.frontier.finish(batch, visit, fetched, understood, verdict)
        if visit.kind is not VisitKind.ROBOTS:
            self.links[visit.row] = list(finished.links)
        self.table.write(batch)
        return list(finished.targets)

    def end(self, lease: SiteLease, answer: Answer = OK) -> list[bytes]:
        """The response has come, and the page is understood and committed."""
        return self.finish(lease.visit, self.release(lease, answer), answer)

    def next_page(self) -> SiteLease | None:
        """The next visit of a page, however long one has to wait; robots.txt files are answered
        on the way. None when the frontier is done."""
        while not self.frontier.done():
            lease = self.lease()
            if lease is None:
                if not self.frontier.done():
                    self.wait()
            elif lease.visit.kind is VisitKind.ROBOTS:
                self.end(lease, self.robots(lease.visit))
            else:
                return lease
        return None

    def crawl(
        self, answer: Callable[[Visit], Answer] = lambda _visit: OK, most: int = 10_000
    ) -> list[str]:
        """Everything that is left, one after the other; the URLs of the pages in order."""
        urls: list[str] = []
        while len(urls) < most and (lease := self.next_page()) is not None:
            urls.append(lease.visit.url)
            self.end(lease, answer(lease.visit))
        return urls

    def wait(self) -> None:
        """Turn the clock to when the next site is ready."""
        seconds = self.frontier.report().next_ready_seconds
        assert seconds is not None, "nothing will ever be ready"
        self.clock.advance(max(seconds, 0.0005))

    def problems(self) -> list[str]:
        return audit(self.table)
