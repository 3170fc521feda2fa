"""Simhash, to the bit: the textbook's example, both forms of it, and what a small change does."""

from array import array
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.methods import simhash as module
from shoal.duplicates.methods.simhash import (
    MOST_BITS,
    NEAR,
    Features,
    distance,
    hash_bits,
    plain_fingerprint,
    signs,
    simhash,
    simhash_of,
    vector_of,
    weights_of,
)
from shoal.duplicates.methods.stop_words import STOP_WORDS
from shoal.duplicates.near.shingles import hash_word, words

SENTENCE = (
    "Tropical fish include fish found in tropical environments around the world, including both "
    "freshwater and salt water species."
)
BOOK_HASHES = {
    "tropical": "01100001",
    "fish": "10101011",
    "include": "11100110",
    "found": "00011110",
    "environments": "00101101",
    "around": "10001011",
    "world": "00101010",
    "including": "11000000",
    "both": "10101110",
    "freshwater": "00111111",
    "salt": "10110101",
    "water": "00100101",
    "species": "11101110",
}
HASHES = st.lists(st.integers(0, (1 << 64) - 1), max_size=40)
SIZES = st.integers(1, MOST_BITS // 8).map(lambda size: size * 8)
ALL_SIZES = pytest.mark.parametrize("bits", sorted(NEAR))

Fingerprint = Callable[["array[int] | bytes", "array[int] | bytes", int], bytes]


def book_hash(word: str, bits: int) -> bytes:
    return int(BOOK_HASHES[word], 2).to_bytes(bits // 8)


def prose(random: Random, count: int) -> list[str]:
    """Words of which some are common and most are rare."""
    return [f"word{int(20 * random.paretovariate(0.8))}" for _ in range(count)]


def edited(random: Random, text: list[str], changes: int) -> list[str]:
    result = list(text)
    for place in random.sample(range(len(result)), changes):
        result[place] = f"new{random.randrange(10**6)}"
    return result


class TestTheTextbooksExample:
    def test_words_and_weights(self) -> None:
        twice = {"tropical", "fish"}
        assert weights_of(SENTENCE) == {word: 1 + (word in twice) for word in BOOK_HASHES}

    def test_the_words_that_are_aside(self) -> None:
        assert set(words(SENTENCE)) - set(weights_of(SENTENCE)) == {"in", "the", "and"}

    def test_vector(self) -> None:
        assert vector_of(weights_of(SENTENCE), 8, book_hash) == [1, -5, 9, -9, 3, 1, 3, 3]

    def test_fingerprint(self) -> None:
        assert simhash_of(weights_of(SENTENCE), 8, book_hash) == bytes([0b10101111])


class TestBothForms:
    def test_the_native_form_is_here(self) -> None:
        """Or the tests below would hold the plain form against itself."""
        pytest.importorskip("shoal.duplicates.methods._simhash")
        assert module.fingerprint is not plain_fingerprint

    @given(HASHES, HASHES, SIZES, st.randoms())
    def test_are_one(self, hashes: list[int], aside: list[int], bits: int, random: Random) -> None:
        repeated = random.choices(hashes, k=3 * len(hashes)) if hashes else []
        counted = array("Q", hashes + repeated + aside[::2])
        left_out = array("Q", aside + hashes[::3])
        assert module.fingerprint(counted, left_out, bits) == plain_fingerprint(
            counted, left_out, bits
        )

    @given(st.binary(max_size=200), st.binary(max_size=40), SIZES)
    def test_take_bytes_of_any_length(self, hashes: bytes, aside: bytes, bits: int) -> None:
        forms: list[Fingerprint] = [module.fingerprint, plain_fingerprint]
        if len(hashes) % 8 or len(aside) % 8:
            for form in forms:
                with pytest.raises(ValueError, match=r"."):
                    form(hashes, aside, bits)
        else:
            assert len({form(hashes, aside, bits) for form in forms}) == 1

    def test_zero_is_a_hash_like_any_other(self) -> None:
        hashes, zero = array("Q", [0, 0, 0, 7]), array("Q", [0])
        for form in (module.fingerprint, plain_fingerprint):
            assert form(hashes, b"", 64) == form(zero, b"", 64) != form(hashes, zero, 64)

    def test_many_words(self) -> None:
        hashes = array("Q", [Random(3).getrandbits(64) % 50 for _ in range(70_000)])
        assert module.fingerprint(hashes, b"", 384) == plain_fingerprint(hashes, b"", 384)

    @pytest.mark.parametrize("bits", [-8, 0, 4, 65, MOST_BITS + 8, 1 << 40])
    def test_refuse_odd_sizes(self, bits: int) -> None:
        for form in (module.fingerprint, plain_fingerprint):
            with pytest.raises((ValueError, OverflowError)):
                form(b"", b"", bits)


class TestOfATextsWords:
    @ALL_SIZES
    def test_is_what_the_definition_says(self, bits: int) -> None:
        assert simhash(SENTENCE, bits) == simhash_of(weights_of(SENTENCE), bits)

    @given(st.text(max_size=300), st.sampled_from(sorted(NEAR)))
    def test_any_text(self, text: str, bits: int) -> None:
        assert simhash(text, bits) == simhash_of(weights_of(text), bits)

    def test_a_short_one_begins_a_long_one(self) -> None:
        assert simhash(SENTENCE, 384).startswith(simhash(SENTENCE, 64))

    def test_stop_words_and_order_do_not_matter(self) -> None:
        assert simhash("the salt and the water") == simhash("water of salt")

    def test_one_word_is_its_hash(self) -> None:
        assert simhash("Fish", 128) == hash_bits("fish", 128)

    @pytest.mark.parametrize("text", ["", "the and of", " \0 .,"])
    def test_nothing_is_zeros(self, text: str) -> None:
        assert simhash(text) == bytes(8)

    def test_is_the_same_in_every_release(self) -> None:
        """Fingerprints are stored: another hash would make them strangers to each other."""
        assert simhash(SENTENCE).hex() == "abcd032a8265993e"


class TestShingles:
    def test_order_matters(self) -> None:
        one = "salt water fish live in the sea"
        assert simhash(one, features="shingles") != simhash(
            " ".join(reversed(one.split())), features="shingles"
        )

    def test_of_one_word_are_words_with_stop_words(self) -> None:
        one, other = (simhash(text, 64, "shingles", 1) for text in ("salt", "salt and the and"))
        assert one != other

    def test_other_features_are_refused(self) -> None:
        with pytest.raises(ValueError, match="words or shingles"):
            simhash(SENTENCE, features="letters")  # type: ignore[arg-type]  # on purpose


class TestDistance:
    @ALL_SIZES
    @pytest.mark.parametrize("features", ["words", "shingles"])
    def test_a_few_changed_words_are_nearer_than_another_text(
        self, bits: int, features: Features
    ) -> None:
        random = Random(bits)
        for _ in range(20):
            text, other = prose(random, 600), prose(random, 600)
            near = edited(random, text, 6)
            ours, copys, others = (
                simhash(" ".join(each), bits, features) for each in (text, near, other)
            )
            assert distance(ours, copys) < distance(ours, others)

    @ALL_SIZES
    def test_strangers_differ_in_about_half(self, bits: int) -> None:
        random = Random(7)
        one, other = (
            simhash(" ".join(f"w{random.getrandbits(40)}" for _ in range(300)), bits)
            for _ in range(2)
        )
        assert abs(distance(one, other) - bits / 2) < 3 * bits**0.5

    @given(st.binary(min_size=8, max_size=8), st.sets(st.integers(0, 63)))
    def test_counts_bits(self, one: bytes, flipped: set[int]) -> None:
        other = int.from_bytes(one) ^ sum(1 << place for place in flipped)
        assert distance(one, other.to_bytes(8)) == len(flipped)

    def test_of_different_sizes(self) -> None:
        with pytest.raises(ValueError, match="different sizes"):
            distance(bytes(8), bytes(16))


class TestWeights:
    def test_a_tie_is_zero(self) -> None:
        assert simhash_of([(b"\xf0", 1.5), (b"\x0f", 1.5)], 8) == b"\0"

    def test_the_heavier_wins(self) -> None:
        assert simhash_of([(b"\xf0", 1.5), (b"\x0f", 1.25)], 8) == b"\xf0"

    def test_a_hash_of_another_size(self) -> None:
        with pytest.raises(ValueError, match="16 bits where 8"):
            simhash_of([(b"ab", 1)], 8)

    def test_signs_need_whole_bytes(self) -> None:
        with pytest.raises(ValueError, match="multiple of 8"):
            signs([1.0] * 7)


class TestStopWords:
    def test_are_words_as_they_are_cut(self) -> None:
        assert [word for word in STOP_WORDS if words(word) != [word]] == []

    def test_have_hashes_of_their_own(self) -> None:
        assert len({hash_word(word) for word in STOP_WORDS}) == len(STOP_WORDS)


def test_the_bits_that_may_differ() -> None:
    assert NEAR[64] == 3
    assert 384 - NEAR[384] > 372 >= 384 - NEAR[384] - 1
    shares = [NEAR[bits] / bits for bits in sorted(NEAR)]
    assert shares == sorted(shares, reverse=True)
