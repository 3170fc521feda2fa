"""The parts of an address: never more than the whole, whatever happens to questions and answers."""

from random import Random

import pytest

from shoal.frontier.schedule.shares import (
    ENDED_SECONDS,
    LENT,
    LOAN_SECONDS,
    Borrower,
    Lender,
    owner_of,
)
from shoal.model.messages import Position, Wanted

GAP = 0.1
ADDRESS = "192.0.2.1:80"


class Tablets:
    """Some tablets, the home of one address, and a pipe between them that may fail."""

    def __init__(self, count: int, seed: int = 0, lost: float = 0.0, late: float = 0.0) -> None:
        self.now = 1000.0
        self.draw = Random(seed)
        self.lost, self.late = lost, late
        self.borrowers = [Borrower(count, GAP, 1, self.clock) for _ in range(count)]
        self.lender = Lender(0.0, self.clock)
        self.delayed: list[tuple[float, int, Wanted]] = []

    def clock(self) -> float:
        return self.now

    def in_all(self) -> float:
        """Of what the address bears."""
        return sum(GAP / each.gap(ADDRESS) for each in self.borrowers)

    def share(self, number: int) -> float:
        return GAP / self.borrowers[number].gap(ADDRESS)

    def step(self, pressing: list[int], seconds: float = 1.0) -> None:
        self.now += seconds
        for number in pressing:
            self.borrowers[number].press(ADDRESS)
        for at, number, wanted in [each for each in self.delayed if each[0] <= self.now]:
            self.delayed.remove((at, number, wanted))
            self.lender.lend(number, wanted)  # its answer comes too late for anybody
        for number, borrower in enumerate(self.borrowers):
            for wanted in borrower.due().values():
                self.ask(number, borrower, wanted)
        assert self.in_all() <= 1 + 1e-9

    def ask(self, number: int, borrower: Borrower, wanted: Wanted) -> None:
        if self.draw.random() < self.late:
            self.delayed.append((self.now + self.draw.uniform(1, 90), number, wanted))
        if self.draw.random() < self.lost:
            return
        lent = self.lender.lend(number, wanted)
        if self.draw.random() >= self.lost:
            borrower.take(wanted, lent, self.now)


def test_who_is_alone_has_half_of_an_address_beside_its_own_part() -> None:
    tablets = Tablets(64)
    assert tablets.borrowers[0].gap(ADDRESS) == pytest.approx(2 * 64 * GAP)
    tablets.step([5])
    assert tablets.share(5) == pytest.approx(LENT + 0.5 / 64)
    assert tablets.share(6) == pytest.approx(0.5 / 64)


def test_those_who_wait_share_alike_and_who_waits_no_more_gives_back() -> None:
    tablets = Tablets(8)
    tablets.step([0])
    for _ in range(60):
        tablets.step([0, 1, 2])
    assert [tablets.share(each) for each in (0, 1, 2)] == pytest.approx([LENT / 3 + 0.5 / 8] * 3)
    for _ in range(int(2 * ENDED_SECONDS) + 60):
        tablets.step([2])
    assert tablets.share(2) == pytest.approx(LENT + 0.5 / 8)
    assert tablets.share(0) == pytest.approx(0.5 / 8)


@pytest.mark.parametrize("seed", range(20))
def test_never_more_than_the_whole(seed: int) -> None:
    draw = Random(seed)
    tablets = Tablets(draw.choice((2, 5, 16)), seed, lost=0.3, late=0.3)
    count, pressing = len(tablets.borrowers), list[int]()
    epochs = [1] * count
    for _ in range(600):
        if draw.random() < 0.1:
            pressing = draw.sample(range(count), draw.randint(0, count))
        if draw.random() < 0.01:  # the home is opened anew, and knows nothing
            tablets.lender = Lender(ENDED_SECONDS, tablets.clock)
        if draw.random() < 0.02:  # a tablet is: the former owner asks nobody any more
            number = draw.randrange(count)
            epochs[number] += 1
            tablets.borrowers[number] = Borrower(count, GAP, epochs[number], tablets.clock)
        tablets.step(pressing, draw.choice((0.5, 1.0, 5.0)))
    tablets.lost = tablets.late = 0.0
    for _ in range(400):
        tablets.step([0])
    assert tablets.share(0) == pytest.approx(LENT + 0.5 / count)


def test_a_home_that_is_opened_anew_waits_until_former_loans_have_ended() -> None:
    tablets = Tablets(4)
    tablets.step([0])
    tablets.lender = Lender(ENDED_SECONDS, tablets.clock)
    for _ in range(int(LOAN_SECONDS) - 1):
        tablets.step([1])
    assert tablets.share(1) == pytest.approx(0.5 / 4)
    for _ in range(20):
        tablets.step([1])
    assert tablets.share(1) == pytest.approx(LENT + 0.5 / 4)


def test_a_question_that_comes_late_lends_nothing() -> None:
    lender = Lender()
    assert lender.lend(1, Wanted(Position(1, 2), [(ADDRESS, 0.0)])) == [LENT]
    assert lender.lend(1, Wanted(Position(1, 1), [(ADDRESS, 0.0)])) == [0.0]
    assert lender.lend(1, Wanted(Position(2, 1), [(ADDRESS, 0.0)])) == [LENT]


def test_what_a_tablet_says_that_it_has_is_not_believed_beyond_measure() -> None:
    lender = Lender()
    lender.lend(1, Wanted(Position(1, 1), [(ADDRESS, 1e9)]))
    assert lender.lend(2, Wanted(Position(1, 1), [(ADDRESS, 0.0)])) == [0.0]


def test_homes_are_spread() -> None:
    homes = {owner_of(f"192.0.2.{number}:443", 8) for number in range(200)}
    assert homes == set(range(8))


def test_nothing_is_asked_for_without_address_clocks_or_need() -> None:
    idle = Borrower(8, GAP)
    assert idle.due() == {}
    unbound = Borrower(8, 0.0)
    unbound.press(ADDRESS)
    assert unbound.due() == {}
