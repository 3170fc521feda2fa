"""The textbook's exercise: what the sizes of fingerprints are worth."""

import random
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.duplicates import SAME_SITE
from shoal.duplicates.methods.accuracy import Exercise, Pair, Row, accuracy, score, true_pairs
from shoal.duplicates.methods.fingerprints import Fingerprinting
from shoal.duplicates.methods.simhash import NEAR, distance, simhash
from shoal.duplicates.near.shingles import shingle_hashes
from shoal.duplicates.near.sketch import plain_fingerprint
from shoal.duplicates.near.sketch import resemblance as alike_by_sketch
from shoal.errors import UsageError

SMALL = st.lists(
    st.lists(st.sampled_from(["cod", "eel", "gar", "ray", "the"]), max_size=12).map(" ".join),
    min_size=1,
    max_size=8,
)
SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


def resemblance(a: set[int], b: set[int]) -> float:
    return len(a & b) / len(a | b) if a & b else 0.0


def corpus(copies: int = 20, others: int = 40) -> tuple[list[str], set[Pair]]:
    """Copies with a few words changed stand beside their originals."""
    chance = random.Random(6)
    vocabulary = [f"word{number}" for number in range(3000)]
    texts = [" ".join(chance.choices(vocabulary, k=150)) for _ in range(copies + others)]
    for place in range(0, 2 * copies, 2):
        words = texts[place].split()
        for at in chance.sample(range(150), 3 + place % 9):
            words[at] = chance.choice(vocabulary)
        texts.insert(place + 1, " ".join(words))
    return texts, {(place, place + 1) for place in range(0, 2 * copies, 2)}


@given(SMALL, SHARES)
def test_the_truth_is_that_of_all_pairs(texts: list[str], at_least: float) -> None:
    sets = [set(shingle_hashes(text, 3)) for text in texts]
    wanted = {
        (i, j)
        for i, j in combinations(range(len(texts)), 2)
        if sets[i] & sets[j] and resemblance(sets[i], sets[j]) >= at_least
    }
    assert true_pairs(texts, at_least) == wanted


def by_hand(
    distances: dict[Pair, float], truth: set[Pair], cut: float
) -> tuple[float, float, float]:
    found = {pair for pair, far in distances.items() if far <= cut}
    return score(len(found & truth), len(found), len(truth))


def agree(rows: list[Row], distances: dict[Pair, float], truth: set[Pair], default: float) -> None:
    best, at_default = rows
    assert (best.cut, at_default.cut) == ("best", "default")
    assert at_default[-3:] == by_hand(distances, truth, default)
    cuts = [-1.0, *distances.values()]
    assert best.f1 == max(by_hand(distances, truth, cut)[2] for cut in cuts)


@given(SMALL, st.data())
def test_scores_are_those_of_all_pairs(texts: list[str], data: st.DataObject) -> None:
    pairs = list(combinations(range(len(texts)), 2))
    truth = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    exercise = Exercise(bits=(64, 128), p=(1, 2), n=2, values=(2, 4))
    rows = accuracy(iter(texts), {(j, i) for i, j in truth}, exercise)
    for number, bits in enumerate(exercise.bits):
        prints = [simhash(text, bits) for text in texts]
        said = {(i, j) for i, j in pairs if any(prints[i]) and any(prints[j])}
        far: dict[Pair, float] = {(i, j): distance(prints[i], prints[j]) for i, j in said}
        agree(rows[2 * number : 2 * number + 2], far, truth, NEAR[bits])
    for number, p in enumerate(exercise.p, start=2):
        making = Fingerprinting(2, keep="mod", p=p)
        kept = [set(making.fingerprints(text)) for text in texts]
        far = {(i, j): 1 - resemblance(kept[i], kept[j]) for i, j in pairs if kept[i] & kept[j]}
        agree(rows[2 * number : 2 * number + 2], far, truth, 0.5)
    for number, most in enumerate(exercise.values, start=4):
        sketches = [plain_fingerprint(text, 3, most, 0).sketch for text in texts]
        alike = {(i, j): alike_by_sketch(sketches[i], sketches[j]) for i, j in pairs}
        # The cut is rounded where one minus it is not: the distance that is compared is, too.
        far = {pair: round(1 - each, 9) for pair, each in alike.items() if each}
        agree(rows[2 * number : 2 * number + 2], far, truth, 0.35)


