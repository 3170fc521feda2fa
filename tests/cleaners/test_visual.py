"""The content of a drawn page: by hand-made boxes, and by pages that Chromium draws."""

import importlib.util
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from shoal.cleaners.visual import content, ranges
from shoal.cleaners.visual_features import features
from shoal.cleaners.visual_tree import Block, block_tree, walk
from shoal.cleaners.visual_weights import WEIGHTS
from shoal.fetch.render import Renderer, program
from shoal.model.rendered import Box, Rendered, Side

needs_browser = pytest.mark.skipif(
    importlib.util.find_spec("playwright") is None or not program(),
    reason="needs playwright (pip install 'shoal[js]') and Chromium on the PATH",
)
PROSE = (
    "The boats leave the harbour before dawn, and by noon, when the wind turns, most of them are "
    "back; what they bring is sold on the quay, by the box, to whoever is there. "
)
MENU = "<ul>" + "".join(f"<li><a href=/{n}>Menu {n}</a></li>" for n in range(12)) + "</ul>"
FOOT = "<footer><p>© 2026 Quay Ltd <a href=/terms>Terms</a> <a href=/imprint>Imprint</a></footer>"


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as started:
        yield started


def text(rendered: Rendered) -> str:
    kept = " ".join(rendered.html[start:end] for start, end in content(rendered))
    return re.sub(r"<[^>]*>", " ", kept)


def row(*texts: Box) -> Rendered:
    """Boxes in one body, as the browser would tell them."""
    outer = [Box(0, -1, "html", 0, 0, 1280, 900), Box(1, 0, "body", 8, 8, 1264, 880)]
    return Rendered(html="", width=1280, height=900, boxes=[*outer, *texts])


def line(number: int, y: float, **told: object) -> Box:
    box = Box(number, 1, "p", 8, y, 1264, 20, chars=50, font_size=16.0)
    for name, value in told.items():
        setattr(box, name, value)
    return box


def shape(block: Block) -> object:
    return [shape(child) for child in block.children] or block.box.number


def test_gaps_divide_a_row_of_blocks() -> None:
    tree = block_tree(row(line(2, 10), line(3, 32), line(4, 120), line(5, 142), line(6, 164)))
    assert tree is not None
    assert shape(tree) == [[2, 3], [4, 5, 6]]


def test_lines_and_backgrounds_divide_too() -> None:
    ruled = row(line(2, 10), line(3, 30), Box(4, 1, "hr", 8, 50, 1264, 2), line(5, 52), line(6, 72))
    tree = block_tree(ruled)
    assert tree is not None
    assert shape(tree) == [[2, 3], [5, 6]]
    bordered = row(line(2, 10), line(3, 30, borders=int(Side.BOTTOM)), line(4, 50))
    tree = block_tree(bordered)
    assert tree is not None
    assert shape(tree) == [[2, 3], 4]
    coloured = row(line(2, 10), line(3, 30), line(4, 50, background=0xEEEEEE))
    tree = block_tree(coloured)
    assert tree is not None
    assert shape(tree) == [[2, 3], 4]


def test_columns_are_set_off() -> None:
    left = line(2, 10, width=300, height=700)
    right = line(3, 10, x=320, width=900, height=700)
    tree = block_tree(row(left, right))
    assert tree is not None
    assert tree.children[1].separator >= 0.5


def test_what_is_hidden_or_empty_is_no_block() -> None:
    tree = block_tree(row(line(2, 10), line(3, 30, shown=False), line(4, 50, chars=0), line(5, 60)))
    assert tree is not None
    assert [block.box.number for block in walk(tree) if not block.children] == [2, 5]
    assert block_tree(row()) is None
    assert block_tree(Rendered(html="", width=0, height=0)) is None
    assert content(Rendered(html="<p>never drawn", width=0, height=0)) == []


def test_every_kind_of_text_can_be_judged() -> None:
    roles = ("", "navigation", "banner", "search", "dialog", "complementary", "contentinfo", "x")
    tags = ("p", "h1", "h6", "li", "td", "pre", "a", "main", "article", "form", "dialog", "unknown")
    texts = [line(2 + at, 20 * at, tag=tag) for at, tag in enumerate(tags)]
    texts += [line(14 + at, 300 + 20 * at, role=role) for at, role in enumerate(roles)]
    page = row(*texts)
    assert content(page) == []  # there is no source
    tree = block_tree(page)
    assert tree is not None
    assert {name for _, seen in features(page, tree) for name in seen} == set(WEIGHTS)


