"""`shoal.dedupe`: near-duplicates in any iterable of texts."""

from collections.abc import Iterator
from random import Random

import pytest

import shoal
from shoal.duplicates.methods.fingerprints import Decision, Fingerprinting
from shoal.errors import UsageError
from shoal.files.deduping import METHODS, Method


def prose(seed: int, words: int = 150) -> list[str]:
    draw = Random(seed)
    return [f"w{draw.randrange(4000)}" for _ in range(words)]


def edited(words: list[str], share: float, seed: int) -> str:
    draw, copy = Random(seed), list(words)
    for place in draw.sample(range(len(copy)), int(len(copy) * share)):
        copy[place] = f"new{draw.randrange(9999)}"
    return " ".join(copy)


@pytest.fixture
def texts() -> list[str]:
    """Ten texts, then a copy of each of the first five with one word in a hundred changed."""
    originals = [prose(seed, 300) for seed in range(10)]
    copies = [edited(words, 0.01, seed) for seed, words in enumerate(originals[:5])]
    return [" ".join(words) for words in originals] + copies


@pytest.mark.parametrize("method", METHODS)
def test_copies_are_found_and_others_are_not(texts: list[str], method: Method) -> None:
    found = shoal.dedupe(texts, method=method)
    assert found.groups == [[each, each + 10] for each in range(5)]
    assert found.kept == list(range(10))
    assert found.duplicate_of == {each + 10: each for each in range(5)}
    assert found.texts == 15
    for a, b, alike in found.pairs:
        assert b == a + 10
        assert 0.5 <= alike <= 1


def test_up_to_a_twentieth_of_the_words_may_be_changed_at_scattered_places() -> None:
    originals = [prose(seed) for seed in range(40)]
    copies = [edited(words, 0.05, seed) for seed, words in enumerate(originals)]
    found = shoal.dedupe([*map(" ".join, originals), *copies])
    assert len(found.groups) >= 39


def test_two_texts_of_one_template_are_two() -> None:
    template = prose(1, 120)
    pages = [" ".join(template + prose(seed, 80)) for seed in range(2, 40)]
    assert shoal.dedupe(pages).groups == []


def test_texts_are_read_once_and_one_at_a_time() -> None:
    asked = []

    def stream() -> Iterator[str]:
        for number in range(50):
            asked.append(number)
            yield " ".join(prose(number % 25))

    found = shoal.dedupe(stream())
    assert asked == list(range(50))
    assert found.groups == [[each, each + 25] for each in range(25)]


@pytest.mark.parametrize("method", METHODS)
def test_nothing_and_empty_texts_are_near_nothing(method: Method) -> None:
    assert shoal.dedupe([], method=method).groups == []
    assert shoal.dedupe(["", "", "…", "…"], method=method).groups == []


@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_few_words_are_near_only_the_same_words(n: int) -> None:
    texts = ["Page 1 of 3. Next", "Page 2 of 3. Next", "page 1 of 3 – next", "", "Other", "…"]
    assert shoal.dedupe(texts, n=n).groups == [[0, 2]]


@pytest.mark.parametrize("bits", [64, 128, 256, 384])
def test_simhashes_of_all_sizes(texts: list[str], bits: int) -> None:
    found = shoal.dedupe(texts, method="simhash", bits=bits, differing=bits // 16)
    assert {(a, b) for a, b, _ in found.pairs} >= {(each, each + 10) for each in range(5)}


def test_a_higher_resemblance_finds_less(texts: list[str]) -> None:
    assert shoal.dedupe(texts, resemblance=0.999).groups == []
    assert shoal.dedupe(texts, resemblance=0.5, n=5).groups != []


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "best"},
        {"resemblance": 0},
        {"resemblance": 1.5},
        {"method": "simhash", "bits": 65},
        {"method": "simhash", "differing": 64},
        {"n": 0},
        {"n": 65},
        {"bits": 128},
        {"decision": Decision()},
        {"method": "simhash", "fingerprinting": Fingerprinting()},
    ],
)
def test_what_is_wrong_is_said(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        shoal.dedupe(["a text"], **wrong)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("fingerprinting", "decision"),
    [
        (Fingerprinting(keep="mod", p=4), Decision("containment", 0.6)),
        (Fingerprinting(keep="winnow", window=4), Decision("resemblance", 0.6)),
        (Fingerprinting(n=4, keep="prefix", prefixes=("w1", "w2")), Decision("count", 20)),
        (Fingerprinting(n=2, overlapping=True), Decision("overlap", 0.6)),
    ],
)
def test_fingerprints_of_all_kinds(
    texts: list[str], fingerprinting: Fingerprinting, decision: Decision
) -> None:
    found = shoal.dedupe(
        texts, method="fingerprints", fingerprinting=fingerprinting, decision=decision
    )
    assert found.groups == [[each, each + 10] for each in range(5)]


def test_what_is_no_text_is_named() -> None:
    with pytest.raises(UsageError, match="number 1 is none, but bytes"):
        shoal.dedupe(["a text", b"another"])  # type: ignore[list-item]  # wrong on purpose
    with pytest.raises(UsageError, match="one text"):
        shoal.dedupe("one text")
