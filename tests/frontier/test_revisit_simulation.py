"""Crawls in every mode with everything at once: sitemaps, feeds, orders, redirects, HEAD, kills.
Whatever happens, the books agree, no URL is asked for twice at once, and none is lost."""

from dataclasses import replace
from random import Random

import pytest

from shoal.frontier.background import bulk_updates as sweeps
from shoal.frontier.background import revisit_dates as schedules
from shoal.frontier.background.revisit_dates import Selection
from shoal.frontier.outcome.reach import Reach
from shoal.frontier.schedule.allowance import Mode, RevisitSettings
from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.sources import listings as namings
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.document import Document, Understood
from shoal.model.link import LinkSource, Rel
from shoal.model.listings.listing import ListedUrl
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.verdict import Verdict
from shoal.model.visit import SOURCES, Fetched, Visit, VisitKind
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import NO_CONNECTION, Answer, Play, PlaySettings, link, moved, rules
from tests.frontier.revisits import FAST, Every, PlainDesk, choose, crawling

SITES = [f"http://{name}.test" for name in "abcd"]
POLITE = Politeness(delay=1, delay_factor=0, address_share=0, backoff_base=1, backoff_cap=60)
FRONTIER = replace(FAST, head=True, reach=Reach(sitemaps=True), politeness=POLITE, patience=100)
HOUR = 3_600.0


class Chaos:
    def __init__(self, table: RocksTable, clock: FakeClock, seed: int) -> None:
        self.random = Random(seed)
        self.refusal = ""
        self.play = Play(table, clock, self.settings(Mode.STEADY, FRONTIER))
        self.play.robots = self.robots
        self.leases: list[SiteLease] = []
        self.unfinished: list[tuple[Visit, Fetched, Answer]] = []

    def settings(self, mode: Mode, frontier: FrontierSettings) -> PlaySettings:
        again = RevisitSettings(per_second=self.random.choice([0.0, 0.05, 2.0]))
        made = crawling(mode, frontier=frontier, again=again)
        refresher, source_schedule = (
            Every(self.random.choice([1.0, 600.0, 9_000.0])),
            PlainDesk(60.0),
        )
        refresher.plans = source_schedule.plans = mode is Mode.STEADY
        seams = Seams(
            refresher=refresher,
            source_schedule=source_schedule,
            learned=lambda _visit: self.refusal,
        )
        return replace(made, seams=seams)

    def url(self) -> str:
        return f"{self.random.choice(SITES)}/{self.random.randrange(30)}"

    def robots(self, visit: Visit) -> Answer:
        del visit
        site = self.random.choice(SITES)
        text = f"User-agent: *\nDisallow: /{self.random.randrange(30)}\nSitemap: {site}/map.xml\n"
        return self.random.choice([Answer(404), Answer(200, robots=rules(text)), NO_CONNECTION])

    def answer(self, visit: Visit) -> Answer:
        if visit.kind is VisitKind.ROBOTS:
            return self.robots(visit)
        if visit.head:
            outcome = self.random.choice([Outcome.UNCHANGED, Outcome.CHANGED])
            return Answer(self.random.choice([200, 405]), outcome=outcome, documents=[])
        if visit.kind in SOURCES:
            named = [
                ListedUrl(
                    link(self.url(), source=LinkSource.SITEMAP), self.play.clock.now() - 5, HOUR
                )
                for _ in range(self.random.randrange(9))
            ]
            below = [link(f"{self.random.choice(SITES)}/map{n}.xml") for n in range(2)]
            good = Answer(200, named=named, below=below, documents=[])
            return self.random.choice([good, good, Answer(304), Answer(404), Answer(500)])
        digest = self.random.choice(["sha1:A", "sha1:B"])
        fine = Answer(
            200,
            [link(self.url()) for _ in range(3)],
            [("etag", '"x"')],
            documents=[Document(body_digest=digest)],
        )
        target = self.url()
        status = self.random.choice([301, 302])
        away = Answer(status, [moved(target)], [("location", target)])
        odd = [Answer(304), Answer(404), Answer(410), Answer(503), NO_CONNECTION, away]
        cancelled = Answer(0, outcome=Outcome.CANCELLED, address="")
        return self.random.choice([fine, fine, fine, *odd, cancelled])

    # --- what may happen --------------------------------------------------------------------------

    def lease(self) -> None:
        lease = self.play.lease()
        if lease is None:
            self.play.clock.advance(self.random.choice([0.5, 5.0, 900.0]))
            return
        flying = [each.visit.row for each in self.leases] + [row for (row, *_) in self._rows()]
        assert lease.visit.row not in flying, "it is being asked for already"
        self.leases.append(lease)

    def _rows(self) -> list[tuple[bytes]]:
        return [(visit.row,) for visit, _, _ in self.unfinished]

    def release(self) -> None:
        if self.leases:
            lease = self.leases.pop(self.random.randrange(len(self.leases)))
            answer = self.answer(lease.visit)
            self.unfinished.append((lease.visit, self.play.release(lease, answer), answer))

    def finish(self) -> None:
        if self.unfinished:
            at = self.random.randrange(len(self.unfinished))
            self.play.finish(*self.unfinished.pop(at))

    def order(self) -> None:
        frontier, url = self.play.frontier, self.url()
        host = self.play.host(url)
        flag = self.random.random() < 0.5
        match self.random.randrange(9):
            case 0:
                self.play.add(url, self.url())
            case 1:
                self.play.submit(url)
            case 2 | 3:
                feed = link(url, rel=int(Rel.FEED), priority=1.0, source=LinkSource.FEED)
                self.play.settings.seams.source_schedule.removed = not flag  # type: ignore[union-attr]
                frontier.change(
                    lambda batch, now: frontier.schedules.want_feed(feed, flag, batch, now)
                )
            case 4:
                frontier.commands.exclude(host, excluded=flag)
            case 5:
                frontier.commands.retry("")
            case 6:
                self.refusal = "pattern: nothing new" if flag else ""
            case 7:
                self._inject(url)
            case 8:
                frontier.change(frontier.schedules.date_all)

    def _inject(self, url: str) -> None:
        row, now = row_key(url), self.play.clock.now()
        visit = Visit(url, row, site_of_key(row), VisitKind.INJECTED)
        understood = Understood([Document()])
        verdict = Verdict(understood.documents, revoked=[site_of_key(row)])
        batch = self.play.table.batch()
        fetched = Fetched(Outcome.OK, 200, started=now, ended=now)
        self.play.frontier.finish(batch, visit, fetched, understood, verdict)
        self.play.table.write(batch)

    def restart(self, mode: Mode, *, killed: bool) -> None:
        if not killed:
            for lease in self.leases:
                self.play.frontier.give_back(lease.visit)
            self.play.frontier.close()
        self.leases, self.unfinished = [], []
        self.play.settings = self.settings(mode, FRONTIER)
        self.play.open()
        if mode is Mode.REFRESH:
            choose(self.play, Selection())
        elif mode is Mode.STEADY:
            self.play.frontier.change(self.play.frontier.schedules.date_all)


