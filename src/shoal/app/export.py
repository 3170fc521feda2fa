"""How does a collection leave? As URLs, JSON lines, one WARC file or an index of the archive, in
row order.

What owners say about AI use goes with every record.
"""

from collections.abc import Iterator
from typing import BinaryIO

from shoal.app.collection import Collection, Page
from shoal.app.indexing import index_holds
from shoal.app.where import key_range
from shoal.clock import as_datetime, iso
from shoal.model.document import Fate, Spot
from shoal.model.outcome import State
from shoal.model.record import Struct, to_json
from shoal.model.rowkey import row_key
from shoal.store import cdxj
from shoal.store.archive import read_member, read_spot


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


def urls(collection: Collection, where: str = "", state: State | None = None) -> Iterator[UrlLine]:
    holds = index_holds(collection.layout)
    for url, row in collection.urls(where, state):
        waits = row.reason == Fate.WAITING and row.state is State.FETCHED
        reason = str(Fate.INDEXED) if waits and holds(row_key(url)) else row.reason
        yield UrlLine(url, row.state, reason, row.depth, row.status, row.visits)


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


def pages(
    collection: Collection, where: str = "", since: float | None = None
) -> Iterator[PageLine]:
    for page in collection.pages(where, since=since):
        yield page_line(page)


def page_line(page: Page) -> PageLine:
    document, signals = page.document, page.document.signals
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
        fate=document.fate,
        problem=document.problem,
        rules={name: getattr(document.rules, name) for name in document.rules.__struct_fields__},
        ai_use={
            name: value
            for name in ("content_usage", "content_signal", "tdm_reservation", "tdm_policy", "noai")
            if (value := getattr(signals, name))
        },
        links=page.collection.links(page.url),
        anchors=page.collection.anchors(page.url),
    )


def write_jsonl(lines: Iterator[Struct], out: BinaryIO) -> int:
    count = 0
    for line in lines:
        out.write(to_json(line) + b"\n")
        count += 1
    return count


def write_warc(
    collection: Collection, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """The archived records of the stored pages, as they stand: a response and its request each,
    and a revisit with the response that it refers to. No record twice: its id is its own."""
    count = 0
    brought: set[Spot] = set()
    """Bodies that a revisit brought along before the page came that they are of."""
    start, _ = key_range(where)
    for page in collection.pages(where, since=since):
        fetch = page.stored.fetch
        spots = [fetch.visit.response, fetch.visit.request]
        if fetch.payload is not None and fetch.payload != fetch.visit.response:
            record = read_spot(collection.layout.warc, fetch.payload)
            row = row_key(record.headers.get("warc-target-uri", ""))
            first = collection.store.page(row, collection.principal)
            has_come = (
                start <= row < page.stored.row
                and first is not None
                and first.fetch.payload == fetch.payload
                and (since is None or first.when >= since)
            )
            if fetch.payload not in brought and not has_come and _may_read(collection, row):
                brought.add(fetch.payload)
                out.write(read_member(collection.layout.warc, fetch.payload))
                count += 1
        for spot in spots:
            if spot is not None and spot not in brought:
                out.write(read_member(collection.layout.warc, spot))
                count += 1
    return count


def write_cdxj(
    collection: Collection, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """An index of the archive's own files, for programs that read WARC: every version of every
    answer, pages or not."""
    start, end = key_range(where)
    first = "" if since is None else as_datetime(since).strftime("%Y%m%d%H%M%S")

    def wanted(entry: cdxj.Entry) -> bool:
        row = row_key(entry.capture.url)
        return start <= row < end and entry.timestamp >= first and _may_read(collection, row)

    count = 0
    for line in cdxj.lines(collection.layout.warc, wanted):
        out.write(line.encode() + b"\n")
        count += 1
    return count


def _may_read(collection: Collection, row: bytes) -> bool:
    principal = collection.principal
    return principal.everything or collection.store.page(row, principal) is not None
