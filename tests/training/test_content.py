"""The training of method `model`: its labels, and a file that the compiled module reads."""

import math
import random
import struct

import pytest

from training.content.alignment import in_common

native = pytest.importorskip("shoal.cleaners._content", reason="no compiled module")

from training.content.examples import Example  # noqa: E402 (needs the compiled module)
from training.content.file_format import (  # noqa: E402
    ContentModel,
    Lexicon,
    Split,
    Tree,
    float32_down,
)
from training.content.labels import (  # noqa: E402
    UNKNOWN,
    shares_by_gold,
    shares_by_phrases,
    text_of,
    words_of,
)
from training.content.pieces import (  # noqa: E402
    ELEMENT_BUCKETS,
    WORD_BUCKETS,
    buckets,
    feature_names,
    ranges,
)

PAGE = "<body><p>one two three</p><div class=promo>four five</div><p>six</p></body>"
NAMES = feature_names()
SAYS_NOTHING = Lexicon([0] * ELEMENT_BUCKETS, [0] * WORD_BUCKETS, 1.0, 1.0)
BY_LENGTH = Tree(
    [Split(2, NAMES.index("words"), 1, -3), Split(1, NAMES.index("words"), -1, -2)],
    [-2.0, 0.5, 3.0],
)


def model(*trees: Tree, features: int = len(NAMES), lexicon: Lexicon = SAYS_NOTHING) -> bytes:
    return ContentModel(features, 1.3, 15, lexicon, list(trees)).packed()


def shade(odds: float) -> int:
    """Of a likelihood, in a page that is too short for a frame: the cut is 0."""
    return int(128 + 127 / (1 + math.exp(-odds)))


def test_trees_add_up_to_a_likelihood_for_each_piece() -> None:
    alone = Tree([], [0.25])
    places, shades, _ = native.Model(model(BY_LENGTH, alone)).content(PAGE)
    assert list(shades) == [shade(3.25), shade(0.75), shade(-1.75)]
    assert struct.unpack("<6i", places) == tuple(place for pair in ranges(PAGE) for place in pair)


def test_weights_of_words_and_names_come_from_the_lexicon() -> None:
    (own, _), (_, around), _ = buckets(PAGE)
    elements, words = [0] * ELEMENT_BUCKETS, [0] * WORD_BUCKETS
    words[own[0]] = 100
    only_there = set(around) - set(buckets("<body><p>a</p><div>b</div></body>")[1][1])
    elements[only_there.pop()] = -50
    lexicon = Lexicon(elements, words, element_scale=0.5, word_scale=0.01)
    trees = [
        Tree([Split(0.999, NAMES.index("word weights"), -1, -2)], [0.0, 1.0]),
        Tree([Split(-24.999, NAMES.index("total weight"), -1, -2)], [2.0, 0.0]),
    ]
    shades = native.Model(model(*trees, lexicon=lexicon)).content(PAGE)[1]
    assert list(shades) == [shade(1), shade(2), shade(0)]


@pytest.mark.parametrize(
    "split",
    [
        Split(1, len(NAMES), -1, -2),
        Split(1, 0, 0, -2),
        Split(1, 0, 1, -2),
        Split(1, 0, -1, -3),
        Split(1, 0, -4, -1),
    ],
    ids=["no such feature", "itself below it", "no such split", "no such leaf", "nor this one"],
)
def test_a_tree_that_leads_astray_is_refused(split: Split) -> None:
    native.Model(model(Tree([Split(1, 0, -1, -2)], [0.0, 1.0])))
    with pytest.raises(ValueError, match="damaged"):
        native.Model(model(Tree([split], [0.0, 1.0])))


def test_a_tree_has_one_leaf_more_than_splits() -> None:
    for leaves in ([], [0.0], [0.0, 1.0, 2.0]):
        with pytest.raises(ValueError, match="damaged"):
            native.Model(model(Tree([Split(1, 0, -1, -1)], leaves)))


def test_a_file_that_is_cut_off_is_refused() -> None:
    whole = model(BY_LENGTH, BY_LENGTH)
    forest = len(whole) - (16 + 2 * 12 + 4 * 12 + 6 * 4)
    for size in [0, 7, 8, 16, 31, 32, 5000, *range(forest - 1, len(whole))]:
        with pytest.raises(ValueError, match="damaged"):
            native.Model(whole[:size])


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, b"shoal"), (8, b"\0\0\0\0"), (8, b"\xff\xff\xff\x7f"), (12, b"\0\0\0\0"), (12, b"\3")],
    ids=["magic", "no features", "too many", "no forest", "too many forests"],
)
def test_a_file_with_another_head_is_refused(place: int, value: bytes) -> None:
    data = bytearray(model(BY_LENGTH))
    data[place : place + len(value)] = value
    with pytest.raises(ValueError, match="damaged"):
        native.Model(bytes(data))


