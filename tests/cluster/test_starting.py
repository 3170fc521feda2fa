"""What keeps a cluster from being started, in one sentence each."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoal.app import cluster_run
from shoal.app.cluster_file import create
from shoal.app.cluster_run import must_have_ray, must_rest
from shoal.app.cluster_status import ClusterStatus, new_status, write_status
from shoal.cluster.objects import Objects, open_objects
from shoal.errors import Busy, UsageError


@pytest.fixture
def objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Objects:
    monkeypatch.setattr(cluster_run, "_HEARD_OF_SECONDS", 1.0)
    monkeypatch.setattr(cluster_run, "_LOOK_SECONDS", 0.02)
    create(str(tmp_path / "cluster"), 2)
    return open_objects(str(tmp_path / "cluster"))


def told(objects: Objects) -> ClusterStatus:
    status = new_status("test", "here", 2)
    status.written = time.time()
    write_status(objects, status)
    return status


@contextmanager
def somebody_runs_it(objects: Objects) -> Iterator[None]:
    over = threading.Event()

    def tell() -> None:
        while not over.wait(0.05):
            told(objects)

    told(objects)
    thread = threading.Thread(target=tell)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_cluster_is_not_started_twice(objects: Objects) -> None:
    with somebody_runs_it(objects), pytest.raises(Busy, match="shoal cluster stop here"):
        must_rest("here", objects)


def test_one_whose_coordinator_was_killed_is_started_again(objects: Objects) -> None:
    told(objects)
    must_rest("here", objects)


def test_one_that_ended_need_not_be_waited_for(
    objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", pytest.fail)
    must_rest("here", objects)
    status = told(objects)
    status.running = False
    write_status(objects, status)
    must_rest("here", objects)


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_run, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match="pip install"):
        must_have_ray()


def test_an_address_where_nobody_answers() -> None:
    rays = pytest.importorskip("shoal.cluster.rays", reason="Ray is not installed")
    with pytest.raises(UsageError, match="No Ray cluster answers"):
        rays.connect("127.0.0.1:1", "test")