def numbered() -> Rendered:
    html = (
        '<html data-shoal-box="0"><body data-shoal-box="1">one<div data-shoal-box="2">two'
        '<p data-shoal-box="3">three</p><br>four</div><p data-shoal-box="4">five</p></body></html>'
    )
    parents = [(-1, "html", 0), (0, "body", 3), (1, "div", 7), (2, "p", 5), (1, "p", 4)]
    boxes = [
        Box(number, parent, tag, 0, 10 * number, 1280, 10, chars=chars)
        for number, (parent, tag, chars) in enumerate(parents)
    ]
    return Rendered(html=html, width=1280, height=50, boxes=boxes)


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        (set(), []),
        ({1}, ['<body data-shoal-box="1">one', "</body>"]),
        ({2}, ['<div data-shoal-box="2">two', "<br>four</div>"]),
        ({3}, ['<p data-shoal-box="3">three</p>']),
        ({2, 3}, ['<div data-shoal-box="2">two<p data-shoal-box="3">three</p><br>four</div>']),
        ({3, 4}, ['<p data-shoal-box="3">three</p>', '<p data-shoal-box="4">five</p>']),
    ],
)
def test_ranges_are_of_the_own_text(chosen: set[int], kept: list[str]) -> None:
    page = numbered()
    assert [page.html[start:end] for start, end in ranges(page, chosen)] == kept


def test_all_of_it_is_one_range() -> None:
    page = numbered()
    assert ranges(page, {1, 2, 3, 4}) == [(0, len(page.html))]


def test_numbers_that_lie_do_no_harm() -> None:
    page = numbered()
    page.html = page.html.replace('"3"', '"2"').replace("</div>", "") + '<p data-shoal-box="4">'
    found = ranges(page, {1, 2, 3, 4})
    assert found == sorted(found)
    assert all(start < end for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))


@needs_browser
def test_an_article_between_menu_and_footer(renderer: Renderer) -> None:
    page = renderer.render(
        f"<header><a href=/>Quay</a><nav>{MENU}</nav></header><h1>Of boats</h1>"
        + f"<p>{PROSE}</p>" * 4
        + f"<h2>Later</h2><p>Last of all, {PROSE}</p><aside><h3>Related</h3>{MENU}</aside>{FOOT}"
    )
    kept = text(page)
    assert kept.count("harbour") == 5
    assert "Last of all" in kept
    assert "Menu" not in kept
    assert "Imprint" not in kept


@needs_browser
def test_columns_without_landmarks(renderer: Renderer) -> None:
    page = renderer.render(
        f"<table><tr><td width=200>{MENU}{MENU}<td><h1>Boats</h1>" + f"<p>{PROSE}" * 6 + "</table>"
    )
    assert text(page).count("harbour") == 6
    assert "Menu" not in text(page)


@needs_browser
def test_a_forum_keeps_its_posts(renderer: Renderer) -> None:
    posts = "".join(
        f"<div class=a><b>user{n}</b><div><p>Answer {n}. {PROSE}</p></div></div>" for n in range(6)
    )
    page = renderer.render(f"<nav>{MENU}</nav><h1>How do boats float?</h1>{posts}{FOOT}")
    assert [f"Answer {n}" in text(page) for n in range(6)] == [True] * 6
    assert "Menu" not in text(page)


@needs_browser
def test_a_list_of_things_is_content(renderer: Renderer) -> None:
    things = "".join(
        f"<li><a href=/b{n}><h3>Boat number {n}</h3></a><p>{n + 3} metres, wood</p><p>{n}99 €</p>"
        for n in range(20)
    )
    page = renderer.render(f"<nav>{MENU}</nav><main><h1>Boats</h1><ul>{things}</ul></main>{FOOT}")
    assert sum(f"Boat number {n}" in text(page) for n in range(20)) == 20
    assert "Imprint" not in text(page)


@needs_browser
def test_hidden_text_is_never_content(renderer: Renderer) -> None:
    page = renderer.render(
        f"<h1>Boats</h1><p>{PROSE}<span style='display:none'>secret</span>{PROSE}</p>"
        f"<p style='visibility:hidden'>{PROSE} secret</p><p>{PROSE}</p>"
    )
    assert text(page).count("harbour") == 3
    assert "secret" not in text(page)


@needs_browser
@pytest.mark.parametrize("page", ["", "<p>", "<script>var a = 1</script>", "<frameset><frame>"])
def test_an_empty_page_has_no_content(renderer: Renderer, page: str) -> None:
    assert content(renderer.render(page)) == []


@pytest.mark.slow
@needs_browser
def test_the_same_page_has_the_same_content(renderer: Renderer) -> None:
    page = f"<nav>{MENU}</nav>" + f"<div><h2>Part</h2><p>{PROSE}</p></div>" * 30 + FOOT
    drawn = renderer.render(page)
    assert content(drawn) == content(renderer.render(page)) != []
    assert all(end <= len(drawn.html) for _, end in content(drawn))
