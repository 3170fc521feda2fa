"""U4: the search scenario, by words alone."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from weakref import WeakSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.methods.cosine import Rarity, cosine, ranked, vector
from shoal.duplicates.near.shingles import hash_word, words

TEXTS = st.lists(st.sampled_from(["fish", "sea", "reef", "the", "cod", "魚"]), max_size=30).map(
    " ".join
)


def plain_cosine(a: str, b: str, rarity: Rarity | None = None) -> float:
    """By the definition, word by word."""

    def weight(word: str, count: int) -> float:
        rare = rarity.weights.get(hash_word(word), rarity.unseen) if rarity else 1.0
        return (1 + math.log(count)) * rare if count else 0.0

    ours, theirs = Counter(words(a)), Counter(words(b))
    every = ours.keys() | theirs.keys()
    x = [weight(word, ours[word]) for word in every]
    y = [weight(word, theirs[word]) for word in every]
    length = math.hypot(*x) * math.hypot(*y)
    product = math.fsum(one * other for one, other in zip(x, y, strict=True))
    return product / length if length else 0.0


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=5))
def test_it_is_the_angle_between_the_vectors(a: str, b: str, seen: list[str]) -> None:
    assert cosine(vector(a), vector(b)) == pytest.approx(plain_cosine(a, b))
    rarity = Rarity.of(seen)
    with_rarity = cosine(vector(a, rarity), vector(b, rarity))
    assert with_rarity == pytest.approx(plain_cosine(a, b, rarity))


@given(TEXTS, TEXTS, st.randoms())
def test_order_does_not_matter_to_the_last_bit(a: str, b: str, chance: random.Random) -> None:
    shuffled = a.split()
    chance.shuffle(shuffled)
    one = cosine(vector(a), vector(b))
    assert one == cosine(vector(b), vector(a)) == cosine(vector(" ".join(shuffled)), vector(b))
    assert 0 <= one <= 1
    assert cosine(vector(a), vector(a)) == (1.0 if a else 0.0)


def test_a_worked_example() -> None:
    """(2 log-scaled, 1) against (1, 0): the weights are 1 + log 2 and 1."""
    weight = 1 + math.log(2)
    assert vector("Fish, fish! Sea.") == {hash_word("fish"): weight, hash_word("sea"): 1.0}
    assert cosine(vector("fish fish sea"), vector("fish")) == pytest.approx(
        weight / math.sqrt(weight**2 + 1)
    )
    assert cosine(vector("fish"), vector("sea")) == 0.0
    assert cosine(vector(""), vector("sea")) == cosine({}, {}) == 0.0


def test_rare_words_weigh_more() -> None:
    rarity = Rarity.of(["the fish", "the sea", "the reef", "the cod"])
    assert rarity.weights[hash_word("the")] == pytest.approx(math.log(5 / 4))
    assert rarity.weights[hash_word("cod")] == rarity.unseen == pytest.approx(math.log(5))
    others = [("common", "the the the the heron"), ("rare", "cod heron")]
    by_rarity = dict(ranked("the the the cod", others, rarity=rarity))
    plainly = dict(ranked("the the the cod", others))
    assert by_rarity["rare"] > by_rarity["common"]
    assert plainly["rare"] < plainly["common"]


@given(TEXTS, st.lists(TEXTS, max_size=15), st.integers(0, 6))
def test_the_best_in_order(text: str, others: list[str], at_most: int) -> None:
    scores = [(place, cosine(vector(text), vector(other))) for place, other in enumerate(others)]
    wanted = sorted((each for each in scores if each[1] > 0), key=lambda each: (-each[1], each[0]))
    assert ranked(text, enumerate(others), at_most) == wanted[:at_most]


def test_keys_need_no_order_and_equals_keep_theirs() -> None:
    keys = [object() for _ in range(5)]
    found = ranked("fish", [(key, "fish") for key in keys], at_most=3)
    assert found == [(key, 1.0) for key in keys[:3]]


class Key:
    """Something that can be seen to be held."""


def test_a_stream_is_not_held() -> None:
    alive: WeakSet[Key] = WeakSet()
    most_alive = 0

    def stream() -> Iterator[tuple[Key, str]]:
        nonlocal most_alive
        for number in range(500):
            key = Key()
            alive.add(key)
            most_alive = max(most_alive, len(alive))
            yield key, "fish " + "sea " * (number % 50)

    found = ranked("fish", stream(), at_most=3)
    assert [score for _, score in found] == [1.0] * 3
    assert 3 <= most_alive <= 3 + 3
