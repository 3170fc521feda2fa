"""Links of a real crawl: ranked, reported, exported; and what a crawl does with the ranks."""

import asyncio
import shutil
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from pyarrow import parquet

import shoal
from shoal.analysis import rank_process
from shoal.analysis.graph_export import export_graph, xml_text
from shoal.analysis.graph_report import link_graph
from shoal.analysis.log_plot import png, svg
from shoal.analysis.page_links import around, links, links_of
from shoal.analysis.ranking import rank
from shoal.collection.view import TabletView
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.engine.rank_upkeep import BackgroundRanking, QueueByRank, is_due
from shoal.errors import UsageError
from shoal.focus.priority import FixedPriority, PrioritySettings, location_value
from shoal.graph.report import Curve
from shoal.graph.scores import NewestRanks
from shoal.layout.ranks import Ranks, graph_of
from shoal.model.link import LinkSource
from shoal.model.principal import PUBLIC
from shoal.model.urls.rowkey import row_key
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.crawl.run import crawl
from tests.world import RobotsMix, Web, serve

LEAVES = 6
SVG = "{http://www.w3.org/2000/svg}"
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


class Reef:
    """A start page that names six leaves; each names the home page, and one of them an outsider by
    links that do not count. `/copy` says that it is the home page."""

    def __init__(self, directory: Path, site: str) -> None:
        self.directory = directory
        self.site = site

    def url(self, path: str) -> str:
        return f"{self.site}{path}"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Reef:
    directory = tmp_path_factory.mktemp("graph") / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=6, hosts=1, pages=1, robots=robots)) as web:
        home = web.put(
            0, "/home/", "<p>Home of all the fish in the reef.</p><a href='/leaf/0'>0</a>"
        )
        site = home.removesuffix("/home/")
        for number in range(LEAVES):
            spam = "<a href='/spam' rel='nofollow'>spam &lt;b&gt;</a>" if number < 3 else ""
            web.put(
                0,
                f"/leaf/{number}",
                f"<p>Leaf number {number} of the reef.</p><a href='/home/'>the home page</a>{spam}",
            )
        web.put(0, "/copy", f"<link rel=canonical href='{home}'><a href='/leaf/5'>five</a>")
        web.put(0, "/spam", "<p>Buy more fish.</p>")
        leaves = "".join(f"<a href='/leaf/{n}'>leaf {n}</a> " for n in range(LEAVES))
        start = web.put(0, "/start", f"{leaves}<a href='/copy'>copy</a> <a href='/spam'>s</a>")
        crawl(directory, [start], {"politeness.delay": 0.01, "crawl.scope": "host"})
    return Reef(directory, site)


@pytest.fixture
def reef(crawled: Reef, tmp_path: Path) -> Reef:
    """A copy of it, to rank."""
    shutil.copytree(crawled.directory, tmp_path / "corpus")
    return Reef(tmp_path / "corpus", crawled.site)


def test_the_page_that_most_link_to_is_the_highest(reef: Reef) -> None:
    found = rank(reef.directory)
    assert found.pages[0].url == reef.url("/home/")
    assert found.pages[0].links_in == LEAVES + 1  # the copy passes on what it gets
    assert found.before is None
    assert {each.was for each in found.pages} == {None}
    assert sum(each.rank for each in found.pages) == pytest.approx(1)
    assert "highest" in repr(found)
    assert [each.url for each in found.sites] == [reef.site]
    with TabletView(reef.directory) as collection:
        assert collection.rank(reef.url("/home/")) == pytest.approx(found.pages[0].score)
        assert collection.rank(reef.url("/nowhere")) == 0


def test_links_that_do_not_count_give_nothing(reef: Reef) -> None:
    found = {each.url: each for each in rank(reef.directory).pages}
    spam, leaf = found[reef.url("/spam")], found[reef.url("/leaf/1")]
    assert spam.links_in == leaf.links_in == 1  # from the start page alone
    assert spam.rank == pytest.approx(leaf.rank)


