"""No query raises, whatever its tree; what it finds is among the documents."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.index.fields import FACETS, FieldWeights
from shoal.index.reader import IndexReader
from shoal.model.principal import OWNER
from shoal.model.query import (
    AllOf,
    Clause,
    Dated,
    Is,
    Occur,
    OneOf,
    Phrase,
    Query,
    QueryPart,
    Rows,
    Word,
)
from tests.index.made import entry, found, must, search, should, words, written

TEXTS = st.sampled_from(["fish", "the", "fish the", "東京", "猫", "a-b", "", "\0", "\ud800"])
TEXTS |= st.text(max_size=20)
FIELDS = st.sampled_from(["", "title", "content", "rest", "url", "site", "key", "\ud800"])
NUMBERS = st.none() | st.floats()
LEAVES: st.SearchStrategy[QueryPart] = st.one_of(
    st.builds(Word, TEXTS, FIELDS),
    st.builds(Phrase, TEXTS, FIELDS),
    st.builds(Is, st.sampled_from(["site", "type", "language", "source", "mark", "x"]), TEXTS),
    st.builds(Dated, NUMBERS, NUMBERS),
    st.builds(Rows, st.lists(st.binary(max_size=9), max_size=3).map(tuple)),
)


def _nested(parts: st.SearchStrategy[QueryPart]) -> st.SearchStrategy[QueryPart]:
    several = st.lists(parts, max_size=4).map(tuple)
    return st.builds(OneOf, several) | st.builds(AllOf, several)


CLAUSES = st.builds(Clause, st.sampled_from(Occur), st.recursive(LEAVES, _nested, max_leaves=8))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    entries = [entry("a", "fish in the sea"), entry("b", "東京の猫", "ja"), entry("c", "a-b c")]
    return written(tmp_path_factory.mktemp("index") / "index", entries)


@settings(deadline=None)
@given(st.lists(CLAUSES, max_size=5), st.integers(-1, 3))
def test_any_tree(reader: IndexReader, clauses: list[Clause], limit: int) -> None:
    query = Query(tuple(clauses))
    hits = reader.candidates(query, OWNER, FieldWeights(), limit)
    assert {hit.row[-1:] for hit in hits.found} <= {b"a", b"b", b"c"}
    assert len(hits.found) <= max(0, limit)
    assert len(hits.found) <= hits.total <= 3
    assert all(len(hit.counts) == len(hits.terms) for hit in hits.found)
    sites = reader.facets(query, OWNER, FACETS, 5)["site"]
    assert sites == [] if limit > 0 and not hits.total else len(sites) <= 1


def _deep(make: Callable[[tuple[QueryPart, ...]], QueryPart]) -> QueryPart:
    part: QueryPart = Word("fish")
    for _ in range(5000):
        part = make((part,))
    return part


@pytest.mark.parametrize(
    "query",
    [
        Query(),
        must(_deep(OneOf)),
        should(_deep(AllOf)),
        words("fish " * 3000),
        words(" ".join(f"word{number}" for number in range(3000))),
        should(Word("東" * 5000)),
        must(Phrase("fish " * 5000)),
        must(Phrase("the")),
        should(OneOf(tuple(Word(f"word{number}") for number in range(5000)))),
        must(*(Is("site", str(number)) for number in range(3000))),
        must(Rows(tuple(b"%d" % number for number in range(50_000)))),
        should(Word("x" * 100_000)),
        must(Is("site", "x" * 100_000)),
    ],
    ids=lambda _: "",
)
def test_queries_without_bounds(reader: IndexReader, query: Query) -> None:
    assert search(reader, query).total <= 3
    assert isinstance(reader.facets(query, OWNER, FACETS, 5), dict)


def test_limits_and_facets_that_make_no_sense(reader: IndexReader) -> None:
    assert search(reader, words("fish"), limit=0).found == []
    assert search(reader, words("fish"), limit=-5).found == []
    assert len(search(reader, words("fish"), limit=10**12).found) == 1
    assert reader.facets(words("fish"), OWNER, ["site", "nonsense", "content"], 3) == {
        "site": [("example.org", 1)]
    }
    assert reader.facets(words("fish"), OWNER, ["site"], 0) == {"site": []}
    assert reader.facets(words("fish"), OWNER, [], 3) == {}


def test_a_repeated_word_counts_more(reader: IndexReader) -> None:
    assert [term.weight for term in search(reader, words("fish fish sea")).terms] == [2.0, 1.0]
    assert found(reader, "fish fish sea") == ["a"]
