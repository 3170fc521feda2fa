"""A diff of any pair of texts: right where it can be, bounded where it can't."""

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.near import difference as module
from shoal.duplicates.near.difference import (
    Difference,
    Piece,
    common_runs,
    difference,
    longest_common,
)

WORDS = st.sampled_from(["fish", "sea", "reef", "the", "a.", "魚", "水", "ไ"])
GAPS = st.sampled_from([" ", " ", " ", "", "\n", "\n\n", "\t \r\n", "\u3000"])
TEXTS = st.lists(st.tuples(WORDS, GAPS), max_size=25).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
NUMBERS = st.lists(st.integers(0, 5), max_size=30)


def length_of_longest(a: list[int], b: list[int]) -> int:
    """By the textbook's table."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = row
        row = [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[j]))
    return row[-1]


def split(text: str) -> list[str]:
    """Words as they are compared: characters of scripts without spaces are words."""
    for character in "魚水ไ":
        text = text.replace(character, f" {character} ")
    return text.split()


def side(found: Difference, other: str) -> str:
    return "".join(piece.text for piece in found.pieces if piece.kind != other)


def words_of(count: int, vocabulary: int, seed: int) -> list[str]:
    """As in natural text: few words make up most of it."""
    chance = random.Random(seed)
    return [f"w{int(vocabulary ** chance.random())}" for _ in range(count)]


def timed(a: list[str], b: list[str]) -> tuple[Difference, float]:
    """In processor time: other programs do not count."""
    started = time.process_time()
    found = difference(" ".join(a), " ".join(b))
    return found, time.process_time() - started


@given(NUMBERS, NUMBERS)
def test_bits_find_a_longest_common_subsequence(a: list[int], b: list[int]) -> None:
    found = longest_common(a, b)
    assert [a[i] for i, _ in found] == [b[j] for _, j in found]
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(found))
    assert len(found) == length_of_longest(a, b)


@given(NUMBERS, NUMBERS)
def test_runs_are_as_long_in_all(a: list[int], b: list[int]) -> None:
    runs, not_compared = common_runs(a, b)
    assert not_compared == 0
    assert sum(run.length for run in runs) == length_of_longest(a, b)
    for run in runs:
        assert a[run.a : run.a + run.length] == b[run.b : run.b + run.length] != []


@pytest.mark.parametrize(("cells", "in_all"), [(0, 0), (9, 1 << 31), (40, 80)])
@given(a=NUMBERS, b=NUMBERS)
def test_runs_are_common_whatever_the_bounds(
    cells: int, in_all: int, a: list[int], b: list[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CELLS", cells)
        patch.setattr(module, "MOST_CELLS_IN_ALL", in_all)
        runs, not_compared = common_runs(a, b)
    last_a = last_b = 0
    for run in runs:
        assert run.a >= last_a
        assert run.b >= last_b
        last_a, last_b = run.a + run.length, run.b + run.length
        assert a[run.a : last_a] == b[run.b : last_b] != []
    assert last_a <= len(a)
    assert last_b <= len(b)
    same = 2 * sum(run.length for run in runs)
    assert 0 <= not_compared <= len(a) + len(b) - same


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_out_of_it(a: str, b: str) -> None:
    found = difference(a, b)
    assert split(side(found, "only_b")) == split(a)
    assert split(side(found, "only_a")) == split(b)
    assert found.cut == ""
    changed = sum(len(split(piece.text)) for piece in found.pieces if piece.kind != "same")
    every = len(split(a)) + len(split(b))
    assert found.share_changed == (changed / every if every else 0.0)
    assert all("\n" not in piece.text.rstrip("\n") for piece in found.pieces)
    assert [piece for line in found.lines() for piece in line] == list(found.pieces)


@given(TEXTS)
def test_a_text_is_itself(text: str) -> None:
    found = difference(text, "\n".join(split(text)))
    assert found.share_changed == 0.0
    assert {piece.kind for piece in found.pieces} <= {"same"}


def test_for_people() -> None:
    a = "The clownfish lives\namong sea anemones.\n\nIt is orange."
    b = "The clownfish often lives\namong sea urchins.\n\nIt is orange. So there."
    assert difference(a, b).pieces == (
        Piece("same", "The clownfish "),
        Piece("only_b", "often "),
        Piece("same", "lives\n"),
        Piece("same", "among sea "),
        Piece("only_a", "anemones.\n\n"),
        Piece("only_b", "urchins.\n\n"),
        Piece("same", "It is orange. "),
        Piece("only_b", "So there."),
    )
    assert difference(a, b).share_changed == 5 / 21


def test_case_and_punctuation_are_differences() -> None:
    assert difference("Fish, fish", "fish fish").share_changed == 0.5


def test_a_word_that_stayed_by_chance_is_shown_as_changed() -> None:
    a = "all boats of the harbour came home late"
    b = "some people think of whales when they sing"
    found = difference(a, b)
    assert [piece.kind for piece in found.pieces] == ["only_a", "only_b"]
    assert found.share_changed == 1.0
    a, b = "all boats came home very late", "most people watch whales from here"
    three = difference(f"{a} and it rained {a}", f"{b} and it rained {b}")
    assert [piece.text for piece in three.pieces if piece.kind == "same"] == ["and it rained "]
    one_word = difference("x of y", "z of w")
    assert [piece.text for piece in one_word.pieces if piece.kind == "same"] == ["of "]


def test_a_change_begins_a_line_where_it_can() -> None:
    lines = ["see the red fish\n", "see the blue fish\n", "see the grey fish\n"]
    assert difference("".join(lines), lines[0] + lines[2]).pieces == (
        Piece("same", lines[0]),
        Piece("only_a", lines[1]),
        Piece("same", lines[2]),
    )
    assert difference(lines[0] + lines[2], "".join(lines)).pieces == (
        Piece("same", lines[0]),
        Piece("only_b", lines[1]),
        Piece("same", lines[2]),
    )


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("the house of the cat of the dog", "the house new words here of the dog"),
        ("one of the cat of the dog", "one of the new words here dog"),
    ],
    ids=["before", "behind"],
)
def test_changes_side_by_side_are_one(a: str, b: str) -> None:
    """Not: insert "new words here", keep "of the", drop "cat of the"."""
    wanted = ["same", "only_a", "only_b", "same"]
    assert [piece.kind for piece in difference(a, b).pieces] == wanted
    assert [piece.kind for piece in difference(b, a).pieces] == wanted


def test_what_can_stand_at_the_end_does() -> None:
    assert difference("we see red fish", "see red fish fish").pieces[1:] == (
        Piece("same", "see red fish "),
        Piece("only_b", "fish"),
    )


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    assert difference("我喜欢吃鱼和米饭", "我喜欢吃肉和米饭").pieces == (
        Piece("same", "我喜欢吃"),
        Piece("only_a", "鱼"),
        Piece("only_b", "肉"),
        Piece("same", "和米饭"),
    )


def test_only_changed_lines_with_what_is_around_them() -> None:
    lines = [f"line number {number} of the text" for number in range(20)]
    changed = list(lines)
    changed[3], changed[5], changed[15] = "here is three", "here is five", "here is fifteen"
    found = difference("\n".join(lines), "\n".join(changed))

    def kept(context_lines: int) -> list[list[str]]:
        return [
            ["".join(piece.text for piece in line if piece.kind != "only_b") for line in hunk]
            for hunk in found.hunks(context_lines)
        ]

    def text(first: int, last: int) -> str:
        return "".join(f"{line}\n" for line in lines[first : last + 1])

    assert ["".join(hunk) for hunk in kept(1)] == [text(2, 6), text(14, 16)]
    assert ["".join(hunk) for hunk in kept(0)] == [text(3, 3), text(5, 5), text(15, 15)]
    assert ["".join(hunk) for hunk in kept(9)] == ["\n".join(lines)]
    assert list(difference("a\nb", "a\nb").hunks()) == []
    assert list(difference("", "").hunks()) == []


def test_long_texts_that_are_alike() -> None:
    a = words_of(100_000, 20_000, seed=1)
    b = list(a)
    chance = random.Random(2)
    changed = chance.sample(range(len(b)), 3000)
    for at in changed:
        b[at] = f"new{at}"
    del b[40_000:40_500]
    found, seconds = timed(a, b)
    assert found.cut == ""
    least = 500 + 2 * sum(not 40_000 <= at < 40_500 for at in changed)
    assert least <= round(found.share_changed * 199_500) <= 1.02 * least
    assert seconds < 3  # 0.5 on a machine of its own


def test_a_moved_half_stays_whole() -> None:
    a = words_of(100_000, 20_000, seed=3)
    found, _ = timed(a, a[60_000:] + a[:60_000])
    assert found.share_changed == pytest.approx(0.4, abs=0.01)
    assert found.cut == ""


def test_one_word_that_moved_does_not_mislead() -> None:
    """It is the only word that stands once in each, at opposite ends."""
    chance = random.Random(4)
    dull = [f"w{chance.randrange(300)}" for _ in range(20_000)]
    found, _ = timed(["moved", *dull], [*dull, "moved"])
    assert found.share_changed == 2 / 40_002


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (words_of(100_000, 20_000, seed=5), words_of(100_000, 20_000, seed=6)),
        (words_of(100_000, 30, seed=7), words_of(100_000, 30, seed=8)),
        (["x"] * 140_000 + ["y"], ["z", *["x"] * 100_000]),
        (["x", "y"] * 60_000, ["y", "y", "x"] * 40_000),
    ],
    ids=["unlike", "few words", "one word", "two words"],
)
def test_hostile_texts_take_bounded_time(a: list[str], b: list[str]) -> None:
    found, seconds = timed(a, b)
    assert seconds < 10  # about 1 on a machine of its own; a table of all pairs takes an hour
    assert side(found, "only_b").split() == a
    assert side(found, "only_a").split() == b


def test_what_is_not_compared_is_said() -> None:
    a, b = [f"a{at}" for at in range(10_000)], [f"b{at}" for at in range(10_000)]
    found, _ = timed(a, b)
    assert found.share_changed == 1.0
    assert found.cut == "20,000 words were too many to compare; they are shown as changed."


def test_what_is_not_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WORDS", 3)
    whole = difference("one two three", "one two three")
    assert (whole.cut, len(whole.pieces)) == ("", 1)
    found = difference("one two three four", "one two three")
    assert found.share_changed == 0.0
    assert found.cut.startswith("Only the first 3 words or ")
    monkeypatch.setattr(module, "MOST_CHARS", 5)
    assert difference("123456", "12345").cut.endswith("5 characters of a text were compared.")
    assert difference("12345", "12345").cut == ""
