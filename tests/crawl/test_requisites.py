"""With `archive.requisites` a real crawl archives what its pages need to look as they did."""

import io
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from shoal.api import export_cdxj, export_warc
from shoal.api import open as open_collection
from shoal.config import load
from shoal.frontier.background.revisit_dates import Selection
from shoal.layout.layout import Layout
from shoal.maintenance.compact import compact
from shoal.maintenance.repair import repair
from shoal.maintenance.verify import verifying
from shoal.repartition.repartition import repartition
from shoal.store.cdxj import surt
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, gaps, overlaps, serve

DELAY = 0.05
ON = {"politeness.delay": DELAY, "crawl.scope": "host", "archive.requisites": "yes"}
CSS = {"Content-Type": "text/css; charset=utf-8"}
PNG = {"Content-Type": "image/png"}


class Site:
    """A page on one host; half of what it needs stands on another."""

    def __init__(self, running: Running, directory: Path) -> None:
        self.running = running
        self.directory = directory
        self.page = self.url("/page")
        here = ["/style.css", "/small.png", "/large.png", "/icon.png", "/own.png", "/inline.png"]
        there = ["/more.css", "/back.png", "/app.js", "/font.woff2"]
        self.needed = {*(self.url(path) for path in here), *(self.url(p, 1) for p in there)}
        running.put(
            0,
            "/page",
            f"""<title>Reef</title><link rel=stylesheet href=/style.css>
            <link rel=icon href=icon.png><script src="{self.url("/app.js", 1)}"></script>
            <img src=/small.png srcset="/small.png 1x, /large.png 2x">
            <p style="background: url(&quot;inline.png&quot;)">A text about reefs.
            <img src="/gone.png"><img src="/private/x.png">
            <a href="/other">further</a><a href="{self.url("/elsewhere", 1)}">elsewhere</a>""",
        )
        running.put(0, "/other", "<link rel=stylesheet href=/style.css>Another text.")
        more = self.url("/more.css", 1)
        style = f"@import url('{more}'); p {{ background: url(own.png) }}"
        running.put(0, "/style.css", style, headers=CSS)
        deeper = "@import 'deepest.css'; body { background: url(/back.png) }"
        fonts = " @font-face { src: url(font.woff2) }"
        running.put(1, "/more.css", deeper + fonts, headers=CSS)
        running.put(1, "/app.js", "alert(1)", headers={"Content-Type": "text/javascript"})
        for path in ("/small.png", "/large.png", "/icon.png", "/own.png", "/inline.png"):
            running.put(0, path, f"the picture {path}", headers=PNG)
        running.put(1, "/back.png", "the background", headers=PNG)
        running.put(1, "/font.woff2", "a font", headers={"Content-Type": "font/woff2"})
        running.robots(0, "User-agent: *\nDisallow: /private/\n")

    def url(self, path: str, host: int = 0) -> str:
        return f"http://{self.running.web.host_name(host)}:{self.running.port}{path}"

    def crawl(self, **settings: object) -> str:
        more = {name.replace("__", "."): value for name, value in settings.items()}
        return crawl(self.directory, [self.page], {**ON, **more}).reason

    def responses(self) -> Counter[str]:
        """How many responses of each URL stand in the WARC files, robots.txt aside."""
        found: Counter[str] = Counter()
        for path in (self.directory / "warc").glob("*.warc.gz"):
            with path.open("rb") as file:
                for record in ArchiveIterator(file):
                    url = record.rec_headers.get_header("WARC-Target-URI") or ""
                    is_page = record.rec_type == "response" and not url.endswith("/robots.txt")
                    if is_page and record.http_headers.get_statuscode() == "200":
                        found[url] += 1
        return found

    def requests(self) -> Counter[str]:
        found = Counter(f"http://{each.host}{each.target}" for each in self.running.log())
        return Counter({url: n for url, n in found.items() if not url.endswith("/robots.txt")})

    def problems(self) -> list[str]:
        with verifying(Layout(self.directory), lambda _: None) as verifier:
            return [f"{each.where}: {each.says}" for each in verifier.findings()]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=2, pages=2, robots=robots)) as running:
        yield Site(running, tmp_path / "corpus")


def test_nothing_is_asked_for_by_default(site: Site) -> None:
    site.crawl(archive__requisites="no")
    assert set(site.requests()) == {site.page, site.url("/other")}


def test_each_is_archived_once_politely_and_is_no_page(site: Site) -> None:
    site.crawl()
    pages = {site.page, site.url("/other")}
    assert site.responses() == Counter(site.needed | pages)
    assert site.requests() == Counter(site.needed | pages | {site.url("/gone.png")})
    log = site.running.log()
    assert overlaps(log) == []
    assert min(gap for host in gaps(log).values() for gap in host) >= DELAY
    assert site.problems() == []
    with open_collection(site.directory) as collection:
        status = collection.status()
        assert (status.fetched, status.requisites) == (2, len(site.needed))
        assert {page.url for page in collection.pages()} == pages
        states = {url: row.counted_as for url, row in collection.urls()}
        assert states[site.url("/private/x.png")] == "excluded/robots"
        assert states[site.url("/elsewhere", 1)] == "excluded/scope"
        found = collection.explain(site.url("/back.png", 1))
        assert found.verdict.startswith("It is a picture, style or script of a page")
        assert site.url("/more.css", 1) in found.lines[0].says


