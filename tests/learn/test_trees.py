"""A hierarchy that nobody gave: the same twice, for any documents, with words that tell parts."""

import random

import numpy as np
import pytest

from shoal.analysis.tree_names import matched, names, parts_before, shown_ways, telling
from shoal.learn import clusters
from shoal.learn.features import FeatureMaker, Features
from shoal.learn.page_classes import PageClasses
from shoal.learn.stored import written
from shoal.learn.tree_building import build

MAKER = FeatureMaker()
SUBJECTS = {
    "fish": ["coral", "reef", "fin", "tide", "anemone", "lagoon"],
    "bird": ["feather", "nest", "wing", "beak", "flock", "egg"],
    "bank": ["market", "share", "loan", "profit", "trade", "stock"],
    "court": ["judge", "law", "trial", "jury", "verdict", "appeal"],
}
COMMON = [f"word{number}" for number in range(40)]


def drawn(count: int, seed: int) -> tuple[list[dict[str, str]], list[str]]:
    draw = random.Random(seed)
    parts, subjects = [], []
    for number in range(count):
        subject = list(SUBJECTS)[number % 4]
        words = draw.choices(SUBJECTS[subject], k=6) + draw.choices(COMMON, k=8)
        parts.append({"text": " ".join(words), "title": f"{subject} {number}"})
        subjects.append(subject)
    return parts, subjects


def features(parts: list[dict[str, str]]) -> list[Features]:
    return [MAKER.of(each) for each in parts]


def test_what_is_alike_comes_together() -> None:
    parts, subjects = drawn(240, 1)
    built = build(features(parts), 4, 2, 8, 3)
    assert len(built.ways) == 4
    of_leaf = [
        [subject for subject, leaf in zip(subjects, built.leaf_of, strict=True) if leaf == each]
        for each in range(4)
    ]
    right = sum(max(map(each.count, SUBJECTS)) for each in of_leaf)
    assert right / len(subjects) > 0.9


def test_a_part_is_told_by_its_words_and_by_what_stands_in_its_midst() -> None:
    parts, subjects = drawn(240, 1)
    built = build(features(parts), 4, 1, 3, 1)
    words = {key: word for each in parts for key, (_, word) in MAKER.names(each).items()}
    for node in built.nodes:
        subject = subjects[node.nearest[0]]
        assert {words[key] for key in node.keys} <= {*SUBJECTS[subject], subject}
    assert sum(node.size for node in built.nodes) == 240


def test_the_same_documents_make_the_same_tree() -> None:
    parts, _ = drawn(120, 2)
    assert build(features(parts), 6, 3, 5, 2) == build(features(parts), 6, 3, 5, 2)


def test_every_document_has_the_place_that_the_model_says() -> None:
    parts, _ = drawn(160, 3)
    built = build(features(parts), 5, 2, 5, 2)
    model = PageClasses.from_bytes(written(built.model))
    told = [model.likeliest(each) for each in parts]
    same = [one == other for one, other in zip(told, built.leaf_of, strict=True)]
    assert sum(same) >= 158  # numbers of two bytes may differ where two leaves are as near
    assert model.likeliest({"text": ""}) == model.likeliest({"text": "unheard"})


def test_levels_are_within_each_other() -> None:
    parts, _ = drawn(200, 4)
    built = build(features(parts), 9, 3, 5, 2)
    assert {len(way) for way in built.ways} == {3}
    assert len({way[:1] for way in built.ways}) <= len({way[:2] for way in built.ways}) <= 9
    assert len(set(built.ways)) == len(built.ways)


@pytest.mark.parametrize(
    "texts",
    [
        ["coral"],
        ["coral reef"] * 50,
        ["", ""],
        ["…", "coral"],
        [f"one{number}" for number in range(30)],
        ["珊瑚 礁", "риф", "شعاب", "reef"] * 5,
    ],
)
def test_any_documents_make_a_valid_tree(texts: list[str]) -> None:
    built = build([MAKER.of({"text": text}) for text in texts], 4, 3, 5, 2)
    assert 1 <= len(built.ways) <= 4
    assert len(built.leaf_of) == len(texts)
    assert all(0 <= leaf < len(built.ways) for leaf in built.leaf_of)
    assert all(node.nearest for node in built.nodes)
    PageClasses.from_bytes(written(built.model)).likeliest({"text": "coral"})


def test_joining_is_wards() -> None:
    """On points of a line: near ones first, and light ones before heavy ones."""
    sums = np.array([[0.0], [1.0], [30.0], [14.0]])
    counts = np.array([1, 1, 3, 1])
    pairs = clusters.joined(sums, counts)
    assert pairs == [(0, 1), (2, 3), (0, 2)]
    assert clusters.cut(pairs, 4, 2) == [0, 0, 1, 1]
    assert clusters.cut(pairs, 4, 1) == [0, 0, 0, 0]
    assert clusters.cut(pairs, 4, 9) == [0, 1, 2, 3]


def test_a_step_without_a_sibling_is_no_step() -> None:
    assert shown_ways([(0, 0, 0)]) == {(0, 0, 0): ((0, 0, 0),)}
    found = shown_ways([(0, 0, 0), (0, 0, 1), (1, 1, 2)])
    assert found[(0, 0, 1)] == ((0,), (0, 0, 1))
    assert found[(1, 1, 2)] == ((1,),)


def test_names_are_words_that_people_use_and_each_is_another() -> None:
    words = telling(["the", "12", "coral", "x", "reef", "礁", "coral"], 5)
    assert words == ["coral", "reef", "礁"]
    told: dict[tuple[int, ...], list[str]] = {(0,): ["coral", "reef"], (1,): ["coral", "reef"]}
    found = names([(0,), (1,), (2,), (3,)], told, {(3,): "coral-reef"})
    assert found == {(0,): "coral-reef-2", (1,): "coral-reef-3", (2,): "other", (3,): "coral-reef"}


def test_a_part_with_mostly_the_same_documents_is_the_same_part() -> None:
    before = parts_before(["sea/fish"] * 4 + ["sea/coral"] * 3 + ["money"] * 5 + [""])
    assert before["sea"] == set(range(7))
    now = {
        "a": {0, 1, 2, 3, 12},
        "b": {4, 5, 6},
        "c": {7, 8},
        "d": {9, 10, 11},
        "all": set(range(7)),
    }
    assert matched(now, before) == {"a": "fish", "b": "coral", "d": "money", "all": "sea"}
