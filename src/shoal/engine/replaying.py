"""How does a page come back out of the archive? Its visit is made again, without asking anybody.

What the archive holds of a visit goes through the parts that a crawl uses: it is read in a child
process, judged, settled and committed in one batch, as of the time at which it was made. Nothing is
archived a second time: the row points at the records that are there.
"""

import asyncio
import ipaddress
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from shoal.core import Crawl
from shoal.errors import DamagedError
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.state.rows import REVISIT
from shoal.model.document import Understood, WarcLocation
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome, State
from shoal.model.principal import OWNER
from shoal.model.record import Struct, changed
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import SOURCES, Fetched, Keep, Visit, VisitKind
from shoal.ports import Understander
from shoal.store.archived_visits import ArchivedVisit, fetched_of
from shoal.store.pages import PageStore

_AT_ONCE = 16
_BYTES_AT_ONCE = 32_000_000
_LOOKED_AT_BYTES = 2000
_SITEMAPS = (b"<urlset", b"<sitemapindex")

BodyOf = Callable[[str], WarcLocation | None]
"""Where the body with a digest stands."""


class Replayed(Struct):
    visits: int = 0
    unread: list[str] = []
    """URLs whose records do not read, or whose body is not in the archive."""


class _Job(NamedTuple):
    visit: Visit
    fetched: Fetched
    archived: ArchivedVisit
    reading: "asyncio.Task[Understood]"


class Replaying:
    def __init__(
        self, crawl: Crawl, frontier: DiskFrontier, understander: Understander, store: PageStore
    ) -> None:
        self._crawl = crawl
        self._frontier = frontier
        self._understander = understander
        self._store = store
        self._jobs: list[_Job] = []
        self._done = Replayed()
        self._counted: dict[bytes, bool] | None = None
        """Of each site met: whether its row had counted its visits before. None: nobody has."""

    async def replay(
        self,
        directory: Path,
        visits: Iterable[ArchivedVisit],
        body_of: BodyOf,
        *,
        counted: bool = False,
    ) -> Replayed:
        """In the order given, which should be that of time. `counted`: a site whose row is there
        has counted these visits when they were made."""
        self._counted = {} if counted else None
        for archived in visits:
            row = row_key(archived.url)
            if any(job.visit.row == row for job in self._jobs):
                await self._commit_all()
            try:
                body_at = body_of(archived.digest) if archived.is_revisit else archived.response
                fetched = fetched_of(directory, archived, body_at or archived.response)
            except DamagedError:
                self._done.unread.append(archived.url)
                continue
            if self._says_nothing(row, archived, fetched, body_at):
                continue
            visit = self._visit(row, archived, fetched, body_at)
            reading = asyncio.create_task(self._read(visit, fetched))
            self._jobs.append(_Job(visit, fetched, archived, reading))
            size = sum(len(job.fetched.body) for job in self._jobs)
            if len(self._jobs) >= _AT_ONCE or size > _BYTES_AT_ONCE:
                await self._commit_all()
        await self._commit_all()
        return self._done

    async def _read(self, visit: Visit, fetched: Fetched) -> Understood:
        return await self._understander.understand(visit, fetched)

    def _says_nothing(
        self, row: bytes, archived: ArchivedVisit, fetched: Fetched, body_at: WarcLocation | None
    ) -> bool:
        """Whether it only says that a page is as it was, and the page is not there."""
        if fetched.outcome is Outcome.UNCHANGED:
            return self._store.page(row, OWNER) is None
        if archived.is_revisit and body_at is None:
            self._done.unread.append(archived.url)
            return True
        return False

    def _visit(
        self, row: bytes, archived: ArchivedVisit, fetched: Fetched, body_at: WarcLocation | None
    ) -> Visit:
        site, known = site_of_key(row), self._frontier.urls.read(row)
        if _is_private(archived.address):
            self._frontier.sites.admit_private(site)
        self._set_times(row, fetched)
        visit = Visit(
            archived.url,
            row,
            site,
            _kind(archived, fetched),
            level=1,
            keep=Keep.TEXT,  # its response is in the archive
            is_first=known is None and self._store.page(row, OWNER) is None,
        )
        if known is not None:
            visit.kind, visit.depth, visit.hops = known.kind, known.depth, known.hops
            visit.source = known.source
            visit.level = known.level if 0 < known.level < REVISIT else 1
            visit.etag, visit.last_modified = known.etag, known.last_modified
        else:
            visit.source = LinkSource.LINK
        if archived.is_revisit:
            visit.seen_digest, visit.seen_location = archived.digest, body_at
            visit.seen_at = archived.when
        return visit

    def _set_times(self, row: bytes, fetched: Fetched) -> None:
        """To the millisecond where the visit itself is still known: it then takes its own place."""
        for when, visit in self._store.history(row, OWNER):
            if int(visit.started) == int(fetched.started):
                fetched.started, fetched.ended = visit.started, when
                return

    async def _commit_all(self) -> None:
        jobs, self._jobs = self._jobs, []
        for visit, fetched, archived, reading in jobs:
            understood = changed(
                await reading, response=archived.response, request=archived.request
            )
            if self._is_counted(visit.site):
                self._uncount(visit, fetched)
            self._crawl.commit(visit, fetched, understood)
            self._done.visits += 1

    def _is_counted(self, site: bytes) -> bool:
        if self._counted is None:
            return False
        if site not in self._counted:
            self._counted[site] = self._frontier.sites.row(site).visits > 0
        return self._counted[site]

    def _uncount(self, visit: Visit, fetched: Fetched) -> None:
        """The commit counts it once more for its site."""
        site = self._frontier.sites.row(visit.site)
        site.visits -= 1
        site.bytes -= len(fetched.body)
        known = self._frontier.urls.read(visit.row)
        is_new = known is None or known.state not in (State.FETCHED, State.UNCHANGED)
        site.fetched -= is_new and fetched.outcome is Outcome.OK and visit.kind not in SOURCES
        visit.is_counted = True


def _is_private(address: str) -> bool:
    try:
        return bool(address) and ipaddress.ip_address(address).is_private
    except ValueError:
        return False


def _kind(archived: ArchivedVisit, fetched: Fetched) -> VisitKind:
    if archived.is_requisite:
        return VisitKind.REQUISITE
    return VisitKind.SITEMAP if _is_sitemap(fetched.body) else VisitKind.PAGE


def _is_sitemap(body: bytes) -> bool:
    """What a URL was asked for as stands in its row; where that is lost, in its first bytes."""
    return any(word in body[:_LOOKED_AT_BYTES] for word in _SITEMAPS)
