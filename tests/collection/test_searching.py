"""Searches of a real collection: what is found, in which order, for whom, and how it is shown."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.api import open as open_collection
from shoal.collection.search.finding import weights_of
from shoal.collection.search.results import Result, Results
from shoal.errors import CollectionError, UsageError
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.layout import Layout
from shoal.model.compression import zstd
from shoal.model.document import Document, Fate, Understood
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER, PUBLIC, Principal
from shoal.model.robots.page_rules import PageRules
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.model.visit import Fetched, Visit
from shoal.search.ranking import Weights
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.store.parts import finished
from tests.views import view_of

NOON = 1_700_000_000.0
REEF = "http://reef.example/coral.html"


class Shelf:
    """A collection whose pages are written by hand."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._layout = Layout(directory)
        self._layout.create("")
        self._clock = NOON

    def put(
        self,
        url: str,
        title: str,
        text: str,
        links: dict[str, str] | None = None,
        **more: object,
    ) -> None:
        self._clock += 60
        document = Document(
            title=title, text=zstd(text.encode()), text_chars=len(text), media_type="text/html"
        )
        document.language = "en"
        document.fate = Fate.WAITING
        for name, value in more.items():
            setattr(document, name, value)
        out = [Link(to, row_key(to), said) for to, said in (links or {}).items()]
        row = row_key(url)
        with RocksTable(self._layout.table) as table:
            store = PageStore(table, self._layout.warc)
            is_first = store.page(row, OWNER) is None
            visit = Visit(url, row, site_key(site_of(url)), is_first=is_first)
            batch = store.batch()
            fetched = Fetched(Outcome.OK, status=200, ended=self._clock)
            understood = Understood([document], out)
            targets = [link.row for link in out]
            store.keep(batch, visit, fetched, understood, finished(understood, targets))
            store.commit(batch)

    def remove(self, url: str) -> None:
        with RocksTable(self._layout.table) as table:
            store = PageStore(table, self._layout.warc)
            batch = store.batch()
            store.remove(batch, row_key(url), self._clock)
            store.commit(batch)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    shelf = Shelf(tmp_path_factory.mktemp("searched") / "corpus")
    shelf.put(
        REEF,
        "Coral reefs",
        "Corals are animals. A coral reef grows by a few millimetres a year. " * 3,
    )
    shelf.put(
        "http://kelp.example/",
        "Kelp forests",
        "Kelp is no plant. Otters live in the kelp, far from any coral.",
        {REEF: "the slow city", "http://kelp.example/otters": "otters"},
        published="2023-05-01T00:00:00+00:00",
    )
    shelf.put(
        "http://kelp.example/otters",
        "Otters",
        "Otters sleep wrapped into kelp, and eat urchins.",
        {REEF: "the slow city"},
    )
    for number in range(4):
        text = f"Notes of dive {number}: kelp everywhere, and {'kelp ' * number} again."
        shelf.put(f"http://dives.example/{number}", f"Dive {number}", text)
    shelf.put(
        "http://quiet.example/",
        "Quiet kelp",
        "Kelp that must not be quoted.",
        rules=PageRules(nosnippet=True, noarchive=True),
    )
    shelf.put(
        "http://brief.example/",
        "Brief",
        "Seagrass, of which only a few characters may be shown to anybody who asks.",
        rules=PageRules(max_snippet=20),
    )
    shelf.put("http://secret.example/", "Secret", "The secret of the seagrass.", readers=["ann"])
    bring_up_to_date(shelf.directory)
    return shelf


@pytest.fixture
def collection(shelf: Shelf) -> Iterator[shoal.Collection]:
    with open_collection(shelf.directory) as collection:
        yield collection


def urls(found: Results) -> list[str]:
    return [each.url for each in found]


def test_the_best_comes_first_and_is_shown(collection: shoal.Collection) -> None:
    found = collection.search("coral reef")
    assert found.results[0].url == REEF
    first = found.results[0]
    assert (first.title, first.site, first.language) == ("Coral reefs", "reef.example", "en")
    assert first.media_type == "text/html"
    assert [piece for piece, hit in first.snippet if hit][:3] == ["Corals", "coral", "reef"]
    assert first.fetched.startswith("2023-11-14T")
    assert (found.total, found.page, found.has_more, found.behind) == (2, 1, False, 0)
    assert found.notes == []
    kelp = next(each for each in found if each.url == "http://kelp.example/")
    assert kelp.published.startswith("2023-05-01")


def test_what_others_call_it(collection: shoal.Collection) -> None:
    assert urls(collection.search("slow city"))[:1] == [REEF]
    assert urls(collection.search("inanchor:city")) == [REEF]
    assert urls(collection.search("content:city")) == []
    assert set(urls(collection.search(f"link:{REEF}"))) == {
        "http://kelp.example/",
        "http://kelp.example/otters",
    }


def test_filters_and_related(collection: shoal.Collection) -> None:
    assert set(urls(collection.search("kelp site:kelp.example"))) == {
        "http://kelp.example/",
        "http://kelp.example/otters",
    }
    assert urls(collection.search("kelp before:2023-06")) == ["http://kelp.example/"]
    related = urls(collection.search("related:http://kelp.example/otters"))
    assert "http://kelp.example/" in related
    assert "http://kelp.example/otters" not in related


