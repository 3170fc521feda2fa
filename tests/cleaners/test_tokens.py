"""Is every character of a page in one token, and is each what a browser takes it for?"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.cleaners.tokens import HtmlTokenKind, attributes, tokens

PIECES = (
    '<|>|/|!|-|--|?|a|b| |"|\'|=|<p>|</p>|<a href="|<script|<script>|</script>|</SCRIPT >|<!--|-->'
    "|--!>|<title>|</title>|<svg>|</svg>|<title/>|<![CDATA[|]]>|&amp;|\n|é|</|<plaintext>|\0"
)
pages = st.lists(st.sampled_from(PIECES.split("|")) | st.text(max_size=3), max_size=40).map("".join)


def kinds(html: str) -> list[str]:
    """Each token in short: its text, <name>, </name>, or its source in brackets."""
    shown = []
    for kind, name, start, end in tokens(html):
        source = html[start:end]
        forms = {
            HtmlTokenKind.TEXT: source,
            HtmlTokenKind.START: f"<{name}>",
            HtmlTokenKind.END: f"</{name}>",
        }
        shown.append(forms.get(kind, f"[{source}]"))
    return shown


@given(pages)
def test_every_character_is_in_one_token(html: str) -> None:
    position = 0
    for kind, name, start, end in tokens(html):
        assert start == position < end
        assert bool(name) == (kind in (HtmlTokenKind.START, HtmlTokenKind.END))
        assert name == name.lower()
        position = end
    assert position == len(html)


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("", []),
        ("only text", ["only text"]),
        ("a < b <3 c", ["a < b <3 c"]),
        ("<P CLASS='a>b'>x</P\n>", ["<p>", "x", "</p>"]),
        ("<br/>x<br />", ["<br>", "x", "<br>"]),
        ("<a href=a/>x", ["<a>", "x"]),
        ("<a x='\"'y>z", ["<a>", "z"]),
        ('<a =">x">', ["<a>", 'x">']),
        ("<!doctype html>x", ["[<!doctype html>]", "x"]),
        ("<!-- <p> -->x", ["[<!-- <p> -->]", "x"]),
        ("<!-->x<!--->y<!---->z", ["[<!-->]", "x", "[<!--->]", "y", "[<!---->]", "z"]),
        ("<!-- a --!>x", ["[<!-- a --!>]", "x"]),
        ("x<!-- never closed <p>", ["x", "[<!-- never closed <p>]"]),
        ("<?xml version='1'?>x", ["[<?xml version='1'?>]", "x"]),
        ("<![CDATA[a>b]]>", ["[<![CDATA[a>]", "b]]>"]),
        (
            "<svg><![CDATA[a>b]]></svg><![CDATA[>",
            ["<svg>", "[<![CDATA[a>b]]>]", "</svg>", "[<![CDATA[>]"],
        ),
        ("</>x</ p>y</1>", ["[</>]", "x", "[</ p>]", "y", "[</1>]"]),
        ("x<a href='", ["x", "[<a href=']"]),
        ("x</", ["x", "[</]"]),
        ("<script>if (a<b) '</p>'</Script >x", ["<script>", "[if (a<b) '</p>']", "</script>", "x"]),
        ("<style></style>x", ["<style>", "</style>", "x"]),
        ("<script>never <p>", ["<script>", "[never <p>]"]),
        ("<iframe><p>x</iframe>", ["<iframe>", "[<p>x]", "</iframe>"]),
        ("<title>A <b> c</title>", ["<title>", "A <b> c", "</title>"]),
        ("<textarea><p></textareas></textarea>", ["<textarea>", "<p></textareas>", "</textarea>"]),
        ("<noscript><p>x</noscript>", ["<noscript>", "<p>", "x", "</noscript>"]),
        ("<svg><title/><path/></svg>x", ["<svg>", "<title>", "<path>", "</svg>", "x"]),
        ("<title/>x</title>", ["<title>", "x", "</title>"]),
        ("<plaintext></plaintext>", ["<plaintext>", "</plaintext>"]),
        ("<my-tag:a.b>", ["<my-tag:a.b>"]),
    ],
)
def test_what_a_browser_sees(html: str, wanted: list[str]) -> None:
    assert kinds(html) == wanted


def test_an_end_tag_in_plaintext_is_text() -> None:
    assert [token.kind for token in tokens("<plaintext></plaintext>")] == [
        HtmlTokenKind.START,
        HtmlTokenKind.TEXT,
    ]


@pytest.mark.parametrize(
    ("tag", "wanted"),
    [
        ("<p>", {}),
        ("<A HREF=x Checked>", {"href": "x", "checked": ""}),
        ("<a b='1' b='2'>", {"b": "1"}),
        ('<a b = "1" c= \'2\'d="3">', {"b": "1", "c": "2", "d": "3"}),
        ("<a b=c/d/>", {"b": "c/d/"}),
        ("<a/b/c>", {"b": "", "c": ""}),
        ('<a b="\'>">', {"b": "'>"}),
        ("<a b='never closed", {"b": "never closed"}),
        ("<a b=''>", {"b": ""}),
        ("", {}),
        ("<a b='&lt;&amp;&#65;&#x42;&eacute;'>", {"b": "<&ABé"}),
        ("<a b='?x=1&copy=2&amp;y&lt'>", {"b": "?x=1&copy=2&y<"}),
        ("<a b='&nosuch;&notit;&#99999999;&'>", {"b": "&nosuch;&notit;&#99999999;&"}),
    ],
)
def test_attributes(tag: str, wanted: dict[str, str]) -> None:
    assert attributes(tag) == wanted


@given(st.text() | pages)
def test_attributes_of_anything(tag: str) -> None:
    assert all(name == name.lower() for name in attributes(tag))


def test_a_number_that_python_would_not_read_is_left() -> None:
    value = f"&#{'9' * 6000};"
    assert attributes(f"<a b='{value}'>") == {"b": value}


@pytest.mark.parametrize("before", ["", "<a ", "<svg>", "<script>", '<a x="', "<!--", "<title>"])
@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "</",
        "<a ",
        '<a x="',
        "<!--",
        "<!-- --!>",
        "<?",
        "<![CDATA[",
        "<a =  ",
        "a=",
        "&",
        "<a/",
    ],
)
def test_the_time_grows_with_the_page_and_no_faster(before: str, piece: str) -> None:
    html = before + piece * (200_000 // len(piece))
    started = time.process_time()
    assert sum(token.end - token.start for token in tokens(html)) == len(html)
    attributes(html)
    assert time.process_time() - started < 10
