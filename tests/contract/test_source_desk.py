"""The SourceDesk port: what a sitemap or a feed comes to, in its visit's commit."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.config import load
from shoal.engine.source_schedule import DiskSourceSchedule
from shoal.model.document import Document, Understood
from shoal.model.link import Link
from shoal.model.listings.feed import Feed, Item
from shoal.model.listings.listing import ListedUrl
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import SourceSchedule, Table
from shoal.store.table import RocksTable

URL = "https://a.example/feed"
ITEM = "https://a.example/news/1"
NOW = 1_793_577_600.0


class Stage(NamedTuple):
    steady: SourceSchedule
    once: SourceSchedule
    table: Table

    def take(
        self, source_schedule: SourceSchedule, kind: VisitKind, outcome: Outcome = Outcome.OK
    ) -> tuple[list[str], float | None]:
        """What is to be offered, and when to ask again."""
        visit = Visit(URL, row_key(URL), site_of_key(row_key(URL)), kind)
        named = [ListedUrl(Link(ITEM, row_key(ITEM)))]
        feed = Feed("rss20", items=[Item(guid="1", url=ITEM)]) if kind is VisitKind.FEED else None
        understood = Understood(listed=named, feed=feed) if outcome is Outcome.OK else Understood()
        batch = self.table.batch()
        offered, due = source_schedule.take(batch, visit, Fetched(outcome), understood, NOW)
        self.table.write(batch)
        return [each.link.url for each in offered], due


@pytest.fixture(params=[DiskSourceSchedule])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    with RocksTable(tmp_path / "table") as table:
        steady, once = (
            request.param(table, load(tmp_path, {}, {}), tmp_path, steady=steady)
            for steady in (True, False)
        )
        yield Stage(steady, once, table)


@pytest.mark.parametrize("kind", [VisitKind.SITEMAP, VisitKind.FEED])
def test_what_is_named_is_offered_and_asked_for_again_where_a_crawl_goes_on(
    stage: Stage, kind: VisitKind
) -> None:
    named, due = stage.take(stage.steady, kind)
    assert named == [ITEM]
    assert due is not None
    assert due > NOW


@pytest.mark.parametrize("kind", [VisitKind.SITEMAP, VisitKind.FEED])
@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.UNCHANGED, Outcome.MISSING])
def test_a_crawl_that_ends_asks_once(stage: Stage, kind: VisitKind, outcome: Outcome) -> None:
    assert stage.take(stage.once, kind, outcome)[1] is None


def test_an_item_of_a_feed_is_offered_once(stage: Stage) -> None:
    assert stage.take(stage.steady, VisitKind.FEED)[0] == [ITEM]
    assert stage.take(stage.steady, VisitKind.FEED)[0] == []


def test_a_page_that_is_a_feed_is_adopted_and_another_is_not(stage: Stage) -> None:
    batch = stage.table.batch()
    feed, page = Document(media_type="application/rss+xml"), Document(media_type="text/html")
    due = stage.steady.adopt(batch, row_key(URL), feed, NOW)
    assert due is not None
    assert due > NOW
    assert stage.steady.adopt(batch, row_key(ITEM), page, NOW) is None
    assert stage.once.adopt(batch, row_key(URL), feed, NOW) is None


def test_a_source_is_wanted_until_a_person_removes_it(stage: Stage) -> None:
    stage.take(stage.steady, VisitKind.FEED)
    assert stage.steady.is_wanted(row_key(URL))
