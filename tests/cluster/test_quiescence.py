"""A cluster is over when two looks in a row find everybody idle and unmoved."""

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from shoal.cluster.quiescence import Look, Quiet

IDLE = Look(epoch=1, idle=True, outbox=0, sent=5, taken=7)


def test_one_look_is_not_enough() -> None:
    quiet = Quiet()
    assert not quiet.is_over([IDLE, IDLE])
    assert quiet.is_over([IDLE, IDLE])


def test_whatever_moves_between_two_looks_begins_it_anew() -> None:
    for other in (
        IDLE._replace(idle=False),
        IDLE._replace(outbox=1),
        IDLE._replace(sent=6),
        IDLE._replace(taken=8),
        IDLE._replace(epoch=2),
        None,
    ):
        quiet = Quiet()
        assert not quiet.is_over([IDLE, IDLE])
        assert not quiet.is_over([IDLE, other])
        assert not quiet.is_over([IDLE, IDLE])
        assert quiet.is_over([IDLE, IDLE])


def test_who_is_busy_in_every_look_is_never_done() -> None:
    quiet = Quiet()
    for _ in range(3):
        assert not quiet.is_over([IDLE, IDLE._replace(idle=False)])
        assert not quiet.is_over([IDLE, IDLE._replace(outbox=3)])
        assert not quiet.is_over([None, IDLE])


class Cluster:
    """Tablets that hand work to one another, one small step at a time; a look asks them one after
    another, with steps in between."""

    def __init__(self, tablets: int, work: list[int]) -> None:
        self.todo = [0] * tablets
        self.sent = [0] * tablets
        self.taken = [0] * tablets
        self.under_way: list[tuple[int, int, int]] = []
        self.todo[0] = 1
        self.work = iter(work)

    def step(self, tablet: int) -> None:
        """A visit, which may name something of another tablet; or a delivery comes in."""
        mine = [each for each in self.under_way if each[1] == tablet]
        if mine:
            self.under_way.remove(mine[0])
            self.taken[tablet] += 1
            self.todo[tablet] += 1
        elif self.todo[tablet]:
            self.todo[tablet] -= 1
            target = next(self.work, tablet)
            if target != tablet:
                self.sent[tablet] += 1
                self.under_way.append((tablet, target, self.sent[tablet]))

    def look(self, tablet: int) -> Look:
        outbox = sum(sender == tablet for sender, _, _ in self.under_way)
        is_idle = not self.todo[tablet]
        return Look(1, is_idle, outbox, self.sent[tablet], self.taken[tablet])


@given(
    st.lists(st.integers(0, 2), max_size=30),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=40),
)
def test_it_is_never_over_too_early_and_over_in_the_end(
    work: list[int], schedule: list[tuple[int, int]]
) -> None:
    cluster, quiet = Cluster(3, work), Quiet()
    steps = iter(schedule)
    for number in count():
        looks = []
        for tablet in range(3):
            who, times = next(steps, (number % 3, 1))
            for _ in range(times):
                cluster.step(who)
            looks.append(cluster.look(tablet))
        if quiet.is_over(looks):
            break
        assert number < 500
    assert cluster.todo == [0, 0, 0]
    assert cluster.under_way == []
