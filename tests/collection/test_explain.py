"""`explain` gives a right and readable answer, whatever became of the URL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.collection.report.explain import Explanation
from shoal.errors import CollectionError
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve

SETTINGS = {
    "crawl.scope": "host",
    "crawl.max_depth": 2,
    "crawl.exclude": (r"\.zip$",),
    "politeness.delay": 0.1,
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    directory = tmp_path_factory.mktemp("explain") / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=5, hosts=2, pages=2, robots=robots)) as site:
        site.robots(0, "User-agent: *\nAllow: /\nDisallow: /private/\n")
        links = ["/page", "/private/x", "/moved", "/missing", "/gone", "/a.zip", "/deep"]
        body = "".join(f'<a href="{link}">{link}</a>' for link in links)
        start = site.put(0, "/start", f"{body}<a href='http://other.test/'>elsewhere</a>")
        site.put(0, "/page", '<title>A page</title><link rel="canonical" href="/real">text')
        site.put(0, "/moved", status=301, headers={"Location": "/page"})
        site.put(0, "/gone", status=410)
        site.put(0, "/deep", '<a href="/deeper">further</a>')
        crawl(directory, [start], SETTINGS)
        (directory / "shoal.toml").write_text('[crawl]\nscope = "host"\nmax_depth = 2\n')
        yield site, directory


def _explain(crawled: tuple[Running, Path], url: str) -> Explanation:
    site, directory = crawled
    if url.startswith("/"):
        url = f"http://{site.web.host_name(0)}:{site.port}{url}"
    with open_collection(directory) as collection:
        return collection.explain(url)


def _says(explanation: Explanation, topic: str) -> str:
    return " ".join(line.says for line in explanation.lines if line.topic == topic)


def test_a_stored_page(crawled: tuple[Running, Path]) -> None:
    found = _explain(crawled, "/page")
    assert found.verdict == "It was fetched and is stored: waiting for the index."
    assert "/start" in _says(found, "discovered")
    assert "at depth 2" in _says(found, "discovered")
    assert _says(found, "robots").startswith("Allowed by line 2")
    assert "status 200" in _says(found, "visit")
    assert "text/html" in _says(found, "content")
    assert "/real" in _says(found, "canonical")


def test_one_refused_by_the_scope(crawled: tuple[Running, Path]) -> None:
    found = _explain(crawled, "http://other.test/")
    assert found.verdict.startswith("It was not taken: scope: not on 127.")


def test_one_refused_by_a_pattern(crawled: tuple[Running, Path]) -> None:
    assert r"excluded: matches \.zip$" in _explain(crawled, "/a.zip").verdict


def test_one_refused_by_robots(crawled: tuple[Running, Path]) -> None:
    found = _explain(crawled, "/private/x")
    reason = "Disallow: /private/ (line 3 of robots.txt)"
    assert found.verdict == f"It was not taken: robots: {reason}."
    assert _says(found, "robots").startswith(f"Forbidden by {reason}")
    assert _says(found, "scope") == "Admitted."


def test_one_refused_by_depth(crawled: tuple[Running, Path]) -> None:
    found = _explain(crawled, "/deeper")
    assert found.verdict == "It was not taken: depth: 3 is beyond the limit of 2."
    assert "/deep" in _says(found, "discovered")


def test_a_redirect(crawled: tuple[Running, Path]) -> None:
    found = _explain(crawled, "/moved")
    assert found.verdict == "It redirects to /page."
    assert "status 301" in _says(found, "visit")


@pytest.mark.parametrize(("path", "status"), [("/missing", 404), ("/gone", 410)])
def test_one_that_is_gone(crawled: tuple[Running, Path], path: str, status: int) -> None:
    found = _explain(crawled, path)
    assert found.verdict == f"It is gone (status {status})."


def test_one_never_seen(crawled: tuple[Running, Path]) -> None:
    found = _explain(crawled, "/nobody-knows")
    assert found.verdict == "It has never been seen: no page that was read links to it."
    assert _says(found, "scope") == "It would be admitted."
    assert _says(found, "robots").startswith("Allowed")
    elsewhere = _explain(crawled, "http://nobody.test/")
    assert _says(elsewhere, "scope").startswith("It would be refused: scope: not on 127.")


def test_the_other_spelling_is_the_same_url(crawled: tuple[Running, Path]) -> None:
    found = _explain(crawled, "/page/?utm_source=x")
    assert found.verdict.startswith("It was fetched")
    assert _says(found, "address").endswith("/page.")


def test_where_no_scheme_is_named_the_known_one_is_meant(crawled: tuple[Running, Path]) -> None:
    _, directory = crawled
    with open_collection(directory) as collection:
        url = next(page.url for page in collection.pages())
        bare = url.partition("://")[2]
        assert url.startswith("http://")
        assert collection.canonical(bare) == url
        assert collection.canonical("nobody.example/x") == "https://nobody.example/x"


def test_a_closed_collection_says_so(crawled: tuple[Running, Path]) -> None:
    _, directory = crawled
    with open_collection(directory) as collection:
        url = next(page.url for page in collection.pages())
    with pytest.raises(CollectionError, match="was closed"):
        collection.page(url)
