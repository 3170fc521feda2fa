import struct

import pytest

from shoal.converters.sheet.lotus import convert
from tests.converters.parts import context


def record(number: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", number, len(data)) + data


def text_of(*records: bytes) -> str:
    (document,) = convert(b"".join(records), context())
    return document.page.text


@pytest.mark.parametrize(
    ("format_", "value", "shown"),
    [
        (0x02, 2.5, "2.50"),
        (0x32, 0.125, "12.50%"),
        (0x20, -3.0, "($3)"),
        (0x72, 34567.0, "21-Aug-94"),
    ],
)
def test_formats_of_the_first_generation(format_: int, value: float, shown: str) -> None:
    cell = record(0x0E, struct.pack("<BHHd", format_, 0, 0, value))
    assert text_of(record(0, b"\x06\x04"), cell) == shown


def test_prefixes_of_labels_are_not_shown() -> None:
    cells = [
        record(0x0F, struct.pack("<BHH", 0xFF, column, 0) + label + b"\0")
        for column, label in enumerate((b"'left", b'"right', b"^middle", b"\\-", b"plain"))
    ]
    assert text_of(record(0, b"\x06\x04"), *cells) == "left\tright\tmiddle\t-\tplain"


@pytest.mark.parametrize(
    ("number", "value", "shown"),
    [
        (0x18, struct.pack("<h", 140 << 1), "140"),
        (0x18, struct.pack("<h", (25 << 4) | (2 << 1) | 1), "1.25"),
        (0x25, struct.pack("<I", (125 << 6) | 0x10 | 1), "12.5"),
        (0x17, struct.pack("<QH", 0x8000000000000000, 0x3FFF), "1"),
        (0x17, struct.pack("<QH", 0xC800000000000000, 0x4005 | 0x8000), "-100"),
        (0x17, struct.pack("<QH", 0, 0xFFFF), "0"),
        (0x27, struct.pack("<d", 7.25), "7.25"),
        (0x15, b"", "NA"),
    ],
)
def test_numbers_of_the_second_generation(number: int, value: bytes, shown: str) -> None:
    begin = record(0, struct.pack("<HH", 0x1000, 4) + bytes(22))
    assert text_of(begin, record(number, b"\0\0\0\0" + value)) == shown


def test_works_names_the_column_first() -> None:
    label = record(0x0F, struct.pack("<HHH", 1, 0, 0) + b"bass\0")
    number = record(0x0F, struct.pack("<HHH", 0, 0, 0) + b"sea\0")
    assert text_of(record(0xFF, b"\x04\x04"), label, number) == "sea\tbass"