def test_a_row_for_each_size_at_both_cuts() -> None:
    texts, truth = corpus()
    rows = accuracy(texts, truth)
    assert [(row.method, row.setting, row.cut) for row in rows] == [
        (method, setting, cut)
        for method, settings in (
            ("simhash", ["64 bits", "128 bits", "256 bits", "384 bits"]),
            ("n-grams", [f"0 mod {p}" for p in (1, 2, 4, 8, 16, 32, 64)]),
            ("sketch", [f"{most} values" for most in (16, 32, 64, 128, 256)]),
        )
        for setting in settings
        for cut in ("best", "default")
    ]
    by_setting = {(row.setting, row.cut): row for row in rows}
    assert by_setting["384 bits", "best"].size_bytes == 48
    assert by_setting["0 mod 1", "best"].size_bytes == pytest.approx(8 * 146, rel=0.01)
    halved = by_setting["0 mod 2", "best"].size_bytes / by_setting["0 mod 1", "best"].size_bytes
    assert halved == pytest.approx(0.5, rel=0.1)
    assert by_setting["256 values", "best"].size_bytes == pytest.approx(4 + 4 * 148, rel=0.01)
    assert 4 + 4 * 8 <= by_setting["16 values", "best"].size_bytes <= 4 + 4 * 16
    assert by_setting["64 values", "default"].at == SAME_SITE


def test_more_bytes_find_more() -> None:
    texts, truth = corpus()
    rows = {(row.setting, row.cut): row for row in accuracy(texts, truth)}
    assert rows["0 mod 1", "default"].f1 >= 0.95
    assert rows["0 mod 64", "best"].f1 < rows["0 mod 1", "best"].f1
    assert rows["384 bits", "best"].f1 >= rows["64 bits", "best"].f1
    assert rows["64 bits", "default"].precision == 1.0
    assert rows["256 values", "default"].f1 >= 0.95


def test_a_best_cut_can_be_used_as_one() -> None:
    texts, truth = corpus()
    exercise = Exercise(bits=(64,), p=(2,), values=())
    by_bits, _, by_grams, _ = accuracy(texts, truth, exercise)
    pairs = list(combinations(range(len(texts)), 2))
    prints = [simhash(text, 64) for text in texts]
    found = {(i, j) for i, j in pairs if distance(prints[i], prints[j]) <= by_bits.at}
    assert by_bits[-3:] == score(len(found & truth), len(found), len(truth))
    making = Fingerprinting(keep="mod", p=2)
    kept = [set(making.fingerprints(text)) for text in texts]
    found = {(i, j) for i, j in pairs if resemblance(kept[i], kept[j]) >= by_grams.at}
    assert by_grams[-3:] == score(len(found & truth), len(found), len(truth))


def test_of_equal_cuts_the_strictest_is_the_best() -> None:
    """One of two pairs is found at .5; at .333 both are, and two wrong ones. F1 is 2/3 each."""
    texts = ["b c d", "b c e", "f g h i", "f g j k", "f g l m"]
    *_, best, _ = accuracy(texts, {(0, 1), (2, 3)}, Exercise(bits=(64,), p=(1,), n=1, values=()))
    assert (best.at, best.precision, best.recall) == (0.5, 1.0, 0.5)
    assert best.f1 == score(2, 4, 2).f1


def test_without_a_truth_the_resemblance_of_shingles_is_one() -> None:
    texts, truth = corpus()
    exercise = Exercise(bits=(64,), p=(1,))
    assert true_pairs(texts) == truth
    assert accuracy(texts, None, exercise) == accuracy(texts, truth, exercise)


def test_the_sample_is_bounded() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "the same words again and again"

    exercise = Exercise(bits=(64,), p=(1,), values=(16,), most_texts=5)
    rows = accuracy(endless(), {(0, 1), (3, 7)}, exercise)
    assert [row.recall for row in rows] == [1.0] * 6  # (3, 7) is not in the sample
    assert rows[0].precision == 1 / 10


def test_empty_texts_are_near_to_nothing() -> None:
    rows = accuracy(["", "", "…"], {(0, 1)}, Exercise(bits=(64,), p=(1,), values=(16,)))
    assert {(row.precision, row.recall, row.f1) for row in rows} == {(1.0, 0.0, 0.0)}
    assert len(accuracy([], None, Exercise(bits=(64,), p=(1,), values=(16,)))) == 6


def test_sizes_that_no_one_knows() -> None:
    with pytest.raises(UsageError, match="not 65"):
        Exercise(bits=(64, 65))
    with pytest.raises(UsageError, match="1 value or more"):
        Exercise(values=(0,))
