"""How does a crawl run, from the first seed to the last commit? With its housekeeping beside it.

Once a second: commands from the inbox are carried out, what was committed is synced to disk, and a
snapshot is written for `status` and handed to whoever watches.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from shoal.collection.report.hosts import in_trouble
from shoal.config import Config
from shoal.core import Crawl, Progress
from shoal.engine.beside.orders import Orders
from shoal.engine.engine import Engine
from shoal.engine.limits import count_passed, pages_of
from shoal.engine.own_sources import OwnSources, follows_sources
from shoal.engine.rank_upkeep import BackgroundRanking, QueueByRank
from shoal.engine.recovery import Recovered
from shoal.engine.summary import Summary
from shoal.focus.priority import PrioritySettings
from shoal.frontier.background.revisit_dates import Selection
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.state.view import SiteView
from shoal.layout.layout import Layout
from shoal.layout.resume_flags import flags_to_go_on
from shoal.layout.snapshot import (
    Live,
    Snapshot,
    Trouble,
    status_of,
    visits_of,
    write_snapshot,
)
from shoal.loop import to_its_end
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.plan import Running, why_idle
from shoal.model.urls.rowkey import site_key
from shoal.model.urls.url import site_of

_TICK_SECONDS = 1.0
_LOOK_SECONDS = 0.25
"""Into the inbox: what is pushed is to be found at once."""
_RATE_WINDOW_SECONDS = 15.0
_SEED_SITES_WATCHED = 20
_SITES_LOOKED_AT = 10_000
_TROUBLES_NAMED = 5
_SECONDS_BETWEEN_RANKINGS = 600.0
_NO_ANSWER = (Outcome.DNS, Outcome.CONNECT, Outcome.TLS, Outcome.TIMEOUT)


Watch = Callable[[Snapshot], None]


class Peers(Protocol):
    """The other tablets, as far as a crawl has to know."""

    def begin(self) -> None:
        """Carry out what people wanted of it before it ran; after this the first request is
        made."""
        ...

    async def more(self) -> bool:
        """Nothing is left to do here. Waits until there is, which is True, or until nobody has
        anything left."""
        ...

    def sync(self) -> None:
        """Make what was written durable."""
        ...


class RunningCrawl:
    """One run. `stop` may be called at any time, from the same event loop."""

    def __init__(
        self, engine: Engine, watch: Watch | None = None, peers: "Peers | None" = None
    ) -> None:
        self._engine = engine
        self._peers = peers
        self._watch = watch
        self._crawl: Crawl = engine.crawl()
        self._started = engine.clock.now()
        self._visits_before = visits_of(engine.counts)
        self._left = 0
        self._marks: list[tuple[float, int]] = []
        self._over = asyncio.Event()
        self._ended = "a fault ended it"
        self._run = engine.run_log.begin(self._started)
        self.live: Live | None = None
        """What it was doing when it was last looked at."""
        order = PrioritySettings(order=engine.config.crawl.order)
        self._ranking = BackgroundRanking(engine.layout.directory)
        by_rank = engine.config.crawl.popularity == "rank"
        self._queue_by_rank = QueueByRank(
            engine.raise_url, engine.layout.graph, order, by_rank=by_rank
        )
        self._looked_at_ranks = self._started
        self._index = engine.follow_index()
        self._sources = OwnSources(engine, beside_crawl=True) if peers is None else None
        """One's own documents, which a crawl without end follows beside its visits."""
        self._orders = Orders(engine, self._crawl, self._sources, self._started, self.stop)

    def stop(self, reason: str) -> None:
        self._crawl.stop(reason)

    def look_again(self) -> None:
        """A limit has moved."""
        self._crawl.look_again()

    @property
    def progress(self) -> Progress:
        return self._crawl.progress

    @property
    def recovered(self) -> Recovered:
        return self._engine.recovered

    @property
    def stopping(self) -> str:
        return self._crawl.stopping

    async def run(self, seeds: Sequence[Link]) -> Summary:
        engine = self._engine
        reconsidered = engine.start(seeds)
        if engine.config.crawl.stop_when is not None:
            count_passed(engine.view(), engine.counts, engine.config.crawl.value)
        await self._orders.carry_out()  # what waited holds before the first request
        if self._peers is not None:
            self._peers.begin()
        work = [self._keep_house(), self._take_in()]
        if self._sources is not None and follows_sources(engine.config):
            work.append(self._sources.follow())
        keepers = [asyncio.create_task(each) for each in work]
        for keeper in keepers:
            keeper.add_done_callback(self._stop_without_keeper)
        fault: BaseException | None = None
        try:
            if self._index is not None:
                self._index.start()
            await self._work()
            self._left = self._engine.end_refresh()
            self._ended = self._crawl.stopping or "finished"
        finally:
            fault = await to_its_end(self._end(keepers))
        if isinstance(fault, Exception):
            raise fault
        status = status_of(engine.layout.directory, self._at_rest())
        seeds_in_trouble = self._seeds_in_trouble()
        silent = [each for each in seeds_in_trouble if each.why.startswith(_NO_ANSWER)]
        sites = islice(engine.view().sites(), _SITES_LOOKED_AT)
        others = (each for each in in_trouble(sites) if each not in seeds_in_trouble)
        return Summary(
            status=status,
            seconds=engine.clock.now() - self._started,
            reason=self._crawl.stopping or "finished",
            waiting_later=engine.counts["queued"],
            recovered=engine.recovered,
            reconsidered=reconsidered,
            trouble=[*seeds_in_trouble, *islice(others, _TROUBLES_NAMED)][:_TROUBLES_NAMED],
            unanswered=not status.answered and len(silent) == len(self._seed_sites()) > 0,
            index_problem="" if self._index is None else self._index.problem,
            again=self._crawl.progress.again,
            changed=self._crawl.progress.changed,
            missing=self._crawl.progress.missing,
            again_failed=self._crawl.progress.again_failed,
            left=self._left,
        )

    async def _end(self, keepers: "list[asyncio.Task[None]]") -> BaseException | None:
        """Returns the fault of a keeper, if one had any."""
        self._over.set()  # not cancelled: what they are writing must be whole
        if self._sources is not None:
            self._sources.stop()
        ended = await asyncio.gather(*keepers, return_exceptions=True)
        self._note_run(self._ended)
        try:
            self._engine.sync()
        finally:  # also when the tablet is another's by now, and can't be written to
            self._ranking.close()
            if self._index is not None:
                await self._index.finish()
        write_snapshot(self._engine.layout.status, self._at_rest())
        return next((each for each in ended if each is not None), None)

    async def _work(self) -> None:
        """Until nothing is left, also of what comes past the fetch: articles have links, too."""
        while not self._crawl.stopping:
            await self._crawl.run(self._engine.config.crawl.workers)
            if await self._orders.take_what_waits() or not self._engine.is_done:
                continue
            if self._peers is None or not await self._peers.more():
                return

    def _seed_sites(self) -> list[SiteView]:
        """The first few: looked at once a second, however large the crawl is."""
        view, found = self._engine.view(), {}
        for url in self._engine.roots[:_SEED_SITES_WATCHED]:
            site = view.site(site_key(site_of(url)))
            if site is not None:
                found[site.host] = site
        return list(found.values())

    def _seeds_in_trouble(self) -> list[Trouble]:
        return list(in_trouble(self._seed_sites()))

    def _stop_without_keeper(self, keeper: "asyncio.Task[None]") -> None:
        """Housekeeping ends by itself only by a fault (a full disk): then nothing is synced."""
        if not keeper.cancelled() and keeper.exception() is not None:
            self.stop("its housekeeping failed")

    async def _keep_house(self) -> None:
        engine = self._engine
        while not self._over.is_set():
            engine.set_budget()
            if self._index is not None:
                self._index.forget()
            self._rank()
            self._crawl.look_again()
            snapshot = self._snapshot()
            self._note_run()
            await asyncio.to_thread(self._persist, snapshot)
            if self._watch is not None:
                self._watch(snapshot)
            await engine.clock.wait(self._over, _TICK_SECONDS)

    def _note_run(self, why: str = "") -> None:
        """It is written with the next sync."""
        run, progress = self._run, self._crawl.progress
        run.why, run.ended = why, self._engine.clock.now()
        run.requests, run.bytes = progress.requests, progress.bytes
        run.fetched, run.unchanged, run.failed = (
            progress.fetched,
            progress.unchanged,
            progress.failed,
        )
        run.changed, run.missing = progress.changed, progress.missing
        run.asked = progress.fetched + progress.unchanged + progress.other + progress.failed

    def _rank(self) -> None:
        """Links are ranked again now and then, and what waits is raised by its new rank."""
        now = self._engine.clock.now()
        # The links of one tablet among many say little: all of them are ranked together.
        if self._peers is None and now - self._looked_at_ranks > _SECONDS_BETWEEN_RANKINGS:
            self._looked_at_ranks = now
            self._ranking.look(self._crawl.progress.fetched)
        self._queue_by_rank.look()

    def _persist(self, snapshot: Snapshot) -> None:
        if self._peers is None:
            self._engine.sync()
        else:
            self._peers.sync()
        write_snapshot(self._engine.layout.status, snapshot)

    async def _take_in(self) -> None:
        """Commands, and what came past the fetch. Once more at the end: what is taken is not left
        lying until the next crawl."""
        while True:
            is_last = self._over.is_set()
            await self._orders.take_what_waits()
            self._engine.topics.tend(is_last=is_last)
            if self._index is not None:
                self._index.hurry()
            if is_last:
                return
            await self._engine.clock.wait(self._over, _LOOK_SECONDS)

    def _snapshot(self) -> Snapshot:
        engine, progress = self._engine, self._crawl.progress
        report, now = engine.report(), engine.clock.now()
        answered = progress.fetched + progress.unchanged + progress.other
        rate = self._rate(now, answered)
        counts = engine.counts
        polite = engine.config.politeness
        trouble = self._seeds_in_trouble()[:_TROUBLES_NAMED]
        running = Running(
            wanted_rate=polite.rate,
            rate=rate,
            delay_seconds=polite.delay,
            fetch_seconds=progress.fetch_seconds / max(1, progress.requests),
            workers=engine.config.crawl.workers,
            in_flight=report.in_flight,
            reading=report.unfinished,
            hosts_with_work=report.sites_with_work,
            active_hosts=report.active_sites,
            next_ready_seconds=report.next_ready_seconds,
        )
        live = Live(
            pid=os.getpid(),
            started=self._started,
            written=now,
            pages_per_second=rate,
            in_flight=report.in_flight,
            reading=report.unfinished,
            active_sites=report.active_sites,
            ready_sites=report.ready_sites,
            sites_with_work=report.sites_with_work,
            fetched=progress.fetched,
            unchanged=progress.unchanged,
            failed=progress.failed,
            bytes=progress.bytes,
            body_bytes=engine.bodies.held,
            body_memory=engine.config.fetch.body_memory,
            index_bytes=0 if self._index is None else self._index.resident(),
            index_memory=0 if self._index is None else engine.config.index.memory,
            idle=why_idle(running),
            projected_end=self._projected_end(now, rate, counts["queued"]),
            stopping=self._crawl.stopping,
            trouble=trouble,
            asking=report.in_flight_urls,
        )
        self.live = live
        indexed, is_whole, inside = self._indexed()
        visits = visits_of(counts, self._visits_before)
        topic = engine.topics.standing(at_rest=False)
        return Snapshot(
            counts.as_dict(), live, indexed, is_whole, "", 0.0, [], inside, visits, topic
        )

    def _indexed(self) -> tuple[int, bool, int]:
        return (0, False, 0) if self._index is None else self._index.indexed()

    def _at_rest(self) -> Snapshot:
        counts, now = self._engine.counts.as_dict(), self._engine.clock.now()
        flags = list(flags_to_go_on(self._engine.config, self._engine.layout.directory))
        indexed, is_whole, inside = self._indexed()
        visits = visits_of(self._engine.counts, self._visits_before)
        topic = self._engine.topics.standing(at_rest=True)
        how = (self._ended, now, flags, inside, visits, topic)
        return Snapshot(counts, None, indexed, is_whole, *how)

    def _rate(self, now: float, answered: int) -> float:
        """Pages per second over the last seconds, not since the beginning."""
        self._marks.append((now, answered))
        while self._marks[0][0] < now - _RATE_WINDOW_SECONDS:
            self._marks.pop(0)
        since, before = self._marks[0]
        return (answered - before) / (now - since) if now > since else 0.0

    def _projected_end(self, now: float, rate: float, queued: int) -> float | None:
        limit = self._engine.config.crawl.max_pages
        left = queued if limit is None else min(queued, limit - pages_of(self._engine.counts))
        return now + left / rate if rate > 0 and left > 0 else None


async def crawl_into(  # noqa: PLR0913 - what to crawl, how, and who is told
    place: Path | Layout,
    config: Config,
    seeds: Sequence[Link],
    *,
    watch: Watch | None = None,
    started: Callable[[RunningCrawl], None] | None = None,
    selection: Selection | None = None,
) -> Summary:
    """Open, crawl, close. `started` is handed the running crawl, so that it can be stopped. With a
    selection these stored pages are asked for again, and nothing else is."""
    engine = Engine(place, config, None if selection is None else Mode.REFRESH)
    try:
        if selection is not None:
            engine.refresh(selection)
        running = RunningCrawl(engine, watch)
        if started is not None:
            started(running)
        return await running.run(seeds)
    finally:
        await engine.close()