def test_a_site_has_two_places_and_the_others_come_behind(collection: shoal.Collection) -> None:
    found = collection.search("kelp", limit=5)
    dives = [each for each in found if each.site == "dives.example"]
    assert len(dives) == 2
    assert [each.more_from_site for each in dives] == [0, 2]
    every = urls(found) + urls(collection.search("kelp", limit=5, page=2))
    assert sorted(every) == sorted(set(every))
    assert len(every) == found.total == 7
    assert collection.search("kelp", limit=5).has_more
    assert len(collection.search("kelp site:dives.example").results) == 4
    assert len({each.site for each in collection.search("kelp", site_limit=1, limit=3)}) == 3


def test_pages_are_stable(collection: shoal.Collection) -> None:
    at_once = urls(collection.search("kelp OR coral", limit=20))
    one_by_one = [
        url
        for page in range(1, 9)
        for url in urls(collection.search("kelp OR coral", limit=1, page=page))
    ]
    assert one_by_one == at_once
    assert urls(collection.search("kelp", page=50)) == []


def test_what_lies_behind_the_candidates_follows(
    collection: shoal.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.collection.search.finding.CANDIDATES", 3)
    seen = [
        url for page in range(1, 9) for url in urls(collection.search("kelp", limit=1, page=page))
    ]
    assert len(seen) == len(set(seen)) == 7


def test_rules_of_the_page_are_kept_to(collection: shoal.Collection) -> None:
    quiet = next(each for each in collection.search("kelp") if each.site == "quiet.example")
    assert (quiet.snippet, quiet.has_copy) == ([], False)
    brief = next(each for each in collection.search("seagrass") if each.site == "brief.example")
    assert 0 < len(brief.text) <= 20


def test_only_what_one_may_read(shelf: Shelf) -> None:
    for principal, count in ((OWNER, 2), (PUBLIC, 1), (Principal(frozenset({"ann"})), 2)):
        with open_collection(shelf.directory, principal) as collection:
            found = collection.search("seagrass", facets=True)
            assert found.total == len(found.results) == count
            assert sum(many for _, many in found.facets["site"]) == count
            like = collection.search("related:http://secret.example/")
            assert bool(like.notes) == (count == 1)


def test_facets_explanations_and_notes(collection: shoal.Collection) -> None:
    found = collection.search("kelp colour:red", facets=True, explain=True)
    assert dict(found.facets["site"])["dives.example"] == 4
    assert any("colour: is no field" in note for note in found.notes)
    for each in found:
        assert each.explanation is not None
        assert sum(part.value for part in each.explanation) == pytest.approx(each.score)
    assert collection.search("").notes == ["there is nothing to look for"]


def test_a_phrase_that_nobody_says_is_loosened(collection: shoal.Collection) -> None:
    found = collection.search('"reef coral slowly"')
    assert found.results[0].url == REEF
    assert "as it stands" in found.notes[0]
    assert collection.search('"coral reef"').notes == []


def test_weights_are_settings(shelf: Shelf) -> None:
    with open_collection(shelf.directory) as collection:
        assert weights_of(collection.config) == Weights()
    with open_collection(shelf.directory) as collection:
        view_of(collection).config = collection.config.with_({"search.anchor": 0.0})
        assert weights_of(collection.config).anchor == 0.0
        assert urls(collection.search("slow city")) == []


def test_limits_are_said(collection: shoal.Collection) -> None:
    for limit, page in ((0, 1), (1000, 1), (10, 0)):
        with pytest.raises(UsageError, match="must be"):
            collection.search("kelp", limit=limit, page=page)


def test_many_at_once(collection: shoal.Collection) -> None:
    expected = urls(collection.search("kelp coral"))
    wrong: list[object] = []

    def ask() -> None:
        try:
            for _ in range(5):
                if urls(collection.search("kelp coral", facets=True)) != expected:
                    wrong.append("another order")
        except Exception as error:  # noqa: BLE001 - told by the assertion below
            wrong.append(error)

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_new_pages_are_found_and_removed_ones_are_not(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "corpus")
    shelf.put("http://a.example/", "A", "Kelp of the north.")
    with open_collection(shelf.directory) as collection:
        with pytest.raises(CollectionError, match="reindex"):
            collection.search("kelp")
        bring_up_to_date(shelf.directory)
        assert len(collection.search("kelp").results) == 1
        shelf.put("http://b.example/", "B", "Kelp of the south.")
        collection.refresh()
        assert collection.search("kelp").behind > 0
        bring_up_to_date(shelf.directory)
        assert len(collection.search("kelp").results) == 2
        shelf.remove("http://a.example/")
        collection.refresh()
        # The index still has it; nobody is shown it.
        assert urls(collection.search("kelp")) == ["http://b.example/"]


def test_results_read_well(collection: shoal.Collection) -> None:
    found = collection.search("coral")
    said = repr(found)
    assert "2 documents for 'coral'" in said
    assert f"     {REEF}" in said
    assert "<mark>" in found._repr_html_()
    assert [found[0], *found][0] is found.results[0]
    assert len(found) == 2
    assert "Nothing was found" in repr(collection.search("zebra"))


def test_html_of_results_is_escaped() -> None:
    evil = Result("javascript:alert(1)", "<script>", [("<b>", True)], "evil.example")
    said = Results("<q>", ["<n>"], 1, 1, [evil])._repr_html_()
    assert "<script>" not in said
    assert "href" not in said
    assert "<b>" not in said
