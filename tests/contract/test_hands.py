"""The Hands port: who does divided work, here or on many machines.

Ray is slow to start, so tests/cluster/ray_tasks.py, which has one, runs `must_hold` on its hands.
"""

from collections.abc import Callable

import pytest

from shoal.errors import UsageError
from shoal.fleet.local_executor import HandsHere
from shoal.ports import Hands


def doubled(number: int) -> list[int]:
    return [2 * number]


def divided(number: int, by: int) -> list[int]:
    return [number // by, number % by]


def total(*numbers: int) -> list[int]:
    return [sum(numbers)]


def large(size: int) -> list[bytes]:
    return [b"x" * size]


def fails() -> list[str]:
    raise UsageError("this can't be done")


def must_hold(hands: Hands) -> None:
    """What all hands must do."""
    assert hands.room_bytes > 0
    assert hands.at_once > 0
    held = hands.each(doubled, ([number] for number in range(5)))
    assert [hands.fetch(each) for [each] in held] == [0, 2, 4, 6, 8]
    [[whole, rest]] = hands.each(divided, [(17, 5)], returns=2, machines=["no such machine"])
    assert (hands.fetch(whole), hands.fetch(rest)) == (3, 2)
    [[summed]] = hands.each(total, [[whole, rest, 1]])  # what is held is given as itself
    assert hands.fetch(summed) == hands.fetch(summed) == 6
    [[much]] = hands.each(large, [[1 << 20]])
    assert len(hands.fetch(much)) == 1 << 20
    assert hands.each(doubled, []) == []
    with pytest.raises(UsageError, match="this can't be done"):
        [hands.fetch(each) for [each] in hands.each(fails, [[]])]


@pytest.mark.parametrize(
    "made", [HandsHere, lambda: HandsHere(1000, 4, small_bytes=0)], ids=["small", "in files"]
)
def test_hands_of_this_process(made: Callable[[], HandsHere]) -> None:
    with made() as hands:
        must_hold(hands)
