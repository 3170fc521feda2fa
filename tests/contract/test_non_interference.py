"""What someone may not read has no effect on anything that they are told: the same bytes."""

import io
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.collection.export.export import Export, write
from shoal.errors import ShoalError
from shoal.model.record import to_json
from tests.contract.test_collection import ASKED
from tests.contract.worlds import WHO, Worlds, build_worlds, queries

_OF_THE_PLACE = {"is_running", "config"}
_OF_ALL = {
    *("freshness", "hosts", "pages", "search", "sees_everything", "status", "urls"),
    *("stored_body", "stored_text"),
}
"""What is asked of all pages at once."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    return build_worlds(tmp_path_factory.mktemp("worlds"), 22, 40, 60)


@pytest.fixture(scope="module", params=WHO)
def both(request: pytest.FixtureRequest, worlds: Worlds) -> Iterator[tuple[Collection, Collection]]:
    """Without what this one may not read, and with it."""
    who = request.param
    with (
        open_collection(worlds.without(who), WHO[who]) as without,
        open_collection(worlds.everything, WHO[who]) as with_it,
    ):
        yield without, with_it


def test_searches(both: tuple[Collection, Collection], worlds: Worlds) -> None:
    _compare_searches(both, worlds, 150)


@pytest.mark.parametrize("name", sorted({*ASKED} - _OF_THE_PLACE))
def test_questions(name: str, both: tuple[Collection, Collection], worlds: Worlds) -> None:
    portions = [worlds.urls] if name in _OF_ALL else [[url] for url in worlds.urls]
    for urls in portions:
        expected, found = (_told(ASKED[name], each, urls) for each in both)
        assert found == expected, urls


def test_explanations(both: tuple[Collection, Collection], worlds: Worlds) -> None:
    for url in worlds.urls:
        expected, found = (_told(_explained, each, url) for each in both)
        assert found == expected, url


@pytest.mark.parametrize("form", ["urls", "jsonl", "cdxj", "warc"])
@pytest.mark.parametrize("json", [False, True])
def test_exports(form: Any, json: bool, both: tuple[Collection, Collection]) -> None:
    expected, found = (_told(_exported, each, Export(form, json=json)) for each in both)
    assert found == expected


def _compare_searches(both: tuple[Collection, Collection], worlds: Worlds, times: int) -> None:
    draw = random.Random(times)
    found_something = 0
    for text in islice(queries(draw, worlds), times):
        given = {
            "limit": draw.choice([1, 10, 100]),
            "page": draw.choice([1, 1, 2]),
            "site_limit": draw.choice([0, 2]),
            "explain": draw.random() < 0.5,
            "facets": draw.random() < 0.5,
        }
        expected, found = (_told(_searched, each, text, given) for each in both)
        assert found == expected, (text, given)
        found_something += b'"url"' in expected
    assert found_something > times / 4


def _searched(collection: Collection, text: str, given: dict[str, Any]) -> bytes:
    results = collection.search(text, **given)
    results.seconds = 0.0
    return to_json(results)


def _explained(collection: Collection, url: str) -> bytes:
    return to_json(collection.explain(url))


def _exported(collection: Collection, wanted: Export) -> bytes:
    out = io.BytesIO()
    write(collection.tablets, wanted, out)
    return out.getvalue()


def _told(ask: Any, *given: Any) -> bytes:
    """What is said, errors with it."""
    try:
        found = ask(*given)
    except ShoalError as error:
        return f"{type(error).__name__}: {error}".encode()
    return found if isinstance(found, bytes) else repr(found).encode()
