"""What becomes of a URL when its visit has ended? Its row, by the table of outcomes
(model/outcome.py).

A fault that may pass puts it back into the queue for a later try; everything else settles it, and
in a steady crawl says when to look again. Documents that a visit yields beside its own page get
rows of their own and are never asked for: they follow the file that holds them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.outcome.missing import MissingSettings, ask_again_at, is_found, note_missing
from shoal.frontier.sources.guessed_sitemaps import why_missed
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.rows import REVISIT, UrlRow
from shoal.frontier.state.settings import MOST_LIES, Seams
from shoal.frontier.state.urls import UrlState
from shoal.model.cell import to_ms
from shoal.model.change_history import Change
from shoal.model.document import Document, Fate, Understood
from shoal.model.link import LinkSource
from shoal.model.listings.listing import ListedUrl
from shoal.model.outcome import TREATMENT, Outcome, State, of_status
from shoal.model.record import changed
from shoal.model.urls.rowkey import is_inside, part_of
from shoal.model.verdict import Verdict
from shoal.model.visit import SOURCES, Fetched, Visit, VisitKind
from shoal.ports import Batch

_STORED = (State.FETCHED, State.UNCHANGED)


class Ending(NamedTuple):
    """A visit with everything that is known of it."""

    visit: Visit
    fetched: Fetched
    understood: Understood
    verdict: Verdict
    now: float


class Settled(NamedTuple):
    """What has become of a visit's URL."""

    url: UrlRow
    verdict: Verdict
    """As it was judged, but that a page may have turned out to be a feed."""
    named: Sequence[ListedUrl]
    """What a sitemap or a feed names, as far as it is to be offered."""
    change: Change = Change.UNKNOWN
    """Whether the page says something else than before."""
    removed: Sequence[bytes] = ()
    """Rows of documents inside it that go with this visit."""
    is_back: bool = False
    """It was given up, refused or not answered, and is still the page that is stored."""


