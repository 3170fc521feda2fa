"""Are the sections of low slope found, all of them and nothing else?"""

from array import array
from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st

from shoal.cleaners import window
from shoal.cleaners.window import WIDTH_TOKENS, low_slope_blocks, window_width

SENTENCE = "rays are flat fish that live on the sand "
LINKS = "<li><a href='/'>more</a></li>" * 30


def curve(bits: str) -> "array[int]":
    return array("L", accumulate(map(int, bits), initial=0))


def blocks(bits: str) -> list[tuple[int, int]]:
    return low_slope_blocks(curve(bits))


def test_nothing_in_nothing() -> None:
    assert blocks("") == []


def test_text_alone_is_one_section() -> None:
    assert blocks("0" * 10) == [(0, 9)]
    assert blocks("0" * 500) == [(0, 499)]


def test_tags_alone_are_none() -> None:
    assert blocks("1" * 500) == []


def test_an_even_mixture_has_no_low_section() -> None:
    assert blocks("01" * 300) == []


def test_each_flat_section_is_found() -> None:
    steep, flat = "1" * 200, "0" * 200
    found = blocks(steep + flat + steep + flat + steep)
    assert len(found) == 2
    for (i, j), start in zip(found, (200, 600), strict=True):
        assert abs(i - start) < WIDTH_TOKENS
        assert abs(j - (start + 199)) < WIDTH_TOKENS
        assert i <= start
        assert j >= start + 199


def test_one_link_does_not_end_a_section() -> None:
    steep, flat = "1" * 200, "0" * 200
    assert len(blocks(steep + flat + "11" + flat + steep)) == 1


def test_a_gallery_within_an_article_is_left_out() -> None:
    html = f"<ul>{LINKS}</ul><p>{SENTENCE * 20}</p><ul>{LINKS}</ul><p>{SENTENCE * 20}</p>{LINKS}"
    first, second = window.content(html)
    assert html.index("rays") in range(*first)
    assert html.rindex("sand") in range(*second)
    middle = html.index(LINKS, first[0]) + len(LINKS) // 2
    assert first[1] < middle < second[0]


@given(st.text("01", max_size=400), st.integers(0, 60))
def test_blocks_are_ascending_disjoint_and_below_the_mean(bits: str, zeros: int) -> None:
    bits += "0" * zeros
    found = blocks(bits)
    places = [place for block in found for place in block]
    assert places == sorted(places)
    assert all(0 <= i <= j < len(bits) for i, j in found)
    assert all(before[1] + 1 < after[0] for before, after in pairwise(found))
    mean = bits.count("1") / max(len(bits), 1)
    width = window_width(len(bits))
    for i, j in found:
        assert j - i + 1 >= width
        assert bits[i : i + width].count("1") <= mean / 2 * width
