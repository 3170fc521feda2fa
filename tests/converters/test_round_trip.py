"""One text in many formats: what comes out is the same, whatever it was written in.

The samples are one HTML page, and what office programs made of it: headings of three levels, bold,
nested lists of both kinds, a table with a header row, a link.
"""

import pytest

from shoal.model.compression import unzstd
from shoal.model.page import Block, Tag
from shoal.model.record import unpack
from tests.converters.test_samples import read

LOG = "https://meadow.example/log.html"
SAID = [
    Block(Tag.HEADING, "The seagrass meadow", 1),
    Block(
        Tag.PARAGRAPH,
        "Seagrass is not a seaweed: it flowers, and its seeds drift for weeks.",
        bold=[(12, 25)],
    ),
    Block(Tag.HEADING, "Who lives there", 2),
    Block(Tag.PARAGRAPH, "These were seen in one summer:"),
    Block(Tag.ITEM, "grazers", 1),
    Block(Tag.ITEM, "green turtles", 2),
    Block(Tag.ITEM, "dugongs", 2),
    Block(Tag.ITEM, "hunters", 1),
    Block(Tag.HEADING, "How to count them", 3),
    Block(Tag.PARAGRAPH, "Two divers are enough."),
    Block(Tag.NUMBERED, "Lay the line.", 1, "1."),
    Block(Tag.NUMBERED, "Start at the buoy.", 2, "1."),
    Block(Tag.NUMBERED, "Swim north.", 2, "2."),
    Block(Tag.NUMBERED, "Write down every animal.", 1, "2."),
    Block(Tag.HEADING, "What was found", 2),
    Block(Tag.TABLE, "Animal\tMay\tJune\nGreen turtle\t14\t19\nDugong\t2\t3", 1),
    Block(
        Tag.PARAGRAPH,
        "The full record is in the diving log of the station.",
        links=[(22, 36, LOG)],
    ),
]
TABLE = next(number for number, block in enumerate(SAID) if block.kind is Tag.TABLE)


def blocks_of(name: str) -> list[Block]:
    """Without what only some formats tell: where a block stood, and how large its letters were."""
    own = read(name).documents[0]
    assert own.problem == ""
    found = unpack(list[Block], unzstd(own.blocks))
    for block in found:
        block.font_size, block.source = 0.0, -1
    return found


@pytest.mark.parametrize("ending", ["html", "docx", "odt", "rtf", "pdf"])
def test_every_format_says_the_same(ending: str) -> None:
    assert blocks_of(f"round-trip.{ending}") == SAID


@pytest.mark.parametrize("ending", ["html", "docx", "odt", "rtf", "pdf"])
def test_the_link_is_one_to_follow(ending: str) -> None:
    assert [link.url for link in read(f"round-trip.{ending}").links] == [LOG]


def test_a_pdf_without_tags_keeps_all_that_its_looks_tell() -> None:
    """Levels by size, lists by their signs and indents. Its table shows no lines."""
    found = blocks_of("round-trip-untagged.pdf")
    assert found[:TABLE] == SAID[:TABLE]
    assert found[-1] == SAID[-1]
    words = " ".join(block.text for block in found[TABLE:-1]).split()
    assert words == SAID[TABLE].text.split()
