"""Steps of learning: the same in C and in Python, the same twice, and never beside an array."""

from typing import Any

import numpy as np
import pytest

from shoal.learn import steps
from shoal.learn.steps import FIRST_SQUARE, Examples
from shoal.learn.vocabulary import plain_columns

FEATURES, COUNT = 30, 40


def drawn(outputs: int) -> tuple[Examples, Any, Any, Any]:
    random = np.random.default_rng(outputs)
    lengths = random.integers(0, 8, COUNT)
    columns = np.concatenate(
        [random.choice(FEATURES, each, replace=False) for each in lengths]
    ).astype(np.uint32)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    examples = Examples(columns, random.random(len(columns)).astype(np.float32), offsets)
    targets = np.eye(outputs, dtype=np.float32)[random.integers(0, outputs, COUNT)]
    worth = random.random(COUNT).astype(np.float32)
    order = random.permutation(COUNT).astype(np.uint32)
    return examples, targets, worth, order


def arrays(outputs: int) -> tuple[Any, Any]:
    return (
        np.zeros((FEATURES, outputs), np.float32),
        np.full((FEATURES, outputs), FIRST_SQUARE, np.float32),
    )


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("outputs", [1, 2, 7])
def test_c_and_python_learn_alike(outputs: int, exclusive: bool) -> None:
    compiled = pytest.importorskip("shoal.learn._learn")
    examples, targets, worth, order = drawn(outputs)
    learned = []
    for function in (compiled.learn, steps.plain_learn):
        weights, squares = arrays(outputs)
        given = (*examples, targets, worth, order)
        function(weights, squares, *given, outputs, 0.5, 1e-3, exclusive)
        learned.append((weights, squares))
    assert np.allclose(learned[0][0], learned[1][0], atol=1e-4)
    assert np.allclose(learned[0][1], learned[1][1], atol=1e-4)
    assert np.abs(learned[0][0]).sum() > 0 or (exclusive and outputs == 1)
    found = [
        np.frombuffer(function(learned[0][0], *examples, outputs), np.float32)
        for function in (compiled.scores, steps.plain_scores)
    ]
    assert np.allclose(found[0], found[1], atol=1e-4)


def test_the_same_steps_give_the_same_bytes() -> None:
    examples, targets, worth, order = drawn(3)
    made = []
    for _ in range(2):
        weights, squares = arrays(3)
        steps.learn(
            weights,
            squares,
            examples,
            targets,
            worth,
            order,
            rate=0.5,
            l2=1e-4,
            exclusive=True,
        )
        made.append(weights.tobytes() + squares.tobytes())
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (0, np.full(1000, FEATURES, np.uint32)),
        (1, np.zeros(3, np.float32)),
        (2, np.array([0, 5, 2], np.uint32)),
        (2, np.array([0, 2**31], np.uint32)),
        (2, np.zeros(0, np.uint32)),
        (3, np.zeros(3, np.float32)),
        (4, np.zeros(3, np.float32)),
        (5, np.array([COUNT], np.uint32)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(place: int, wrong: Any) -> None:
    compiled = pytest.importorskip("shoal.learn._learn")
    examples, targets, worth, order = drawn(2)
    given = [*examples, targets, worth, order]
    given[place] = wrong
    if place == 0:
        given[1] = np.zeros(1000, np.float32)
    weights, squares = arrays(2)
    with pytest.raises(ValueError, match="do not fit"):
        compiled.learn(weights, squares, *given, 2, 0.5, 0.0, False)
    if place < 3:
        with pytest.raises(ValueError, match="do not fit"):
            compiled.scores(weights, *given[:3], 2)
    for outputs in (0, -1, 1 << 40):
        with pytest.raises(ValueError, match="do not fit"):
            compiled.learn(weights, squares, *given, outputs, 0.5, 0.0, False)


def test_c_and_python_find_the_same_columns() -> None:
    compiled = pytest.importorskip("shoal.learn._learn").columns
    random = np.random.default_rng(3)
    for count in (0, 1, 5, 3000):
        known = np.unique(random.integers(0, 1 << 32, count, np.uint32))
        keys = np.concatenate([known[::2], random.integers(0, 1 << 32, 50, np.uint32)])
        for some in (keys, keys[:0]):
            assert compiled(some, known) == plain_columns(some, known)
