"""The writer of blocks: even text, spans in step with it, and limits that hold."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.limits import Limits
from shoal.converters.writer import Inline, Run, Writer, text_of
from shoal.model.page import Block, Tag


def written(inline: Inline) -> Block:
    writer = Writer(Limits())
    writer.paragraph(inline)
    (block,) = writer.blocks
    return block


@pytest.mark.parametrize(
    ("inline", "text"),
    [
        ("  a\t b \n\n c ", "a b c"),
        ("a\u00a0\u2003b\u2028c", "a b c"),
        ([Run("a"), Run("b")], "ab"),
        ([Run("a "), Run(" b")], "a b"),
        ([Run("a"), Run(" "), Run(""), Run("\n"), Run("b")], "a b"),
        ([Run(" "), Run("a"), Run(" ")], "a"),
        ("a\x00\x08b\x7f", "ab"),
        ("a\ud800b\udfff", "ab"),
        ("e\u0301 \u200d \U0001f420", "e\u0301 \u200d \U0001f420"),
    ],
)
def test_white_space_and_controls(inline: Inline, text: str) -> None:
    assert written(inline).text == text


@pytest.mark.parametrize("inline", ["", " \n\t", "\x00\ud800", [], [Run(""), Run(" ", True, "/x")]])
def test_an_empty_block_is_none(inline: Inline) -> None:
    writer = Writer(Limits())
    writer.paragraph(inline)
    writer.heading(inline, 1)
    writer.item(inline)
    writer.other(Tag.QUOTE, inline)
    writer.preformatted("\n  \n")
    writer.table([[inline, inline], [inline]])
    assert writer.blocks == []
    assert writer.page().text == ""


def test_spans_of_bold_and_links() -> None:
    runs = [
        Run(" The "),
        Run(" cleaner", bold=True),
        Run(" wrasse ", bold=True),
        Run("is in "),
        Run("the \x00guide ", href="/g"),
        Run(".", bold=True, href="/dot"),
    ]
    block = written(runs)
    assert block.text == "The cleaner wrasse is in the guide ."
    assert [block.text[start:end] for start, end in block.bold] == ["cleaner wrasse", "."]
    assert [(block.text[start:end], to) for start, end, to in block.links] == [
        ("the guide", "/g"),
        (".", "/dot"),
    ]


RUNS = st.lists(
    st.builds(
        Run,
        st.text(st.sampled_from("ab \n\t\x00\ud800é\u00a0"), max_size=6),
        st.booleans(),
        st.sampled_from(["", "", "/x", "/y"]),
    ),
    max_size=8,
)


@given(RUNS)
def test_spans_stand_in_the_text(runs: list[Run]) -> None:
    writer = Writer(Limits())
    writer.paragraph(runs)
    kept = "".join(run.text for run in runs).replace("\x00", "").replace("\ud800", "")
    if not kept.split():
        assert writer.blocks == []
        return
    (block,) = writer.blocks
    assert block.text == " ".join(kept.split())
    spans = [*block.bold, *((start, end) for start, end, _ in block.links)]
    assert all(0 <= start < end <= len(block.text) for start, end in spans)
    assert block.bold == sorted(block.bold)
    assert block.links == sorted(block.links)
    for start, end, _ in block.links:
        assert block.text[start:end].strip() == block.text[start:end]


def test_a_heading_stands_out_as_it_is() -> None:
    writer = Writer(Limits())
    writer.heading([Run("Big", bold=True, href="/b")], 0, marker="1.2")
    writer.heading("Small", 9, font_size=14.0, source=3)
    assert writer.blocks == [
        Block(Tag.HEADING, "Big", 1, "1.2", links=[(0, 3, "/b")]),
        Block(Tag.HEADING, "Small", 6, font_size=14.0, source=3),
    ]


def test_items_have_a_depth_and_a_number() -> None:
    writer = Writer(Limits())
    writer.item("a", 0)
    writer.item("b", 3, numbered=True, marker="(c)")
    assert writer.blocks == [Block(Tag.ITEM, "a", 1), Block(Tag.NUMBERED, "b", 3, "(c)")]


def test_preformatted_text_keeps_its_lines_and_indents() -> None:
    writer = Writer(Limits())
    writer.preformatted("\n\n  if fish:\r\n\tswim()\r\n\x0b   \n")
    assert writer.blocks == [Block(Tag.PRE, "  if fish:\n\tswim()")]


def test_a_table_is_one_block() -> None:
    writer = Writer(Limits())
    rows: list[list[Inline]] = [
        [[Run("Fish", bold=True)], "a\tb\nc"],
        ["", ""],
        ["", [Run("see "), Run("it", href="/i")]],
        ["x", ""],
    ]
    writer.table(rows, header_rows=1, source=2)
    (block,) = writer.blocks
    assert (block.kind, block.level, block.source) == (Tag.TABLE, 1, 2)
    assert block.text == "Fish\ta b c\n\tsee it\nx\t"
    assert block.bold == [(0, 4)]
    assert [(block.text[start:end], to) for start, end, to in block.links] == [("it", "/i")]


def test_rows_are_not_taken_when_there_is_no_room() -> None:
    taken = []

    def endless() -> Iterator[list[Inline]]:
        for number in range(10_000):
            taken.append(number)
            yield ["fish", "fish"]

    writer = Writer(Limits(text_chars=100))
    writer.table(endless())
    assert len(taken) < 20
    assert writer.full
    assert len(writer.page().text) <= 100


def test_too_much_text_is_cut_and_said() -> None:
    writer = Writer(Limits(text_chars=20))
    writer.paragraph("0123456789")
    assert (writer.full, writer.problem) == (False, "")
    writer.paragraph([Run("ab", bold=True), Run(" cdefgh", href="/l"), Run("ij", bold=True)])
    writer.paragraph("never seen")
    assert [block.text for block in writer.blocks] == ["0123456789", "ab cdefgh"]
    assert (writer.blocks[1].bold, writer.blocks[1].links) == ([(0, 2)], [(3, 9, "/l")])
    assert (writer.full, writer.problem) == (True, "text cut at 20 characters")
    assert len(writer.page().text) == 20


def test_too_many_blocks_are_cut_and_said() -> None:
    writer = Writer(Limits(blocks=3))
    for number in range(5):
        writer.paragraph(f"p{number}")
    assert [block.text for block in writer.blocks] == ["p0", "p1", "p2"]
    assert writer.full
    assert "cut" in writer.problem


def test_the_title_is_one_line_of_bounded_length() -> None:
    writer = Writer(Limits(title_chars=7))
    assert writer.page("  a\x00b\n c\ud800d efgh ").title == "a b c d"


def test_the_text_is_that_of_the_blocks_with_their_numbers() -> None:
    writer = Writer(Limits())
    writer.heading("Fish", 1, marker="1")
    writer.item("wash", numbered=True, marker="a\x00)")
    writer.item("eat")
    writer.table([["a", "b"], ["c", "d"]])
    assert writer.page("T").text == text_of(writer.blocks) == "1 Fish\na) wash\neat\na\tb\nc\td"
