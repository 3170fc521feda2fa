"""Every view and its JSON twin; what is known of a page; what programs are told."""

import io
import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import httpx
import pytest

from shoal.access.opening import open_collection
from shoal.collection.export.export import Export, write
from shoal.web.server.rendering import date, moment, path, web_address
from shoal.web.server.routes import views
from shoal.web.server.serve import make_app
from tests.web.little_web import HOSTILE_TITLE, LittleWeb, Serving, client_of

OWN = ("/", "/search", "/copy", "/copy/raw", "/page", "/difference")


@pytest.mark.parametrize("view", [v for v in views() if v.path in OWN], ids=lambda view: view.path)
def test_every_view_has_a_twin(client: httpx.Client, web: LittleWeb, view: Any) -> None:
    given = {"url": web.url("/reef")}
    page = client.get(view.path, params=given)
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    twin = client.get("/search.json" if view.path == "/" else f"{view.path}.json", params=given)
    assert twin.headers["content-type"] == "application/json"
    if view.data is not None:
        assert set(twin.json()) == set(view.data.__struct_fields__)


def test_what_fails_is_told_to_programs_too(client: httpx.Client) -> None:
    answer = client.get("/page.json")
    assert (answer.status_code, answer.json()) == (
        400,
        {"status": 400, "says": "Say which page: ?url=…"},
    )
    assert client.get("/nothing.json").json()["status"] == 404


def test_what_is_known_of_a_page(client: httpx.Client, web: LittleWeb) -> None:
    told = client.get("/page.json", params={"url": web.url("/reef")}).json()
    assert told["is_stored"]
    assert told["has_copy"]
    assert told["duplicates"] == [web.url("/reef-copy")]
    assert {"url": web.url("/start"), "text": "link to /reef"} in told["anchors"]["links"]
    assert told["visits"][0]["status"] == 200
    assert ["content-type", "text/html; charset=utf-8"] in told["headers"]
    facts = {each["name"]: each["value"] for each in told["facts"]}
    assert facts["Published"].startswith("2021-05-04")
    page = client.get("/page", params={"url": web.url("/reef")}).text
    assert "It was fetched and is stored" in page
    assert 'id="duplicates"' in page


def test_who_wrote_a_page_and_when_leaves_with_it(web: LittleWeb) -> None:
    out = io.BytesIO()
    with open_collection(web.directory) as collection:
        write(collection.tablets, Export("jsonl", web.url("/reef")), out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    (reef,) = (line for line in lines if line["url"] == web.url("/reef"))
    assert (reef["author"], reef["published"][:10]) == ("A. Diver", "2021-05-04")


def test_rules_of_a_page_are_told(client: httpx.Client, web: LittleWeb) -> None:
    told = client.get("/page.json", params={"url": web.url("/noarchive")}).json()
    assert {"name": "noarchive", "value": "yes"} in told["rules"]
    assert not told["has_copy"]


def test_links_are_shown_in_parts(client: httpx.Client, web: LittleWeb) -> None:
    told = client.get("/page.json", params={"url": web.url("/start")}).json()["links"]
    assert len(told["links"]) == 33
    assert not told["has_more"]
    beyond = client.get("/page.json", params={"url": web.url("/start"), "links": "2"}).json()
    assert beyond["links"]["links"] == []
    assert client.get("/page", params={"url": web.url("/start"), "links": "x"}).status_code == 400


def test_a_url_that_nobody_has_seen(client: httpx.Client) -> None:
    answer = client.get("/page", params={"url": "http://elsewhere.test/"})
    assert answer.status_code == 200
    assert "It has never been seen" in answer.text
    assert client.get("/page", params={"url": "no url"}).status_code == 400


def test_how_two_versions_differ(client: httpx.Client, web: LittleWeb) -> None:
    url = web.url("/changing")
    new, old = client.get("/page.json", params={"url": url}).json()["versions"]
    given = {"url": url, "a": str(old["when"]), "b": str(new["when"])}
    told = client.get("/difference.json", params=given).json()
    pieces = [piece for hunk in told["hunks"] for line in hunk for piece in line]
    assert {piece["kind"] for piece in pieces} == {"same", "only_a", "only_b"}
    assert [p["text"].strip() for p in pieces if p["kind"] != "same"] == ["low,", "high,"]
    assert "<del>low, </del>" in client.get("/difference", params=given).text


def test_how_two_pages_differ(client: httpx.Client, web: LittleWeb) -> None:
    given = {"url": web.url("/reef"), "other": web.url("/reef-copy")}
    assert "Seen again." in client.get("/difference", params=given).text
    same = client.get("/difference", params={"url": web.url("/reef")})
    assert "Word for word the same" in same.text
    hidden = {"url": web.url("/reef"), "other": web.url("/noarchive")}
    assert client.get("/difference", params=hidden).status_code == 403


def test_a_hostile_title_stays_text(client: httpx.Client, web: LittleWeb) -> None:
    url = web.url("/hostile")
    for answer in (
        client.get("/page", params={"url": url}),
        client.get("/copy", params={"url": url}),
    ):
        assert "window.hit=1&lt;/script&gt;" in answer.text
        assert "<script>window" not in answer.text
        assert "<img src=x" not in answer.text
        assert "\u202e" not in answer.text
    assert client.get("/page.json", params={"url": url}).json()["title"] == HOSTILE_TITLE


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", 'http://x.test/"><script>alert(1)</script>']
)
def test_a_hostile_parameter_stays_text(client: httpx.Client, url: str) -> None:
    for view in ("/page", "/copy", "/search", "/difference", "/open"):
        text = client.get(view, params={"url": url, "q": url, "other": url}).text
        assert "<script>alert" not in text
        assert 'href="javascript' not in text