class Settler:
    def __init__(
        self, state: FrontierState, discovery: Discovery, seams: Seams, missing: MissingSettings
    ) -> None:
        self._urls = state.urls
        self._sites = state.sites
        self._discovery = discovery
        self._refresher = seams.refresher
        self._source_schedule = seams.source_schedule
        self._missing = missing
        self._fate_of = seams.fate_of

    def settle(self, batch: Batch, ending: Ending) -> Settled:
        visit, fetched, understood, verdict, now = ending
        state = self._urls.state_of(visit.row) or _new_state(visit, now)
        url = state.url
        if visit.source is LinkSource.INJECT:
            url.source = LinkSource.INJECT  # its source brings it from now on
        self._discovery.dequeue(batch, state)
        if is_inside(visit.row):  # an older release queued it: it waits no more
            url.state = State.FETCHED if url.state is State.QUEUED else url.state
            self._urls.write(batch, state, now)
            return Settled(url, verdict, understood.listed)
        is_revisit = visit.level >= REVISIT
        if fetched.outcome is Outcome.CANCELLED:
            # As if never taken.
            self._discovery.enqueue(batch, state, visit.due_ms, now, revisit=is_revisit)
            return Settled(url, verdict, understood.listed)
        url.visits += fetched.requested
        if verdict.documents:
            url.restricted = bool(verdict.documents[0].readers)
        self._learn_of_site(ending, url)
        if fetched.outcome is Outcome.CHANGED:
            url.ask_whole = True
            due_ms = max(0, visit.due_ms - 1)  # next, so that it soon shows what HEAD is worth
            self._discovery.enqueue(batch, state, due_ms, now, revisit=is_revisit)
            return Settled(url, verdict, understood.listed)
        url.tries, url.ask_whole = visit.tries + 1, False
        url.status = fetched.status
        treatment = TREATMENT[fetched.outcome]
        if url.tries < treatment.tries:
            wait = treatment.wait * 2 ** (url.tries - 1)
            # A revisit keeps its date, or a refresh would not take it again: its host's clock waits
            # as long.
            due_ms = visit.due_ms if is_revisit else to_ms(now + wait)
            self._discovery.enqueue(batch, state, due_ms, now, revisit=is_revisit)
            return Settled(url, verdict, understood.listed)
        url.tries = 0
        return self._settle(batch, state, ending)

    def _settle(self, batch: Batch, state: UrlState, ending: Ending) -> Settled:
        visit, fetched, url, now = ending.visit, ending.fetched, state.url, ending.now
        missed, was = "", url.state
        is_back = fetched.outcome is Outcome.UNCHANGED and was not in _STORED
        if url.source is LinkSource.GUESS and url.state is not State.SOURCE:
            missed = why_missed(fetched, ending.understood)
        url.reason = self._reason(ending, url)
        url.state = TREATMENT[fetched.outcome].state
        if visit.kind in SOURCES and is_found(fetched.outcome):
            url.state, url.reason = State.SOURCE, str(visit.kind)
        if missed:
            url.state, url.reason = State.EXCLUDED, missed
        settled, due = self._learn(batch, ending, url)
        if fetched.outcome in (Outcome.OK, Outcome.EMPTY_ANSWER):
            _remember_validators(url, ending)
        became_source = url.kind in SOURCES and visit.kind is VisitKind.PAGE
        became_page = visit.kind is VisitKind.REQUISITE and url.kind is VisitKind.PAGE
        if became_source:  # a 304 would hide its items
            url.etag = url.last_modified = ""
        self._count_site(visit, fetched, was, url.state)
        note_missing(url, fetched, now, self._missing)
        if url.lost and url.history is not None and self._refresher is not None:
            self._refresher.forget(batch, url.history)
        removed = _removed_with(url, ending)
        is_removed = visit.kind in SOURCES and due is None
        if self._missing.asks_again and not is_found(fetched.outcome) and not is_removed:
            due = ask_again_at(url, fetched.outcome, now, self._missing)
        if missed and not TREATMENT[fetched.outcome].blames_site:
            due = None
        if became_page:  # it was linked to while it was being asked for
            url.state, url.reason, url.etag, url.last_modified = State.QUEUED, "", "", ""
            self._discovery.enqueue(batch, state, 0, now)
        elif became_source and due is None:  # it was said to be one while it was being asked for
            again = self._missing.asks_again
            self._discovery.enqueue(batch, state, to_ms(now), now, revisit=again)
        elif due is None:
            self._urls.write(batch, state, now)
        else:
            self._discovery.enqueue(batch, state, to_ms(due), now, revisit=True)
        self._settle_parts(batch, ending, removed)
        return settled._replace(removed=removed, is_back=is_back)

    def _reason(self, ending: Ending, url: UrlRow) -> str:
        """A page that is unchanged is what it was: indexed, a duplicate, empty …"""
        if ending.fetched.outcome is not Outcome.UNCHANGED:
            return reason_of(ending)
        is_known = url.state is State.FETCHED and url.reason
        return url.reason if is_known else self._fate_of(ending.visit.row) or Fate.EMPTY

    def _learn(self, batch: Batch, ending: Ending, url: UrlRow) -> tuple[Settled, float | None]:
        """What the visit says of how the page changes, and when to look again."""
        visit, fetched, understood, verdict, now = ending
        named: Sequence[ListedUrl] = understood.listed
        due: float | None = None
        if visit.kind is VisitKind.REQUISITE:
            return Settled(url, verdict, named), None
        if visit.kind in SOURCES:
            self._forget_history(batch, url)
            if self._source_schedule is not None:
                named, due = self._source_schedule.take(batch, visit, fetched, understood, now)
            return Settled(url, verdict, named), due
        is_brought = visit.source is LinkSource.INJECT
        if self._refresher is None or is_brought or not is_found(fetched.outcome):
            return Settled(url, verdict, named), None
        url.history, change = self._refresher.learn(
            visit, fetched, understood, verdict.resemblance, url.history
        )
        if url.hinted_ms:
            self._learn_of_hint(visit.site, url, change)
        if verdict.documents and self._source_schedule is not None:
            own, *parts = verdict.documents
            due = self._source_schedule.adopt(batch, visit.row, own, now)
            if due is not None:
                url.kind, url.state, url.reason = VisitKind.FEED, State.SOURCE, str(VisitKind.FEED)
                verdict = changed(verdict, documents=[changed(own, fate=Fate.SOURCE), *parts])
        if url.kind in SOURCES:
            self._forget_history(batch, url)
            if visit.kind is VisitKind.INJECTED and self._missing.asks_again:
                due = max(now, url.due_ms / 1000)  # a feed's own item names it: it keeps its date
        else:
            due = self._refresher.plan(batch, visit.row, url.history, now)
        return Settled(url, verdict, named, change), due

    def _forget_history(self, batch: Batch, url: UrlRow) -> None:
        """When a source is asked for follows from what it names, not from how it changes."""
        if url.history is not None and self._refresher is not None:
            self._refresher.forget(batch, url.history)
        url.history = None

    def _learn_of_hint(self, site: bytes, url: UrlRow, change: Change) -> None:
        """Whether its sitemap was right in saying that it had changed."""
        url.hinted_ms = 0
        row = self._sites.row(site)
        row.hints_right += change in (Change.MINOR, Change.MAJOR)
        row.hints_wrong += change is Change.NONE
        self._sites.touch(site)

    def _learn_of_site(self, ending: Ending, url: UrlRow) -> None:
        """Whether conditions are heeded there, and what an answer to HEAD is worth."""
        visit, fetched = ending.visit, ending.fetched
        is_own = bool(visit.seen_digest) and visit.seen_url in ("", visit.url)
        is_same = is_own and any(
            document.body_digest == visit.seen_digest for document in ending.verdict.documents
        )
        row = self._sites.row(visit.site)
        if fetched.outcome is Outcome.UNCHANGED and not visit.head:
            row.deaf = 0
        elif fetched.outcome is Outcome.OK and is_same and (visit.etag or visit.last_modified):
            row.deaf += 1
            row.head_lies += url.ask_whole  # it had said that the page changed
        elif visit.head and fetched.outcome is Outcome.CHANGED and not _may_be_true(fetched):
            row.head_lies = MOST_LIES
        elif is_own and fetched.outcome is Outcome.OK and _has_same_validators(visit, fetched):
            row.head_lies = MOST_LIES  # another page under the same tag and date
        else:
            return
        self._sites.touch(visit.site)

    def _settle_parts(self, batch: Batch, ending: Ending, removed: Sequence[bytes]) -> None:
        visit, now = ending.visit, ending.now
        for row in removed:
            self._remove_part(batch, row, now)
        for document in ending.verdict.documents:
            if not document.name:
                continue
            row = visit.row + part_of(document.name)
            known = self._urls.state_of(row)
            if known is not None:
                self._discovery.dequeue(batch, known)
            part = UrlRow(
                State.FETCHED,
                document.fate,
                depth=visit.depth,
                source=LinkSource.INJECT,
                found_from=visit.row,
                found_ms=to_ms(now),
                fetched_ms=to_ms(ending.fetched.ended),
                visits=1,
                inside=is_inside(row),
            )
            counted_as = None if known is None else known.counted_as
            self._urls.write(batch, UrlState(row, part, counted_as), now)

    def _remove_part(self, batch: Batch, row: bytes, now: float) -> None:
        state = self._urls.state_of(row)
        if state is not None:
            self._discovery.dequeue(batch, state)
            state.url.state, state.url.reason = State.GONE, "no longer in its file"
            self._urls.write(batch, state, now)

    def _count_site(self, visit: Visit, fetched: Fetched, was: State, state: State) -> None:
        """Its requests and bytes, and how many of its URLs are fetched and failed: a page that is
        asked for again is not counted again."""
        if visit.kind is VisitKind.INJECTED:
            return
        site = self._sites.row(visit.site)
        site.visits += fetched.requested
        site.bytes += len(fetched.body)
        site.fetched = max(0, site.fetched + (state in _STORED) - (was in _STORED))
        site.failed = max(0, site.failed + (state is State.FAILED) - (was is State.FAILED))
        self._sites.touch(visit.site)


