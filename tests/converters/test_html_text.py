"""Lines of a page and their shades stay in step, whatever is hidden, decoded or left out."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.converters.characters.charset import Text
from shoal.converters.html.html import read, read_text
from shoal.converters.html.scan import CONTROLS
from shoal.converters.limits import Limits
from shoal.model.content import KEPT, Content, content_of, content_text
from shoal.model.page import Page
from shoal.model.record import changed
from tests.converters.parts import context

_TEXT = re.compile(r"[^<>]*content[^<>]*")
WORDS = "a word beside another, and so it goes on to the end of the line " * 10


class Marked:
    """Content is every stretch of text with the word content in it; a stub that weighs nothing."""

    def content(self, html: str) -> Content:
        return content_of([match.span() for match in _TEXT.finditer(html)], "marked")


class Everywhere:
    """Pieces of any size, of which each has another shade."""

    def __init__(self, cuts: list[int]) -> None:
        self._cuts = cuts

    def content(self, html: str) -> Content:
        cuts = sorted({cut % (len(html) + 1) for cut in self._cuts})
        pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
        found = content_of(pairs, "everywhere")
        return found._replace(line_scores=bytes(50 * (at % 6) for at in range(len(pairs))))


def page_of(html: str, cleaner: Marked | Everywhere | None, limits: Limits | None = None) -> Page:
    given = changed(context(limits=limits), cleaner=cleaner)
    return read(Text(html, "utf-8", "test"), given).page


def lines_of(html: str) -> list[tuple[str, bool]]:
    """Each line of the page, and whether it is content."""
    page = page_of(html, Marked())
    assert page.cleaned_by == "marked"
    lines = page.text.split("\n") if page.text else []
    return [(line, shade >= KEPT) for line, shade in zip(lines, page.line_scores, strict=True)]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<p>menu<p>content", [("menu", False), ("content", True)]),
        (
            "<p>content<p>menu<p>content 2",
            [("content", True), ("menu", False), ("content 2", True)],
        ),
        ("<b>content</b> of <i>content", [("content of content", True)]),
        # hidden ranges
        ("<select><option>1</select><p>content", [("content", True)]),
        ("menu<object>x<p>y</object><p>content", [("menu", False), ("content", True)]),
        (
            "<p>content<template><p>a<p>b</template>of it<p>end",
            [("content", True), ("of it", False), ("end", False)],
        ),
        (
            "<p>content <noscript>a</noscript>content<p>end",
            [("content content", True), ("end", False)],
        ),
        ("<noscript>all of it</noscript>", []),
        ("<select><option>all</select>\n", []),
        # character references
        ("<p>1 &lt; 2<p>content &amp; more", [("1 < 2", False), ("content & more", True)]),
        ("<p>menu&#10;menu<p>content", [("menu menu", False), ("content", True)]),
        ("<p>menu&#10menu<p>content", [("menu menu", False), ("content", True)]),
        ("<p>menu&#x0Ag<p>content", [("menu g", False), ("content", True)]),
        ("<p>menu&NewLine;x<p>content", [("menu x", False), ("content", True)]),
        # lines that become empty
        (
            "<p>menu<p>&nbsp;<p>content<p>&#32;<p>end",
            [("menu", False), ("content", True), ("end", False)],
        ),
        ("<p>&nbsp;&nbsp;<p>&#12288;<p>content", [("content", True)]),
        ("", []),
        ("<p>&nbsp;", []),
    ],
)
def test_lines_and_shades_in_step(html: str, lines: list[tuple[str, bool]]) -> None:
    assert lines_of(html) == lines


def test_without_content_noscript_is_no_text() -> None:
    assert lines_of("<p>content<noscript><p>switch scripts on</noscript><p>menu") == [
        ("content", True),
        ("menu", False),
    ]


def test_content_in_noscript_is_text_where_it_stands() -> None:
    class Forum(Marked):
        def content(self, html: str) -> Content:
            found = super().content(html)
            return found._replace(marks=b"\2" * len(found.line_scores))

    page = page_of("<p>menu<noscript><p>content</noscript><p>end", Forum())
    assert page.text == "menu\ncontent\nend"
    assert content_text(page.text, page.line_scores) == "content"


def test_a_page_that_is_mostly_noscript_ends_with_it() -> None:
    html = f"<p>content<noscript><p>{WORDS}<p>&nbsp;<p>content &amp; more</noscript><p>menu"
    found = lines_of(html)
    assert [line for line, _ in found] == ["content", "menu", WORDS.strip(), "content & more"]
    assert [is_content for _, is_content in found] == [True, False, False, True]


def test_a_page_that_is_all_noscript() -> None:
    found = lines_of(f"<noscript><p>{WORDS}<p>content</noscript>")
    assert found == [(WORDS.strip(), False), ("content", True)]


def test_a_text_that_is_cut_has_shades_for_what_is_left() -> None:
    limits = Limits(text_chars=9)
    page = page_of("<p>menu<p>content<p>more", Marked(), limits)
    assert page.text == "menu\ncont"
    assert content_text(page.text, page.line_scores) == "cont"
    assert len(page.line_scores) == 2


def test_without_a_cleaner_there_are_no_shades() -> None:
    page = page_of("<p>menu<p>content", None)
    assert (page.line_scores, page.cleaned_by) == (b"", "")


_BITS = [
    *(
        "<p>",
        "</p>",
        "<br>",
        "<td>",
        "<pre>",
        "</pre>",
        "\n",
        " ",
        "word",
        "content",
        "é",
        "😀",
        "<",
    ),
    *(
        "<noscript>",
        "</noscript>",
        "<select>",
        "</select>",
        "<option>",
        "<template>",
        "</template>",
    ),
    *("<object>", "</object>", "&nbsp;", "&#10;", "&#10", "&#xa", "&#13;", "&NewLine;", "&Tab;"),
    *("&amp;", "&#0;", "&#28;", "&#133;", "&", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2028"),
    *(
        "<svg>",
        "</svg>",
        "</title>",
        "\u3000",
        "\r",
        "<script>",
        "</script>",
        "<textarea>",
        "<!--",
        "-->",
        "<title>",
        WORDS,
    ),
]


@given(
    st.lists(st.sampled_from(_BITS) | st.text(max_size=3), max_size=40),
    st.lists(st.integers(0, 5000), max_size=12),
)
@example(["\x00"], [])
@example(["<title>", "\x00", "</title>", "a", "\x01", "<p>", "\x7f", "<p>", "b"], [0, 9])
def test_every_line_has_a_shade(bits: list[str], cuts: list[int]) -> None:
    html = "".join(bits)
    page = page_of(html, Everywhere(cuts))
    assert len(page.line_scores) == (page.text.count("\n") + 1 if page.text else 0)
    assert not CONTROLS.search(page.title + page.text)
    told = read_text(html, Limits(), Everywhere(cuts).content(html))
    assert told == (page.title, page.text, page.line_scores)
    plain = page_of(html, None)
    if not any("noscript" in bit for bit in bits):
        assert page.text == plain.text
