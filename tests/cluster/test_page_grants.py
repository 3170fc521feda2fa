"""The limit on pages, divided among tablets: it is reached by whoever has pages, never passed."""

from dataclasses import dataclass
from random import Random

import pytest

from shoal.fleet.page_grants import Counted, PageGrants


@dataclass
class Played:
    """A tablet as its coordinator sees it."""

    left: int
    """Pages that it has yet to find."""
    a_look: int = 1_000_000
    """How many it can fetch between two looks."""
    pages: int = 0
    granted: int = 0
    under_way: int = 0
    turn: int = 0
    answers: bool = True

    def go_on(self) -> None:
        self.pages += self.under_way
        self.left -= self.under_way
        self.under_way = max(0, min(self.left, self.a_look, self.granted - self.pages))

    def take(self, most: int, turn: int) -> int:
        if turn > self.turn:
            self.turn, self.granted = turn, max(most, self.pages + self.under_way)
        return self.granted


class Playing:
    def __init__(self, limit: int, *tablets: Played) -> None:
        self.tablets = tablets
        self.grants = PageGrants(limit, [each.pages for each in tablets])
        self.limit = limit
        self.late: list[tuple[Played, int, int]] = []

    @property
    def pages(self) -> int:
        return sum(each.pages for each in self.tablets)

    def look(self) -> None:
        looks = [
            Counted(each.pages, each.left == 0, each.granted) if each.answers else None
            for each in self.tablets
        ]
        self.grants.renew(looks, self.hand_out)
        for each in self.tablets:
            each.go_on()
        assert sum(each.pages + each.under_way for each in self.tablets) <= self.limit
        assert sum(each.granted for each in self.tablets) <= self.limit

    def hand_out(self, grants: list[int], turn: int) -> list[int | None]:
        answers: list[int | None] = []
        for each, most in zip(self.tablets, grants, strict=True):
            if each.answers:
                answers.append(each.take(most, turn))
            else:
                self.late.append((each, most, turn))
                answers.append(None)
        return answers

    def until_reached(self, looks: int) -> int:
        """How many looks it took."""
        for number in range(looks):
            if self.pages >= self.limit:
                return number
            self.look()
        return looks


def test_it_is_reached_and_not_passed() -> None:
    playing = Playing(60, *(Played(1000) for _ in range(4)))
    assert playing.until_reached(10) < 10
    assert playing.pages == 60


def test_a_tablet_that_runs_out_leaves_the_rest_to_others() -> None:
    playing = Playing(60, Played(3), Played(0), Played(1000))
    assert playing.until_reached(12) < 12
    assert [each.pages for each in playing.tablets] == [3, 0, 57]


def test_who_is_fast_does_not_wait_for_who_is_slow() -> None:
    playing = Playing(10_000, Played(100_000), *(Played(1000, a_look=1) for _ in range(63)))
    assert playing.until_reached(40) < 40
    assert playing.pages == 10_000


def test_fewer_pages_than_tablets() -> None:
    """Each gets its turn, so that one whose host must wait does not keep it for ever."""
    playing = Playing(1, *(Played(10, a_look=0) for _ in range(3)), Played(10))
    assert playing.until_reached(10) < 10
    assert playing.pages == 1


def test_while_there_is_plenty_nobody_is_told_anything() -> None:
    playing = Playing(1_000_000, *(Played(10**6, a_look=10) for _ in range(3)))
    playing.look()
    turns = [each.turn for each in playing.tablets]
    for _ in range(100):
        playing.look()
    assert [each.turn for each in playing.tablets] == turns


def test_what_an_earlier_process_granted_is_kept_until_its_tablet_says_more() -> None:
    grants = PageGrants(100, [10, 10], [40, 10])
    told: list[list[int]] = []

    def hand_out(given: list[int], _turn: int) -> list[int | None]:
        told.append(given)
        return [None, given[1]]

    grants.renew([None, Counted(10, False, 0)], hand_out)
    assert told == [[40, 60]]
    grants.renew([Counted(12, False, 0), Counted(60, False, 60)], hand_out)
    assert sum(grants.granted) <= 100


def test_a_tablet_that_was_started_again_is_told_what_is_its_own() -> None:
    playing = Playing(1000, Played(10**6, a_look=10), Played(10**6, a_look=10))
    playing.look()
    playing.tablets[0].granted = playing.tablets[0].turn = playing.tablets[0].under_way = 0
    playing.look()
    assert playing.tablets[0].granted > 100


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_lost_or_late(seed: int) -> None:
    """Answers that do not come, grants that arrive long after, tablets that are started again."""
    random = Random(seed)
    tablets = [Played(random.choice((0, 5, 300)), random.randint(1, 40)) for _ in range(5)]
    tablets[0].left = 1000
    playing = Playing(random.randint(1, 300), *tablets)
    for _ in range(100):
        for each in tablets:
            each.answers = random.random() < 0.7
            if random.random() < 0.1:
                each.granted = each.turn = each.under_way = 0
                playing.late = [order for order in playing.late if order[0] is not each]
        random.shuffle(playing.late)
        while playing.late and random.random() < 0.5:
            each, most, turn = playing.late.pop()
            each.take(most, turn)
        playing.look()
    for each in tablets:
        each.answers, each.a_look = True, 1000
    assert playing.until_reached(50) < 50
    assert playing.pages == playing.limit
