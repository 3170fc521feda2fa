"""Which feeds does somebody follow? OPML, the list that feed readers give to each other.

No XML parser reads it, because entities can make a small file explode: an attribute can't hold a
`<`, so the tags are what stands between two of them. Folders are flattened; what names no feed is
left out. Nothing here raises.
"""

import html
import re
from collections.abc import Iterable
from typing import NamedTuple

from shoal.model.urls.url import MAX_URL
from shoal.sources.feed_html import one_line

MAX_FEEDS = 10_000
MAX_CHARS = 20_000_000
_MAX_TITLE = 500

_TAG = re.compile(r"(?:[\w.-]{1,40}:)?outline[\s/]", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""\b(xmlurl|htmlurl|title|text)\s{0,9}=\s{0,9}(?:"([^"]{0,5000})"|'([^']{0,5000})')""",
    re.IGNORECASE,
)


class Outline(NamedTuple):
    title: str
    url: str
    """Of the feed, as written there."""
    html_url: str = ""


def looks_like_opml(text: str) -> bool:
    return re.search(r"<opml[\s>]", text[:5000], re.IGNORECASE) is not None


def read_opml(text: str) -> list[Outline]:
    """The feeds, each once, in their order."""
    found: dict[str, Outline] = {}
    for piece in text[:MAX_CHARS].split("<"):
        if _TAG.match(piece) is None:
            continue
        told = {
            match[1].lower(): html.unescape(match[2] or match[3] or "").strip()
            for match in _ATTRIBUTE.finditer(piece[:30_000])
        }
        url = told.get("xmlurl", "")
        if not url or len(url) > MAX_URL:
            continue
        title = one_line(told.get("title") or told.get("text", ""))[:_MAX_TITLE]
        found.setdefault(url, Outline(title, url, told.get("htmlurl", "")[:MAX_URL]))
        if len(found) >= MAX_FEEDS:
            break
    return list(found.values())


def write_opml(outlines: Iterable[Outline], title: str) -> str:
    """OPML 2.0. A feed without a title is called by its URL: readers show nothing else."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<opml version="2.0">',
        f"  <head><title>{_escaped(title)}</title></head>",
        "  <body>",
    ]
    for each in outlines:
        name = _escaped(each.title or each.url)
        page = f' htmlUrl="{_escaped(each.html_url)}"' if each.html_url else ""
        url = _escaped(each.url)
        lines.append(f'    <outline type="rss" text="{name}" title="{name}" xmlUrl="{url}"{page}/>')
    return "\n".join([*lines, "  </body>", "</opml>", ""])


def _escaped(text: str) -> str:
    """Without what XML has no way to write."""
    kept = "".join(char for char in text if char >= " " and not "\ud800" <= char <= "\udfff")
    return html.escape(re.sub(r"[\ufffe\uffff]", "", kept))
