import struct

from shoal.converters.sheet.dbf import convert
from tests.converters.parts import context

Field = tuple[str, str, int, int]


def table(
    fields: list[Field], rows: list[bytes], version: int = 3, language: int = 0, count: int = -1
) -> bytes:
    size = 1 + sum(field[2] for field in fields)
    count = len(rows) if count < 0 else count
    head = struct.pack("<BBBBIHH", version, 124, 3, 1, count, 33 + 32 * len(fields), size)
    head = head.ljust(29, b"\0") + bytes([language]) + b"\0\0"
    for name, kind, length, decimals in fields:
        head += name.encode().ljust(11, b"\0") + kind.encode() + bytes(4)
        head += bytes([length, decimals]) + bytes(14)
    return head + b"\r" + b"".join(rows) + b"\x1a"


def lines(body: bytes) -> list[str]:
    (document,) = convert(body, context(charset=""))
    return document.page.text.split("\n")


def test_deleted_records_are_left_out() -> None:
    rows = [b" cod  ", b"*eel  ", b" ray  "]
    assert lines(table([("FISH", "C", 5, 0)], rows)) == ["FISH", "cod", "ray"]


def test_the_kinds_of_visual_foxpro() -> None:
    fields: list[Field] = [
        ("N", "I", 4, 0),
        ("MONEY", "Y", 8, 4),
        ("AT", "T", 8, 0),
        ("DEEP", "B", 8, 2),
        ("NOTE", "M", 4, 0),
        ("DAY", "D", 8, 0),
    ]
    row = b" " + struct.pack(
        "<iqIid4s8s", -7, 12_345_000, 2_455_915, 3_600_000, 2.5, b"", b"20111219"
    )
    assert lines(table(fields, [row], version=0x30)) == [
        "N\tMONEY\tAT\tDEEP\tDAY",
        "-7\t1234.50\t2011-12-19 01:00:00\t2.50\t2011-12-19",
    ]


def test_the_header_names_the_code_page() -> None:
    row = b" " + "žralok".encode("cp852").ljust(8)
    assert lines(table([("FISH", "C", 8, 0)], [row], language=0x64)) == ["FISH", "žralok"]


def test_utf_8_is_believed_against_the_header() -> None:
    row = b" " + "Grünbärsch".encode().ljust(14)
    assert lines(table([("FISH", "C", 14, 0)], [row], language=0x57)) == ["FISH", "Grünbärsch"]


def test_dbase_ii() -> None:
    head = b"\x02" + struct.pack("<HBBBH", 1, 3, 1, 84, 5)
    head += (b"FISH".ljust(11, b"\0") + b"C\x04\0\0\0" + b"\r").ljust(513, b"\0")
    assert lines(head[:521] + b" cod \x1a") == ["FISH", "cod"]


def test_a_table_that_claims_more_than_it_has() -> None:
    body = table([("FISH", "C", 5, 0)], [b" cod  "], count=4_000_000_000)
    (document,) = convert(body, context())
    assert document.page.text == "FISH\ncod"
    assert document.problem == "damaged: cut off"


def test_no_table_at_all() -> None:
    for body in (b"", b"\x03", b"\x03" * 31, b"\x02" * 30, table([], [])):
        (document,) = convert(body, context())
        assert document.problem == "damaged: no fields"
