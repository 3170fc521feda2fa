"""What only a sitemap or a feed names is found too, and again and again in a steady crawl."""

from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.model.listings.feed import FeedRow, feed_key
from shoal.model.record import unpack
from tests.crawl.again import crawl_until
from tests.crawl.run import crawl
from tests.views import view_of
from tests.world import RobotsMix, Web, overlaps, serve
from tests.world.sources import (
    FEED_ITEMS,
    feed_is_whole,
    feed_url,
    has_feed,
    has_sitemap,
    posts,
    sitemap_entries,
    sitemap_is_honest,
    sitemap_url,
)

POLITE = RobotsMix(disallow=0.5, crawl_delay=0, missing=0, error=0)
OPEN = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)


@pytest.mark.slow
def test_one_pass_finds_what_the_sitemaps_name(tmp_path: Path) -> None:
    now = 40 * 3_600.0
    web = Web(
        seed=6,
        hosts=6,
        pages=60,
        starts=6,
        sitemaps=0.5,
        feeds=0.9,
        post_seconds=3_600.0,
        mean_bytes=2_000,
        robots=POLITE,
    )
    settings = {"politeness.delay": 0.01, "feeds.follow": "no"}
    with serve(web) as running:
        running.set_time(now)
        web = running.web
        assert crawl(tmp_path / "corpus", web.seeds(), settings).finished
        log = running.log()
    hosts = range(web.hosts)
    with_sitemap = [host for host in hosts if has_sitemap(web, host)]
    with_feed = [host for host in hosts if has_feed(web, host)]
    assert 0 < len(with_sitemap) < web.hosts
    named = {entry.url for host in with_sitemap for entry in sitemap_entries(web, host, now)}
    # In one pass a feed is a page that links to its posts.
    in_feeds = {post.url for host in with_feed for post in posts(web, host, now)[:FEED_ITEMS]}
    assert named - in_feeds - web.crawlable(), "earlier posts stand in the sitemap only"
    asked = {request.url for request in log if not request.is_robots}
    files = {url for url in asked if "/sitemap" in url}
    feeds = {feed_url(web, host) for host in with_feed}
    assert asked - files == web.crawlable() | named | in_feeds | feeds
    assert len(files) >= len(with_sitemap)
    with open_collection(tmp_path / "corpus") as collection:
        assert {page.url for page in collection.pages()} == asked - files, "a sitemap is no page"


@pytest.mark.slow
def test_new_posts_are_found_by_feeds(tmp_path: Path) -> None:
    web = Web(
        seed=6,
        hosts=6,
        pages=6,
        starts=6,
        changing=0,
        feeds=1.0,
        post_seconds=4.0,
        mean_bytes=2_000,
        robots=OPEN,
    )
    settings = {
        "politeness.delay": 0.05,
        "feeds.shortest": 0.5,
        "feeds.longest": 1.0,
        "sitemaps.use": "no",
        "refresh.shortest": 60.0,
    }
    directory = tmp_path / "corpus"
    with serve(web) as running:
        running.set_time(20.0)
        running.run_time()
        web, begun = running.web, running.clock.now()
        wanted = [post for host in range(web.hosts) for post in posts(web, host, begun + 5.0)]
        news = [post for post in wanted if post.published > begun]
        assert len({post.host for post in news}) > 3

        def all_there() -> bool:
            if running.clock.now() < begun + 5.0 or not (directory / "table").exists():
                return False
            with open_collection(directory) as collection:
                return all(collection.page(post.url) is not None for post in wanted)

        crawl_until(directory, web.seeds(), settings, all_there)
        log = running.log()
    assert overlaps(log) == []
    with open_collection(directory) as collection:
        for post in wanted:
            page = collection.page(post.url)
            assert page is not None
            assert post.text.split(". ")[0] in page.whole_text
    asked = {request.url: request for request in reversed(log)}
    taken = 0
    for post in wanted:
        polled = asked[feed_url(web, post.host)].start
        if running.clock.unix_at(post.published) > polled and feed_is_whole(post.host):
            assert post.url not in asked, "the feed has it all"
            taken += 1
        elif not feed_is_whole(post.host):
            assert post.url in asked
    assert taken > 0


@pytest.mark.slow
def test_a_feed_that_a_page_announces_is_known_from_its_first_visit(tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    settings = {"politeness.delay": 0.05, "feeds.shortest": 0.3, "feeds.longest": 1.0}
    with serve(Web(hosts=1, pages=1, changing=0, feeds=1.0)) as running:
        running.set_time(10 * 86_400.0)
        url = feed_url(running.web, 0)

        def polled() -> bool:
            return sum(request.url == url for request in running.log()) >= 3

        crawl_until(directory, running.web.seeds(), settings, polled)
        there = posts(running.web, 0, 10 * 86_400.0)
    with open_collection(directory) as collection:
        stored = view_of(collection).table.get("site", feed_key(collection.row(url)))
    assert stored is not None
    row = unpack(FeedRow, stored)
    assert row.title
    assert len(row.posted) == min(len(there), FEED_ITEMS) > 3


@pytest.mark.slow
def test_a_sitemap_is_asked_again_after_it_was_unchanged(tmp_path: Path) -> None:
    """Half as long as it has been quiet, which it hardly has."""
    settings = {"politeness.delay": 0.05, "refresh.shortest": 0.1}
    web = Web(
        hosts=1,
        pages=3,
        changing=1.0,
        change_seconds=(50.0, 60.0),
        sitemaps=1.0,
        robots=OPEN,
    )
    assert sitemap_is_honest(web, 0)
    with serve(web) as running:
        last = max(running.web.history(0, page).current(5_000.0)[1] for page in range(3))
        running.set_time(last + 0.5)
        running.run_time()

        def polls() -> list[int]:
            url = sitemap_url(running.web, 0)
            return [request.status for request in running.log() if request.url == url]

        seeds = running.web.seeds()
        crawl_until(tmp_path / "corpus", seeds, settings, lambda: len(polls()) >= 4, 6.0)
        assert 304 in polls()[:-1]
