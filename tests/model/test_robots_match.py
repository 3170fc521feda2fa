"""Patterns against paths: RFC 9309 sections 2.2.2 (precedence, escapes) and 2.2.3 (`*` and `$`)."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.model.robots.patterns import matches
from shoal.model.robots.robots import DISALLOW_ALL, parse, path_of


def for_all(*lines: str) -> bytes:
    return "\n".join(["User-agent: *", *lines, ""]).encode()


def allowed(robots: bytes, path: str) -> bool:
    return parse(robots, "shoal").verdict(path).allowed


# 2.2.2: allow and disallow


def test_2_2_2_paths_are_case_sensitive_and_match_from_the_start() -> None:
    robots = for_all("Disallow: /fish")
    assert not allowed(robots, "/fish/tropical?x=1")
    assert allowed(robots, "/Fish")
    assert allowed(robots, "/a/fish")


@pytest.mark.parametrize("order", [1, -1])
def test_2_2_2_most_octets_win_in_any_order(order: int) -> None:
    lines = ["Disallow: /fish", "Allow: /fish/open", "Disallow: /fish/open/not"][::order]
    robots = for_all(*lines)
    assert not allowed(robots, "/fish/x")
    assert allowed(robots, "/fish/open/x")
    assert not allowed(robots, "/fish/open/not/x")


@pytest.mark.parametrize("order", [1, -1])
def test_2_2_2_allow_wins_a_tie(order: int) -> None:
    robots = for_all(*["Disallow: /fish", "Allow: /fish"][::order])
    verdict = parse(robots, "shoal").verdict("/fish")
    assert (verdict.allowed, verdict.pattern) == (True, "/fish")


def test_2_2_2_octets_are_counted_not_characters() -> None:
    # 1 + 9 octets against 1 + 8 characters
    assert not allowed(for_all("Disallow: /ツ", "Allow: /%E3*****"), "/%E3%83%84")


def test_2_2_2_no_match_allows() -> None:
    verdict = parse(for_all("Disallow: /a"), "shoal").verdict("/b")
    assert (verdict.allowed, verdict.line, verdict.pattern) == (True, None, None)


def test_2_2_2_empty_pattern_matches_nothing_but_ends_the_agents() -> None:
    robots = b"User-agent: shoal\nDisallow:\nUser-agent: other\nDisallow: /\n"
    assert allowed(robots, "/x")


def test_2_2_2_robots_txt_itself_is_always_allowed() -> None:
    robots = for_all("Disallow: /")
    assert allowed(robots, "/robots.txt")
    assert not allowed(robots, "/robots.txt.bak")
    assert DISALLOW_ALL.verdict("/robots.txt").allowed


# 2.2.2: percent-encoding


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        # the table of the section, read in both directions
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7a"),
        # spelling of escapes
        ("/%e3%83%84", "/%E3%83%84"),
        ("/~joe", "/%7Ejoe"),
        ("/%7ejoe", "/~joe"),
        ("/-._~", "/%2D%2E%5F%7E"),
        ("/a b", "/a%20b"),
        ("/a%5B1%5D", "/a[1]"),
        ("/*/x", "/go?to=/x"),
        ("/*%2Fx", "/go?to=%2Fx"),
        ("/*%", "/a%20b"),
    ],
)
def test_2_2_2_percent_encoding_same_octets(pattern: str, path: str) -> None:
    assert not allowed(for_all(f"Disallow: {pattern}"), path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("/a%2Fb", "/a/b"), ("/a/b", "/a%2Fb"), ("/q?x=a%26y=b", "/q?x=a&y=b"), ("/a%3Fb", "/a?b")],
)
def test_2_2_2_reserved_characters_stay_distinct(pattern: str, path: str) -> None:
    assert allowed(for_all(f"Disallow: {pattern}"), path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("/a/%62%61%7A", "/a/baz"), ("/ツ", "/ツ"), ("/q?u=a:b", "/q?u=a%3Ab")],
)
def test_2_2_2_where_rfc_and_reference_differ_the_stricter_answer_is_taken(
    pattern: str, path: str
) -> None:
    """The RFC would let these Allow lines match; Google's published cases refuse the first two."""
    assert not allowed(for_all("Disallow: /", f"Allow: {pattern}"), path)


def test_2_2_2_octets_of_a_foreign_charset_are_kept() -> None:
    assert not allowed(b"User-agent: *\nDisallow: /caf\xe9\n", "/caf%E9")


