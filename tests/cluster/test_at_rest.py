"""A command changes the tablets of a cluster that rests, and what it changed is durable."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.access.opening import open_collection
from shoal.cluster.objects import open_objects
from shoal.config import load
from shoal.errors import Busy
from shoal.fleet.at_rest import tablets_at_rest
from shoal.fleet.cluster_claim import Claimed
from shoal.maintenance.compact import compact
from shoal.maintenance.repair import repair
from shoal.model.principal import OWNER
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.cluster.stores import s3_bucket
from tests.collection.many import Both

TABLETS = 2


@pytest.fixture(params=["directory", "s3"])
def place(
    request: pytest.FixtureRequest, both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    if request.param == "directory":
        shoal.split(both.one, tmp_path / "many", TABLETS)
        yield str(tmp_path / "many")
        return
    with s3_bucket() as bucket:
        for name, value in bucket.environment.items():
            monkeypatch.setenv(name, value)
        shoal.split(both.one, bucket.place, TABLETS)
        yield bucket.place


def told(place: str) -> list[tuple[str, str]]:
    with open_collection(place) as collection:
        return [(page.url, page.text) for page in collection.pages()]


def test_what_a_command_changes_is_found_elsewhere(place: str, tmp_path: Path) -> None:
    before = told(place)
    done = compact(place, load(tmp_path, {}, {}), 0.0, lambda _: None)
    assert done.bytes_after > 0
    assert repair(place, lambda _: None).queued_again == 0
    shutil.rmtree(tmp_path / "home", ignore_errors=True)  # as on another machine
    assert told(place) == before
    assert len(before) > 20


def test_each_tablet_has_an_epoch_more(place: str) -> None:
    objects = open_objects(place)

    def epochs() -> list[int]:
        return [len(objects.names(f"tablets/{number:04}/owners")) for number in range(TABLETS)]

    before = epochs()
    for directory in tablets_at_rest(place):
        assert (directory / "table").is_dir()
    assert epochs() == [each + 1 for each in before]


def test_nobody_changes_a_cluster_that_runs(place: str) -> None:
    with Claimed(place, open_objects(place)), pytest.raises(Busy, match="runs already"):
        next(tablets_at_rest(place))


def test_marks_of_names_are_made_anew_in_each_tablet(place: str, tmp_path: Path) -> None:
    old = 0
    for directory in tablets_at_rest(place):
        with RocksTable(directory / "table") as table:
            store = PageStore(table, directory / "warc")
            batch = store.batch()
            for page in store.stream(b"", None, OWNER):
                if page.document.language == "en" and page.document.text_chars:
                    store.mark(batch, page.row, {"person": "Once There\t1.00\t1"}, 1.0)
                    old += 1
            store.commit(batch)
    done = shoal.mark_entities(place)
    assert (done.read, done.changed) == (old, old)
    assert old > 0
    shutil.rmtree(tmp_path / "home", ignore_errors=True)  # as on another machine
    with open_collection(place) as collection:
        told = [collection.marks(page.url).get("person", "") for page in collection.pages()]
    assert len(told) > 20
    assert not any("Once There" in each for each in told)
