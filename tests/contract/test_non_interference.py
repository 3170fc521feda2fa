"""What someone may not read has no effect on anything that they are told: the same bytes."""

import asyncio
import gzip
import io
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from shoal.access.indexing import update_index
from shoal.access.opening import open_collection
from shoal.analysis import trees
from shoal.analysis.near_duplicates import near_duplicates
from shoal.analysis.page_links import links_of
from shoal.analysis.ranking import rank
from shoal.collection.collection import Collection
from shoal.collection.export.export import Export, write
from shoal.collection.report.duplicate_groups import duplicate_groups, mirrors, url_lessons
from shoal.collection.search import finding
from shoal.collection.view import ONLY_THE_OWNER
from shoal.errors import ShoalError
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.principal import PUBLIC
from shoal.model.record import to_json
from shoal.model.words.marks import COMPUTED
from shoal.web.server.serve import make_app
from tests.contract.lessons import LEARNED
from tests.contract.test_collection import ASKED
from tests.contract.worlds import (
    BOB,
    NOON,
    WHO,
    Worlds,
    build,
    build_worlds,
    clustered,
    public_documents,
    queries,
    share,
)
from tests.web.little_web import Serving, client_of

_OF_THE_PLACE = {"is_running", "config"}
_OF_ALL = {
    *("freshness", "hosts", "pages", "search", "sees_everything", "status", "urls"),
    *("stored_body", "stored_text"),
}
"""What is asked of all pages at once."""


@pytest.fixture(scope="module", autouse=True)
def one_moment() -> Iterator[None]:
    """How young a mail is counts, and is compared as of one moment."""
    still = SimpleNamespace(time=lambda: NOON + 1e7, perf_counter=time.perf_counter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "time", still)
        yield


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


@pytest.mark.parametrize("name", sorted(LEARNED))
def test_what_was_learned(name: str, both: tuple[Collection, Collection], worlds: Worlds) -> None:
    """All at once, then each by itself, since one that may not be read is refused."""
    for urls in (worlds.urls, *([url] for url in worlds.urls)):
        expected, found = (_told(LEARNED[name], each, urls) for each in both)
        assert found == expected, urls


def test_something_was_learned(both: tuple[Collection, Collection]) -> None:
    """Else nothing would be compared."""
    found = both[1].search("mark:tree", facets=True)
    assert all(len(found.facets[name]) for name in COMPUTED)
    for name in ("topics", "topic", "words of it"):
        assert _told(LEARNED[name], both[1], []) == f"UsageError: {ONLY_THE_OWNER}".encode()


def test_a_tree_of_all_documents_is_shown_to_the_owner(worlds: Worlds, tmp_path: Path) -> None:
    """Its words are those of pages that others may not read."""
    place = shutil.copytree(worlds.bobs, tmp_path / "corpus")
    trees.make(place, own=True)
    with open_collection(place) as collection:
        assert len(trees.lines(collection)) > 1
    with open_collection(place, BOB) as collection:
        own = _told(trees.lines, collection)
    trees.remove(place)
    with open_collection(place, BOB) as collection:
        assert own == _told(trees.lines, collection)


def test_explanations(both: tuple[Collection, Collection], worlds: Worlds) -> None:
    for url in worlds.urls:
        expected, found = (_told(_explained, each, url) for each in both)
        assert found == expected, url


def test_near_duplicates_and_links(both: tuple[Collection, Collection], worlds: Worlds) -> None:
    asked: dict[str, Callable[[Collection, str], object]] = {
        "near": near_duplicates,
        "near by all": lambda each, url: near_duplicates(each, url, scan=True),
        "links": lambda each, url: each.ask(url, links_of),
    }
    for name, ask in asked.items():
        for url in worlds.urls[::3]:
            expected, found = (_told(ask, each, url) for each in both)
            assert found == expected, (name, url)
    for ask_all in (duplicate_groups, mirrors, url_lessons):
        expected, found = (_told(lambda each, ask=ask_all: list(ask(each)), each) for each in both)
        assert found == expected


def test_a_world_holds_together(worlds: Worlds) -> None:
    with verifying(Layout(worlds.everything), lambda _: None) as verifier:
        assert [str(finding) for finding in verifier.findings()] == []


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
    if wanted.form != "warc":
        return out.getvalue()
    # A record has a name by lot, whatever else there is.
    return re.sub(rb"urn:uuid:[0-9a-f-]+", b"", gzip.decompress(out.getvalue()))