def test_2_2_2_an_escaped_allow_weighs_as_much_as_its_plain_form() -> None:
    robots = for_all("Allow: /%61%62", "Disallow: /abc/d")
    assert not allowed(robots, "/%61%62c/d")
    assert allowed(robots, "/%61%62c/e")


# 2.2.3: special characters


def test_2_2_3_hash_begins_a_comment() -> None:
    assert not allowed(for_all("Disallow: /a#b"), "/a")


def test_2_2_3_dollar_ends_the_pattern() -> None:
    robots = for_all("Disallow: /this/path/exactly$")
    assert not allowed(robots, "/this/path/exactly")
    assert allowed(robots, "/this/path/exactly/")
    assert allowed(robots, "/this/path/exactly?x")


def test_2_2_3_star_is_any_run_of_characters() -> None:
    robots = for_all("Disallow: /this/*/exactly")
    assert not allowed(robots, "/this//exactly")
    assert not allowed(robots, "/this/a/b/exactly/and/more")
    assert allowed(robots, "/this/exactly")


def test_2_2_3_star_may_come_first() -> None:
    robots = for_all("Disallow: *.gif$")
    assert not allowed(robots, "/a/b.gif")
    assert allowed(robots, "/a/b.gif?x")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
        ("/path/foo-%24", "/path/foo-$"),
        ("/path/foo-%24", "/path/foo-%24"),
    ],
)
def test_2_2_3_escaped_star_and_dollar_are_meant_literally(pattern: str, path: str) -> None:
    assert not allowed(for_all(f"Disallow: {pattern}"), path)
    assert allowed(for_all("Disallow: /", f"Allow: {pattern}"), path)
    assert allowed(for_all(f"Disallow: {pattern}"), "/path/file-with-a-b.html")


def test_2_2_3_dollar_inside_is_an_ordinary_character() -> None:
    robots = for_all("Disallow: /a$b")
    assert not allowed(robots, "/a$b")
    assert allowed(robots, "/a")


# path and query of a URL


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("", "/"),
        ("https://example.org", "/"),
        ("https://example.org/", "/"),
        ("https://example.org/a/b?c=https://d.e/#f", "/a/b?c=https://d.e/"),
        ("https://example.org?a", "/?a"),
        ("https://example.org;a", "/;a"),
        ("https://example.org#a/b", "/"),
        ("example.org", "/"),
        ("example.org/a;b#c", "/a;b"),
        ("//example.org/a/b", "/a/b"),
        ("/a", "/a"),
        ("a/b", "/b"),
        ("a", "/"),
        ("//", "/"),
        ("://", "/"),
        ("///", "/"),
        ("#", "/"),
        ("a?b://c/d", "/?b://c/d"),
        ("https://user:p@example.org:8080/a", "/a"),
    ],
)
def test_path_of(url: str, path: str) -> None:
    assert path_of(url) == path


@given(st.text())
def test_path_of_never_raises_and_is_rooted(url: str) -> None:
    assert path_of(url).startswith("/")
    assert "#" not in path_of(url)


@pytest.mark.parametrize("path", ["/\ud800", "\x00", "/%", "/%F", "/%%41", ""])
def test_odd_paths_get_a_verdict(path: str) -> None:
    assert not allowed(for_all("Disallow: /"), path)


# the matcher


def slow_match(pattern: str, path: str) -> bool:
    """The definition, as a table of which prefix of the pattern reaches which place."""
    anchored = pattern.endswith("$")
    places = {0}
    for char in pattern.removesuffix("$"):
        if char == "*":
            places = set(range(min(places), len(path) + 1)) if places else places
        else:
            places = {at + 1 for at in places if path[at : at + 1] == char}
    return len(path) in places if anchored else bool(places)


@example("a*a", "$", "a")  # head and tail may not share a character
@given(st.text("ab*", max_size=12), st.sampled_from(["", "$"]), st.text("ab", max_size=16))
def test_matcher_agrees_with_the_definition(body: str, end: str, path: str) -> None:
    assert matches(body + end, path) is slow_match(body + end, path)


@pytest.mark.parametrize("unit", ["*", "a*", "*a", "*aa*", "*ab"])
@pytest.mark.parametrize("end", ["", "b", "b$", "$"])
def test_hostile_stars_are_cheap(unit: str, end: str) -> None:
    rules = parse(for_all("Disallow: /" + unit * 2000 + end), "shoal")
    started = time.process_time()
    rules.verdict("/" + "a" * 2000)
    assert time.process_time() - started < 10  # about 0.4 ms; with backtracking it never ends
