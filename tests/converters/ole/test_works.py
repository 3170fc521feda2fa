"""Text of Works documents, new and old."""

import struct

from shoal.converters.ole.pack import pack
from shoal.converters.ole.works import convert
from tests.converters.ole_parts import page_of
from tests.converters.ole_samples import works


def test_works() -> None:
    assert page_of(convert, works()).text == "List of tanks\nTank one: seahorses"


def test_works_before_2000() -> None:
    text = b"Tank two\rLionfish\r"
    stream = bytearray(256) + text
    stream[0x26:0x2A] = struct.pack("<I", 256 + len(text))
    assert page_of(convert, pack({"MN0": bytes(stream)})).text == "Tank two\nLionfish"
