"""Blocks shown as HTML and as Markdown: every tag, nothing that runs, and the same when read."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.converters.limits import Limits
from shoal.converters.rendition import as_html, as_markdown
from shoal.converters.writer import Run, Writer
from shoal.model.page import Block, Tag
from tests.converters.test_html_blocks import blocks as read_back


def body(*blocks: Block) -> str:
    html = as_html(blocks)
    return html[html.index("<body>\n") + 7 : html.index("\n</body>")].replace("\n", "")


def item(text: str, level: int = 1) -> Block:
    return Block(Tag.ITEM, text, level)


def number(text: str, marker: str, level: int = 1) -> Block:
    return Block(Tag.NUMBERED, text, level, marker)


def test_a_whole_page() -> None:
    assert as_html([], "a<b", 'e"n') == (
        '<!doctype html>\n<html lang="e&quot;n">\n<head>\n<meta charset="utf-8">\n'
        "<title>a&lt;b</title>\n</head>\n<body>\n\n</body>\n</html>\n"
    )
    assert as_markdown([]) == ""


SINGLE = [
    (Block(Tag.HEADING, "a<b", 3), "<h3>a&lt;b</h3>", "### a\\<b"),
    (Block(Tag.HEADING, "a", 1, "1.2"), "<h1>1.2 a</h1>", "# 1.2 a"),
    (Block(Tag.PARAGRAPH, 'a & "b"'), "<p>a &amp; &quot;b&quot;</p>", 'a & "b"'),
    (Block(Tag.PARAGRAPH, "*a* [b] `c` _d_"), "<p>*a* [b] `c` _d_</p>", None),
    (Block(Tag.QUOTE, "a"), "<blockquote>a</blockquote>", "> a"),
    (Block(Tag.TERM, "a"), "<dl><dt>a</dt></dl>", "**a**"),
    (Block(Tag.DEFINITION, "a"), "<dl><dd>a</dd></dl>", ": a"),
    (Block(Tag.CAPTION, "a"), "<figcaption>a</figcaption>", "a"),
    (Block(Tag.ASIDE, "a"), "<aside>a</aside>", "a"),
    (Block(Tag.PRE, " a\n<b>"), "<pre> a&lt;b&gt;</pre>", "```\n a\n<b>\n```"),
    (Block(Tag.PRE, "```"), "<pre>```</pre>", "````\n```\n````"),
    (item("a"), "<ul><li>a</li></ul>", "- a"),
    (number("a", "3."), '<ol><li value="3">a</li></ol>', "3. a"),
    (number("a", "(c)"), "<ol><li>(c) a</li></ol>", "1. (c) a"),
    (
        Block(Tag.TABLE, "a|\tb\nc", 1),
        "<table><tr><th>a|</th><th>b</th></tr><tr><td>c</td></tr></table>",
        "| a\\| | b |\n| --- | --- |\n| c |  |",
    ),
]


@pytest.mark.parametrize(("block", "html", "markdown"), SINGLE)
def test_every_tag(block: Block, html: str, markdown: str | None) -> None:
    assert body(block) == html
    if markdown is not None:
        assert as_markdown([block]) == markdown + "\n"


def test_every_tag_has_a_rendition() -> None:
    assert {block.kind for block, _, _ in SINGLE} == set(Tag)


def test_markdown_means_what_was_written() -> None:
    block = Block(Tag.PARAGRAPH, "*a* [b] `c` _d_ \\")
    assert as_markdown([block]) == "\\*a\\* \\[b\\] \\`c\\` \\_d\\_ \\\\\n"
    assert as_markdown([Block(Tag.PARAGRAPH, "# no heading")]) == "\\# no heading\n"
    assert as_markdown([Block(Tag.PARAGRAPH, "- no item")]) == "\\- no item\n"


def test_nested_lists() -> None:
    told = [item("a"), number("b", "1.", 2), number("c", "2.", 2), item("d"), number("e", "7.")]
    assert body(*told, Block(Tag.PARAGRAPH, "f")) == (
        '<ul><li>a<ol><li value="1">b</li><li value="2">c</li></ol></li><li>d</li></ul>'
        '<ol><li value="7">e</li></ol><p>f</p>'
    )
    assert as_markdown(told) == "- a\n   1. b\n   2. c\n- d\n7. e\n"


def test_a_list_that_begins_deep_is_closed_all_the_same() -> None:
    html = body(item("a", 4), item("b", 2), item("c", 9))
    assert html.count("<ul>") == html.count("</ul>")
    assert html.count("<li>") == html.count("</li>") == 3


def test_bold_and_links() -> None:
    block = Block(Tag.PARAGRAPH, "a big fish", bold=[(2, 5)], links=[(2, 10, "/(a b)c")])
    assert body(block) == '<p>a <a href="/(a b)c"><b>big</b></a><a href="/(a b)c"> fish</a></p>'
    assert as_markdown([block]) == "a [**big**](/%28a%20b%29c) [fish](/%28a%20b%29c)\n"


@pytest.mark.parametrize(
    "href",
    [
        "https://a.example/",
        "HTTP://a",
        "ftp://a/",
        "mailto:a@b.example",
        "/a",
        "a/b:c",
        "?a:b",
        "#c",
    ],
)
def test_links_that_are_kept(href: str) -> None:
    block = Block(Tag.PARAGRAPH, "fish", links=[(0, 4, href)])
    assert body(block) == f'<p><a href="{href}">fish</a></p>'
    assert as_markdown([block]) == f"[fish]({href})\n"


@pytest.mark.parametrize(
    "href",
    [
        *(
            "javascript:alert(1)",
            " JavaScript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
        ),
        *("\x01javascript:alert(1)", "vbscript:x", "file:///etc/passwd", "blob:x", "x:y"),
    ],
)
def test_links_that_could_run_something_are_dropped(href: str) -> None:
    block = Block(Tag.PARAGRAPH, "fish", links=[(0, 4, href)])
    assert body(block) == "<p>fish</p>"
    assert as_markdown([block]) == "fish\n"


def test_no_attribute_can_be_left() -> None:
    block = Block(Tag.PARAGRAPH, "fish", links=[(0, 4, '/"onclick="x')])
    assert body(block) == '<p><a href="/&quot;onclick=&quot;x">fish</a></p>'


def test_spans_across_cells() -> None:
    block = Block(
        Tag.TABLE, "ab\tcd\nef\tgh", 0, bold=[(1, 7)], links=[(3, 5, "/x"), (10, 11, "/y")]
    )
    assert body(block) == (
        '<table><tr><td>a<b>b</b></td><td><a href="/x"><b>cd</b></a></td></tr>'
        '<tr><td><b>e</b>f</td><td>g<a href="/y">h</a></td></tr></table>'
    )


@pytest.mark.parametrize("render", [as_html, as_markdown])
def test_many_spans_in_a_big_table_take_no_time(render: Callable[[list[Block]], str]) -> None:
    rows = 10_000
    block = Block(
        Tag.TABLE,
        "\n".join(["ab\tcd"] * rows),
        bold=[(6 * row, 6 * row + 2) for row in range(rows)],
        links=[(6 * row + 3, 6 * row + 5, "/x") for row in range(rows)],
    )
    started = time.process_time()
    assert render([block]).count("/x") == rows
    assert time.process_time() - started < 2


WORDS = st.text(st.sampled_from("ab&<>\"'é\U0001f420 "), min_size=1, max_size=8)
INLINE = st.lists(
    st.builds(Run, WORDS, st.booleans(), st.sampled_from(["", "", "/x?a&b", "https://r.example/"])),
    min_size=1,
    max_size=4,
)
DEPTHS = st.integers(0, 3)


def _heading(writer: Writer, inline: list[Run], _depth: int) -> None:
    writer.heading(inline, 2)


def _paragraph(writer: Writer, inline: list[Run], _depth: int) -> None:
    writer.paragraph(inline)


def _item(writer: Writer, inline: list[Run], depth: int) -> None:
    """One deeper than the item before it at most: HTML knows no other way."""
    last = writer.blocks[-1] if writer.blocks else None
    before = last.level if last is not None and last.kind in (Tag.ITEM, Tag.NUMBERED) else 0
    level = min(depth + 1, before + 1)
    marker = f"{depth + 4}." if depth % 2 else ""
    writer.item(inline, level, numbered=bool(marker), marker=marker)


def _quote(writer: Writer, inline: list[Run], _depth: int) -> None:
    writer.other(Tag.QUOTE, inline)


def _terms(writer: Writer, inline: list[Run], _depth: int) -> None:
    writer.other(Tag.TERM, inline)
    writer.other(Tag.DEFINITION, inline)


def _caption(writer: Writer, inline: list[Run], _depth: int) -> None:
    writer.other(Tag.CAPTION, inline)


def _table(writer: Writer, inline: list[Run], depth: int) -> None:
    writer.table([["a", inline], [inline, "b", ""], ["c", "d"]], header_rows=min(depth, 2))


def _preformatted(writer: Writer, inline: list[Run], _depth: int) -> None:
    words = "".join(run.text for run in inline).strip() or "pass"
    writer.preformatted(f"def swim():\n    {words}\n  end")


WAYS = [_heading, _paragraph, _item, _quote, _terms, _caption, _table, _preformatted]


def with_joined_links(block: Block) -> Block:
    """In HTML nobody can tell one link from two to one target with a space between them."""
    joined: list[tuple[int, int, str]] = []
    for start, end, href in block.links:
        last = joined[-1] if joined else (0, -2, "")
        if last[2] == href and block.text[last[1] : start] in ("", " "):
            joined[-1] = (last[0], end, href)
        else:
            joined.append((start, end, href))
    block.links = joined
    return block


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(WAYS), INLINE, DEPTHS), max_size=8))
def test_the_html_says_the_same_when_it_is_read(
    told: list[tuple[Callable[[Writer, list[Run], int], None], list[Run], int]],
) -> None:
    writer = Writer(Limits())
    for write, inline, depth in told:
        write(writer, inline, depth)
    found = read_back(as_html(writer.blocks, "T", "en"))
    assert [with_joined_links(each) for each in found] == [
        with_joined_links(each) for each in writer.blocks
    ]
