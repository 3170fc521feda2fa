"""A feed that a crawl fetched as a page, before anyone knew that it is polled: its items are read
all the same, though its server would say 304."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.config import load
from shoal.engine.engine import Engine
from shoal.loop import run
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import VisitKind
from shoal.sources.inbox import AddFeed
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve

WEB = Web(seed=8, hosts=1, pages=2, robots=RobotsMix(disallow=0, error=0))
FEED = "<rss version='2.0'><channel><title>T</title><item><guid>1</guid></item></channel></rss>"
HEADERS = {"Content-Type": "application/rss+xml", "ETag": '"1"'}


@pytest.fixture
def world() -> Iterator[Running]:
    with serve(WEB) as running:
        running.put(0, "/feed.xml", FEED, headers=HEADERS)
        yield running


def test_a_page_that_becomes_a_feed_is_asked_without_conditions(
    world: Running, tmp_path: Path
) -> None:
    url = f"http://{world.web.host_name(0)}:{world.port}/feed.xml"
    corpus = tmp_path / "corpus"
    crawl(corpus, [url], {"politeness.delay": 0.02, "crawl.max_pages": 1})

    async def add() -> tuple[VisitKind, str, str, str]:
        engine = Engine(corpus, load(corpus, {}, {}))
        try:
            view = engine.view()
            before = view.url(row_key(url))
            assert before is not None
            engine.commands().carry_out(AddFeed(url))
            after = view.url(row_key(url))
            assert after is not None
            return after.kind, before.etag + before.last_modified, after.etag, after.last_modified
        finally:
            await engine.close()

    kind, had, etag, modified = run(add())
    assert had, "the server must give something to ask by, or this shows nothing"
    assert (kind, etag, modified) == (VisitKind.FEED, "", "")
