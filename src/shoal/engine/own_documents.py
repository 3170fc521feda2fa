"""How do one's own documents get in, change and go? What sources tell is taken into the collection.

A document that is new or other is read in a child process like any page. One that has moved is
known already: what is stored of it is taken in again under its new name. Each change is one batch
with what its source remembers of it; a kill between two of them costs a look, and at most one
reading.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from shoal import faults
from shoal.clock import Clock
from shoal.core import Crawl
from shoal.duplicates.duplicates import DiskDuplicates
from shoal.engine.own_tidying import Tidying
from shoal.engine.sharing import Sharing
from shoal.frontier.frontier import DiskFrontier
from shoal.model.document import Document, Fate, Understood
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome, State
from shoal.model.principal import OWNER
from shoal.model.source_change import Gone, Moved, Shared, SourceChange, Taken
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import Fetched, Keep, Visit, VisitKind
from shoal.ports import Batch, DocumentSource
from shoal.store.pages import PageStore, StoredPage
from shoal.store.rows import stored_inside

_BURST_SECONDS = 2.0
"""Of work that need not be waited for: a few changes are taken in at once."""
_LONGEST_REST_SECONDS = 1.0
_AT_ONCE = 4
"""Documents that are read side by side: each is held in memory whole."""
_NO_LONGER_THERE = "no longer there"


@dataclass
class Taking:
    """What was done, for people."""

    read: int = 0
    moved: int = 0
    shared: int = 0
    gone: int = 0

    @property
    def all(self) -> int:
        return self.read + self.moved + self.shared + self.gone


class CpuShare:
    """No more than a part of one core, over this process and its readers."""

    def __init__(self, share: float, spent: Callable[[], float]) -> None:
        self._share = share
        self._spent = spent
        self._at, self._before = time.monotonic(), spent()
        self._credit = _BURST_SECONDS

    async def rest(self) -> None:
        """Wait until what was spent is paid for."""
        self._settle()
        while self._credit < 0:
            await asyncio.sleep(min(-self._credit / self._share, _LONGEST_REST_SECONDS))
            self._settle()

    def _settle(self) -> None:
        now, spent = time.monotonic(), self._spent()
        earned = (now - self._at) * self._share
        self._credit = min(_BURST_SECONDS, self._credit + earned - (spent - self._before))
        self._at, self._before = now, spent


class OwnDocuments:
    def __init__(  # noqa: PLR0913 - the parts of a crawl, past which documents come
        self,
        crawl: Crawl,
        frontier: DiskFrontier,
        store: PageStore,
        duplicates: DiskDuplicates,
        clock: Clock,
        tidying: Tidying,
    ) -> None:
        self._crawl = crawl
        self._tidying = tidying
        self._clock = clock
        self._frontier = frontier
        self._store = store
        self._duplicates = duplicates
        self._sharing = Sharing(duplicates, frontier, store)
        self._reading = asyncio.Semaphore(_AT_ONCE)
        self.taking = Taking()

    async def take(
        self,
        source: DocumentSource,
        threads: ThreadPoolExecutor,
        between: Callable[[int], Awaitable[bool]],
        *,
        everything: bool,
    ) -> bool:
        """Look, and take in what is otherwise. `between` is told now and then how much was taken
        in, and asked whether to go on; returns whether it went on to the end."""
        lists, loop = source.changes(everything), asyncio.get_running_loop()
        while True:
            some = await loop.run_in_executor(threads, _next, lists)
            if some is None:
                return True
            await self._take_all(source, threads, some)
            if not await between(len(some)):
                return False

    async def _take_all(
        self, source: DocumentSource, threads: ThreadPoolExecutor, some: Iterable[SourceChange]
    ) -> None:
        async with asyncio.TaskGroup() as group:
            for change in some:
                match change:
                    case Taken():
                        group.create_task(self._read(source, threads, change))
                    case Moved():
                        group.create_task(self._move(source, threads, change))
                    case Shared():
                        self._share(source, change)
                    case Gone():
                        self.remove(source, change)

    # --- taking one in ----------------------------------------------------------------------

    async def _read(
        self, source: DocumentSource, threads: ThreadPoolExecutor, taken: Taken
    ) -> None:
        loop = asyncio.get_running_loop()
        async with self._reading:
            fetched = await loop.run_in_executor(threads, source.open, taken)
            if fetched is None:
                return
            if fetched.outcome is not Outcome.OK:
                if self._store.page(row_key(taken.url), OWNER) is not None:
                    self.remove(source, Gone(taken.url))
                return
            visit = self._visit(taken.url, taken.readers)
            visit.fields = list(taken.fields)
            self._tidying.note(visit.row, gone=False)
            await self._crawl.inject(visit, fetched, partial(source.note, change=taken))
            faults.point("source.read")
            self.taking.read += 1

    async def _move(
        self, source: DocumentSource, threads: ThreadPoolExecutor, moved: Moved
    ) -> None:
        pages = self._stored(row_key(moved.url))
        taken = Taken(moved.to, moved.stamp, moved.readers)
        links = [out.link for out in self._store.links_of(row_key(moved.url))]
        marks = self._store.marks(row_key(moved.url), OWNER)
        self.remove(source, Gone(moved.url))
        self.taking.gone -= 1
        faults.point("source.moving")
        if not pages:
            await self._read(source, threads, taken)
            return
        own, now = pages[0].fetch, self._clock.now()
        fetched = Fetched(
            Outcome.OK, 200, started=now, ended=now, headers=own.headers, cut=own.visit.cut
        )
        documents = [_as_new(page.document, moved.readers) for page in pages]
        understood = Understood(documents, links, fingerprints=[(b"", b"")] * len(documents))
        visit = self._visit(moved.to, moved.readers)
        self._tidying.note(visit.row, gone=False)
        self._crawl.commit(visit, fetched, understood, partial(source.note, change=taken))
        if marks:
            batch = self._store.batch()
            self._store.mark(batch, visit.row, marks, now)
            self._store.commit(batch)
        self.taking.moved += 1

    def _share(self, source: DocumentSource, shared: Shared) -> None:
        """Other people may read it, and what is inside it; the last is told to its source."""
        *inside, own = reversed([page.row for page in self._stored(row_key(shared.url))] or [b""])
        for each in inside:
            self._frontier.change(partial(self._share_row, each, shared, None))
        note = partial(source.note, change=shared)
        self._frontier.change(partial(self._share_row, own, shared, note))
        faults.point("source.shared")
        self.taking.shared += 1

    def _share_row(
        self,
        row: bytes,
        shared: Shared,
        note: Callable[[Batch], None] | None,
        batch: Batch,
        now: float,
    ) -> None:
        before = self._store.log.last
        if row:
            self._sharing.share(batch, row, shared, now)
        if note is not None:
            note(batch)
        self._store.log.await_since(before)

    def remove(self, source: DocumentSource, gone: Gone) -> None:
        """What is inside it goes first: whoever stands for a group is found in the table."""
        row = row_key(gone.url)
        self._tidying.note(row, gone=True)
        for inside in list(stored_inside(self._store.cells, row)):
            self._frontier.change(partial(self._remove_row, inside, None))
        self._frontier.change(partial(self._remove_row, row, partial(source.note, change=gone)))
        faults.point("source.removed")
        self.taking.gone += 1

    def _remove_row(
        self, row: bytes, note: Callable[[Batch], None] | None, batch: Batch, now: float
    ) -> None:
        before = self._store.log.last
        reassigned = self._duplicates.withdraw(batch, row)
        self._store.remove(batch, row, now)
        self._store.reassign(batch, reassigned, now)
        state = self._frontier.urls.state_of(row)
        if state is not None:
            self._frontier.discovery.dequeue(batch, state)
            state.url.state, state.url.reason = State.GONE, _NO_LONGER_THERE
            if note is not None:  # a crawl may ask for it again, if a person wants that
                state.url.source = LinkSource.LINK
            self._frontier.urls.write(batch, state, now)
        if note is not None:
            note(batch)
        self._store.log.await_since(before)

    # --- what is there ----------------------------------------------------------------------

    def _stored(self, row: bytes) -> list[StoredPage]:
        """A document, and those inside it."""
        rows = [row, *stored_inside(self._store.cells, row)]
        found = [self._store.whole(each, OWNER) for each in rows]
        return [] if found[0] is None else [page for page in found if page is not None]

    def _visit(self, url: str, readers: Sequence[str]) -> Visit:
        row = row_key(url)
        known = self._frontier.urls.read(row)
        return Visit(
            url,
            row,
            site_of_key(row),
            VisitKind.INJECTED,
            keep=Keep.TEXT,
            source=LinkSource.INJECT,
            is_first=known is None or not known.visits,
            readers=list(readers),
        )


def _next(lists: Iterator[Sequence[SourceChange]]) -> Sequence[SourceChange] | None:
    return next(lists, None)


def _as_new(document: Document, readers: Sequence[str]) -> Document:
    document.readers = list(readers)
    document.duplicate_of = document.same_text_as = ""
    if document.fate is Fate.DUPLICATE:
        document.fate = Fate.WAITING
    return document
