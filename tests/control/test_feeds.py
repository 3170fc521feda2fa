"""R3: feeds are added, listed, removed and exported; one is shown."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.collection.report.feed_table import feed_page
from shoal.config import load
from shoal.control.feeds import add_feeds, feeds_of, opml_of, remove_feeds, view_file, view_url
from shoal.engine.engine import Engine
from shoal.errors import CollectionError, UsageError
from shoal.frontier.state.rows import REVISIT, UrlRow, pack_url, url_key
from shoal.layout.layout import Layout, WriteLock
from shoal.loop import run
from shoal.model.listings.feed import FeedRow, feed_key
from shoal.model.outcome import State
from shoal.model.principal import Principal
from shoal.model.record import pack
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import VisitKind
from shoal.sources.feed_text import MAX_BYTES
from shoal.sources.inbox import AddFeed, Inbox
from shoal.sources.opml import Outline, read_opml, write_opml
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve

A, B, C = "https://a.example/feed", "https://b.example/feed.xml", "https://c.example/rss?x=1&y=2"
HOST = "feeds.test"
WEB = Web(seed=9, hosts=1, pages=3, names=(HOST,), robots=RobotsMix(disallow=0, error=0))
FEED = (
    "<rss version='2.0'><channel><title>T</title><item><title>One</title><link>/1</link>"
    "</item></channel></rss>"
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A collection with nothing in it."""
    directory = tmp_path / "corpus"

    async def make() -> None:
        await Engine(directory, load(directory, {}, {})).close()

    run(make())
    return directory


@pytest.fixture
def world() -> Iterator[Running]:
    with serve(WEB) as running:
        yield running


def polled(directory: Path) -> list[str]:
    with open_collection(directory) as collection:
        return [line.url for line in feeds_of(collection)]


def test_feeds_are_added_and_removed(corpus: Path, tmp_path: Path) -> None:
    subscriptions = tmp_path / "mine.opml"
    text = "<opml><outline xmlUrl='{}'/><outline xmlUrl='{}'/><outline xmlUrl='mailto:x'/></opml>"
    subscriptions.write_text(text.format(B, C.replace("&", "&amp;")), encoding="utf-8")
    done = add_feeds(corpus, ["a.example/feed", str(subscriptions), A])
    assert (done.urls, done.running, done.left_out) == ([A, B, C], False, ["mailto:x"])
    assert polled(corpus) == [A, B, C]
    assert remove_feeds(corpus, [B]).urls == [B]
    assert polled(corpus) == [A, C]
    with pytest.raises(UsageError, match=r"does not poll https://b.example/feed.xml; it polls"):
        remove_feeds(corpus, [A, B])
    assert polled(corpus) == [A, C]
    add_feeds(corpus, [B])
    assert polled(corpus) == [A, B, C]