def test_a_model_for_other_features_is_refused_when_it_reads() -> None:
    with pytest.raises(ValueError, match="other features"):
        native.Model(model(BY_LENGTH, features=len(NAMES) - 1)).content(PAGE)


def test_a_lexicon_of_another_size_is_not_written() -> None:
    with pytest.raises(ValueError, match="each bucket"):
        model(BY_LENGTH, lexicon=SAYS_NOTHING._replace(words=[0]))


@pytest.mark.parametrize("value", [0.1, -0.1, 0.7, 1e-35, -1e-60, 1e-60, 3.0, 0.0, -2.5, 1e30])
def test_a_threshold_is_rounded_down_to_four_bytes(value: float) -> None:
    below = float32_down(value)
    (bits,) = struct.unpack("<i", struct.pack("<f", below))
    (above,) = struct.unpack("<f", struct.pack("<i", bits - 1 if below < 0 else bits + 1))
    assert struct.unpack("<f", struct.pack("<f", below))[0] == below
    assert below <= value < above or below == value == above


def lcs_length(one: list[str], other: list[str]) -> int:
    """By the textbook's table."""
    row = [0] * (len(other) + 1)
    for word in one:
        before, row = row, [0]
        for at, beside in enumerate(other):
            row.append(before[at] + 1 if word == beside else max(before[at + 1], row[at]))
    return row[-1]


def test_an_alignment_is_a_longest_common_subsequence() -> None:
    draw = random.Random(5)
    for letters in ("ab", "abcdef") * 200:
        one, other = (draw.choices(letters, k=draw.randrange(20)) for _ in "12")
        places = in_common(one, other)
        assert places == sorted(set(places))
        assert len(places) == lcs_length(one, other)
        rest = iter(other)
        assert all(one[place] in rest for place in places)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Fish &amp; chips &lt;p>", "Fish & chips <p>"),
        ("the <b>har</b>bour<br>at <a href='>'>dawn</a>", "the harbour at dawn"),
        ("a<svg><title>logo</title><svg/></svg>b<script>if (1<2) c()</script>", "ab"),
        ("a<svg/>b<!-- c -->d<textarea>e</textarea>", "abd"),
        ("a<select><option>b", "a"),
    ],
)
def test_a_piece_says_what_a_reader_sees(source: str, text: str) -> None:
    assert text_of(source) == text


def shares(gold: str, *pieces: str) -> list[float]:
    return shares_by_gold([words_of(piece) for piece in pieces], words_of(gold))


def test_words_count_where_they_stand_in_the_order_of_the_gold() -> None:
    found = shares("The boats leave. Before dawn?", "dawn", "the boats leave", "before noon", "…")
    assert found == [0, 1, 0.5, 0]
    assert shares("", "a b", "c") == [0, 0]
    assert shares("a b") == []


def test_a_text_that_stands_twice_is_content_both_times() -> None:
    text = "the boats leave the harbour an hour before dawn"
    assert shares(text, text, "menu", text) == [1, 0, 1]
    assert shares("boats leave at dawn", "boats leave", "menu", "boats leave") == [1, 0, 0]


def test_phrases_label_what_they_stand_in_and_what_stands_in_them() -> None:
    pieces = [
        "Boats leave the harbour before dawn.",
        "and nobody ever knows why",
        "Dawn",
        "subscribe to our letter",
        "something else",
        "boats and letters: subscribe today",
    ]
    wanted = ["boats LEAVE", "quiet, and nobody ever knows why. Dawn", "boats and", "…"]
    found = shares_by_phrases([words_of(each) for each in pieces], wanted, ["subscribe", "boats"])
    assert found == [1, 1, UNKNOWN, 0, UNKNOWN, 1]


def test_pages_weigh_the_same_and_unknown_pieces_nothing() -> None:
    def weights(name: str, *counts: int, known: float = 1.0) -> list[float]:
        pieces = [" ".join(["a"] * count) for count in counts]
        return Example(name, "1", "", 0, pieces, [known] * len(counts)).weights

    assert sum(weights("wcxb-dev", *[30] * 20)) == pytest.approx(100)
    assert sum(weights("wcxb-dev", *[300] * 5, 0, 1)) == pytest.approx(100)
    assert sum(weights("wcxb-dev", 5, 0)) < 20
    long, short = weights("aeb-dev", 1000, 10)
    assert 1 < long / short < 100
    assert weights("trafilatura-dev", 1000, 30, known=UNKNOWN) == [0, 0]
    assert max(weights("trafilatura-dev", 1000, 30)) == 3
