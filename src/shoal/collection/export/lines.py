"""What of a tablet leaves with an export? Lines about URLs and pages, and records of the archive.

What owners say about AI use goes with every record.
"""

from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import NamedTuple

from shoal.clock import as_datetime, iso
from shoal.collection.collection import Collection
from shoal.collection.page import Page
from shoal.collection.report.marks_told import Marks, as_json
from shoal.collection.view import TabletView
from shoal.layout.index_state import fate_of
from shoal.layout.ranges import key_range
from shoal.model.document import WarcLocation
from shoal.model.listings.sitemap_metadata import SitemapMetadata
from shoal.model.outcome import State
from shoal.model.record import Struct
from shoal.model.urls.rowkey import row_key, url_of
from shoal.model.visit import VisitKind
from shoal.store import cdxj
from shoal.store.archive import read_record_at
from shoal.store.pages import Filter, StoredPage

_REQUISITES = f"{State.SOURCE}/{VisitKind.REQUISITE}"


class Part(NamedTuple):
    """Of a collection, that is exported."""

    start: bytes
    end: bytes
    since: float | None = None

    @classmethod
    def of(cls, where: str, since: float | None) -> "Part":
        return cls(*key_range(where), since)

    @property
    def since_digits(self) -> str:
        """As the archive writes times."""
        return "" if self.since is None else as_datetime(self.since).strftime("%Y%m%d%H%M%S")


class UrlLine(Struct):
    url: str
    state: str
    reason: str
    depth: int
    status: int
    visits: int


class VisitLine(Struct):
    when: str
    outcome: str
    status: int
    seconds: float
    address: str
    location: str
    note: str
    cut: bool
    tries: int
    change: str
    """Whether its content had changed: `none`, `minor`, `major`; empty: not known."""


class PageLine(Struct):
    url: str
    status: int
    fetched: str
    title: str
    text: str
    language: str
    media_type: str
    charset: str
    description: str
    canonical: str
    body_digest: str
    text_digest: str
    duplicate_of: str
    same_text_as: str
    fate: str
    problem: str
    rules: dict[str, bool | int | float | None]
    ai_use: dict[str, str | bool]
    links: list[tuple[str, str]]
    anchors: list[tuple[str, str]]
    told: list[SitemapMetadata]
    """By sitemaps: pictures, videos, news, translations."""
    author: str
    published: str
    """ISO 8601, as far as the page says it."""
    licenses: list[str]
    """URLs of the terms under which it stands, by its own word."""
    marks: Marks
    """What was found out about it, by name."""


def url_lines(
    view: TabletView,
    start: bytes,
    end: bytes,
    state: str | None = None,
    since: float | None = None,
) -> Iterator[tuple[bytes, UrlLine]]:
    """The known URLs of a range of rows, by their rows; with a time, those fetched since."""
    for row, url in view.known(start, end, state):
        if since is None or url.fetched_ms >= since * 1000:
            reason = fate_of(url.reason, row, view.holds)
            yield row, UrlLine(url_of(row), url.state, reason, url.depth, url.status, url.visits)


def visit_lines(collection: Collection, url: str) -> list[VisitLine]:
    """The remembered visits of one URL, the newest first."""
    return [
        VisitLine(
            when=iso(when),
            outcome=visit.outcome,
            status=visit.status,
            seconds=visit.seconds,
            address=visit.address,
            location=visit.location,
            note=visit.note,
            cut=visit.cut,
            tries=visit.tries,
            change=visit.change,
        )
        for when, visit in collection.history(url)
    ]


def page_line(page: Page) -> PageLine:
    document = page.document
    return PageLine(
        url=page.url,
        status=page.status,
        fetched=page.fetched,
        title=document.title,
        text=page.text,
        language=document.language,
        media_type=document.media_type,
        charset=document.charset,
        description=document.description,
        canonical=document.canonical,
        body_digest=document.body_digest,
        text_digest=document.text_digest,
        duplicate_of=page.duplicate_of,
        same_text_as=document.same_text_as,
        fate=page.fate,
        problem=document.problem,
        rules={name: getattr(document.rules, name) for name in document.rules.__struct_fields__},
        ai_use=page.ai_use,
        links=page.collection.links(page.url),
        anchors=page.collection.anchors(page.url),
        told=page.told,
        author=document.author,
        published=document.published,
        licenses=document.licenses,
        marks=as_json(page.collection.marks(page.url)),
    )


class Wanted(NamedTuple):
    """A record of the archive that goes with a page."""

    location: WarcLocation
    brought: bool
    """The body that a revisit refers to, whose own page comes later or not at all."""
    row: bytes = b""
    """The row of the page whose body is brought along."""


def archived(
    collection: TabletView, start: bytes, part: Part
) -> Iterator[tuple[bytes, list[Wanted]]]:
    """The records of each stored page, in row order, and of what pages need to look as they did."""
    pages = collection.store.stream(start, part.end, collection.principal, Filter(since=part.since))
    found = ((page.row, records_of(collection, page, part)) for page in pages)
    return merge(found, _of_requisites(collection, start, part), key=itemgetter(0))


def _of_requisites(
    collection: TabletView, start: bytes, part: Part
) -> Iterator[tuple[bytes, list[Wanted]]]:
    """They have no document, and so no readers: they are the owner's."""
    counts = collection.frontier.counts()
    if not (counts[_REQUISITES] and collection.principal.everything):
        return
    for row, url in collection.frontier.urls(start, part.end):
        if url.kind is not VisitKind.REQUISITE or url.state is not State.SOURCE:
            continue
        history = collection.store.history(row, collection.principal)
        visits = (visit for when, visit in history if part.since is None or when >= part.since)
        if (newest := next(visits, None)) is not None:
            locations = (newest.response, newest.request)
            yield row, [Wanted(each, brought=False) for each in locations if each is not None]


def records_of(collection: TabletView, page: StoredPage, part: Part) -> list[Wanted]:
    """The archived records of a stored page: a response and its request, and a revisit with the
    response that it refers to, unless that one's page is of this part and came before."""
    fetch, found = page.fetch, []
    if fetch.payload is not None and fetch.payload != fetch.visit.response:
        record = read_record_at(collection.layout.warc, fetch.payload)
        row = row_key(record.headers.get("warc-target-uri", ""))
        has_come = part.start <= row < page.row and is_own(
            collection, row, fetch.payload, part.since
        )
        if not has_come and may_name(collection, row):
            found.append(Wanted(fetch.payload, brought=True, row=row))
    locations = (fetch.visit.response, fetch.visit.request)
    return found + [
        Wanted(location, brought=False) for location in locations if location is not None
    ]


def is_own(collection: TabletView, row: bytes, location: WarcLocation, since: float | None) -> bool:
    """Whether a record is the body of a stored page, which is exported with it."""
    page = collection.store.page(row, collection.principal)
    if page is None or page.fetch.payload != location:
        return False
    return since is None or page.when >= since


def is_of(collection: TabletView, entry: cdxj.Entry, part: Part) -> bool:
    row = row_key(entry.capture.url)
    return (
        part.start <= row < part.end
        and entry.timestamp >= part.since_digits
        and may_name(collection, row)
    )


def may_name(collection: TabletView, row: bytes) -> bool:
    principal = collection.principal
    return principal.everything or collection.store.page(row, principal) is not None