@pytest.mark.parametrize(
    ("given", "urls", "left_out"),
    [
        (f"{A}\n# mine\nb.example/feed.xml  # too\n", [A, B], []),
        (f"<opml><outline xmlUrl='{A}'/><outline xmlUrl='odd:x'/></opml>", [A], ["odd:x"]),
        (write_opml([Outline("T", C)], "all"), [C], []),
    ],
)
def test_feeds_are_read_from_the_standard_input(
    corpus: Path, given: str, urls: list[str], left_out: list[str]
) -> None:
    done = add_feeds(corpus, ["-"], io.BytesIO(given.encode()))
    assert (done.urls, done.left_out) == (urls, left_out)
    assert polled(corpus) == urls
    assert remove_feeds(corpus, ["-"], io.BytesIO(given.encode())).urls == urls


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (b"", "the standard input names no URL"),
        (b"<opml version='2.0'><body/></opml>", "the standard input names no feed"),
        (b"https://a.example/feed\nhtps://b.example/\n", "the standard input, line 2: .*mean"),
        (b"x" * (MAX_BYTES + 1), "the standard input is longer than"),
    ],
)
def test_and_what_is_wrong_there_is_said(corpus: Path, given: bytes, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        add_feeds(corpus, ["-"], io.BytesIO(given))
    assert polled(corpus) == []


def test_a_running_crawl_is_told(corpus: Path) -> None:
    lock = WriteLock(Layout(corpus))
    try:
        assert add_feeds(corpus, [A]).running
    finally:
        lock.release()
    assert [order for _, order in Inbox(Layout(corpus).inbox).take()] == [AddFeed(A)]


def test_what_is_known_of_feeds_is_told(corpus: Path) -> None:
    async def write() -> None:
        engine = Engine(corpus, load(corpus, {}, {}))
        batch = engine._table.batch()
        row = FeedRow("Title <b>", polled_ms=1_000, status=200, problem="odd")
        row.page_url = "https://a.example/"
        batch.put("site", feed_key(row_key(A)), pack(row))
        batch.put("site", feed_key(row_key(B)), pack(FeedRow(removed=True)))
        due = UrlRow(State.SOURCE, kind=VisitKind.FEED, waiting=True, level=REVISIT, due_ms=2_000)
        batch.put("page", url_key(row_key(A)), pack_url(due, 1.0))
        engine._table.write(batch)
        await engine.close()

    run(write())
    with open_collection(corpus) as collection:
        (line,) = feeds_of(collection)
        assert (line.url, line.title, line.status) == (A, "Title <b>", 200)
        assert (line.polled, line.next) == ("1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z")
        assert (line.problem, line.pushed_until) == ("odd", "")
        (shown,) = feed_page(collection).feeds
        assert (shown.polled, shown.next) == (line.polled, line.next)
        exported = opml_of(collection)
    assert read_opml(exported) == [Outline("Title <b>", A, "https://a.example/")]
    with open_collection(corpus, Principal(frozenset({"guests"}))) as collection:
        assert feeds_of(collection) == []


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("", "is no URL"),
        ("htps://a.example/feed", "did you mean"),
        ("ftp://a.example/feed", "only feeds of the web"),
        ("empty.opml", "names no feed"),
        ("feed.xml", "is no list of feeds in OPML"),
        ("missing.opml", "there is no file 'missing.opml' here"),
    ],
)
def test_what_is_no_feed_is_refused(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.opml").write_text("<opml version='2.0'><body/></opml>", encoding="utf-8")
    Path("feed.xml").write_text(FEED, encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        add_feeds(corpus, [A, word])
    assert polled(corpus) == []


def test_a_stored_page_stays_a_page(tmp_path: Path) -> None:
    with serve(Web(seed=9, hosts=1, pages=3, robots=RobotsMix(disallow=0, error=0))) as running:
        home = running.web.seeds()[0]
        assert crawl(tmp_path / "corpus", [home]).finished
    with pytest.raises(UsageError, match="is stored as a page and is no feed"):
        add_feeds(tmp_path / "corpus", [home])
    assert add_feeds(tmp_path / "corpus", [home, A]).left_out == [home]
    assert polled(tmp_path / "corpus") == [A]


def test_without_a_collection(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="There is no collection"):
        remove_feeds(tmp_path / "none", [A])
    add_feeds(tmp_path / "none", [A])
    assert polled(tmp_path / "none") == [A]


def test_a_file_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "a feed.xml"
    path.write_text(FEED, encoding="utf-8")
    feed = view_file(path)
    assert (feed.form, [item.url for item in feed.items]) == ("rss20", ["file:///1"])
    path.write_text("<html><body>no</body></html>", encoding="utf-8")
    assert view_file(path).problem == "it is no feed"


def test_a_url_is_asked_for_politely(world: Running, tmp_path: Path) -> None:
    origin = f"http://{HOST}:{world.port}"
    settings = {f"resolve.{HOST}": world.web.address(0), "politeness.delay": 0.01}
    config = load(tmp_path, settings, {})
    world.robots(HOST, "User-agent: *\nDisallow: /no/")
    world.put(HOST, "/feed", FEED)
    world.put(HOST, "/no/feed", FEED)
    feed = view_url(f"{origin}/feed", tmp_path / "none", config, 20)
    assert [item.url for item in feed.items] == [f"{origin}/1"]
    with pytest.raises(UsageError, match=r"can't be had: robots.txt forbids it"):
        view_url(f"{origin}/no/feed", tmp_path / "none", config, 20)
    with pytest.raises(UsageError, match=r"can't be had: .*404"):
        view_url(f"{origin}/gone", tmp_path / "none", config, 20)
    asked = [request.target for request in world.log()]
    assert asked == ["/robots.txt", "/feed", "/robots.txt", "/robots.txt", "/gone"]
