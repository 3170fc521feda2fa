"""The Refresher port: what visits teach of a page, and when it is looked at again."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.freshness.price import Limits
from shoal.freshness.refresher import PageRefresher, RefreshSettings
from shoal.model.change_history import ChangeHistory
from shoal.model.document import Document, Understood
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import Fetched, Visit
from shoal.ports import Refresher, Table
from shoal.store.table import RocksTable

NOW, DAY = 1_793_613_600.0, 86_400.0


class Stage(NamedTuple):
    refresher: Refresher
    table: Table

    def look(
        self, url: str, says: str, now: float, life: ChangeHistory | None
    ) -> tuple[ChangeHistory, float | None]:
        row = row_key(url)
        visit = Visit(url, row, site_of_key(row), is_first=life is None)
        fetched = Fetched(Outcome.OK, 200, started=now, ended=now)
        page = Document(media_type="text/html", content_digest=says, body_digest=says)
        found, _ = self.refresher.learn(visit, fetched, Understood(documents=[page]), 0.0, life)
        batch = self.table.batch()
        due = self.refresher.plan(batch, row, found, now)
        self.table.write(batch)
        return found, due

    def days(self, count: int, **pages: str) -> dict[str, tuple[ChangeHistory, float | None]]:
        """Pages that were looked at each day, and said one letter after another."""
        found: dict[str, tuple[ChangeHistory, float | None]] = {}
        for day in range(count):
            for name, says in pages.items():
                life = found[name][0] if name in found else None
                found[name] = self.look(
                    f"https://{name}.example/", says[day], NOW + day * DAY, life
                )
        return found


@pytest.fixture(params=[PageRefresher])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    with RocksTable(tmp_path / "table") as table:
        settings = RefreshSettings(Limits("age", 300.0, 90 * DAY), plans=True)
        yield Stage(request.param(table, settings, budget_of=lambda _pages: 1e-5), table)


def test_each_visit_is_remembered(stage: Stage) -> None:
    life, _ = stage.days(4, a="xxyy")["a"]
    assert (life.observed, life.changes) == (3, 1)
    assert life.seen_ms == int((NOW + 3 * DAY) * 1000)
    assert life.changed_ms == int((NOW + 2 * DAY) * 1000)


def test_what_changes_is_looked_at_sooner(stage: Stage) -> None:
    found = stage.days(20, still="x" * 20, lively="xxxxy" * 4)
    still, lively = found["still"][1], found["lively"][1]
    assert still is not None
    assert lively is not None
    assert NOW + 19 * DAY <= lively < still


def test_a_page_that_was_given_up_may_come_back(stage: Stage) -> None:
    life, _ = stage.days(2, a="xy")["a"]
    batch = stage.table.batch()
    stage.refresher.forget(batch, life)
    stage.table.write(batch)
    _, due = stage.look("https://a.example/", "z", NOW + 2 * DAY, life)
    assert due is not None
    assert due >= NOW + 2 * DAY
