"""/feeds: which feeds are followed, told to people and to programs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.collection.report.feed_table import PAGE_SIZE, feed_page
from shoal.layout.layout import Layout
from shoal.layout.subscriptions import Subscriptions
from shoal.model.listings.feed import FeedRow, feed_key
from shoal.model.principal import PUBLIC
from shoal.model.record import changed, pack
from shoal.model.urls.rowkey import row_key
from shoal.sources.subscription import Standing
from shoal.store.table import RocksTable
from tests.web.hub import FEED, TOPIC, Subscriber
from tests.web.little_web import client_of

HUB = "http://hub.test/"
TITLE = '<script>alert(1)</script> "News"'


@pytest.fixture(scope="module")
def we(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subscriber]:
    made = Subscriber(tmp_path_factory.mktemp("feeds") / "corpus")
    row = FeedRow(TITLE, [HUB], polled_ms=1_700_000_000_000, status=200)
    made.put_feed(row)
    with RocksTable(Layout(made.directory).table) as table:
        batch = table.batch()
        for n in range(PAGE_SIZE + 1):
            key = feed_key(row_key(f"http://z.test/{n}"))
            batch.put("site", key, pack(FeedRow(problem="it is no feed", removed=n == 7)))
        table.write(batch)
    subscriptions = Subscriptions(made.directory)
    kept = subscriptions.add(FEED, TOPIC, HUB, "http://me.test/")
    subscriptions.change(
        kept.id,
        lambda each: changed(each, standing=Standing.ACTIVE, until=1_700_600_000.0, delivered=2),
    )
    yield made
    made.close()


def test_feeds_are_told_to_programs(we: Subscriber) -> None:
    with client_of(we.address) as client:
        told = client.get("/feeds.json").json()
        assert set(told) == {"feeds", "page", "has_more", "callback"}
        assert told["feeds"][0] == {
            "url": FEED,
            "title": TITLE,
            "polled": "2023-11-14T22:13:20Z",
            "next": "",
            "status": 200,
            "failures": 0,
            "hub": HUB,
            "pushed_until": "2023-11-21T20:53:20Z",
            "delivered": 2,
            "problem": "",
        }
        assert (len(told["feeds"]), told["has_more"]) == (PAGE_SIZE, True)
        second = client.get("/feeds.json?page=2").json()
        assert ([each["url"] for each in second["feeds"]], second["has_more"]) == (
            ["http://z.test/9"],
            False,
        )
        every = {each["url"] for each in [*told["feeds"], *second["feeds"]]}
        assert "http://z.test/7" not in every  # it was removed
        assert "secret" not in client.get("/feeds.json").text


def test_feeds_are_told_to_people(we: Subscriber) -> None:
    with client_of(we.address) as client:
        page = client.get("/feeds").text
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page
        assert "2023-11-14 22:13 UTC" in page
        assert "2023-11-21 20:53 UTC" in page
        assert "2 deliveries" in page
        assert "it is no feed" in page
        assert 'rel="next"' in page
        assert 'rel="prev"' in client.get("/feeds?page=2").text
        assert "No feed is followed" in client.get("/feeds?page=9").text


def test_others_are_not_told_of_them(we: Subscriber) -> None:
    with open_collection(we.directory, PUBLIC) as collection:
        assert feed_page(collection).feeds == []


def test_what_push_lacks_is_said(tmp_path: Path) -> None:
    other = Subscriber(tmp_path / "corpus")
    try:
        other.put_feed(FeedRow(hubs=[HUB]))
        subscriptions = Subscriptions(other.directory)
        kept = subscriptions.add(FEED, FEED, HUB, "http://me.test/")
        subscriptions.change(kept.id, lambda each: changed(each, problem="It answered 500."))
        with client_of(other.address) as client:
            (told,) = client.get("/feeds.json").json()["feeds"]
            assert (told["pushed_until"], told["problem"]) == ("", "push: It answered 500.")
            assert ">asked<" in client.get("/feeds").text
    finally:
        other.close()
