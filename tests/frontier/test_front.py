"""The front index: the bias of the draw, the longest ready first, and nothing lost."""

from collections import Counter
from random import Random

import pytest

from shoal.frontier.schedule.front import Front
from shoal.store.table import RocksTable

LEVELS = 8
DRAWS = 50_000


def insert(table: RocksTable, front: Front, level: int, ready_ms: int, site: bytes) -> None:
    batch = table.batch()
    front.insert(batch, level, ready_ms, site)
    table.write(batch)


def remove(table: RocksTable, front: Front, level: int, ready_ms: int, site: bytes) -> None:
    batch = table.batch()
    front.remove(batch, level, ready_ms, site)
    table.write(batch)


@pytest.mark.parametrize("bias", [1.0, 2.0])
def test_the_levels_that_are_drawn_follow_the_bias(table: RocksTable, bias: float) -> None:
    levels = 4
    front = Front(table, levels, bias, Random(7))
    for level in range(levels):
        insert(table, front, level, 0, b"test,l%d)80:http" % level)
    drawn: Counter[int] = Counter()
    for _ in range(DRAWS):
        chosen = front.choose(0)
        assert chosen is not None
        drawn[chosen[0]] += 1
    weights = [bias ** (levels - level) for level in range(levels)]
    for level, weight in enumerate(weights):
        wanted = DRAWS * weight / sum(weights)
        assert abs(drawn[level] - wanted) < 0.05 * wanted


def test_a_level_without_a_ready_site_is_not_drawn(table: RocksTable) -> None:
    front = Front(table, LEVELS, 2.0, Random(7))
    insert(table, front, 0, 100, b"later")
    insert(table, front, 7, 50, b"now")
    assert {front.choose(50) for _ in range(50)} == {(7, 50, b"now")}
    assert front.choose(49) is None
    assert front.earliest_ms() == 50


def test_within_a_level_the_site_that_is_ready_longest_is_chosen(table: RocksTable) -> None:
    front = Front(table, LEVELS, 2.0, Random(7))
    insert(table, front, 3, 30, b"a")
    insert(table, front, 3, 10, b"z")
    insert(table, front, 3, 20, b"m")
    assert front.choose(1000) == (3, 10, b"z")


def test_an_entry_below_a_removed_one_is_not_lost(table: RocksTable) -> None:
    """The remembered lowest key is that of the known head, not of a head that was forgotten."""
    front = Front(table, LEVELS, 2.0, Random(7))
    insert(table, front, 0, 10, b"a")
    assert front.choose(99) == (0, 10, b"a")
    remove(table, front, 0, 10, b"a")
    insert(table, front, 0, 10, b"a")
    insert(table, front, 0, 5, b"b")
    remove(table, front, 0, 10, b"a")
    assert front.choose(99) == (0, 5, b"b")


@pytest.mark.parametrize("seed", range(6))
def test_it_behaves_as_a_sorted_list(table: RocksTable, seed: int) -> None:
    random = Random(seed)
    front = Front(table, 2, 2.0, Random(seed))
    model: set[tuple[int, int, bytes]] = set()
    for _ in range(2_000):
        action = random.random()
        key = (random.randrange(2), random.randrange(5), b"s%d" % random.randrange(6))
        if action < 0.4 and key not in model:
            insert(table, front, *key)
            model.add(key)
        elif action < 0.7 and model:
            key = random.choice(sorted(model))
            remove(table, front, *key)
            model.discard(key)
        elif action < 0.9:
            chosen = front.choose(3)
            ready = {min(k for k in model if k[0] == level) for level in {k[0] for k in model}}
            ready = {k for k in ready if k[1] <= 3}
            assert chosen in ready if ready else chosen is None
        else:
            assert front.earliest_ms() == min((k[1] for k in model), default=None)
    again = Front(table, 2, 2.0, Random(seed))
    assert again.earliest_ms() == min((k[1] for k in model), default=None)
