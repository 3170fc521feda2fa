"""Which concrete parts make a crawl? Opens a collection for writing and puts the parts together.

The only place, with its neighbours in this folder, that names parts of two rooms.
"""

import math
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from shoal.clock import SystemClock
from shoal.cluster.outbox import Outbox
from shoal.config import VERSION, Config
from shoal.converters.limits import Limits as ReadLimits
from shoal.core import Crawl, Parts
from shoal.counters import Counts
from shoal.engine.limits import CrawlLimits
from shoal.engine.recovery import Recovered, mend_archive
from shoal.engine.remote_duplicates import Twins
from shoal.engine.revisit_settings import (
    again_settings,
    budget_per_second,
    missing_settings,
    mode_of,
    refresher_of,
)
from shoal.engine.source_schedule import Desk
from shoal.errors import CollectionError
from shoal.focus.priority import PrioritySettings
from shoal.focus.rules import load_rules, parse_rules
from shoal.focus.scope import CrawlScope, ScopeSettings
from shoal.focus.traps import latest_year
from shoal.frontier.background.revisit_dates import Selection
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.outcome.discovery import Reach
from shoal.frontier.schedule.allowance import Again
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.rows import CLOCK_KEY, MODE_KEY
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.layout.crawl_row import CRAWL_KEY, CrawlRow
from shoal.layout.duplicates import duplicates
from shoal.layout.identity import Seat, borrower_of, take_seat
from shoal.layout.layout import Layout, WriteLock
from shoal.layout.ranks import GRAPH
from shoal.model.link import Link, Rel, Source
from shoal.model.listings.feed import feed_key
from shoal.model.messages import Root
from shoal.model.record import VERSION as SCHEMA
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import site_of_key
from shoal.model.urls.url import site_of
from shoal.model.visit import Keep
from shoal.sources.inbox import Inbox
from shoal.store.archive_sync import ArchiveSync
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from shoal.understand.pool import ChildLimits, Pool
from shoal.understand.process import command_for
from shoal.worker.child_config import FACTORY, ChildConfig
from shoal.worker.fetchers import fetchers, resolver

_TYPICAL_FETCH_SECONDS = 0.5
_SITES_PER_WORKER = 3
_SPENDING_SECONDS = 60.0