# --- what programs are told -----------------------------------------------------------------------


def references(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [each for below in value.values() for each in references(below)]
    return (
        [each for below in value for each in references(below)] if isinstance(value, list) else []
    )


def test_the_description_is_sound(client: httpx.Client) -> None:
    told = client.get("/openapi.json").json()
    assert told["openapi"].startswith("3.1.")
    assert {"title", "version"} <= set(told["info"])
    operations = [each for path in told["paths"].values() for each in path.values()]
    names = [each["operationId"] for each in operations]
    assert len(names) == len(set(names))
    for operation in operations:
        assert operation["responses"]
        for answer in operation["responses"].values():
            assert answer["description"]
            assert all("schema" in each for each in answer.get("content", {}).values())
        for parameter in operation.get("parameters", []):
            assert parameter["in"] == "query"
            assert parameter["schema"]["type"] in ("string", "integer", "boolean")
    for reference in references(told):
        assert reference.startswith("#/components/schemas/")
        assert reference.rpartition("/")[2] in told["components"]["schemas"]


def test_the_description_has_every_view(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for view in views():
        assert view.method.lower() in paths[view.path]
        assert not view.twin or f"{view.path}.json" in paths
    assert all(path.startswith("/") for path in paths)


def test_a_browser_learns_to_search(client: httpx.Client) -> None:
    assert 'href="/opensearch.xml"' in client.get("/").text
    answer = client.get("/opensearch.xml")
    assert answer.headers["content-type"].startswith("application/opensearchdescription+xml")
    tree = ET.fromstring(answer.text)  # noqa: S314 - our own
    space = "{http://a9.com/-/spec/opensearch/1.1/}"
    short = tree.find(f"{space}ShortName")
    assert short is not None
    assert 0 < len(short.text or "") <= 16
    templates = {each.get("type"): each.get("template", "") for each in tree.iter(f"{space}Url")}
    origin = str(client.base_url).rstrip("/")
    assert templates["text/html"].startswith(f"{origin}/search?q={{searchTerms}}")
    assert templates["application/json"].startswith(f"{origin}/search.json?q={{searchTerms}}")


def test_whether_it_is_well(client: httpx.Client, web: LittleWeb, tmp_path: Path) -> None:
    answer = client.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"says": "well"})
    place = tmp_path / "corpus"
    shutil.copytree(web.directory, place)
    serving = Serving(make_app(place, "a-token-that-nobody-guesses"))
    with client_of(serving.address) as stranger:
        assert stranger.get("/health").status_code == 200
        assert stranger.get("/healthy").status_code == 401
    serving.close()
    serving = Serving(make_app(place))
    shutil.rmtree(place)
    with client_of(serving.address) as asking:
        ill = asking.get("/health")
        assert (ill.status_code, ill.json()["status"]) == (503, 503)
    serving.close()


def test_crawlers_are_kept_out(client: httpx.Client) -> None:
    assert client.get("/robots.txt").text == "User-agent: *\nDisallow: /\n"


# --- small parts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "is_link"),
    [
        ("http://a.test/", True),
        ("HTTPS://a.test/", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//a.test/", False),
        ("http:a.test", False),
        ("http://\\a.test", False),
        (" http://a.test/", False),
        ("http://a.test/\u202e", False),
        ("java\nscript:x", False),
        ("", False),
    ],
)
def test_what_becomes_a_link(url: str, is_link: bool) -> None:
    assert web_address(url) == (url if is_link else "")


def test_times_and_paths() -> None:
    assert moment(0.0) == "1970-01-01 00:00 UTC"
    assert moment("2026-11-15T10:30:00+02:00") == "2026-11-15 08:30 UTC"
    assert date("2026-11-15") == "2026-11-15"
    assert moment("some day") == "some day"
    assert moment(1e20)
    assert path("/search", q="a&b c", site="", page=2) == "/search?q=a%26b%20c&page=2"
    assert path("/page", url="\ud800") == "/page?url=%3F"
