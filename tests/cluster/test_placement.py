"""Where tablets go: away from a drained machine, and evenly over all."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from shoal.cluster.placement import moves_away, moves_to_balance

MACHINES = ("a", "b", "c", "d")
WHERE = st.lists(st.sampled_from([*MACHINES, "lost"]), max_size=24).map(
    lambda names: dict(enumerate(names))
)
SOME = st.lists(st.sampled_from(MACHINES), unique=True)


def moved(at: dict[int, str], moves: list[tuple[int, str]]) -> dict[int, str]:
    assert len({tablet for tablet, _ in moves}) == len(moves), "one is moved twice"
    return at | dict(moves)


def loads(at: dict[int, str], machines: list[str]) -> list[int]:
    held = Counter(at.values())
    return [held[name] for name in machines]


@given(WHERE, SOME, SOME)
def test_a_drained_machine_is_left_empty(
    at: dict[int, str], machines: list[str], drained: list[str]
) -> None:
    moves = moves_away(at, machines, drained)
    left = [name for name in machines if name not in drained]
    if not left:
        assert moves == []
        return
    after = moved(at, moves)
    assert not set(after.values()) & set(drained)
    assert {tablet for tablet, _ in moves} == {t for t, name in at.items() if name in drained}
    assert {name for _, name in moves} <= set(left)


@given(WHERE, SOME)
def test_balanced_is_no_two_apart_and_nobody_moves_for_nothing(
    at: dict[int, str], machines: list[str]
) -> None:
    moves = moves_to_balance(at, machines)
    if not machines:
        assert moves == []
        return
    after = moved(at, moves)
    held = loads(after, machines)
    assert sum(held) == len(at)
    assert max(held) - min(held) <= 1
    assert moves_to_balance(after, machines) == []
    least, extra = divmod(len(at), len(machines))
    before = sorted(loads(at, machines), reverse=True)
    kept = sum(min(load, least + (place < extra)) for place, load in enumerate(before))
    assert len(moves) == len(at) - kept, "as few as can be"


def test_the_emptiest_takes_what_is_moved() -> None:
    at = {0: "a", 1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}
    assert moves_away(at, ["a", "b", "c"], ["a"]) == [(0, "c"), (1, "b"), (2, "c")]


def test_a_new_machine_gets_its_share() -> None:
    at = {0: "a", 1: "a", 2: "a", 3: "b", 4: "b", 5: "b"}
    assert moves_to_balance(at, ["a", "b", "new"]) == [(5, "new"), (2, "new")]
