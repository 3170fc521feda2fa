"""Nobody finds what they may not read: not in lists, not in totals, not in facets or counts."""

import pytest

from shoal.index.fields import FACETS
from shoal.index.reader import IndexReader
from shoal.model.principal import OWNER, PUBLIC, Principal
from shoal.model.query import Is, OneOf, Phrase, Query, Rows, Word
from tests.index.made import entry, found, mixed, must, search, should, words, written

LONG_NAME = "n" * 5000
ENTRIES = [
    entry("open", "fish soup recipe"),
    entry(
        "alice",
        "fish secret plan 秘密",
        readers=["alice", "bob"],
        site="hidden.example",
        language="de",
        media_type="application/pdf",
        marks=["class=secret"],
        facets=[("class", "Secret"), ("class", "Secret/Treasure")],
        fetched=1_000_000_000.0,
        anchors=[("fish treasure", 2)],
    ),
    entry("star", "fish star", readers=["*"]),
    entry("long", "fish long", readers=[LONG_NAME]),
    entry("empty", "fish empty", readers=[""]),
]
WHO = {
    "nobody": (PUBLIC, {"open"}),
    "alice": (Principal(frozenset({"alice"})), {"open", "alice"}),
    "bob": (Principal(frozenset({"bob", "eve"})), {"open", "alice"}),
    "eve": (Principal(frozenset({"eve", "ALICE", "alic", "public", "=alice"})), {"open"}),
    "star": (Principal(frozenset({"*"})), {"open", "star"}),
    "long": (Principal(frozenset({LONG_NAME})), {"open", "long"}),
    "longer": (Principal(frozenset({LONG_NAME + "n"})), {"open"}),
    "empty": (Principal(frozenset({""})), {"open", "empty"}),
    "odd": (Principal(frozenset({"\ud800"})), {"open"}),
    "owner": (OWNER, {"open", "alice", "star", "long", "empty"}),
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return written(tmp_path_factory.mktemp("index") / "index", ENTRIES)


@pytest.mark.parametrize(("principal", "names"), WHO.values(), ids=WHO)
def test_lists_totals_and_counts(
    reader: IndexReader, principal: Principal, names: set[str]
) -> None:
    hits = search(reader, words("fish"), principal)
    assert set(found(reader, "fish", principal)) == names
    assert hits.total == hits.documents == hits.terms[0].documents == len(names)


@pytest.mark.parametrize(
    "query",
    [
        words("secret"),
        words("treasure"),
        words("秘"),
        must(Phrase("secret plan")),
        must(Word("plan", "content")),
        must(Is("site", "hidden.example")),
        must(Is("type", "pdf")),
        must(Is("mark", "class")),
        must(Rows((ENTRIES[1].row,))),
        should(OneOf((Word("secret"), Rows((ENTRIES[1].row,))))),
        mixed(must=Word("secret"), should=Word("soup")),
    ],
)
def test_every_way_to_ask(reader: IndexReader, query: Query) -> None:
    hits = search(reader, query, PUBLIC)
    assert (hits.found, hits.total) == ([], 0)
    assert {term.documents for term in hits.terms} <= {0, 1}
    assert not any("密" in stem for term in hits.terms for stem in term.stems)
    assert all(values == [] for values in reader.facets(query, PUBLIC, FACETS, 9).values())
    assert found(reader, query, OWNER) == found(reader, query, Principal(frozenset({"alice"})))
    assert found(reader, query, OWNER) == ["alice"]


def test_facets(reader: IndexReader) -> None:
    public = reader.facets(words("fish"), PUBLIC, FACETS, 9)
    assert {name: values for name, values in public.items() if values} == {
        "site": [("example.org", 1)],
        "type": [("text/html", 1)],
        "language": [("en", 1)],
        "year": [("2023", 1)],
    }
    owner = reader.facets(words("fish"), OWNER, FACETS, 9)
    assert owner["site"] == [("example.org", 4), ("hidden.example", 1)]
    assert owner["year"] == [("2023", 4), ("2001", 1)]
    assert owner["class"] == [("Secret", 1), ("Secret/Treasure", 1)]


def test_the_mean_length_is_of_what_may_be_read(reader: IndexReader) -> None:
    assert search(reader, words("soup"), PUBLIC).mean_length == 3.0
    assert search(reader, words("soup"), OWNER).mean_length != 3.0