@pytest.mark.parametrize("seed", range(4))
def test_the_books_agree_whatever_happens(
    table: RocksTable, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for module, name in (
        (namings, "_AT_ONCE"),
        (schedules, "_ROWS_AT_ONCE"),
        (sweeps, "_ROWS_AT_ONCE"),
    ):
        monkeypatch.setattr(module, name, 5)
    chaos = Chaos(table, clock, seed)
    chaos.play.seed(*(f"{site}/" for site in SITES))
    for step in range(500):
        chance = chaos.random.random()
        if chance < 0.02:
            mode = chaos.random.choice(list(Mode))
            chaos.restart(mode, killed=chaos.random.random() < 0.5)
        elif chance < 0.12:
            chaos.order()
        else:
            chaos.random.choice([chaos.lease, chaos.release, chaos.finish])()
        if step % 20 == 0:
            assert chaos.play.problems() == [], step
    for host in map(chaos.play.host, SITES):
        chaos.play.frontier.commands.exclude(host, excluded=False)
    chaos.refusal = ""
    chaos.restart(Mode.NEW, killed=True)
    chaos.play.robots = lambda _visit: Answer(404)
    chaos.play.crawl(lambda _visit: Answer(200))
    assert chaos.play.problems() == []
    assert chaos.play.frontier.counts["queued"] == 0, "one pass leaves nothing new"
    stored = {
        url
        for url in (f"{site}/{n}" for site in SITES for n in range(30))
        if (row := chaos.play.row(url)) is not None
        and row.fetched_ms
        and not row.lost
        and row.kind is VisitKind.PAGE
        and row.state != "excluded"
    }
    clock.advance(7 * 24 * HOUR)
    chaos.restart(Mode.REFRESH, killed=False)
    asked = chaos.play.crawl(lambda _visit: Answer(304))
    assert stored <= set(asked), "a refresh misses none"
    assert len(asked) == len(set(asked)), "and asks for none twice"
    assert chaos.play.problems() == []
