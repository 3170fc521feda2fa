"""What does a feed say? RSS, RDF, Atom, CDF and JSON Feed become one value.

A feed comes from anyone: `read_feed` never raises, and bounds what it looks at and what it returns.
What can be read is read, and `problem` says what could not. An item is known again by its guid
exactly as given: two spellings of one URL are two guids, and a guid need not be a URL at all.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from shoal.model.digest import quick_digest
from shoal.model.listings.feed import ITEM_KEY_BYTES, Feed, Item
from shoal.model.urls.url import MAX_URL, resolve
from shoal.sources.feed_json import read_json
from shoal.sources.feed_map import MAX_HUBS, feed_of
from shoal.sources.feed_text import MAX_BYTES, decoded, document
from shoal.sources.feed_whole import unmark_teasers
from shoal.sources.feed_xml import parse_xml

MAX_HEADER_CHARS = 20_000

_LOOKED_AT_FOR_ROOT = 65_536
_FEED_TAG = re.compile(
    r"<(?:[\w.-]{1,40}:)?(?:rss|feed|rdf|channel|item|entry)[\s/>]", re.IGNORECASE
)
_PAGE_TAG = re.compile(r"<(?:html|body)[\s/>]", re.IGNORECASE)
_LINK = re.compile(r"<([^<>]{0,4096})>([^<]{0,4096})")
_REL = re.compile(
    r"""(?:;|\A)\s{0,9}rel\s{0,9}=\s{0,9}(?:"([^"]{0,200})"|([^\s;,"]{1,200}))""", re.IGNORECASE
)


def read_feed(body: bytes, url: str, content_type: str = "") -> Feed:
    """The feed in a body whose content encoding was undone, at the URL that it came from."""
    text = decoded(body[:MAX_BYTES], content_type)
    start = text[:1000].lstrip("\ufeff\0 \t\r\n")
    if start.startswith("{"):
        feed = read_json(text.lstrip("\ufeff\0 \t\r\n"), url)
    else:
        feed = _read_xml(text, url)
    if len(body) > MAX_BYTES:
        feed.problem = f"cut at {MAX_BYTES >> 20} MiB"
    unmark_teasers(feed.items)
    return feed


def _read_xml(text: str, url: str) -> Feed:
    found = document(text)
    tag = _FEED_TAG.search(found.text, 0, _LOOKED_AT_FOR_ROOT)
    page = _PAGE_TAG.search(found.text, 0, tag.start() if tag else 0)
    if tag is None or page is not None:
        return Feed(problem="it is no feed")
    feed = feed_of(parse_xml(found, url), url)
    if not feed.form and tag[0][1:8].lower() == "channel":
        feed.form = "cdf"
    elif not feed.form and feed.items:
        feed.form = "rss"  # items without a root that says what they are
    if not feed.form:
        feed.problem = feed.problem or "it is no feed"
    return feed


def item_key(item: Item) -> bytes:
    """Under which an item is known again: its guid as given, else its URL, else what it says."""
    if item.guid:
        name = f"guid\n{item.guid}"
    elif item.url:
        name = f"url\n{item.url}"
    elif item.title:
        name = f"title\n{item.title}\n{item.published or item.updated}"
    else:
        name = f"text\n{item.published}\n{item.content}"
    return _digest(name)


def item_keys(items: Sequence[Item]) -> list[bytes]:
    """The keys of a feed's items. A guid that several items share names none of them: there their
    URLs, or what they say, are taken with it."""
    shared = Counter(item.guid for item in items if item.guid)
    return [
        item_key(item)
        if shared[item.guid] < 2
        else _digest(f"shared\n{item.guid}\n{item.url}\n{'' if item.url else item.title}")
        for item in items
    ]


def _digest(name: str) -> bytes:
    return quick_digest(name.encode("utf-8", "replace"))[:ITEM_KEY_BYTES]


def links_of_header(values: Iterable[str], url: str = "") -> tuple[list[str], str]:
    """The hubs and the feed's own address that HTTP's `Link` headers name (RFC 8288, WebSub), in
    full; relative ones need the URL that was asked."""
    hubs: dict[str, None] = {}
    self_url = ""
    for target, params in _LINK.findall(", ".join(values)[:MAX_HEADER_CHARS]):
        rel = _REL.search(params)
        rels = (rel[1] or rel[2] or "").lower().split() if rel else []
        href = resolve(target.strip(), url or None) if rels else None
        if href is None or not href.startswith(("http://", "https://")) or len(href) > MAX_URL:
            continue
        if "hub" in rels and len(hubs) < MAX_HUBS:
            hubs[href] = None
        if "self" in rels:
            self_url = self_url or href
    return list(hubs), self_url
