"""`shoal map`: every URL that a site names, politely, and not one page fetched."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.demo import serve as serve_demo
from tests.cli.command import Shoal
from tests.world import Hang, Latency, RobotsMix, Running, Status, Web, gaps, serve

SITE = "site.test"
WEB = Web(seed=9, hosts=1, pages=3, names=(SITE,), robots=RobotsMix(disallow=0, error=0))


@pytest.fixture
def running() -> Iterator[Running]:
    with serve(WEB) as running:
        yield running


class Site:
    """A site that a test builds, and the command that maps it."""

    def __init__(self, shoal: Shoal, running: Running) -> None:
        self._shoal = shoal
        self.running = running
        self.origin = f"http://{SITE}:{running.port}"

    def put(self, path: str, body: str | bytes) -> None:
        self.running.put(SITE, path, body, headers={"Content-Type": "application/xml"})

    def robots(self, *lines: str) -> None:
        self.running.robots(SITE, "\n".join(lines))

    def sitemap(self, *paths: str, root: str = "urlset", item: str = "url") -> str:
        entries = [f"<{item}><loc>{self.origin}{path}</loc></{item}>" for path in paths]
        return f'<?xml version="1.0"?><{root}>{"".join(entries)}</{root}>'

    def map(self, *flags: str, delay: str = "0.01") -> dict[str, object]:
        resolve = f"--resolve={SITE}={self.running.web.address(0)}"
        wait = f"--set=politeness.delay={delay}"
        found: dict[str, object] = self._shoal.ok(
            "map", self.origin, resolve, wait, "--json", *flags
        ).json
        return found

    def paths(self, found: dict[str, object]) -> set[str]:
        urls = found["urls"]
        assert isinstance(urls, list)
        return {each["url"].removeprefix(self.origin) for each in urls}

    def asked(self) -> list[str]:
        return [request.target for request in self.running.log()]


@pytest.fixture
def site(shoal: Shoal, running: Running) -> Site:
    return Site(shoal, running)


def test_sitemaps_of_every_form_are_read_and_nothing_else(site: Site) -> None:
    site.robots(
        "User-agent: *",
        "Disallow: /maps/",
        f"Sitemap: {site.origin}/maps/index.xml",
        "Sitemap: /plain.txt",
    )
    site.put("/maps/index.xml", site.sitemap("/a.xml.gz", "/maps/b.xml", root="sitemapindex"))
    site.put("/a.xml.gz", gzip.compress(site.sitemap("/1", "/2?x=1&amp;y=2").encode()))
    site.put("/maps/b.xml", site.sitemap("/forbidden"))
    site.put("/plain.txt", f"{site.origin}/3\nhttp://elsewhere.test/4\n")
    found = site.map()
    assert site.paths(found) == {"/1", "/2?x=1&y=2", "/3"}
    assert found["notes"] == ["1 entry is a URL of other hosts; left out."]
    sitemaps = {each["url"]: each for each in found["sitemaps"]}  # type: ignore[attr-defined]
    assert sitemaps[f"{site.origin}/maps/b.xml"]["problem"] == "robots.txt forbids it"
    assert sitemaps[f"{site.origin}/a.xml.gz"]["urls"] == 2
    assert site.asked() == ["/robots.txt", "/maps/index.xml", "/plain.txt", "/a.xml.gz"]


def test_without_a_sitemap_line_the_usual_place_is_tried_if_allowed(site: Site) -> None:
    site.robots("User-agent: *", "Disallow:")
    site.put("/sitemap.xml", site.sitemap("/1"))
    assert site.paths(site.map()) == {"/1"}
    site.robots("User-agent: *", "Disallow: /sitemap.xml")
    assert site.paths(site.map()) == set()
    assert site.asked().count("/sitemap.xml") == 1


def test_indexes_are_followed_two_deep(site: Site) -> None:
    site.robots(f"Sitemap: {site.origin}/0.xml")
    for depth in range(4):
        name = f"/{depth + 1}.xml"
        site.put(f"/{depth}.xml", site.sitemap(name, root="sitemapindex", item="sitemap"))
    found = site.map()
    assert site.asked() == ["/robots.txt", "/0.xml", "/1.xml", "/2.xml"]
    assert found["notes"] == ["1 sitemaps stand deeper than 2 indexes."]


def test_the_delay_is_kept_and_a_crawl_delay_too(site: Site) -> None:
    site.running.set("*", Latency(0.02))
    site.robots("User-agent: *", "Crawl-delay: 0.4", "Sitemap: /a.xml", "Sitemap: /b.xml")
    site.put("/a.xml", site.sitemap("/1"))
    site.put("/b.xml", site.sitemap("/2"))
    assert site.paths(site.map(delay="0.1")) == {"/1", "/2"}
    waits = gaps(site.running.log())[f"{SITE}:{site.running.port}"]
    assert len(waits) == 2
    assert min(waits) >= 0.4


def test_robots_that_cannot_be_had_closes_the_site(site: Site) -> None:
    site.running.set(f"{SITE}/robots.txt", Status(503))
    site.put("/sitemap.xml", site.sitemap("/1"))
    found = site.map()
    assert site.paths(found) == set()
    assert found["robots"] == "can't be had (status 503)"
    why = "/robots.txt can't be had (status 503), and without it nothing else is asked there"
    assert why in str(found["sitemaps"])
    assert found["notes"] == [], "it is said once"
    assert site.asked() == ["/robots.txt"]


def test_a_host_in_trouble_is_not_asked_again(site: Site) -> None:
    site.robots("Sitemap: /a.xml", "Sitemap: /b.xml")
    site.running.set(f"{SITE}/a.xml", Status(503))
    site.put("/b.xml", site.sitemap("/2"))
    found = site.map()
    assert site.asked() == ["/robots.txt", "/a.xml"]
    assert "in trouble" in found["sitemaps"][1]["problem"]  # type: ignore[index]


def test_it_ends_in_time_and_says_what_it_has(site: Site) -> None:
    site.robots("Sitemap: /a.xml", "Sitemap: /hangs.xml")
    site.put("/a.xml", site.sitemap("/1"))
    site.running.set(f"{SITE}/hangs.xml", Hang())
    found = site.map("--max-time=1")
    assert site.paths(found) == {"/1"}
    assert found["notes"] == ["Stopped after 1 s (--max-time); there may be more."]


def test_redirects_are_followed_as_far_as_robots_allow(site: Site) -> None:
    site.robots("User-agent: *", "Disallow: /no/", "Sitemap: /old.xml", "Sitemap: /odd.xml")
    for old, new in (("/old.xml", "/new.xml"), ("/odd.xml", "/no/map.xml"), ("/loop", "/loop")):
        site.running.put(SITE, old, status=301, headers={"Location": new})
    site.put("/new.xml", site.sitemap("/1"))
    site.put("/no/map.xml", site.sitemap("/2"))
    assert site.paths(site.map()) == {"/1"}
    assert "/no/map.xml" not in site.asked()


def test_the_collection_is_part_of_the_map(shoal: Shoal, reef: Path) -> None:
    with serve_demo("127.72.0") as web:
        places = [f"--resolve={host}={address}" for host, address in web.resolve.items()]
        wait = "--set=politeness.delay=0.01"
        flags = [*places, wait, "--dir", str(reef)]
        found = shoal.ok("map", "http://www.reef.example/", *flags, "--json").json
        shown = shoal.ok("map", "http://www.reef.example/", *flags)
        assert {each.target for each in web.requests} == {"/robots.txt", "/sitemap.xml"}
    by_url = {each["url"]: each for each in found["urls"]}
    eel = by_url["http://www.reef.example/species/garden-eel.html"]
    assert eel["sources"] == ["collection", "sitemap"], "no page links to it: the crawl read this"
    assert eel["state"] == "fetched"
    home = by_url["http://www.reef.example/"]
    assert (home["sources"], home["state"]) == (["collection", "sitemap"], "fetched")
    assert home["last_modified"] == "2025-04-20"
    assert shown.lines == [each["url"] for each in found["urls"]]
    assert f"{len(by_url)} URLs of http://www.reef.example" in shown.err


def test_a_site_that_a_crawl_is_asking_is_not_asked_too(shoal: Shoal) -> None:
    with serve(WEB, {"*/*": Hang()}) as running:
        seed = running.web.seeds()[0]
        resolve = f"--resolve={SITE}={running.web.address(0)}"
        crawl = shoal.start("crawl", seed, resolve, "--delay=0", "-q")
        running.wait(2)
        before = len(running.log())
        found = shoal.ok("map", seed, resolve, "--json").json
        assert "A crawl of this site is running" in found["notes"][0]
        assert [each["url"] for each in found["urls"]] == [seed]
        assert len(running.log()) == before
        crawl.end()


def test_what_has_no_map(shoal: Shoal) -> None:
    assert "only sites of the web" in shoal.refuses("map", "ftp://a.test/")
    assert "is no URL" in shoal.refuses("map", "http://")
