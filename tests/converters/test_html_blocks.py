"""The blocks of an HTML page: what a person would see, with its tags."""

import time

import pytest

from shoal.converters.html.blocks import write_blocks
from shoal.converters.limits import Limits
from shoal.converters.writer import Writer
from shoal.model.content import COMMENT, content_of
from shoal.model.page import Block, Tag

P, H, LI, OL = Tag.PARAGRAPH, Tag.HEADING, Tag.ITEM, Tag.NUMBERED


def blocks(html: str, limits: Limits | None = None) -> list[Block]:
    writer = Writer(limits or Limits())
    write_blocks(html, writer)
    return writer.blocks


def scored(html: str, *ranges: str) -> list[tuple[str, float]]:
    """The blocks with their scores, if these parts of the source are content."""
    places = [(html.index(each), html.index(each) + len(each)) for each in ranges]
    writer = Writer(Limits())
    write_blocks(html, writer, content_of(places, "test"))
    return [(block.text, block.score) for block in writer.blocks]


def table(text: str, header_rows: int = 0) -> Block:
    return Block(Tag.TABLE, text, header_rows)


HEADINGS_AND_PARAGRAPHS = [
    ("<h1>One</h1>two<h6>Three</h6>", [Block(H, "One", 1), Block(P, "two"), Block(H, "Three", 6)]),
    ("<h2>a <b>b</b></h3><p>c", [Block(H, "a b", 2), Block(P, "c")]),
    ("<p>a<p>b<div>c", [Block(P, "a"), Block(P, "b"), Block(P, "c")]),
    ("a<br>b<hr>c", [Block(P, "a b"), Block(P, "c")]),
    ("<p>a&nbsp;&amp;\n\tb&lt;i&gt;", [Block(P, "a &b<i>".replace("&b", "& b"))]),
    (
        "<blockquote><p>a<p>b</blockquote>c",
        [Block(Tag.QUOTE, "a"), Block(Tag.QUOTE, "b"), Block(P, "c")],
    ),
    ("<title>T</title><style>p{}</style><script>1<2</script>x", [Block(P, "x")]),
    ("<details><summary>s</summary>d</details>", [Block(P, "s"), Block(P, "d")]),
    ("", []),
    ("<p> <div>\n</div>", []),
]


@pytest.mark.parametrize(("html", "expected"), HEADINGS_AND_PARAGRAPHS)
def test_headings_and_paragraphs(html: str, expected: list[Block]) -> None:
    assert blocks(html) == expected


LISTS = [
    ("<ul><li>a<li>b</ul>", [Block(LI, "a", 1), Block(LI, "b", 1)]),
    (
        "<ul><li>a<ul><li>b</ul><li>c</ul>",
        [Block(LI, "a", 1), Block(LI, "b", 2), Block(LI, "c", 1)],
    ),
    (
        "<ol><li>a<ul><li>b</ul><li>c</ol>",
        [Block(OL, "a", 1, "1."), Block(LI, "b", 2), Block(OL, "c", 1, "2.")],
    ),
    ("<ol start=4><li>a<li>b</ol>", [Block(OL, "a", 1, "4."), Block(OL, "b", 1, "5.")]),
    ("<ol><li value=7>a<li>b</ol>", [Block(OL, "a", 1, "7."), Block(OL, "b", 1, "8.")]),
    ("<ol type=a start=27><li>z</ol>", [Block(OL, "z", 1, "aa.")]),
    ("<ol type=A><li>z</ol>", [Block(OL, "z", 1, "A.")]),
    ("<ol type=I start=1999><li>z</ol>", [Block(OL, "z", 1, "MCMXCIX.")]),
    ("<ol type=i start=99999><li>z</ol>", [Block(OL, "z", 1, "99999.")]),
    ("<ol start=99999999999><li value=x>z</ol>", [Block(OL, "z", 1, "1.")]),
    ("<ul><li><p>a</p><p>b</p></ul>", [Block(LI, "a", 1), Block(P, "b")]),
    ("<li>alone", [Block(LI, "alone", 1)]),
    ("<ul><li></ul>after", [Block(P, "after")]),
    (
        "<dl><dt>ray<dd>flat<dt>eel<dd>long</dl>after",
        [
            *(Block(Tag.TERM, "ray"), Block(Tag.DEFINITION, "flat")),
            *(Block(Tag.TERM, "eel"), Block(Tag.DEFINITION, "long")),
            Block(P, "after"),
        ],
    ),
]


