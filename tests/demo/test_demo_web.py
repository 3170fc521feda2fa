"""Is the bundled little web whole, and does a crawl find in it what web/index.toml says?"""

import csv
import gzip
import re
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import pytest

from shoal.demo import DemoWeb, serve
from shoal.demo.server import WEB

from .plain_crawler import Crawled, PageReader, ask, crawl, is_allowed, read_page

HOSTS = sorted(folder.name for folder in WEB.iterdir() if folder.is_dir())
INDEX: dict[str, Any] = tomllib.loads((WEB / "index.toml").read_text("utf-8"))
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture(scope="module")
def web() -> Iterator[DemoWeb]:
    with serve() as running:
        yield running


@pytest.fixture(scope="module")
def crawled(web: DemoWeb) -> Crawled:
    return crawl(web)


def url_of(file: Path) -> str:
    return f"http://{file.relative_to(WEB).as_posix()}".removesuffix("index.html")


def all_pages() -> dict[str, PageReader]:
    return {url_of(f): read_page(url_of(f), f.read_bytes()) for f in sorted(WEB.rglob("*.html"))}


def parse_xml(body: bytes) -> ET.Element:
    return ET.fromstring(body)  # noqa: S314 (the file is the project's own)


def described(host: str) -> dict[str, Any]:
    tables = tomllib.loads((WEB / host / "_responses.toml").read_text("utf-8"))
    return {name: table for name, table in tables.items() if isinstance(table, dict)}


def exists(url: str) -> bool:
    """Whether a file answers at this URL, or the host's description names it."""
    parts = urlsplit(url)
    if parts.netloc not in HOSTS:
        return False
    target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
    file = WEB / parts.netloc / unquote(parts.path).lstrip("/")
    file = file / "index.html" if not parts.path or parts.path.endswith("/") else file
    return file.is_file() or not {target, parts.path}.isdisjoint(described(parts.netloc))


def test_size_and_number_of_pages() -> None:
    assert 55 <= len(all_pages()) <= 70
    assert sum(f.stat().st_size for f in WEB.rglob("*") if f.is_file()) < 700_000
    assert len(HOSTS) == 7


def test_every_link_leads_to_a_file_or_a_described_answer() -> None:
    broken = [
        (url, href)
        for url, page in all_pages().items()
        for href in [*(href for href, _ in page.anchors), *page.others]
        if not exists(href)
    ]
    assert broken == []


def test_links_show_the_variety_of_the_web() -> None:
    sources = [f.read_bytes().decode("utf-8", "replace") for f in sorted(WEB.rglob("*.html"))]
    hrefs = [href for text in sources for href in re.findall(r'<a\s[^>]*href="([^"]*)"', text)]
    for kind in (r"http://", r"/\w", r"[\w-]+\.html", r"\.\./", r"\?", r"#", r".*utm_source="):
        assert any(re.match(kind, href) for href in hrefs), kind
    assert any("sessionid=" in href for href in hrefs)
    for markup in ("<base ", 'rel="canonical"', "application/ld+json", 'content="noai'):
        assert any(markup in text for text in sources), markup
    assert sum('content="nofollow"' in text for text in sources) == 1


def test_full_crawl_finds_what_the_index_says(crawled: Crawled) -> None:
    assert crawled.numbers() == INDEX["crawl"]


def test_counts_add_up() -> None:
    said = INDEX["crawl"]
    parts = said["disallowed"] + said["redirects"] + said["gone"] + said["fetched"]
    assert said["discovered"] == parts
    assert said["fetched"] == said["html"] + said["other"]
    assert said["html"] == sum(said["pages"].values())


def test_the_chain_is_as_deep_as_its_days(crawled: Crawled) -> None:
    for day in range(1, 7):
        url = f"http://marine.westbay.edu.example/expedition/day-{day}.html"
        assert crawled.depth[url] == day


def test_what_links_do_not_reach(crawled: Crawled) -> None:
    unlinked = {url for urls in INDEX["unlinked"].values() for url in urls}
    assert set(all_pages()) - set(crawled.pages) == unlinked


def shingles(page: PageReader) -> set[tuple[str, ...]]:
    return set(zip(page.words, page.words[1:], page.words[2:], strict=False))


def test_near_duplicates_are_near_and_no_others_are() -> None:
    sets = {url: shingles(page) for url, page in all_pages().items() if len(page.words) > 60}
    assert len(sets) > 50
    near = set()
    for one, two in combinations(sorted(sets), 2):
        likeness = len(sets[one] & sets[two]) / len(sets[one] | sets[two])
        assert likeness < 0.4 or 0.7 < likeness < 1, (one, two)
        if likeness > 0.7:
            near.add((one, two))
    assert near == {tuple(sorted(pair)) for pair in INDEX["near_duplicates"]}


