"""The Store port: what every store must do with visits, removals and readers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from shoal.model.compression import unzstd
from shoal.model.document import Document, Understood
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER, PUBLIC, Principal
from shoal.model.urls.rowkey import row_key
from shoal.model.verdict import Finished, Verdict
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Store
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.store.parts import HOUR, NOON, answer, document, visit_to

URL = "https://reef.example/"
ROW = row_key(URL)
ALICE = Principal(frozenset({"alice"}))
BOB = Principal(frozenset({"bob"}))


class Readable(Store, Protocol):
    """A store that shows what it has: a crawl never asks, so it is no part of the port."""

    def read(
        self, row: bytes, principal: Principal, at: float | None = None
    ) -> Document | None: ...


@pytest.fixture(params=[PageStore])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Readable]:
    with RocksTable(tmp_path / "table") as table:
        yield request.param(table, tmp_path / "warc")


def keep(
    store: Readable, visit: Visit, fetched: Fetched, *documents: Document, commit: bool = True
) -> None:
    batch = store.batch()
    finished = Finished(Verdict(documents))
    store.keep(batch, visit, fetched, Understood(list(documents)), finished)
    if commit:
        store.commit(batch)


def text(store: Readable, row: bytes = ROW, at: float | None = None) -> str | None:
    found = store.read(row, OWNER, at)
    return None if found is None else unzstd(found.text).decode() if found.text else ""


def test_what_is_kept_is_read(store: Readable) -> None:
    assert store.read(ROW, OWNER) is None
    keep(store, visit_to(URL), answer(), document("Clownfish", b"body"))
    found = store.read(ROW, OWNER)
    assert found is not None
    assert (found.title, found.media_type) == ("Clownfish", "text/html")
    assert text(store) == "Clownfish"
    assert store.read(ROW + b"else", OWNER) is None


def test_nothing_is_there_before_the_commit(store: Readable) -> None:
    keep(store, visit_to(URL), answer(), document("Clownfish", b"body"), commit=False)
    assert store.read(ROW, OWNER) is None


def test_keeping_leaves_what_it_was_given_as_it_was(store: Readable) -> None:
    """Whoever injected a document goes on with it."""
    given = document("Clownfish", b"body")
    before = given.text
    keep(store, visit_to(URL), answer(), given)
    assert given.text == before != b""


def test_read_as_of_a_time(store: Readable) -> None:
    for hours in (0, 1, 2):
        said = document(f"{hours} o'clock", b"%d" % hours)
        keep(store, visit_to(URL), answer(when=NOON + hours * HOUR), said)
    assert text(store) == "2 o'clock"
    assert text(store, at=NOON - 1) is None
    assert text(store, at=NOON) == "0 o'clock"
    assert text(store, at=NOON + 1.5 * HOUR) == "1 o'clock"
    assert text(store, at=NOON + 9 * HOUR) == "2 o'clock"


def test_an_injected_older_version_lands_in_the_past(store: Readable) -> None:
    keep(store, visit_to(URL), answer(when=NOON), document("today", b"t"))
    old = visit_to(URL)
    old.kind = VisitKind.INJECTED
    keep(store, old, answer(when=NOON - 24 * HOUR), document("yesterday", b"y"))
    assert text(store) == "today"
    assert text(store, at=NOON - HOUR) == "yesterday"


def test_a_version_without_text_does_not_borrow_an_older_ones(store: Readable) -> None:
    keep(store, visit_to(URL), answer(when=NOON), document("something", b"s"))
    keep(store, visit_to(URL), answer(when=NOON + HOUR), document("", b""))
    assert text(store) == ""
    assert text(store, at=NOON + 1) == "something"


def test_one_visit_may_bring_many_documents(store: Readable) -> None:
    parts = [document("the box", b"box"), document("a mail", b"box", "#1")]
    keep(store, visit_to(URL), answer(), *parts, document("a reply", b"box", "#2"))
    assert text(store) == "the box"
    assert text(store, ROW + b"#1") == "a mail"
    assert text(store, ROW + b"#2") == "a reply"


@pytest.mark.parametrize(
    ("name", "as_row"),
    [
        ("#\x00fetch", b"#%00fetch"),
        ("#\u2028ü", b"#%E2%80%A8%C3%BC"),
        ("# a\r\n", b"#%20a%0D%0A"),
        ("#%41[x]", b"#%41[x]"),
    ],
)
def test_a_hostile_part_name_stays_within_its_own_row(
    store: Readable, name: str, as_row: bytes
) -> None:
    keep(store, visit_to(URL), answer(), document("box", b"b"), document("part", b"b", name))
    assert text(store) == "box"
    assert text(store, ROW + as_row) == "part"


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.CANCELLED])
def test_a_visit_that_was_not_made_leaves_nothing(store: Readable, outcome: Outcome) -> None:
    keep(store, visit_to(URL), answer(outcome=outcome), document("x", b"x"))
    assert store.read(ROW, OWNER) is None


def test_robots_txt_is_no_page(store: Readable) -> None:
    visit = visit_to("https://reef.example/robots.txt")
    visit.kind = VisitKind.ROBOTS
    keep(store, visit, answer(), document("User-agent: *", b"x"))
    assert store.read(visit.row, OWNER) is None


def test_a_removed_document_is_gone_in_all_its_versions(store: Readable) -> None:
    for hours in (0, 1):
        keep(store, visit_to(URL), answer(when=NOON + hours * HOUR), document("x", b"%d" % hours))
    batch = store.batch()
    store.remove(batch, ROW, NOON + 2 * HOUR)
    assert store.read(ROW, OWNER) is not None
    store.commit(batch)
    assert store.read(ROW, OWNER) is None
    assert store.read(ROW, OWNER, at=NOON) is None
    keep(store, visit_to(URL), answer(when=NOON + 3 * HOUR), document("back", b"x"))
    assert text(store) == "back"


def test_only_its_readers_find_a_document(store: Readable) -> None:
    keep(store, visit_to(URL), answer(), document("secret", b"s", readers=["alice", "carol"]))
    for principal in (OWNER, ALICE):
        assert store.read(ROW, principal) is not None
    for principal in (PUBLIC, BOB):
        assert store.read(ROW, principal) is None
        assert store.read(ROW, principal, at=NOON) is None


def test_amending_its_readers_holds_for_every_version(store: Readable) -> None:
    for hours in (0, 1, 2):
        keep(store, visit_to(URL), answer(when=NOON + hours * HOUR), document("x", b"%d" % hours))
    assert store.read(ROW, PUBLIC) is not None
    batch = store.batch()
    store.amend(batch, ROW, NOON + 3 * HOUR, ["alice"])
    store.commit(batch)
    for at in (None, NOON, NOON + HOUR, NOON + 2 * HOUR):
        assert store.read(ROW, PUBLIC, at) is None
        assert store.read(ROW, ALICE, at) is not None
    batch = store.batch()
    store.amend(batch, ROW, NOON + 4 * HOUR, [])
    store.commit(batch)
    assert store.read(ROW, BOB, at=NOON) is not None


def test_what_is_closed_today_is_not_read_as_of_yesterday(store: Readable) -> None:
    keep(store, visit_to(URL), answer(when=NOON), document("open", b"o"))
    closed = document("closed", b"c", readers=["alice"])
    keep(store, visit_to(URL), answer(when=NOON + HOUR), closed)
    assert store.read(ROW, PUBLIC, at=NOON) is None
    assert store.read(ROW, ALICE, at=NOON) is not None


def test_removing_or_amending_what_is_not_there_is_nothing(store: Readable) -> None:
    batch = store.batch()
    store.remove(batch, ROW, NOON)
    store.amend(batch, ROW, NOON, ["alice"])
    store.commit(batch)
    assert store.read(ROW, OWNER) is None
