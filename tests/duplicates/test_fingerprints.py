"""U2: n-grams, which of them are kept, and when two texts are near by them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.methods.fingerprints import (
    KEEPS,
    By,
    Decision,
    Fingerprinting,
    ngrams,
    winnow,
)
from shoal.duplicates.near.shingles import hash_word, mix, shingle_hashes, words
from shoal.errors import UsageError

# Croft, Metzler and Strohman, Search Engines, figure 3.14.
SENTENCE = (
    "Tropical fish include fish found in tropical environments around the world, including both "
    "freshwater and salt water species."
)
BOOK = {
    "tropical fish include": 938,
    "fish include fish": 664,
    "include fish found": 463,
    "fish found in": 822,
    "found in tropical": 492,
    "in tropical environments": 798,
    "tropical environments around": 78,
    "environments around the": 969,
    "around the world": 143,
    "the world including": 236,
    "world including both": 913,
    "including both freshwater": 908,
    "both freshwater and": 694,
    "freshwater and salt": 553,
    "and salt water": 870,
    "salt water species": 779,
}

TEXTS = st.text(alphabet="ab cÜ. 魚水ไ\n", max_size=60)
SETS = st.frozensets(st.integers(0, 20), max_size=12)


def of_the_book(gram: str) -> int:
    return BOOK[gram]


def test_the_tropical_fish_of_the_textbook() -> None:
    assert list(ngrams(SENTENCE, 3)) == list(BOOK)
    everything = Fingerprinting(n=3, hash_of=of_the_book)
    assert everything.fingerprints(SENTENCE) == list(BOOK.values())
    chosen = Fingerprinting(n=3, keep="mod", p=4, hash_of=of_the_book)
    assert chosen.fingerprints(SENTENCE) == [664, 492, 236, 908]


def test_the_tropical_fish_kept_in_other_ways() -> None:
    by_letter = Fingerprinting(n=3, keep="prefix", prefixes=("fish", "i"), hash_of=of_the_book)
    assert by_letter.fingerprints(SENTENCE) == [664, 463, 822, 798, 908]
    across_words = Fingerprinting(n=3, keep="prefix", prefixes=("tropical f",), hash_of=of_the_book)
    assert across_words.fingerprints(SENTENCE) == [938]
    apart = Fingerprinting(n=3, overlapping=False, hash_of=of_the_book)
    assert apart.fingerprints(SENTENCE) == [938, 822, 78, 236, 694, 779]
    winnowed = Fingerprinting(n=3, keep="winnow", window=4, hash_of=of_the_book)
    assert winnowed.fingerprints(SENTENCE) == [463, 78, 143, 236, 553]


def test_the_example_of_winnowing() -> None:
    """Schleimer, Wilkerson and Aiken, figure 2: hashes of 5-grams, windows of 4."""
    hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]
    assert winnow(hashes, 4) == [17, 17, 8, 39, 17]


@given(st.lists(st.integers(0, 6), max_size=40), st.integers(1, 9))
def test_winnowing_takes_the_rightmost_smallest_of_each_window(
    hashes: list[int], window: int
) -> None:
    places = []
    for start in range(max(1, len(hashes) - window + 1) if hashes else 0):
        inside = range(start, min(start + window, len(hashes)))
        places.append(min(inside, key=lambda at: (hashes[at], -at)))
    assert winnow(hashes, window) == [hashes[at] for at in sorted(set(places))]


@given(TEXTS, TEXTS, TEXTS)
def test_a_shared_run_is_seen_by_winnowing(shared: str, one: str, other: str) -> None:
    n, window = 2, 3
    making = Fingerprinting(n=n, keep="winnow", window=window)
    run = " ".join(words(shared))
    if len(shingle_hashes(run, n)) >= window and run.isascii():
        a, b = making.fingerprints(f"{one} {run} {other}"), making.fingerprints(f"{other} {run}")
        assert set(a) & set(b)


@given(TEXTS, st.integers(1, 4), st.booleans())
def test_ngrams_are_what_is_hashed(text: str, n: int, overlapping: bool) -> None:
    hashes = []
    for gram in ngrams(text, n, overlapping=overlapping):
        value = 0
        for word in gram.split(" "):
            value = (value * 0xD6E8FEB86659FD93 + hash_word(word)) % (1 << 64)
        hashes.append(mix(value))
    assert hashes == list(shingle_hashes(text, n, overlapping=overlapping))


@given(TEXTS, st.integers(1, 4), st.booleans(), st.sampled_from(KEEPS))
def test_what_is_kept(text: str, n: int, overlapping: bool, keep: str) -> None:
    making = Fingerprinting(n, overlapping, keep, p=3, prefixes=("a", "魚"), window=3)  # type: ignore[arg-type]  # one of KEEPS
    kept = making.fingerprints(text)
    everything = list(shingle_hashes(text, n, overlapping=overlapping))
    assert len(set(kept)) == len(kept)
    assert kept == sorted(kept, key=lambda value: _first_kept(making, everything, value))
    grams = list(ngrams(text, n, overlapping=overlapping))
    wanted = {
        "all": set(everything),
        "mod": {value for value in everything if value % 3 == 0},
        "prefix": {
            value for gram, value in zip(grams, everything, strict=True) if gram[0] in "a魚"
        },
        "winnow": set(winnow(everything, 3)),
    }
    assert set(kept) == wanted[keep]


def _first_kept(making: Fingerprinting, everything: list[int], value: int) -> int:
    return (winnow(everything, 3) if making.keep == "winnow" else everything).index(value)


def test_few_words_and_none() -> None:
    assert Fingerprinting().fingerprints("") == Fingerprinting().fingerprints(" … ") == []
    assert len(Fingerprinting().fingerprints("two words")) == 1
    assert len(Fingerprinting(keep="winnow", window=100).fingerprints(SENTENCE)) == 1


def test_a_hash_has_64_bits_and_is_always_the_same() -> None:
    kept = Fingerprinting().fingerprints(SENTENCE)
    assert kept == Fingerprinting().fingerprints(SENTENCE.upper().replace(" ", "\n\n"))
    assert len(kept) == len(words(SENTENCE)) - 4
    assert 60 < max(value.bit_length() for value in kept) <= 64


def test_settings_are_told_apart_by_what_they_make() -> None:
    made = [
        Fingerprinting(),
        Fingerprinting(n=3),
        Fingerprinting(overlapping=False),
        Fingerprinting(keep="mod", p=8),
        Fingerprinting(keep="winnow", window=8),
        Fingerprinting(keep="prefix", prefixes=("a", "b")),
        Fingerprinting(hash_of=of_the_book),
    ]
    assert len({making.label for making in made}) == len(made)
    assert Fingerprinting(p=9, window=9).label == Fingerprinting().label
    swapped = Fingerprinting(keep="prefix", prefixes=("b", "a"))
    assert swapped.label == made[5].label


@pytest.mark.parametrize(
    "wrong",
    [
        {"n": 0},
        {"n": 65},
        {"keep": "some"},
        {"keep": "mod", "p": 0},
        {"keep": "prefix"},
        {"keep": "prefix", "prefixes": ("a", "")},
        {"keep": "winnow", "window": 0},
    ],
)
def test_settings_that_can_not_be(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Fingerprinting(**wrong)  # type: ignore[arg-type]  # on purpose


@pytest.mark.parametrize(
    ("by", "score"),
    [("count", 2), ("resemblance", 2 / 6), ("containment", 2 / 5), ("overlap", 2 / 3)],
)
def test_decisions(by: By, score: float) -> None:
    a, b = [1, 2, 3, 4, 5], [4, 5, 6]
    assert Decision(by, 0).score(a, b) == score
    assert Decision(by, score).near(a, b)
    above = score + (1 if by == "count" else 0.01)
    assert not Decision(by, above).near(a, b)


def test_containment_has_a_direction() -> None:
    assert Decision("containment").score([1, 2], [1, 2, 3, 4]) == 1
    assert Decision("containment").score([1, 2, 3, 4], [1, 2]) == 0.5


@pytest.mark.parametrize("by", ["count", "resemblance", "containment", "overlap"])
def test_what_shares_nothing_is_never_near(by: By) -> None:
    decision = Decision(by, 0)
    assert not decision.near([], [])
    assert not decision.near([1], [])
    assert not decision.near([], [1])
    assert not decision.near([1], [2])
    assert decision.near([1], [1, 2])


@pytest.mark.parametrize(
    ("by", "at_least"),
    [("size", 0.5), ("resemblance", 1.1), ("overlap", -0.1), ("count", float("nan"))],
)
def test_decisions_that_can_not_be(by: By, at_least: float) -> None:
    with pytest.raises(UsageError):
        Decision(by, at_least)


@given(SETS, SETS, st.sampled_from(["count", "resemblance", "containment", "overlap"]), st.data())
def test_near_ones_share_at_least_what_is_said(
    a: frozenset[int], b: frozenset[int], by: By, data: st.DataObject
) -> None:
    levels = st.integers(0, 12).map(float) if by == "count" else st.integers(0, 20).map(_twentieth)
    decision = Decision(by, data.draw(levels))
    if decision.near(a, b):
        assert len(a & b) >= decision.least_shared(len(a)) >= 1
    exact = Decision(by, decision.score(a, b))
    assert exact.near(a, b) is bool(a & b)
    assert len(a & b) >= exact.least_shared(len(a)) or not a & b


def _twentieth(number: int) -> float:
    return number / 20
