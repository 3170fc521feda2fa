"""U2: fingerprints in a real table, against a comparison with every document."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.duplicates.methods import inverted
from shoal.duplicates.methods.fingerprints import By, Decision, Fingerprinting
from shoal.duplicates.methods.inverted import MOST_FOLLOWED, MOST_READ, Found, InvertedIndex
from shoal.store.table import RocksTable

FEW = st.frozensets(st.integers(0, 24), max_size=10)
DOCUMENTS = st.dictionaries(st.binary(min_size=1, max_size=3), FEW, max_size=12)
BYS = st.sampled_from(["count", "resemblance", "containment", "overlap"])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RocksTable]:
    with RocksTable(tmp_path_factory.mktemp("table") / "rocks") as opened:
        yield opened


@pytest.fixture
def index(table: RocksTable) -> InvertedIndex:
    _clear(table)
    return InvertedIndex(table, Fingerprinting())


def _clear(table: RocksTable) -> None:
    batch = table.batch()
    for key, _ in table.scan("print", b""):
        batch.delete("print", key)
    table.write(batch)


def add(
    table: RocksTable, index: InvertedIndex, documents: Mapping[bytes, frozenset[int] | range]
) -> None:
    batch = table.batch()
    for key, values in documents.items():
        index.add(batch, key, values)
    table.write(batch)


def every(
    documents: Mapping[bytes, frozenset[int]], wanted: frozenset[int], decision: Decision
) -> list[Found]:
    scores = [(key, decision.score(wanted, values)) for key, values in documents.items()]
    near = [(key, score) for key, score in scores if decision.near(wanted, documents[key])]
    return sorted(near, key=lambda each: (-each[1], each[0]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DOCUMENTS, DOCUMENTS, st.lists(st.binary(max_size=3), max_size=3), FEW, BYS, st.data())
def test_it_finds_what_a_comparison_with_all_finds(
    table: RocksTable,
    first: dict[bytes, frozenset[int]],
    then: dict[bytes, frozenset[int]],
    gone: list[bytes],
    wanted: frozenset[int],
    by: By,
    data: st.DataObject,
) -> None:
    """Documents come, are changed by others of the same key, and go."""
    _clear(table)
    index = InvertedIndex(table, Fingerprinting())
    add(table, index, first)
    add(table, index, then)
    known = {**first, **then}
    batch = table.batch()
    for key in gone:
        index.remove(batch, key)
        known.pop(key, None)
    table.write(batch)
    at_least = data.draw(st.integers(0, 6)) / (1 if by == "count" else 6)
    decision = Decision(by, at_least)
    assert index.find(wanted, decision, at_most=100) == every(known, wanted, decision)
    assert index.find(wanted, decision, at_most=2) == every(known, wanted, decision)[:2]


def test_nothing_stays_of_what_was_removed(table: RocksTable, index: InvertedIndex) -> None:
    add(table, index, {b"a": frozenset({1, 2, 3}), b"b": frozenset({3, 4})})
    assert len(list(table.scan("print", b""))) == 5 + 2
    add(table, index, {b"a": frozenset({3, 9})})
    assert len(list(table.scan("print", b""))) == 4 + 2
    batch = table.batch()
    index.remove(batch, b"a")
    index.remove(batch, b"b")
    index.remove(batch, b"never entered")
    table.write(batch)
    assert list(table.scan("print", b"")) == []


def test_documents_of_one_batch_are_all_there(table: RocksTable, index: InvertedIndex) -> None:
    add(table, index, {b"%d" % number: frozenset({7, number + 10}) for number in range(20)})
    found = index.find([7], Decision("count", 1), at_most=100)
    assert [key for key, _ in found] == sorted(b"%d" % number for number in range(20))


def test_ways_of_fingerprinting_do_not_mix(table: RocksTable, index: InvertedIndex) -> None:
    other = InvertedIndex(table, Fingerprinting(n=3))
    add(table, index, {b"a": frozenset({1, 2})})
    assert other.find([1, 2], Decision()) == []
    add(table, other, {b"a": frozenset({1, 3})})
    assert index.find([1, 2], Decision()) == [(b"a", 1.0)]
    assert other.find([1, 3], Decision()) == [(b"a", 1.0)]
    batch = table.batch()
    other.remove(batch, b"a")
    table.write(batch)
    assert index.find([1], Decision()) == [(b"a", 0.5)]


def test_other_prints_are_left_alone(table: RocksTable, index: InvertedIndex) -> None:
    batch = table.batch()
    batch.put("print", b"body\0x", b"1")
    batch.put("print", b"zebra\0x", b"2")
    table.write(batch)
    top = (1 << 64) - 1
    add(table, index, {b"a": frozenset({0, top})})
    assert index.find([0, top], Decision()) == [(b"a", 1.0)]
    assert table.get("print", b"body\0x") == b"1"
    assert table.get("print", b"zebra\0x") == b"2"


class Counting(RocksTable):
    """A table that counts what is read of it."""

    scans = 0
    pairs = 0

    def scan(
        self, family: str, start: bytes, end: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        self.scans += 1
        for pair in super().scan(family, start, end):
            self.pairs += 1
            yield pair


def test_a_phrase_on_every_page_is_not_read_to_its_end(tmp_path: Path) -> None:
    phrase = frozenset(range(20))
    documents = {
        b"%03d" % at: phrase | {1000 + at * 10 + more for more in range(10)} for at in range(200)
    }
    with Counting(tmp_path / "rocks") as table:
        index = InvertedIndex(table, Fingerprinting())
        add(table, index, documents)
        table.scans = table.pairs = 0
        wanted = documents[b"150"] - {2507}
        found = index.find(wanted, Decision("resemblance", 0.9))
        # The phrase is the smaller half of its fingerprints; what is its own is found behind it.
        assert found == [(b"150", 29 / 30)]
        assert table.pairs <= 20 * MOST_READ + 10
        # Twenty of thirty are common to all, yet the score counts them.
        others = index.find(wanted, Decision("resemblance", 0.5), at_most=3)
        assert others[0] == (b"150", 29 / 30)
        assert all(score == 20 / 39 for _, score in others[1:])


def test_many_copies_of_one_document_are_still_found(
    table: RocksTable, index: InvertedIndex
) -> None:
    """Every one of its fingerprints is common then."""
    copies = {b"%03d" % at: frozenset(range(50)) | {1000 + at} for at in range(3 * MOST_READ)}
    add(table, index, copies)
    found = index.find(range(50), Decision("resemblance", 0.9), at_most=5)
    assert [score for _, score in found] == [50 / 51] * 5
    assert found == index.find(reversed(range(50)), Decision("resemblance", 0.9), at_most=5)


def test_no_more_is_followed_than_must_be(tmp_path: Path) -> None:
    with Counting(tmp_path / "rocks") as table:
        index = InvertedIndex(table, Fingerprinting())
        add(table, index, {b"a": range(100)})
        table.scans = 0
        assert index.find(range(40, 140), Decision("resemblance", 0.6)) == []
        assert table.scans == 41
        table.scans = 0
        assert index.find(range(20, 120), Decision("resemblance", 0.6)) == [(b"a", 80 / 120)]
        assert table.scans == 41
        table.scans = 0
        assert index.find(range(10**6, 10**6 + 5000), Decision("overlap", 0.1)) == []
        assert table.scans == MOST_FOLLOWED


def test_a_book_is_found_by_a_sample(table: RocksTable, index: InvertedIndex) -> None:
    book = range(0, 40_000, 2)
    add(table, index, {b"book": book, b"page": range(100, 200, 2)})
    found = index.find(book, Decision("containment", 0.5))
    assert found == [(b"book", 1.0)]
    assert index.find(range(100, 200, 2), Decision("containment", 0.5)) == [
        (b"book", 1.0),
        (b"page", 1.0),
    ]


def test_only_so_many_are_compared(
    table: RocksTable, index: InvertedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were met most often."""
    monkeypatch.setattr(inverted, "MOST_COMPARED", 3)
    add(table, index, {b"%d" % at: frozenset(range(at, 10)) for at in range(10)})
    found = index.find(range(10), Decision("overlap", 0), at_most=100)
    assert [key for key, _ in found] == [b"0", b"1", b"2"]


def test_it_is_there_after_a_restart(tmp_path: Path) -> None:
    making = Fingerprinting(keep="winnow")
    text = "the quick brown fox jumps over the lazy dog and runs away from the angry farmer"
    with RocksTable(tmp_path / "rocks") as table:
        add(table, InvertedIndex(table, making), {b"fox": frozenset(making.fingerprints(text))})
    with RocksTable(tmp_path / "rocks") as table:
        index = InvertedIndex(table, Fingerprinting(keep="winnow"))
        near = making.fingerprints("it is said that " + text)
        ((key, score),) = index.find(near, Decision("resemblance", 0.5))
        assert key == b"fox"
        assert 0.5 <= score < 1
