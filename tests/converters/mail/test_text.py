from shoal.converters.limits import Limits
from shoal.converters.mail.text import write_plain
from shoal.converters.writer import Writer
from shoal.model.page import Tag


def written(text: str, *, flowed: bool = False) -> list[tuple[Tag, str]]:
    writer = Writer(Limits())
    write_plain(text, writer, flowed=flowed)
    return [(block.kind, block.text) for block in writer.blocks]


def test_full_lines_are_one_paragraph_and_short_ones_stay() -> None:
    text = (
        "The moray eel waits in its crevice until the evening\r\n"
        "tide brings small fish.\r\n\r\nAda Shoal\r\nNorth Pier 1\r\nReef\r\n"
    )
    assert written(text) == [
        (
            Tag.PARAGRAPH,
            "The moray eel waits in its crevice until the evening tide brings small fish.",
        ),
        (Tag.PRE, "Ada Shoal\nNorth Pier 1\nReef"),
    ]


def test_quotations_are_apart() -> None:
    assert written("> did you\n> see it?\nYes.\n>> older\n") == [
        (Tag.QUOTE, "did you see it?"),
        (Tag.PARAGRAPH, "Yes."),
        (Tag.QUOTE, "older"),
    ]


def test_flowed_text_is_joined_as_it_was_written() -> None:
    assert written("a long \nline\nand a short one\n> q \n> r\n", flowed=True) == [
        (Tag.PARAGRAPH, "a long line"),
        (Tag.PARAGRAPH, "and a short one"),
        (Tag.QUOTE, "q r"),
    ]


def test_lists_rules_and_links() -> None:
    writer = Writer(Limits())
    write_plain("- one fish\n- two fish\n\n-----\n\nSee https://reef.example/a?b=1.\n", writer)
    assert [block.kind for block in writer.blocks] == [Tag.ITEM, Tag.ITEM, Tag.PARAGRAPH]
    assert writer.blocks[2].links == [(4, 30, "https://reef.example/a?b=1")]
