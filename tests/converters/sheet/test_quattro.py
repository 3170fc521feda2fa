import struct

from shoal.converters.ole.pack import pack
from shoal.converters.sheet.quattro import convert
from tests.converters.parts import context


def record(number: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", number, len(data)) + data


def string(text: bytes) -> bytes:
    return struct.pack("<HB", len(text), 0) + text + b"\0"


def notebook(*texts: bytes, cells: bytes) -> bytes:
    stream = record(1, b"QPW9" + bytes(10))
    stream += record(0x407, bytes(12) + b"".join(map(string, texts)))
    stream += record(0x601, bytes(18) + string(b"Traps")) + record(0xA01, bytes(10))
    return pack({"NativeContent_MAIN": stream + record(0xC01, struct.pack("<II", 0, 9) + cells)})


def text_of(body: bytes) -> str:
    (document,) = convert(body, context())
    return document.page.text


def test_runs_of_cells() -> None:
    cells = b"\x47\x02\0" + struct.pack("<II", 2, 1)  # two texts
    cells += b"\x41\x05\0"  # five blank cells
    cells += b"\x62\x03\0" + struct.pack("<hh", 5, -2)  # a series
    cells += b"\x82\x07\0" + struct.pack("<H", 40_000)  # a whole number with a style
    cells += b"\x08" + struct.pack("<dHI", 2.5, 0, 1) + b"\x03" + struct.pack("<h", -9)
    assert text_of(notebook(b"crab", b"lobster", cells=cells)) == (
        "Traps\nlobster\ncrab\n5\n3\n1\n40000\n2.5\n-9"
    )


def test_texts_behind_something_unknown_are_not_lost() -> None:
    cells = b"\x07" + struct.pack("<I", 1) + b"\x1f" + b"\x07" + struct.pack("<I", 2)
    assert text_of(notebook(b"crab", b"lobster", cells=cells)) == "Traps\ncrab\nlobster"


def test_a_text_that_is_a_result() -> None:
    body = notebook(cells=b"")
    stream = record(1, b"QPW9" + bytes(10)) + record(0x601, bytes(18) + string(b"Traps"))
    stream += record(0xC02, struct.pack("<HI", 3, 1) + string(b"made up"))
    assert text_of(pack({"NativeContent_MAIN": stream})) == "Traps\nmade up"
    assert text_of(body) == ""


def test_blank_cells_without_end_take_no_time() -> None:
    assert text_of(notebook(cells=b"\x41\xff\xff" * 15_000)) == ""
