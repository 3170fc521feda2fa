"""Which child reads which page, and what if it dies? The supervised pool behind `Understander`.

A child has one page in work and a few more waiting in its socket, so that it need not sleep between
two. When it dies or takes too long it is replaced: the page in work was the cause and becomes a
document that could not be read, those behind it go to another child. The guilty page is offered
once more for archiving alone, so that its raw response is kept; one whose reader was killed from
outside is read once more first. Every page handed in comes back, as a value or as an error.
"""

import asyncio
import logging
import signal
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.body_memory import BodyMemory
from shoal.clock import Clock
from shoal.errors import UnderstandError
from shoal.model.document import Understood
from shoal.model.record import Struct, pack, unpack
from shoal.model.visit import Fetched, Visit
from shoal.understand.frames import Answer, Ask, Setup, frame
from shoal.understand.process import ChildProcess, cause_of_death
from shoal.understand.unread import unread

_log = logging.getLogger(__name__)

MAX_FAILED_STARTS = 3
_RETRY_SECONDS = 5.0
"""Before another child is tried when starting failed but others still work."""
MOST_ASKED = 12
"""Pages that a child has at once, the one in work included."""
MOST_LARGE = 2
"""The most when the next page is large, which may take long and much memory."""
LARGE_BYTES = 200_000
_AHEAD_SECONDS = 1.0
"""A page is not sent behind one that has been in work for longer: it may hang."""
_EXIT_SECONDS = 1.0
"""For a child that closed its side to be gone."""


class ChildLimits(Struct, frozen=True):
    page_seconds: float = 60.0
    start_seconds: float = 60.0
    close_seconds: float = 5.0
    """For the page in work when the pool is closed."""
    memory_bytes: int = 1_500_000_000
    open_files: int = 256


@dataclass(slots=True)
class Stats:
    pages: int = 0
    deaths: int = 0
    """Children that died of a page."""
    timeouts: int = 0
    """Those of them that were stopped because a page took too long."""
    children: int = 0
    busy: int = 0
    waiting: int = 0
    """Pages that no child has yet."""
    cpu_seconds: float = 0.0
    """Spent by children on pages that came back."""
    fault: str = ""
    """Why no page is taken any more."""


class _Job:
    """One page on its way. `problem` is set once it has cost a child its life."""

    __slots__ = ("fetched", "future", "problem", "visit", "was_killed")

    def __init__(self, visit: Visit, fetched: Fetched, future: asyncio.Future[Understood]) -> None:
        self.visit = visit
        self.fetched = fetched
        self.future = future
        self.problem = ""
        self.was_killed = False
        """Its reader was killed from outside, which need not be the page's fault."""

    def frame(self) -> bytes:
        return frame(Ask.ARCHIVE if self.problem else Ask.READ, pack((self.visit, self.fetched)))

    def settle(self, understood: Understood) -> None:
        if not self.future.done():  # the caller may have gone
            if self.problem:
                understood = unread(self.visit, self.fetched, self.problem, understood)
            self.future.set_result(understood)

    def fail(self, fault: str) -> None:
        if not self.future.done():
            self.future.set_exception(UnderstandError(fault))


