"""Clusters on real Ray: several nodes on this machine, killed, stopped, added and drained."""

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.analysis.ranking import rank, rank_pages
from shoal.api import open as open_collection
from shoal.collection.collection import Collection
from shoal.fleet.work import work_here
from tests.cluster.on_ray import (
    SETTINGS,
    OnRay,
    anchors,
    fetched,
    is_complete,
    is_polite,
    kill_tree,
    repeated,
)
from tests.cluster.stores import s3_bucket
from tests.crawl.run import crawl
from tests.world import Latency, RobotsMix, Running, Web, serve

pytest.importorskip("ray", reason="Ray is not installed")

POLITE_ROBOTS = RobotsMix(crawl_delay=0, error=0)
RANK_TOLERANCE = 1e-6
EACH_FOR_ITSELF = {**SETTINGS, "dedupe.near": "no"}
"""Which of several copies stands for all, and has their anchors, depends on who came first."""


def web(hosts: int, pages: int) -> Web:
    return Web(seed=11, hosts=hosts, pages=pages, skew=0, mean_bytes=2000, robots=POLITE_ROBOTS)


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[Running]:
    hosts, pages, latency = request.param
    with serve(web(hosts, pages), {"*": Latency(latency)}) as running:
        yield running


def as_one_machine(world: Running, cluster: OnRay, folder: Path) -> None:
    """The same pages, anchors and ranks as a crawl of the same web into one collection."""
    crawl(folder / "one", world.web.seeds(), EACH_FOR_ITSELF)
    whole = cluster.whole()
    with open_collection(folder / "one") as one:
        urls = sorted(fetched(one))
        assert fetched(whole) == set(urls)
        assert anchors(whole, urls) == anchors(one, urls)
        rank(folder / "one")
        with work_here(whole.tablets) as work:
            rank_pages(Collection(whole.tablets, graph_place=folder / "graph"), work)
        one.refresh()
        ranks = [one.rank(url) for url in urls]
    assert max(ranks) > min(ranks)
    again = cluster.whole()
    for url, expected in zip(urls, ranks, strict=True):
        assert again.rank(url) == pytest.approx(expected, abs=RANK_TOLERANCE)


