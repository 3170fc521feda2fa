"""What leaves and what arrives: positions, epochs, and what may be forgotten."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.cluster.exchange import moment_seconds
from shoal.cluster.outbox import Arrivals, Outbox, read_item
from shoal.model.messages import NOWHERE, Delivery, Handed, Position, Receipt, Root
from shoal.model.urls.partition import Partition, tablet_of_site
from shoal.ports import Table
from shoal.store.table import RocksTable

ME, OTHER, THIRD = 0, 1, 2
ALL = Partition(ME, 3)
MANY = 1 << 20


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    with RocksTable(tmp_path / "table") as made:
        yield made


def put(outbox: Outbox, table: Table, target: int, *names: str) -> None:
    batch = table.batch()
    for name in names:
        outbox.send_to(batch, target, Root(name))
    table.write(batch)


def names(found: list[tuple[Position, bytes]]) -> list[str]:
    items = [read_item(data) for _, data in found]
    return [item.url for item in items if isinstance(item, Root)]


def test_items_wait_in_order_for_each_target(table: RocksTable) -> None:
    outbox = Outbox(table, ALL, 1)
    put(outbox, table, OTHER, "a", "b")
    put(outbox, table, THIRD, "c")
    put(outbox, table, OTHER, "d")
    assert names(outbox.after(OTHER, NOWHERE, 10, MANY)) == ["a", "b", "d"]
    assert [each for each, _ in outbox.after(THIRD, NOWHERE, 10, MANY)] == [Position(1, 3)]
    assert sorted(outbox.targets()) == [OTHER, THIRD]
    assert (outbox.depth, outbox.depth_for(OTHER), outbox.sent) == (4, 3, 4)


def test_what_is_not_written_was_not_sent(table: RocksTable) -> None:
    outbox = Outbox(table, ALL, 1)
    outbox.send_to(table.batch(), OTHER, Root("never"))
    assert outbox.after(OTHER, NOWHERE, 10, MANY) == []
    put(outbox, table, OTHER, "a")
    assert names(outbox.after(OTHER, NOWHERE, 10, MANY)) == ["a"]


def test_a_delivery_is_bounded_and_never_empty(table: RocksTable) -> None:
    outbox = Outbox(table, ALL, 1)
    put(outbox, table, OTHER, "a" * 100, "b" * 100, "c" * 100)
    assert len(outbox.after(OTHER, NOWHERE, 2, MANY)) == 2
    assert len(outbox.after(OTHER, NOWHERE, 10, 250)) == 2
    assert len(outbox.after(OTHER, NOWHERE, 10, 1)) == 1, "one that is too large goes alone"
    assert names(outbox.after(OTHER, Position(1, 2), 10, 1)) == ["c" * 100]


def test_a_site_is_sent_to_the_tablet_that_has_it(table: RocksTable) -> None:
    outbox, batch = Outbox(table, ALL, 1), table.batch()
    sites = [f"test,h{number})80:http".encode() for number in range(30)]
    for site in sites:
        assert outbox.owns(site) == (tablet_of_site(site, 3) == ME)
        outbox.send(batch, site, Handed(site, 1.0))
    table.write(batch)
    for target in range(3):
        found = [read_item(data) for _, data in outbox.after(target, NOWHERE, 100, MANY)]
        homes = [tablet_of_site(item.site, 3) for item in found if isinstance(item, Handed)]
        assert homes == [target] * len(homes)
        assert homes


def test_what_all_must_know_goes_to_all_others(table: RocksTable) -> None:
    outbox, batch = Outbox(table, ALL, 1), table.batch()
    outbox.send_all(batch, Root("http://moved.test/"))
    table.write(batch)
    assert sorted(outbox.targets()) == [OTHER, THIRD]


def test_only_what_is_durable_is_freed(table: RocksTable) -> None:
    outbox = Outbox(table, ALL, 1)
    put(outbox, table, OTHER, "a", "b", "c")
    put(outbox, table, THIRD, "d")
    outbox.free(OTHER, NOWHERE)
    assert outbox.depth == 4
    outbox.free(OTHER, Position(1, 2))
    assert names(outbox.after(OTHER, NOWHERE, 10, MANY)) == ["c"]
    assert outbox.freed(OTHER) == Position(1, 2)
    outbox.free(OTHER, Position(1, 1))
    assert outbox.freed(OTHER) == Position(1, 2), "an old receipt takes nothing back"
    assert (outbox.depth_for(OTHER), outbox.depth_for(THIRD)) == (1, 1)
    outbox.free(OTHER, Position(1, 99))
    assert outbox.targets() == [THIRD]


def test_more_than_one_batch_of_them_is_freed(
    table: RocksTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.cluster.outbox._FREED_AT_ONCE", 3)
    outbox = Outbox(table, ALL, 1)
    put(outbox, table, OTHER, *"abcdefgh")
    outbox.free(OTHER, Position(1, 7))
    assert names(outbox.after(OTHER, NOWHERE, 10, MANY)) == ["h"]
    assert outbox.depth == 1


def test_it_goes_on_where_it_was(table: RocksTable) -> None:
    before = Outbox(table, ALL, 4)
    put(before, table, OTHER, "a", "b")
    before.free(OTHER, Position(4, 1))
    after = Outbox(table, ALL, 5)
    assert (after.depth, after.sent, after.freed(OTHER)) == (1, 0, Position(4, 1))
    put(after, table, OTHER, "c")
    found = after.after(OTHER, NOWHERE, 10, MANY)
    assert found[0][0] == Position(4, 2)
    assert found[1][0] > Position(5, 2), "numbers only grow"
    assert names(found) == ["b", "c"]
    again = Outbox(table, ALL, 5)
    put(again, table, OTHER, *(str(number) for number in range(2500)))
    assert names(again.after(OTHER, found[1][0], 5000, MANY)) == [str(n) for n in range(2500)]


# --- what arrives ---------------------------------------------------------------------------------


def delivery(after: Position, *positions: Position) -> Delivery:
    return Delivery(OTHER, ME, after, [(each, b"") for each in positions])


def take(arrivals: Arrivals, table: Table, what: Delivery) -> list[Position]:
    new = [position for position, _ in arrivals.new(what)]
    if new:
        batch = table.batch()
        arrivals.note(batch, what.sender, new[-1])
        table.write(batch)
        arrivals.written(what.sender, new[-1], len(new))
    return new


ONE, TWO, THREE = Position(1, 1), Position(1, 2), Position(1, 3)


def test_what_comes_twice_is_new_once(table: RocksTable) -> None:
    arrivals = Arrivals(table)
    assert take(arrivals, table, delivery(NOWHERE, ONE, TWO)) == [ONE, TWO]
    assert take(arrivals, table, delivery(NOWHERE, ONE, TWO)) == []
    assert take(arrivals, table, delivery(NOWHERE, ONE, TWO, THREE)) == [THREE]
    assert arrivals.taken == 3
    assert take(Arrivals(table), table, delivery(NOWHERE, ONE, TWO, THREE)) == []


def test_what_comes_too_early_is_left(table: RocksTable) -> None:
    arrivals = Arrivals(table)
    assert take(arrivals, table, delivery(ONE, TWO)) == []
    assert arrivals.receipt(OTHER) == Receipt(NOWHERE, NOWHERE), "it says from where to go on"
    assert take(arrivals, table, delivery(NOWHERE, ONE)) == [ONE]
    assert take(arrivals, table, delivery(ONE, TWO)) == [TWO]


def test_a_later_epoch_comes_behind_all_of_an_earlier_one(table: RocksTable) -> None:
    """A sender that was restored to its first item gives out the numbers 2 and 3 again."""
    arrivals = Arrivals(table)
    take(arrivals, table, delivery(NOWHERE, ONE, TWO, THREE))
    again = [Position(2, 2), Position(2, 3)]
    assert take(arrivals, table, delivery(NOWHERE, ONE, *again)) == again
    assert take(arrivals, table, delivery(ONE, TWO, THREE)) == [], "of the life that was lost"


def test_senders_are_told_apart(table: RocksTable) -> None:
    arrivals = Arrivals(table)
    take(arrivals, table, delivery(NOWHERE, ONE, TWO))
    assert arrivals.receipt(THIRD) == Receipt(NOWHERE, NOWHERE)
    assert arrivals.new(Delivery(THIRD, ME, NOWHERE, [(ONE, b"")])) == [(ONE, b"")]


def test_applied_is_not_durable_until_that_is_said(table: RocksTable) -> None:
    arrivals = Arrivals(table)
    take(arrivals, table, delivery(NOWHERE, ONE))
    now = arrivals.now()
    take(arrivals, table, delivery(ONE, TWO))
    assert arrivals.receipt(OTHER) == Receipt(TWO, NOWHERE)
    arrivals.settle(now)
    assert arrivals.receipt(OTHER) == Receipt(TWO, ONE), "the second came after the copy was made"


def test_what_a_table_has_when_it_is_opened_is_durable(table: RocksTable) -> None:
    take(Arrivals(table), table, delivery(NOWHERE, ONE, TWO))
    assert Arrivals(table).receipt(OTHER) == Receipt(TWO, TWO)


def test_who_has_enough_to_do_is_called_less_often() -> None:
    assert moment_seconds(3, busy=True) > moment_seconds(3, busy=False)
    assert moment_seconds(100, busy=False) > moment_seconds(3, busy=True), "nor are many targets"
    assert moment_seconds(4000, busy=True) == moment_seconds(4000, busy=False)
