import gzip
import struct
from pathlib import Path

from shoal.converters.archive import chm as archive_chm
from shoal.converters.archive import disc as archive_disc
from shoal.converters.archive.lzx import unlzx
from tests.converters.archive_parts import opening, texts

SAMPLES = Path(__file__).parents[1] / "samples"
DISC = gzip.decompress((SAMPLES / "archive-disc.iso.gz").read_bytes())


def test_joliet_and_rock_ridge_names() -> None:
    documents = archive_disc.convert_iso(DISC, opening("x.iso"))
    names = ["diary.txt", "moray.txt", "notes/counts.csv", "notes/wrasse.html"]
    assert documents[0].page.text.split("\n") == names
    assert [each.name for each in documents[1:]] == names
    without_joliet = DISC.replace(b"%/E", b"   ").replace(b"%/@", b"   ")
    documents = archive_disc.convert_iso(without_joliet, opening("x.iso"))
    assert documents[0].page.text.split("\n") == names


def test_folders_that_contain_themselves_are_entered_once() -> None:
    body = bytearray(DISC)
    sector = struct.unpack_from("<I", body, 17 * 2048 + 156 + 2)[0]  # Joliet's root
    position = sector * 2048
    for _ in range(20):
        length = body[position]
        if not length:
            break
        if body[position + 25] & 2 and body[position + 32] > 1:
            body[position + 2 : position + 6] = sector.to_bytes(4, "little")
        position += length
    documents = archive_disc.convert_iso(bytes(body), opening("x.iso"))
    assert documents[0].page.text == "diary.txt\nmoray.txt"


def test_a_cabinet_in_several_files_says_so() -> None:
    body = bytearray((SAMPLES / "archive-reef.cab").read_bytes())
    first = struct.unpack_from("<I", body, 16)[0]
    body[first + 8 : first + 10] = b"\xfd\xff"
    documents = archive_disc.convert_cab(bytes(body), opening("x.cab"))
    assert documents[0].problem == "not all of it is in this file"
    assert documents[0].page.text == "reef/moray.txt\nreef/diary.txt"
    assert [each.name for each in documents[1:]] == ["reef/diary.txt"]


def test_help_files_show_their_contents_and_pages() -> None:
    body = (SAMPLES / "archive-handbook.chm").read_bytes()
    documents = archive_chm.convert(body, opening("x.chm"))
    assert [(block.level, block.text) for block in documents[0].page.blocks] == [
        (1, "Eels of the reef"),
        (2, "Fish that clean"),
    ]
    text = texts(documents[1:])
    assert "The moray eel waits in its crevice until the tide turns." in text
    assert "The last word is sea urchin." in text  # behind the first frame


def test_a_damaged_frame_costs_only_its_pages() -> None:
    body = bytearray((SAMPLES / "archive-handbook.chm").read_bytes())
    entries = archive_chm._HelpFile(bytes(body), 1 << 20).entries
    content = entries["::DataSpace/Storage/MSCompressed/Content"]
    base = struct.unpack_from("<Q", body, 0x58)[0]
    start = base + content.offset
    body[start + 40 : start + 60] = b"\xff" * 20
    documents = archive_chm.convert(bytes(body), opening("x.chm"))
    assert documents[0].problem == "damaged: not all pages can be read"
    assert documents[0].page.title == "The Reef Handbook"


def test_plain_blocks_of_lzx() -> None:
    # No call translation, kind 3, length 5; aligned; three offsets; the bytes and a padding one.
    bits = f"{0:01b}{3:03b}{5:024b}".ljust(32, "0")
    words = struct.pack("<HH", int(bits[:16], 2), int(bits[16:], 2))
    output = bytearray(b"before ")
    assert unlzx(words + struct.pack("<III", 1, 1, 1) + b"whale\0", 15, 5, output)
    assert output == b"before whale"
    assert not unlzx(b"\xff" * 40, 15, 5, bytearray())
    assert not unlzx(b"", 15, 5, bytearray())
    assert not unlzx(b"x", 99, 5, bytearray())