@pytest.mark.parametrize(("html", "expected"), LISTS)
def test_lists(html: str, expected: list[Block]) -> None:
    assert blocks(html) == expected


TABLES = [
    ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", [table("a\tb\nc")]),
    ("<table><tr><td>a<td>b<tr><td><td>d</table>", [table("a\tb\n\td")]),
    ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", [table("a\tb\n1\t2", 1)]),
    ("<table><thead><tr><td>a<td>b<tbody><tr><td>1<td>2</table>", [table("a\tb\n1\t2", 1)]),
    ("<table><tr><th>a<th>b<tr><th>c<th>d<tr><td>1<td>2</table>", [table("a\tb\nc\td\n1\t2", 2)]),
    ("<table><tr><th>a<td>1<tr><th>b<td>2</table>", [table("a\t1\nb\t2")]),
    (
        "<table><caption>Sizes</caption><tr><td>a<td>b</table>",
        [Block(Tag.CAPTION, "Sizes"), table("a\tb")],
    ),
    ("<table><tr><td><p>a</p><p>b</p><td>c</table>", [table("a b\tc")]),
    ("<table><tr><td>a<td>b", [table("a\tb")]),
    # What lays out a page is no table.
    ("<table><tr><td><h1>a</h1><td>b</table>", [Block(H, "a", 1), Block(P, "b")]),
    ("<table><tr><td><ul><li>a</ul><td>b</table>", [Block(LI, "a", 1), Block(P, "b")]),
    ("<table><tr><td>a<tr><td>b</table>", [Block(P, "a"), Block(P, "b")]),
    (
        "<table><tr><td>a<td><table><tr><td>1<td>2</table></table>",
        [Block(P, "a"), table("1\t2")],
    ),
]


@pytest.mark.parametrize(("html", "expected"), TABLES)
def test_tables(html: str, expected: list[Block]) -> None:
    assert blocks(html) == expected


def test_a_cell_as_long_as_a_column_is_one() -> None:
    found = blocks(f"<table><tr><td>menu<td>{'fish ' * 400}</table>")
    assert [block.kind for block in found] == [P, P]


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>x</p>seen",
        "<div style='color:red; Display : None'><div>x</div>x</div>seen",
        "<p style=visibility:hidden>x</p>seen",
        "<noscript>x</noscript>seen",
        "<select><option>x</select>seen",
        "<template><p>x</template>seen",
        "<object><p>x</object>seen",
        "<svg><title>x</title><text>x</text></svg>seen",
        "<!-- <p>x -->seen",
    ],
)
def test_what_is_hidden_is_left_out(html: str) -> None:
    assert blocks(html) == [Block(P, "seen")]


def test_preformatted_text_keeps_its_lines() -> None:
    (block,) = blocks("<pre>def swim():\n    return <b>1</b> &lt; 2\nend\n</pre>")
    assert block == Block(Tag.PRE, "def swim():\n    return 1 < 2\nend")


def test_what_a_picture_shows() -> None:
    html = "<figure><img alt=' A  ray &amp; co '><figcaption>Rays</figcaption></figure><img alt=''>"
    assert blocks(html) == [Block(Tag.CAPTION, "A ray & co"), Block(Tag.CAPTION, "Rays")]


