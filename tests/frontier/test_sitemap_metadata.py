"""What sitemaps say of pages, in the frontier: in which rows it is kept, and what is sent on."""

from collections.abc import Callable
from dataclasses import replace

from shoal.frontier.outcome.reach import Reach
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.cell import value_of
from shoal.model.link import LinkSource
from shoal.model.listings.listing import ListedUrl
from shoal.model.listings.sitemap_metadata import Image, SitemapMetadata, metadata_key
from shoal.model.messages import Described
from shoal.model.record import unpack
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import Visit
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import OK, Answer, Play, PlaySettings, link, rules
from tests.frontier.remote_tablets import Away
from tests.frontier.revisits import FAST

A, B = "http://a.test", "http://b.test"
MAP = f"{A}/sitemap.xml"
TOLD = SitemapMetadata(MAP, [Image("http://a.test/1.png")])


def start(table: RocksTable, clock: FakeClock, away: Away | None = None, most: int = 1000) -> Play:
    settings: FrontierSettings = replace(FAST, reach=Reach(sitemaps=True), sitemap_urls=most)
    play = Play(table, clock, PlaySettings(settings, Seams(remote=away)))
    play.robots = lambda _visit: Answer(200, robots=rules(f"Sitemap: {MAP}\n"))
    play.add(f"{A}/")
    return play


def says(*named: tuple[str, SitemapMetadata | None]) -> Callable[[Visit], Answer]:
    all_of_it = [
        ListedUrl(link(url, source=LinkSource.SITEMAP), metadata=told) for url, told in named
    ]
    return lambda visit: Answer(named=all_of_it) if visit.url == MAP else OK


def kept(play: Play, url: str) -> SitemapMetadata | None:
    stored = play.table.get("page", metadata_key(row_key(url), row_key(MAP)))
    return None if stored is None else unpack(SitemapMetadata, value_of(stored))


def test_it_is_kept_in_the_row_of_its_page(table: RocksTable, clock: FakeClock) -> None:
    play = start(table, clock)
    play.crawl(says((f"{A}/1", TOLD), (f"{A}/2", None)))
    assert kept(play, f"{A}/1") == TOLD
    assert kept(play, f"{A}/2") is None
    assert play.problems() == []


def test_nothing_is_kept_of_pages_beyond_the_limit(table: RocksTable, clock: FakeClock) -> None:
    """They have no row, and get none."""
    play = start(table, clock, most=1)
    play.crawl(says((f"{A}/1", TOLD)))
    play.submit(MAP)
    play.crawl(says((f"{A}/1", None), (f"{A}/2", TOLD)))
    assert kept(play, f"{A}/1") is None, "it is no longer said"
    assert play.row(f"{A}/2") is None
    assert kept(play, f"{A}/2") is None


def test_of_another_tablets_pages_it_is_sent_on(table: RocksTable, clock: FakeClock) -> None:
    away = Away(b"test,b)")
    play = start(table, clock, away)
    play.crawl(says((f"{A}/1", TOLD), (f"{B}/1", TOLD), (f"{B}/2", None)))
    sent = [item for item in away.sent if isinstance(item, Described)]
    assert [(item.finder, item.pages) for item in sent] == [
        (row_key(MAP), [(row_key(f"{B}/1"), TOLD)])
    ]
    assert kept(play, f"{B}/1") is None


def test_what_another_tablets_sitemap_says_is_kept(table: RocksTable, clock: FakeClock) -> None:
    """In the row that the page has here, however it is spelled; not of pages that have none."""
    play = start(table, clock)
    play.add(f"{B}/1/")
    item = Described(row_key(MAP), [(row_key(f"{B}/1"), TOLD), (row_key(f"{B}/2"), TOLD)], 1000)
    play.frontier.change(lambda batch, now: play.frontier.inbound.take(batch, item, now))
    assert kept(play, f"{B}/1/") == TOLD
    assert kept(play, f"{B}/1") is None
    assert kept(play, f"{B}/2") is None