def _told(ask: Any, *given: Any) -> bytes:
    """What is said, errors with it."""
    try:
        found = ask(*given)
    except ShoalError as error:
        return f"{type(error).__name__}: {error}".encode()
    return found if isinstance(found, bytes) else repr(found).encode()


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "not yet indexed"])
def test_what_is_taken_back_is_as_if_it_never_was(
    indexed: bool, worlds: Worlds, tmp_path: Path
) -> None:
    """At once, before the index has it; and then also for those that it stood for."""
    draw = random.Random(7)
    documents = public_documents(draw, 30)
    taken = [each.url for each in documents[4::7]]  # others are copies of these
    build(tmp_path / "without", [each for each in documents if each.url not in taken])
    build(tmp_path / "with", documents)
    asyncio.run(share(tmp_path / "with", taken, ["u:1001"]))
    if indexed:
        update_index(tmp_path / "with")
        rank(tmp_path / "with", top=0)
    with (
        open_collection(tmp_path / "without", PUBLIC) as without,
        open_collection(tmp_path / "with", PUBLIC) as with_it,
    ):
        if indexed:
            _compare_searches((without, with_it), worlds, 60)
        found = with_it.search("site:example", limit=100, site_limit=0, facets=True)
        assert not {*taken} & {each.url for each in found}
        assert found.total == len(found.results) == sum(n for _, n in found.facets["site"])
        for url in (each.url for each in documents):
            expected, told = (_told(_explained, each, url) for each in (without, with_it))
            assert told == expected or not indexed


_OWNERS = (
    *("/dashboard", "/urls", "/sites", "/failures", "/store", "/freshness", "/duplicates", "/log"),
    *("/graph", "/feeds", "/crawl", "/cluster", "/metrics", "/nothing", "/sources"),
    "/sources/skipped",
)


@pytest.mark.parametrize("who", WHO)
def test_pages_of_the_server(who: str, worlds: Worlds) -> None:
    _compare_servers(who, worlds, 150)


def _compare_servers(who: str, worlds: Worlds, times: int) -> None:
    places = (worlds.without(who), worlds.everything)
    serving = [Serving(make_app(place, principal=WHO[who])) for place in places]
    try:
        with client_of(serving[0].address) as without, client_of(serving[1].address) as with_it:
            for path, given in islice(_requests(random.Random(times), worlds), times):
                expected, found = (_answer(client, path, given) for client in (without, with_it))
                assert found == expected, (path, given)
    finally:
        for each in serving:
            each.close()


def _requests(draw: random.Random, worlds: Worlds) -> Iterator[tuple[str, dict[str, str]]]:
    asked = queries(draw, worlds)
    mails = [url for url in worlds.urls if url.startswith("mail:")]
    while True:
        url, other = draw.choice(worlds.urls), draw.choice(worlds.urls)
        yield draw.choice(
            [
                ("/search.json", {"q": next(asked), "explain": "1", "limit": "50"}),
                ("/search.json", {"q": next(asked), "page": "2"}),
                ("/search.json", {"q": next(asked), "language": "fr"}),
                ("/page.json", {"url": url}),
                ("/page.json", {"url": url.partition("://")[2]}),
                ("/mail.json", {"url": draw.choice(mails)}),
                ("/copy.json", {"url": url}),
                ("/file", {"url": url}),
                ("/copy/raw.json", {"url": url}),
                ("/difference.json", {"url": url, "other": other}),
                ("/open", {"url": url}),
                ("/tree.json", {}),
                ("/tree.json", {"part": draw.choice(worlds.parts)}),
                (draw.choice(_OWNERS) + ".json", {"where": url, "url": url}),
            ]
        )


def _answer(client: httpx.Client, path: str, given: dict[str, str]) -> tuple[int, str, str]:
    """Pages have the collection's name around them; their JSON is what is compared."""
    answer = client.get(path, params=given)
    if not path.endswith(".json"):
        return answer.status_code, answer.headers.get("location", ""), ""
    body = re.sub(r'"seconds":[0-9.e-]+', '"seconds":0', answer.text)
    return answer.status_code, answer.headers.get("location", ""), body


@pytest.mark.slow
def test_a_thousand_hidden_documents_and_thousands_of_requests(tmp_path: Path) -> None:
    many = build_worlds(tmp_path, 2022, 150, 1000)
    for who, principal in WHO.items():
        with (
            open_collection(many.without(who), principal) as without,
            open_collection(many.everything, principal) as with_it,
        ):
            _compare_searches((without, with_it), many, 1000)
            for url in many.urls:
                expected, found = (_told(_explained, each, url) for each in (without, with_it))
                assert found == expected, url
        _compare_servers(who, many, 400)


@pytest.mark.slow
def test_tablets_of_a_cluster(worlds: Worlds) -> None:
    public, bobs, everything = map(clustered, (worlds.public, worlds.bobs, worlds.everything))
    clusters = worlds._replace(public=public, bobs=bobs, everything=everything)
    for who, principal in WHO.items():
        with (
            open_collection(clusters.without(who), principal) as without,
            open_collection(clusters.everything, principal) as with_it,
        ):
            _compare_searches((without, with_it), worlds, 200)
            for name in sorted({*ASKED} - _OF_THE_PLACE):
                expected, found = (
                    _told(ASKED[name], each, worlds.urls) for each in (without, with_it)
                )
                assert found == expected, name
