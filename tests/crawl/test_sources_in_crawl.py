"""Real crawls of a site with sitemaps and feeds that a test wrote: what is asked for, and what is
stored."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import shoal
from shoal.api import open as open_collection
from shoal.clock import iso
from shoal.config import Config
from shoal.control import commands as orders
from shoal.control.feeds import feeds_of
from shoal.engine.running import RunningCrawl
from shoal.layout.layout import Layout
from shoal.maintenance.pushed_items import deliver
from shoal.maintenance.verify import verifying
from shoal.model.listings.feed import FeedRow, feed_key
from shoal.model.record import unpack
from shoal.model.urls.rowkey import row_key
from shoal.sources.inbox import Inbox
from tests.crawl.again import crawl_until
from tests.crawl.run import QUICK, crawl
from tests.views import view_of
from tests.world import Latency, Request, RobotsMix, Running, Web, serve

WEB = Web(seed=3, hosts=2, pages=2, starts=2, robots=RobotsMix(disallow=0, error=0, missing=0))
FAST = {"politeness.delay": 0.02}
STEADY = {**FAST, "feeds.shortest": 0.3, "feeds.longest": 1.0}
XML = {"Content-Type": "application/xml"}
RSS = {"Content-Type": "application/rss+xml"}
TALE = "<p>The tide brings wood and takes the sand; who lives here reads it like a newspaper.</p>"
WHOLE = TALE * 8


def sitemap(*urls: str, kind: str = "urlset", entry: str = "url") -> str:
    rows = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{kind}>'


def feed(*items: tuple[str, str]) -> str:
    """Of pairs of a URL and a text."""
    rows = "".join(
        f"<item><title>About {url[-6:]}</title><link>{url}</link><guid>{url}</guid>"
        f"<content:encoded><![CDATA[{text}]]></content:encoded></item>"
        for url, text in items
    )
    space = 'xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    return f'<rss version="2.0" {space}><channel><title>News</title>{rows}</channel></rss>'


@dataclass(frozen=True)
class Site:
    running: Running
    directory: Path

    def url(self, path: str, host: int = 0) -> str:
        return f"http://{self.running.web.host_name(host)}:{self.running.port}{path}"

    def page(self, path: str, text: str = TALE) -> str:
        return self.running.put(0, path, f"<title>{path}</title><main>{text} {path}</main>")

    def asked(self, path: str) -> list[Request]:
        return [each for each in self.running.log() if each.url == self.url(path)]

    def paths(self) -> set[str]:
        """What was asked of the first host."""
        log = self.running.log()
        mine = [each.url for each in log if each.url.startswith(self.url("/"))]
        return {url.removeprefix(self.url("")) for url in mine}

    def problems(self) -> list[object]:
        with verifying(Layout(self.directory), lambda _: None) as verifier:
            return list(verifier.findings())

    def feed(self, path: str) -> FeedRow:
        with open_collection(self.directory) as collection:
            stored = view_of(collection).table.get("site", feed_key(row_key(self.url(path))))
            return FeedRow() if stored is None else unpack(FeedRow, stored)

    def text(self, path: str) -> str | None:
        if not (self.directory / "table").exists():
            return None
        with open_collection(self.directory) as collection:
            page = collection.page(self.url(path))
            return None if page is None else page.text


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serve(WEB) as running:
        site = Site(running, tmp_path / "corpus")
        running.robots(0, "User-agent: *\nDisallow:\n")
        site.page("/")
        yield site


# --- sitemaps -------------------------------------------------------------------------------------


def test_one_pass_reads_the_sitemaps_and_fetches_their_pages(site: Site) -> None:
    rules = "User-agent: *\nDisallow: /no\nDisallow: /maps/\n"
    named = f"Sitemap: {site.url('/maps/index.xml')}\nSitemap: /maps/text.txt\n"
    site.running.robots(0, rules + named)
    put, url = site.running.put, site.url
    index = sitemap(url("/one.xml"), url("/two.xml"), kind="sitemapindex", entry="sitemap")
    put(0, "/maps/index.xml", index, headers=XML)
    put(0, "/one.xml", sitemap(url("/a"), url("/no/b"), "http://elsewhere.test/"), headers=XML)
    put(0, "/two.xml", sitemap(url("/c"), url("/a")), headers=XML)
    put(0, "/maps/text.txt", f"{url('/d')}\n", headers={"Content-Type": "text/plain"})
    for path in ("/a", "/c", "/d", "/no/b"):
        site.page(path)
    assert crawl(site.directory, [url("/")], FAST).finished
    files = {"/robots.txt", "/maps/index.xml", "/one.xml", "/two.xml", "/maps/text.txt"}
    assert site.paths() - files == {"/", "/a", "/c", "/d"}
    assert files <= site.paths()
    with open_collection(site.directory) as collection:
        assert {page.url for page in collection.pages()} == {
            url(path) for path in ("/", "/a", "/c", "/d")
        }
        states = {known: row.counted_as for known, row in collection.urls()}
    assert states[url("/no/b")] == "excluded/robots"
    assert states[url("/one.xml")] == "source/sitemap"
    assert site.problems() == []


def test_sitemaps_are_not_read_where_they_are_not_wanted(site: Site) -> None:
    site.running.robots(0, f"Sitemap: {site.url('/sitemap.xml')}\n")
    site.running.put(0, "/sitemap.xml", sitemap(site.url("/a")), headers=XML)
    site.page("/a")
    assert crawl(site.directory, [site.url("/")], {**FAST, "sitemaps.use": "no"}).finished
    assert site.paths() == {"/", "/robots.txt"}


def test_a_sitemap_that_nobody_names_is_found_where_they_usually_are(site: Site) -> None:
    """As crawls are by default: behind the first page, once, and a site without one is not asked
    again and has no failed page for it."""
    default = {**FAST, "sitemaps.use": Config().sitemaps.use}
    other = site.url("/", host=1)
    site.running.robots(1, "User-agent: *\nDisallow:\n")
    site.running.put(1, "/", "<title>Other</title><main>" + TALE)
    site.running.put(1, "/sitemap.xml", status=404)
    site.running.put(0, "/sitemap.xml", sitemap(site.url("/hidden")), headers=XML)
    site.page("/hidden")
    for _ in range(2):
        assert crawl(site.directory, [site.url("/"), other], default).finished
    assert site.paths() == {"/robots.txt", "/", "/sitemap.xml", "/hidden"}
    asked = [each.url for each in site.running.log()]
    assert asked.count(site.url("/sitemap.xml")) == asked.count(site.url("/sitemap.xml", 1)) == 1
    assert asked.index(other) < asked.index(site.url("/sitemap.xml", 1))
    assert not any("sitemap_index" in url for url in asked)
    with open_collection(site.directory) as collection:
        states = {known: row.counted_as for known, row in collection.urls()}
        status = collection.status()
    assert states[site.url("/sitemap.xml", 1)] == "excluded/no sitemap"
    assert (status.fetched, status.gone, status.failed) == (3, 0, 0)
    assert site.problems() == []


def test_sitemaps_that_a_program_names(site: Site) -> None:
    """Also where sitemaps are not looked for: an index, and a feed that is read as a sitemap."""
    url, put = site.url, site.running.put
    put(0, "/all.xml", sitemap(url("/one.xml"), kind="sitemapindex", entry="sitemap"), headers=XML)
    put(0, "/one.xml", sitemap(url("/a")), headers=XML)
    put(0, "/news.xml", feed((url("/b"), WHOLE)), headers=RSS)
    for path in ("/a", "/b"):
        site.page(path)
    settings = {**QUICK, **FAST, "sitemaps.use": "no"}
    index = url("/all.xml")
    assert shoal.crawl(sitemaps=index, dir=site.directory, settings=settings).finished
    assert site.paths() == {"/robots.txt", "/all.xml", "/one.xml", "/a"}
    with open_collection(site.directory) as collection:
        taken = collection.submit(url("/"), sitemaps=[url("/news.xml")])
    assert taken == [url("/news.xml"), url("/")]
    assert shoal.crawl(dir=site.directory, settings=settings).finished
    assert len(site.asked("/b")) == len(site.asked("/news.xml")) == len(site.asked("/")) == 1
    with open_collection(site.directory) as collection:
        assert {page.url for page in collection.pages()} == {url(p) for p in ("/", "/a", "/b")}
        states = {known: row.counted_as for known, row in collection.urls()}
    assert states[url("/news.xml")] == states[url("/one.xml")] == "source/sitemap"
    assert site.problems() == []


def test_a_page_that_is_called_a_sitemap_while_it_is_asked_for(site: Site) -> None:
    """Its visit ends as that of a page; it is asked for once more, and is a page no longer."""
    site.page("/a")
    listing = site.running.put(0, "/pages.xml", sitemap(site.url("/a")), headers=XML)
    host = site.running.web.host_name(0)
    site.running.set(f"{host}/pages.xml", Latency(3.0))

    def order(running: RunningCrawl) -> None:
        def post() -> None:
            while running.live is None or listing not in str(running.live.asking):
                time.sleep(0.05)
            orders.submit(site.directory, [], [listing])
            site.running.clear()

        threading.Thread(target=post, daemon=True).start()

    assert crawl(site.directory, [listing], FAST, order).finished
    assert len(site.asked("/pages.xml")) == 2
    assert site.text("/a") is not None
    with open_collection(site.directory) as collection:
        states = {known: row.counted_as for known, row in collection.urls()}
    assert states[listing] == "source/sitemap"
    assert site.problems() == []


# --- feeds ----------------------------------------------------------------------------------------


def test_a_feed_that_is_added_is_polled_and_its_items_are_taken(site: Site) -> None:
    """An item with its whole article is read as it is, and what it links to is found; of the
    others the pages are fetched. What is new in a later poll is taken, and nothing twice."""
    url = site.url
    link = f'<a href="{url("/linked")}">linked</a>'
    first = [(url("/whole"), WHOLE + link), (url("/short"), "Only a line.")]
    site.running.put(0, "/feed.xml", feed(*first), headers={**RSS, "ETag": '"1"'})
    for path in ("/whole", "/short", "/linked", "/later"):
        site.page(path, "<p>The page itself, and more of it than the feed had to say of it.</p>")
    assert crawl(site.directory, [url("/")], FAST).finished
    assert not orders.poll(site.directory, [url("/feed.xml")], wanted=True)

    def read() -> bool:
        return None not in [site.text(path) for path in ("/whole", "/short", "/linked")]

    crawl_until(site.directory, [], STEADY, read)
    assert "The tide brings wood" in (site.text("/whole") or "")
    assert "The page itself" in (site.text("/short") or "")
    assert site.asked("/whole") == [], "the feed had it all"
    known = site.feed("/feed.xml")
    assert (known.title, known.status, known.failures) == ("News", 200, 0)
    polls = len(site.asked("/feed.xml"))
    later = [(url("/later"), "Another line."), *first]
    site.running.put(0, "/feed.xml", feed(*later), headers={**RSS, "ETag": '"2"'})
    crawl_until(site.directory, [], STEADY, lambda: site.text("/later") is not None)
    assert len(site.asked("/feed.xml")) > polls
    assert len(site.asked("/short")) == 1, "it was there before"
    assert site.problems() == []


def test_what_is_listed_of_a_feed_is_what_the_queue_has(site: Site) -> None:
    """Of one that is not there, and of one that is a page at first."""
    site.running.put(0, "/gone.xml", status=404)
    site.running.put(0, "/feed.xml", feed((site.url("/a"), "A line.")), headers=RSS)
    home = '<title>home</title><link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    site.running.put(0, "/", home + '<a href="/feed.xml">feed</a>')
    site.page("/a")
    crawl(site.directory, [], FAST)
    orders.poll(site.directory, [site.url("/gone.xml")], wanted=True)
    settings = {**STEADY, "feeds.shortest": 600.0, "feeds.longest": 600.0}

    def seen() -> bool:
        return site.feed("/gone.xml").failures > 0 and site.text("/a") is not None

    crawl_until(site.directory, [site.url("/")], settings, seen)
    assert len(site.asked("/feed.xml")) == 1, "the links of a feed that is a page are enough"
    with open_collection(site.directory) as collection:
        lines = {line.url: line.next for line in feeds_of(collection)}
        assert set(lines) == {site.url("/feed.xml"), site.url("/gone.xml")}
        for url, when in lines.items():
            known = view_of(collection).frontier.url(row_key(url))
            assert known is not None
            assert when == iso(known.due_ms / 1000)
            assert known.history is None
    assert site.problems() == []


def test_one_pass_reads_all_of_a_feed_and_follows_its_links(site: Site) -> None:
    """More articles than are read at once: none is left lying, nor is what they link to."""
    url = site.url
    pages = [f"/item/{n}" for n in range(130)]
    items = [
        (url(path), f'{2 * WHOLE}<p>{path}</p><a href="{url("/linked")}">on</a>') for path in pages
    ]
    site.running.put(0, "/feed.xml", feed(*items), headers=RSS)
    site.page("/linked")
    crawl(site.directory, [url("/")], FAST)
    orders.poll(site.directory, [url("/feed.xml")], wanted=True)
    assert crawl(site.directory, [], FAST).finished
    with open_collection(site.directory) as collection:
        stored = {page.url for page in collection.pages()}
    assert {url(path) for path in pages} <= stored
    assert url("/linked") in stored
    assert not any(site.asked(path) for path in pages)
    assert site.problems() == []


@pytest.mark.slow
def test_a_feed_that_is_unchanged_costs_no_body_and_one_that_is_removed_nothing(
    site: Site,
) -> None:
    url = site.url("/feed.xml")
    settings = {**STEADY, "refresh.shortest": 0.1, "refresh.longest": 1.0, "refresh.budget": 1e6}
    body = feed((site.url("/a"), "A line."))
    site.running.put(0, "/feed.xml", body, headers={**RSS, "ETag": "x"})
    site.page("/a")
    crawl(site.directory, [site.url("/")], FAST)
    orders.poll(site.directory, [url], wanted=True)
    crawl_until(site.directory, [], settings, lambda: site.text("/a") is not None)
    site.running.put(0, "/feed.xml", status=304, headers={"ETag": "x"})
    before = len(site.asked("/feed.xml"))
    crawl_until(site.directory, [], settings, lambda: len(site.asked("/feed.xml")) >= before + 3)
    asked = site.asked("/feed.xml")[before:]
    assert {request.if_none_match for request in asked} == {"x"}
    known = site.feed("/feed.xml")
    assert (known.status, known.failures, known.title) == (304, 0, "News")
    assert not orders.poll(site.directory, [url], wanted=False)
    polls = len(site.asked("/feed.xml"))
    site.page("/b")
    home = '<title>home</title><a href="/feed.xml">feed</a> <a href="/b">b</a>'
    site.running.put(0, "/", home)
    crawl_until(
        site.directory,
        [],
        settings,
        lambda: bool(site.asked("/b")),
    )
    assert len(site.asked("/feed.xml")) == polls, "not even by a link"
    assert site.problems() == []


@pytest.mark.slow
def test_what_a_hub_pushed_is_delivered_while_nothing_runs(site: Site) -> None:
    url = site.url("/feed.xml")
    site.running.put(0, "/feed.xml", feed((site.url("/old"), WHOLE)), headers=RSS)
    crawl(site.directory, [site.url("/")], FAST)
    orders.poll(site.directory, [url], wanted=True)
    assert crawl(site.directory, [], FAST).finished
    body = feed((site.url("/pushed"), WHOLE + "<p>pushed</p>"), (site.url("/old"), WHOLE))
    inbox = Inbox(Layout(site.directory).inbox)
    inbox.push(url, RSS["Content-Type"], body.encode())
    deliver(site.directory)
    assert "pushed" in (site.text("/pushed") or "")
    assert inbox.take() == []
    inbox.push(site.url("/other.xml"), RSS["Content-Type"], b"\x00 no feed at all")
    deliver(site.directory)
    assert inbox.take() == []
    assert site.problems() == []
    assert site.asked("/pushed") == []