def test_a_replay_finds_all_that_the_page_names(site: Site) -> None:
    site.crawl()
    out, index = io.BytesIO(), io.BytesIO()
    with open_collection(site.directory) as collection:
        export_warc(collection, out)
        export_cdxj(collection, index)
    out.seek(0)
    exported = Counter(
        record.rec_headers.get_header("WARC-Target-URI")
        for record in ArchiveIterator(out)
        if record.rec_type == "response"
    )
    assert exported == Counter(site.needed | {site.page, site.url("/other")})
    lines = index.getvalue().decode().splitlines()
    keys = {line.split(" ", 1)[0] for line in lines}
    assert {surt(url) for url in site.needed} <= keys
    said = {each["url"]: each for each in (json.loads(line.split(" ", 2)[2]) for line in lines)}
    assert said[site.url("/style.css")]["mime"] == "text/css"


def test_nothing_is_asked_for_twice(site: Site) -> None:
    site.crawl()
    before = site.requests()
    site.crawl()
    assert site.requests() == before
    crawl(site.directory, [], {**ON, "crawl.max_time": 1.0}, forever=True)
    assert {url: n for url, n in site.requests().items() if url in site.needed} == dict.fromkeys(
        site.needed, 1
    )
    assert site.problems() == []


def test_a_refresh_takes_what_a_page_needs_by_now(site: Site) -> None:
    site.crawl()
    site.running.put(0, "/page", '<img src="/new.png"><img src=/large.png>Now another text.')
    site.running.put(0, "/new.png", "a new picture", headers=PNG)
    crawl(site.directory, [], ON, selection=Selection())
    assert site.requests()[site.page] == 2
    assert site.responses()[site.url("/new.png")] == 1
    assert site.responses()[site.url("/large.png")] == 1
    assert site.problems() == []


def test_the_last_page_of_a_limit_has_its_own(site: Site) -> None:
    reason = site.crawl(crawl__max_pages=1)
    assert "the limit of 1 page is reached" in reason
    assert site.responses() == Counter(site.needed | {site.page})
    assert site.url("/other") not in site.requests()
    assert site.problems() == []
    site.crawl(crawl__max_pages=5)
    assert site.responses() == Counter(site.needed | {site.page, site.url("/other")})
    assert site.problems() == []


def test_what_a_page_links_to_is_a_page_all_the_same(site: Site) -> None:
    site.running.put(0, "/other", '<a href="/style.css">a style sheet to read</a> and a text.')
    site.crawl()
    with open_collection(site.directory) as collection:
        page = collection.page(site.url("/style.css"))
        assert page is not None
        assert collection.status().fetched == 3
    assert site.requests()[site.url("/style.css")] == 2
    assert site.problems() == []


def test_what_has_moved_and_how_many_and_how_much(site: Site) -> None:
    site.running.put(0, "/small.png", status=302, headers={"Location": site.url("/back.png", 1)})
    site.running.put(1, "/back.png", "x" * 1000, headers=PNG)
    site.crawl(archive__max_requisite=100, archive__max_requisites=4, crawl__max_depth=1)
    found = site.responses()
    assert found[site.url("/back.png", 1)] == 1
    with open_collection(site.directory) as collection:
        [(_, visit)] = collection.history(site.url("/back.png", 1))
        assert visit.cut
        named = [
            url for url, row in collection.urls() if row.found_from and row.source == "requisite"
        ]
    assert site.url("/inline.png") not in named
    assert site.problems() == []


def test_what_styles_name_counts_towards_their_page(site: Site) -> None:
    pictures = " ".join(f"p {{ background: url(/p{number}.png) }}" for number in range(50))
    imports = "".join(f"@import '/i{number}.css';" for number in range(5))
    for number in range(5):
        site.running.put(0, f"/i{number}.css", pictures.replace("/p", f"/i{number}p"), headers=CSS)
    site.running.put(0, "/style.css", imports + pictures, headers=CSS)
    site.crawl(archive__max_requisites=30, politeness__delay=0.001)
    with open_collection(site.directory) as collection:
        assert sum(row.kind == "requisite" for _, row in collection.urls()) == 30
    assert site.problems() == []


@pytest.mark.parametrize("still_wanted", [True, False])
def test_a_table_made_anew_from_the_archive_takes_none_for_a_page(
    site: Site, still_wanted: bool
) -> None:
    site.crawl()
    settings = site.directory / "shoal.toml"
    if not still_wanted:
        settings.write_text(settings.read_text().replace('requisites = "yes"', ""))
    shutil.rmtree(site.directory / "table")
    repair(site.directory, lambda _: None, from_archive=True)
    assert site.problems() == []
    with open_collection(site.directory) as collection:
        assert {page.url for page in collection.pages()} == {site.page, site.url("/other")}
        assert collection.status().requisites == len(site.needed)


def test_they_stay_when_room_is_made_and_when_tablets_are_divided(
    site: Site, tmp_path: Path
) -> None:
    site.crawl()
    site.running.put(0, "/page", "Now another text, that needs nothing.")
    crawl(site.directory, [], ON, selection=Selection())
    config = load(site.directory, {"crawl.versions": 1}, {})
    compact(site.directory, config, 0.0, lambda _: None)
    assert {url for url in site.responses() if url in site.needed} == site.needed
    assert site.problems() == []
    many = [tmp_path / f"part-{number}" for number in range(3)]
    repartition([site.directory], many)
    repartition(many, [tmp_path / "back"])
    site.directory = tmp_path / "back"
    assert {url for url in site.responses() if url in site.needed} == site.needed
    assert site.problems() == []
