"""Whatever happens in whatever order, the books agree and nothing is lost.

A seeded random walk over everything that can be done to a frontier, with caches so small that none
of them can hide a mistake, kills and restarts among the steps. After every few steps the table is
audited; at the end the rest is crawled, and every URL that was ever named must have been settled.
"""

from random import Random

import pytest

from shoal.frontier.outcome.reach import Reach
from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings
from shoal.frontier.state.view import FrontierView
from shoal.frontier.state.worth import Importance
from shoal.model.document import Document
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.outcome import Outcome, State
from shoal.model.urls.partition import host_of_site
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import OK, Answer, Play, PlaySettings, link, moved, redirect, rules

STEPS = 400
SITES = [f"{scheme}://h{n}.test" for n in range(6) for scheme in ("http", "https")]
SITES += ["http://h0.test:8080", "http://we+ird.test", "ftp://h1.test", "file://"]
PATHS = ["/", "/a", "/a/", "/b", "/b/c", "/b/c/", "/d?x=1", "/d/?x=1", "/robots.txt", "/private/e"]


class Walk:
    def __init__(self, table: RocksTable, seed: int) -> None:
        self.random = Random(seed)
        self.table = table
        settings = FrontierSettings(
            levels=4,
            capacity=4,
            quantum=2,
            patience=10_000_000,
            seen_cache=self.random.choice([1, 8, 1000]),
            site_cache=self.random.choice([1, 1000]),
            depth_first=self.random.random() < 0.5,
            importance=Importance(location=1.0) if seed % 2 else None,
            reach=Reach(max_depth=4),
            politeness=Politeness(delay=1, address_share=self.random.choice([0, 4])),
            seed=seed,
        )
        self.play = Play(table, FakeClock(), PlaySettings(settings))
        self.leased: list[SiteLease] = []
        self.unfinished: list[tuple[Visit, Fetched, Answer]] = []
        self.paused: set[bytes] = set()
        self.excluded: set[bytes] = set()

    def url(self) -> str:
        return self.random.choice(SITES) + self.random.choice(PATHS)

    def some_links(self) -> list[Link]:
        found = []
        for _ in range(self.random.choice([0, 1, 3, 8])):
            rel = self.random.choice([0, 0, 0, int(Rel.NOFOLLOW)])
            excluded = self.random.choice(["", "", "", "scope: not wanted"])
            priority = self.random.choice([0.1, 0.5, 0.5, 0.9])
            found.append(link(self.url(), rel=rel, excluded=excluded, priority=priority))
        return found

    def step(self) -> None:
        steps = [self.lease] * 8 + [self.release] * 6 + [self.commit] * 6 + [self.advance] * 4
        steps += [self.add, self.add, self.submit, self.raise_url, self.give_back, self.pause]
        steps += [self.resume, self.inject, self.reconsider, self.stop, self.kill]
        steps += [self.exclude, self.include, self.slow, self.retry]
        self.random.choice(steps)()

    def lease(self) -> None:
        lease = self.play.lease()
        if lease is None:
            return
        hosts = [host_of_site(other.next_url().site) for other in self.leased]
        assert host_of_site(lease.next_url().site) not in hosts, "a host is asked twice at once"
        rows = [other.visit.row for other in self.leased]
        rows += [visit.row for visit, _, _ in self.unfinished]
        assert lease.visit.row not in rows, "a URL is taken twice at once"
        if not lease.visit.requested_for:
            assert host_of_site(lease.next_url().site) not in self.paused | self.excluded
        self.leased.append(lease)

    def answer(self, visit: Visit) -> Answer:
        if visit.kind is VisitKind.ROBOTS:
            choices = [
                Answer(404),
                Answer(404),
                Answer(200, robots=rules("User-agent: *\nDisallow: /private/\nCrawl-delay: 2")),
                Answer(503, headers=[("retry-after", "7")]),
                Answer(0, outcome=Outcome.CONNECT, address=""),
                redirect(self.random.choice(SITES[:12]) + "/robots.txt"),
                redirect(self.url()),
                Answer(0, outcome=Outcome.PRIVATE, address=""),
            ]
        else:
            parts = [Document(), Document(name="#1"), Document(name="#2")]
            choices = [
                *[Answer(200, self.some_links())] * 6,
                Answer(200, self.some_links(), documents=parts),
                Answer(404),
                Answer(500),
                Answer(503, headers=[("retry-after", "9")]),
                Answer(0, outcome=Outcome.CONNECT, address=""),
                Answer(0, outcome=Outcome.CANCELLED, address=""),
                Answer(0, outcome=Outcome.PRIVATE, address=""),
                Answer(301, [moved(self.url())]),
                Answer(301, [moved(visit.url.rstrip("/") + "/")]),
            ]
        return self.random.choice(choices)._replace(seconds=self.random.choice([0, 0.2]))

    def release(self) -> None:
        if self.leased:
            lease = self.leased.pop(self.random.randrange(len(self.leased)))
            answer = self.answer(lease.visit)
            self.unfinished.append((lease.visit, self.play.release(lease, answer), answer))

    def commit(self) -> None:
        if self.unfinished:
            which = self.random.randrange(len(self.unfinished))
            self.play.finish(*self.unfinished.pop(which))

    def give_back(self) -> None:
        if self.leased and self.random.random() < 0.5:
            lease = self.leased.pop()
            self.play.frontier.give_back(lease.visit)
            self.play.release(lease, Answer(0, outcome=Outcome.CANCELLED, address=""))
        elif self.unfinished:
            self.play.frontier.give_back(self.unfinished.pop()[0])

    def add(self) -> None:
        self.play.frontier.add(self.some_links(), self.random.randrange(1, 7))

    def submit(self) -> None:
        self.play.submit(self.url())

    def raise_url(self) -> None:
        self.play.frontier.raise_url(row_key(self.url()), self.random.choice([0.6, 0.95, 1.0]))

    def pause(self) -> None:
        host = self.play.host(self.random.choice(SITES[:12]))
        self.play.frontier.commands.pause(host, paused=True)
        self.paused.add(host)

    def resume(self) -> None:
        for host in sorted(self.paused):
            self.play.frontier.commands.pause(host, paused=False)
        self.paused.clear()

    def exclude(self) -> None:
        host = self.play.host(self.random.choice(SITES[:12]))
        self.play.frontier.commands.exclude(host, excluded=True)
        self.excluded.add(host)

    def include(self) -> None:
        for host in sorted(self.excluded):
            self.play.frontier.commands.exclude(host, excluded=False)
        self.excluded.clear()

    def slow(self) -> None:
        host = self.play.host(self.random.choice(SITES))
        self.play.frontier.commands.slow(host, self.random.choice([0, 3, 50]))

    def retry(self) -> None:
        host = self.play.host(self.random.choice(SITES))
        reason = self.random.choice(["", "connect", "404", "500"])
        self.play.frontier.commands.retry(reason, self.random.choice([None, host]))

    def inject(self) -> None:
        row = row_key(self.url())
        row = self.play.frontier.urls.row_of(row)
        visit = Visit("", row, site_of_key(row), VisitKind.INJECTED, source=LinkSource.INJECT)
        self.play.finish(visit, Fetched(Outcome.OK), Answer(200, self.some_links()))

    def reconsider(self) -> None:
        unwanted = self.random.choice(["no such thing", "h1.test", "/b"])
        self.play.frontier.rescope(lambda url: "scope: no" if unwanted in url else "")

    def advance(self) -> None:
        self.play.clock.advance(self.random.choice([0.3, 1, 5, 40]))

    def stop(self) -> None:
        """A clean end, with whatever is in flight given up, and a new start."""
        if self.random.random() < 0.3:
            self.play.frontier.close()
            self.restart()

    def kill(self) -> None:
        """The process dies with whatever is in flight; another opens the table."""
        if self.random.random() < 0.3:
            self.restart()

    def restart(self) -> None:
        self.leased.clear()
        self.unfinished.clear()
        self.play.open()


@pytest.mark.parametrize("seed", range(12))
def test_the_books_agree_and_nothing_is_lost(table: RocksTable, seed: int) -> None:
    walk = Walk(table, seed)
    for step in range(STEPS):
        walk.step()
        if step % 20 == 0:
            assert walk.play.problems() == []
    walk.restart()
    assert walk.play.problems() == []

    walk.resume()
    walk.play.frontier.commands.finish()
    turned_away = walk.play.frontier.counts["excluded/by hand"]
    queued_at_excluded = [
        row
        for row, url in FrontierView(table).urls(b"", None)
        if url.state is State.QUEUED and host_of_site(site_of_key(row)) in walk.excluded
    ]
    assert queued_at_excluded == []
    walk.include()
    walk.play.crawl(lambda _visit: OK)
    assert walk.play.frontier.counts["excluded/by hand"] == 0, turned_away
    assert walk.play.frontier.counts["queued"] == 0
    assert walk.play.problems() == []
    walk.play.frontier.close()
    assert walk.play.problems() == []
    assert list(table.scan("queue", b"")) == [], "a finished crawl leaves nothing in the queue"
