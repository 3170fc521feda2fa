"""Which URLs does a sitemap name? The formats of sitemaps.org: XML, an index, text, feeds.

A sitemap comes from anyone and may have 50 MiB, so it is read as a stream: one chunk is unpacked,
decoded and looked through at a time, and entries come out as they are found. What can't be read
names nothing, what was left out is said; nothing here raises.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from shoal.sources.gunzip import GZIP_MAGIC, gunzipped
from shoal.sources.sitemap_entries import Entry, FeedEntries, SitemapEntries
from shoal.sources.sitemap_xml import MAX_VALUE_CHARS, TagScanner

__all__ = [
    "MAX_BYTES",
    "MAX_ENTRIES",
    "Entry",
    "Form",
    "Sitemap",
    "SitemapReader",
    "chunks_of",
    "read_sitemap",
]

MAX_BYTES = 50 * 1024 * 1024
"""Unpacked; the protocol's own limit, like the next."""
MAX_ENTRIES = 50_000

_STEP_BYTES = 65_536
_LOOKED_AT_FOR_ROOT = 65_536
_ROOTS = ("urlset", "sitemapindex", "rss", "feed", "RDF")
_LEAST_HEAD = 200
"""Bytes: a mark at the beginning, or an XML declaration."""
_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"<\x00": "utf-16-le",
    b"\x00<": "utf-16-be",
}
_DECLARED = re.compile(
    rb"""\s*<\?xml\s[^>]{0,100}encoding\s?=\s?["']((?:iso-8859|windows)-\d{1,4})["']""",
    re.IGNORECASE,
)


class Form(StrEnum):
    URLS = "sitemap"
    INDEX = "index"
    FEED = "feed"
    TEXT = "text"
    NONE = "none"


_FORMS = {"urlset": Form.URLS, "sitemapindex": Form.INDEX}
"""By the name of the root; all others that are known are feeds."""


class Sitemap(NamedTuple):
    form: Form
    entries: list[Entry]
    problem: str = ""


def read_sitemap(body: bytes) -> Sitemap:
    """The entries of a sitemap whose content encoding was undone; a .gz file is unpacked here."""
    reader = SitemapReader()
    entries = list(reader.entries(chunks_of(body)))
    return Sitemap(reader.form, entries, reader.problem)


def chunks_of(body: bytes) -> Iterator[bytes]:
    return (body[start : start + _STEP_BYTES] for start in range(0, len(body), _STEP_BYTES))


class SitemapReader:
    """Reads one sitemap out of chunks of any length. `form` and `problem` are known at the end."""

    def __init__(self) -> None:
        self.form = Form.NONE
        self.problem = ""

    def entries(self, chunks: Iterable[bytes]) -> Iterator[Entry]:
        number = 0
        for entry in self._all(_texts(self._unpacked(chunks))):
            if number == MAX_ENTRIES:
                self._tell(f"more than {MAX_ENTRIES:,} entries; the rest is left out")
                return
            number += 1
            yield entry
        if not number and self.form in (Form.TEXT, Form.NONE):
            self.form = Form.NONE
            self._tell("it is no sitemap")

    def _tell(self, problem: str) -> None:
        """The first problem explains the others."""
        self.problem = self.problem or problem

    def _all(self, texts: Iterator[str]) -> Iterator[Entry]:
        """Of which form it is shows where its root should be; then all is read from its start."""
        head: list[str] = []
        scanner, chars = TagScanner(), 0
        meaning: SitemapEntries | FeedEntries | None = None
        for text in texts:
            head.append(text)
            chars += len(text)
            for tag in scanner.feed(text):
                if meaning is not None:
                    if (entry := meaning.take(tag)) is not None:
                        yield entry
                elif not tag.is_end and (name := tag.name.rpartition(":")[2]) in _ROOTS:
                    is_list = name in ("urlset", "sitemapindex")
                    meaning = SitemapEntries(tag) if is_list else FeedEntries()
                    self.form = _FORMS.get(name, Form.FEED)
            if meaning is not None:
                head.clear()
            elif chars > _LOOKED_AT_FOR_ROOT:
                break
        if meaning is not None:
            if (entry := meaning.finish()) is not None:
                yield entry
            return
        self.form = Form.TEXT
        yield from _lines(chain(head, texts))

    def _unpacked(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        pieces = iter(chunks)
        head = _head(pieces, len(GZIP_MAGIC))
        whole = chain([head], pieces)
        room = MAX_BYTES
        for piece in gunzipped(whole, self._tell) if head.startswith(GZIP_MAGIC) else whole:
            if len(piece) > room:
                self._tell("cut at 50 MiB")
                yield piece[:room]
                return
            room -= len(piece)
            yield piece


def _head(pieces: Iterator[bytes], least: int) -> bytes:
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= least:
            break
    return head


def _texts(pieces: Iterator[bytes]) -> Iterator[str]:
    """UTF-8, as the protocol demands, unless its beginning says otherwise."""
    head = _head(pieces, _LEAST_HEAD)
    decoder = codecs.getincrementaldecoder(_charset(head))("replace")
    for piece in chain([head], pieces):
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def _charset(head: bytes) -> str:
    for mark, charset in _MARKS.items():
        if head.startswith(mark):
            return charset
    declared = _DECLARED.match(head)
    try:
        return codecs.lookup(declared[1].decode("ascii")).name if declared else "utf-8"
    except LookupError:
        return "utf-8"


def _lines(texts: Iterator[str]) -> Iterator[Entry]:
    rest = ""
    for text in chain(texts, ["\n"]):
        *lines, rest = (rest + text).replace("\r", "\n").split("\n")
        rest = rest[: MAX_VALUE_CHARS + 1]  # longer is no URL, however it goes on
        for line in lines:
            url = line.strip()
            is_web = url.startswith(("http://", "https://")) and len(url) <= MAX_VALUE_CHARS
            if is_web and not re.search(r"\s", url):
                yield Entry(url)