def test_bold_and_links() -> None:
    (block,) = blocks("<p>The <b>big</b> <strong>ray</strong> is <a href='/a?b&amp;c'>there</a>.")
    assert block.text == "The big ray is there."
    assert block.bold == [(4, 11)]
    assert block.links == [(15, 20, "/a?b&c")]


def test_bold_goes_on_over_blocks_until_it_ends() -> None:
    assert [block.bold for block in blocks("<b>a<p>b</b>c<p>d")] == [[(0, 1)], [(0, 1)], []]


def test_the_title() -> None:
    assert write_blocks("<title> A\n &amp; B </title><title>C</title>", Writer(Limits())) == "A & B"


@pytest.mark.parametrize(
    "tag", ["div", "ul", "ol", "table", "table><tr><td", "blockquote", "b", "dl><dd", "li", "h1"]
)
def test_deep_nesting_takes_no_time(tag: str) -> None:
    end = tag.partition(">")[0]
    started = time.process_time()
    found = blocks(f"<{tag}>" * 20_000 + "deep" + f"</{end}>" * 20_000 + "after")
    assert time.process_time() - started < 10
    assert "deep" in " ".join(block.text for block in found)


def test_a_long_page_is_cut() -> None:
    found = blocks("<p>fish" * 1000, Limits(blocks=10))
    assert len(found) == 10


SCORES = [
    ("<p>menu<p>text", ["text"], [("menu", 0.0), ("text", 1.0)]),
    ("<h1>top</h1><ul><li>a<li>b</ul>", ["a"], [("top", 0.0), ("a", 1.0), ("b", 0.0)]),
    # cells are weighed together
    (
        "<table><tr><td>aaaa<td>bbbb<tr><td>cccc<td>dddd</table>",
        ["aaaa<td>bbbb<tr><td>cccc<td>dddd"],
        [("aaaa\tbbbb\ncccc\tdddd", 1.0)],
    ),
    # but a menu and a text side by side are no table
    (
        "<table><tr><td>menu<td>text</table>",
        ["text"],
        [("menu", 0.0), ("text", 1.0)],
    ),
    # a picture is content where the text before it is
    (
        "<p>text<img alt=pic><p>menu<img alt=ad>",
        ["text"],
        [("text", 1.0), ("pic", 1.0), ("menu", 0.0), ("ad", 0.0)],
    ),
    ("<p>all<p>of it", ["<p>all<p>of it"], [("all", 1.0), ("of it", 1.0)]),
    ("<p>none<p>of it", [], [("none", 0.0), ("of it", 0.0)]),
]


@pytest.mark.parametrize(("html", "ranges", "expected"), SCORES)
def test_blocks_have_the_scores_of_their_source(
    html: str, ranges: list[str], expected: list[tuple[str, float]]
) -> None:
    assert scored(html, *ranges) == expected


def test_a_block_of_content_and_frame_falls_into_two() -> None:
    html, writer = "<div>menu<br>text <a href=/x>more</a></div>", Writer(Limits())
    found = content_of([(5, 9), (13, 33)], "test")._replace(line_scores=bytes([0, 255]))
    write_blocks(html, writer, found)
    assert [(block.text, block.score) for block in writer.blocks] == [
        ("menu", 0.0),
        ("text more", 1.0),
    ]
    assert writer.blocks[1].links == [(5, 9, "/x")]


def test_what_is_hidden_by_style_is_left_to_the_cleaner() -> None:
    html = "<p style='display:none'>folded text<p>shown"
    assert scored(html, "folded text") == [("folded text", 1.0), ("shown", 0.0)]
    assert blocks(html) == [Block(P, "shown")]


def test_comments_are_marked() -> None:
    html, writer = "<p>text<p>said", Writer(Limits())
    found = content_of([(3, 7), (10, 14)], "test")._replace(marks=bytes([0, COMMENT]))
    write_blocks(html, writer, found)
    assert [block.is_comment for block in writer.blocks] == [False, True]
