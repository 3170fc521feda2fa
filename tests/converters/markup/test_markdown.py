"""Markdown: blocks, inline marks, front matter, HTML in between, and hostile lines."""

import time

import pytest

from shoal.converters.markup import markdown
from shoal.converters.markup.markdown_inline import parse
from tests.converters.text_samples import blocks_of, bold_of, links_of, run


@pytest.mark.parametrize(
    ("source", "text", "bold"),
    [
        ("a **b** c", "a b c", ["b"]),
        ("**a *b* c**", "a b c", ["a b c"]),
        ("***a***", "a", ["a"]),
        ("snake_case_word 2*3*4", "snake_case_word 234", []),
        (r"\*no\* `**code**`", "*no* **code**", []),
        ("** no** a__b__c", "** no** a__b__c", []),
        ("<b>x</b> &eacute; a<br>b", "x é a b", ["x"]),
        ("~~gone~~ ~x~", "gone ~x~", []),
    ],
)
def test_emphasis(source: str, text: str, bold: list[str]) -> None:
    (block,) = run(markdown.convert, source).page.blocks
    assert (block.text, bold_of(block)) == (text, bold)


def test_links() -> None:
    source = (
        "[a *b*](https://x.example/(1) 'T') [ref][R] [r] <https://y.example> "
        "https://z.example/a. [x][none]\n\n[r]: /there"
    )
    (block,) = run(markdown.convert, source).page.blocks
    assert block.text == "a b ref r https://y.example https://z.example/a. [x][none]"
    assert [href for _, href in links_of(block)] == [
        *("https://x.example/(1)", "/there", "/there"),
        *("https://y.example", "https://z.example/a"),
    ]


def test_pictures_are_captions() -> None:
    assert blocks_of(markdown.convert, "See ![a *red* fish](f.png) there.") == [
        ("p", 0, "", "See there."),
        ("caption", 0, "", "a red fish"),
    ]


def test_lists() -> None:
    source = (
        "- one\n  goes on\n- two\n\n  more\n\n  1. in\n  2. ner\n- [x] done\n\n"
        "text\n\n7) seven\n9) eight\n* a\n"
    )
    assert blocks_of(markdown.convert, source) == [
        ("li", 1, "", "one goes on"),
        ("li", 1, "", "two"),
        ("p", 0, "", "more"),
        ("ol", 2, "1.", "in"),
        ("ol", 2, "2.", "ner"),
        ("li", 1, "", "done"),
        ("p", 0, "", "text"),
        ("ol", 1, "7)", "seven"),
        ("ol", 1, "8)", "eight"),
        ("li", 1, "", "a"),
    ]


def test_blocks() -> None:
    source = (
        "Top\n===\nSub\n---\n### Three ###\n> quote\n> goes on\nlazy\n\n"
        "    code\n\n~~~py\nx = 1\n~~~\n"
        "***\n| A | B \\| b |\n|---|:-:|\n| `x|y` | 2 |\n\n[^1]: A note.\n\n"
        "<div>\n<p>in <b>HTML</b></p>\n</div>\n"
    )
    assert blocks_of(markdown.convert, source) == [
        ("h", 1, "", "Top"),
        ("h", 2, "", "Sub"),
        ("h", 3, "", "Three"),
        ("quote", 0, "", "quote goes on lazy"),
        ("pre", 0, "", "code"),
        ("pre", 0, "", "x = 1"),
        ("table", 1, "", "A\tB | b\nx|y\t2"),
        ("aside", 0, "", "A note."),
        ("p", 0, "", "in HTML"),
    ]


def test_front_matter() -> None:
    page = run(
        markdown.convert,
        "---\ntitle: 'Reef'\nauthor: Mara\ndate: 2024-05-06\ntags: [a, b]\n---\n# Other\n",
    ).page
    assert (page.title, page.author, page.published, page.keywords) == (
        *("Reef", "Mara", "2024-05-06"),
        "a, b",
    )
    assert page.text == "Other"
    assert run(markdown.convert, "---\nno matter\n---\n").page.text == "no matter"


@pytest.mark.parametrize(
    "unit", ["[", "![", "`", "**a", "_a ", "[a](", "<a ", "&a", "> ", "- \n", "|"]
)
def test_hostile_lines_take_linear_time(unit: str) -> None:
    began = time.process_time()
    run(markdown.convert, unit * 20_000)
    assert time.process_time() - began < 5


def test_nothing_is_lost_of_unclosed_marks() -> None:
    assert "".join(run.text for run in parse("[a **b `c", {}).runs) == "[a **b `c"