def test_stored_pages_are_listed_and_a_dead_canonical_takes_nothing(tmp_path: Path) -> None:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=3, hosts=1, pages=1, robots=robots)) as web:
        dead = "<link rel=canonical href='/dead'>"
        away = "<a href='http://elsewhere.example/random'>away</a>"
        web.put(0, "/page", f"{dead}<p>A page with a name.</p><a href='/other'>other</a>{away}")
        web.put(0, "/dead", "Not found", status=404)
        local = "<link rel=canonical href='file:///docs/third.html'>"
        web.put(0, "/third", f"{local}<p>A third page.</p><a href='/page'>page</a>{away}")
        web.put(0, "/other", f"<p>Another page.</p><a href='/page'>page</a>{away}")
        start = web.put(
            0, "/start", "<a href='/page'>page</a><a href='/other'>x</a><a href='/third'></a>"
        )
        crawl(tmp_path, [start], {"politeness.delay": 0.01, "crawl.scope": "host"})
    site = start.removesuffix("/start")
    found = {each.url.removeprefix(site): each for each in rank(tmp_path).pages}
    assert set(found) == {"/start", "/page", "/other", "/third"}
    assert found["/other"].links_in == 2, "what the page links to counts"
    assert found["/page"].links_in == 3, "a canonical link that nobody follows takes nothing"
    every = {each.url.removeprefix(site) for each in rank(tmp_path, unfetched=True).pages}
    assert every == {*found, "http://elsewhere.example/random"}
    assert {each.url for each in rank(tmp_path, site=start).pages} == {
        site + path for path in found
    }


def test_what_changed_is_said(reef: Reef) -> None:
    before = rank(reef.directory)
    again = rank(reef.directory, personal=[reef.url("/leaf/3")])
    assert again.before is not None
    assert again.before.edges == before.summary.edges
    was = {each.url: each.score for each in before.pages}
    assert {each.url: each.was for each in again.pages} == pytest.approx(was)
    assert again.summary.personal == [reef.url("/leaf/3")]
    three = next(each for each in again.pages if each.url == reef.url("/leaf/3"))
    assert three.score > was[three.url]


