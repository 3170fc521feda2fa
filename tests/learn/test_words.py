"""Words as numbers: the same in C and in Python, and told from the document again."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.learn.features import FeatureMaker
from shoal.learn.words import MOST_CHARS, WordCounter, hashes_of, named, plain_count

TEXTS = st.text(max_size=200) | st.text(
    alphabet="aZ9é日本ไท한글 '-_.\u0301\u200d٣ß\u3000\ud800\x00", max_size=80
)


def keys_of(text: str, seed: int = 7, *, pairs: bool = False) -> set[int]:
    keys = WordCounter().count(((text, seed, 1.0),), pairs=pairs)[0]
    return {int(key) for key in np.frombuffer(keys, np.uint32)}


@given(TEXTS, st.integers(0, 2**32 - 1), st.booleans())
@example("naïve " * 70 + "x" * 100, 0, True)
@example("a-b a b " * 700, 3, True)
def test_c_and_python_count_alike(text: str, seed: int, pairs: bool) -> None:
    compiled = pytest.importorskip("shoal.learn._learn").count
    parts = ((text, seed, 1.0), ("a b " + text, seed ^ 1, 0.5))
    plain = plain_count(parts, pairs, hashes_of, {})
    keys, values = compiled(parts, pairs, hashes_of, {})
    assert keys == plain[0]
    assert np.allclose(np.frombuffer(values, np.float32), np.frombuffer(plain[1], np.float32))


@given(TEXTS, st.booleans())
def test_each_key_has_its_word_in_the_document(text: str, pairs: bool) -> None:
    names = dict(named(text, 7, pairs=pairs))
    assert set(names) == keys_of(text, pairs=pairs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Coral, REEF!", "coral reef"),
        ("ÜBER", "über"),
        ("e\u0301te\u0301", "été"),
        ("Ελλάδα", "ελλάδα"),
    ],
)
def test_one_word_has_one_number(one: str, other: str) -> None:
    assert keys_of(one) == keys_of(other)


def test_a_word_of_the_title_is_another_than_one_of_the_text() -> None:
    maker = FeatureMaker()
    title, text = maker.of({"title": "coral"}), maker.of({"text": "coral"})
    assert title.keys[0] != text.keys[0]


def test_pairs_know_the_order_of_words() -> None:
    assert keys_of("coral reef", pairs=True) != keys_of("reef coral", pairs=True)
    assert keys_of("coral reef") == keys_of("reef coral")


def test_a_long_text_is_cut_and_an_empty_one_has_nothing() -> None:
    maker = FeatureMaker()
    assert len(maker.of({"text": "", "title": "…"}).keys) == 0
    endless = maker.of({"text": "a " * MOST_CHARS})
    assert endless.values[0] == pytest.approx(1 + np.log(MOST_CHARS / 2))


def test_numbers_that_are_none_are_left_out() -> None:
    made = FeatureMaker().of({}, {"depth": 0.5, "odd": float("nan"), "far": float("inf")})
    assert made.numbers == 1
    assert list(made.values) == [0.5]


def test_what_makes_hashes_may_fail() -> None:
    compiled = pytest.importorskip("shoal.learn._learn").count

    def failing(_: str) -> bytes:
        raise KeyError("no")

    with pytest.raises(KeyError):
        compiled((("naïve", 0, 1.0),), True, failing, {})
    for parts in ((("naïve", 0, 1.0),), ("naïve",), (("naïve", "0", 1.0),)):
        with pytest.raises(TypeError):
            compiled(parts, True, lambda _: "text", {})
