"""X-Robots-Tag and robots meta elements, as the large engines read them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.record import pack, unpack
from shoal.model.robots.page_rules import MAX_VALUES, PageRules, page_rules

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AUGUST_2031 = datetime(2031, 8, 3, 15, tzinfo=UTC).timestamp()


def from_header(*values: str) -> PageRules:
    return page_rules(values, [], "shoal", NOW)


def from_meta(*pairs: tuple[str, str]) -> PageRules:
    return page_rules([], pairs, "shoal", NOW)


def test_nothing_said_restricts_nothing() -> None:
    assert page_rules([], [], "shoal", NOW) == PageRules()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("noindex", PageRules(noindex=True)),
        ("NoFollow", PageRules(nofollow=True)),
        ("noarchive", PageRules(noarchive=True)),
        ("nocache", PageRules(noarchive=True)),
        ("nosnippet", PageRules(nosnippet=True)),
        ("none", PageRules(noindex=True, nofollow=True)),
        ("all", PageRules()),
        ("index, follow", PageRules()),
        ("noai", PageRules(noai=True)),
        ("noimageai", PageRules(noai=True)),
        ("max-snippet:50", PageRules(max_snippet=50)),
        ("max-snippet : 0", PageRules(max_snippet=0, nosnippet=True)),
        ("max-snippet:-1", PageRules()),
        ("max-snippet:many", PageRules()),
        ("max-image-preview:large, noindex", PageRules(noindex=True)),
        ("max-image-preview: none, nofollow", PageRules(nofollow=True)),
        (" noindex ,, nofollow ", PageRules(noindex=True, nofollow=True)),
        ("noindex nofollow", PageRules(noindex=True, nofollow=True)),
        ("unknown, foo: 3, noindex", PageRules(noindex=True)),
        ("", PageRules()),
    ],
)
def test_directives_mean_the_same_in_header_and_meta(text: str, expected: PageRules) -> None:
    assert from_header(text) == expected
    assert from_meta(("robots", text)) == expected
    assert from_meta(("Shoal", text)) == expected
    assert from_meta(("otherbot", text), ("description", text)) == PageRules()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("shoal: noindex, nofollow", PageRules(noindex=True, nofollow=True)),
        ("SHOAL : noindex", PageRules(noindex=True)),
        ("*: noindex", PageRules(noindex=True)),
        ("robots: noindex", PageRules(noindex=True)),
        ("otherbot: noindex", PageRules()),
        ("otherbot: noindex, nofollow", PageRules()),
        ("otherbot: noindex nofollow", PageRules()),
        ("otherbot: max-snippet: 5, noindex", PageRules()),
        ("shoal: max-snippet: 5", PageRules(max_snippet=5)),
        ("noarchive, otherbot: noindex", PageRules(noarchive=True)),
        ("otherbot: noindex, shoal: nofollow, noai", PageRules(nofollow=True, noai=True)),
        ("shoal: nofollow, otherbot: none", PageRules(nofollow=True)),
        ("shoal: noindex nofollow", PageRules(noindex=True, nofollow=True)),
    ],
)
def test_header_may_name_an_agent(value: str, expected: PageRules) -> None:
    assert from_header(value) == expected


def test_an_agent_holds_for_its_own_header_only() -> None:
    assert from_header("otherbot: nofollow", "noindex") == PageRules(noindex=True)


@pytest.mark.parametrize(
    "date",
    [
        "Sun, 03 Aug 2031 15:00:00 GMT",
        "Sunday, 03-Aug-31 15:00:00 GMT",
        "03 Aug 2031 11:00:00 EDT",
        "3-Aug-2031 15:00:00 UTC",
        "Sun, 3 Aug 2031 17:00:00 +0200",
        "2031-08-03T15:00:00Z",
        "2031-08-03T17:00:00+02:00",
        "2031-08-03 15:00",
    ],
)
@pytest.mark.parametrize("agent", ["", "shoal: "])
def test_unavailable_after_in_each_form(date: str, agent: str) -> None:
    """The colon is not an agent's, and a comma within the date does not end it."""
    rules = from_header(f"{agent}noarchive, unavailable_after: {date}, nofollow")
    assert rules == PageRules(noarchive=True, nofollow=True, unavailable_after=AUGUST_2031)
    alone = from_header(f"{agent}unavailable_after: {date}, nofollow")
    assert alone == PageRules(nofollow=True, unavailable_after=AUGUST_2031)
    assert from_meta(("robots", f"unavailable_after: {date}")).unavailable_after == AUGUST_2031
    assert from_header(f"otherbot: unavailable_after: {date}, nofollow") == PageRules()


def test_a_page_past_its_date_is_not_indexed() -> None:
    value = "unavailable_after: 2031-08-03T15:00:00Z"
    at_the_end = datetime.fromtimestamp(AUGUST_2031, UTC)
    assert page_rules([value], [], "shoal", at_the_end).noindex
    assert not from_header(value).noindex


@pytest.mark.parametrize(
    "date", ["", "soon", "Sun", "Sun,", "32 Aug 2031 00:00:00 GMT", "1 Jan 99999999999 00:00:00"]
)
def test_a_date_that_is_none_is_ignored(date: str) -> None:
    assert from_header(f"unavailable_after: {date}") == PageRules()


def test_the_most_restrictive_wins() -> None:
    rules = page_rules(
        ["all, max-snippet: 80, unavailable_after: 2033-01-01", "shoal: max-snippet: 20"],
        [("robots", "index, max-snippet: -1, unavailable_after: 2031-08-03T15:00:00Z"),
         ("shoal", "nofollow, max-snippet: 40")],
        "shoal",
        NOW,
    )  # fmt: skip
    assert rules == PageRules(nofollow=True, max_snippet=20, unavailable_after=AUGUST_2031)


def test_other_meta_elements_do_not_use_up_the_limit() -> None:
    pairs = [("description", "x")] * (MAX_VALUES * 2) + [("robots", "noindex")]
    assert from_meta(*pairs).noindex


@given(
    st.lists(st.text() | st.sampled_from(["shoal:", "unavailable_after: Sun", "max-snippet: ٣"])),
    st.lists(st.tuples(st.sampled_from(["robots", "shoal", "x"]), st.text())),
    st.text(),
)
def test_nothing_raises_and_all_can_be_stored(
    headers: list[str], meta: list[tuple[str, str]], token: str
) -> None:
    rules = page_rules([*headers, ",".join(headers)], meta, token, NOW)
    assert unpack(PageRules, pack(rules)) == rules


@given(st.text(max_size=70) | st.datetimes().map(str) | st.from_regex(r"\d+ Jan \d+ \d+:\d+ \+\d+"))
def test_no_date_raises(date: str) -> None:
    from_header(f"unavailable_after: {date}")