@pytest.mark.parametrize("world", [(16, 80, 0.01)], indirect=True)
def test_a_cluster_does_what_one_machine_does(world: Running, tmp_path: Path) -> None:
    cluster = OnRay(
        str(tmp_path / "cluster"), tmp_path, world.web.seeds(), tablets=3, settings=EACH_FOR_ITSELF
    )
    cluster.lease = 15.0  # nobody is lost here, also where others need the cores
    cluster.create()
    run = cluster.run()
    assert run.status["ended"] == "finished"
    assert {report["epoch"] for report in run.status["reports"]} == {1}
    machines = {report["who"].partition("/")[0] for report in run.status["reports"]}
    assert len(machines) == 2, "Ray spreads them"
    is_complete(world, cluster)
    is_polite(world.log())
    assert repeated(world.log()) == 0
    as_one_machine(world, cluster, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("world", [(60, 600, 0.01)], indirect=True)
def test_a_limit_on_pages_is_reached_and_not_passed(world: Running, tmp_path: Path) -> None:
    """Nor when a machine dies meanwhile: what its tablets were granted is not lost, nor doubled."""
    cluster = OnRay(str(tmp_path / "cluster"), tmp_path, world.web.seeds(), tablets=4, nodes=3)
    cluster.create()
    cluster.settings = {**SETTINGS, "crawl.max_pages": 60}
    assert "limit of 60 pages" in cluster.run().status["ended"]
    assert len(fetched(cluster.whole())) == 60
    cluster.settings = {**SETTINGS, "crawl.max_pages": 400}
    run = cluster.run({"pages": 200, "do": "kill"})
    assert "limit of 400 pages" in run.status["ended"]
    assert [each["did"] for each in run.did] == ["kill"]
    assert len(fetched(cluster.whole())) == 400
    assert cluster.faults() == []
    is_polite(world.log())


@pytest.mark.slow
@pytest.mark.parametrize("world", [(2000, 8000, 0.01)], indirect=True)
def test_two_thousand_hosts_on_three_nodes(world: Running, tmp_path: Path) -> None:
    cluster = OnRay(str(tmp_path / "cluster"), tmp_path, world.web.seeds(), tablets=8, nodes=3)
    cluster.settings = EACH_FOR_ITSELF
    cluster.create()
    cluster.run()
    is_complete(world, cluster)
    is_polite(world.log())
    assert repeated(world.log()) == 0
    as_one_machine(world, cluster, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("world", [(200, 4000, 0.05)], indirect=True)
def test_ten_nodes_are_killed_and_one_is_stopped_for_a_minute(
    world: Running, tmp_path: Path
) -> None:
    cluster = OnRay(str(tmp_path / "cluster"), tmp_path, world.web.seeds(), tablets=8, nodes=3)
    cluster.create()
    kills = [{"pages": 300 * number, "do": "kill"} for number in range(1, 11)]
    stop = {"pages": 1000, "do": "stop", "with": {"seconds": 60.0}}
    run = cluster.run(*kills[:3], stop, *kills[3:])
    done = [each["did"] for each in run.did]
    assert done.count("kill") == 10
    assert done.count("stop") == done.count("go on") == 1
    assert len(run.moved) >= 10
    is_complete(world, cluster)
    log = world.log()
    is_polite(log)
    lost = sum(each["tablets"] for each in run.did if each["did"] in ("kill", "stop"))
    assert repeated(log) <= lost * 16, "at most what was in flight"
    print(f"{lost} tablets lost, {repeated(log)} requests repeated, {len(run.moved)} moves")


@pytest.mark.slow
@pytest.mark.parametrize("world", [(100, 1500, 0.05)], indirect=True)
def test_nodes_are_killed_and_tablets_come_back_from_an_object_store(
    world: Running, tmp_path: Path
) -> None:
    with s3_bucket() as bucket:
        place = f"{bucket.place}/cluster"
        cluster = OnRay(
            place, tmp_path, world.web.seeds(), tablets=4, nodes=3, environment=bucket.environment
        )
        with pytest.MonkeyPatch.context() as patch:
            for name, value in bucket.environment.items():
                patch.setenv(name, value)
            cluster.create()
            run = cluster.run(*({"pages": pages, "do": "kill"} for pages in (200, 500, 800)))
            assert [each["did"] for each in run.did] == ["kill"] * 3
            counts = [report["counts"] for report in run.status["reports"]]
            log = world.log()
            is_polite(log)
            pages = sum(
                amount for each in counts for name, amount in each.items() if "fetched/" in name
            )
            assert pages == len(list(world.web.crawlable()))
    print(f"{repeated(log)} of {pages} pages repeated; checkpoints every {cluster.checkpoint} s")


@pytest.mark.slow
@pytest.mark.parametrize("world", [(60, 900, 0.05)], indirect=True)
def test_the_head_dies_and_the_same_command_goes_on(world: Running, tmp_path: Path) -> None:
    cluster = OnRay(str(tmp_path / "cluster"), tmp_path, world.web.seeds(), tablets=4, nodes=2)
    cluster.create()
    process = cluster.start()
    wait_for_requests(world, 300, process)
    kill_tree(process.pid)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    run = cluster.run()
    assert {report["epoch"] for report in run.status["reports"]} == {2}
    is_complete(world, cluster)
    log = world.log()
    is_polite(log)
    assert repeated(log) <= 4 * 16


@pytest.mark.slow
@pytest.mark.parametrize("world", [(100, 1500, 0.05)], indirect=True)
def test_a_node_is_added_and_one_drained_under_load(world: Running, tmp_path: Path) -> None:
    cluster = OnRay(str(tmp_path / "cluster"), tmp_path, world.web.seeds(), tablets=6, nodes=2)
    cluster.create()
    run = cluster.run(
        {"pages": 150, "do": "add"},
        {"pages": 200, "do": "rebalance"},
        {"pages": 500, "do": "drain"},
    )
    drained = run.did[-1]["machine"]
    assert run.did[-1]["tablets"] > 0
    assert all(not report["who"].startswith(drained) for report in run.status["reports"])
    assert len(run.moved) >= 3
    assert all(move["pause_seconds"] > 0 for move in run.moved)
    is_complete(world, cluster)
    log = world.log()
    is_polite(log)
    assert repeated(log) == 0, "who is moved says what it did before"
    print([round(move["pause_seconds"], 1) for move in run.moved])


def wait_for_requests(world: Running, wanted: int, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 120
    while len(world.log()) < wanted:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.2)
