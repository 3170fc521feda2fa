"""`serve` where nothing is yet: the page offers to begin, and a crawl from it does."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from shoal.errors import CollectionError
from shoal.layout.layout import Layout, is_locked
from shoal.web.server.serve import make_app
from tests.web.little_web import Serving
from tests.web.test_dashboard import PATIENCE_SECONDS, until
from tests.world import RobotsMix, Web, serve

NEW = ("new", "empty")


@pytest.fixture(params=NEW)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found = tmp_path / "corpus"
    if request.param == "empty":
        found.mkdir()
    return found


@pytest.fixture
def client(place: Path) -> Iterator[httpx.Client]:
    serving = Serving(make_app(place))
    with httpx.Client(
        base_url=serving.address, trust_env=False, timeout=PATIENCE_SECONDS
    ) as asking:
        yield asking
    serving.close()


def post(client: httpx.Client, path: str, **fields: str) -> httpx.Response:
    token = re.search(r'name="csrf" value="([0-9a-f]+)"', client.get("/").text)
    assert token
    return client.post(path, data={"csrf": token[1], **fields})


def test_every_page_offers_to_begin_and_nothing_is_made(client: httpx.Client, place: Path) -> None:
    was_there = place.exists()
    for path in ("/", "/search?q=fish", "/dashboard", "/urls", "/page?url=a.example", "/log"):
        page = client.get(path)
        assert page.status_code == 200, path
        assert "Begin a collection" in page.text
        assert 'action="/crawl/start"' in page.text
    told = client.get("/dashboard.json")
    assert told.status_code == 503
    assert "There is no collection in" in told.json()["says"]
    assert client.get("/health").json() == {"says": "nothing is gathered yet"}
    assert client.get("/openapi.json").status_code == 200
    refused = post(client, "/crawl/submit.json", urls="http://a.example/")
    assert refused.status_code == 409
    assert client.post("/crawl/start", data={"seeds": "http://a.example/"}).status_code == 403
    assert place.exists() == was_there
    assert not was_there or list(place.iterdir()) == []


def test_a_mistake_is_told_in_the_form(client: httpx.Client, place: Path) -> None:
    none = post(client, "/crawl/start", seeds="")
    assert none.status_code == 400
    assert "name at least one URL" in none.text
    wrong = post(client, "/crawl/start", seeds="file:///etc/passwd")
    assert wrong.status_code == 400
    problem = re.search(r'role="alert">([^<]*)<', wrong.text)
    assert problem
    assert "is not on the web" in problem[1]
    assert ">file:///etc/passwd</textarea>" in wrong.text
    assert not Layout(place).exists()


def test_a_crawl_from_the_form_makes_it(client: httpx.Client, place: Path) -> None:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=3, hosts=1, pages=2, robots=robots)) as world:
        seeds = "\n".join(world.web.seeds())
        answer = post(client, "/crawl/start", seeds=seeds, delay="0.05", max_pages="2")
        assert (answer.status_code, answer.headers.get("location")) == (303, "/dashboard")
        assert client.get("/dashboard.json").status_code == 200
        until(lambda: not is_locked(Layout(place)))
    until(lambda: len(client.get("/urls.json").json()["urls"]) == 2)
    assert "Begin a collection" not in client.get("/").text
    assert client.get("/health").json() == {"says": "well"}


def test_no_directory_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(CollectionError, match="is not empty and is no collection"):
        make_app(tmp_path)
    with pytest.raises(CollectionError, match="There is no collection in"):
        make_app(tmp_path / "letter.txt")
