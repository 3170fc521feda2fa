"""Which concrete parts make a crawl? Opens a collection for writing and puts the parts together.

The only place, with its neighbours in this folder, that names parts of two rooms.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from shoal.body_memory import BodyMemory
from shoal.clock import SystemClock
from shoal.cluster.outbox import Outbox
from shoal.config import Config
from shoal.core import Crawl, Parts
from shoal.counters import Counts
from shoal.duplicates.duplicates import DiskDuplicates
from shoal.engine.carry_out import CommandHandler
from shoal.engine.exchange import Exchange
from shoal.engine.index_following import IndexFollowing
from shoal.engine.injecting import Injecting
from shoal.engine.limits import CrawlLimits
from shoal.engine.local_files import keep_to_owner, look_again, may_name
from shoal.engine.own_documents import OwnDocuments
from shoal.engine.own_tidying import Tidying
from shoal.engine.part_settings import child_config, child_limits, frontier_settings, signature_of
from shoal.engine.preflight import is_nameless
from shoal.engine.rank_upkeep import link_facts
from shoal.engine.recovery import Recovered, mend_archive, set_clock
from shoal.engine.remote_duplicates import RemoteDuplicates
from shoal.engine.replaying import Replaying
from shoal.engine.revisit_settings import budget_per_second, mode_of, refresher_of
from shoal.engine.source_schedule import DiskSourceSchedule
from shoal.engine.topics.desk import TopicDesk, topical
from shoal.focus.rules import load_rules, parse_rules
from shoal.focus.scope import CrawlScope, anywhere
from shoal.frontier.background.revisit_dates import Selection, leave_chosen
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.state.rows import MODE_KEY
from shoal.frontier.state.settings import Report, Seams
from shoal.frontier.state.view import FrontierView
from shoal.layout.crawl_row import CRAWL_KEY, scope_settings, stored_crawl
from shoal.layout.duplicates import duplicates
from shoal.layout.identity import TabletIdentity, adopt_identity, borrower_of
from shoal.layout.layout import Layout, WriteLock
from shoal.layout.runs import RunLog
from shoal.model.link import Link
from shoal.model.messages import Root
from shoal.model.record import pack
from shoal.model.urls.rowkey import site_of_key
from shoal.model.urls.url import site_of
from shoal.model.visit import Keep
from shoal.store.archive_ends import written_ends
from shoal.store.archive_sync import ArchiveSync
from shoal.store.pages import PageStore
from shoal.store.rows import stored_fate
from shoal.store.table import CACHE_BYTES, READER_CACHE_BYTES, RocksTable
from shoal.understand.pool import Pool
from shoal.understand.process import command_for
from shoal.worker.child_config import FACTORY
from shoal.worker.fetchers import fetchers, resolver

_SPENDING_SECONDS = 60.0


class Engine:
    """A collection, opened for writing."""

    def __init__(  # noqa: PLR0913 - whose it is, and what it is opened for
        self,
        place: Path | Layout,
        config: Config,
        mode: Mode | None = None,
        *,
        at_rest: bool = False,
        identity: TabletIdentity | None = None,
        gives_way: bool = False,
    ) -> None:
        """`at_rest`: no crawl begins, revisits are left as they were. With an `identity` it is one
        tablet of many. `gives_way`: to others who want to write."""
        self.config = config
        self.layout = place if isinstance(place, Layout) else Layout(place)
        self.clock = SystemClock()
        self._identity, self._at_rest = identity, at_rest
        self._mode = mode or mode_of(config)
        self._counts: Counts | None = None
        self._rules = load_rules(config.crawl.rules) if config.crawl.rules else ""
        depths = (config.crawl.max_depth, parse_rules(self._rules).max_depth)
        self._max_depth = min((each for each in depths if each is not None), default=None)
        # What the person said on the command line of the first crawl becomes the collection's own.
        self.layout.create(config.from_flags_as_toml())
        with ExitStack() as undo:
            self._lock = undo.enter_context(WriteLock(self.layout, gives_way=gives_way))
            self._table = undo.enter_context(self._open_table())
            self._open()
            undo.pop_all()

    # --- opening ----------------------------------------------------------------------------

    def _open(self) -> None:
        clock_was_behind = set_clock(self._table, self.clock)
        adopt_identity(self._table, self._identity, self.layout.directory, at_rest=self._at_rest)
        mended = mend_archive(self._table, self.layout.warc, self.clock.now())
        self._open_store()
        self._row = stored_crawl(self._table, self.layout.directory)
        self._nameless = is_nameless(self.config, self._row.roots)
        """Whether nobody says who asks, so that no public address may be asked."""
        self._resolver = resolver(self.config, self.clock)
        self._scope = self._scope_of(self._row.roots)
        self._prints = self._open_prints()
        self._open_frontier()
        self._twins = RemoteDuplicates(self._prints.across, self._frontier, self._store)
        self._spending = (self.clock.now(), 0)
        """When it was last looked how many revisits had been made, and how many those were."""
        self.set_budget()
        self.recovered = Recovered(
            sites_counted_as_asked=self._frontier.recovered,
            torn_tails=mended.torn_tails,
            queued_again=mended.queued_again,
            missing_files=mended.missing_files,
            clock_was_behind_seconds=clock_was_behind,
        )
        """What the last process left undone, and was put right."""
        self.bodies = BodyMemory(self.config.fetch.body_memory)
        self._open_fetcher_and_readers()
        self._parts = Parts(
            self._frontier, self._fetcher, self._pool, self._prints, self._store, self.clock
        )
        counts, directory = self._frontier.counts, self.layout.directory
        self.limits = CrawlLimits(self.config, counts, directory, self.clock, self._is_behind)
        self.limits.take_no_pages = self._frontier.take_no_pages
        self._archive_sync = ArchiveSync(self.layout.warc)
        self.run_log = RunLog(self._table, self._mode)

    def _open_table(self) -> RocksTable:
        identity, path = self._identity, self.layout.table
        if identity is not None:
            return RocksTable(path, cache_bytes=identity.cache_bytes, guard=identity.must_hold)
        return RocksTable(path, cache_bytes=READER_CACHE_BYTES if self._at_rest else CACHE_BYTES)

    def _open_store(self) -> None:
        identity, versions = self._identity, self.config.crawl.versions
        self._outbox = (
            None if identity is None else Outbox(self._table, identity.partition, identity.epoch)
        )
        """What concerns other tablets."""
        self._store = PageStore(self._table, self.layout.warc, versions, self._outbox)

    def _open_prints(self) -> DiskDuplicates:
        identity, settings = self._identity, self.config.dedupe
        if identity is None or self._outbox is None:
            return duplicates(self._table, self._store, settings)
        return duplicates(
            self._table, self._store, settings, identity.partition, self._outbox.send_to
        )

    def _open_frontier(self) -> None:
        config, directory = self.config, self.layout.directory
        last = self._table.get("site", MODE_KEY)
        if self._at_rest and last is not None and Mode(last.decode()) is not Mode.REFRESH:
            self._mode = Mode(last.decode())
        self._refresher = refresher_of(self._table, config, self._mode, directory, self._budget)
        self._desk = DiskSourceSchedule(
            self._table, config, directory, steady=self._mode is Mode.STEADY
        )
        asked = 0.0 if self._identity is None else self._identity.requested_by_others
        settings = frontier_settings(config, self._mode, self._max_depth, asked)
        self._borrower = borrower_of(self._identity, settings.politeness.address_gap())
        learned = topical(self._table, self._store, directory, config)
        seams = Seams(
            remote=self._outbox,
            borrower=self._borrower,
            refresher=self._refresher,
            source_schedule=self._desk,
            links_of=lambda row: [out.link for out in self._store.links_of(row)],
            may_name=may_name,
            fate_of=partial(stored_fate, self._store.cells),
            prefetch=lambda urls: self._resolver.prefetch(site_of(url).host for url in urls),
            learned=self._prints.learned,
            seed_moved=self._move_seed,
            links=link_facts(config, self._store.linking, self.layout.graph, learned),
        )
        self._frontier = DiskFrontier(self._table, self.clock, settings, seams)
        here = (self._table, self._store, self._frontier, directory, self.clock)
        self.topics = TopicDesk(*here, learned)
        self._counts = self._frontier.counts

    def _open_fetcher_and_readers(self) -> None:
        config, identity = self.config, self._identity
        holds = None if identity is None else identity.holds
        self._fetcher = fetchers(
            config, self._resolver, self.clock, holds, lambda: self._nameless, self.bodies
        )
        children, limits = config.crawl.child_count, child_limits(config)
        how = self._child_config(), children, limits, self.clock, self.bodies
        self._pool = Pool(command_for(FACTORY), *how)

    # --- a crawl ----------------------------------------------------------------------------

    def crawl(self) -> Crawl:
        return Crawl(self._parts, self.limits)

    def _is_behind(self) -> bool:
        """Whether readers or other tablets must first take what is here for them."""
        if self.bodies.is_half_full or self._identity is None or self._outbox is None:
            return self.bodies.is_half_full
        return self._outbox.depth >= self._identity.most_outbox

    @property
    def table(self) -> RocksTable:
        return self._table

    @property
    def roots(self) -> list[str]:
        return list(self._row.roots)

    def start(self, seeds: Iterable[Link]) -> int:
        """Queue the seeds, and judge again what an earlier scope decided; how many changed."""
        self._pool.start()
        seeds = list(seeds)
        roots = dict.fromkeys([*self._row.roots, *(seed.url for seed in seeds)])
        if self._outbox is not None:  # every tablet is given all of them: they are its scope
            seeds = [seed for seed in seeds if self._outbox.owns(site_of_key(seed.row))]
        self._use_roots(list(roots))
        keep_to_owner(self.layout, self.config, self._row.roots)
        changed, signature = 0, self._signature()
        if self._row.signature and self._row.signature != signature:
            changed = self._frontier.rescope(self._scope.refuses, self._refuses_item())
        self.topics.begin()
        self._frontier.add(seeds)
        if self._mode is not Mode.REFRESH:
            look_again(self._table, self._frontier, self._row.roots)
        if self._mode is Mode.STEADY:
            self._frontier.change(self._frontier.schedules.date_all)
        self._row.signature = signature
        self._remember()
        return changed

    def _budget(self, planned: int) -> float:
        return budget_per_second(self.config, self._counts or Counts(), planned)

    def set_budget(self) -> None:
        """It follows the number of pages and what there is to do; the price follows what was really
        made of it."""
        allowance, now = self._frontier.allowance, self.clock.now()
        allowance.set_rate(self._budget(self._refresher.price.state.pages), now)
        since, spent = self._spending
        if now - since >= _SPENDING_SECONDS:
            self._refresher.price.spend(allowance.spent - spent, now - since)
            self._spending = (now, allowance.spent)

    def refresh(self, selection: Selection) -> None:
        """Choose the stored pages that are meant, all of them before it returns."""
        schedules = self._frontier.schedules
        self._frontier.change(partial(schedules.select, selection))
        while schedules.pending:
            self._frontier.change(schedules.go_on)

    def end_refresh(self) -> int:
        """How many pages were chosen and not asked for; they wait no more."""
        return leave_chosen(self._frontier) if self._mode is Mode.REFRESH else 0

    # --- who works on it --------------------------------------------------------------------

    def commands(self) -> CommandHandler:
        return CommandHandler(self._frontier, self._store, self._desk, self.topics, self.clock)

    def injecting(self) -> Injecting:
        return Injecting(self._parts, self._frontier, self._desk, Keep(self.config.crawl.keep))

    def own_documents(self, tidy: Tidying) -> OwnDocuments:
        how = self.crawl(), self._frontier, self._store, self._prints, self.clock, tidy
        return OwnDocuments(*how)

    def cpu_seconds(self) -> float:
        return time.process_time() + self._pool.stats.cpu_seconds

    def replaying(self, roots: list[str]) -> Replaying:
        """`roots`: what the collection started from, where its own row no longer says so."""
        if not self._row.roots:
            self._use_roots(roots)
            self._remember()
        return Replaying(self.crawl(), self._frontier, self._pool, self._store)

    def follow_index(self) -> IndexFollowing | None:
        """None: the settings want none."""
        if self.config.index.follow != "yes":
            return None
        return IndexFollowing(self.layout, self._table, self._store.log, self.config.index.memory)

    def exchange(self) -> Exchange:
        """With other tablets."""
        here = (self._table, self._frontier, self._store, self._twins, self._widen)
        return Exchange(*here, self._outbox, self._borrower)

    # --- how it stands ----------------------------------------------------------------------

    @property
    def counts(self) -> Counts:
        return self._frontier.counts

    @property
    def is_done(self) -> bool:
        """Nothing is in flight, and nothing becomes ready soon."""
        return self._frontier.done()

    def report(self) -> Report:
        """What is being done at the moment."""
        return self._frontier.report()

    def view(self) -> FrontierView:
        """What the table says of sites and URLs."""
        return FrontierView(self._table)

    def raise_url(self, row: bytes, priority: float) -> bool:
        """Fetch a known URL sooner."""
        return self._frontier.raise_url(row, priority)

    # --- keeping it -------------------------------------------------------------------------

    def checkpoint(self, path: Path) -> None:
        """The table as of now, in a directory of its own."""
        self._table.checkpoint(path)

    def archive_ends(self) -> dict[str, int]:
        """Of the archive files that rows know, those of former lives with them."""
        return written_ends(self._table) | self._store.ends.now()

    def sync(self) -> None:
        """Everything committed so far survives a power loss: the archive first, then the log."""
        ends = self._store.ends.now()  # of records that are in the files already
        self._archive_sync.sync()
        batch = self._table.batch()
        self._store.ends.note_synced(batch, ends)
        self.run_log.put(batch)
        self._table.write(batch)
        self._table.sync()

    async def close(self) -> None:
        with ExitStack() as undo:  # whatever fails on a full disk, the locks are given back
            undo.callback(self._lock.release)
            undo.callback(self._table.close)
            undo.callback(self._frontier.close)
            await self._pool.close()
            await self._fetcher.close()
            await self._resolver.close()

    def _move_seed(self, url: str) -> None:
        if self._outbox is not None and self._scope.refuses(url):
            batch = self._table.batch()
            self._outbox.send_all(batch, Root(url))
            self._table.write(batch)
        self._widen(url)

    def _widen(self, url: str) -> None:
        """A seed moved: its new site is in scope from the next page on."""
        if self._scope.refuses(url):
            # `with_root` adds no file: URL, nor a scheme that the crawl did not have before.
            self._use_roots(list(self._scope.with_root(url).roots))
            self._row.signature = self._signature()
            self._remember()

    def _use_roots(self, roots: list[str]) -> None:
        self._row.roots = roots
        self._nameless = is_nameless(self.config, roots)
        self._scope = self._scope_of(roots)
        self._pool.configure(self._child_config())

    def _remember(self) -> None:
        batch = self._table.batch()
        batch.put("site", CRAWL_KEY, pack(self._row))
        self._table.write(batch)

    def _scope_of(self, roots: list[str]) -> CrawlScope:
        return CrawlScope(scope_settings(self.config, self._rules, roots, self.clock.now()))

    def _refuses_item(self) -> Callable[[str], str]:
        """What is refused of a feed's items, if a person named it."""
        is_anywhere = self.config.feeds.scope == "any"
        return (anywhere(self._scope.settings) if is_anywhere else self._scope).refuses

    def _signature(self) -> bytes:
        return signature_of(self.config, self._scope.settings, self._max_depth)

    def _child_config(self) -> bytes:
        return child_config(self.config, self._rules, self._scope.settings, self.layout)
