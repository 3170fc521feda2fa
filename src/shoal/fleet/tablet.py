"""How does one tablet of a cluster run? As a collection does, with an owner's duties beside it.

It is claimed, the former owner's lease is waited out, its directory is made from the last durable
state, and the ordinary engine crawls in it, in a thread with an event loop of its own. Beside the
crawl: the lease is renewed, the outbox is emptied, what other tablets send is taken in, and what is
written is made durable: by syncing it on a shared file system, by checkpoints elsewhere. Only what
is durable, while the lease holds, is acknowledged.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from shoal.cluster.exchange import Pipe, Sender
from shoal.cluster.objects import StoreFault, open_objects
from shoal.cluster.ownership import Ownership
from shoal.config import Config
from shoal.control.cluster_commands import ClusterCommands, TabletCommands
from shoal.control.command_targets import by_tablet
from shoal.engine.engine import Engine
from shoal.engine.exchange import Exchange
from shoal.engine.running import RunningCrawl
from shoal.errors import CollectionError, Fenced
from shoal.fleet.borrowing import Borrowing
from shoal.fleet.deliveries import Arriving
from shoal.fleet.page_share import PageShare
from shoal.fleet.snapshots import take_snapshot
from shoal.fleet.tablet_spec import TabletSpec
from shoal.fleet.tablet_storage import Storage, storage_of
from shoal.fleet.tablet_views import TabletViews
from shoal.frontier.schedule.allowance import Mode
from shoal.layout.cluster_status import AskedAgain, TabletReport
from shoal.layout.identity import TabletIdentity
from shoal.layout.layout import Layout
from shoal.layout.tablet_place import tablet_name
from shoal.loop import fast_loop, to_its_end
from shoal.model.link import Link
from shoal.model.messages import Delivery, Receipt
from shoal.model.principal import OWNER, Principal
from shoal.model.urls.partition import Partition
from shoal.sources.inbox import Command

Answer = TypeVar("Answer")
Given = TypeVar("Given")

_LOOK_SECONDS = 0.5
_RENEWALS_PER_LEASE = 3
_ANSWER_SECONDS = 60.0


class Tablet:
    """One tablet, from its claim to its end. Methods may be called from any thread."""

    def __init__(
        self,
        spec: TabletSpec,
        config: Config,
        seeds: Sequence[Link],
        pipe: Pipe,
        on_fenced: Callable[[], None] | None = None,
    ) -> None:
        self.spec = spec
        self._config = config
        self._seeds = seeds
        self._pipe = pipe
        self._on_fenced = on_fenced
        self._state = "starting"
        self._problem = ""
        self._idle = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._finishing = False
        self._stop_reason = ""
        """Why it is to stop, when that was said before the crawl began."""
        self._engine: Engine | None = None
        self._exchange: Exchange | None = None
        self._running: RunningCrawl | None = None
        self._arriving: Arriving | None = None
        self._borrowing: Borrowing | None = None
        self._pages: PageShare | None = None
        self._storage: Storage | None = None
        self._ownership = Ownership(
            open_objects(spec.place), f"tablets/{tablet_name(spec.number)}", spec.who, spec.lease
        )
        self._started = time.monotonic()
        self._waited = 0.0
        self._last_durable = 0.0
        self._views = TabletViews()
        self._found_waiting: set[str] = set()
        """Keys of the commands that it carried out before its first request."""
        self._saving = threading.Lock()
        """Held while what was written is made durable: one at a time, and not while it closes."""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"tablet-{spec.number}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self, seconds: float | None = None) -> None:
        self._thread.join(seconds)

    # --- what others ask of it --------------------------------------------------------------

    def deliver(self, delivery: Delivery) -> Receipt:
        """Take in what another tablet sends."""
        return self._submit(self._take, delivery).result(_ANSWER_SECONDS)

    async def deliver_async(self, delivery: Delivery) -> Receipt:
        """The same, from another event loop."""
        return await asyncio.wrap_future(self._submit(self._take, delivery))

    def ask(self, question: Callable[..., Answer], *given: Any, **named: Any) -> Answer:
        """Answer a question (collection/tablets.py) from what is stored."""
        return self.ask_as(OWNER, question, *given, **named)

    def ask_as(
        self, principal: Principal, question: Callable[..., Answer], *given: Any, **named: Any
    ) -> Answer:
        """Likewise, for whoever asks."""
        if self._storage is None or self._engine is None:
            raise CollectionError(f"Tablet {self.spec.number} is not open yet; try again.")
        return self._views.ask(Layout(self._storage.path), principal, question, *given, **named)

    def carry_out(self, commands: Sequence[Command], key: str) -> None:
        """Do what people want of the crawl, unless it found that waiting when it began. When it
        returns, that is durable."""
        todo = () if key in self._found_waiting else commands
        self._submit(self._obey, todo).result(_ANSWER_SECONDS)
        self._make_durable()

    def grant(self, most: Sequence[int], turn: int) -> int | None:
        """How many pages each tablet may count in all from now on. Answers what holds here; None
        while it does not run."""
        with suppress(CollectionError, TimeoutError):
            if self._pages is not None:
                given = (most[self.spec.number], turn)
                return self._submit(self._pages.take, given).result(_ANSWER_SECONDS)
        return None

    def snapshot(self, name: str) -> tuple[str, str]:
        """Where its table is as of now, and on which machine; whoever asks has it deleted."""
        with self._saving:
            if self._engine is None or self._state != "running":
                raise CollectionError(f"Tablet {self.spec.number} is not open; try again.")
            made = take_snapshot(self._engine.layout, self._engine.checkpoint, name)
            return str(made.absolute()), self.spec.who

    def report(self) -> TabletReport:
        engine, running = self._engine, self._running
        found = TabletReport(
            number=self.spec.number,
            epoch=self._ownership.epoch,
            state=self._state,
            who=self.spec.who,
            problem=self._problem,
            idle=self._idle,
            waited_seconds=self._waited,
            last_durable=self._last_durable,
        )
        outbox = None if self._exchange is None else self._exchange.outbox
        if engine is None or running is None or outbox is None:
            return found
        found.sent, found.outbox = outbox.sent, outbox.depth
        found.taken = 0 if self._arriving is None else self._arriving.arrivals.taken
        found.counts = engine.counts.as_dict()
        found.granted = 0 if self._pages is None else self._pages.granted
        done = running.progress
        found.again = AskedAgain(done.again, done.changed, done.missing, done.again_failed)
        if running.live is not None:
            found.pages_per_second = running.live.pages_per_second
            found.in_flight = running.live.in_flight
        found.uploaded_bytes = 0 if self._storage is None else self._storage.uploaded_bytes
        return found

    def finish(self) -> None:
        """Nobody has anything left to do."""
        self._finishing = True
        self._soon(self._woken.set)

    def stop(self, reason: str) -> None:
        """Take no more work; what is in flight is finished, made durable, and the tablet left."""
        self._stop_reason = self._stop_reason or reason
        if self._running is not None:
            self._soon(partial(self._running.stop, reason))
        self._soon(self._woken.set)

    def _soon(self, act: Callable[[], None]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(act)

    def _submit(self, act: Callable[[Given], Answer], given: Given) -> "Future[Answer]":
        if self._loop is None or self._state != "running":
            raise CollectionError(f"Tablet {self.spec.number} is not open; try again.")

        async def call() -> Answer:
            return act(given)

        return asyncio.run_coroutine_threadsafe(call(), self._loop)

    def _take(self, delivery: Delivery) -> Receipt:
        if self._arriving is None:
            raise CollectionError(f"Tablet {self.spec.number} is closing; try again.")
        self._ownership.must_hold()
        receipt = self._arriving.take(delivery)
        live = None if self._running is None else self._running.live
        if delivery.wanted is not None and self._borrowing is not None:
            receipt.lent = self._borrowing.lender.lend(delivery.sender, delivery.wanted)
        receipt.busy = live is not None and live.in_flight >= self._config.crawl.workers
        self._woken.set()
        return receipt

    def _obey(self, commands: Sequence[Command]) -> None:
        if self._engine is None:
            raise CollectionError(f"Tablet {self.spec.number} is closing; try again.")
        handler = self._engine.commands()
        for command in commands:
            handler.carry_out(command)
        self._woken.set()

    # --- its life ---------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=fast_loop()) as runner:
                self._loop = runner.get_loop()
                runner.run(self._live())
            self._state = "done"
        except Fenced as error:
            self._state, self._problem = "fenced", str(error)
            if self._on_fenced is not None:
                self._on_fenced()
        except Exception as error:  # noqa: BLE001 - it is told, and whoever started it decides
            self._state, self._problem = "failed", f"{type(error).__name__}: {error}"
        finally:
            self._views.close()

    async def _live(self) -> None:
        spec, ownership = self.spec, self._ownership
        self._state = "claiming"
        wait = await asyncio.to_thread(ownership.claim)
        renewing = asyncio.create_task(asyncio.to_thread(self._keep_lease))
        try:
            self._state = "waiting"
            await self._watch(renewing, asyncio.sleep(wait))
            self._state = "opening"
            storage = self._storage = storage_of(spec.place, spec.work)
            prefix = tablet_name(spec.number)
            await self._watch(renewing, asyncio.to_thread(storage.prepare, prefix, ownership.epoch))
            await self._watch(renewing, self._crawl(storage))
        finally:
            self._over.set()
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
        await asyncio.to_thread(ownership.leave)

    async def _watch(self, renewing: "asyncio.Task[None]", work: Any) -> None:
        """Do some work for as long as the lease can be renewed."""
        task = asyncio.ensure_future(work)
        await asyncio.wait({task, renewing}, return_when=asyncio.FIRST_COMPLETED)
        if renewing.done() and not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            renewing.result()
        await task

    async def _crawl(self, storage: Storage) -> None:
        ownership = self._ownership
        requested_by_others = 0.0 if ownership.was_left else time.time()
        partition = Partition(self.spec.number, self.spec.tablets)
        identity = TabletIdentity(
            partition, ownership.epoch, ownership.holds, ownership.must_hold, requested_by_others
        )
        selection = self.spec.selection
        mode = None if selection is None else Mode.REFRESH
        engine = self._engine = Engine(Layout(storage.path), self._config, mode, identity=identity)
        try:
            if selection is not None:
                engine.refresh(selection)
            exchange = engine.exchange()
            if exchange.outbox is None:
                raise CollectionError("a tablet needs a seat")
            self._exchange = exchange
            await asyncio.to_thread(storage.attach, engine, ownership.must_hold)
            self._arriving = Arriving(exchange)
            number, epoch = self.spec.number, ownership.epoch
            borrowing = self._borrowing = Borrowing(exchange, number, epoch, self._pipe)
            running = self._running = RunningCrawl(engine, peers=self)
            if self.spec.are_pages_granted:
                self._pages = PageShare(engine, exchange.frontier, running)
            if self._stop_reason:
                running.stop(self._stop_reason)
            beside = [
                asyncio.create_task(Sender(exchange.outbox, self._pipe).run()),
                asyncio.create_task(borrowing.run()),
                asyncio.create_task(exchange.remote_duplicates.go_through()),
            ]
            if not storage.is_shared:
                beside.append(asyncio.create_task(self._checkpoint_now_and_then()))
            self._state, self._waited = "running", time.monotonic() - self._started
            try:
                for task in beside:
                    task.add_done_callback(self._stop_without)
                await running.run(self._seeds)
                await asyncio.to_thread(self._make_durable)
            finally:
                self._state = "closing"
                for task in beside:
                    task.cancel()
                ended = await asyncio.gather(*beside, return_exceptions=True)
            fault = next((each for each in ended if isinstance(each, Exception)), None)
            if fault is not None:
                raise fault
        finally:
            await to_its_end(self._close(engine))

    async def _close(self, engine: Engine) -> None:
        try:
            await asyncio.to_thread(self._end_saving)
        finally:
            await engine.close()

    def _stop_without(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and task.exception() is not None and self._running is not None:
            self._running.stop("a part of it failed")

    def _keep_lease(self) -> None:
        """In a thread: opening a large table, or judging all of it again, holds up the loop for
        longer than a lease."""
        ownership = self._ownership
        while not self._over.wait(self.spec.lease / _RENEWALS_PER_LEASE):
            try:
                ownership.renew()
            except StoreFault:  # while the lease lasts it may be tried again
                ownership.must_hold()

    # --- the Peers of its crawl -------------------------------------------------------------

    def begin(self) -> None:
        """The coordinator hands out the same commands, and deletes them when all have them. They
        are read in the loop, so that none is handed out between the reading and the doing."""
        for key, command in ClusterCommands(open_objects(self.spec.place)).take():
            if isinstance(command, TabletCommands):
                self._obey(by_tablet(command.commands, self.spec.tablets).get(self.spec.number, ()))
                self._found_waiting.add(key)

    async def more(self) -> bool:
        engine, running, exchange = self._engine, self._running, self._exchange
        if engine is None or running is None or exchange is None:
            return False
        try:
            while not (self._finishing or running.stopping):
                self._woken.clear()
                if not engine.is_done:
                    return True
                self._idle = not exchange.remote_duplicates.pending
                await engine.clock.wait(self._woken, _LOOK_SECONDS)
        finally:
            self._idle = False
        return False

    def sync(self) -> None:
        if self._storage is not None and self._storage.is_shared:
            self._make_durable()
        elif self._engine is not None:
            self._engine.sync()

    async def _checkpoint_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(self.spec.checkpoint)
            with suppress(StoreFault):  # the next one takes along what this one did not
                await asyncio.to_thread(self._make_durable)

    def _make_durable(self) -> None:
        """What a fenced owner writes nobody will find: so it is said only while the lease holds."""
        with self._saving:
            if self._engine is None or self._arriving is None or self._storage is None:
                return
            arrivals, began = self._arriving.arrivals, time.time()
            durable = arrivals.now()
            self._storage.make_durable(self._engine)
            self._ownership.must_hold()
            arrivals.settle(durable)
            self._last_durable = began

    def _end_saving(self) -> None:
        """A checkpoint whose task was cancelled is still being made, in its thread."""
        with self._saving:
            self._arriving = None
