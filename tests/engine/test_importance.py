"""What it is worth that a page is fresh."""

from math import log1p
from pathlib import Path

from shoal.engine.importance import Importance
from shoal.layout.clicks import Opened
from shoal.model.urls.rowkey import row_key
from tests.fake_clock import FakeClock

A, B = "https://a.example/", "https://b.example/"


def test_without_ranks_all_weigh_the_same(tmp_path: Path) -> None:
    importance = Importance(tmp_path, FakeClock())
    assert importance.weight_of(row_key(A)) == importance.weight_of(row_key(B)) == 1.0


def test_what_people_open_weighs_more_and_is_noticed_within_a_minute(tmp_path: Path) -> None:
    clock = FakeClock()
    importance, opened = Importance(tmp_path, clock), Opened(tmp_path)
    assert importance.weight_of(row_key(A)) == 1.0
    for _ in range(5):
        opened.note(A)
    assert importance.weight_of(row_key(A)) == 1.0, "the file is not read for every page"
    clock.advance(61)
    assert importance.weight_of(row_key(A)) == 1 + log1p(5)
    assert importance.weight_of(row_key(B)) == 1.0
