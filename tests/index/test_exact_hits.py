"""Who may not read everything is shown what no other document and no segment can move."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from shoal.index import exact_hits
from shoal.index.fields import FACETS, FieldWeights
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.model.entry import Entry
from shoal.model.principal import OWNER, PUBLIC, Principal
from shoal.model.query import Dated, Is, Phrase, Query
from tests.index.made import entry, must, words

WORDS = ["fish", "reef", "coral", "tide", "kelp", "otter", "wreck", "storm"]
HIDDEN_WORDS = [*WORDS, "treasure"]
LEAST = 40
"""How many are looked at one by one, here."""
QUERIES: list[Query] = [
    words("fish"),
    words("fish reef"),
    words("fish reef coral tide"),
    words("treasure"),
    words("f"),
    must(Phrase("coral tide")),
    must(Is("site", "two.example")),
    must(Dated(after=1_000_000_000.0)),
]


def entries(draw: random.Random, count: int, hidden: bool) -> list[Entry]:
    known = HIDDEN_WORDS if hidden else WORDS
    return [
        entry(
            f"{'h' if hidden else 'p'}{number}",
            " ".join(draw.choices(known, k=draw.randrange(1, 30))),
            title=" ".join(draw.choices(known, k=draw.randrange(3))),
            site=draw.choice(["one.example", "two.example", *(["hidden.example"] * hidden)]),
            language=draw.choice(["en", "de"]) if not hidden else "fr",
            fetched=1_000_000_000.0 + draw.randrange(300),
            readers=[draw.choice(["ann", "posix:o=-,u7=r"])] if hidden else [],
        )
        for number in range(count)
    ]


def made(path: Path, portions: Sequence[Sequence[Entry]]) -> IndexReader:
    with IndexWriter(path) as writer:
        for number, portion in enumerate(portions):
            for each in portion:
                writer.put(each)
            writer.commit(number + 1)
    return IndexReader(path)


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> list[IndexReader]:
    """At once; in portions; put twice, with what is hidden, in another order."""
    folder = tmp_path_factory.mktemp("exact")
    draw = random.Random(5)
    public, hidden = entries(draw, 300, hidden=False), entries(draw, 500, hidden=True)
    mixed = [*public, *hidden]
    draw.shuffle(mixed)
    return [
        made(folder / "once", [public]),
        made(folder / "portions", [public[:20], public[20:200], public[200:]]),
        made(folder / "hidden", [hidden[:100], mixed[:300], mixed[300:], public[::3]]),
    ]


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
@pytest.mark.parametrize("limit", [1, 30, 1000])
def test_the_same_for_everyone_else(
    query: Query, limit: int, readers: list[IndexReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_hits, "LOOKED_AT", LEAST)
    bob = Principal(frozenset({"bob", "u:8", "local"}))
    answers = [
        (
            reader.candidates(query, who, FieldWeights(), limit),
            reader.facets(query, who, FACETS, 10),
            reader.having(HIDDEN_WORDS, who),
        )
        for reader in readers
        for who in (PUBLIC, bob)
    ]
    assert all(each == answers[0] for each in answers)


def test_enough_are_found(readers: list[IndexReader], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_hits, "LOOKED_AT", LEAST)
    for query in QUERIES[:3]:
        found = readers[0].candidates(query, PUBLIC, FieldWeights(), 30)
        assert found.total > LEAST
        assert len(found.found) == 30


def test_a_rule_means_whom_it_allows(readers: list[IndexReader]) -> None:
    who = Principal(frozenset({"u:7"}))
    totals = [
        readers[2].candidates(words("fish"), who, FieldWeights(), 1).total
        for who in (who, PUBLIC, OWNER)
    ]
    assert totals[1] < totals[0] < totals[2]


def test_what_may_no_longer_be_read_is_not_counted(readers: list[IndexReader]) -> None:
    every = readers[0].candidates(words("fish"), PUBLIC, FieldWeights(), 1000)
    hidden = [each.row for each in every.found[:7]]
    left = readers[0].candidates(words("fish"), PUBLIC, FieldWeights(), 1000, hidden)
    assert left.total == every.total - 7
    assert left.documents == every.documents - 7
    assert left.terms[0].documents == every.terms[0].documents - 7