@pytest.mark.parametrize(
    ("personal", "top", "says"),
    [
        (["http://nowhere.example/"], 1, "None of the personal pages"),
        ([], -1, "top must be"),
        (["http://a.example/"] * 1001, 1, "at most 1,000"),
    ],
)
def test_what_can_not_be_ranked(reef: Reef, personal: list[str], top: int, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        rank(reef.directory, personal, top)
    assert Ranks(reef.directory).summary() is None


def test_ranks_are_zero_without_any_and_there_when_made(reef: Reef) -> None:
    ranks, row = Ranks(reef.directory), row_key(reef.url("/home/"))
    assert ranks.rank_of([row, b"odd \xff"]) == ranks.site_rank_of([row, b"odd \xff"]) == [0.0, 0.0]
    assert ranks.unfetched() == []
    rank(reef.directory)
    assert ranks.rank_of([row])[0] > 0
    assert ranks.site_rank_of([row, b"odd \xff"])[1] == 0
    summary = ranks.summary()
    assert summary is not None
    assert summary.fetched == LEAVES + 4


def test_ranks_follow_a_collection_that_was_replaced(reef: Reef, tmp_path: Path) -> None:
    """As `shoal shadow apply` does."""
    rank(reef.directory)
    ranks, row = Ranks(reef.directory), row_key(reef.url("/home/"))
    assert ranks.rank_of([row])[0] > 0
    (reef.directory / "generations" / "2").mkdir(parents=True)
    (reef.directory / "live").symlink_to("generations/2")
    assert ranks.rank_of([row]) == [0.0]


def test_links_both_ways(reef: Reef) -> None:
    rank(reef.directory)
    found = links(reef.url("/leaf/0"), reef.directory)
    assert {(each.url, each.text) for each in found.links_in} == {
        (reef.url("/home/"), "0"),
        (reef.url("/start"), "leaf 0"),
    }
    assert found.links_in[0].url == reef.url("/home/")  # the higher of the two
    assert found.score > 0
    home, spam = found.links_out
    assert (home.url, home.text, home.rel, home.counts) == (
        reef.url("/home/"),
        "the home page",
        [],
        True,
    )
    assert (spam.text, spam.rel, spam.counts) == ("spam <b>", ["nofollow"], False)
    assert (found.total_in, found.total_out) == (2, 2)


def test_of_many_links_the_highest_are_named(reef: Reef) -> None:
    rank(reef.directory)
    found = links(reef.url("/home/"), reef.directory, at_most=2)
    every = links(reef.url("/home/"), reef.directory)
    assert found.total_in == every.total_in == LEAVES + 1
    assert [each.score for each in found.links_in] == [each.score for each in every.links_in[:2]]


def test_a_page_that_is_not_there(reef: Reef) -> None:
    with pytest.raises(UsageError, match="not in this collection"):
        links("http://nowhere.example/", reef.directory)
    with pytest.raises(UsageError, match="not in the link graph"):
        around("http://nowhere.example/", reef.directory)


def test_who_may_not_read_a_page_does_not_see_its_links(reef: Reef) -> None:
    with RocksTable(reef.directory / "table") as table:
        store = PageStore(table, reef.directory / "warc")
        batch = store.batch()
        store.amend(batch, row_key(reef.url("/leaf/0")), 2e9, ["ann"])
        store.commit(batch)
    with TabletView(reef.directory, PUBLIC) as collection:
        found = links_of(collection, reef.url("/home/"))
        assert found.total_in == LEAVES
        assert reef.url("/leaf/0") not in [each.url for each in found.links_in]


def test_hubs_and_authorities_around_a_page(reef: Reef) -> None:
    found = around(reef.url("/home/"), reef.directory, top=3)
    assert found.authorities[0][0] == reef.url("/home/")
    assert len(found.hubs) == 3
    assert found.pages == LEAVES + 2


def test_the_report_is_right_and_in_words(reef: Reef) -> None:
    found = link_graph(reef.directory)
    shape = found.shape
    assert (shape.core, shape.into, shape.out) == (2, LEAVES + 1, 0)  # home and leaf 0
    assert (shape.tubes, shape.tendrils, shape.islands) == (0, 1, 0)  # spam hangs on the start
    assert found.summary.nodes == LEAVES + 4
    says = repr(found)
    assert "Core, pages that all reach each other: 2" in says
    assert "In-links: too few" in says
    assert "All of them hang together" in says
    assert found.texts > 0
    assert [each.name for each in found.curves] == [
        "in-links",
        "out-links",
        "page lengths",
        "words",
    ]


def test_plots_are_drawn(reef: Reef) -> None:
    for curve in (*link_graph(reef.directory).curves, Curve("none", "x", "y", [], [], "empty")):
        drawn = ET.fromstring(svg(curve))  # noqa: S314 - our own
        boxes = drawn.findall(f"{SVG}rect")
        assert len(boxes) > len(curve.found)
        assert png(curve).startswith(b"\x89PNG")
    lawful = Curve("a", "x", "y", [(1, 1.0), (10, 0.1)], [(1, 1.0), (10, 0.1)], "a power law")
    assert svg(lawful).count("<polyline") == 1


def test_export_as_graphml(reef: Reef, tmp_path: Path) -> None:
    ranking = rank(reef.directory)
    done = export_graph(tmp_path / "g.graphml", reef.directory)
    found = ET.parse(tmp_path / "g.graphml").getroot()  # noqa: S314 - our own
    nodes = {
        node.attrib["id"]: {each.attrib["key"]: each.text for each in node}
        for node in found.iter(f"{GRAPHML}node")
    }
    assert {each["url"] for each in nodes.values()} == {each.url for each in ranking.pages}
    ranks = {each["url"]: float(each["rank"] or 0) for each in nodes.values()}
    assert ranks == pytest.approx({each.url: each.rank for each in ranking.pages})
    edges = [
        (nodes[edge.attrib["source"]]["url"], nodes[edge.attrib["target"]]["url"])
        for edge in found.iter(f"{GRAPHML}edge")
    ]
    assert len(edges) == done.edges == ranking.summary.edges
    assert (reef.url("/copy"), reef.url("/home/")) in edges


def test_hostile_urls_stay_text() -> None:
    hostile = "http://a.example/?<script>&\x00\x0b\ufffe\ud800]]>'\""
    read = ET.fromstring(f"<a>{xml_text(hostile)}</a>")  # noqa: S314 - that is the question
    assert read.text == "http://a.example/?<script>&\ufffd\ufffd\ufffd\ufffd]]>'\""


def test_export_as_parquet(reef: Reef, tmp_path: Path) -> None:
    ranking = rank(reef.directory)
    done = export_graph(tmp_path / "g.parquet", reef.directory)
    edges = parquet.read_table(tmp_path / "g.parquet").to_pylist()
    nodes = parquet.read_table(tmp_path / "g.nodes.parquet").to_pylist()
    assert done.files == [str(tmp_path / "g.parquet"), str(tmp_path / "g.nodes.parquet")]
    assert {"source": reef.url("/copy"), "target": reef.url("/home/")} in edges
    assert len(edges) == ranking.summary.edges
    home = next(each for each in nodes if each["url"] == reef.url("/home/"))
    assert home["rank"] == ranking.pages[0].rank
    assert (home["site"], home["fetched"]) == (reef.site, True)
    assert (home["links_in"], home["links_out"]) == (LEAVES + 1, 1)


@pytest.mark.parametrize("name", ["g.graphml", "g.parquet"])
def test_an_export_that_is_ended_leaves_what_was_there(
    reef: Reef, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    rank(reef.directory)
    (folder / name).write_text("the last one")

    def ended(doing: str, done: int, _total: int) -> None:
        if "written" in doing and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_graph(folder / name, reef.directory, ended)
    assert [each.name for each in folder.iterdir()] == [name]
    assert (folder / name).read_text() == "the last one"


def test_parquet_without_its_library(
    reef: Reef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "shoal.analysis.parquet", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'shoal\[arrow\]'"):
        export_graph(tmp_path / "g.parquet", reef.directory)


def test_an_export_needs_an_ending_that_says_how(reef: Reef, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must end in"):
        export_graph(tmp_path / "g.csv", reef.directory)


def test_ranking_in_the_background(reef: Reef, monkeypatch: pytest.MonkeyPatch) -> None:
    background = BackgroundRanking(reef.directory)
    assert not background.look(10)  # too few pages
    assert background.wait() is None
    assert background.look(200)
    assert background.wait(60) == 0
    summary = Ranks(reef.directory).summary()
    assert summary is not None
    assert summary.fetched == LEAVES + 4
    background.close()
    monkeypatch.setattr("shoal.engine.rank_upkeep.LEAST_PAGES", 1)
    assert not is_due(reef.directory, LEAVES + 5)
    assert is_due(reef.directory, 2 * (LEAVES + 4))


def test_the_process_starts_from_the_same_pages(
    reef: Reef, monkeypatch: pytest.MonkeyPatch
) -> None:
    nice: list[int] = []
    monkeypatch.setattr("os.nice", nice.append)
    rank(reef.directory, [reef.url("/leaf/3")])
    assert rank_process.main(reef.directory) == 0
    summary = Ranks(reef.directory).summary()
    assert summary is not None
    assert summary.personal == [reef.url("/leaf/3")]
    assert nice == [19]
    assert rank_process.main(reef.directory / "nowhere") == 1


def test_a_crawl_in_priority_order_raises_what_waits(tmp_path: Path) -> None:
    """Two pages name `/x/y/z`, which has the longest path of all and so waits the longest; one
    names `/w/v`. The crawl stops before both, links are ranked, and it goes on."""
    directory = tmp_path / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=6, hosts=1, pages=1, robots=robots)) as web:
        web.put(0, "/a", "<a href='/x/y/z'>z</a>")
        web.put(0, "/b", "<a href='/x/y/z'>z</a> <a href='/w/v'>v</a>")
        start = web.put(0, "/start", "<a href='/a'>a</a> <a href='/b'>b</a>")
        settings = {"politeness.delay": 0.01, "crawl.scope": "host", "crawl.order": "priority"}
        crawl(directory, [start], {**settings, "crawl.max_pages": 3})
    rank(directory)
    deep, other = (row_key(start.replace("/start", path)) for path in ("/x/y/z", "/w/v"))
    assert Ranks(directory).unfetched() == [deep, other]
    config = load(directory, settings, {})

    async def go_on() -> tuple[list[float], list[int]]:
        engine = Engine(directory, config)
        try:
            looks = []
            for order in ("breadth", "depth", "priority", "priority"):
                given = PrioritySettings(order)
                queue = QueueByRank(engine.raise_url, graph_of(directory), given)
                looks += [queue.look(), queue.look()]
            view = engine.view()
            rows = [view.url(row) for row in (deep, other)]
            return [0.0 if row is None else row.priority for row in rows], looks
        finally:
            await engine.close()

    priorities, looks = asyncio.run(go_on())
    assert looks == [0, 0, 0, 0, 1, 0, 0, 0]  # the other one stays at its level
    assert priorities[0] > location_value("http://127.1.1.1:80/x/y/z")
    assert priorities[0] > priorities[1]


def test_a_links_priority_rises_with_its_targets_rank(reef: Reef) -> None:
    rank(reef.directory)
    ranks = NewestRanks(graph_of(reef.directory))
    ranks.refresh()
    home, unknown = reef.url("/home/"), reef.url("/unknown/")
    by_rank = FixedPriority(PrioritySettings("priority"), ranks.page)
    assert by_rank.priority(home, LinkSource.LINK, "") > location_value(home)
    assert by_rank.priority(unknown, LinkSource.LINK, "") == location_value(unknown)
    assert by_rank.priority(home, LinkSource.SEED, "") == 0.5
    breadth = FixedPriority(PrioritySettings("breadth"), ranks.page)
    assert breadth.priority(home, LinkSource.LINK, "") == 0.5
    ruled = FixedPriority(PrioritySettings("priority", "priority 0.1 regex /home/\n"), ranks.page)
    assert ruled.priority(home, LinkSource.LINK, "") == 0.1


def test_a_crawl_that_goes_on_by_rank(reef: Reef) -> None:
    """The real child processes open the ranks; nothing is fetched twice, nothing is lost."""
    rank(reef.directory)
    done = crawl(reef.directory, [], {"crawl.order": "priority", "crawl.scope": "host"})
    assert done.reason == "finished"
    assert shoal.open(reef.directory).rank(reef.url("/home/")) > 0
