"""How does a document get in past the fetch? Articles of feeds, polled or pushed.

A pushed feed is read in a child process like one that was polled, and its new items are taken in
one batch with what is remembered of it; the order is done only then. Articles wait in the table
(frontier/sources/injections.py) and are read one after the other, as any page is.
"""

from itertools import islice

from shoal.core import Crawl, Parts
from shoal.engine.source_schedule import DiskSourceSchedule
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.sources.injections import Injection
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome
from shoal.model.record import changed
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.urls.url import canonical
from shoal.model.visit import Fetched, Keep, Visit, VisitKind
from shoal.sources.inbox import Push

_AT_ONCE = 100
_HTML = "text/html; charset=utf-8"


class Injecting:
    def __init__(
        self, parts: Parts, frontier: DiskFrontier, desk: DiskSourceSchedule, keep: Keep
    ) -> None:
        self._parts = parts
        self._frontier = frontier
        self._desk = desk
        self._keep = keep

    async def take_push(self, command: Push, body: bytes | None) -> None:
        """What a hub sent; nothing when the feed is no longer wanted, or says nothing."""
        url, store, clock = canonical(command.feed_url), self._parts.store, self._parts.clock
        if url is None or body is None:
            return
        row = row_key(url)
        asked = self._frontier.urls.read(row)
        source = LinkSource.FEED if asked is None else asked.source
        visit = Visit(url, row, site_of_key(row), VisitKind.FEED, keep=Keep.NONE, source=source)
        fetched = _as_if_fetched(body, command.content_type, clock.now())
        understood = await self._parts.understander.understand(visit, fetched)
        feed, known = understood.feed, self._desk.feed(row)
        if feed is None or not feed.form or known.removed:
            return
        # A hub often sends only what is new, without the links that a poll shows: they stay.
        pushed = changed(understood, feed=changed(feed, hubs=known.hubs, self_url=known.self_url))
        batch = store.batch()
        named, _ = self._desk.take_feed(batch, visit, fetched, pushed, clock.now())
        self._frontier.take_listed(batch, visit, named)
        store.commit(batch)

    async def inject_waiting(self, crawl: Crawl) -> int:
        """Have the articles read that wait for it. Returns how many there were."""
        found = list(islice(self._desk.injections.waiting(), _AT_ONCE))
        for number, injection in found:
            await crawl.inject(*self._visit(number, injection))
        return len(found)

    def _visit(self, number: int, injection: Injection) -> tuple[Visit, Fetched]:
        row, known = injection.row, self._frontier.urls.read(injection.row)
        visit = Visit(
            injection.url,
            row,
            site_of_key(row),
            VisitKind.INJECTED,
            depth=injection.depth,
            order=number,
            keep=self._keep,
            source=LinkSource.FEED,
            is_first=known is None or not known.visits,
        )
        return visit, _as_if_fetched(injection.html, _HTML, injection.when)


def _as_if_fetched(body: bytes, content_type: str, when: float) -> Fetched:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    return Fetched(
        Outcome.OK,
        200,
        started=when,
        ended=when,
        headers=[("content-type", content_type)],
        head=head,
        body=body,
    )
