"""Is the block the textbook's best one? And what counts as a word?"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.cleaners import curve, slope, window
from shoal.cleaners.tag_bits import Bits

WORDS = "A ray is a flat fish that lives on the sand and has no bones but cartilage"
MENU = "<ul><li><a href='/'>Home</a></li><li><a href='/f'>Fish</a></li></ul>"
PAGE = f"<html><title>Rays</title><body>{MENU}<h1>Rays</h1><p>{WORDS}.</p><div>{MENU}</div></html>"

ODD = [
    ("", []),
    (" \n ", []),
    ("<p><img><div></div>", []),
    ("<script>var words = 'many'</script>", []),
    ("<p>one <a href='", ["one"]),
    ("\0<p\0>\0", []),
    ("<p>&#xFFFFFFFF; &;", []),
    ("<p>\ud800 x", ["x"]),
]


def brute_force(bits: bytes) -> tuple[int, int] | None:
    """The textbook's search: all i, all j, the first of the best."""
    found, most = None, -1
    for i in range(len(bits)):
        for j in range(i, len(bits)):
            value = sum(bits[:i]) + sum(1 - b for b in bits[i : j + 1]) + sum(bits[j + 1 :])
            if value > most:
                found, most = (i, j), value
    return found


@given(st.lists(st.integers(0, 1), max_size=24).map(bytes))
def test_one_pass_finds_what_the_search_over_all_blocks_finds(bits: bytes) -> None:
    assert slope.best_block(bits) == brute_force(bits)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 30)), max_size=4))
def test_also_in_long_runs(runs: list[tuple[int, int]]) -> None:
    bits = b"".join(bytes([bit]) * length for bit, length in runs)[:60]
    assert slope.best_block(bits) == brute_force(bits)


@pytest.mark.parametrize(
    ("bits", "wanted"),
    [
        ("", None),
        ("1", (0, 0)),
        ("111", (0, 0)),
        ("0", (0, 0)),
        ("100111", (1, 2)),
        ("10100", (1, 4)),
        ("0110", (0, 0)),
        ("00100", (0, 4)),
        ("11000101", (2, 4)),
    ],
)
def test_which_block(bits: str, wanted: tuple[int, int] | None) -> None:
    assert slope.best_block(bytes(map(int, bits))) == wanted


def test_the_content_of_a_page() -> None:
    [(start, end)] = slope.content(PAGE)
    assert PAGE[start:end] == f"Rays</h1><p>{WORDS}"


def shown(html: str) -> list[str]:
    bits = Bits(html)
    places = zip(bits.bits, bits.starts, bits.ends, strict=True)
    return [("#" if bit else "") + html[start:end] for bit, start, end in places]


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("two words", ["two", "words"]),
        ("<p>one</p>", ["#<p>", "one", "#</p>"]),
        ("<b>x</b><h1><td>", ["<b>", "x", "</b>", "<h1>", "<td>"]),
        ("<a>x</a><img>", ["#<a>", "x", "#</a>", "#<img>"]),
        ("<script>y z</script>", ["#<script>", "#</script>"]),
        ("x<!-- w --><?z v?><!doctype u>", ["x"]),
        ("日本語 text", ["日", "本", "語", "text"]),
        ("ปลา", ["ป", "ล", "า"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("caf&eacute;s a&nbsp;b", ["caf&eacute;s", "a", "b"]),
        ("&raquo; &#20013;&#25991; &amp;", ["&#20013;", "&#25991;"]),
        ("- … 12,5 %", ["12", "5"]),
    ],
)
def test_what_a_token_is(html: str, wanted: list[str]) -> None:
    assert shown(html) == wanted


@pytest.mark.parametrize(("html", "words"), ODD)
def test_odd_pages(html: str, words: list[str]) -> None:
    assert [html[start:end] for start, end in slope.content(html)] == words
    assert [html[start:end] for start, end in window.content(html)] == words
    assert curve.slope(html).text(40)


@given(st.text() | st.text(alphabet="<>/abp &;#x1=\"'"))
def test_any_text_has_a_curve(html: str) -> None:
    for found in (curve.slope(html, "slope"), curve.slope(html, "window")):
        assert found.cumulative[-1] == found.tags
        ends = [place for block in found.blocks for place in block.source]
        assert ends == sorted(ends)
        assert 0 <= found.share <= 1


def test_a_page_without_tags_is_all_content() -> None:
    assert slope.content(WORDS) == [(0, len(WORDS))]


@pytest.mark.slow
def test_five_megabytes() -> None:
    started = time.process_time()
    html = MENU * 10_000 + f"<p>{WORDS}</p>" * 50_000 + MENU * 10_000
    found = curve.slope(html)
    assert time.process_time() - started < 60
    assert len(html) > 5_000_000
    assert found.blocks[0].words == 50_000 * len(WORDS.split())
