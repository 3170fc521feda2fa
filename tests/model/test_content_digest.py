"""Whether a page says the same: a clock in it is no change."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.model.digest import _TIME_OF_DAY, content_digest, without_times


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Now 10:15 here", "Now 23:59 here"),
        ("Now 10:15:01 here", "Now 9:00 here"),
        ("Now 10:15 PM here", "Now 1:00 am here"),
        ("Now 10:15 p.m. here", "Now 1:00 here"),
    ],
)
def test_times_of_day_do_not_count(one: str, other: str) -> None:
    assert content_digest(one) == content_digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Won 2 to 1", "Won 2 to 2"),
        ("It is 10 here", "It is 11 here"),
        ("On 2026-11-01", "On 2026-11-02"),
        ("Ratio 100:150", "Ratio 100:151"),
        ("a", ""),
    ],
)
def test_all_else_does(one: str, other: str) -> None:
    assert content_digest(one) != content_digest(other)


def test_nothing_has_no_digest_and_a_clock_alone_has_one() -> None:
    assert content_digest("") == ""
    assert content_digest("10:15") == content_digest("11:16") != ""


def test_halves_of_characters_do_not_raise() -> None:
    assert content_digest("\ud83d")


@given(st.text(alphabet="0123: aApPmM.x٣\n", max_size=40))
@settings(max_examples=200)
def test_times_are_found_as_by_looking_everywhere(text: str) -> None:
    assert without_times(text) == _TIME_OF_DAY.sub("", text)
