"""What bytes do sitemaps and feeds have?

Sitemaps as sitemaps.org has them: one file, or for more than 100 entries an index of gzipped parts.
Feeds as RSS 2.0, Atom (RFC 4287) or JSON Feed 1.1, by host; a whole post stands in the place for
that. Dates are those of the world's clock.
"""

from __future__ import annotations

import email.utils
import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape

from tests.world.sources import (
    FEED_ITEMS,
    Entry,
    Post,
    feed_form,
    feed_is_whole,
    feed_url,
    posts,
    sitemap_entries,
    sitemap_is_honest,
    sitemap_url,
)
from tests.world.web import Web

ENTRIES_PER_FILE = 100
Dated = Callable[[float], float]  # world seconds → Unix seconds
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_CONTENT = 'xmlns:content="http://purl.org/rss/1.0/modules/content/"'
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_FREQUENCIES = ((1_800, "always"), (43_200, "hourly"), (302_400, "daily"), (1_296_000, "weekly"))


def sitemap_targets(web: Web, host: int, time_seconds: float) -> list[str]:
    """The paths of the host's sitemap files: the first is the one robots.txt names."""
    parts = -(-len(sitemap_entries(web, host, time_seconds)) // ENTRIES_PER_FILE)
    if parts <= 1:
        return ["/sitemap.xml"]
    return ["/sitemap.xml", *(f"/sitemap-{part}.xml.gz" for part in range(parts))]


def sitemap(web: Web, host: int, target: str, time_seconds: float, dated: Dated) -> bytes | None:
    """The file at this path, if there is one."""
    targets = sitemap_targets(web, host, time_seconds)
    entries = sitemap_entries(web, host, time_seconds)
    if target not in targets or not entries:
        return None
    if target != "/sitemap.xml":
        first = (targets.index(target) - 1) * ENTRIES_PER_FILE
        part = entries[first : first + ENTRIES_PER_FILE]
        return gzip.compress(_urlset(web, host, part, time_seconds, dated), 1, mtime=0)
    if len(targets) == 1:
        return _urlset(web, host, entries, time_seconds, dated)
    site = sitemap_url(web, host).removesuffix("/sitemap.xml")
    names = "".join(f"<sitemap><loc>{site}{each}</loc></sitemap>\n" for each in targets[1:])
    return f"{_XML}<sitemapindex {_SPACE}>\n{names}</sitemapindex>\n".encode()


def _urlset(web: Web, host: int, entries: list[Entry], now: float, dated: Dated) -> bytes:
    honest = sitemap_is_honest(web, host)
    lines = [
        f"<url><loc>{escape(entry.url)}</loc>"
        f"<lastmod>{_iso(dated(entry.modified if honest else now))}</lastmod>"
        f"<changefreq>{_frequency(entry.rate_per_second)}</changefreq>"
        f"<priority>{entry.priority}</priority></url>\n"
        for entry in entries
    ]
    return f"{_XML}<urlset {_SPACE}>\n{''.join(lines)}</urlset>\n".encode()


def _frequency(rate_per_second: float) -> str:
    if rate_per_second <= 0:
        return "never"
    gap = 1 / rate_per_second
    return next((name for most, name in _FREQUENCIES if gap < most), "monthly")


def feed(web: Web, host: int, time_seconds: float, dated: Dated) -> bytes:
    """The feed with the host's last posts, in the form that this host uses."""
    shown = posts(web, host, time_seconds)[:FEED_ITEMS]
    write = {"rss": _rss, "atom": _atom, "json": _json}[feed_form(host)]
    return write(web, host, shown, dated).encode()


def _said(post: Post) -> str:
    return post.text if feed_is_whole(post.host) else _teaser(post)


def _teaser(post: Post) -> str:
    return post.text.split(". ")[0] + " …"


def _rss(web: Web, host: int, shown: list[Post], dated: Dated) -> str:
    whole = feed_is_whole(host)
    items = "".join(
        f"<item><title>{escape(post.title)}</title><link>{post.url}</link>"
        f'<guid isPermaLink="false">{post.guid}</guid>'
        f"<pubDate>{email.utils.formatdate(dated(post.published), usegmt=True)}</pubDate>"
        f"<description>{escape(_teaser(post))}</description>"
        f"{f'<content:encoded>{escape(post.text)}</content:encoded>' if whole else ''}</item>\n"
        for post in shown
    )
    about = f"<title>News of {web.host_name(host)}</title><link>{web.url(host, 0)}</link>"
    return f'{_XML}<rss version="2.0" {_CONTENT}><channel>{about}\n{items}</channel></rss>\n'


def _atom(web: Web, host: int, shown: list[Post], dated: Dated) -> str:
    name = "content" if feed_is_whole(host) else "summary"
    items = "".join(
        f'<entry><title>{escape(post.title)}</title><link href="{post.url}"/>'
        f"<id>{post.guid}</id><published>{_iso(dated(post.published))}</published>"
        f"<updated>{_iso(dated(post.published))}</updated>"
        f'<{name} type="text">{escape(_said(post))}</{name}></entry>\n'
        for post in shown
    )
    latest = _iso(dated(shown[0].published if shown else 0.0))
    about = (
        f"<title>News of {web.host_name(host)}</title><id>{feed_url(web, host)}</id>"
        f'<link rel="self" href="{feed_url(web, host)}"/><updated>{latest}</updated>'
    )
    return f'{_XML}<feed xmlns="http://www.w3.org/2005/Atom">{about}\n{items}</feed>\n'


def _json(web: Web, host: int, shown: list[Post], dated: Dated) -> str:
    items = [
        {
            "id": post.guid,
            "url": post.url,
            "title": post.title,
            "content_text" if feed_is_whole(host) else "summary": _said(post),
            "date_published": _iso(dated(post.published)),
        }
        for post in shown
    ]
    about = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": f"News of {web.host_name(host)}",
        "home_page_url": web.url(host, 0),
        "feed_url": feed_url(web, host),
    }
    return json.dumps({**about, "items": items})


def _iso(unix: float) -> str:
    return datetime.fromtimestamp(int(unix), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
