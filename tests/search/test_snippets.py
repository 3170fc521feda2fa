"""Snippets: the place where the words stand together, marked, and never too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.candidate import Term
from shoal.search.snippets import Pieces, beginning, snippet

FILLER = "Nothing of interest stands in this sentence at all. "


def stem(word: str) -> str:
    """A stemmer that knows enough for these texts."""
    word = word.lower()
    return "happi" if word in ("happy", "happiness") else word.removesuffix("s")


def term(word: str, *, documents: int = 10, is_stop: bool = False) -> Term:
    return Term(word, [stem(word)], documents, 0.1 if is_stop else 1.0, is_stop)


def plain(pieces: Pieces) -> str:
    return "".join(piece for piece, _ in pieces)


def marked(pieces: Pieces) -> list[str]:
    return [piece for piece, is_word in pieces if is_word]


def test_all_forms_are_marked() -> None:
    text = "Two sharks met one Shark; happiness is a happy shark, not a sharkskin coat."
    found = snippet(text, [term("sharks"), term("happy")], stem)
    assert plain(found) == text
    assert marked(found) == ["sharks", "Shark", "happiness", "happy", "shark"]


def test_the_window_is_where_the_words_stand_together() -> None:
    text = FILLER * 30 + "A reef of coral grows slowly. " + FILLER * 30 + "coral alone. " + FILLER
    found = snippet(text, [term("reef"), term("coral")], stem)
    assert "A reef of coral grows slowly." in plain(found)
    assert plain(found).startswith("… ")
    assert plain(found).endswith(" …")
    assert len(plain(found)) <= 200


def test_words_that_stand_apart_have_two_windows() -> None:
    text = "The reef is here. " + FILLER * 40 + "The coral is there. " + FILLER * 3
    found = snippet(text, [term("reef"), term("coral")], stem)
    assert marked(found) == ["reef", "coral"]
    assert plain(found).count("…") >= 2


def test_a_rare_word_counts_more() -> None:
    text = "common common common. " + FILLER * 20 + "a rare word. " + FILLER * 20
    found = snippet(text, [term("common", documents=9000), term("rare", documents=2)], stem, 60)
    assert "rare" in marked(found)


def test_stop_words_are_not_marked_beside_others() -> None:
    found = snippet("the coral of the reef", [term("the", is_stop=True), term("coral")], stem)
    assert marked(found) == ["coral"]


def test_it_begins_and_ends_with_whole_words() -> None:
    text = (
        " ".join(f"word{n}" for n in range(500))
        + " coral "
        + " ".join(f"word{n}" for n in range(500, 900))
    )
    said = plain(snippet(text, [term("coral")], stem)).strip("… ").split()
    assert set(said) <= set(text.split())
    assert len(said) > 10


def test_scripts_without_spaces() -> None:
    text = "これは長い文章です。" * 40 + "珊瑚礁は美しい。" + "これは長い文章です。" * 40
    terms = [Term("珊瑚", ["珊瑚"], 3), Term("瑚礁", ["瑚礁"], 3)]
    found = snippet(text, terms, stem)
    assert "".join(marked(found)) == "珊瑚"
    assert "珊瑚礁は美しい" in plain(found)
    assert len(plain(found)) <= 200


def test_nothing_found_is_nothing() -> None:
    assert snippet("a text", [term("coral")], stem) == []
    assert snippet("", [term("coral")], stem) == []
    assert snippet("coral", [], stem) == []
    assert snippet("coral", [term("coral")], stem, 0) == []


def test_the_beginning() -> None:
    assert beginning("  A short\ntext. ") == [("A short text.", False)]
    [(said, _)] = beginning(FILLER * 20, 50)
    assert said == "Nothing of interest stands in this sentence at …"
    assert beginning("", 10) == []
    assert beginning("coral", 0) == []


def test_a_huge_text_is_looked_at_as_far_as_need_be() -> None:
    text = FILLER * 5000 + "coral " + FILLER * 5000
    assert marked(snippet(text, [term("coral")], stem)) == ["coral"]
    assert snippet(FILLER * 50_000 + "coral", [term("coral")], stem) == []


@given(
    st.text(alphabet="ab cé\n.猫'’\U0001f600", max_size=400),
    st.integers(0, 60),
    st.lists(st.sampled_from(["a", "ab", "猫", "é", "b's", ""]), max_size=3),
)
def test_never_too_long_and_never_other_words(text: str, most: int, words: list[str]) -> None:
    terms = [Term(word, [word], 1) for word in words]
    for found in (snippet(text, terms, stem, most), beginning(text, most)):
        assert len(plain(found)) <= most
        flat = " ".join(text.split())
        for piece, is_word in found:
            assert piece
            if is_word:
                assert piece in flat


@pytest.mark.parametrize("word", ["(", "[a", "\\", ".*", "a|b"])
def test_words_are_no_patterns(word: str) -> None:
    assert marked(snippet("some (text) [a] \\ here", [Term(word, [word], 1)], stem)) in ([], [word])