def test_exact_duplicates(web: DemoWeb) -> None:
    assert len(INDEX["duplicates"]) == INDEX["crawl"]["duplicate"]
    for one, two in INDEX["duplicates"]:
        assert ask(web, one).body == ask(web, two).body != b""


@pytest.mark.parametrize(
    ("url", "charset", "word"),
    [
        ("http://blog.lagoon.example/2025/poisson-clown.html", "iso-8859-1", "anémone"),
        ("http://museum.tide.example/kumanomi.html", "shift_jis", "イソギンチャク"),
        ("http://marine.westbay.edu.example/exchange/vladivostok.html", "cp1251", "актиния"),
    ],
)
def test_old_charsets_are_declared_in_the_page_only(
    web: DemoWeb, url: str, charset: str, word: str
) -> None:
    reply = ask(web, url)
    assert reply.headers["content-type"] == "text/html"
    assert word in reply.body.decode(charset).lower()
    with pytest.raises(UnicodeDecodeError):
        reply.body.decode("utf-8")


def test_every_host_has_robots_txt(web: DemoWeb) -> None:
    texts = {}
    for host in HOSTS:
        reply = ask(web, f"http://{host}/robots.txt")
        assert (reply.status, reply.headers["content-type"]) == (200, "text/plain; charset=utf-8")
        texts[host] = reply.body.decode("utf-8")
    assert "Crawl-delay: 1\n" in texts["museum.tide.example"]
    assert "ai-train=no" in texts["blog.lagoon.example"]
    assert not is_allowed(texts["www.reef.example"], "http://www.reef.example/drafts/x")
    old = "http://forum.fishkeepers.example/viewtopic.php"
    assert not is_allowed(texts["forum.fishkeepers.example"], old)
    assert is_allowed(texts["forum.fishkeepers.example"], old + "?t=101")


@pytest.mark.parametrize("host", ["www.reef.example", "shop.aqua.example"])
def test_sitemaps_list_pages_that_exist_with_their_dates(web: DemoWeb, host: str) -> None:
    robots = ask(web, f"http://{host}/robots.txt").body.decode()
    (address,) = re.findall(r"^Sitemap: (\S+)", robots, re.MULTILINE)
    reply = ask(web, address)
    packed = address.endswith(".gz")
    assert reply.headers["content-type"] == ("application/gzip" if packed else "application/xml")
    tree = parse_xml(gzip.decompress(reply.body) if packed else reply.body)
    entries = list(tree.iter(f"{SITEMAP}url"))
    assert len(entries) >= 7
    for entry in entries:
        page = ask(web, entry.findtext(f"{SITEMAP}loc", ""))
        assert page.status == 200
        modified = parsedate_to_datetime(page.headers["last-modified"]).date().isoformat()
        assert entry.findtext(f"{SITEMAP}lastmod") == modified


def test_feed_is_announced_and_lists_pages_that_exist(web: DemoWeb) -> None:
    home = read_page("http://blog.lagoon.example/", ask(web, "http://blog.lagoon.example/").body)
    assert "http://blog.lagoon.example/feed.xml" in home.others
    reply = ask(web, "http://blog.lagoon.example/feed.xml")
    assert reply.headers["content-type"] == "application/rss+xml; charset=utf-8"
    items = list(parse_xml(reply.body).iter("item"))
    assert len(items) == 6
    assert all(exists(item.findtext("link", "")) for item in items)
    dates = [parsedate_to_datetime(item.findtext("pubDate", "")) for item in items]
    assert dates == sorted(dates, reverse=True)


def test_other_formats_are_valid(web: DemoWeb) -> None:
    museum = "http://museum.tide.example"
    rows = list(csv.reader(ask(web, f"{museum}/data/specimens.csv").body.decode().splitlines()))
    assert {len(row) for row in rows} == {8}
    catalogue = parse_xml(ask(web, f"{museum}/data/catalogue.xml").body)
    assert {s.get("number") for s in catalogue} <= {row[0] for row in rows}
    pdf = ask(web, f"{museum}/docs/leaflet.pdf").body
    start = int(re.findall(rb"startxref\n(\d+)\n%%EOF", pdf)[0])
    assert pdf[start:].startswith(b"xref\n0 7\n")
    offsets = [int(offset) for offset in re.findall(rb"(\d{10}) 00000 n ", pdf[start:])]
    assert [pdf[at : at + 7] for at in offsets] == [b"%d 0 obj" % n for n in range(1, 7)]
    stream = re.search(rb"/Length (\d+) >>\nstream\n(.*)\nendstream", pdf, re.DOTALL)
    assert stream is not None
    assert int(stream[1]) == len(stream[2])
