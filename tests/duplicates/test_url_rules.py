"""Which part of a URL explains that two URLs are one page, and what is left without it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.duplicates.learn.url_rules import (
    bare,
    form,
    in_words,
    joint,
    plain_urls,
    rules_between,
    section,
)

SITE = "http://fish.example"
ONE_ID, OTHER_ID = "5f3a9b0c77de41aa", "00e1c2d3b4a59687"


@pytest.mark.parametrize(
    ("a", "b", "rules"),
    [
        ("/x?sid=1", "/x?sid=2", ["?sid"]),
        ("/x?sid=1", "/x", ["?sid"]),
        ("/x?id=5&sid=1", "/x?id=5", ["?sid"]),
        ("/x?sid=1&id=5", "/x?id=5&sid=2", ["?sid"]),
        ("/x?print", "/x", ["?print"]),
        ("/x?tag=a&tag=b", "/x?tag=a", ["?tag"]),
        ("/x?sid=1&from=a", "/x?sid=2&from=b", ["?from", "?sid"]),
        ("/x;jsessionid=1", "/x;jsessionid=2", [";jsessionid"]),
        ("/a;v=1/x;v=1?id=5", "/a/x?id=5", [";v"]),
        ("/print/x", "/x", ["/print"]),
        ("/x", "/x/print", ["/print"]),
        ("/x/", "/x/index.html", ["/index.html"]),
        ("/", "/index.html", ["/index.html"]),
        ("/m/", "/", ["/m"]),
        ("/a/amp/x?sid=1", "/a/x?sid=2", ["/amp", "?sid"]),
        (f"/s/{ONE_ID}/x", f"/s/{OTHER_ID}/x", ["/*/2"]),
        (f"/{ONE_ID}/x", "/x", ["/*/1"]),
        (f"/{ONE_ID}/x?t=1", f"/{OTHER_ID}/x?t=2", ["/*/1", "?t"]),
        # What no rule explains.
        ("/x", "/x", []),
        ("/x", "/y", []),
        ("/a/x", "/b/x", []),
        ("/x", "/x/2", []),
        ("/x?1234", "/x?5678", []),
        ("/x?a=1&b=1&c=1", "/x?a=2&b=2&c=2", []),
        ("/x?a=1&b=2", "/x?b=2&a=1", []),
        ("/x?sid=1#top", "/x?sid=2#end", []),
        (f"/{ONE_ID}/x", f"/{OTHER_ID}/y", []),
        ("/a/b/x", "/x", []),
    ],
)
def test_what_explains_a_pair(a: str, b: str, rules: list[str]) -> None:
    assert rules_between(SITE + a, SITE + b) == rules
    assert rules_between(SITE + b, SITE + a) == rules
    if rules:
        assert bare(joint(rules), SITE + a) == bare(joint(rules), SITE + b)


def test_pages_of_two_sites_are_explained_by_none() -> None:
    assert rules_between("http://a.example/x?sid=1", "http://b.example/x?sid=2") == []
    assert rules_between("http://a.example/x?sid=1", "https://a.example/x?sid=2") == []


@pytest.mark.parametrize(
    ("rule", "url", "left"),
    [
        ("?sid", "/x?sid=1", "/x"),
        ("?sid", "/x?id=5&sid=1&b", "/x?id=5&b"),
        ("?sid", "/x?Sid=1", None),
        ("?sid", "/x", None),
        ("?sid", "/sid/x?", None),
        (";v", "/a;v=1;w=2/x;v", "/a;w=2/x"),
        (";v", "/a;w=2/v", None),
        ("/print", "/print/x/?id=5", "/x?id=5"),
        ("/print", "/print", "/"),
        ("/print", "/x/print/", "/x"),
        ("/print", "/printer/x/", None),
        ("/*/2", f"/s/{ONE_ID}/x", "/s/x"),
        ("/*/2", "/s/news/x", None),
        ("/*/2", "/s", None),
        ("/*/1", f"/{ONE_ID}", "/"),
        ("/print ?sid", "/print/x?sid=1", "/x"),
        ("/print ?sid", "/x?sid=1", "/x"),
        ("/print ?sid", "/x/", None),
    ],
)
def test_the_form_of_a_url(rule: str, url: str, left: str | None) -> None:
    assert form(rule, SITE + url) == (None if left is None else SITE + left)


def test_a_rule_of_the_path_does_not_know_the_slash() -> None:
    assert plain_urls("/print", f"{SITE}/x?id=5") == [f"{SITE}/x?id=5", f"{SITE}/x/?id=5"]
    assert plain_urls("/print", f"{SITE}/") == [f"{SITE}/"]
    assert plain_urls("?sid", f"{SITE}/x") == [f"{SITE}/x"]
    assert bare("/print", f"{SITE}/x/") == f"{SITE}/x"


def test_sections() -> None:
    assert section(f"{SITE}/item/5?b=1&a=2") == section(f"{SITE}/item/6?a=3&b=4")
    assert section(f"{SITE}/item/5") != section(f"{SITE}/list/5")
    assert section(f"{SITE}/item?id=5") != section(f"{SITE}/item")
    assert section(f"{SITE}/17.html") == section(f"{SITE}/18.html")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("?sid", "pages that differ only in the parameter 'sid' are the same"),
        (";v", "pages that differ only in the path parameter 'v' are the same"),
        (
            "/print ?s",
            "pages that differ only in the path segment 'print' and the parameter 's' are the same",
        ),
        ("/*/2", "pages that differ only in path segment 2, which looks generated, are the same"),
    ],
)
def test_words(rule: str, words: str) -> None:
    assert in_words(rule) == words


def test_only_the_first_parameters_are_looked_at() -> None:
    many = "&".join(f"p{n}={n}" for n in range(5000))
    assert form("?p15", f"{SITE}/x?{many}") is not None
    assert form("?p16", f"{SITE}/x?{many}") is None
    assert rules_between(f"{SITE}/x?sid=1&{many}", f"{SITE}/x?sid=2&{many}") == ["?sid"]
    assert rules_between(f"{SITE}/x?{many}&sid=1", f"{SITE}/x?{many}&sid=2") == []


def test_hostile_urls_cost_little() -> None:
    hostile = [
        f"{SITE}/" + "a/" * 50_000,
        f"{SITE}/x?" + "&" * 100_000,
        f"{SITE}/x?" + "a=1&" * 50_000,
        f"{SITE}/" + ";" * 100_000,
        f"{SITE}/" + "0a" * 50_000,
        f"{SITE}/x?{'n' * 100_000}=1",
        "x" * 100_000,
        "mailto:someone",
        "",
        "://?#;&=",
    ]
    started = time.process_time()
    for one in hostile:
        for other in hostile:
            assert len(rules_between(one, other)) <= 2
        for rule in ("?a", ";a", "/a", "/*/1", "/*/99"):
            left = form(rule, one)
            assert left is None or len(left) < len(one)
    assert time.process_time() - started < 10


PIECES = st.sampled_from(
    [
        "/x",
        "/print",
        "/",
        f"/{ONE_ID}",
        f"/{OTHER_ID}",
        ";v=1",
        ";v=2",
        "?sid=1",
        "&sid=2",
        "&a",
        "?",
    ]
)


@given(st.lists(PIECES, max_size=6).map("".join), st.lists(PIECES, max_size=6).map("".join))
def test_what_explains_a_pair_makes_it_one(a: str, b: str) -> None:
    rules = rules_between(SITE + a, SITE + b)
    assert rules == rules_between(SITE + b, SITE + a)
    if rules:
        rule = joint(rules)
        assert bare(rule, SITE + a) == bare(rule, SITE + b)
        forms = {form(rule, SITE + a), form(rule, SITE + b)} - {None}
        assert len(forms) == 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_will_do(a: str, b: str) -> None:
    assert len(rules_between(a, b)) <= 2
    assert form("/print ;v ?sid", a) is None or form("/print ;v ?sid", a) != a
