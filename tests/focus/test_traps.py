"""W9: what a URL's name tells of a trap, and that honest names are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.focus.scope import CrawlScope, ScopeSettings
from shoal.focus.traps import Traps

ORIGIN = "https://example.org"
TRAPS = Traps(latest_year=2036)


def refusal(path: str, traps: Traps = TRAPS) -> str:
    return traps.refuses(ORIGIN + path, len(ORIGIN))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/d" * 33, "trap: more than 32 directories deep"),
        ("/" + "x" * 801, "trap: a name of more than 800 characters in its path"),
        ("/shop/en/shop/de/shop/fr/shop/it", "trap: 'shop' stands in its path 4 times"),
        ("/a/img/img/img/img/", "trap: 'img' stands in its path 4 times"),
        ("/x/ab/cd/ab/cd/ab/cd", "trap: its path repeats itself"),
        ("/x/a/b1/c/a/b1/c/a/b1/c", "trap: its path repeats itself"),
        ("/s?" + "&".join(f"p{i}=1" for i in range(25)), "trap: more than 24 parameters"),
        ("/s?a=1&a=1&a=1", "trap: the same parameter with the same value again and again"),
        ("/s?" + "&".join(f"f={i}" for i in range(9)), "trap: the parameter 'f' 9 times"),
        ("/s?u=a?b=c?d=e?f=g", "trap: queries within its query"),
        ("/2037/01/", "trap: a calendar's page for the year 2037"),
        ("/2037-01", "trap: a calendar's page for the year 2037"),
        ("/calendar/1969/12/31", "trap: a calendar's page for the year 1969"),
        ("/cal?month=11&year=1969", "trap: a calendar's page for the year 1969"),
        ("/cal?date=2040-02-01", "trap: a calendar's page for the year 2040"),
        ("/cal?startMonth=204002", "trap: a calendar's page for the year 2040"),
    ],
)
def test_made_up_names(path: str, reason: str) -> None:
    assert refusal(path) == reason


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/a/b/c/d/e/f/g",
        "/d" * 30 + "/",
        "/tiles/0/0/0/0/0/0",
        "/tiles/12/7/12/7/12/7/12/7",
        "/objects/a/a/a/a/a",
        "/en/docs/en/index.html",
        "/src/main/java/org/main/java/org/x.java",
        "/wiki/" + "%E3%81%82" * 85,
        "/s?f=1&f=2&f=3&f=4&f=5&f=6&f=7&f=8",
        "/s?a=1&a=1&b=2",
        "/go?u=https://b.example/?x=1?",
        "/2026/11/15/news.html",
        "/1945/05/08/archives/peace.html",
        "/archive/1851-09",
        "/item/9999",
        "/item/9999/13",
        "/report?id=2099&page=4",
        "/cal?year=2030&month=1",
    ],
)
def test_honest_names(path: str) -> None:
    assert refusal(path) == ""


def test_the_limits_are_settings() -> None:
    assert refusal("/a/b/c/d", Traps(max_segments=3)) == "trap: more than 3 directories deep"
    assert refusal("/?a=1&b=2", Traps(max_parameters=1)) == "trap: more than 1 parameters"
    assert refusal("/9999/12", Traps()) == ""


def test_the_scope_asks_but_never_of_a_seed() -> None:
    trap = ORIGIN + "/x" * 40
    scope = CrawlScope(ScopeSettings(kind="any", roots=[trap], max_segments=20))
    assert scope.refuses(trap) == ""
    assert scope.refuses(trap + "x") == "trap: more than 20 directories deep"


@given(st.text(alphabet="/?&=ab1290-%calendryeom", max_size=300))
def test_any_text_gets_an_answer(text: str) -> None:
    found = refusal("/" + text)
    assert found == "" or found.startswith("trap: ")
