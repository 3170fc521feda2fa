"""A whole article that a hub pushes is found, while a crawl runs and without: from the hub to the
index."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import pytest

from shoal.collection.view import TabletView
from shoal.control.launching import steady_crawl
from shoal.errors import Busy
from shoal.layout.layout import Layout, WriteLock
from shoal.layout.subscriptions import Pushed
from shoal.maintenance.pushed_items import Carrier, deliver
from shoal.maintenance.upkeep import Upkeep
from shoal.model.listings.feed import FeedRow, feed_key
from shoal.model.record import unpack
from shoal.model.urls.rowkey import row_key
from shoal.sources.inbox import Inbox, Submit
from tests.web.hub import FEED, TOPIC, Hub, Subscriber
from tests.web.little_web import client_of

PATIENCE_SECONDS = 60.0
FOUND_WITHIN_SECONDS = 2.0
PUSHES = 5
URL = "http://feeds.test/article-1"
TEXT = "".join(
    f"<p>Clownfish number {n} lives between the arms of a sea anemone at the northern reef, and "
    f"nobody has ever seen number {n} alone in the water, at low tide or at high tide.</p>"
    for n in range(20)
)


def atom(url: str, title: str = "Fish of the reef") -> bytes:
    return f"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
<id>tag:feeds.test,2026:1</id><updated>2026-11-16T10:00:00Z</updated><entry>
<title>{title}</title><id>{url}</id><link href="{url}"/>
<updated>2026-11-16T10:00:00Z</updated><content type="html"><![CDATA[{TEXT}]]></content>
</entry></feed>""".encode()


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub()
    yield made
    made.close()


@pytest.fixture
def we(tmp_path: Path, hub: Hub) -> Iterator[Subscriber]:
    made = Subscriber(tmp_path / "corpus")
    made.put_feed(FeedRow(title="News", hubs=[hub.url], self_url=TOPIC))
    settings = Layout(made.directory).settings
    text = settings.read_text(encoding="utf-8")
    settings.write_text(f'{text}[crawl]\nscope = "any"\n', encoding="utf-8")
    asyncio.run(made.keeper().look())
    yield made
    made.close()


@pytest.mark.slow
def test_a_pushed_article_is_found(we: Subscriber, hub: Hub) -> None:
    directory = we.directory
    assert Pushed(directory).until(FEED) == we.clock.now() + 1000
    assert Pushed(directory.parent).until(FEED) == 0
    with (
        Upkeep(directory) as upkeep,
        Carrier(directory, we.site.pushed, upkeep.wake),
        client_of(we.address) as client,
    ):
        assert hub.push(atom(URL)) == 202
        wait_until_found(client, URL, "clownfish")  # at first no index is there
    assert we.taken() == []
    with TabletView(directory) as collection:
        stored = collection.table.get("site", feed_key(row_key(FEED)))
    assert stored is not None
    assert unpack(FeedRow, stored).hubs == [hub.url]  # though what was pushed names none
    asyncio.run(we.keeper().look())
    assert len(hub.asks) == 1  # so it stays subscribed


@contextmanager
def at_rest(we: Subscriber) -> Iterator[None]:
    with Upkeep(we.directory) as upkeep, Carrier(we.directory, we.site.pushed, upkeep.wake):
        yield


@contextmanager
def crawling(we: Subscriber) -> Iterator[None]:
    with steady_crawl(we.directory):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("beside", [at_rest, crawling])
def test_what_is_pushed_is_found_within_two_seconds(
    we: Subscriber, hub: Hub, beside: Callable[[Subscriber], AbstractContextManager[None]]
) -> None:
    """The quickest of a few: the machine may have other work, too."""
    took = []
    with beside(we), client_of(we.address) as client:
        for number in range(PUSHES):
            url = f"http://feeds.test/told/{number}"
            pushed = time.monotonic()
            assert hub.push(atom(url, f"Anemone word{number}")) == 202
            wait_until_found(client, url, f"word{number}")
            took.append(time.monotonic() - pushed)
    assert min(took) < FOUND_WITHIN_SECONDS, took


def wait_until_found(client: httpx.Client, url: str, word: str) -> None:
    deadline_s = time.monotonic() + PATIENCE_SECONDS
    while url not in client.get(f"/search.json?q={word}").text:
        assert time.monotonic() < deadline_s, "it was not found"
        time.sleep(0.05)


def test_what_a_crawl_is_to_do_is_left_to_it(we: Subscriber, hub: Hub) -> None:
    assert hub.push(atom(URL)) == 202
    inbox = Inbox(Layout(we.directory).inbox)
    inbox.post(Submit(URL))
    before = inbox.take()
    with WriteLock(Layout(we.directory)), pytest.raises(Busy):
        deliver(we.directory)
    assert inbox.take() == before
