"""The Hands port: who does divided work, here or on many machines.

Ray is slow to start, so tests/cluster/ray_tasks.py, which has one, runs `must_hold` on its hands.
"""

from collections.abc import Callable

import pytest

from shoal.errors import UsageError
from shoal.fleet.local_executor import LocalExecutor
from shoal.ports import Executor


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


def must_hold(executor: Executor) -> None:
    """What all hands must do."""
    assert executor.capacity_bytes > 0
    assert executor.at_once > 0
    held = executor.each(doubled, ([number] for number in range(5)))
    assert [executor.fetch(each) for [each] in held] == [0, 2, 4, 6, 8]
    [[whole, rest]] = executor.each(divided, [(17, 5)], returns=2, machines=["no such machine"])
    assert (executor.fetch(whole), executor.fetch(rest)) == (3, 2)
    [[summed]] = executor.each(total, [[whole, rest, 1]])  # what is held is given as itself
    assert executor.fetch(summed) == executor.fetch(summed) == 6
    [[much]] = executor.each(large, [[1 << 20]])
    assert len(executor.fetch(much)) == 1 << 20
    assert executor.each(doubled, []) == []
    with pytest.raises(UsageError, match="this can't be done"):
        [executor.fetch(each) for [each] in executor.each(fails, [[]])]


@pytest.mark.parametrize(
    "made",
    [LocalExecutor, lambda: LocalExecutor(1000, 4, small_bytes=0)],
    ids=["small", "in files"],
)
def test_hands_of_this_process(made: Callable[[], LocalExecutor]) -> None:
    with made() as executor:
        must_hold(executor)
