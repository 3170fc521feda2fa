"""W7: breadth, depth and fixed priority, as numbers on a link."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.focus.priority import FixedPriority, PrioritySettings, location_value
from shoal.model.link import LinkSource
from shoal.model.record import pack, unpack
from shoal.ports import Prioritizer

URL = "https://example.org/a/b/c.html"
RULES = "priority 0.9 regex /news/\npriority 0 host dull.example\n"


def by(order: str, rules: str = "") -> Prioritizer:
    return FixedPriority(unpack(PrioritySettings, pack([order, rules])))


@pytest.mark.parametrize("order", ["breadth", "depth"])
def test_where_arrival_decides_all_are_equal(order: str) -> None:
    prioritizer = by(order, RULES)
    for source in LinkSource:
        wanted = 1.0 if source is LinkSource.SUBMIT else 0.5
        for url in (URL, "https://example.org/", "https://example.org/news/"):
            assert prioritizer.priority(url, source, "news") == wanted


def test_rules_speak_before_the_location() -> None:
    prioritizer = by("priority", RULES)
    assert prioritizer.priority("https://a.org/x/y/z/news/1", LinkSource.LINK, "") == 0.9
    assert prioritizer.priority("https://dull.example/", LinkSource.SITEMAP, "") == 0.0
    assert prioritizer.priority(URL, LinkSource.LINK, "") == location_value(URL)


def test_a_persons_word_stands() -> None:
    prioritizer = by("priority", RULES)
    assert prioritizer.priority("https://dull.example/", LinkSource.SUBMIT, "") == 1.0
    assert prioritizer.priority("https://dull.example/", LinkSource.SEED, "") == 0.5


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("https://example.org/", "https://example.org/a"),
        ("https://example.org/a", "https://example.org/a/b"),
        ("https://example.org/a/b/", "https://example.org/a/b/c"),
        ("https://example.org/home.html", "https://example.org/fish.html"),
        ("https://example.org/x/HomePage", "https://example.org/x/homework"),
        ("https://example.org/x/index.php", "https://example.org/x/indexes"),
        ("https://www.example.org/a", "https://deep.down.example.org/a"),
        ("https://example.org/a", "https://example.org/a?b=1"),
    ],
)
def test_the_location_counts(better: str, worse: str) -> None:
    assert location_value(better) > location_value(worse)


def test_the_formula_is_as_documented() -> None:
    assert location_value("https://www.example.org/") == pytest.approx(0.05 + 0.7 + 0.1 + 0.1)
    assert location_value("https://a.b.example.org/x/y") == pytest.approx(0.05 + 0.7 * 0.75**2)
    assert location_value("https://a.org/x/home?y") == pytest.approx(
        0.05 + (0.7 * 0.75**2 + 0.2) * 0.8
    )


@given(st.text() | st.text("ab/.?:home").map("https://x.org/".__add__))
def test_the_location_is_between_nothing_and_a_wish(url: str) -> None:
    assert 0 < location_value(url) < 1
    assert 0 < by("priority", RULES).priority(url, LinkSource.LINK, url) < 1
