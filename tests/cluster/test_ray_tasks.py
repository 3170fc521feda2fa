"""What needs all tablets is done by tasks of Ray, and comes out as on one machine."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.analysis.ranking import rank
from shoal.api import duplicate_pairs
from shoal.repartition.split_and_merge import split
from tests.cluster.on_ray import OnRay
from tests.cluster.test_ray import web
from tests.collection.many import crawled
from tests.world import Latency, Running, serve

pytest.importorskip("ray", reason="Ray is not installed")

_PATIENCE_SECONDS = 300.0


def program(*words: str) -> str:
    """What a Python program says, in an environment like ours."""
    done = subprocess.run(
        [sys.executable, *words],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        },
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_ranks_and_pairs_are_those_of_one_machine(tmp_path: Path) -> None:
    one, place = tmp_path / "one", tmp_path / "cluster"
    crawled(one)
    split(one, str(place), 4)
    found = json.loads(program("-m", "tests.cluster.ray_tasks", str(place)).splitlines()[-1])
    assert found["nodes"] == 2
    assert found["at_once"] >= 2, "so that there are several parts"
    assert found["again"] == "done"
    ranking = rank(one, top=1000)
    assert found["ranks"] == pytest.approx(
        {each.url: each.rank for each in ranking.pages}, abs=1e-6
    )
    assert found["sites"] == pytest.approx(
        {each.url: each.rank for each in ranking.sites}, abs=1e-6
    )
    with open_collection(one) as collection:
        pairs = [list(pair) for pair in duplicate_pairs(collection)]
    assert found["pairs"] == pairs
    assert len(pairs) >= 4


@pytest.fixture
def world() -> Iterator[Running]:
    with serve(web(16, 400), {"*": Latency(0.02)}) as running:
        yield running


@pytest.mark.slow
def test_while_it_runs_tasks_read_snapshots(world: Running, tmp_path: Path) -> None:
    place = tmp_path / "cluster"
    cluster = OnRay(str(place), tmp_path, world.web.seeds(), tablets=3)
    cluster.lease = 15.0  # nobody is lost here, also where others need the cores
    cluster.create()
    process = cluster.start()
    try:
        while len(world.log()) < 60:
            assert process.poll() is None
            time.sleep(0.1)
        ranked = json.loads(program("-m", "shoal", "rank", "--dir", str(place), "--json"))
        assert ranked["summary"]["fetched"] > 10
        lines = program("-m", "shoal", "dups", "--all", "--json", "--dir", str(place)).splitlines()
        assert all("members" in json.loads(line) for line in lines)
    finally:
        errors = process.communicate(timeout=_PATIENCE_SECONDS)[1]
    assert process.returncode == 0, errors[-4000:]
    folders = list(place.glob("tablets/*/*/snapshots"))
    assert len(folders) == 3, "every owner made some"
    assert [list(each.iterdir()) for each in folders] == [[]] * 3, "and they were deleted"
