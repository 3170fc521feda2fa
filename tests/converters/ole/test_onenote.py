"""A OneNote section is walked page by page; a broken one gives its texts."""

import struct

import pytest

from shoal.converters.ole.onenote import convert
from shoal.converters.ole.onenote_properties import BadSet, read_object
from shoal.model.page import Tag
from tests.converters.ole_parts import block, page_of, texts
from tests.converters.onenote_sample import onenote, onenote_packed, properties
from tests.converters.parts import context


def test_a_page_with_title_runs_list_and_table() -> None:
    page = page_of(convert, onenote())
    assert (page.title, page.author) == ("A day at the reef", "Nora Wels")
    assert [(each.kind, each.marker, each.text) for each in page.blocks] == [
        (Tag.HEADING, "", "A day at the reef"),
        (Tag.PARAGRAPH, "", "Sea fans grow slowly. More"),
        (Tag.NUMBERED, "1.", "café at noon"),
        (Tag.TABLE, "", "Wrasse\t14"),
        (Tag.ASIDE, "", "What was written first."),
    ]
    fans = block(page, "Sea fans")
    assert fans.bold == [(0, 8)]
    assert fans.links == [(22, 26, "https://reef.example/fans")]


def test_a_file_from_a_server_is_walked_in_the_same_way() -> None:
    page = page_of(convert, onenote_packed())
    local = page_of(convert, onenote())
    assert page.blocks == local.blocks[:-1]  # it has no earlier state
    assert (page.title, page.author) == (local.title, local.author)


def test_other_packings_give_their_texts() -> None:
    body = bytearray(onenote())
    body[48:64] = bytes(16)
    (result,) = convert(bytes(body), context())
    found = texts(result.page, Tag.PARAGRAPH)
    assert "A day at the reef" in found
    assert "café at noon" in found
    assert "Sea fans grow slowly. More" in found


def test_lists_that_lead_in_circles_end() -> None:
    body = bytearray(onenote())
    place, _ = struct.unpack_from("<QI", body, 172)
    end = body.find(struct.pack("<Q", 0x8BC215C38233BA4B), place)
    struct.pack_into("<QI", body, end - 12, place, 4096)  # the list goes on in itself
    assert page_of(convert, bytes(body)).title == "A day at the reef"


@pytest.mark.parametrize("cut", range(0, 40, 3))
def test_a_cut_set_is_told(cut: int) -> None:
    whole = properties({0x1C001C22: "A goby in the sand", 0x24001C20: [1, 2]})
    assert read_object(whole).text(0x1C001C22) == "A goby in the sand"
    with pytest.raises(BadSet):
        read_object(whole[:cut])
