"""Character references: the compiled form says what the library says, of anything."""

import html
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.converters.html import references
from shoal.converters.html.references import unescape

PIECES = (
    *(
        "&",
        "&amp;",
        "&amp",
        "&lt;x",
        "&nbsp;",
        "&copycat",
        "&notit;",
        "&NotEqualTilde;",
        "&#",
        "&#;",
    ),
    *(
        "&NotEqualTilde;",
        "&#8217;",
        "&#8217",
        "&#x2019;",
        "&#X41",
        "&#x;",
        "&#xzz;",
        "&#0;",
        "&#128;",
        "&#150;",
    ),
    *("&#55296;", "&#64976;", "&#65534;", "&#1114112;", "&#99999999999;", "&#00000065;", "&#13;"),
    *("AT&T", "a&b=c", ";", " ", "\n", "<", "é", "☃", "𝒳", "&é;", "&" + "a" * 40 + ";", "#", "x"),
)


def test_it_is_compiled_here() -> None:
    assert "shoal.converters.html._references" in sys.modules
    assert references.unescape is not html.unescape


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=200)
def test_references_are_decoded_as_the_library_does(text: str) -> None:
    assert unescape(text) == html.unescape(text)


@given(st.text(max_size=30), st.integers(0, 0x120000))
def test_every_number_and_any_text(text: str, number: int) -> None:
    source = f"{text}&#{number};{text}&#x{number:x};&{text};"
    assert unescape(source) == html.unescape(source)


@pytest.mark.parametrize("name", sorted(html.entities.html5)[::7])
def test_names(name: str) -> None:
    for source in (f"&{name}", f"a&{name}b", f"&{name};", f"é&{name[:-1]}"):
        assert unescape(source) == html.unescape(source)


def test_a_text_without_any_is_returned_as_it_is() -> None:
    text = "no reference in it" * 10
    assert unescape(text) is text


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError):
        unescape(b"&amp;")  # type: ignore[arg-type]
