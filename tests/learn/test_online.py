"""A model that learns one example after the other: what it says, how surely, and why."""

import math
import random

import pytest

from shoal.errors import DamagedError
from shoal.learn.features import FeatureMaker
from shoal.learn.online import Example, OnlineModel

MAKER = FeatureMaker()
FISH = ["coral", "reef", "fish", "sea", "diver", "lagoon", "anemone", "tide", "shoal", "fin"]
TALK = ["bank", "market", "share", "profit", "dollar", "trade", "price", "stock", "loan", "debt"]
BOTH = [
    *("the", "of", "and", "to", "in", "is", "was", "for"),
    *("with", "on", "by", "at", "from", "it", "this"),
]


def page(words: list[str], draw: random.Random, noise: float = 0.3) -> dict[str, str]:
    own, others = words, (TALK if words is FISH else FISH)
    picked = [draw.choice(others if draw.random() < noise else own) for _ in range(4)]
    return {"text": " ".join(picked + draw.choices(BOTH, k=12))}


def drawn(count: int, seed: int, noise: float = 0.3) -> list[Example]:
    draw = random.Random(seed)
    return [
        Example(MAKER.of(page(FISH if number % 2 else TALK, draw, noise)), float(number % 2))
        for number in range(count)
    ]


def taught(count: int = 300, noise: float = 0.3) -> OnlineModel:
    model = OnlineModel(bits=14)
    for each in drawn(count, 1, noise):
        model.learn(each.features, each.target)
    return model


def test_it_learns() -> None:
    """Who knew all words would be right 157 times of 200."""
    model = taught()
    right = [(model.score(each.features) > 0) == (each.target > 0.5) for each in drawn(200, 2)]
    assert sum(right) >= 140


def test_its_chances_come_true() -> None:
    model = taught(600)
    told = [(model.chance(each.features), each.target) for each in drawn(1000, 3)]
    error = 0.0
    for tenth in range(10):
        within = [each for each in told if tenth <= each[0] * 10 < tenth + 1]
        if within:
            error += abs(sum(chance - target for chance, target in within)) / len(told)
    assert error <= 0.05


def test_nothing_is_known_before_the_first_example() -> None:
    model = OnlineModel(bits=10)
    assert model.score(MAKER.of({"text": "coral"})) == 0
    assert model.chance(MAKER.of({"text": "coral"})) == 0.5
    assert model.decided(MAKER, {"text": "coral"}) == []


def test_one_kind_alone_and_contradictions_are_valid() -> None:
    only, both = OnlineModel(bits=10), OnlineModel(bits=10)
    coral = MAKER.of({"text": "coral"})
    for number in range(50):
        only.learn(coral, 1.0)
        both.learn(coral, float(number % 2))
    assert only.chance(coral) > 0.9
    assert 0.3 < both.chance(coral) < 0.7


def test_it_tells_values_too() -> None:
    """A target between 0 and 1 is what it comes to in the mean."""
    model = OnlineModel(bits=12)
    draw = random.Random(4)
    for _ in range(600):
        near = draw.random()
        model.learn(MAKER.of({}, {"near": near}), 0.2 + 0.6 * near)
    low, high = (model.chance(MAKER.of({}, {"near": near})) for near in (0.1, 0.9))
    assert low == pytest.approx(0.26, abs=0.08)
    assert high == pytest.approx(0.74, abs=0.08)


def test_the_words_that_decided_are_told() -> None:
    model = taught(noise=0.0)
    parts = {"text": "the coral of the bank", "title": "coral"}
    found = model.decided(MAKER, parts, {"depth": 1.0}, most=2)
    assert {(each.part, each.word) for each in found} == {("text", "coral"), ("text", "bank")}
    weight = {each.word: each.weight for each in found}
    assert weight["coral"] > 0 > weight["bank"]
    assert [abs(each.weight) for each in found] == sorted(
        (abs(each.weight) for each in found), reverse=True
    )


def test_what_was_only_seen_makes_words_common() -> None:
    """`the` says as much as `coral` to two examples; documents nobody judged show that it is
    common."""
    model = OnlineModel(bits=12)
    for _ in range(100):
        model.see(MAKER.of({"text": "the sea"}))
    model.learn(MAKER.of({"text": "the coral"}), 1.0)
    model.learn(MAKER.of({"text": "sea bank"}), 0.0)
    weights = {each.word: each.weight for each in model.decided(MAKER, {"text": "the coral"})}
    assert weights["coral"] > 2 * weights["the"]
    assert (model.seen, model.learned) == (102, 2)


def test_the_same_examples_give_the_same_bytes_and_these_the_same_model() -> None:
    one, other = taught(), taught()
    assert one.to_bytes() == other.to_bytes()
    again = OnlineModel.from_bytes(one.to_bytes())
    assert again.to_bytes() == one.to_bytes()
    for each in drawn(20, 5):
        assert again.chance(each.features) == one.chance(each.features)
        again.learn(*each)
        one.learn(*each)
    assert again.to_bytes() == one.to_bytes()


def test_examples_that_are_kept_are_learned_several_times() -> None:
    once, often = OnlineModel(bits=12), OnlineModel(bits=12)
    few = drawn(20, 6, noise=0.0)
    for each in few:
        once.learn(*each)
    often.learn_all(few, passes=5)
    assert often.learned == once.learned == 20

    def loss(model: OnlineModel) -> float:
        return sum(
            math.log1p(math.exp(-(2 * each.target - 1) * model.score(each.features)))
            for each in few
        )

    assert loss(often) < loss(once)


@pytest.mark.parametrize("cut", [0, 5, 20, 60, -1])
def test_bytes_that_are_not_whole_are_refused(cut: int) -> None:
    with pytest.raises(DamagedError):
        OnlineModel.from_bytes(taught(10).to_bytes()[:cut])


def test_bytes_of_another_kind_are_refused() -> None:
    for data in (b"", b"x" * 100, taught(10).to_bytes().replace(b"shoal", b"shoul")):
        with pytest.raises(DamagedError):
            OnlineModel.from_bytes(data)
    with pytest.raises(ValueError, match="bits"):
        OnlineModel(bits=40)
