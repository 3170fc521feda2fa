"""The search page on a real index: results, facets, notes, pages, and where a result leads."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from shoal.layout.clicks import Opened
from shoal.model.principal import Principal
from shoal.web.server.serve import make_app
from shoal.web.views.search import Asked
from tests.crawl.run import crawl
from tests.web.little_web import MANY, LittleWeb, Serving, client_of
from tests.world import RobotsMix, Web, serve


def found(client: httpx.Client, q: str, **more: str) -> list[str]:
    answer = client.get("/search.json", params={"q": q, **more})
    assert answer.status_code == 200
    told = answer.json()["found"]
    return [each["url"] for each in told["results"]]


def test_what_is_found_is_shown(client: httpx.Client, web: LittleWeb) -> None:
    answer = client.get("/search", params={"q": "anemone"})
    assert answer.status_code == 200
    assert "<mark>anemone</mark>" in answer.text
    assert "1 document ·" in answer.text
    assert "1 more like this" in answer.text
    told = client.get("/search.json", params={"q": "anemone"}).json()
    [result] = told["found"]["results"]
    assert result["url"] in (web.url("/reef"), web.url("/reef-copy"))
    assert result["has_copy"]
    assert f'href="/copy?url={result["url"].replace(":", "%3A").replace("/", "%2F")}' in answer.text


def test_facets_refine_and_can_be_taken_back(client: httpx.Client, web: LittleWeb) -> None:
    told = client.get("/search.json", params={"q": "clownfish"}).json()
    facets = {each["name"]: each["values"] for each in told["facets"]}
    csv = next(each for each in facets["type"] if each["value"] == "text/csv")
    assert csv["count"] == 1
    refined = client.get(csv["href"].replace("/search?", "/search.json?")).json()
    assert [each["url"] for each in refined["found"]["results"]] == [web.url("/table.csv")]
    [chosen] = next(each["values"] for each in refined["facets"] if each["name"] == "type")
    assert chosen["chosen"]
    again = client.get(chosen["href"].replace("/search?", "/search.json?")).json()
    assert again["found"]["total"] == told["found"]["total"]


def test_filters_hold_for_all_of_a_query(client: httpx.Client, web: LittleWeb) -> None:
    other = web.other.removeprefix("http://")
    for_both = "clownfish OR seaweed OR sharks"
    assert found(client, for_both, site=other) == [f"{web.other}/about"]
    assert found(client, "clownfish", year="2021") == found(client, "anemone")
    assert found(client, "récif OR clownfish", language="fr") == [web.url("/french")]


def test_how_a_filter_is_written() -> None:
    asked = Asked("a OR b", {"site": "x.test:80", "year": "2021"}, explain=False, page=1)
    assert asked.query == "site:x.test:80 after:2021-01-01 before:2022-01-01 a OR b"
    assert asked.href(page=2) == "/search?q=a%20OR%20b&site=x.test%3A80&year=2021&page=2"


@pytest.mark.parametrize(
    "given", [{"site": "a b"}, {"type": 'x"y'}, {"year": "20"}, {"year": "0000"}, {"page": "x"}]
)
def test_a_filter_that_is_none_is_refused(client: httpx.Client, given: dict[str, str]) -> None:
    assert client.get("/search", params={"q": "clownfish", **given}).status_code == 400


def test_as_many_as_are_wanted(client: httpx.Client) -> None:
    def asked(**given: str) -> Any:
        return client.get("/search.json", params={"q": "seaweed", **given}).json()

    assert len(asked(limit="3")["found"]["results"]) == 3
    assert asked(limit="3")["next"] == "/search?q=seaweed&limit=3&page=2"
    assert len(asked(limit="0")["found"]["results"]) == 1
    assert asked(limit="1000000000")["found"]["total"] == asked()["found"]["total"]
    assert client.get("/search?q=a&limit=many").status_code == 400


def test_page_by_page(client: httpx.Client, web: LittleWeb) -> None:
    seen: list[str] = []
    address = f"/search.json?q=seaweed&site={web.origin.removeprefix('http://')}"
    told = client.get(address).json()
    seen += [each["url"] for each in told["found"]["results"]]
    while told["next"]:
        told = client.get(told["next"].replace("/search?", "/search.json?")).json()
        seen += [each["url"] for each in told["found"]["results"]]
    assert sorted(seen) == sorted(web.url(f"/many/{number}") for number in range(MANY))
    assert told["previous"].endswith("page=2")
    beyond = client.get("/search", params={"q": "seaweed", "page": "90"})
    assert "Go back to the first page" in beyond.text


def test_more_from_a_site(client: httpx.Client, web: LittleWeb) -> None:
    page = client.get("/search", params={"q": "seaweed"})
    assert "More from" in page.text


def test_the_parts_of_a_score(client: httpx.Client) -> None:
    assert "Score" not in client.get("/search", params={"q": "anemone"}).text
    page = client.get("/search", params={"q": "anemone", "explain": "1"})
    assert "Score" in page.text
    told = client.get("/search.json", params={"q": "anemone", "explain": "1"}).json()
    assert told["found"]["results"][0]["explanation"]


@pytest.mark.parametrize(
    "q",
    ['"', "((", "site:", "before:yesterday clownfish", "a:b:c", "OR OR", "-", "\u202e" * 9, "' --"],
)
def test_odd_queries_are_answered(client: httpx.Client, q: str) -> None:
    answer = client.get("/search", params={"q": q})
    assert answer.status_code == 200
    assert "\u202e" not in answer.text


def test_what_was_not_understood_is_said(client: httpx.Client) -> None:
    answer = client.get("/search", params={"q": "clownfish before:whenever"})
    assert 'class="note"' in answer.text


def test_nothing_found_helps_on(client: httpx.Client) -> None:
    answer = client.get("/search", params={"q": "zzxxyy", "language": "fr"})
    assert "Nothing matches" in answer.text
    assert "Search without fr" in answer.text
    assert "documents are stored" in answer.text


def test_the_first_page_says_what_there_is(client: httpx.Client) -> None:
    answer = client.get("/")
    assert "documents gathered" in answer.text
    assert "How to search" in answer.text


def test_a_hostile_title_among_the_results(client: httpx.Client) -> None:
    text = client.get("/search", params={"q": "hostile title"}).text
    assert "window.hit=1&lt;/script&gt;" in text
    assert "<script>window" not in text
    assert "\u202e" not in text


def test_nobody_finds_what_they_may_not_read(client: httpx.Client, web: LittleWeb) -> None:
    assert found(client, '"keepers alone"') == [web.url("/secret")]
    serving = Serving(make_app(web.directory, principal=Principal(frozenset({"visitors"}))))
    with client_of(serving.address) as visitor:
        assert web.url("/secret") not in found(visitor, '"keepers alone"')
        assert web.url("/reef") in found(visitor, "clownfish")
    serving.close()


def test_many_at_once(client: httpx.Client) -> None:
    def ask(number: int) -> int:
        return client.get("/search", params={"q": f"clownfish tank {number}"}).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(40))) == {200}


# --- where a result leads -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Path, str]]:
    """A collection of its own, since what is opened is written down; it has no index."""
    directory = tmp_path_factory.mktemp("own") / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=2, hosts=2, pages=2, robots=robots)) as site:
        url = site.put(0, "/page", "<title>A page</title><p>Of tides and of moons.</p>")
        crawl(directory, [url], {"politeness.delay": 0.01, "crawl.scope": "host"})
    serving = Serving(make_app(directory))
    with client_of(serving.address) as client:
        yield client, directory, url
    serving.close()


def test_what_is_opened_is_counted_here(own: tuple[httpx.Client, Path, str]) -> None:
    client, directory, url = own
    answer = client.get("/open", params={"url": url})
    assert (answer.status_code, answer.headers["location"]) == (303, url)
    assert Opened(directory).count(url) == 1
    elsewhere = {"sec-fetch-site": "cross-site"}
    assert client.get("/open", params={"url": url}, headers=elsewhere).status_code == 303
    assert Opened(directory).count(url) == 1  # another site's page does not count for us
    (directory / "shoal.toml").write_text("[search]\ncount_opened = 'no'\n", encoding="utf-8")
    serving = Serving(make_app(directory))
    assert httpx.get(f"{serving.address}open", params={"url": url}).status_code == 303
    serving.close()
    assert Opened(directory).count(url) == 1


@pytest.mark.parametrize(
    "url", ["https://evil.example/", "javascript:alert(1)", "//evil.example", ""]
)
def test_it_leads_nowhere_else(client: httpx.Client, url: str) -> None:
    answer = client.get("/open", params={"url": url})
    assert answer.status_code in (400, 404)
    assert "location" not in answer.headers


def test_without_an_index_it_says_so(own: tuple[httpx.Client, Path, str]) -> None:
    client, _, _ = own
    answer = client.get("/search", params={"q": "tides"})
    assert answer.status_code == 200
    assert "There is nothing to search yet" in answer.text
    assert "1 document is stored" in answer.text
    assert "reindex" in client.get("/search.json", params={"q": "tides"}).json()["problem"]
