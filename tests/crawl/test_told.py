"""What sitemaps say of pages beside their dates: kept by a real crawl, in the row of each page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.collection.export.lines import page_line
from shoal.layout.layout import Layout
from shoal.maintenance.repair import repair
from shoal.maintenance.verify import verifying
from shoal.model.cell import stamped
from shoal.model.listings.sitemap_metadata import (
    Alternate,
    Image,
    News,
    SitemapMetadata,
    Video,
    metadata_key,
)
from shoal.model.record import from_json, to_json
from shoal.model.urls.rowkey import row_key
from shoal.repartition.repartition import repartition
from shoal.store.table import RocksTable
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve

FAST = {"politeness.delay": 0.02, "crawl.scope": "host"}
XML = {"Content-Type": "application/xml"}
SPACES = " ".join(
    f'xmlns:{name}="http://www.google.com/schemas/sitemap-{name}/1.1"'
    for name in ("image", "video", "news")
)
ROOT = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" {SPACES} xmlns:xhtml="x">'


class Site:
    def __init__(self, running: Running, directory: Path) -> None:
        self.running = running
        self.directory = directory
        self.map = self.url("/sitemap.xml")

    def url(self, path: str) -> str:
        return f"http://{self.running.web.host_name(0)}:{self.running.port}{path}"

    def say(self, *said: str) -> None:
        """The sitemap has one page, of which it says this."""
        entry = f"<url><loc>{self.url('/en')}</loc>{''.join(said)}</url>"
        self.running.put(0, "/sitemap.xml", f"{ROOT}{entry}</urlset>", headers=XML)

    def told(self, directory: Path | None = None) -> list[SitemapMetadata]:
        with open_collection(directory or self.directory) as collection:
            page = collection.page(self.url("/en"))
            assert page is not None
            return page.told

    def problems(self) -> list[str]:
        with verifying(Layout(self.directory), lambda _: None) as verifier:
            return [each.says for each in verifier.findings()]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    mix = RobotsMix(disallow=0, error=0, missing=0)
    with serve(Web(seed=3, hosts=2, pages=2, starts=2, robots=mix)) as running:
        site = Site(running, tmp_path / "corpus")
        running.robots(0, f"Sitemap: {site.map}\n")
        for path in ("/", "/en", "/de"):
            running.put(0, path, f"<title>{path}</title><main><p>The tide, said {path}.</p></main>")
        yield site


def everything(site: Site) -> tuple[list[str], SitemapMetadata]:
    """What a sitemap can say, as written and as kept."""
    german, elsewhere = site.url("/de"), "http://jp.example/"
    said = [
        (
            "<image:image><image:loc>http://cdn.example/1.png</image:loc>"
            "<image:title>A reef</image:title></image:image>"
        ),
        (
            "<video:video><video:thumbnail_loc>http://cdn.example/t.png</video:thumbnail_loc>"
            "<video:title>Tide</video:title>"
            "<video:content_loc>http://cdn.example/v.mp4</video:content_loc></video:video>"
        ),
        (
            "<news:news><news:publication><news:name>The Gull</news:name>"
            "<news:language>en</news:language></news:publication>"
            "<news:publication_date>2026-01-02</news:publication_date>"
            "<news:title>High water</news:title></news:news>"
        ),
        f'<xhtml:link rel="alternate" hreflang="de" href="{german}"/>',
        f'<xhtml:link rel="alternate" hreflang="ja" href="{elsewhere}"/>',
    ]
    kept = SitemapMetadata(
        site.map,
        [Image("http://cdn.example/1.png", "A reef")],
        [Video("http://cdn.example/v.mp4", "Tide", "http://cdn.example/t.png")],
        News("High water", "2026-01-02", "The Gull", "en"),
        [Alternate("de", german), Alternate("ja", elsewhere)],
    )
    return said, kept


def test_all_of_it_is_kept_shown_and_moved_with_its_row(site: Site, tmp_path: Path) -> None:
    said, kept = everything(site)
    site.say(*said)
    assert crawl(site.directory, [site.url("/")], FAST).finished
    assert site.told() == [kept]
    asked = {each.url for each in site.running.log()}
    assert site.url("/de") in asked, "a translation is a page like others"
    assert not any("cdn.example" in url or "jp.example" in url for url in asked)
    with open_collection(site.directory) as collection:
        page = collection.page(site.url("/en"))
        assert page is not None
        assert from_json(dict[str, object], to_json(page_line(page)))["told"] == [
            from_json(dict[str, object], to_json(kept))
        ]
        lines = [line.says for line in collection.explain(site.url("/en")).lines]
        assert collection.told(site.url("/")) == []
        assert [url for url, _ in collection.urls() if "example" in url] == []
    assert f"{site.map} says, news: High water (The Gull, 2026-01-02, en)." in lines
    assert f"{site.map} says, images: http://cdn.example/1.png (A reef)." in lines
    assert site.problems() == []
    many, back = [tmp_path / f"{number}" for number in range(3)], tmp_path / "back"
    repartition([site.directory], many)
    repartition(many, [back])
    assert site.told(back) == [kept]


def test_what_is_said_later_takes_its_place(site: Site) -> None:
    image = "<image:image><image:loc>http://cdn.example/%d.png</image:loc></image:image>"
    site.say(image % 1)
    assert crawl(site.directory, [site.url("/")], FAST).finished
    for said, kept in ((image % 2, [[Image("http://cdn.example/2.png")]]), ("", [])):
        site.say(said)
        with open_collection(site.directory) as collection:
            collection.submit(sitemaps=site.map)
        assert crawl(site.directory, [], FAST).finished
        assert [each.images for each in site.told()] == kept
    assert site.problems() == []


def test_a_cell_that_is_damaged_is_found_and_mended(site: Site) -> None:
    said, _ = everything(site)
    site.say(*said)
    assert crawl(site.directory, [site.url("/")], FAST).finished
    with RocksTable(Layout(site.directory).table) as table:
        batch = table.batch()
        key = metadata_key(row_key(site.url("/en")), row_key(site.map))
        assert table.get("page", key) is not None
        batch.put("page", key, stamped(1, b"\xc1"))
        table.write(batch)
    assert any("does not read" in each for each in site.problems())
    repair(site.directory, lambda _: None)
    assert site.problems() == []
    assert site.told() == []
