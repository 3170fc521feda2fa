"""What became of a page? Every command and every view says the same."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from shoal.access.opening import open_collection
from shoal.cli.main import run
from shoal.collection.view import ONLY_THE_OWNER
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.model.principal import PUBLIC
from shoal.model.urls.rowkey import row_key
from shoal.web.server.serve import make_app
from tests.crawl.run import QUICK, crawl
from tests.web.little_web import REEF, Serving, client_of, page
from tests.world import RobotsMix, Running, Web, serve

SETTINGS = {"politeness.delay": 0.01}
NOINDEX = '<meta name="robots" content="noindex">'
FATES = {
    "/reef": "indexed",
    "/secret": "indexed",
    "/copy": "duplicate",
    "/noindex": "noindex",
    "/empty": "empty",
    "/broken.pdf": "unconvertible",
    "/late": "waiting for the index",
}
SAYS = {
    "indexed": "It is in the index.",
    "waiting for the index": "It waits for the index.",
    "duplicate": "It is not indexed: what it is a duplicate of is.",
    "noindex": "It is not indexed: the page says noindex.",
    "empty": "It is not indexed: it has no text.",
}


def put_pages(site: Running) -> dict[str, str]:
    """The address of each."""
    pdf = {"Content-Type": "application/pdf"}
    put = {
        "/reef": site.put(0, "/reef", page("Reef", REEF * 3)),
        "/secret": site.put(0, "/secret", page("Secret", "Clownfish for the keepers alone.")),
        "/copy": site.put(0, "/copy", page("Reef", REEF * 3)),
        "/noindex": site.put(0, "/noindex", page("Hidden", "Not to be found.", NOINDEX)),
        "/empty": site.put(0, "/empty", "<!doctype html><html><body></body></html>"),
        "/broken.pdf": site.put(0, "/broken.pdf", "%PDF-1.4\nno more", headers=pdf),
        "/late": site.put(0, "/late", page("Late", "It came when no index followed.")),
    }
    assert put.keys() == FATES.keys()
    return put


async def hide(directory: Path, url: str) -> None:
    engine = Engine(directory, load(directory, QUICK, {}), at_rest=True)
    batch = engine._store.batch()
    engine._store.amend(batch, row_key(url), 1.0, ["keepers"])
    engine._store.commit(batch)
    await engine.close()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The place, and what became of each URL."""
    directory = tmp_path_factory.mktemp("fates") / "corpus"
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=3, hosts=1, pages=1, robots=robots)) as site:
        put = put_pages(site)
        early = [url for path, url in put.items() if path != "/late"]
        crawl(directory, early[:1], SETTINGS)  # what is fetched first stands for its copy
        crawl(directory, early, SETTINGS)
        asyncio.run(hide(directory, put["/secret"]))
        crawl(directory, [], {**SETTINGS, "index.follow": "yes"})
        crawl(directory, [put["/late"]], SETTINGS)
    return directory, {put[path]: fate for path, fate in FATES.items()}


Typed = Callable[..., list[Any]]


@pytest.fixture
def typed(crawled: tuple[Path, dict[str, str]], capfdbinary: pytest.CaptureFixture[bytes]) -> Typed:
    """What a command prints, a JSON value a line."""

    def type_(*words: str) -> list[Any]:
        with pytest.raises(SystemExit) as ended:
            run([*words, "--dir", str(crawled[0])])
        out, err = capfdbinary.readouterr()
        assert ended.value.code == 0, err
        return [json.loads(line) for line in out.splitlines()]

    return type_


@pytest.fixture
def client(crawled: tuple[Path, dict[str, str]]) -> Iterator[httpx.Client]:
    serving = Serving(make_app(crawled[0]))
    with client_of(serving.address) as asking:
        yield asking
    serving.close()


def test_lists_and_exports_agree(
    crawled: tuple[Path, dict[str, str]], typed: Typed, client: httpx.Client
) -> None:
    directory, expected = crawled
    with open_collection(directory) as collection:
        assert {each.url: each.fate for each in collection.pages()} == expected
    for words in (("urls", "--json"), ("urls", "--json", "--state=fetched")):
        assert {each["url"]: each["reason"] for each in typed(*words)} == expected
    exported = {each["url"]: each["reason"] for each in typed("export", "urls", "--json")}
    assert exported == expected
    assert {each["url"]: each["fate"] for each in typed("export", "jsonl")} == expected
    listed = client.get("/urls.json").json()["urls"]
    assert {each["url"]: each["reason"] for each in listed} == expected


def test_parts_of_an_export_agree(
    crawled: tuple[Path, dict[str, str]], typed: Typed, tmp_path: Path
) -> None:
    for form, name in (("urls", "reason"), ("jsonl", "fate")):
        json_flag = ["--json"] if form == "urls" else []
        assert typed("export", form, *json_flag, f"--parts={tmp_path / form}") == []
        (file,) = (tmp_path / form).iterdir()
        lines = [json.loads(line) for line in file.read_bytes().splitlines()]
        assert {each["url"]: each[name] for each in lines} == crawled[1]


def test_what_is_said_of_one_page_agrees(
    crawled: tuple[Path, dict[str, str]], typed: Typed, client: httpx.Client
) -> None:
    for url, fate in crawled[1].items():
        assert typed("show", url, "--json")[0]["fate"] == fate
        (told,) = typed("explain", url, "--json")
        shown = client.get("/page.json", params={"url": url}).json()
        assert shown["explanation"] == told
        assert {"name": "What became of it", "value": fate} in shown["facts"]
        said = ", and it is in the index." if fate == "indexed" else f": {fate}."
        assert told["verdict"] == f"It was fetched and is stored{said}"
        (index,) = [line["says"] for line in told["lines"] if line["topic"] == "index"]
        assert index == SAYS.get(fate, index)
        assert "It is not indexed: " in index or fate in SAYS


def test_a_list_of_one_fate_has_its_pages(
    crawled: tuple[Path, dict[str, str]], typed: Typed, client: httpx.Client
) -> None:
    for fate in FATES.values():
        expected = {url for url, its in crawled[1].items() if its == fate}
        found = client.get("/urls.json", params={"reason": fate}).json()["urls"]
        assert {each["url"] for each in found} == expected
        assert {each["url"] for each in typed("urls", "--json", f"--reason={fate}")} == expected


def test_counts_are_of_the_same_fates(
    crawled: tuple[Path, dict[str, str]], typed: Typed, client: httpx.Client
) -> None:
    (status,) = typed("status", "--json")
    counted = {fate: list(crawled[1].values()).count(fate) for fate in set(FATES.values())}
    assert status["fetched_by_fate"] == counted
    assert client.get("/dashboard.json").status_code == 200


def test_who_may_not_read_a_page_is_not_told_its_fate(
    crawled: tuple[Path, dict[str, str]],
) -> None:
    directory, fates = crawled
    secret = next(url for url in fates if url.endswith("/secret"))
    serving = Serving(make_app(directory, principal=PUBLIC))
    with client_of(serving.address) as public:
        assert public.get("/urls.json").json() == {"status": 403, "says": ONLY_THE_OWNER}
        assert public.get("/page.json", params={"url": secret}).status_code == 404
    serving.close()
