"""What becomes of a URL when its visit has ended? Its row, by the table of outcomes
(model/outcome.py).

A fault that may pass puts it back into the queue for a later try; everything else settles it.
Documents that a visit yields beside its own page get rows of their own.
"""

from typing import NamedTuple

from shoal.frontier.books import Books
from shoal.frontier.discovery import Discovery
from shoal.frontier.rows import UrlRow
from shoal.frontier.urls import Card
from shoal.model.cell import to_ms
from shoal.model.document import Fate, Understood
from shoal.model.link import Source
from shoal.model.outcome import TREATMENT, Outcome, State
from shoal.model.rowkey import part_of
from shoal.model.visit import Fetched, Kind, Visit
from shoal.ports import Batch


class Ending(NamedTuple):
    """A visit with everything that is known of it."""

    visit: Visit
    fetched: Fetched
    understood: Understood
    now: float
    next_due: float | None = None


class Settler:
    def __init__(self, books: Books, discovery: Discovery) -> None:
        self._urls = books.urls
        self._sites = books.sites
        self._discovery = discovery

    def settle(self, batch: Batch, ending: Ending) -> UrlRow:
        visit, fetched, _, now, next_due = ending
        card = self._urls.card(visit.row) or _new_card(visit, now)
        url = card.url
        self._discovery.dequeue(batch, card)
        if fetched.outcome is Outcome.CANCELLED:
            self._discovery.enqueue(batch, card, 0, now)  # as if never taken
            return url
        url.visits += fetched.asked
        url.tries = visit.tries + 1
        url.status = fetched.status
        treatment = TREATMENT[fetched.outcome]
        if url.tries < treatment.tries:
            wait = treatment.wait * 2 ** (url.tries - 1)
            self._discovery.enqueue(batch, card, to_ms(now + wait), now)
            return url
        url.state, url.reason = treatment.state, reason_of(ending)
        url.tries = 0
        if fetched.outcome in (Outcome.OK, Outcome.EMPTY_ANSWER):
            _remember_validators(url, ending)
        self._count_site(visit, fetched, url)
        if next_due is None:
            self._urls.write(batch, card, now)
        else:
            self._discovery.enqueue(batch, card, to_ms(next_due), now)
        self._settle_parts(batch, ending)
        return url

    def _settle_parts(self, batch: Batch, ending: Ending) -> None:
        visit, fetched, understood, now, _ = ending
        for document in understood.documents:
            if not document.name:
                continue
            row = visit.row + part_of(document.name)
            known = self._urls.card(row)
            if known is not None:
                self._discovery.dequeue(batch, known)
            part = UrlRow(
                State.FETCHED,
                document.fate,
                depth=visit.depth,
                source=Source.INJECT,
                found_from=visit.row,
                found_ms=to_ms(now),
                fetched_ms=to_ms(fetched.ended),
                visits=1,
            )
            counted_as = None if known is None else known.counted_as
            self._urls.write(batch, Card(row, part, counted_as), now)

    def _count_site(self, visit: Visit, fetched: Fetched, url: UrlRow) -> None:
        if visit.kind is Kind.INJECTED:
            return
        site = self._sites.row(visit.site)
        site.visits += fetched.asked
        site.bytes += len(fetched.body)
        site.fetched += url.state is State.FETCHED
        site.failed += url.state is State.FAILED
        self._sites.touch(visit.site)


def reason_of(ending: Ending) -> str:
    """Why a URL is in its state, in words; what precedes the colon is what it is counted under."""
    fetched, documents = ending.fetched, ending.understood.documents
    match TREATMENT[fetched.outcome].state:
        case State.FETCHED:
            return documents[0].fate if documents else Fate.EMPTY
        case State.GONE:
            return str(fetched.status)
        case State.EXCLUDED if fetched.outcome is Outcome.REFUSED:
            return fetched.note
        case State.EXCLUDED | State.FAILED:
            return f"{fetched.outcome}: {fetched.note or fetched.status}"
    return ""


def has_own_text(understood: Understood) -> bool:
    """Whether a page says something that no other page said, as far as is known."""
    return any(
        document.text_digest and document.fate is not Fate.DUPLICATE
        for document in understood.documents
    )


def _new_card(visit: Visit, now: float) -> Card:
    url = UrlRow(State.QUEUED, depth=visit.depth, source=visit.source, found_ms=to_ms(now))
    return Card(visit.row, url, None)


def _remember_validators(url: UrlRow, ending: Ending) -> None:
    visit, fetched = ending.visit, ending.fetched
    headers = dict(fetched.headers)  # the last of each name
    url.etag = headers.get("etag", "")
    url.last_modified = headers.get("last-modified", "")
    documents = ending.understood.documents
    digest = documents[0].body_digest if documents else ""
    url.fetched_ms = int(fetched.started * 1000)
    if not (digest and digest == visit.seen_digest and url.body_ms):
        # The same body again is archived as a revisit, which refers to the date of the first
        # record: seconds cut, not rounded, as they are there. A body that stands in another page's
        # record has none here to refer to.
        elsewhere = bool(visit.seen_url) and digest == visit.seen_digest
        url.digest, url.body_ms = ("", 0) if elsewhere else (digest, url.fetched_ms)
