"""Which URLs does a sitemap name? The formats of sitemaps.org: XML, an index, text, feeds.

A sitemap comes from anyone. No XML parser reads it, because entities can make a small file
explode: the addresses are picked out of the text by patterns of bounded length, and only character
references are undone. What can't be read names nothing; nothing here raises.
"""

import html
import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from shoal.model.compression import GZIP_ERRORS, inflater

MAX_BYTES = 50 * 1024 * 1024
"""Unpacked; the protocol's own limit, like the next."""
MAX_ENTRIES = 50_000

_GZIP_MAGIC = b"\x1f\x8b"
_ROOT = re.compile(r"<(?:([A-Za-z_][\w.-]{0,40}):)?(urlset|sitemapindex|rss|feed|RDF)[\s>/]")
_LOOKED_AT_FOR_ROOT = 65_536
_VALUE = r"\s{0,200}(?:<!\[CDATA\[\s{0,200}([^\]<]{0,5000})\]\]>|([^<]{0,5000}))\s{0,200}"
_ATOM_LINK = re.compile(r"<(?:[A-Za-z_][\w.-]{0,40}:)?link\s([^<>]{0,5000})>")
_HREF = re.compile(r"""\bhref\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')""")
_REL = re.compile(r"""\brel\s{0,9}=\s{0,9}["']([^"']{0,100})["']""")
_RSS_LINK = re.compile(rf"<link>{_VALUE}</link>")
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class Form(StrEnum):
    URLS = "sitemap"
    INDEX = "index"
    FEED = "feed"
    TEXT = "text"
    NONE = "none"


class Entry(NamedTuple):
    url: str
    """As written, character references undone."""
    last_modified: str = ""


class Sitemap(NamedTuple):
    form: Form
    entries: list[Entry]
    problem: str = ""


def read_sitemap(body: bytes) -> Sitemap:
    """The entries of a sitemap whose content encoding was undone; a .gz file is unpacked here."""
    body, problem = _unpacked(body)
    text = _decoded(body)
    root = _ROOT.search(text, 0, _LOOKED_AT_FOR_ROOT)
    if root is None:
        found, form = _lines(text), Form.TEXT
    else:
        text = _without_comments(text)
        prefix, name = root[1] or "", root[2]
        if name in ("urlset", "sitemapindex"):
            form = Form.URLS if name == "urlset" else Form.INDEX
            found = _locations(text, prefix)
        else:
            form, found = Form.FEED, _feed_links(text)
    entries = list(islice(found, MAX_ENTRIES + 1))
    if len(entries) > MAX_ENTRIES:
        problem = problem or f"more than {MAX_ENTRIES:,} entries; the rest is left out"
    if not entries and form is Form.TEXT:
        return Sitemap(Form.NONE, [], problem or "it is no sitemap")
    return Sitemap(form, entries[:MAX_ENTRIES], problem)


def _unpacked(body: bytes) -> tuple[bytes, str]:
    if not body.startswith(_GZIP_MAGIC):
        is_long = len(body) > MAX_BYTES
        return body[:MAX_BYTES], "cut at 50 MiB" if is_long else ""
    stream = inflater(gzip=True)
    try:
        data = stream.decompress(body, MAX_BYTES)
    except GZIP_ERRORS:
        return b"", "its gzip is damaged"
    if stream.eof:
        return data, ""
    return data, "cut at 50 MiB" if len(data) >= MAX_BYTES else "its gzip ends too early"


def _decoded(body: bytes) -> str:
    """UTF-8, as the protocol demands, unless a mark at the beginning says otherwise."""
    for mark, charset in _BYTE_ORDER_MARKS.items():
        if body.startswith(mark):
            return body.decode(charset, "replace")
    return body.decode("utf-8", "replace")


def _without_comments(text: str) -> str:
    """By hand: a pattern for it takes quadratic time on comments that never end."""
    kept, start = [], 0
    while (comment := text.find("<!--", start)) >= 0:
        kept.append(text[start:comment])
        end = text.find("-->", comment + 4)
        start = len(text) if end < 0 else end + 3
    return "".join([*kept, text[start:]])


def _locations(text: str, prefix: str) -> Iterator[Entry]:
    """`<loc>` of the sitemap's own name space: pictures and videos have others."""
    own = f"{re.escape(prefix)}:" if prefix else ""
    pattern = re.compile(
        rf"<{own}(loc|lastmod)(?:\s[^<>]{{0,200}})?>{_VALUE}</{own}(?:loc|lastmod)\s{{0,9}}>"
    )
    url = modified = ""
    for found in pattern.finditer(text):
        value = _plain(found[2] or found[3] or "")
        if found[1] == "lastmod":
            modified = value[:40]
            continue
        if url:
            yield Entry(url, modified)
        url, modified = value, ""
    if url:
        yield Entry(url, modified)


def _feed_links(text: str) -> Iterator[Entry]:
    for found in _RSS_LINK.finditer(text):
        if url := _plain(found[1] or found[2] or ""):
            yield Entry(url)
    for found in _ATOM_LINK.finditer(text):
        rel = _REL.search(found[1])
        href = _HREF.search(found[1])
        if href and (rel is None or rel[1].strip().lower() == "alternate"):
            yield Entry(_plain(href[1] or href[2] or ""))


def _lines(text: str) -> Iterator[Entry]:
    for line in text.splitlines():
        url = line.strip()
        if url.startswith(("http://", "https://")) and not re.search(r"\s", url):
            yield Entry(url)


def _plain(value: str) -> str:
    return html.unescape(value).strip()
