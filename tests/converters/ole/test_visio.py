"""Texts of a drawing, packed or not."""

from shoal.converters.ole.visio import convert, unpack
from tests.converters.ole_parts import page_of
from tests.converters.ole_samples import visio
from tests.converters.parts import context


def test_texts_of_shapes() -> None:
    page = page_of(convert, visio())
    assert page.title == "A map of the reef"
    assert page.text == "Reef crest\nOuter slope with sea fans"


def test_unpacking_copies_from_a_ring() -> None:
    # Eight letters as they are, then six from place 0 on (written as 4078: 18 are added).
    assert unpack(b"\xffsea fans" + b"\x00\xee\xf3", 100) == b"sea fanssea fa"


def test_unpacking_is_bounded() -> None:
    assert len(unpack(b"\x00\xee\xff" * 2000, 1000)) < 1200


def test_a_pointer_to_itself_ends() -> None:
    body = bytearray(visio())
    at = body.find(b"Visio (TM)") + 0x24
    body[at + 8 : at + 12] = (0x24).to_bytes(4, "little")
    assert convert(bytes(body), context())
