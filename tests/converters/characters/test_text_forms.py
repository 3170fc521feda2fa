"""Forms of text: what is kept looks the same, what is matched is the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.characters.text_forms import normalised


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Ｓｈｏａｌ　１２", "shoal 12"),
        ("ﬁsh", "fish"),
        ("Straße", "STRASSE"),
        ("su\u00adchen", "suchen"),
        ("ca\u200bfe\u0301", "CAFÉ"),
        ("ﻣﺮﺟﺎﻥ", "مرجان"),
        ("مـــرجان", "مرجان"),
        ("ｶﾞ", "ガ"),
        ("東京〜大阪", "東京～大阪"),
        ("2014—2015", "2014―2015"),
        ("it’s", "it's"),
        ("①", "1"),
    ],
)
def test_spellings_of_a_word_are_equal(written: str, plain: str) -> None:
    assert normalised(written) == normalised(plain)


@pytest.mark.parametrize(("one", "other"), [("cote", "côte"), ("fish", "fisch"), ("и", "й")])
def test_accents_make_other_words(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


@given(st.text(max_size=60))
def test_normalising_again_changes_nothing(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)
