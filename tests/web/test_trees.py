"""Classes and the tree in a browser: facets that are a hierarchy, and a page to walk it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

import shoal
from shoal.web.server.serve import make_app
from tests.web.little_web import LittleWeb, Serving, client_of


@pytest.fixture(scope="module")
def sorted_web(web: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The little web with a tree, and with two classes: of a path, and below a name with spaces."""
    place = tmp_path_factory.mktemp("sorted") / "corpus"
    shutil.copytree(web.directory, place)
    shoal.make_tree(place, leaves=6, depth=2)
    with shoal.open(place) as collection:
        pages = [page.url for page in collection.pages() if page.text]
    lines = [
        f"{'sea life/fish' if 'reef' in url or 'many' in url else 'other'}\t{url}" for url in pages
    ]
    listed = place.parent / "list.txt"
    listed.write_text("\n".join(lines), "utf-8")
    shoal.train_classes(listed, place, accept=0.3)
    shoal.update_index(place)
    return place


@pytest.fixture(scope="module")
def asking(sorted_web: Path) -> Iterator[httpx.Client]:
    serving = Serving(make_app(sorted_web))
    with client_of(serving.address) as client:
        yield client
    serving.close()


def as_json(client: httpx.Client, href: str) -> dict[str, list[dict[str, object]]]:
    address = urlsplit(href)
    answer = client.get(f"{address.path}.json?{address.query}")
    assert answer.status_code == 200, answer.text
    told: dict[str, list[dict[str, object]]] = answer.json()
    return told


def test_the_tree_is_walked_from_the_top_to_its_pages(asking: httpx.Client) -> None:
    top = as_json(asking, "/tree")
    assert top["above"] == []
    assert len(top["parts"]) > 1
    assert all(part["pages"] for part in top["parts"])
    assert any(part["words"] for part in top["parts"])
    assert any(part["title"] and part["url"] for part in top["parts"])
    page = asking.get("/tree")
    assert page.status_code == 200
    for part in top["parts"]:
        assert f"<bdi>{part['name']}</bdi>" in page.text
        found = as_json(asking, str(part["search"]))["found"]
        assert isinstance(found, dict)
        assert found["total"] == part["pages"]
    inner = next(part for part in top["parts"] if part["href"])
    below = as_json(asking, str(inner["href"]))
    assert [each["way"] for each in below["above"]] == [inner["way"]]
    assert sum(int(str(part["pages"])) for part in below["parts"]) == inner["pages"]
    assert asking.get(str(inner["href"])).status_code == 200
    assert asking.get("/tree", params={"part": "nowhere"}).status_code == 404


def test_classes_are_a_facet_that_is_a_tree(asking: httpx.Client) -> None:
    told = asking.get("/search.json", params={"q": "mark:class"}).json()
    (facet,) = [each for each in told["facets"] if each["name"] == "class"]
    levels = {each["value"]: each["level"] for each in facet["values"]}
    assert levels["sea life"] == 0
    assert levels["sea life/fish"] == 1
    of_fish = next(each for each in facet["values"] if each["value"] == "sea life/fish")
    assert '<li class="level-1">' in asking.get("/search", params={"q": "mark:class"}).text
    refined = as_json(asking, of_fish["href"])["found"]
    assert isinstance(refined, dict)
    assert refined["total"] == of_fish["count"]
    above = as_json(asking, "/search?class=sea+life")
    (chosen, *rest) = next(each for each in above["facets"] if each["name"] == "class")["values"]
    assert chosen["chosen"]
    assert [each["value"] for each in rest] == ["sea life/fish"]
    assert asking.get("/search", params={"class": 'x"y'}).status_code == 400


def test_without_a_tree_the_page_says_how_to_make_one(client: httpx.Client) -> None:
    answer = client.get("/tree")
    assert answer.status_code == 200
    assert "No tree was made here" in answer.text
