"""What the parser would spend too much on is cut off before it; what stands before is read (W9)."""

import time

import pytest

from shoal.convert.context import Limits
from shoal.convert.html_limits import bounded

START = "<title>t</title><p>words</p>"
SMALL = Limits(tags=100, nesting=20, attributes=50)


@pytest.mark.parametrize(
    ("rest", "problem"),
    [
        ("<br>" * 96, ""),
        ("<br>" * 97, "cut: more than 100 tags"),
        ("<div>" * 20 + "<br>" * 30, ""),
        ("<div>" * 21 + "<br>" * 30, "nested deeper than 20 tags"),
    ],
)
def test_tags_and_nesting(rest: str, problem: str) -> None:
    html, said = bounded(START + rest, SMALL)
    assert said == problem
    assert html.startswith(START)
    assert (len(html) < len(START + rest)) == bool(problem)


@pytest.mark.parametrize(
    "attribute", ["a{}=1 ", "a{} ", 'a{}=">" ', "a{}='<p>' ", "a{}/", "a{}=1\n"]
)
def test_many_attributes_of_one_tag_however_they_are_written(attribute: str) -> None:
    crowded = "<p " + "".join(attribute.format(i) for i in range(60_000)) + ">"
    started = time.process_time()
    html, problem = bounded(f"{START}{crowded}<p>behind", Limits())
    assert html == START
    assert problem == "cut: a tag with more than 20000 attributes"
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "honest",
    [
        '<path d="' + "M 1 2 L 3 4 " * 60_000 + '">',
        "<img src='data:image/png;base64," + "A" * 500_000 + "'>",
        "<p title=x>" + "plain words " * 50_000,
        "<i a='x' b='y'></i>" * 30_000,
    ],
)
def test_long_values_and_long_texts_are_no_attributes(honest: str) -> None:
    html, problem = bounded(START + honest, Limits())
    assert (html, problem) == (START + honest, "")


@pytest.mark.parametrize("noise", ["<a '", '<a "', "<a =", "<a '\"", "<"])
def test_quotes_without_an_end_cost_no_more_than_their_length(noise: str) -> None:
    page = noise * (2_000_000 // len(noise))
    started = time.process_time()
    bounded(page, Limits())
    assert time.process_time() - started < 5