class Engine:
    """A collection, opened for writing."""

    def __init__(
        self,
        place: Path | Layout,
        config: Config,
        mode: Again | None = None,
        *,
        at_rest: bool = False,
        seat: Seat | None = None,
    ) -> None:
        """`at_rest`: no crawl begins, so revisits are left as the last one left them. With a `seat`
        it is one tablet of many."""
        self._seat = seat
        self.config = config
        self._at_rest = at_rest
        self.mode = mode or mode_of(config)
        """Whether pages are asked for again."""
        self._counts: Counts | None = None
        self.layout = place if isinstance(place, Layout) else Layout(place)
        self.clock = SystemClock()
        rules = load_rules(config.crawl.rules) if config.crawl.rules else ""
        self._rules = rules
        self._max_depth = _least(config.crawl.max_depth, parse_rules(rules).max_depth)
        self.layout.create(_as_first_settings(config))
        self._clock_was_behind = 0.0
        """Seconds by which the machine's clock was set back since the last run."""
        with ExitStack() as undo:
            self._lock = undo.enter_context(WriteLock(self.layout))
            self.table = undo.enter_context(
                RocksTable(self.layout.table)
                if seat is None
                else RocksTable(
                    self.layout.table, cache_bytes=seat.cache_bytes, guard=seat.must_hold
                )
            )
            self._open()
            undo.pop_all()

    def _open(self) -> None:
        config = self.config
        written = self.table.get("site", CLOCK_KEY)
        if written is not None:
            self._clock_was_behind = self.clock.not_before(unpack(int, written) / 1000)
        seat = self._seat
        take_seat(self.table, seat, self.layout.directory, at_rest=self._at_rest)
        mended = mend_archive(self.table, self.layout.warc, self.clock.now())
        self.outbox = None if seat is None else Outbox(self.table, seat.partition, seat.epoch)
        """What concerns other tablets."""
        versions = config.crawl.versions
        self.store = PageStore(self.table, self.layout.warc, versions, self.outbox)
        self.inbox = Inbox(self.layout.inbox)
        stored = self.table.get("site", CRAWL_KEY)
        self._row = CrawlRow(SCHEMA, [], b"") if stored is None else unpack(CrawlRow, stored)
        if self._row.schema != SCHEMA:
            raise CollectionError(
                f"The collection in {self.layout.directory} is of another release of Shoal "
                f"(rows of version {self._row.schema}, this one writes {SCHEMA}); use that release."
            )
        self.resolver = resolver(config, self.clock)
        self.scope = CrawlScope(self._scope_settings(self._row.roots))
        self.prints = (
            duplicates(self.table, self.store, config.dedupe)
            if seat is None or self.outbox is None
            else duplicates(
                self.table, self.store, config.dedupe, seat.partition, self.outbox.send_to
            )
        )
        last = self.table.get("site", MODE_KEY)
        if self._at_rest and last is not None and Again(last.decode()) is not Again.ONLY:
            self.mode = Again(last.decode())
        directory, mode = self.layout.directory, self.mode
        self.refresher = refresher_of(self.table, config, mode, directory, self._budget)
        self.desk = Desk(self.table, config, directory, steady=mode is Again.ALSO)
        settings = self._frontier_settings()
        self.borrower = borrower_of(seat, settings.politeness.address_gap())
        seams = Seams(
            elsewhere=self.outbox,
            borrower=self.borrower,
            refresher=self.refresher,
            desk=self.desk,
            links_of=lambda row: [out.link for out in self.store.links_of(row)],
            prefetch=lambda urls: self.resolver.prefetch(site_of(url).host for url in urls),
            learned=self.prints.learned,
            seed_moved=self._move_seed,
        )
        self.frontier = DiskFrontier(self.table, self.clock, settings, seams)
        self._counts = self.frontier.counts
        self.twins = Twins(self.prints.across, self.frontier, self.store)
        self._spending = (self.clock.now(), 0)
        """When it was last looked how many revisits had been made, and how many those were."""
        self.set_budget()
        self.recovered = Recovered(
            sites_counted_as_asked=self.frontier.recovered,
            torn_tails=mended.torn_tails,
            queued_again=mended.queued_again,
            missing_files=mended.missing_files,
            clock_was_behind_seconds=self._clock_was_behind,
        )
        """What the last process left undone, and was put right."""
        self.fetcher = fetchers(
            config, self.resolver, self.clock, None if seat is None else seat.holds
        )
        self.pool = Pool(
            command_for(FACTORY),
            self._child_config(),
            config.crawl.child_count,
            ChildLimits(
                page_seconds=config.understand.timeout, memory_bytes=config.understand.memory
            ),
            self.clock,
        )
        self.limits = CrawlLimits(
            config, self.frontier.counts, self.layout.directory, self.clock, self._is_behind
        )
        self._archive_sync = ArchiveSync(self.layout.warc)

    def _is_behind(self) -> bool:
        """Whether other tablets must first take what is here for them."""
        seat, outbox = self._seat, self.outbox
        return seat is not None and outbox is not None and outbox.depth >= seat.most_outbox

    def crawl(self) -> Crawl:
        parts = Parts(self.frontier, self.fetcher, self.pool, self.prints, self.store, self.clock)
        return Crawl(parts, self.limits)

    @property
    def roots(self) -> list[str]:
        return list(self._row.roots)

    def start(self, seeds: Iterable[Link]) -> int:
        """Queue the seeds, and judge anew what an earlier scope decided. Returns how many
        changed."""
        seeds = list(seeds)
        roots = dict.fromkeys([*self._row.roots, *(seed.url for seed in seeds)])
        if self.outbox is not None:  # every tablet is given all of them: they are its scope
            seeds = [seed for seed in seeds if self.outbox.owns(site_of_key(seed.row))]
        self._use_roots(list(roots))
        changed = 0
        signature = pack((self.scope.settings, self._max_depth))
        if self._row.signature and self._row.signature != signature:
            changed = self.frontier.reconsider(self.scope.refuses)
        self.frontier.add(seeds)
        if self.mode is Again.ALSO:
            self.frontier.change(self.frontier.schedules.date_all)
        self._row.signature = signature
        self._remember()
        return changed

    def _budget(self, planned: int) -> float:
        counts = self._counts if self._counts is not None else Counts()
        return budget_per_second(self.config, counts, planned)

    def set_budget(self) -> None:
        """It follows the number of pages and what there is to do; the price follows what was really
        made of it."""
        per_second = self._budget(self.refresher.price.state.pages)
        allowance, now = self.frontier.allowance, self.clock.now()
        allowance.set_rate(per_second, now)
        since, spent = self._spending
        if now - since >= _SPENDING_SECONDS:
            self.refresher.price.spend(allowance.spent - spent, now - since)
            self._spending = (now, allowance.spent)

    def want_feed(self, url: str, *, wanted: bool) -> None:
        """Poll a feed from now on, or no more; said twice it does no harm."""
        row = self.store.find(url)
        feed = self.desk.feed(row)
        feed.removed = not wanted
        batch = self.store.batch()
        batch.put("site", feed_key(row), pack(feed))
        self.store.commit(batch)
        link = Link(url, row, rel=int(Rel.FEED), priority=1.0, source=Source.FEED)
        self.frontier.change(partial(self.frontier.schedules.want_feed, link, wanted))

    def refresh(self, selection: Selection) -> None:
        """Choose the stored pages that are meant, all of them before it returns."""
        schedules = self.frontier.schedules
        self.frontier.change(partial(schedules.select, selection))
        while schedules.pending:
            self.frontier.change(schedules.go_on)

    def mark(self, url: str, marks: Mapping[str, str]) -> None:
        """Write what was found out about a page to its row, and tell those who follow."""
        batch = self.store.batch()
        self.store.mark(batch, self.store.find(url), marks, self.clock.now())
        self.store.commit(batch)

    def sync(self) -> None:
        """Everything committed so far survives a power loss: the archive first, then the log."""
        ends = self.store.ends.now()  # of records that are in the files already
        self._archive_sync.sync()
        batch = self.table.batch()
        self.store.ends.note_synced(batch, ends)
        self.table.write(batch)
        self.table.sync()

    async def close(self) -> None:
        with ExitStack() as undo:  # whatever fails on a full disk, the locks are given back
            undo.callback(self._lock.release)
            undo.callback(self.table.close)
            undo.callback(self.frontier.close)
            await self.pool.close()
            await self.fetcher.close()
            await self.resolver.close()

    def _move_seed(self, url: str) -> None:
        if self.outbox is not None and self.scope.refuses(url):
            batch = self.table.batch()
            self.outbox.send_all(batch, Root(url))
            self.table.write(batch)
        self.widen(url)

    def widen(self, url: str) -> None:
        """A seed moved: its new site is in scope from the next page on."""
        if self.scope.refuses(url):
            # `with_root` adds no file: URL, nor a scheme that the crawl did not have before.
            self._use_roots(list(self.scope.with_root(url).roots))
            self._row.signature = pack((self.scope.settings, self._max_depth))
            self._remember()

    def _use_roots(self, roots: list[str]) -> None:
        self._row.roots = roots
        self.scope = CrawlScope(self._scope_settings(roots))
        self.pool.configure(self._child_config())

    def _remember(self) -> None:
        batch = self.table.batch()
        batch.put("site", CRAWL_KEY, pack(self._row))
        self.table.write(batch)

    def _scope_settings(self, roots: list[str]) -> ScopeSettings:
        crawl = self.config.crawl
        return ScopeSettings(
            kind=crawl.scope,
            roots=roots,
            include=list(crawl.include),
            exclude=list(crawl.exclude),
            rules=self._rules,
            max_url_length=self.config.url.max_length,
            max_segments=self.config.url.max_segments,
            max_parameters=self.config.url.max_parameters,
            latest_year=latest_year(self.clock.now()),
        )

    def _frontier_settings(self) -> FrontierSettings:
        config, seat = self.config, self._seat
        polite = config.politeness
        wanted = polite.rate * (polite.delay + _TYPICAL_FETCH_SECONDS)
        return FrontierSettings(
            levels=config.frontier.levels,
            bias=config.frontier.bias,
            capacity=max(_SITES_PER_WORKER * config.crawl.workers, math.ceil(wanted)),
            quantum=config.frontier.quantum,
            patience=config.crawl.patience,
            max_pages=config.crawl.max_pages,
            credit=config.frontier.credit,
            seen_cache=config.frontier.seen_cache,
            site_cache=config.frontier.site_cache,
            depth_first=config.crawl.order == "depth",
            reach=Reach(max_depth=self._max_depth, sitemaps=config.sitemaps.use != "no"),
            again=again_settings(config, self.mode),
            missing=missing_settings(config, self.mode),
            head=config.refresh.head == "yes",
            guess_sitemaps=config.sitemaps.use == "guess",
            sitemap_urls=config.sitemaps.max_urls,
            sitemap_depth=config.sitemaps.max_depth,
            by_priority=config.crawl.order == "priority",
            politeness=Politeness(
                delay=polite.delay,
                delay_factor=polite.delay_factor,
                slow_site_cap=polite.slow_site_cap,
                crawl_delay_cap=polite.crawl_delay_cap,
                address_share=polite.address_share,
                backoff_base=polite.backoff_base,
                backoff_cap=polite.backoff_cap,
                retry_after_cap=polite.retry_after_cap,
            ),
            keep=Keep(config.crawl.keep),
            asked_by_others=0.0 if seat is None else seat.asked_by_others,
        )

    def _child_config(self) -> bytes:
        config = self.config
        return pack(
            ChildConfig(
                scope=self.scope.settings,
                priority=PrioritySettings(order=config.crawl.order, rules=self._rules),
                product_token=config.agent.product_token,
                strip=config.url.strip,
                keep=config.url.keep,
                limits=ReadLimits(
                    decoded_bytes=config.understand.max_decoded, links=config.understand.max_links
                ),
                warc_directory=str(self.layout.warc),
                warc_max_bytes=config.archive.max_file,
                software=f"Shoal/{VERSION}",
                content=config.understand.content,
                prints=config.dedupe.near == "yes",
                graph_directory=str(self.layout.data / GRAPH),
            )
        )


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _as_first_settings(config: Config) -> str:
    """What the person said on the command line of the first crawl becomes the collection's own."""
    return config.from_flags_as_toml()
