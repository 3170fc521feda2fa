"""Whose turn it is: the best standing first, and with a page limit only a share out of turn."""

from types import SimpleNamespace
from typing import cast

import pytest

from shoal.frontier.schedule.sites import ActiveSite
from shoal.frontier.schedule.turns import SOON_SECONDS, Turns


def site(standing: int, errands: int = 0) -> ActiveSite:
    return cast(ActiveSite, SimpleNamespace(standing=standing, errands=[None] * errands))


def test_the_best_standing_comes_first_then_who_waited_longest() -> None:
    turns = Turns(3, None)
    sites = [site(2), site(0), site(0), site(1)]
    for when, active in zip((0.0, 5.0, 4.0, 1.0), sites, strict=True):
        turns.add(active, when)
    assert turns.ready_count(4.5) == 3
    assert [turns.pop(10) for _ in range(5)] == [sites[2], sites[1], sites[3], sites[0], None]


@pytest.mark.parametrize("in_flight", [True, False], ids=["in flight", "due soon"])
def test_a_quarter_of_the_limit_is_asked_out_of_turn(in_flight: bool) -> None:
    turns, first = Turns(2, 20), site(0)
    if in_flight:
        turns.begin(first, 0)
    else:
        turns.add(first, SOON_SECONDS)
    behind = [site(1) for _ in range(6)]
    for active in behind:
        turns.add(active, 0)
    for _ in range(5):
        asked = turns.pop(0)
        assert asked is not None
        turns.begin(asked, 0)
        turns.end(asked)
    assert turns.pop(0) is None
    assert turns.next_times(0) == ([] if in_flight else [SOON_SECONDS])
    if in_flight:
        turns.end(first)
    else:
        assert turns.pop(SOON_SECONDS) is first
    assert turns.pop(SOON_SECONDS) is behind[-1]


def test_what_is_due_much_later_keeps_nobody_waiting() -> None:
    turns, behind = Turns(2, 1), site(1)
    turns.add(site(0), SOON_SECONDS + 0.1)
    turns.add(behind, 0)
    assert turns.next_times(0) == [SOON_SECONDS + 0.1, 0]
    assert turns.pop(0) is behind


def test_without_a_limit_nobody_waits_for_others() -> None:
    turns = Turns(2, None)
    turns.add(site(0), 1)
    for _ in range(100):
        turns.add(site(1), 0)
        active = turns.pop(0)
        assert active is not None
        turns.begin(active, 0)


def test_room_is_made_by_the_latest_of_the_worst() -> None:
    turns, wanted = Turns(3, None), site(2)
    turns.add(site(0), 0)
    turns.add(site(2), 0)
    turns.add(wanted, 9)
    assert turns.pop_last_behind(0) is wanted
    turns.add(site(2, errands=1), 9)
    assert turns.pop_last_behind(0) is None
    assert turns.pop_last_behind(2) is None


def test_strictly_what_stands_far_behind_is_left_alone_but_for_a_few() -> None:
    turns, near, far = Turns(7, None, strict=True), site(2), site(3)
    turns.add(site(0), SOON_SECONDS)
    turns.add(far, 0)
    assert turns.pop(0) is None
    assert turns.next_times(0) == [SOON_SECONDS]
    turns.add(near, 0)
    assert turns.pop(0) is near
    for _ in range(500):
        turns.begin(near, 0)
        turns.end(near)
    asked = turns.pop(0)
    assert asked is far
    turns.begin(asked, 0)
    turns.end(asked)
    turns.add(asked, 0)
    assert turns.pop(0) is None


def test_a_site_whose_standing_changed_is_there_once() -> None:
    turns = Turns(3, None)
    sites = [site(2) for _ in range(5)]
    for when, active in enumerate(sites):
        turns.add(active, when)
    turns.move(sites[3], 0)
    turns.move(sites[3], 0)
    turns.move(site(1), 0)  # it is not there
    assert [turns.pop(9) for _ in range(6)] == [sites[n] for n in (3, 0, 1, 2, 4)] + [None]
