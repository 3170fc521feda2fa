"""What goes on behind `shoal serve`: an index that fell behind is brought up to date."""

import threading
import time
from pathlib import Path

import pytest

from shoal.collection.view import TabletView
from shoal.layout.index_state import is_behind
from shoal.layout.layout import Layout, WriteLock
from shoal.maintenance import upkeep as upkeep_module
from shoal.maintenance.upkeep import Upkeep
from tests.crawl.run import crawl
from tests.indexer.test_follower import NO_ROBOTS, assert_index_is_table
from tests.world import Web, serve

PATIENCE_SECONDS = 60.0


def test_it_looks_when_it_is_woken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = threading.Semaphore(0)

    class Looking(Upkeep):
        def look(self, *, also_rank: bool) -> None:
            del also_rank
            looked.release()

    monkeypatch.setattr(upkeep_module, "_LOOK_SECONDS", 1000.0)
    with Looking(tmp_path) as looking:
        assert looked.acquire(timeout=PATIENCE_SECONDS)
        looking.wake()
        assert looked.acquire(timeout=PATIENCE_SECONDS)


def test_nothing_is_opened_beside_a_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its view of the table would hold up searches; the crawl has an index process of its own."""
    directory = tmp_path / "corpus"
    with serve(Web(seed=2, hosts=2, pages=8, robots=NO_ROBOTS)) as web:
        crawl(directory, web.web.seeds(), {"politeness.delay": 0.01})
    opened: list[Path] = []

    class Noted(TabletView):
        def __init__(self, place: Path) -> None:
            opened.append(place)
            super().__init__(place)

    monkeypatch.setattr(upkeep_module, "TabletView", Noted)
    monkeypatch.setattr(upkeep_module, "start_indexing", lambda _layout: None)
    looking = Upkeep(directory)
    with WriteLock(Layout(directory)):
        looking.look(also_rank=True)
    assert opened == []
    looking.look(also_rank=False)
    assert opened == [directory]


def test_the_index_is_brought_up_to_date(tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    with serve(Web(seed=2, hosts=2, pages=8, robots=NO_ROBOTS)) as web:
        crawl(directory, web.web.seeds(), {"politeness.delay": 0.01})
    with TabletView(directory) as collection:
        assert is_behind(collection.layout, collection.table)
        with Upkeep(directory):
            deadline_s = time.monotonic() + PATIENCE_SECONDS
            while is_behind(collection.layout, collection.table):
                assert time.monotonic() < deadline_s, "it was not indexed"
                time.sleep(0.05)
        assert assert_index_is_table(collection.table, collection.store, collection.layout.index)
