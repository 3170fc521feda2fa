"""Which feeds does a collection poll, and what does one say?

Feeds are added and removed by orders, like everything else that a person wants of a crawl: a
running one is told, a resting collection is changed at once. A list in OPML stands for all feeds in
it; what in it can't be polled is told, and does not keep the others out. Whoever may not read
everything is told of no feeds: they belong to the machinery of a crawl, not to what it found.
"""

import difflib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from shoal.access.opening import is_there, open_collection
from shoal.collection.collection import Collection
from shoal.collection.report.feed_table import known_feeds, pushed_until, time_of
from shoal.config import Config
from shoal.control import commands
from shoal.control.commands import Place
from shoal.control.one_file import body_of
from shoal.errors import UsageError
from shoal.model.document import Fate
from shoal.model.listings.feed import Feed, FeedRow
from shoal.model.record import Struct
from shoal.model.urls.url import canonical
from shoal.sources.feed_text import MAX_BYTES, decoded
from shoal.sources.opml import MAX_FEEDS, Outline, looks_like_opml, read_opml, write_opml
from shoal.sources.seeds import read_seeds, seed_url

_WEB = ("http://", "https://")
_NEAR = 3
_PAGES = ("text/html", "application/xhtml+xml")


class FeedLine(Struct):
    url: str
    title: str
    page_url: str
    polled: str
    """When it was last asked; empty: never."""
    next: str
    """When it is asked again; empty: as soon as a crawl runs."""
    status: int
    failures: int
    pushed_until: str
    """Until when its hub tells of changes; empty: it is polled only."""
    problem: str


class Added(Struct):
    urls: list[str]
    running: bool
    """Whether a crawl runs, which is told."""
    left_out: list[str]
    """What a list names that can't be polled."""


def feeds_of(collection: Collection) -> list[FeedLine]:
    """In the order of their sites; those that were removed are left out."""
    return [
        FeedLine(
            url=feed.url,
            title=feed.row.title,
            page_url=feed.row.page_url,
            polled=time_of(feed.row.polled_ms / 1000),
            next=feed.next,
            status=feed.row.status,
            failures=feed.row.failures,
            pushed_until=pushed_until(feed),
            problem=feed.row.problem or _outside(feed.row),
        )
        for feed in known_feeds(collection)
    ]


def _outside(row: FeedRow) -> str:
    """What of it is never fetched, in words."""
    if not row.outside:
        return ""
    return f"{row.outside:,} of its {row.items:,} items are outside the crawl's scope"


def add_feeds(place: Place, words: Sequence[str], stdin: BinaryIO | None = None) -> Added:
    """Poll these from now on: URLs, files in OPML, and `-` for either in the standard input."""
    urls, left_out = _named(words, stdin)
    pages = _stored_pages(place, urls)
    urls = [url for url in urls if url not in pages]
    if pages and not urls:
        raise UsageError(f"{pages[0]} is stored as a page and is no feed; name its feed instead")
    return Added(urls, commands.poll(place, urls, wanted=True), left_out + pages)


def _stored_pages(place: Place, urls: Sequence[str]) -> list[str]:
    """Those that are known not to be feeds: polled as one, a page would no longer be found."""
    if not is_there(place):
        return []
    with open_collection(place) as collection:
        stored = [(url, collection.page(url)) for url in urls]
        return [
            url
            for url, page in stored
            if page is not None
            and page.document.fate is not Fate.SOURCE
            and page.document.media_type in _PAGES
        ]


def remove_feeds(place: Place, words: Sequence[str], stdin: BinaryIO | None = None) -> Added:
    """Poll these no more, even if pages announce them; what they brought stays."""
    urls, left_out = _named(words, stdin)
    with open_collection(place) as collection:
        known = [line.url for line in feeds_of(collection)]
    for url in urls:
        if url not in known:
            near = difflib.get_close_matches(url, known, n=_NEAR, cutoff=0.5)
            names = f"; it polls {', '.join(near)}" if near else "; `shoal feed list` tells which"
            raise UsageError(f"the collection does not poll {url}{names}")
    return Added(urls, commands.poll(place, urls, wanted=False), left_out)


def _named(words: Sequence[str], stdin: BinaryIO | None) -> tuple[list[str], list[str]]:
    """Canonical URLs, each once, and what is none in a list."""
    urls: dict[str, None] = {}
    left_out = []
    for word in words:
        listed: list[str] | None = None
        if word == "-" and stdin is not None:
            listed = _listed(stdin)
        elif "://" not in word and Path(word).is_file():
            listed = _outlines(decoded(_file(Path(word))), word)
        for each in [_url(word)] if listed is None else listed:
            url = canonical(each)
            if url is not None and url.startswith(_WEB):
                urls[url] = None
            else:
                left_out.append(each)
    if len(urls) > MAX_FEEDS:
        raise UsageError(f"at most {MAX_FEEDS:,} feeds at a time, these are {len(urls):,}")
    return list(urls), left_out


def _url(word: str) -> str:
    if word.lower().endswith(".opml") and "://" not in word:
        raise UsageError(f"there is no file {word!r:.80} here")
    try:
        url = seed_url(word.strip())
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not url.startswith(_WEB):
        raise UsageError(f"only feeds of the web are polled, not {word!r:.80}")
    return url


def _listed(stdin: BinaryIO) -> list[str]:
    """The feeds that the standard input names: in OPML, or a URL a line."""
    body = stdin.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise UsageError(f"the standard input is longer than {MAX_BYTES:,} bytes")
    text = decoded(body)
    if looks_like_opml(text) or read_opml(text):
        return _outlines(text, "the standard input")
    return [link.url for link in read_seeds(["-"], io.StringIO(text))]


def _outlines(text: str, name: str) -> list[str]:
    found = read_opml(text)
    if not found and not looks_like_opml(text):
        raise UsageError(f"{name} is no list of feeds in OPML; for a feed write its URL in full")
    if not found:
        raise UsageError(f"{name} names no feed")
    return [outline.url for outline in found]


def _file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}") from None


def opml_of(collection: Collection) -> str:
    """All feeds as a list for other readers."""
    lines = feeds_of(collection)
    outlines = [Outline(line.title, line.url, line.page_url) for line in lines]
    return write_opml(outlines, f"Feeds of {Path(collection.place).name}")


def as_dict(feed: Feed) -> dict[str, object]:
    """By name, for JSON; what goes from process to process has no names."""
    items = [
        _fields(item) | {"enclosures": list(map(_fields, item.enclosures))} for item in feed.items
    ]
    return _fields(feed) | {"items": items}


def _fields(value: Struct) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


def view_file(path: Path) -> Feed:
    """What a feed in a file says."""
    return _read(_file(path), canonical(path.resolve().as_uri()) or "")


def view_url(asked: str, place: Place, config: Config, max_seconds: float) -> Feed:
    """What a feed says now, asked for as politely as by a crawl."""
    url = _url(asked)
    return _read(body_of(url, place, config, max_seconds), url)


def _read(body: bytes, url: str) -> Feed:
    from shoal.sources.feed import read_feed  # noqa: PLC0415 - the library behind it loads slowly

    return read_feed(body, url)