class _Child:
    """A child process and what it was asked, in order; None stands for its settings."""

    def __init__(self, pool: "Pool", command: Sequence[str], setup: bytes) -> None:
        self._pool = pool
        self.asked: deque[_Job | None] = deque()
        self.since = 0.0
        """When the first of them came first."""
        self.is_overdue = False
        self.verdict = ""
        """Why we killed it."""
        self.process = ChildProcess(command, self)
        self.ask(None, setup)

    def ask(self, job: _Job | None, data: bytes) -> None:
        self.asked.append(job)
        if len(self.asked) == 1:
            self.since = self._pool.now()
        self.process.send(data)

    def has_capacity(self, job: _Job) -> bool:
        if not self.asked:
            return True
        most = MOST_LARGE if len(job.fetched.body) > LARGE_BYTES else MOST_ASKED
        return len(self.asked) < most and self._pool.now() - self.since < _AHEAD_SECONDS

    def on_frame(self, kind: int, payload: bytes) -> None:
        if self.verdict:
            return
        try:
            self._pool.answered(self.asked[0], kind, payload)
        except (IndexError, ValueError) as error:  # not asked for; or not what was asked for
            self.condemn(f"the reader's answer makes no sense ({error})")
            return
        self.asked.popleft()
        self.since, self.is_overdue = self._pool.now(), False
        self._pool.dispatch()

    def on_end(self, fault: str) -> None:
        self.verdict = self.verdict or fault
        self._pool.died(self)

    def condemn(self, verdict: str) -> None:
        self.verdict = self.verdict or verdict
        self.process.kill()


