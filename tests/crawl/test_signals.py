"""What owners say about the use of their pages is kept by a real crawl, told and exported."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.collection.export.lines import PageLine, page_line
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.repartition.repartition import repartition
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, gaps, overlaps, serve

CC = "https://creativecommons.org/licenses/by/4.0/"
DELAY = 0.05
FAST = {"politeness.delay": DELAY, "crawl.scope": "host"}
ROBOTS = (
    "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /open/ train-ai=y\n"
    "Allow: /\n"
)
WELL_KNOWN = "/.well-known/tdmrep.json"
RESERVED = (
    '[{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://reef.example/tdm"},'
    ' {"location": "/open/", "tdm-reservation": 0}]'
)
PAGE = (
    f'<title>Reefs</title><meta name=author content="A. Reef"><a rel="license" href="{CC}">CC</a>'
    '<meta property="article:published_time" content="2024-05-06"><link rel=license href=/terms>'
    '<meta name="tdm-reservation" content="1"><meta name=robots content="noai"> of coral'
)


@pytest.fixture
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=2, pages=2, robots=robots)) as running:
        running.robots(0, ROBOTS)
        running.put(0, "/start", '<a href="/open/page">further</a>')
        headers = {"Link": '</l>; rel="next", </of-the-head>; rel="license"'}
        running.put(0, "/open/page", PAGE, headers=headers)
        yield running


def url(site: Running, path: str) -> str:
    return f"http://{site.web.host_name(0)}:{site.port}{path}"


def lines(directory: Path, address: str) -> tuple[PageLine, dict[str, list[str]]]:
    """As it is exported, and what `explain` says, by topic."""
    with open_collection(directory) as collection:
        page = collection.page(address)
        assert page is not None
        told: dict[str, list[str]] = {}
        for line in collection.explain(address).lines:
            told.setdefault(line.topic, []).append(line.says)
        return page_line(page), told


def test_all_of_it_is_told_and_exported(site: Running, tmp_path: Path) -> None:
    page = url(site, "/open/page")
    crawl(tmp_path / "one", [url(site, "/start")], FAST)
    found, told = lines(tmp_path / "one", page)
    assert (found.author, found.published) == ("A. Reef", "2024-05-06")
    assert found.licenses == [CC, url(site, "/terms"), url(site, "/of-the-head")]
    assert found.ai_use == {
        "tdm_reservation": "1",
        "noai": True,
        "robots_content_signal": "search=yes, ai-train=no",
        "robots_content_usage": "train-ai=y",
    }
    assert told["author"] == ["It names A. Reef as its author."]
    assert told["published"] == ["It says that it was published 2024-05-06."]
    assert told["license"][0] == f"It names {CC} as its license."
    assert "Its owner says noai among its robots rules." in told["use"]
    assert "Its owner says Content-Usage in robots.txt: train-ai=y." in told["use"]
    plain, told = lines(tmp_path / "one", url(site, "/start"))
    assert (plain.licenses, plain.author) == ([], "")
    assert plain.ai_use == {"robots_content_signal": "search=yes, ai-train=no"}
    assert not {"license", "author", "published"} & told.keys()
    repartition([tmp_path / "one"], [tmp_path / f"part-{n}" for n in range(2)])
    kept = [lines(tmp_path / f"part-{n}", page)[0] for n in range(2) if _has(tmp_path, n, page)]
    assert kept == [found]


def _has(tmp_path: Path, part: int, page: str) -> bool:
    with open_collection(tmp_path / f"part-{part}") as collection:
        return collection.page(page) is not None


def asked(site: Running) -> list[str]:
    """What was asked of the first host, in order."""
    host = f"{site.web.host_name(0)}:{site.port}"
    return [each.target for each in site.log() if each.host == host]


def test_tdmrep_is_asked_for_only_where_it_is_wanted(site: Running, tmp_path: Path) -> None:
    site.put(0, "/.well-known/tdmrep.json", RESERVED, headers={"Content-Type": "application/json"})
    start, page = url(site, "/start"), url(site, "/open/page")
    crawl(tmp_path / "corpus", [start], FAST)
    assert asked(site) == ["/robots.txt", "/start", "/open/page"]
    assert "site_tdm_reservation" not in lines(tmp_path / "corpus", start)[0].ai_use

    crawl(tmp_path / "other", [start], {**FAST, "politeness.tdmrep": "yes"})
    assert asked(site)[3:] == ["/robots.txt", WELL_KNOWN, "/start", "/open/page"]
    log = site.log()[3:]
    assert overlaps(log) == []
    assert min(gap for host in gaps(log).values() for gap in host) >= DELAY
    found, told = lines(tmp_path / "other", start)
    assert found.ai_use["site_tdm_reservation"] == "1"
    assert found.ai_use["site_tdm_policy"] == "https://reef.example/tdm"
    assert "Its owner says tdm-reservation in tdmrep.json: 1." in told["use"]
    free, _ = lines(tmp_path / "other", page)
    assert (free.ai_use["tdm_reservation"], free.ai_use["site_tdm_reservation"]) == ("1", "0")
    with verifying(Layout(tmp_path / "other"), lambda _: None) as verifier:
        assert list(verifier.findings()) == []
    with open_collection(tmp_path / "other") as collection:
        assert collection.status().fetched == 2
        assert url(site, WELL_KNOWN) not in {each for each, _ in collection.urls()}


def test_a_robots_file_may_forbid_it(site: Running, tmp_path: Path) -> None:
    site.robots(0, "User-agent: *\nDisallow: /.well-known/\n")
    crawl(tmp_path, [url(site, "/start")], {**FAST, "politeness.tdmrep": "yes"})
    assert asked(site) == ["/robots.txt", "/start", "/open/page"]
