"""Words, shingles and sketches: the part in C does what the one in Python says."""

from array import array
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.duplicates import native
from shoal.duplicates.near import shingles, sketch

TEXTS = st.text(max_size=300) | st.lists(
    st.sampled_from(["fish", "Fish", "reef", "CORAL", "é", "中文", "हिन्दी", "ไทย", "12", "—"]),
    max_size=80,
).map(" ".join)
STORY = (
    "Clownfish live among the tentacles of sea anemones, which sting others and spare them. "
    "They leave at dawn and come home before the tide turns."
)


def test_it_was_compiled() -> None:
    assert native.prints is not None, "run: pip install -e . with a compiler at hand"


def test_words_are_runs_of_letters_and_digits_in_lower_case() -> None:
    found = shingles.words("Fish's 2nd REEF—coral, Ünïcode İstanbul; 中文 हिन्दी।ไทย")
    assert found == [
        *("fish", "s", "2nd", "reef", "coral", "ünïcode", "istanbul"),
        *("中", "文", "हिन्दी", "ไ", "ท", "ย"),
    ]


@given(TEXTS)
def test_words_have_the_hashes_that_are_defined(text: str) -> None:
    expected = array("Q", map(shingles.hash_word, shingles.words(text)))
    assert shingles.word_hashes(text) == expected


@given(TEXTS, st.integers(1, 8), st.booleans())
def test_shingles_have_the_hashes_that_are_defined(text: str, n: int, overlapping: bool) -> None:
    expected = array("Q", shingles.plain_shingle_hashes(text, n, overlapping))
    assert shingles.shingle_hashes(text, n, overlapping=overlapping) == expected


@given(TEXTS, st.integers(1, 5), st.integers(1, 40), st.integers(0, 16))
@example(" ".join(map(str, range(1030))), 3, 256, 16)  # a level rises at a value beyond it
def test_sketches_are_those_that_are_defined(text: str, n: int, most: int, minhashes: int) -> None:
    minhashes = min(minhashes, most)
    assert sketch.fingerprint(text, n, most, minhashes) == sketch.plain_fingerprint(
        text, n, most, minhashes
    )


@given(TEXTS, TEXTS, st.integers(1, 30), st.integers(1, 30))
def test_overlap_is_the_one_that_is_defined(a: str, b: str, most_a: int, most_b: int) -> None:
    ours, theirs = (
        sketch.fingerprint(a, 2, most_a, 0).sketch,
        sketch.fingerprint(b, 2, most_b, 0).sketch,
    )
    assert sketch.overlap(ours, theirs) == sketch.plain_overlap(ours, theirs)


@given(TEXTS, TEXTS)
def test_a_sketch_of_all_shingles_gives_the_true_resemblance(a: str, b: str) -> None:
    ours, theirs = ({*shingles.shingle_hashes(text, 3)} for text in (a, b))
    expected = len(ours & theirs) / len(ours | theirs) if ours | theirs else 0
    found = sketch.resemblance(sketch.sketch(a), sketch.sketch(b))
    assert found == pytest.approx(expected)


def test_shingles_that_do_not_overlap_stand_side_by_side() -> None:
    text = "one two three four five six seven"
    apart = shingles.shingle_hashes(text, 3, overlapping=False)
    overlapping = shingles.shingle_hashes(text, 3)
    assert list(apart) == [overlapping[0], overlapping[3]]


def test_a_text_of_fewer_words_is_one_shingle() -> None:
    assert len(shingles.shingle_hashes("one two", 5)) == 1
    assert len(shingles.shingle_hashes("…", 5)) == 0


def test_characters_without_spaces_take_half_the_room_of_a_word() -> None:
    assert (
        len(shingles.shingle_hashes("海水鱼生活在珊瑚礁", 3)) == 4
    )  # nine characters, six in each


def test_a_sample_of_a_long_text_tells_its_resemblance_and_containment() -> None:
    draw = Random(6)
    words = [f"word{draw.randrange(3000)}" for _ in range(20_000)]
    long, other = " ".join(words), " ".join(words[:15_000] + words[:5000][::-1])
    true_ours, true_theirs = ({*shingles.shingle_hashes(text, 3)} for text in (long, other))
    ours, theirs = sketch.sketch(long), sketch.sketch(other)
    assert len(ours) <= 4 + 4 * sketch.MOST_VALUES
    true = len(true_ours & true_theirs) / len(true_ours | true_theirs)
    assert sketch.resemblance(ours, theirs) == pytest.approx(true, abs=0.12)
    part = sketch.sketch(" ".join(words[:500]))
    assert sketch.containment(part, ours) > 0.99
    assert sketch.resemblance(part, ours) < 0.2
    assert sketch.size(ours) == pytest.approx(len(true_ours), rel=0.25)


def test_marks_are_the_whole_hashes_of_the_smallest_values() -> None:
    found = sketch.fingerprint(STORY)
    hashes = {value & 0xFFFFFFFF: value for value in shingles.shingle_hashes(STORY, 3)}
    smallest = [hashes[low] for low in sorted(hashes)[: sketch.MINHASHES]]
    expected = b"".join(
        (value & 0xFFFFFFFF).to_bytes(4, "big") + (value >> 32).to_bytes(4, "big")
        for value in smallest
    )
    assert found.minhashes == expected


@pytest.mark.parametrize("bad", [b"", b"abc", b"\x20\x03\x00\x00", b"\x00\x03\x00\x00\x01"])
def test_what_is_no_sketch_is_refused(bad: bytes) -> None:
    good = sketch.sketch(STORY)
    for compare in (sketch.overlap, sketch.plain_overlap):
        with pytest.raises(ValueError, match="sketch"):
            compare(good, bad)
        with pytest.raises(ValueError, match="different lengths"):
            compare(good, sketch.sketch(STORY, n=5))


def test_what_can_not_be_made_is_refused() -> None:
    for n, most, minhashes in ((0, 256, 16), (65, 256, 16), (3, 0, 0), (3, 8, 9), (3, 8, -1)):
        with pytest.raises(ValueError, match=r"sketch|shingle"):
            sketch.fingerprint(STORY, n, most, minhashes)
    with pytest.raises(ValueError, match="shingle"):
        shingles.shingle_hashes(STORY, 0)


def test_the_source_is_beside_the_module() -> None:
    assert native.prints is not None
    assert (Path(str(native.prints.__file__)).parent / "_prints.c").exists()
