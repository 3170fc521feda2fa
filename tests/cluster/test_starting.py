"""What keeps a cluster from being started, in one sentence each."""

import threading
import time
from pathlib import Path

import pytest

from shoal.cluster.objects import Objects, open_objects
from shoal.config import load
from shoal.errors import Busy, UsageError
from shoal.fleet import cluster_claim, cluster_run
from shoal.fleet.cluster_claim import CLAIM, Claim, Claimed
from shoal.fleet.cluster_run import Running, must_have_ray, run_cluster
from shoal.layout.cluster_file import create
from shoal.layout.cluster_status import new_status, next_status, write_status
from shoal.model.record import to_json


@pytest.fixture
def objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Objects:
    for name, seconds in (("_BEAT", 0.05), ("_SILENT", 1.0), ("_LOOK", 0.02)):
        monkeypatch.setattr(cluster_claim, f"{name}_SECONDS", seconds)
    create(str(tmp_path / "cluster"), 2)
    return open_objects(str(tmp_path / "cluster"))


def test_a_cluster_is_not_started_twice(objects: Objects) -> None:
    with Claimed("here", objects), pytest.raises(Busy, match="shoal cluster stop here"):
        Claimed("here", objects).__enter__()
    assert not objects.exists(CLAIM)
    with Claimed("here", objects):
        assert objects.exists(CLAIM)


def test_of_many_that_start_at_once_one_does(objects: Objects) -> None:
    over, found = threading.Event(), []
    barrier = threading.Barrier(4)

    def start() -> None:
        barrier.wait()
        try:
            with Claimed("here", objects):
                found.append("ours")
                over.wait(60)
        except Busy:
            found.append("busy")

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    while len(found) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    over.set()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["busy", "busy", "busy", "ours"]


def test_one_whose_coordinator_was_killed_is_started_again(objects: Objects) -> None:
    objects.put(CLAIM, to_json(Claim("of one that was killed", 7)))
    with Claimed("here", objects):
        pass


def test_one_that_was_stopped_for_long_finds_that_it_has_lost(objects: Objects) -> None:
    lost = threading.Event()
    with Claimed("here", objects) as claimed:
        claimed.on_lost = lost.set
        objects.put(CLAIM, to_json(Claim("another")))
        assert lost.wait(60)
    assert objects.exists(CLAIM), "another's claim is left alone"


def test_a_cluster_that_is_opening_keeps_its_counts(objects: Objects) -> None:
    before = new_status("test", "here", 2)
    before.reports[1].counts = {"queued": 7}
    write_status(objects, before)
    assert [each.counts for each in next_status(objects, "test", "here", 2).reports] == [
        {},
        {"queued": 7},
    ]


@pytest.mark.parametrize("how", [Running(lease=0.0), Running(checkpoint=0.5), Running(nodes=0)])
def test_how_it_can_not_be_run(how: Running, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        run_cluster(str(tmp_path), load(tmp_path, {}, {}), [], how)


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_run, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match="pip install"):
        must_have_ray()


def test_an_address_where_nobody_answers() -> None:
    nodes = pytest.importorskip("shoal.cluster.ray_nodes", reason="Ray is not installed")
    with pytest.raises(UsageError, match="No Ray cluster answers"):
        nodes.connect("127.0.0.1:1", "test")
