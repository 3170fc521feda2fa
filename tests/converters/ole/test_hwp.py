"""Sections of a Hangul document."""

import struct

from shoal.converters.limits import Limits
from shoal.converters.ole.hwp import convert
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.pack import pack
from shoal.model.page import Tag
from tests.converters.ole_parts import page_of
from tests.converters.ole_samples import hwp
from tests.converters.parts import context


def test_headings_paragraphs_and_a_table() -> None:
    page = page_of(convert, hwp())
    assert (page.title, page.author) == ("Reef fish", "Nora Wels")
    assert [(each.kind, each.text) for each in page.blocks] == [
        (Tag.HEADING, "산호초의 물고기"),
        (Tag.PARAGRAPH, "나비고기가 산다."),
        (Tag.TABLE, "종\t수\n흰동가리\t7"),
    ]


def test_a_password_is_told_and_the_preview_given() -> None:
    compound = Compound(hwp(), Limits())
    streams = {name: compound.read(name) for name in compound.names}
    head = bytearray(streams["FileHeader"])
    struct.pack_into("<I", head, 36, 3)
    streams |= {"FileHeader": bytes(head), "PrvText": "미리보기".encode("utf-16-le")}
    (result,) = convert(pack(streams), context())
    assert result.problem == "encrypted"
    assert result.page.text == "미리보기"
