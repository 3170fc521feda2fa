"""Do sitemaps and feeds name what is there, and does the truth know it?"""

from __future__ import annotations

import email.utils
import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urljoin
from xml.etree import ElementTree

import pytest

from tests.world import RobotsMix, Running, Web, serve
from tests.world.sources import (
    FEED_ITEMS,
    feed_form,
    feed_is_whole,
    feed_media_type,
    feed_url,
    has_feed,
    has_sitemap,
    posts,
    sitemap_entries,
    sitemap_is_honest,
    sitemap_url,
)
from tests.world.tiny import get

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
ATOM = "{http://www.w3.org/2005/Atom}"
NOW = 40 * 3_600.0


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    web = Web(
        seed=6,
        hosts=12,
        pages=400,
        starts=1,
        changing=1.0,
        sitemaps=0.7,
        feeds=0.7,
        post_seconds=3_600.0,
        mean_bytes=2_000,
        robots=RobotsMix(disallow=0.5, missing=0.2, error=0),
    )
    with serve(web) as running:
        running.set_time(NOW)
        yield running


def with_feeds(world: Running) -> list[int]:
    return [host for host in range(world.web.hosts) if has_feed(world.web, host)]


def with_sitemaps(world: Running) -> list[int]:
    return [host for host in range(world.web.hosts) if has_sitemap(world.web, host)]


def read_sitemap(url: str) -> dict[str, dict[str, str]]:
    """What it and the files below it name."""
    answer, body = get(url)
    assert answer.status == 200
    text = gzip.decompress(body) if url.endswith(".gz") else body
    root = ElementTree.fromstring(text)  # noqa: S314 our own
    found: dict[str, dict[str, str]] = {}
    for element in root:
        fields = {child.tag.removeprefix(SITEMAP): child.text or "" for child in element}
        if root.tag == f"{SITEMAP}sitemapindex":
            found |= read_sitemap(fields["loc"])
        else:
            found[fields["loc"]] = fields
    return found


def read_feed(host: int, body: bytes) -> list[tuple[str, ...]]:
    """(guid, url, title, date, text) of its items; an empty text: no place for the whole."""
    if feed_form(host) == "json":
        names = ("id", "url", "title", "date_published", "content_text")
        return [tuple(item.get(name, "") for name in names) for item in json.loads(body)["items"]]
    root = ElementTree.fromstring(body)  # noqa: S314 our own
    if feed_form(host) == "rss":
        names = ("guid", "link", "title", "pubDate", f"{CONTENT}encoded")
        return [tuple(item.findtext(name) or "" for name in names) for item in root.iter("item")]
    found: list[tuple[str, ...]] = []
    for entry in root.iter(f"{ATOM}entry"):
        link = entry.find(f"{ATOM}link")
        assert link is not None
        fields = {child.tag.removeprefix(ATOM): child.text or "" for child in entry}
        wanted = (fields["title"], fields["published"], fields.get("content", ""))
        found.append((fields["id"], link.attrib["href"], *wanted))
    return found


def unix(date: str) -> float:
    try:
        return datetime.fromisoformat(date).timestamp()
    except ValueError:
        return email.utils.parsedate_to_datetime(date).timestamp()


def test_sitemaps_name_what_the_truth_says(world: Running) -> None:
    hosts = with_sitemaps(world)
    assert 3 < len(hosts) < world.web.hosts
    kinds = set()
    for host in hosts:
        named = read_sitemap(sitemap_url(world.web, host))
        entries = sitemap_entries(world.web, host, NOW)
        honest = sitemap_is_honest(world.web, host)
        assert set(named) == {entry.url for entry in entries}
        assert not any(world.web.disallowed(url) for url in named)
        for entry in entries:
            told = named[entry.url]
            told_at = unix(told["lastmod"]) - world.clock.unix_at(0)
            assert told_at == int(entry.modified if honest else NOW)
            assert (told["changefreq"] == "never") == (entry.rate_per_second == 0)
        kinds.add((honest, len(entries) > 100))
    assert {honest for honest, _ in kinds} == {True, False}
    assert {large for _, large in kinds} == {True, False}


def test_robots_txt_names_the_sitemap_and_others_have_none(world: Running) -> None:
    hosts = with_sitemaps(world)
    for host in range(world.web.hosts):
        url = sitemap_url(world.web, host)
        answer, body = get(urljoin(url, "/robots.txt"))
        if answer.status == 200:
            assert (f"Sitemap: {url}\n".encode() in body) == (host in hosts)
        assert get(url)[0].status == (200 if host in hosts else 404)


def test_feeds_have_the_last_posts(world: Running) -> None:
    hosts = with_feeds(world)
    assert {feed_form(host) for host in hosts} == {"rss", "atom", "json"}
    assert {feed_is_whole(host) for host in hosts} == {True, False}
    for host in hosts:
        truth = posts(world.web, host, NOW)
        assert FEED_ITEMS < len(truth) < 80
        answer, body = get(feed_url(world.web, host))
        assert answer.headers["Content-Type"] == feed_media_type(host)
        items = read_feed(host, body)
        assert len(items) == FEED_ITEMS
        for (guid, url, title, date, text), post in zip(items, truth, strict=False):
            assert (guid, url, title) == (post.guid, post.url, post.title)
            assert unix(date) - world.clock.unix_at(0) == int(post.published)
            assert text == (post.text if feed_is_whole(host) else "")


def test_posts_are_there_from_their_time_on(world: Running) -> None:
    host = with_feeds(world)[0]
    coming = posts(world.web, host, NOW + 36_000)[0]
    assert coming.published > NOW
    before = get(feed_url(world.web, host))[0]
    assert get(coming.url)[0].status == 404
    known = {"If_None_Match": before.headers["ETag"]}
    assert get(feed_url(world.web, host), **known)[0].status == 304
    world.set_time(coming.published)
    answer, body = get(coming.url)
    assert answer.status == 200
    assert coming.text.split(". ")[0] in body.decode(world.web.charset(host))
    changed, feed = get(feed_url(world.web, host), **known)
    assert changed.status == 200
    assert read_feed(host, feed)[0][0] == coming.guid
    world.set_time(NOW)


def test_pages_announce_the_feed_of_their_host(world: Running) -> None:
    for host in range(world.web.hosts):
        text = get(world.web.url(host, 0))[1].decode(world.web.charset(host))
        kind = f'<link rel="alternate" type="{feed_media_type(host)}"'
        assert (kind in text) == has_feed(world.web, host)
    without = next(host for host in range(world.web.hosts) if not has_feed(world.web, host))
    assert get(feed_url(world.web, without))[0].status == 404
    assert posts(world.web, without, NOW) == []