def _removed_with(url: UrlRow, ending: Ending) -> Sequence[bytes]:
    """Which documents inside it go: those that left it, or all when it is given up."""
    if not (url.lost or is_found(ending.fetched.outcome)):
        return ()
    return ending.verdict.left


def reason_of(ending: Ending) -> str:
    """Why a URL is in its state, in words; what precedes the colon is what it is counted under."""
    fetched, documents = ending.fetched, ending.verdict.documents
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


def _may_be_true(fetched: Fetched) -> bool:
    """Whether an answer to HEAD may be what GET answers, too: the page may be gone, or moved."""
    outcome = of_status(fetched.status)
    return outcome in (Outcome.OK, Outcome.MISSING, Outcome.GONE, Outcome.REDIRECT)


def _has_same_validators(visit: Visit, fetched: Fetched) -> bool:
    known = (visit.etag, visit.last_modified)
    return any(known) and known == (fetched.header("etag"), fetched.header("last-modified"))


def has_own_text(documents: Sequence[Document]) -> bool:
    """Whether a page says something that no other page said, as far as is known."""
    return any(
        document.text_digest and document.fate is not Fate.DUPLICATE for document in documents
    )


def _new_state(visit: Visit, now: float) -> UrlState:
    url = UrlRow(State.QUEUED, depth=visit.depth, source=visit.source, found_ms=to_ms(now))
    if visit.kind is VisitKind.REQUISITE:  # its row was lost
        url.kind, url.source = visit.kind, LinkSource.REQUISITE
    return UrlState(visit.row, url, None)


def _remember_validators(url: UrlRow, ending: Ending) -> None:
    visit, fetched = ending.visit, ending.fetched
    headers = dict(fetched.headers)  # the last of each name
    url.etag = headers.get("etag", "")
    url.last_modified = headers.get("last-modified", "")
    documents = ending.verdict.documents
    digest = documents[0].body_digest if documents else ""
    url.fetched_ms = int(fetched.started * 1000)
    if not (digest and digest == visit.seen_digest and url.body_ms):
        # The same body again is archived as a revisit, which refers to the date of the first
        # record: seconds cut, not rounded, as they are there. A body that stands in another page's
        # record has none here to refer to.
        elsewhere = bool(visit.seen_url) and digest == visit.seen_digest
        url.digest, url.body_ms = ("", 0) if elsewhere else (digest, url.fetched_ms)
