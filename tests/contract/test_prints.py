"""The Prints port: what was seen before is told, in the batch at hand, and can be withdrawn."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.config import Dedupe
from shoal.duplicates.duplicates import DiskDuplicates
from shoal.duplicates.near.sketch import fingerprint as prints_of
from shoal.layout.duplicates import duplicates
from shoal.model.document import Document, Fate, Reassigned, Understood
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.verdict import Finished
from shoal.model.visit import Fetched, Visit
from shoal.ports import Duplicates, Store
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.store.parts import sha1

STORY = " ".join(f"fish {number} swims past coral {number * 7 % 101}" for number in range(60))
FIRST, SECOND, OTHER = (f"https://reef.example/{name}" for name in ("first", "second", "another"))


class Stage(NamedTuple):
    prints: Duplicates
    store: Store

    def judge(self, url: str, text: str, *, written: bool = True) -> Document:
        visit = Visit(url, row_key(url), site_of_key(row_key(url)), is_first=True)
        fetched = Fetched(Outcome.OK, 200, started=1.7e9, ended=1.7e9, body=text.encode())
        document = Document(text_chars=len(text), body_digest=sha1(fetched.body))
        understood = Understood(documents=[document], fingerprints=[prints_of(text)])
        self.prints.recognize(visit, fetched)
        batch = self.store.batch()
        verdict = self.prints.judge(batch, visit, fetched, understood)
        self.store.keep(batch, visit, fetched, understood, Finished(verdict))
        if written:
            self.store.commit(batch)
        return verdict.documents[0]

    def withdraw(self, url: str) -> list[Reassigned]:
        batch = self.store.batch()
        found = self.prints.withdraw(batch, row_key(url))
        self.store.commit(batch)
        return found


@pytest.fixture(params=[DiskDuplicates])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    with RocksTable(tmp_path / "table") as table:
        store = PageStore(table, tmp_path / "warc")
        prints = duplicates(table, store, Dedupe())
        assert type(prints) is request.param
        yield Stage(prints, store)


def test_the_second_of_two_is_a_duplicate_of_the_first(stage: Stage) -> None:
    assert stage.judge(FIRST, STORY).fate is not Fate.DUPLICATE
    second = stage.judge(SECOND, STORY + " and one more")
    assert (second.fate, second.duplicate_of) == (Fate.DUPLICATE, FIRST)
    assert stage.judge(OTHER, " ".join(reversed(STORY.split()))).fate is not Fate.DUPLICATE


def test_what_was_not_committed_was_not_seen(stage: Stage) -> None:
    stage.judge(FIRST, STORY, written=False)
    assert stage.judge(SECOND, STORY).fate is not Fate.DUPLICATE


def test_who_is_withdrawn_stands_for_no_other(stage: Stage) -> None:
    stage.judge(FIRST, STORY)
    stage.judge(SECOND, STORY)
    assert [each.row for each in stage.withdraw(FIRST)] == [row_key(SECOND)]
    assert stage.withdraw(FIRST) == []
    third = stage.judge(OTHER, STORY)
    assert (third.fate, third.duplicate_of) == (Fate.DUPLICATE, SECOND)


def test_withdrawing_what_is_not_known_changes_nothing(stage: Stage) -> None:
    assert stage.withdraw(FIRST) == []
