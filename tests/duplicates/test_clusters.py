"""From pairs to groups: joined as far as pairs lead, or stars around their cores."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.pairs.clusters import clusters
from shoal.duplicates.pairs.discovery import Pair

COUNT = 25
NEAR = (0.6, 0.7, 0.95, 1.0)


@st.composite
def some_pairs(draw: st.DrawFn) -> list[Pair]:
    documents = st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1))
    places = draw(st.sets(documents.filter(lambda pair: pair[0] < pair[1]), max_size=40))
    return [(a, b, draw(st.sampled_from(NEAR))) for a, b in sorted(places)]


def reached(pairs: list[Pair], start: int) -> set[int]:
    seen, found = {start}, True
    while found:
        near = {c for a, b, _ in pairs for c in (a, b) if a in seen or b in seen}
        found = not near <= seen
        seen |= near
    return seen


def test_a_chain_is_one_group_or_stars() -> None:
    chain = [(0, 1, 0.7), (1, 2, 0.7), (2, 3, 0.7), (3, 4, 0.7), (4, 5, 0.7)]
    assert clusters(chain, 7, star=False) == [[0, 1, 2, 3, 4, 5]]
    assert clusters(chain, 7) == [[0, 1, 2], [3, 4]]


def test_most_neighbours_make_the_core() -> None:
    pairs = [(0, 1, 0.9), (1, 5, 0.7), (2, 5, 0.7), (3, 5, 0.7)]
    assert clusters(pairs, 6) == [[0, 1], [2, 3, 5]]  # 0 is near 1 only, which prefers it


def test_a_document_goes_to_the_core_that_it_resembles_most() -> None:
    stars = [(0, 1, 0.7), (0, 2, 0.7), (0, 3, 0.7), (5, 6, 0.7), (5, 7, 0.7)]
    assert clusters([*stars, (3, 5, 0.8)], 8) == [[0, 1, 2], [3, 5, 6, 7]]
    assert clusters([*stars, (3, 5, 0.65)], 8) == [[0, 1, 2, 3], [5, 6, 7]]
    assert clusters([*stars, (3, 5, 0.7)], 8) == [[0, 1, 2, 3], [5, 6, 7]]


def test_copies_in_full_go_where_the_first_of_them_goes() -> None:
    pairs = [(0, 3, 0.7), (1, 3, 0.7), (2, 3, 0.7), (0, 4, 1.0), (0, 5, 1.0)]
    assert clusters(pairs, 6) == [[0, 1, 2, 3, 4, 5]]


@pytest.mark.parametrize("star", [True, False])
def test_no_pairs_no_groups(star: bool) -> None:
    assert clusters([], 0, star) == []
    assert clusters([], 3, star) == []


@given(some_pairs())
def test_joined_groups_are_what_pairs_lead_to(pairs: list[Pair]) -> None:
    groups = clusters(pairs, COUNT, star=False)
    assert groups == sorted(sorted(group) for group in groups)
    expected = {tuple(sorted(reached(pairs, document))) for document in range(COUNT)}
    assert {tuple(group) for group in groups} == {group for group in expected if len(group) > 1}


@given(some_pairs())
def test_every_star_has_a_core_that_all_are_near(pairs: list[Pair]) -> None:
    groups = clusters(pairs, COUNT)
    assert groups == sorted(sorted(group) for group in groups)
    assert len({each for group in groups for each in group}) == sum(map(len, groups))
    equal = {
        each: frozenset(reached([p for p in pairs if p[2] == 1], each)) for each in range(COUNT)
    }
    near = {(equal[c], equal[d]) for a, b, _ in pairs for c, d in ((a, b), (b, a))}
    for group in groups:
        assert any(
            all(equal[each] == equal[core] or (equal[core], equal[each]) in near for each in group)
            for core in group
        )


@given(some_pairs(), st.randoms(use_true_random=False))
def test_the_order_of_pairs_changes_nothing(pairs: list[Pair], rng: random.Random) -> None:
    shuffled = rng.sample(pairs, len(pairs))
    for star in (True, False):
        assert clusters(shuffled, COUNT, star) == clusters(pairs, COUNT, star)


@given(some_pairs())
def test_no_copy_is_lost_between_stars(pairs: list[Pair]) -> None:
    """Whoever is near anyone is in a group, or all who are near it are."""
    grouped = {each for group in clusters(pairs, COUNT) for each in group}
    assert all(a in grouped or b in grouped for a, b, _ in pairs)
