"""The crawl: the textbook's crawler thread, on one screen. It knows only ports.

    while not frontier.done():
        site  ← next_site            a site whose turn it is, and nobody else's until it is released
        visit ← site.next_url        its robots.txt first of all
        fetch                        if the site permits it
        release(site)                when the response has ended: the wait starts here
        understand                   in a child process; a slow page idles no site
        commit                       one batch: rows, anchors, links, outbox, log, next due

Invariants: a visit is acknowledged only by its commit, so a kill repeats what was in flight and
loses nothing; whatever happens between lease and release, the site is released, and an unknown
result counts as a request.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from shoal.clock import Clock
from shoal.model.change_history import Change
from shoal.model.document import Understood
from shoal.model.outcome import Outcome
from shoal.model.visit import OF_SITE, SOURCES, Fetched, Visit, VisitKind, refused
from shoal.model.visit_result import AGAIN, result_of
from shoal.ports import Batch, Duplicates, Fetcher, Frontier, Lease, Store, Understander

Note = Callable[[Batch], None]
"""Adds to the batch of a commit."""


class Parts(NamedTuple):
    """What a crawl is made of; `engine` chooses."""

    frontier: Frontier
    fetcher: Fetcher
    understander: Understander
    duplicates: Duplicates
    store: Store
    clock: Clock


class Limits(Protocol):
    """When is it enough?"""

    met: str
    """The limit, in words, that ends the crawl once what goes with its last pages is there."""

    def reached(self) -> str:
        """Which limit is reached, in words; empty when none is."""
        ...

    def room(self, claimed: int) -> bool:
        """Whether another page may be started while so many are already claimed."""
        ...


@dataclass
class Progress:
    """What happened in this run, for the live line; the durable counts stand in the table."""

    fetched: int = 0
    unchanged: int = 0
    other: int = 0
    failed: int = 0
    refused: int = 0
    bytes: int = 0
    fetch_seconds: float = 0.0
    requests: int = 0
    again: int = 0
    """Visits to pages that were visited before; of these:"""
    changed: int = 0
    missing: int = 0
    again_failed: int = 0

    def note(self, visit: Visit, fetched: Fetched, change: Change) -> None:
        if not fetched.requested:
            self.refused += 1
            return
        self.requests += 1
        self.bytes += len(fetched.body)
        self.fetch_seconds += fetched.seconds
        if visit.kind in OF_SITE or visit.kind in SOURCES:
            return
        if visit.kind is VisitKind.PAGE:
            self._note_again(result_of(visit, fetched, change))
        match fetched.outcome:
            case Outcome.OK:
                self.fetched += 1
            case Outcome.UNCHANGED:
                self.unchanged += 1
            case Outcome.REDIRECT | Outcome.MISSING | Outcome.GONE | Outcome.EMPTY_ANSWER:
                self.other += 1
            case Outcome.CHANGED:
                pass  # a HEAD: it is asked for whole
            case _:
                self.failed += 1

    def _note_again(self, result: str) -> None:
        self.again += result in AGAIN
        self.changed += result == "changed"
        self.missing += result in ("gone", "moved")
        self.again_failed += result == "failed"


class Crawl:
    def __init__(self, parts: Parts, limits: Limits) -> None:
        self._parts = parts
        self._limits = limits
        self._claimed = 0
        """Places of the limit on pages that workers hold, whether they have a site yet or not."""
        self._freed = asyncio.Event()
        self.progress = Progress()
        self.stopping = ""
        """Why the crawl takes no more work; empty while it does."""

    async def run(self, workers: int) -> None:
        """Work until the frontier is done, a limit is reached, or `stop` is called."""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._work())
        except BaseExceptionGroup as faults:
            raise faults.exceptions[0] from None  # the first worker's fault stopped the others
        self.stopping = self.stopping or self._limits.met

    def stop(self, reason: str) -> None:
        """Take no more work; what is in flight is finished and committed."""
        self.stopping = self.stopping or reason
        self._parts.frontier.halt()
        self._freed.set()

    def look_again(self) -> None:
        """A limit may have moved by other means than a visit's end."""
        if reason := self._limits.reached():
            self.stop(reason)
        self._freed.set()

    async def _work(self) -> None:
        frontier = self._parts.frontier
        while not frontier.done() and await self._acquire_slot():
            try:
                site = await frontier.next_site()
                if site is not None:  # else nothing is ready now, which is not "finished"
                    await self._visit(site)
            finally:
                self._free_place()

    async def _visit(self, site: Lease) -> None:
        """One turn of a site. It keeps nothing: a worker that waits holds no body."""
        frontier, fetcher, clock = self._parts.frontier, self._parts.fetcher, self._parts.clock
        visit, fetched, is_settled = site.next_url(), Fetched(Outcome.CANCELLED), False
        try:
            try:
                refusal = site.refusal(visit)
                fetched = refused(refusal, clock.now()) if refusal else await fetcher.fetch(visit)
            finally:
                if is_dropped := fetched.outcome is Outcome.DROPPED:
                    frontier.give_back(visit)  # it is asked again, when the site's wait is over
                frontier.release(site, fetched)
            if not is_dropped:
                understood = await self._understand(visit, fetched)
                for document in understood.documents if fetched.readers else ():
                    document.readers = list(fetched.readers)
                self.commit(visit, fetched, understood)
            is_settled = True
        finally:
            if not is_settled:
                frontier.give_back(visit)

    def commit(
        self, visit: Visit, fetched: Fetched, understood: Understood, note: Note | None = None
    ) -> None:
        """One batch for everything that one visit changes; `note` adds what its source remembers
        of it."""
        store = self._parts.store
        batch = store.batch()
        verdict = self._parts.duplicates.judge(batch, visit, fetched, understood)
        finished = self._parts.frontier.finish(batch, visit, fetched, understood, verdict)
        store.keep(batch, visit, fetched, understood, finished)
        if note is not None:
            note(batch)
        store.commit(batch)
        self.progress.note(visit, fetched, finished.change)

    async def inject(self, visit: Visit, fetched: Fetched, note: Note | None = None) -> Understood:
        """A document that came past frontier and fetch, with its bytes, its time and its readers,
        who are those of all that is inside it, too."""
        understood = await self._understand(visit, fetched)
        for document in understood.documents:
            document.readers = list(visit.readers)
            document.fields = [*document.fields, *visit.fields]
            document.published = document.published or understood.documents[0].published
        self.commit(visit, fetched, understood, note)
        return understood

    def _understand(self, visit: Visit, fetched: Fetched) -> Awaitable[Understood]:
        self._parts.duplicates.recognize(visit, fetched)
        return self._parts.understander.understand(visit, fetched)

    async def _acquire_slot(self) -> bool:
        """Whether to take more work. Waits while what is in flight may yet fill the last places."""
        while not self.stopping:
            if reason := self._limits.reached():
                self.stop(reason)
            elif self._limits.room(self._claimed):
                self._claimed += 1
                return True
            else:
                self._freed.clear()
                await self._freed.wait()
        return False

    def _free_place(self) -> None:
        self._claimed -= 1
        self._freed.set()
