"""Many tablets know in the end what one collection would, whatever happens between them."""

import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoal.cluster.objects import Objects
from shoal.engine.engine import Engine
from shoal.fleet.object_storage import ObjectStorage
from shoal.model.messages import Delivery, Receipt
from shoal.model.outcome import State
from shoal.model.record import changed
from tests.cluster.local import Fleet, crawling
from tests.cluster.stores import Bucket
from tests.cluster.worlds import (
    SETTINGS,
    Told,
    many_hosts,
    must_add_up,
    must_be_polite,
    must_verify,
    places_of,
    seeds_of,
    told_by,
)
from tests.crawl.run import crawl
from tests.world import Running, repeats

TABLETS = 4


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    with many_hosts() as running:
        yield running


@pytest.fixture(scope="module")
def whole(world: Running, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """As one collection has it."""
    directory = tmp_path_factory.mktemp("whole") / "corpus"
    assert crawl(directory, seeds_of(world), SETTINGS).finished
    told = told_by([directory])
    fetched = [url for url, (state, _) in told.urls.items() if state is State.FETCHED]
    assert len(fetched) > 80
    return told


def fleet_at(
    place: str | Path, world: Running, work: Path | None = None, lease: float = 10.0
) -> Fleet:
    return Fleet(str(place), seeds_of(world), SETTINGS, TABLETS, work=work, lease=lease)


def same(found: Told, whole: Told) -> None:
    assert found.urls == whole.urls
    assert found.bodies == whole.bodies
    assert found.anchors == whole.anchors


def test_the_same_as_one_collection(world: Running, whole: Told, tmp_path: Path) -> None:
    before = len(world.log())
    with crawling(fleet_at(tmp_path, world)) as fleet:
        fleet.wait_until_quiet()
        reports = fleet.reports()
        fleet.finish()
    places = places_of(tmp_path, TABLETS)
    found = told_by(places)
    same(found, whole)
    log = world.log()[before:]
    must_be_polite(log)
    assert repeats(log) == {}
    must_verify(places)
    must_add_up([report.counts for report in fleet.reports()], found)
    assert sum(report.sent for report in reports) == sum(report.taken for report in reports) > 20
    # Ports differ from run to run, and with them who has which host.
    assert sum(bool(report.counts) for report in reports) > 1, "several tablets have something"


class Disturbing:
    """Deliveries that are lost, come twice, or come late; answers that are lost."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._late: list[tuple[Delivery, Callable[[Delivery], Receipt]]] = []
        self.disturbed = 0

    def __call__(self, delivery: Delivery, deliver: Callable[[Delivery], Receipt]) -> Receipt:
        chance = self._dice.random()
        self.disturbed += chance <= 0.7
        if chance < 0.2:
            self._late.append((delivery, deliver))
            raise ConnectionError("it did not come through")
        if chance < 0.4 and self._late:
            late, bring = self._late.pop(self._dice.randrange(len(self._late)))
            bring(late)
        if chance < 0.6:
            deliver(delivery)
        receipt = deliver(delivery)
        if chance > 0.7:
            return receipt
        raise TimeoutError("its answer did not come through")


def test_a_disturbed_exchange_makes_no_difference(
    world: Running, whole: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.cluster.exchange._LONGEST_PAUSE_SECONDS", 0.1)
    monkeypatch.setattr("shoal.cluster.exchange._MOMENT_SECONDS", 0.05)
    before, disturb = len(world.log()), Disturbing(3)
    fleet = fleet_at(tmp_path, world)
    fleet.disturb = disturb
    with crawling(fleet):
        fleet.wait_until_quiet()
        fleet.finish()
    assert disturb.disturbed > 20
    places = places_of(tmp_path, TABLETS)
    same(told_by(places), whole)
    must_be_polite(world.log()[before:])
    assert repeats(world.log()[before:]) == {}
    must_verify(places)


@pytest.mark.slow
def test_a_cluster_goes_on_where_it_was_stopped(
    world: Running, whole: Told, tmp_path: Path
) -> None:
    before = len(world.log())
    with crawling(fleet_at(tmp_path, world)):
        world.wait(before + 40)
    with crawling(fleet_at(tmp_path, world)) as fleet:
        fleet.wait_until_quiet()
        fleet.finish()
    assert {report.epoch for report in fleet.reports()} == {2}
    places = places_of(tmp_path, TABLETS)
    same(told_by(places), whole)
    must_be_polite(world.log()[before:])
    assert repeats(world.log()[before:]) == {}
    must_verify(places)


@pytest.mark.parametrize("kind", ["directory", pytest.param("s3", marks=pytest.mark.slow)])
def test_a_tablet_that_is_lost_is_taken_over(
    kind: str,
    world: Running,
    whole: Told,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """The first owner is cut off: it is asked for nothing more, and goes on as long as its lease
    lets it; another claims the tablet and starts from what was durable."""
    place = str(tmp_path / "cluster")
    if kind == "s3":
        request.getfixturevalue("s3")
        bucket: Bucket = request.getfixturevalue("bucket")
        place = bucket.place
    before = len(world.log())
    fleet = fleet_at(place, world, tmp_path / "work", lease=4.0)
    with crawling(fleet):
        world.wait(before + 30)
        lost = fleet.tablets[1]
        assert lost is not None
        fleet.specs[1] = changed(fleet.specs[1], work=str(tmp_path / "elsewhere"))
        fleet.start(1)
        fleet.wait_until_quiet()
        fleet.finish()
        lost.join(60.0)
    assert lost.report().state == "fenced"
    assert [report.epoch for report in fleet.reports()] == [1, 2, 1, 1]
    if kind == "directory":
        places = places_of(place, TABLETS)
    else:
        places = places_of(tmp_path / "work", TABLETS)
        (places[1],) = (tmp_path / "elsewhere").glob("*/0001/00000002")
    same(told_by(places), whole)
    must_be_polite(world.log()[before:])
    must_verify(places)


@pytest.mark.slow
def test_checkpoints_are_made_one_at_a_time_and_not_of_what_is_closed(
    world: Running,
    s3: Objects,
    bucket: Bucket,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last one comes while the one before may still be under way."""
    make, making = ObjectStorage.make_durable, threading.Lock()
    made: list[bool] = []

    def alone(storage: ObjectStorage, engine: Engine) -> None:
        is_alone = making.acquire(blocking=False)
        try:
            make(storage, engine)
        finally:
            if is_alone:
                making.release()
        made.append(is_alone)

    monkeypatch.setattr(ObjectStorage, "make_durable", alone)
    fleet = Fleet(bucket.place, seeds_of(world), SETTINGS, 1, work=tmp_path, checkpoint=0.01)
    with crawling(fleet):
        world.wait(len(world.log()) + 20)
    assert [report.state for report in fleet.reports()] == ["done"]
    assert len(made) > 2
    assert all(made)
    assert s3.names("tablets/0000/checkpoints")
