"""How early the important pages came: replays, and the report of a real crawl."""

import itertools
from pathlib import Path

import pytest

import shoal
from shoal.analysis import replay
from shoal.analysis.order_plot import picture_of_order
from shoal.analysis.order_report import BREADTH, PERFECT, POLITE, RANDOM, THIS
from shoal.errors import UsageError
from tests.world import RobotsMix, Web, serve

LINKS = [[1, 2], [3], [4, 3], [], [0], [0]]
"""Page 5 is linked to by nobody."""


def test_replays_reach_what_links_reach_each_once() -> None:
    assert replay.breadth_first(LINKS, [0]) == [0, 1, 2, 3, 4]
    worth = [0.0, 0.1, 0.3, 0.2, 0.9, 1.0]
    assert replay.best_known_first(LINKS, [0], worth) == [0, 2, 4, 3, 1]
    drawn = {tuple(replay.at_random(LINKS, [0], seed)) for seed in range(40)}
    assert len(drawn) > 3
    assert all(sorted(each) == [0, 1, 2, 3, 4] for each in drawn)


def test_by_votes_the_page_with_most_is_next_then_the_newest() -> None:
    counts = [0] * 6

    def vote(_page: int, target: int) -> None:
        counts[target] += 1

    order = replay.by_votes(LINKS, [0], vote, lambda page: counts[page] / 10)
    assert order == [0, 2, 3, 4, 1]


def test_a_curve_and_the_area_under_it() -> None:
    shares = replay.share_found([3, 1, 0, 2], frozenset((1, 2)))
    assert shares == [0.0, 0.5, 0.5, 1.0]
    assert replay.area_under(shares) == 0.5


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred pages in a chain of tens, where every page names page 77."""
    directory = tmp_path_factory.mktemp("order") / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=8, hosts=1, pages=1, robots=robots)) as web:
        for number in range(60):
            named = [77, *range(2 * number + 1, min(60, 2 * number + 3))]
            web.put(0, f"/{number}", "".join(f"<a href='/{each}'>{each}</a>" for each in named))
        web.put(0, "/77", "<a href='/0'>all</a>")
        start = web.put(0, "/start", "<a href='/0'>begin</a>")
        settings = {"politeness.delay": 0.001, "politeness.delay_factor": 0}
        weights = {"popularity": 1.0}
        done = shoal.crawl(
            *(start,),
            dir=directory,
            order="importance",
            weights=weights,
            settings={**settings, "index.follow": "no"},
        )
    assert done.status.fetched == 62
    return directory


def test_the_report_of_a_crawl(crawled: Path) -> None:
    found = shoal.order_report(crawled, top=2)
    assert [each.name for each in found.curves] == [THIS, POLITE, BREADTH, RANDOM, PERFECT]
    assert (found.pages, found.important, found.left_out) == (62, 2, 0)
    areas = {each.name: each.area for each in found.curves}
    assert areas[PERFECT] >= areas[THIS] > areas[BREADTH] - 0.05
    assert found.loss == pytest.approx(areas[POLITE] - areas[THIS])
    assert found.rank_mass == pytest.approx(1.0, abs=1e-6)
    for curve in found.curves:
        shares = [share for _, share in curve.points]
        assert all(before <= after for before, after in itertools.pairwise(shares))
        assert curve.points[-1] == (1.0, 1.0)
    assert picture_of_order(found, is_svg=True).startswith(b"<svg")
    assert picture_of_order(found, is_svg=False).startswith(b"\x89PNG")
    with shoal.open(crawled) as collection:
        status = collection.status()
    assert status.rank_mass == pytest.approx(1.0, abs=1e-6)
    assert status.rank_mass_pages == 62


def test_explain_shows_the_value_and_its_parts(crawled: Path) -> None:
    with shoal.open(crawled) as collection:
        url = next(url for url, _ in collection.urls() if url.endswith("/77"))
        told = [line.says for line in collection.explain(url).lines if line.topic == "value"]
    assert len(told) == 1
    assert "popularity" in told[0]
    assert "links from 1 site" in told[0]


def test_what_can_t_be_reported_is_said(crawled: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1 or more"):
        shoal.order_report(crawled, top=0)
