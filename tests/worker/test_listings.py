"""What a child process makes of sitemaps and feeds: links that need no more looking at."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from shoal.converters.limits import Limits
from shoal.focus.priority import PrioritySettings
from shoal.focus.scope import ScopeSettings
from shoal.model.document import Understood
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.listings.sitemap_metadata import MOST_PARTS, Image, News, Video
from shoal.model.outcome import Outcome
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.worker.child import Worker, make
from shoal.worker.child_config import ChildConfig

SITEMAP = "https://www.example.org/sitemap.xml"
FEED = "https://www.example.org/feed.xml"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("warc")


@pytest.fixture(scope="module")
def worker(archive: Path) -> Iterator[Worker]:
    config = ChildConfig(
        scope=ScopeSettings("domain", ["https://www.example.org/"], exclude=["/private/"]),
        priority=PrioritySettings(),
        product_token="Shoal",
        strip=(),
        keep=(),
        limits=Limits(),
        warc_directory=str(archive),
        warc_max_bytes=1_000_000_000,
        software="shoal",
    )
    worker = make(pack(config))
    yield worker
    worker.close()


def visit(url: str, kind: VisitKind) -> Visit:
    return Visit(url, row_key(url), site_key(site_of(url)), kind)


def answer(body: str | bytes, *headers: tuple[str, str]) -> Fetched:
    sent = body.encode() if isinstance(body, str) else body
    return Fetched(
        Outcome.OK, 200, 1.7e9, 1.7e9, headers=list(headers), head=HEAD, body=sent, request=b""
    )


def understood(worker: Worker, asked: Visit, fetched: Fetched) -> Understood:
    """As the main process gets it."""
    found = unpack(Understood, pack(worker(asked, fetched, False)))
    assert found.documents == []
    return found


def names(worker: Worker, body: str | bytes, *headers: tuple[str, str]) -> Understood:
    return understood(worker, visit(SITEMAP, VisitKind.SITEMAP), answer(body, *headers))


def urlset(*entries: str) -> str:
    return f"<urlset>{''.join(f'<url>{entry}</url>' for entry in entries)}</urlset>"


def test_a_sitemap_names_pages_with_what_it_says_of_them(worker: Worker) -> None:
    entry = """<loc>https://www.example.org/a/?utm_source=x&amp;b=1#top</loc>
        <lastmod>2026-01-02T12:00:00Z</lastmod><changefreq>weekly</changefreq>
        <priority>0.9</priority>"""
    found = names(worker, urlset(entry, "<loc>/plain</loc>"))
    first, second = found.listed
    url = "https://www.example.org/a/?b=1"
    assert first.link == Link(
        url,
        row_key(url),
        priority=first.link.priority,
        source=LinkSource.SITEMAP,
        seen=row_key("https://www.example.org/a?b=1"),
    )
    assert (first.modified, first.change_seconds, first.priority) == (1_767_355_200.0, 604_800, 0.9)
    assert second.link.url == "https://www.example.org/plain"
    assert (second.modified, second.change_seconds, second.priority) == (0.0, 0.0, 0.5)
    assert (found.below, found.links, found.left_out, found.problem) == ([], [], 0, "")


EXTENDED = """<loc>https://www.example.org/en</loc>
    <image:image><image:loc>https://cdn.test/1.png</image:loc>
      <image:caption>A\x1b[31m red\nfish</image:caption></image:image>
    <image:image><image:loc>javascript:alert(1)</image:loc></image:image>
    <video:video><video:thumbnail_loc>https://cdn.test/t.png</video:thumbnail_loc>
      <video:title>Reef</video:title></video:video>
    <news:news><news:publication><news:name>The Gull</news:name></news:publication>
      <news:title>Tide</news:title></news:news>
    <xhtml:link rel="alternate" hreflang="de" href="https://www.example.org/de"/>
    <xhtml:link rel="alternate" hreflang="fr" href="https://www.example.org/private/fr"/>
    <xhtml:link rel="alternate" hreflang="ja" href="https://www.example.co.jp/"/>"""


def test_what_it_says_of_a_page_goes_with_its_name(worker: Worker) -> None:
    """Also with what only looks like an address, and with what a terminal would obey."""
    found = names(worker, urlset(EXTENDED, "<loc>/plain</loc>"))
    told = found.listed[0].metadata
    assert told is not None
    assert told.sitemap == SITEMAP
    assert told.images == [Image("https://cdn.test/1.png", "A [31m red fish")]
    assert told.videos == [Video("", "Reef", "https://cdn.test/t.png")]
    assert told.news == News("Tide", "", "The Gull")
    assert [each.language for each in told.alternates] == ["de", "fr", "ja"]
    assert told.left_out == 1
    assert found.listed[1].metadata is None


def test_translations_are_links_that_the_scope_judges(worker: Worker) -> None:
    """Of its own domain, and behind the entries: what is an entry itself keeps what is said of
    it."""
    german = "<loc>https://www.example.org/de</loc><lastmod>2026-01-02</lastmod>"
    found = names(worker, urlset(EXTENDED, german))
    urls = {each.link.url.removeprefix("https://www.example.org"): each for each in found.listed}
    assert list(urls) == ["/en", "/de", "/private/fr"]
    assert urls["/de"].modified
    assert urls["/private/fr"].link.excluded
    assert not urls["/en"].link.excluded
    assert found.left_out == 0, "a translation elsewhere is no entry that was left out"


def test_what_is_said_is_bounded(worker: Worker) -> None:
    image = "<image:image><image:loc>https://cdn.test/%s</image:loc></image:image>"
    many = "".join(image % number for number in range(MOST_PARTS + 7))
    (named,) = names(worker, urlset(f"<loc>/a</loc>{many}{image % ('x' * 2000)}")).listed
    assert named.metadata is not None
    assert len(named.metadata.images) == MOST_PARTS
    assert named.metadata.left_out == 8
    long = "".join(image % (f"{number}/" + "x" * 1900) for number in range(MOST_PARTS))
    found = names(worker, urlset(*(f"<loc>/{number}</loc>{long}" for number in range(300))))
    kept = [each.metadata is not None for each in found.listed]
    assert len(kept) == 300
    assert kept == sorted(kept, reverse=True), "the first are kept"
    assert 100 < sum(kept) < 200
    assert "16,000,000 characters" in found.problem


def test_the_scope_has_its_say(worker: Worker) -> None:
    found = names(worker, urlset("<loc>/private/x</loc>", "<loc>/open</loc>"))
    assert [bool(named.link.excluded) for named in found.listed] == [True, False]


def test_it_speaks_for_its_own_domain_only(worker: Worker) -> None:
    hosts = ["example.org", "shop.example.org", "www.example.org:8443", "example.com", "org", "x.y"]
    found = names(worker, urlset(*(f"<loc>https://{host}/x</loc>" for host in hosts)))
    assert [named.link.url for named in found.listed] == [f"https://{host}/x" for host in hosts[:3]]
    assert found.left_out == 3


def test_each_page_is_named_once_and_what_is_none_never(worker: Worker) -> None:
    locations = [
        "/a",
        "/a/",
        "/a#b",
        SITEMAP,
        "mailto:x@example.org",
        "ftp://example.org/x",
        "http://[",
    ]
    found = names(worker, urlset(*(f"<loc>{each}</loc>" for each in locations)))
    assert [named.link.url for named in found.listed] == ["https://www.example.org/a"]


def test_an_index_names_sitemaps(worker: Worker) -> None:
    body = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in ("/1.xml", "http://x.test/2"))
    found = names(worker, f"<sitemapindex>{body}</sitemapindex>")
    assert found.listed == []
    (link,) = found.below
    assert (link.url, link.rel) == ("https://www.example.org/1.xml", int(Rel.SITEMAP))
    assert (link.row, link.source) == (row_key(link.url), LinkSource.SITEMAP)
    assert found.left_out == 1


@pytest.mark.parametrize("wrappings", [0, 1, 2])
def test_wrappings_are_undone(worker: Worker, wrappings: int) -> None:
    """A .gz file as it is, and one that the server has compressed once more."""
    body, headers = urlset("<loc>/a</loc>").encode(), []
    if wrappings > 0:
        body = gzip.compress(body)
    if wrappings > 1:
        body = gzip.compress(body)
        headers = [("content-encoding", "gzip")]
    assert len(names(worker, body, *headers).listed) == 1


def test_what_is_wrong_is_told(worker: Worker) -> None:
    assert names(worker, "<html>Not found</html>").problem == "it is no sitemap"
    bomb = gzip.compress(gzip.compress(b"<urlset>" + b" " * 40_000_000))
    found = names(worker, bomb, ("content-encoding", "gzip"))
    assert (found.listed, found.problem) == (
        [],
        "it unpacks to more than 500 times its size: refused",
    )
    cut = answer(urlset("<loc>/a</loc>"))
    cut.cut = True
    found = understood(worker, visit(SITEMAP, VisitKind.SITEMAP), cut)
    assert len(found.listed) == 1
    assert found.problem.startswith("the body was cut after")


@pytest.mark.parametrize("kind", [VisitKind.SITEMAP, VisitKind.FEED])
@pytest.mark.parametrize("outcome", [Outcome.GONE, Outcome.UNCHANGED, Outcome.EMPTY_ANSWER])
def test_any_other_answer_names_nothing(worker: Worker, kind: VisitKind, outcome: Outcome) -> None:
    fetched = answer(urlset("<loc>/a</loc>"))
    fetched.outcome, fetched.head = outcome, b""
    assert understood(worker, visit(SITEMAP, kind), fetched) == Understood()


@pytest.mark.parametrize("kind", [VisitKind.SITEMAP, VisitKind.FEED])
def test_a_redirect_is_one_as_of_a_page(worker: Worker, kind: VisitKind) -> None:
    fetched = Fetched(Outcome.REDIRECT, 301, headers=[("location", "/new.xml")])
    (link,) = understood(worker, visit(SITEMAP, kind), fetched).links
    assert (link.url, link.rel) == ("https://www.example.org/new.xml", int(Rel.REDIRECT))


RSS = """<rss version="2.0"><channel><title>News</title><link>https://www.example.org/</link>
<item><title> One
  thing </title><link>https://www.example.org/1?utm_source=feed</link><guid>tag:1</guid>
  <pubDate>Fri, 02 Jan 2026 12:00:00 GMT</pubDate>
  <enclosure url="https://media.test/1.mp3" type="audio/mpeg" length="7"/></item>
<item><title>Elsewhere</title><link>https://other.test/2</link></item>
<item><title>No page</title><description>Only words.</description></item>
</channel></rss>"""


def test_a_feed_names_the_pages_of_its_items(worker: Worker) -> None:
    headers = ("link", '<https://hub.test/>; rel="hub", </feed.xml>; rel="self"')
    found = understood(worker, visit(FEED, VisitKind.FEED), answer(RSS, headers))
    assert [(named.link.url, named.link.text) for named in found.listed] == [
        ("https://www.example.org/1", "One thing"),
        ("https://other.test/2", "Elsewhere"),
    ]
    assert all(named.link.source is LinkSource.FEED for named in found.listed)
    assert [named.modified for named in found.listed] == [1_767_355_200.0, 0.0]
    assert bool(found.listed[1].link.excluded)
    (enclosure,) = found.links
    assert (enclosure.url, enclosure.source) == ("https://media.test/1.mp3", LinkSource.FEED)
    assert found.feed is not None
    assert [item.url for item in found.feed.items] == [
        "https://www.example.org/1",
        "https://other.test/2",
        "",
    ]
    assert found.feed.items[0].guid == "tag:1"
    assert found.feed.hubs == ["https://hub.test/"]
    assert found.feed.self_url == FEED


def test_what_is_no_feed_names_nothing(worker: Worker) -> None:
    found = understood(worker, visit(FEED, VisitKind.FEED), answer("<html>Not found</html>"))
    assert (found.listed, found.links) == ([], [])
    assert found.feed is not None
    assert (found.feed.form, found.problem) == ("", "it is no feed")


def test_both_are_archived_like_pages(worker: Worker, archive: Path) -> None:
    for asked, body in ((visit(SITEMAP, VisitKind.SITEMAP), urlset("<loc>/a</loc>")),) * 2 + (
        (visit(FEED, VisitKind.FEED), RSS),
    ):
        spot = understood(worker, asked, answer(body)).response
        assert spot is not None
        with (archive / spot.file).open("rb") as file:
            file.seek(spot.offset)
            record = next(iter(ArchiveIterator(file)))
            assert record.rec_headers["WARC-Target-URI"] == asked.url
            assert record.content_stream().read() == body.encode()
