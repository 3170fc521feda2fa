"""Databases, drawings, fonts and programs: what is hard in each."""

import sqlite3
import struct

from shoal.converters.media import database, dicom, dxf, font, postscript, torrent
from tests.converters.parts import context


def test_a_hostile_database_runs_nothing_and_ends() -> None:
    made = sqlite3.connect(":memory:")
    made.execute("create table fish(name text)")
    made.executemany("insert into fish values(?)", [(f"fish {number}",) for number in range(50)])
    made.execute(
        "create view endless as with recursive n(x) as (select 1 union all select x from n)"
        " select x from n"
    )
    made.execute('create table "odd ""name"""(x)')
    made.execute('insert into "odd ""name""" values(?)', ("quoted",))
    made.commit()
    body = made.serialize()
    made.close()
    (found,) = database.convert(body, context())
    assert "fish 49" in found.page.text
    assert "quoted" in found.page.text
    assert not found.problem
    (cut,) = database.convert(body[: len(body) // 2], context())
    assert cut.page.text or cut.problem
    (none,) = database.convert(b"SQLite format 3\x00" + bytes(50), context())
    assert none.page.text == ""


def test_a_database_that_was_being_written_is_read() -> None:
    made = sqlite3.connect(":memory:")
    made.execute("create table fish(name text)")
    made.execute("insert into fish values('Cod')")
    made.commit()
    body = bytearray(made.serialize())
    made.close()
    body[18:20] = b"\x02\x02"  # with a write-ahead log
    (found,) = database.convert(bytes(body), context())
    assert found.page.text == "fish\nname\nCod"


def test_marked_up_text_of_drawings() -> None:
    assert dxf.text_of(r"{\fArial|b0|i0;Glass} \H2.5x;tank\P90%%d \S1/2; %%uwide%%u \\ \{x\}") == (
        "Glass tank\n90° 1/2 wide \\ {x}"
    )
    lines = ["0", "SECTION", "2", "HEADER", "9", "$ACADVER", "1", "AC1015", "9", "$DWGCODEPAGE"]
    lines += ["3", "ANSI_1251", "0", "ENDSEC", "0", "SECTION", "2", "ENTITIES", "0", "MTEXT"]
    lines += ["3", "Рыба ", "1", "и море", "0", "LINE", "1", "no text", "0", "ENDSEC", "0", "EOF"]
    (found,) = dxf.convert("\r\n".join(lines).encode("cp1251"), context())
    assert found.page.text == "Рыба и море"


def test_binary_drawings() -> None:
    body = b"AutoCAD Binary DXF\r\n\x1a\x00"
    for code, value in ((0, "SECTION"), (2, "ENTITIES"), (0, "TEXT")):
        body += struct.pack("<H", code) + value.encode() + b"\x00"
    body += struct.pack("<Hd", 10, 1.5) + struct.pack("<H", 1) + b"Keel\x00"
    body += struct.pack("<H", 0) + b"EOF\x00"
    (found,) = dxf.convert(body, context())
    assert found.page.text == "Keel"


def test_names_of_a_font_are_english_where_they_can_be() -> None:
    records = [(3, 1, 0x407, 4, "Tang fett"), (3, 1, 0x409, 4, "Kelp Bold"), (1, 0, 0, 9, "Mira")]
    strings, rows = b"", b""
    for platform, encoding, language, ident, text in records:
        raw = text.encode("mac_roman" if platform == 1 else "utf-16-be")
        rows += struct.pack(">6H", platform, encoding, language, ident, len(raw), len(strings))
        strings += raw
    table = struct.pack(">HHH", 0, len(records), 6 + len(rows)) + rows + strings
    body = b"\x00\x01\x00\x00" + struct.pack(">HHHH", 1, 16, 0, 0)
    body += struct.pack(">4sIII", b"name", 0, 28, len(table)) + table
    (found,) = font.convert(body, context())
    assert (found.page.title, found.page.author) == ("Kelp Bold", "Mira")


def test_titles_of_postscript() -> None:
    body = b"%!PS-Adobe-3.0\n%%Title: (Fish \\(small\\) \\344)\n"
    body += b"%%For: <FEFF00D8>\n%%Creator: (atend)\n"
    (found,) = postscript.convert(body, context())
    assert (found.page.title, found.page.author) == ("Fish (small) ä", "Ø")


def test_a_torrent_as_deep_as_it_is_long() -> None:
    (found,) = torrent.convert(b"d4:info" + b"l" * 100_000, context())
    assert found.problem.startswith("damaged")


def test_charsets_of_medical_pictures() -> None:
    def element(group: int, number: int, kind: bytes, value: bytes) -> bytes:
        value += b" " * (len(value) % 2)
        return struct.pack("<HH2sH", group, number, kind, len(value)) + value

    body = bytes(128) + b"DICM" + element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1")
    body += element(8, 5, b"CS", b"ISO_IR 144")
    body += element(8, 0x20, b"DA", b"20190203")
    body += element(8, 0x1030, b"LO", "Щука".encode("iso8859-5"))
    (found,) = dicom.convert(body, context())
    assert (found.page.title, found.page.published) == ("Щука", "2019-02-03")
