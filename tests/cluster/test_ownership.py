"""A tablet has one owner at a time, by its own clock and the store alone."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from shoal.cluster import ownership
from shoal.cluster.objects import Exists, Objects, StoreFault
from shoal.cluster.ownership import Owner, Ownership
from shoal.errors import CollectionError, Fenced
from shoal.model.record import from_json

PREFIX = "tablets/0007"
LEASE = 10.0


class Ticks:
    """The machine's clock, in a test's hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    made = Ticks()
    monkeypatch.setattr(ownership, "boot_seconds", made)
    return made


def owner(objects: Objects, who: str = "m1/7") -> Ownership:
    return Ownership(objects, PREFIX, who, LEASE)


def written(objects: Objects, epoch: int) -> Owner:
    return from_json(Owner, objects.get(f"{PREFIX}/owners/{epoch:08}"))


def test_the_first_need_not_wait(objects: Objects, ticks: Ticks) -> None:
    mine = owner(objects)
    assert not mine.holds()
    assert mine.claim() == 0.0
    assert (mine.epoch, mine.predecessor, mine.was_left) == (1, None, True)
    assert mine.holds()
    assert (written(objects, 1).who, written(objects, 1).left) == ("m1/7", "")


def test_of_many_each_gets_an_epoch_of_its_own(objects: Objects) -> None:
    together = Barrier(6)
    owners = [owner(objects, f"m{number}") for number in range(6)]

    def claim(one: Ownership) -> int:
        together.wait()
        one.claim()
        return one.epoch

    with ThreadPoolExecutor(6) as pool:
        epochs = list(pool.map(claim, owners))
    assert sorted(epochs) == [1, 2, 3, 4, 5, 6]
    assert {written(objects, each.epoch).who for each in owners} == {f"m{n}" for n in range(6)}
    for each in owners:
        if each.epoch < 6:
            with pytest.raises(Fenced):
                each.renew()


def test_the_next_waits_for_longer_than_any_lease_can_last(objects: Objects, ticks: Ticks) -> None:
    first, second = owner(objects, "m1"), owner(objects, "m2")
    first.claim()
    ticks.advance(LEASE / 3)
    first.renew()
    wait = second.claim()
    assert wait > LEASE
    assert second.predecessor is not None
    assert (second.epoch, second.predecessor.who, second.was_left) == (2, "m1", False)
    assert first.holds(), "it has not looked yet"
    ticks.advance(wait)
    assert not first.holds()


def test_who_is_fenced_stays_fenced(objects: Objects, ticks: Ticks) -> None:
    first, second = owner(objects), owner(objects)
    first.claim()
    second.claim()
    with pytest.raises(Fenced, match="another owner"):
        first.renew()
    assert not first.holds()
    with pytest.raises(Fenced):
        first.must_hold()
    with pytest.raises(Fenced):
        first.renew()
    assert second.holds()
    second.must_hold()


def test_a_lease_counts_from_before_the_look(
    objects: Objects, ticks: Ticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look that takes long says only what was so when it began."""
    mine = owner(objects)
    mine.claim()
    exists = objects.exists

    def slow(key: str) -> bool:
        found = exists(key)
        ticks.advance(LEASE - 1)
        return found

    monkeypatch.setattr(objects, "exists", slow)
    mine.renew()
    assert mine.holds()
    ticks.advance(1)
    assert not mine.holds()


def test_it_runs_out_by_itself_and_a_look_that_finds_nobody_brings_it_back(
    objects: Objects, ticks: Ticks
) -> None:
    """A machine that slept: nobody has claimed the tablet, so it is still its own."""
    mine = owner(objects)
    mine.claim()
    ticks.advance(LEASE)
    assert not mine.holds()
    with pytest.raises(Fenced, match="run out"):
        mine.must_hold()
    mine.renew()
    assert mine.holds()


def test_who_has_left_is_not_waited_for(
    objects: Objects, ticks: Ticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(["at first", "then", "at last"])
    monkeypatch.setattr(ownership, "iso", lambda _: next(times))
    first, second = owner(objects, "m1"), owner(objects, "m2")
    first.claim()
    first.leave()
    assert not first.holds()
    assert (written(objects, 1).since, written(objects, 1).left) == ("at first", "then")
    assert second.claim() == 0.0
    assert second.was_left
    assert second.epoch == 2


def test_who_has_left_can_not_come_back(objects: Objects, ticks: Ticks) -> None:
    mine = owner(objects)
    mine.claim()
    mine.leave()
    mine.renew()
    assert not mine.holds()


def test_only_the_last_before_it_counts(objects: Objects, ticks: Ticks) -> None:
    first, second, third = (owner(objects, name) for name in ("m1", "m2", "m3"))
    first.claim()
    second.claim()
    first.leave()
    assert third.claim() > LEASE
    assert third.predecessor is not None
    assert third.predecessor.who == "m2"


class Forgetful:
    """A store whose first claim is made, but whose answer is that it exists: the library has sent
    the request a second time."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self.lies = True

    def put(self, key: str, data: bytes | Path, *, create: bool = False) -> None:
        self._objects.put(key, data, create=create)
        if create and self.lies:
            self.lies = False
            raise Exists(f"{key} is there already.")

    def get(self, key: str) -> bytes:
        return self._objects.get(key)

    def fetch(self, key: str, path: Path) -> None:
        self._objects.fetch(key, path)

    def exists(self, key: str) -> bool:
        return self._objects.exists(key)

    def names(self, prefix: str = "") -> list[tuple[str, int]]:
        return self._objects.names(prefix)

    def delete(self, keys: Iterable[str]) -> None:
        self._objects.delete(keys)


def test_a_claim_whose_answer_was_lost_is_ones_own(objects: Objects, ticks: Ticks) -> None:
    mine = owner(Forgetful(objects))
    assert mine.claim() == 0.0
    assert mine.epoch == 1
    assert mine.holds()
    assert [key for key, _ in objects.names(PREFIX)] == [f"{PREFIX}/owners/00000001"]


def test_a_file_that_can_not_be_read_is_an_owner_all_the_same(
    objects: Objects, ticks: Ticks
) -> None:
    objects.put(f"{PREFIX}/owners/00000004", b"torn {")
    mine = owner(objects)
    assert mine.claim() > LEASE
    assert (mine.epoch, mine.was_left) == (5, False)


def test_a_store_that_does_not_answer_neither_renews_nor_fences(
    objects: Objects, ticks: Ticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = owner(objects)
    mine.claim()

    def fault(key: str) -> bool:
        raise StoreFault(f"{key} can't be looked for.")

    monkeypatch.setattr(objects, "exists", fault)
    ticks.advance(LEASE / 2)
    with pytest.raises(StoreFault):
        mine.renew()
    assert mine.holds()
    ticks.advance(LEASE / 2)
    assert not mine.holds()


def test_somebody_who_is_always_quicker_is_told_of(
    objects: Objects, ticks: Ticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = owner(objects)
    put = objects.put

    def after_another(key: str, data: bytes | Path, *, create: bool = False) -> None:
        put(key, b"{}", create=create)
        put(key, data, create=create)

    monkeypatch.setattr(objects, "put", after_another)
    monkeypatch.setattr(ownership, "_TRIES", 3)
    with pytest.raises(CollectionError, match="again and again"):
        mine.claim()
    assert not mine.holds()
