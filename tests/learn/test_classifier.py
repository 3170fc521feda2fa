"""Classes that are paths: what they are told by, how surely, and what is not given."""

import random
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from shoal.errors import DamagedError
from shoal.learn import page_classes
from shoal.learn.classifier import Classifier, taught
from shoal.learn.features import FeatureMaker, Features
from shoal.learn.page_classes import PageClasses, levels_of

MAKER = FeatureMaker()
WORDS = {
    "science/biology": ["cell", "gene", "species", "enzyme", "protein", "theory"],
    "science/physics": ["quark", "energy", "mass", "field", "photon", "theory"],
    "art/music": ["chord", "opera", "violin", "tempo", "song", "gallery"],
    "art/painting": ["canvas", "oil", "fresco", "portrait", "brush", "gallery"],
}
COMMON = [f"word{number}" for number in range(30)]


def drawn(
    count: int, seed: int, names: Sequence[str] = tuple(WORDS), noise: float = 0.15
) -> tuple[list[Features], list[list[str]]]:
    draw = random.Random(seed)
    examples, classes = [], []
    for number in range(count):
        name = names[number % len(names)]
        words = [
            draw.choice(WORDS[draw.choice(list(WORDS)) if draw.random() < noise else name])
            for _ in range(5)
        ]
        examples.append(MAKER.of({"text": " ".join(words + draw.choices(COMMON, k=10))}))
        classes.append([name])
    return examples, classes


@pytest.fixture(scope="module")
def model() -> Classifier:
    return taught(*drawn(240, 1))


def test_it_learns_classes(model: Classifier) -> None:
    examples, classes = drawn(200, 2)
    right = [
        model.likeliest(each).name == name[0] for each, name in zip(examples, classes, strict=True)
    ]
    assert sum(right) >= 185
    assert model.exclusive
    assert model.classes == sorted(WORDS)


def test_its_chances_come_true() -> None:
    model = taught(*drawn(400, 3, noise=0.35))
    examples, classes = drawn(600, 4, noise=0.35)
    told = [model.likeliest(each) for each in examples]
    right = np.array([each.name == name[0] for each, name in zip(told, classes, strict=True)])
    chances = np.array([each.chance for each in told])
    error = sum(
        abs(float((chances - right)[tenth].sum())) / len(told)
        for low in range(10)
        for tenth in [(chances * 10 >= low) & (chances * 10 < low + 1)]
    )
    assert 0.5 < right.mean() < 0.97
    assert error <= 0.06


def test_what_is_between_two_classes_gets_what_stands_above_them(model: Classifier) -> None:
    between = MAKER.of({"text": "cell gene quark energy theory"})
    assert [each.name for each in model.classify(between, accept=0.97)] == ["science"]
    clear = MAKER.of({"text": "cell gene species enzyme"})
    assert [each.name for each in model.classify(clear, accept=0.97)] == ["science/biology"]
    assert model.classify(MAKER.of({"text": "unheard of"}), accept=0.7) == []


def test_chances_of_all_classes_are_one(model: Classifier) -> None:
    chances = model.chances(drawn(20, 5)[0])
    assert np.allclose(chances.sum(axis=1), 1.0)
    above = model.with_above(chances[0])
    both = above["science/biology"] + above["science/physics"]
    assert above["science"] == pytest.approx(both)


def test_a_document_may_have_several_classes_or_none() -> None:
    draw = random.Random(6)
    examples, classes = [], []
    for _ in range(300):
        chosen = [name for name in WORDS if draw.random() < 0.35]
        words = [word for name in chosen for word in draw.sample(WORDS[name], 4)]
        examples.append(MAKER.of({"text": " ".join(words + draw.choices(COMMON, k=8))}))
        classes.append(chosen)
    model = taught(examples, classes)
    assert not model.exclusive
    both = MAKER.of({"text": "cell gene enzyme protein word1 canvas oil fresco brush word2"})
    assert {each.name for each in model.classify(both, accept=0.8)} == {
        "science/biology",
        "art/painting",
    }
    assert model.classify(MAKER.of({"text": "word1 word2 word3 word4"})) == []


def test_levels_are_those_that_differ_from_the_leaves() -> None:
    assert [level.names for level in levels_of(["a", "b"])] == [["a", "b"]]
    assert [level.names for level in levels_of(["a/x", "a/y", "b"])] == [
        ["a/x", "a/y", "b"],
        ["a", "b"],
    ]
    assert [level.names for level in levels_of(["a/x", "a/y"])] == [["a/x", "a/y"]]


def test_the_words_of_a_class_and_of_a_decision(model: Classifier) -> None:
    names = {
        key: word
        for name in WORDS
        for key, (_, word) in MAKER.names({"text": " ".join(WORDS[name])}).items()
    }
    strongest = {names.get(key) for key in model.strongest("science/biology", 4)}
    assert strongest <= set(WORDS["science/biology"])
    parts = {"text": "gene canvas"}
    said = dict(model.said(MAKER.of(parts), "science/biology"))
    told = {MAKER.names(parts)[key][1]: weight for key, weight in said.items()}
    assert told["gene"] > 0 > told["canvas"]
    assert dict(model.said(MAKER.of(parts), "art"))