class Pool:
    def __init__(  # noqa: PLR0913 - each is another thing
        self,
        command: Sequence[str],
        config: bytes,
        size: int,
        limits: ChildLimits,
        clock: Clock,
        bodies: BodyMemory | None = None,
    ) -> None:
        self._bodies = bodies or BodyMemory()
        self._command = command
        self._config = config
        self._size = size
        self._limits = limits
        self._clock = clock
        self._stats = Stats()
        self._children: list[_Child] = []
        self._jobs: deque[_Job] = deque()
        self._burials: set[asyncio.Task[None]] = set()
        self._watch: asyncio.TimerHandle | None = None
        self._failed_starts = 0
        self._failed_at = 0.0
        self._fault = ""

    def now(self) -> float:
        return self._clock.now()

    @property
    def stats(self) -> Stats:
        return replace(
            self._stats,
            children=len(self._children),
            busy=sum(1 for child in self._children if any(child.asked)),
            waiting=len(self._jobs),
            fault=self._fault,
        )

    def start(self) -> None:
        """Start the children, so that they are ready when the first page comes."""
        if self._watch is None:
            self._tick()

    async def understand(self, visit: Visit, fetched: Fetched) -> Understood:
        if self._fault:
            raise UnderstandError(self._fault)
        job = _Job(visit, fetched, asyncio.get_running_loop().create_future())
        places = range(len(self._jobs) if visit.is_awaited else 0)
        behind = (place for place in places if not self._jobs[place].visit.is_awaited)
        self._jobs.insert(next(behind, len(self._jobs)), job)
        self.start()
        self._bodies.take(len(fetched.body))
        try:
            self.dispatch()
            return await job.future
        finally:
            self._bodies.give_back(len(fetched.body))

    def configure(self, config: bytes) -> None:
        """New settings for every page that is handed in from now on."""
        self._config = config
        for child in self._children:
            child.ask(None, self._setup())

    async def close(self) -> None:
        """End all children; pages still on their way fail."""
        self._fail("The readers were closed before this page was read.")
        if self._watch is not None:
            self._watch.cancel()
        children, self._children = self._children, []
        for child in children:
            child.process.disconnect()
        ends = [child.process.bury(self._limits.close_seconds) for child in children]
        await asyncio.gather(*ends, *self._burials)

    def _fail(self, fault: str) -> None:
        self._fault = self._fault or fault
        on_their_way = [job for child in self._children for job in child.asked if job is not None]
        for job in (*self._jobs, *on_their_way):
            job.fail(self._fault)
        self._jobs.clear()

    def _setup(self) -> bytes:
        limits = self._limits
        return frame(Ask.SETUP, pack(Setup(self._config, limits.memory_bytes, limits.open_files)))

    def _tick(self) -> None:
        """The watchdog: stops what takes too long, and fills the pool up."""
        now, limits = self.now(), self._limits
        for child in self._children:
            if not child.asked:
                continue
            limit = limits.page_seconds if child.asked[0] else limits.start_seconds
            if now - child.since <= limit:
                continue
            # An answer may lie in the socket unread when our own process was held up: only who is
            # late at two ticks in a row is stopped.
            if child.is_overdue and not child.verdict:
                self._stats.timeouts += child.asked[0] is not None
                child.condemn(f"took longer than {limit:g} s")
            child.is_overdue = True
        self._fill()
        pause = min(1.0, max(0.01, min(limits.page_seconds, limits.start_seconds) / 8))
        self._watch = asyncio.get_running_loop().call_later(pause, self._tick)

    def _fill(self) -> None:
        while len(self._children) < self._size and not self._fault:
            if self._failed_starts >= MAX_FAILED_STARTS:
                if self.now() - self._failed_at < _RETRY_SECONDS:
                    return
                self._failed_starts -= 1
            try:
                self._children.append(_Child(self, self._command, self._setup()))
            except OSError as error:
                self._count_failed_start(str(error))

    def _count_failed_start(self, reason: str) -> None:
        self._failed_starts += 1
        self._failed_at = self.now()
        if self._failed_starts >= MAX_FAILED_STARTS and not self._children:
            self._fail(
                f"No process to read pages could be started, {self._failed_starts} tries: "
                f"{reason[:300]}. Run `shoal doctor`."
            )

    def dispatch(self) -> None:
        while self._jobs:
            job = self._jobs[0]
            free = [child for child in self._children if child.has_capacity(job)]
            if not free:
                return
            self._jobs.popleft()
            if job.future.done():
                continue  # its caller has gone
            try:
                data = job.frame()
            except ValueError as error:  # too large, or not to be written as UTF-8
                job.settle(unread(job.visit, job.fetched, f"can't be sent to a reader: {error}"))
            else:
                min(free, key=lambda child: len(child.asked)).ask(job, data)

    def answered(self, job: _Job | None, kind: int, payload: bytes) -> None:
        """Raises ValueError when this is no answer to that."""
        if (job is None) != (kind == Answer.READY):
            raise ValueError(f"an answer of kind {kind}")
        if job is None:
            return
        self._failed_starts = 0
        if kind == Answer.FAULT:
            job.fail(payload.decode("utf-8", "replace"))
            return
        understood = unpack(Understood, payload)
        self._stats.pages += 1
        self._stats.cpu_seconds += understood.cpu_seconds
        job.settle(understood)

    def died(self, child: _Child) -> None:
        """Its first page is guilty, what waited behind goes to others, another takes its place."""
        if child not in self._children:
            return  # the pool is being closed
        self._children.remove(child)
        guilty = child.asked.popleft() if child.asked else None
        self._jobs.extendleft(job for job in reversed(child.asked) if job is not None)
        burial = asyncio.get_running_loop().create_task(self._bury(child, guilty))
        self._burials.add(burial)
        burial.add_done_callback(self._burials.discard)
        if guilty is not None:
            self._fill()
            self.dispatch()

    async def _bury(self, child: _Child, guilty: _Job | None) -> None:
        exit_code = await child.process.bury(_EXIT_SECONDS)
        cause = child.verdict or cause_of_death(exit_code)
        last_words = child.process.last_words()
        _log.info("A reader ended: %s. %s", cause, last_words)
        if guilty is None:
            self._count_failed_start(child.verdict or last_words or cause)
        elif self._fault:
            guilty.fail(self._fault)
        else:
            self._stats.deaths += 1
            killed = not child.verdict and exit_code == -signal.SIGKILL
            self._blame(guilty, cause, killed)
        self._fill()
        self.dispatch()

    def _blame(self, guilty: _Job, cause: str, killed: bool) -> None:
        """A kill that is not ours (a person's, the kernel's when memory is short) may have met any
        page: it is read once more before its links are given up."""
        if killed and not guilty.was_killed and not guilty.problem:
            guilty.was_killed = True
            self._jobs.appendleft(guilty)
        elif guilty.problem:
            guilty.settle(Understood())  # archiving it killed another: let it go
        else:
            guilty.problem = cause
            self._jobs.appendleft(guilty)
