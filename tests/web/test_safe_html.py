"""Whatever goes in, only known tags, known attributes and escaped text come out, words marked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from shoal.web.server.safe_html import safe_html
from shoal.web.server.words import Words

NONE = Words("")
ALLOWED = {"html", "head", "body", "tbody", "mark", "a", "b", "p", "li", "ol", "td", "th", "table"}
ALLOWED |= {"tr", "pre", "h1", "em", "div", "br", "ul", "dl", "dt", "dd", "-text"}
PIECES = [
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href='http://x.test/'>",
    "</a>",
    "<script>",
    "</script>",
]
PIECES += ["<style>", "</style>", "<!--", "-->", "<![CDATA[", "]]>", "<svg>", "</svg>", "<math>"]
PIECES += ["<img src=x onerror=alert(1)>", "<a href=javascript:x>", "<textarea>", "</textarea>"]
PIECES += [
    "<title>",
    "</title>",
    "<noscript>",
    "<",
    ">",
    '"',
    "'",
    "&lt;",
    "&#60;",
    "&",
    "clownfish",
]
PIECES += [
    "<plaintext>",
    "<xmp>",
    "</xmp>",
    "<iframe>",
    "<table>",
    "<tr><td colspan=2>",
    "\x00",
    "</",
]
PIECES += [
    "<li value=3>",
    "<p onclick=x style=y id=z>",
    "<base href=//e.test>",
    "<meta http-equiv=x>",
]
PIECES += ["<template>", "</template>", "<form>", "<input>", "\u202e", "<?php ?>", "<!doctype x>"]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=30))
def test_nothing_else_ever_comes_out(pieces: list[str]) -> None:
    out = safe_html("".join(pieces), Words("clownfish"))
    for node in LexborHTMLParser(f"<!doctype html><body>{out}").css("*"):
        assert node.tag in ALLOWED
        allowed = {"a": {"href", "target", "rel"}, "td": {"colspan"}, "li": {"value"}}
        allowed["mark"] = {"id"}
        assert set(node.attributes) <= allowed.get(node.tag, set())
        assert node.attributes.get("id") in (None, "marked")
        if "href" in node.attributes:
            assert (node.attributes["href"] or "").startswith("http://x.test/")
    assert "\u202e" not in out


@pytest.mark.parametrize(
    ("html", "safe"),
    [
        ("<p>a<script>b</script>c</p>", "<p>ac</p>"),
        ("<p>a</script><b>c", "<p>a<b>c</b></p>"),
        ("<b><p>x</b>y</p>", "<b><p>x</p></b>y"),
        ("<head><title>t</title></head><body>x", "x"),
        ("<svg><p>in</svg>out", "out"),
        ("&lt;script&gt;&amp;amp;", "&lt;script&gt;&amp;amp;"),
        ("<a href=' JavaScript:x'>l</a>", "<a>l</a>"),
        ("<a href='https:\\\\e.test'>l</a>", "<a>l</a>"),
        ("<li value='12' onclick=x>", '<li value="12"></li>'),
        ("<td colspan='2;x'>", "<td></td>"),
        ("<br/><hr><img src=x>", "<br><hr>"),
    ],
)
def test_examples(html: str, safe: str) -> None:
    assert safe_html(html, NONE) == safe


def test_a_link_leads_out_without_saying_where_from() -> None:
    out = safe_html("<a href='http://x.test/?a=1&amp;b=\"' onclick=x>l</a>", NONE)
    expected = '<a href="http://x.test/?a=1&amp;b=&quot;" target="_blank" '
    assert out == expected + 'rel="noopener noreferrer nofollow">l</a>'


def test_depth_is_bounded() -> None:
    out = safe_html("<div>" * 100_000 + "x", NONE)
    assert out.count("<div>") == out.count("</div>") < 1000
    assert "x" in out


def marked(query: str, text: str) -> list[str]:
    return [piece for piece, is_wanted in Words(query).marked(text) if is_wanted]


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        (
            "clownfish",
            "Clownfish, a CLOWNFISH; clownfishes",
            ["Clownfish", "CLOWNFISH", "clownfishes"],
        ),
        ("running", "He runs; running, runner", ["running", "runner"]),
        ("cafe", "Le café du coin", ["café"]),
        ("the reef", "the reef of the north", ["reef"]),
        ("the", "the reef", ["the"]),
        (
            '"sea anemone" -sponge site:a.test OR',
            "sea anemone, sponge, site, a.test, or",
            ["sea", "anemone"],
        ),
        ("intitle:tide", "high tides", ["tides"]),
        ("日本", "私は日本人です", ["日本"]),
        ("a<b>", "a <b> c", ["b"]),
        ("[.*(", "[.*(", []),
        ("", "anything", []),
    ],
)
def test_which_words_are_marked(query: str, text: str, found: list[str]) -> None:
    assert marked(query, text) == found


@given(st.text(max_size=60), st.text(max_size=200))
def test_marking_changes_no_text(query: str, text: str) -> None:
    assert "".join(piece for piece, _ in Words(query).marked(text)) == text


def test_a_word_within_a_tag_is_not_marked() -> None:
    out = safe_html(
        '<a href="http://reef.test/reef">reef</a><b class="reef">b</b>', Words("reef b")
    )
    assert out.count("<mark>") == out.count('<mark id="marked">') == 1
    assert re.search(r'href="http://reef.test/reef"', out)