def test_the_same_examples_give_the_same_bytes_and_these_the_same_model(
    model: Classifier,
) -> None:
    data = model.to_bytes()
    assert taught(*drawn(240, 1)).to_bytes() == data
    again = Classifier.from_bytes(data)
    examples = drawn(20, 7)[0]
    assert np.array_equal(again.chances(examples), model.chances(examples))
    for broken in (b"", data[:-1], data.replace(b"model 1", b"model 9", 1)):
        with pytest.raises(DamagedError):
            Classifier.from_bytes(broken)


@pytest.mark.parametrize(
    ("examples", "classes"),
    [
        (["cell"], [["a"]]),
        (["cell", "gene"], [["a"], ["a"]]),
        (["cell", "cell"], [["a"], ["b"]]),
        (["cell"] * 40, [["a"], ["b"]] * 20),
        ([""] * 12, [["a"], ["b/c"], []] * 4),
        (["…"] * 12, [["a"], ["b"]] * 6),
        (["細胞 細胞", "клетка", "κύτταρο", "خلية"] * 3, [["a"], ["b"], ["c"], ["d"]] * 3),
    ],
)
def test_odd_examples_make_a_valid_model(examples: list[str], classes: list[list[str]]) -> None:
    model = taught([MAKER.of({"text": text}) for text in examples], classes)
    chances = model.chances([MAKER.of({"text": text}) for text in (*examples, "else", "")])
    assert np.isfinite(chances).all()
    assert ((chances >= 0) & (chances <= 1)).all()
    assert Classifier.from_bytes(model.to_bytes()).classes == model.classes


def test_contradictions_are_not_believed() -> None:
    cell = MAKER.of({"text": "cell"})
    model = taught([cell] * 40, [["a"], ["b"]] * 20)
    assert model.chances([cell])[0] == pytest.approx([0.5, 0.5], abs=0.1)
    assert model.classify(cell, accept=0.7) == []


def test_nothing_is_learned_of_nothing() -> None:
    with pytest.raises(ValueError, match="no example has a class"):
        taught([], [])
    with pytest.raises(ValueError, match="no example has a class"):
        taught([MAKER.of({"text": "cell"})], [[]])


def test_what_is_of_one_folder_is_held_out_together() -> None:
    """Each folder repeats a word of its own: who holds out single pages is sure of all."""
    draw = random.Random(8)
    examples, classes, folders = [], [], []
    for _ in range(400):
        folder = draw.randrange(20)
        name = list(WORDS)[folder % 4] if draw.random() < 0.9 else draw.choice(list(WORDS))
        words = (
            [f"folder{folder}"] * 3
            + draw.choices(COMMON, k=6)
            + [draw.choice(WORDS[draw.choice([name, *WORDS])])]
        )
        examples.append(MAKER.of({"text": " ".join(words)}))
        classes.append([name])
        folders.append(f"{folder}")
    elsewhere = MAKER.of({"text": "folder99 word1 word2 word3 cell"})
    alone, together = taught(examples, classes), taught(examples, classes, folders)
    assert together.likeliest(elsewhere).chance < alone.likeliest(elsewhere).chance


@pytest.mark.parametrize("is_native", [True, False])
@pytest.mark.parametrize("several", [True, False])
def test_a_page_alone_is_told_the_same(
    is_native: bool, several: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_native:
        monkeypatch.setattr(page_classes, "_said", page_classes.plain_said)
    examples, classes = drawn(120, 9)
    if several:
        classes[0] = ["art/music", "science/physics"]
    model = taught(examples, classes)
    alone = PageClasses.from_bytes(model.to_bytes())
    for words in ("cell gene", "quark canvas", "", "nothing known", "energy " * 50):
        parts = {"text": words, "title": "gene"}
        expected = model.with_above(model.chances([MAKER.of(parts)])[0])
        assert alone.chances(parts) == pytest.approx(expected, abs=1e-3)
    assert alone.classify({"text": "cell gene enzyme"})[0].name == "science/biology"


def test_a_page_alone_needs_no_numpy() -> None:
    code = "import sys, shoal.learn.page_classes; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tables_that_do_not_fit_are_refused() -> None:
    said = pytest.importorskip("shoal.learn._learn").said
    four = bytes(4)
    for given in (
        (four, b"", four, four, (bytes(4),)),
        (four, four, four, b"", (bytes(4),)),
        (four, four, four, four, (bytes(3),)),
        (four, four, four, four, ("text",)),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            said(*given, 0.1)
    assert said(four, four, four, four, (), 0.1) == []
    assert said(b"", b"", b"", b"", (b"", b"\0\x3c"), 0.5) == [[], [0.5]]
