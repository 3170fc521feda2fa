"""A feed that a person names brings its items, wherever they are; one that a page announces does
so within the scope of the crawl."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.control.feeds import add_feeds, feeds_of
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve

WEB = Web(seed=8, hosts=4, pages=8, robots=RobotsMix(disallow=0, error=0))
SETTINGS = {"politeness.delay": 0.02, "crawl.scope": "host", "crawl.patience": 1.0}
HTML = {"Content-Type": "text/html"}


@pytest.fixture
def world() -> Iterator[Running]:
    with serve(WEB) as running:
        yield running


def at(world: Running, host: int, target: str) -> str:
    return f"http://{world.web.host_name(host)}:{world.port}{target}"


def put_feed(world: Running, target: str = "/feed.xml") -> str:
    """On host 1, about pages of the hosts 2 and 3, one of which has moved from one to the other."""
    items = [at(world, 2, "/one"), at(world, 2, "/moved"), at(world, 3, "/private/two")]
    for host, path in ((2, "/one"), (3, "/there"), (3, "/private/two")):
        text = f"<title>{path}</title><p>An article about {path}. <a href='/more'>More</a>"
        world.put(host, path, text, headers=HTML)
    world.put(2, "/moved", status=301, headers={"Location": at(world, 3, "/there")})
    listed = "".join(f"<item><title>A</title><link>{url}</link></item>" for url in items)
    feed = f"<rss version='2.0'><channel><title>T</title>{listed}</channel></rss>"
    world.put(1, target, feed, headers={"Content-Type": "application/rss+xml"})
    return at(world, 1, target)


def stored(directory: Path) -> set[str]:
    with open_collection(directory) as collection:
        return {page.url for page in collection.pages()}


def notes(directory: Path) -> list[str]:
    with open_collection(directory) as collection:
        return [line.problem for line in feeds_of(collection)]


def test_it_makes_a_collection_and_brings_its_items(world: Running, tmp_path: Path) -> None:
    corpus = tmp_path / "new"
    assert add_feeds(corpus, [put_feed(world)]).urls == [at(world, 1, "/feed.xml")]
    assert crawl(corpus, [], SETTINGS).finished
    brought = {at(world, 2, "/one"), at(world, 3, "/there"), at(world, 3, "/private/two")}
    assert stored(corpus) == brought, "links of its items are outside, as ever"
    assert notes(corpus) == [""]


def test_what_is_excluded_stays_out(world: Running, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    add_feeds(corpus, [put_feed(world)])
    crawl(corpus, [], SETTINGS | {"crawl.exclude": ("/private/",)})
    assert stored(corpus) == {at(world, 2, "/one"), at(world, 3, "/there")}


def test_or_only_those_in_scope_and_that_is_said(world: Running, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    add_feeds(corpus, [put_feed(world)])
    crawl(corpus, [], SETTINGS | {"feeds.scope": "scope"})
    assert stored(corpus) == set()
    assert notes(corpus) == ["3 of its 3 items are outside the crawl's scope"]
    crawl(corpus, [], SETTINGS | {"feeds.scope": "any"})
    assert at(world, 2, "/one") in stored(corpus), "what was refused is judged again"


def test_items_that_wait_stay_wanted_when_the_scope_grows(world: Running, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    feed = put_feed(world)
    add_feeds(corpus, [feed])
    crawl(corpus, [], SETTINGS | {"crawl.max_pages": 1})
    seed = at(world, 0, "/")
    world.put(0, "/", "<title>Home</title><p>A seed of its own.", headers=HTML)
    crawl(corpus, [seed], SETTINGS)
    brought = {at(world, 2, "/one"), at(world, 3, "/there"), at(world, 3, "/private/two")}
    assert brought <= stored(corpus)


def test_a_feed_that_was_known_brings_what_it_had_named(world: Running, tmp_path: Path) -> None:
    """A crawl had found the feed by itself, and refused what it names."""
    corpus, feed = tmp_path / "corpus", put_feed(world)
    crawl(corpus, [feed], SETTINGS)
    assert not {url for url in stored(corpus) if "/one" in url}
    add_feeds(corpus, [feed])
    crawl(corpus, [], SETTINGS)
    assert at(world, 2, "/one") in stored(corpus)


def test_a_named_feed_that_has_moved_is_still_named(world: Running, tmp_path: Path) -> None:
    feed = put_feed(world, "/now.xml")
    world.put(1, "/before.xml", status=301, headers={"Location": feed})
    add_feeds(tmp_path / "corpus", [at(world, 1, "/before.xml")])
    crawl(tmp_path / "corpus", [], SETTINGS)
    assert at(world, 2, "/one") in stored(tmp_path / "corpus")
