"""Sitemaps that a person names, from the command line: no robots.txt tells of them, and no page
links to what they name."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.cli.command import Shoal
from tests.world import Latency, RobotsMix, Running, Web, serve

WEB = Web(seed=5, hosts=2, pages=6, starts=2, robots=RobotsMix(disallow=0, error=0, missing=0))
FLAGS = ("--delay=0", "--set=politeness.delay_factor=0", "--children=1", "-q")
XML = {"Content-Type": "application/xml"}


@dataclass(frozen=True)
class Site:
    running: Running

    def url(self, path: str, host: int = 0) -> str:
        return f"http://{self.running.web.host_name(host)}:{self.running.port}{path}"

    def page(self, path: str, host: int = 0) -> str:
        text = f"<title>about {path}</title><main>The tide brings wood to {path}.</main>"
        return self.running.put(host, path, text)

    def sitemap(self, path: str, *urls: str, kind: str = "urlset", entry: str = "url") -> str:
        rows = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
        text = f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{kind}>'
        body = gzip.compress(text.encode()) if path.endswith(".gz") else text.encode()
        return self.running.put(0, path, body, headers=XML)

    def asked(self, url: str) -> int:
        return sum(each.url == url for each in self.running.log())


@pytest.fixture
def site() -> Iterator[Site]:
    with serve(WEB) as running:
        for host in (0, 1):
            running.robots(host, "User-agent: *\nDisallow: /no\n")
        yield Site(running)


def fetched(shoal: Shoal) -> set[str]:
    return {line.split("\t")[0] for line in shoal.ok("urls", "--state=fetched").lines}


def test_a_crawl_of_sitemaps_alone(shoal: Shoal, site: Site) -> None:
    """An index with a compressed part, and a text; what robots.txt or the scope forbids is left."""
    pages = [site.page(path) for path in ("/a", "/b", "/c")]
    forbidden, elsewhere = site.page("/no/d"), site.page("/e", 1)
    part = site.sitemap("/maps/part.xml.gz", *pages[:2], forbidden, elsewhere)
    index = site.sitemap("/maps/all.xml", part, kind="sitemapindex", entry="sitemap")
    text = site.running.put(0, "/list.txt", pages[2], headers={"Content-Type": "text/plain"})
    shoal.ok("crawl", "--sitemap", index, f"--sitemap={text}", *FLAGS)
    assert fetched(shoal) == set(pages)
    assert site.asked(forbidden) == site.asked(elsewhere) == 0
    told = shoal.ok("explain", pages[0]).text
    assert f"Through a sitemap on {part}" in told
    told = shoal.ok("explain", index).text
    assert "It is a sitemap: what it names was taken" in told
    assert "It is a seed" in told
    shoal.ok("crawl", "--sitemap", index, *FLAGS)
    assert site.asked(index) == 1, "the same command again goes on"
    assert shoal.ok("verify").code == 0
    shoal.ok("crawl", "--shadow", *FLAGS)
    assert site.asked(pages[0]) == site.asked(pages[2]) == 2, "a shadow reads the same sitemaps"


def test_a_crawl_of_a_seed_and_a_sitemap_that_was_a_page(shoal: Shoal, site: Site) -> None:
    home, page = site.page("/"), site.page("/a")
    listing = site.sitemap("/pages.xml", page)
    shoal.ok("crawl", home, listing, "--set=sitemaps.use=no", *FLAGS, SHOAL_INDEX_FOLLOW="yes")
    assert fetched(shoal) == {home, listing}
    assert listing in shoal.ok("search", "url:pages", "--json").text
    shoal.ok("crawl", "--sitemap", listing, *FLAGS, SHOAL_INDEX_FOLLOW="yes")
    assert listing not in shoal.ok("search", "url:pages", "--json").text
    assert fetched(shoal) == {home, page}
    assert "It is a sitemap" in shoal.ok("explain", listing).text
    assert shoal.ok("verify").code == 0


def test_submitted_to_a_collection_at_rest(shoal: Shoal, site: Site) -> None:
    home, pages = site.page("/"), [site.page("/a"), site.page("/b")]
    listing = site.sitemap("/pages.xml", pages[0])
    shoal.ok("crawl", home, *FLAGS)
    found = shoal.ok("submit", "--sitemap", listing, "--json").json
    assert found == {"urls": [listing], "running": False}
    shoal.ok("crawl", *FLAGS)
    assert fetched(shoal) == {home, pages[0]}
    assert f"Through a sitemap on {listing}" in shoal.ok("explain", pages[0]).text
    assert "A person submitted it" in shoal.ok("explain", listing).text
    site.sitemap("/pages.xml", *pages)
    assert "2 URLs queued" in shoal.ok("submit", home, "--sitemap", listing).text
    shoal.ok("crawl", *FLAGS)
    assert fetched(shoal) == {home, *pages}
    assert (site.asked(listing), site.asked(home), site.asked(pages[0])) == (2, 2, 1)


def test_submitted_to_a_crawl_that_runs(shoal: Shoal, site: Site) -> None:
    page = site.page("/a")
    listing = site.sitemap("/pages.xml", page)
    running = site.running
    running.set("*", Latency(0.1))
    crawl = shoal.start("crawl", *running.web.seeds(), "--scope=any", *FLAGS)
    running.wait(3)
    running.set("*", Latency(2.0))  # so that it can't end while the order is given
    told = shoal.ok("submit", "--sitemap", listing).text
    assert told == "1 URL handed to the running crawl.\n"
    running.clear()
    assert crawl.wait().code == 0
    assert page in fetched(shoal)
    assert list((shoal.directory / "corpus" / "inbox").iterdir()) == []


def test_mistakes(shoal: Shoal, site: Site) -> None:
    listing, home = site.url("/pages.xml"), site.page("/")
    assert "is no URL" in shoal.refuses("crawl", "--sitemap", "htp://x/")
    assert "named twice" in shoal.refuses("crawl", f"--sitemap={listing}", f"--sitemap={listing}")
    assert "http or https" in shoal.refuses("crawl", "--sitemap", "ftp://127.0.0.1/sitemap.xml")
    (shoal.directory / "map.xml").write_text("<urlset/>")
    assert "http or https" in shoal.refuses("crawl", "--sitemap", "map.xml")
    assert not (shoal.directory / "corpus").exists()
    shoal.ok("crawl", home, *FLAGS)
    assert "Nothing to submit" in shoal.refuses("submit")
    assert "is no URL" in shoal.refuses("submit", "--sitemap", "htp://x/")
    assert "named twice" in shoal.refuses("submit", "--sitemap", listing, "--sitemap", listing)
    assert "argument" in shoal.refuses("submit", home, "--sitemap")
