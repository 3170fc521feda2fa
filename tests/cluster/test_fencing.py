"""A tablet that can't be sure that it is its own neither asks nor writes, before another does."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.cluster.objects import Objects, StoreFault, open_objects
from shoal.errors import CollectionError
from shoal.fleet.tablet import Tablet
from shoal.model.messages import NOWHERE, Delivery
from tests.cluster.local import PATIENCE_SECONDS, Fleet, crawling
from tests.cluster.worlds import SETTINGS, must_be_polite, must_verify, places_of, told_by
from tests.world import Latency, RobotsMix, Running, Web, serve

LEASE_SECONDS = 1.5
WEB = Web(seed=5, hosts=6, pages=48, skew=0, mean_bytes=1000, robots=RobotsMix(0, 0, 0, 0))


@pytest.fixture
def world() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.01)}) as running:
        yield running


@pytest.fixture
def large_world() -> Iterator[Running]:
    """Enough for two owners."""
    with serve(replace(WEB, pages=210), {"*": Latency(0.01)}) as running:
        yield running


class Wire:
    """A store that can be cut off, or made to hang."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self.is_cut = False
        self.passes = threading.Event()
        self.passes.set()

    def put(self, key: str, data: bytes | Path, *, create: bool = False) -> None:
        self._through()
        self._objects.put(key, data, create=create)

    def get(self, key: str) -> bytes:
        self._through()
        return self._objects.get(key)

    def fetch(self, key: str, path: Path) -> None:
        self._through()
        self._objects.fetch(key, path)

    def exists(self, key: str) -> bool:
        self._through()
        return self._objects.exists(key)

    def names(self, prefix: str = "") -> list[tuple[str, int]]:
        self._through()
        return self._objects.names(prefix)

    def delete(self, keys: Iterable[str]) -> None:
        self._through()
        self._objects.delete(keys)

    def _through(self) -> None:
        self.passes.wait(PATIENCE_SECONDS)
        if self.is_cut:
            raise StoreFault("The store does not answer.")


@pytest.fixture
def wires(monkeypatch: pytest.MonkeyPatch) -> list[Wire]:
    """One for each tablet, in the order in which they were started."""
    made: list[Wire] = []

    def wired(place: str) -> Objects:
        made.append(Wire(open_objects(place)))
        return made[-1]

    monkeypatch.setattr("shoal.fleet.tablet.open_objects", wired)
    return made


def alone(place: Path, world: Running) -> Fleet:
    return Fleet(str(place), world.web.seeds(), SETTINGS, 1, lease=LEASE_SECONDS)


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def over(tablet: Tablet) -> None:
    tablet.join(PATIENCE_SECONDS)
    assert tablet.report().state == "fenced", tablet.report()


def cut(wire: Wire) -> None:
    wire.is_cut = True


def hang(wire: Wire) -> None:
    wire.passes.clear()


@pytest.mark.parametrize("harm", [cut, pytest.param(hang, marks=pytest.mark.slow)])
def test_the_old_owner_is_silent_before_the_new_one_asks(
    harm: Callable[[Wire], None], large_world: Running, wires: list[Wire], tmp_path: Path
) -> None:
    world, fleet = large_world, alone(tmp_path, large_world)
    with crawling(fleet):
        world.wait(20)
        old = fleet.tablets[0]
        assert old is not None
        harm(wires[0])
        new = fleet.start(0)
        until(lambda: new.report().state not in ("starting", "claiming", "waiting"))
        of_old = world.log()
        wires[0].passes.set()
        over(old)
        fleet.wait_until_quiet()
        fleet.finish()
    log = world.log()
    assert len(log) > len(of_old) > 20, "both had something to do"
    its_connections = {request.connection for request in of_old}
    later = [request for request in log if request.start > of_old[-1].start]
    assert not [request for request in later if request.connection in its_connections]
    must_be_polite(log)
    places = places_of(tmp_path, 1)
    must_verify(places)
    assert set(told_by(places).bodies) == world.web.crawlable()


def test_a_store_that_is_away_for_less_than_a_lease_does_no_harm(
    world: Running, wires: list[Wire], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = alone(tmp_path, world)
    faults: list[str] = []
    with crawling(fleet):
        world.wait(10)
        exists = wires[0].exists

        def once(key: str) -> bool:
            if not faults:
                faults.append(key)
                raise StoreFault("The store does not answer.")
            return exists(key)

        monkeypatch.setattr(wires[0], "exists", once)
        fleet.wait_until_quiet()
        fleet.finish()
    assert faults
    assert len(told_by(places_of(tmp_path, 1)).bodies) == len(world.web.crawlable())


def test_who_has_lost_its_lease_takes_nothing_in(
    world: Running, wires: list[Wire], tmp_path: Path
) -> None:
    fleet = alone(tmp_path, world)
    with crawling(fleet):
        world.wait(10)
        cut(wires[0])
        tablet = fleet.tablets[0]
        assert tablet is not None
        over(tablet)
        with pytest.raises(CollectionError):
            tablet.deliver(Delivery(0, 0, NOWHERE, []))


def test_the_next_need_not_wait_for_one_that_has_left(world: Running, tmp_path: Path) -> None:
    fleet = alone(tmp_path, world)
    with crawling(fleet):
        world.wait(10)
        tablet = fleet.tablets[0]
        assert tablet is not None
        tablet.stop("it moves")
        tablet.join(PATIENCE_SECONDS)
        assert tablet.report().state == "done"
        new = fleet.start(0)
        until(lambda: new.report().state == "running")
        assert new.report().epoch == 2
        fleet.wait_until_quiet()
        fleet.finish()
    must_be_polite(world.log())
    assert set(told_by(places_of(tmp_path, 1)).bodies) == world.web.crawlable()
