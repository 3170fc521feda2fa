"""One loop that watches over all tablets: limits, orders, failures, and what it writes down."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import shoal
from shoal.cluster.objects import StoreFault, open_objects
from shoal.config import load
from shoal.control.cluster_commands import Drain, Rebalance, StopAll, TabletCommands, post
from shoal.errors import CollectionError, UsageError
from shoal.fleet import coordinator as coordinating
from shoal.fleet import tablet_storage
from shoal.fleet.coordinator import Coordinator
from shoal.layout.cluster_file import create
from shoal.layout.cluster_status import (
    ClusterStatus,
    TabletReport,
    new_status,
    running_status,
    status_at,
)
from shoal.model.outcome import State
from shoal.sources.inbox import Submit
from tests.cluster.threads import Threads
from tests.cluster.worlds import SETTINGS, must_be_polite, must_verify, places_of, told_by
from tests.world import Latency, RobotsMix, Running, Web, repeats, serve

TABLETS = 2
WEB = Web(seed=3, hosts=6, pages=36, skew=0, mean_bytes=1000, robots=RobotsMix(0, 0, 0, 0))


@pytest.fixture
def world() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.005)}) as running:
        yield running


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinating, "_LOOK_SECONDS", 0.1)


class Cluster:
    def __init__(self, place: Path, seeds: list[str], **settings: object) -> None:
        self.place = place
        config = load(place, {**SETTINGS, **settings}, {})
        if not (place / "cluster.json").exists():
            create(str(place), TABLETS)
        self.objects = open_objects(str(place))
        self.fleet = Threads(place, TABLETS, config, seeds)
        self.seen: list[ClusterStatus] = []
        status = new_status("test", str(place), TABLETS)
        self.coordinator = Coordinator(self.fleet, self.objects, status, config, self._watched)
        self.when: Callable[[ClusterStatus], bool] = lambda _: False
        self.then: Callable[[], None] = lambda: None

    def run(self) -> ClusterStatus:
        try:
            return self.coordinator.run()
        finally:
            self.fleet.close()

    def once(
        self, when: Callable[[ClusterStatus], bool], then: Callable[[], None]
    ) -> ClusterStatus:
        """Run it, and do something when it is so far."""
        self.when, self.then = when, then
        return self.run()

    def _watched(self, status: ClusterStatus) -> None:
        if self.when(status):
            self.when = lambda _: False
            self.then()


def fetched(status: ClusterStatus) -> int:
    return status.counts.total("fetched/")


def test_it_ends_when_nothing_is_left_to_do(world: Running, tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds())
    running: list[bool] = []
    status = cluster.once(
        lambda now: fetched(now) > 5,
        lambda: running.append(running_status(str(cluster.place)).running),
    )
    assert running == [True]
    assert (status.ended, status.running) == ("finished", False)
    assert {report.state for report in status.reports} == {"done"}
    assert status.outbox == 0
    written = status_at(str(cluster.place))
    assert (written.running, written.counts.as_dict()) == (False, status.counts.as_dict())
    assert [each.name for each in written.machines] == ["a", "b"]
    with pytest.raises(UsageError, match="does not run"):
        running_status(str(cluster.place))
    assert set(told_by(places_of(cluster.place, TABLETS)).bodies) == world.web.crawlable()


def test_a_limit_is_for_all_together_and_it_can_go_on(world: Running, tmp_path: Path) -> None:
    first = Cluster(tmp_path / "c", world.web.seeds(), **{"crawl.max_pages": 12})
    status = first.run()
    assert "limit of 12 pages" in status.ended
    assert fetched(status) == 12
    assert sum(1 for request in world.log() if not request.is_robots) == 12
    again = Cluster(tmp_path / "c", []).run()
    assert again.ended == "finished"
    assert {report.epoch for report in again.reports} == {2}
    places = places_of(tmp_path / "c", TABLETS)
    assert set(told_by(places).bodies) == world.web.crawlable()
    assert repeats(world.log()) == {}
    must_be_polite(world.log())
    must_verify(places)


def test_a_limit_is_reached_when_one_tablet_runs_out_of_pages(
    world: Running, tmp_path: Path
) -> None:
    """All but one page of all; what is left to one tablet is not what it was first granted."""
    most = len(world.web.crawlable()) - 1
    status = Cluster(tmp_path / "c", world.web.seeds(), **{"crawl.max_pages": most}).run()
    assert f"limit of {most} pages" in status.ended
    assert fetched(status) == most
    assert sum(status.grants) <= most
    more = Cluster(tmp_path / "c", [], **{"crawl.max_pages": most + 10}).run()
    assert more.ended == "finished"
    assert fetched(more) == most + 1


def test_a_running_cluster_is_steered_as_a_collection_is(world: Running, tmp_path: Path) -> None:
    place, hosts = str(tmp_path / "c"), [world.web.host_name(host) for host in range(6)]
    hidden = [f"http://{host}:{world.port}/hidden" for host in hosts[:4]]
    for host, url in enumerate(hidden):
        world.put(host, "/hidden", f"<p>Nobody links to {url}.</p>")
    unwanted = f"{hosts[5]}:{world.port}"
    cluster = Cluster(tmp_path / "c", world.web.seeds(), **{"politeness.delay": 0.3})

    def steer() -> None:
        with shoal.open(place) as whole:
            assert whole.submit(*hidden) == hidden
            whole.exclude(unwanted)

    assert cluster.once(lambda now: fetched(now) > 5, steer).ended == "finished"
    told = told_by(places_of(cluster.place, TABLETS))
    assert set(hidden) <= set(told.bodies)
    states = [state for url, (state, _) in told.urls.items() if unwanted in url]
    assert set(states) <= {State.FETCHED, State.EXCLUDED}
    assert State.EXCLUDED in states
    assert not list(cluster.objects.names("orders"))
    late = f"http://{hosts[4]}:{world.port}/late"
    world.put(4, "/late", "<p>Submitted while nobody ran.</p>")
    with shoal.open(place) as whole:
        whole.submit(late)
        whole.include(unwanted)
    assert Cluster(tmp_path / "c", []).run().ended == "finished"
    told = told_by(places_of(cluster.place, TABLETS))
    assert {late, *world.web.crawlable()} <= set(told.bodies)
    assert not list(cluster.objects.names("orders"))


def test_what_was_wanted_at_rest_holds_before_the_first_request(
    world: Running, tmp_path: Path
) -> None:
    Cluster(tmp_path / "c", world.web.seeds(), **{"crawl.max_pages": 12}).run()
    hosts = [f"{world.web.host_name(host)}:{world.port}" for host in range(6)]
    late = f"http://{hosts[0]}/late"
    world.put(0, "/late", "<p>Submitted while nobody ran.</p>")
    with shoal.open(str(tmp_path / "c")) as whole:
        whole.submit(late)
        whole.pause(hosts[4])
        whole.exclude(hosts[5])
    before = len(world.log())
    again = Cluster(tmp_path / "c", [])
    assert again.run().ended == "finished"
    asked = [request.host for request in world.log()[before:]]
    assert hosts[1] in asked
    assert not {hosts[4], hosts[5]} & set(asked)
    assert [request.url for request in world.log()].count(late) == 1, "it is carried out once"
    assert not list(again.objects.names("orders"))


def test_an_order_is_given_again_until_its_tablet_has_carried_it_out(
    world: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, away = Cluster(tmp_path / "c", world.web.seeds()), [3]
    url = f"http://{world.web.host_name(0)}:{world.port}/hidden"
    world.put(0, "/hidden", "<p>Nobody links here.</p>")
    call = cluster.fleet.call

    def is_away_at_first(number: int, method: str, *given: object, seconds: float = 60.0) -> object:
        if method == "carry_out" and away[0]:
            away[0] -= 1
            raise CollectionError("it moves")
        return call(number, method, *given, seconds=seconds)

    monkeypatch.setattr(cluster.fleet, "call", is_away_at_first)
    place = str(cluster.place)
    cluster.once(lambda now: fetched(now) > 3, lambda: post(place, TabletCommands([Submit(url)])))
    assert away == [0]
    assert url in told_by(places_of(cluster.place, TABLETS)).bodies


def test_a_drained_machine_is_left_and_others_take_over(world: Running, tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds())
    place = str(cluster.place)
    status = cluster.once(lambda now: fetched(now) > 10, lambda: post(place, Drain("a")))
    assert status.ended == "finished"
    assert status.draining == ["a"]
    (move,) = status.moves
    assert (move.tablet, move.before, move.now, move.epoch) == (0, "a", "b", 2)
    assert move.pause_seconds > 0
    assert [report.who for report in status.reports] == ["b/0", "b/1"]
    assert open_objects(place).names("orders") == []
    must_be_polite(world.log())
    assert repeats(world.log()) == {}, "it was left, nothing was lost"


@pytest.mark.slow
def test_tablets_are_spread_over_machines_that_came_later(world: Running, tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds())
    cluster.fleet.names = ["a"]

    def joined() -> None:
        cluster.fleet.names = ["a", "new"]
        post(str(cluster.place), Rebalance())

    status = cluster.once(lambda now: fetched(now) > 10, joined)
    assert [(move.before, move.now) for move in status.moves] == [("a", "new")]
    assert sorted(report.who[:1] for report in status.reports) == ["a", "n"]


@pytest.mark.slow
def test_a_machine_that_dies_while_it_is_drained_is_not_waited_for(
    world: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds())

    def gone(*_: object) -> None:
        raise ConnectionError("its machine is gone")

    monkeypatch.setattr(cluster.fleet, "call", gone)
    place = str(cluster.place)
    status = cluster.once(lambda now: fetched(now) > 10, lambda: post(place, Drain("a")))
    assert status.ended == "finished"
    assert status.reports[0].who == "b/0"


def test_a_person_can_stop_it(world: Running, tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds())
    place = str(cluster.place)
    status = cluster.once(lambda now: fetched(now) > 5, lambda: post(place, StopAll()))
    assert status.ended == "asked to stop"
    assert fetched(status) < len(world.web.crawlable())
    assert {report.state for report in status.reports} == {"done"}


def test_an_order_that_came_too_late_is_not_the_next_runs(world: Running, tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds()[:1], **{"crawl.max_pages": 3})
    post(str(cluster.place), StopAll())
    cluster.objects.put("orders/0-torn", b"no JSON")
    assert "limit of 3 pages" in cluster.run().ended
    assert cluster.objects.names("orders") == []


def test_a_store_that_fails_for_a_moment_does_not_end_it(
    world: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds()[:1], **{"crawl.max_pages": 10})
    faults: list[str] = []

    def away(prefix: str = "", *_: object, **__: object) -> list[tuple[str, int]]:
        faults.append(prefix)
        raise StoreFault("The store does not answer.")

    monkeypatch.setattr(cluster.objects, "names", away)
    monkeypatch.setattr(cluster.objects, "put", away)
    assert "limit of 10 pages" in cluster.run().ended
    assert {"orders", "status.json"} <= set(faults)


# --- failures -------------------------------------------------------------------------------------


def fail(number: int, problem: str = "CollectionError: its disk is full") -> TabletReport:
    return TabletReport(number, state="failed", problem=problem)


def test_what_failed_is_started_again(
    world: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds())
    cluster.fleet.lease = 1.5
    failing_to_open(monkeypatch).fails = 1
    assert cluster.run().ended == "finished"
    assert len(cluster.fleet.started) == TABLETS + 1
    assert set(told_by(places_of(tmp_path / "c", TABLETS)).bodies) == world.web.crawlable()


def test_what_fails_again_and_again_is_given_up(
    world: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path / "c", world.web.seeds())
    cluster.fleet.lease = 0.1
    failing_to_open(monkeypatch).fails = 1000
    with pytest.raises(CollectionError, match="again and again: OSError: no such disk"):
        cluster.run()
    status = status_at(str(cluster.place))
    assert "again and again" in status.ended
    assert not status.running
    assert len(cluster.fleet.started) <= TABLETS + 2 * coordinating._MOST_FAILURES


def test_who_fails_each_time_it_runs_is_given_up_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Running for a moment does not make up for it; running for long does."""
    cluster = Cluster(tmp_path / "c", [])
    coordinator, restarted = cluster.coordinator, list[int]()
    monkeypatch.setattr(cluster.fleet, "restart", restarted.append)
    for _ in range(coordinating._MOST_FAILURES - 1):
        coordinator._note(0, fail(0))
        coordinator._note(0, TabletReport(0, 1, "running", "a/0"))
    coordinator._note(1, fail(1))
    with pytest.raises(CollectionError, match="its disk is full"):
        coordinator._note(0, fail(0))
    assert restarted == [0] * (coordinating._MOST_FAILURES - 1) + [1]


class Prepare:
    """The next so many tablets that are opened fail."""

    def __init__(self) -> None:
        self.fails = 0
        self._lock = threading.Lock()

    def __call__(self, *_: object) -> None:
        with self._lock:
            self.fails -= 1
            if self.fails >= 0:
                raise OSError("no such disk")


def failing_to_open(monkeypatch: pytest.MonkeyPatch) -> Prepare:
    prepare, real = Prepare(), tablet_storage.SharedStorage.prepare

    def prepared(self: tablet_storage.SharedStorage, tablet: str, epoch: int) -> None:
        prepare()
        real(self, tablet, epoch)

    monkeypatch.setattr(tablet_storage.SharedStorage, "prepare", prepared)
    return prepare


def test_tablets_that_do_not_answer_are_not_taken_for_done(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / "c", [], **{"crawl.max_time": 0.5})
    cluster.fleet.is_silent = True
    looked = list[ClusterStatus]()

    def answer(status: ClusterStatus) -> bool:
        looked.append(status)
        cluster.fleet.is_silent = "limit" not in status.ended
        return False

    status = cluster.once(answer, lambda: None)
    assert "limit of 0.5 seconds" in status.ended
    assert len(looked) > 2
