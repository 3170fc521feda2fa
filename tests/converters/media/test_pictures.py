"""Tags of pictures, in every byte order and charset, and text that pictures draw."""

import shutil
import struct
import zlib
from pathlib import Path

import pytest

from shoal.converters.media import emf, jpeg, ocr, png, tiff, wmf
from shoal.converters.media.iptc import read_iptc
from shoal.converters.media.pieces import Piece, paragraphs
from shoal.converters.media.tags import Tags, iso_date
from shoal.converters.media.xmp import read_xmp
from tests.converters.parts import context


def text_tag(order: str, *entries: tuple[int, int, bytes], big: bool = False) -> bytes:
    """A TIFF of one directory."""
    mark = b"II" if order == "<" else b"MM"
    head = (
        mark + struct.pack(order + "HHHQ", 43, 8, 0, 16)
        if big
        else mark + struct.pack(order + "HI", 42, 8)
    )
    count, entry, room = ("Q", "HHQ", 8) if big else ("H", "HHI", 4)
    sizes = {2: 1, 7: 1, 1: 1, 3: 2, 4: 4, 5: 8}
    size = struct.calcsize(order + count) + len(entries) * (20 if big else 12) + room
    table, values = struct.pack(order + count, len(entries)), b""
    for ident, kind, raw in entries:
        table += struct.pack(order + entry, ident, kind, len(raw) // sizes[kind])
        if len(raw) > room:
            table += struct.pack(order + ("Q" if big else "I"), len(head) + size + len(values))
            values += raw
        else:
            table += raw.ljust(room, b"\x00")
    return head + table + bytes(room) + values


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_both_byte_orders_and_both_sizes(order: str, big: bool) -> None:
    body = text_tag(
        order,
        (0x010E, 2, b"Sea urchin, close\x00"),
        (0x0132, 2, b"2004:02:03 10:11:12\x00"),
        big=big,
    )
    (found,) = tiff.convert(body, context())
    assert found.page.description == "Sea urchin, close"
    assert found.page.modified == "2004-02-03T10:11:12"


def test_directories_that_name_each_other_end() -> None:
    body = b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", 0) + struct.pack("<I", 8) + bytes(20)
    (found,) = tiff.convert(body, context())
    assert found.page.text == ""


def test_comments_of_cameras() -> None:
    for order in "<>":
        for codec in ("utf-16-le", "utf-16-be"):
            comment = b"UNICODE\x00" + "Tiefe: 12 m, kühl".encode(codec)
            exif = b"Exif\x00\x00" + text_tag(order, (0x9286, 7, comment))
            body = b"\xff\xd8\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + b"\xff\xd9"
            (found,) = jpeg.convert(body, context())
            assert found.page.description == "Tiefe: 12 m, kühl"


def iptc(record: int, dataset: int, value: bytes) -> bytes:
    return struct.pack(">BBBH", 0x1C, record, dataset, len(value)) + value


@pytest.mark.parametrize(
    ("declared", "codec"),
    [(b"\x1b%G", "utf-8"), (b"", "cp1252"), (b"", "mac_roman"), (b"", "utf-8")],
)
def test_charsets_of_captions(declared: bytes, codec: str) -> None:
    data = iptc(1, 90, declared) if declared else b""
    tags = Tags()
    read_iptc(data + iptc(2, 120, "Fische über dem Süßwasser".encode(codec)), tags)
    assert tags.first("Description") == "Fische über dem Süßwasser"


def test_xmp_in_attributes_and_languages() -> None:
    packet = b"""<?xpacket begin=''?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
    <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'
     xmlns:dc='http://purl.org/dc/elements/1.1/'
     xmlns:exif='http://ns.adobe.com/exif/1.0/'
     xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/'>
    <rdf:Description photoshop:Headline='Shark!'
     exif:GPSLatitude='27,30.6S' exif:GPSLongitude='153,15E'>
    <dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Reef shark</rdf:li>
    <rdf:li xml:lang='de'>Riffhai</rdf:li>
    </rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"""
    tags = Tags()
    read_xmp(packet, tags)
    assert tags.every("Title") == ["Reef shark"]
    assert tags.first("Headline") == "Shark!"
    assert tags.first("Location") == "-27.51000, 153.25000"


def test_png_texts() -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + bytes(4)

    packed = zlib.compress("Größe".encode())
    bomb = zlib.compress(bytes(30_000_000))
    (found,) = png.convert(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"tEXt", b"Title\x00Gr\xf6\xdfe")
        + chunk(b"zTXt", b"Comment\x00\x00" + bomb)
        + chunk(b"iTXt", b"Author\x00\x01\x00de\x00Autor\x00" + packed),
        context(),
    )
    assert (found.page.title, found.page.author) == ("Größe", "Größe")
    assert len(found.page.text) < 100


def test_pieces_become_words_lines_and_paragraphs() -> None:
    pieces = [
        Piece("The ", 0, 20, 0, 10),
        Piece("next", 20, 40, 0, 10),
        Piece("-", 40.5, 44, 0, 10),
        Piece("generation", 44, 90, 1, 10),
        Piece("fleet", 93, 110, 0, 10),
        Piece("sails", 0, 30, 12, 10),
        Piece("Far below", 0, 50, 100, 10),
        Piece("7", 400, 410, 100, 10),
    ]
    assert paragraphs(pieces) == ["The next-generation fleet sails", "Far below", "7"]


def test_emf_without_bounds_and_emf_plus() -> None:
    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<II", kind, 8 + len(data)) + data

    def text(words: str, x: int) -> bytes:
        raw = words.encode("utf-16-le") + bytes(len(words) % 2 * 2)
        head = struct.pack("<4iIff", 0, 0, -1, -1, 2, 1.0, 1.0)
        return record(84, head + struct.pack("<iiIII16xI", x, 40, len(words), 76, 0, 0) + raw)

    title = "Draw\x00Kelp forest\x00\x00".encode("utf-16-le")
    header = record(1, bytes(52) + struct.pack("<II", len(title) // 2, 100) + bytes(32) + title)
    (found,) = emf.convert(
        header + text("Sea", 0) + text("horse", 18) + record(14, bytes(12)), context()
    )
    assert found.page.text == "Seahorse"
    assert found.page.title == "Kelp forest"
    words = "Starfish".encode("utf-16-le")
    string = struct.pack("<III4f", 0, 0, 8, 1.0, 1.0, 50.0, 9.0) + words
    plus = b"EMF+" + struct.pack("<HHII", 0x401C, 0, 12 + len(string), len(string)) + string
    (found,) = emf.convert(header + record(70, struct.pack("<I", len(plus)) + plus), context())
    assert found.page.text == "Starfish"


def test_wmf_letters_are_those_of_the_font() -> None:
    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<IH", 3 + len(data) // 2, kind) + data

    font = (
        struct.pack("<hhhhh", -12, 0, 0, 0, 400) + bytes([0, 0, 0, 204]) + bytes(4) + b"Arial\x00"
    )
    words = "Рыба".encode("cp1251")
    body = struct.pack("<HHHIHIH", 1, 9, 0x300, 100, 2, 50, 0)
    body += record(0x02FA, bytes(10)) + record(0x02FB, font) + record(0x012D, b"\x01\x00")
    body += record(0x0521, struct.pack("<H", 4) + words + struct.pack("<hh", 5, 5)) + record(0, b"")
    (found,) = wmf.convert(body, context())
    assert found.page.text == "Рыба"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2008", "2008"), ("2008:05:03 10:20:30", "2008-05-03T10:20:30"),
        ("20080503", "2008-05-03"),
        ("2008-05-03T10:20:30.5+02:00", "2008-05-03T10:20:30+02:00"), ("0000:00:00 00:00:00", ""),
        ("May 2008", ""), ("2008-13-01", "2008"), ("2008-05-03 25:00", "2008-05-03"), ("", ""),
    ],
)  # fmt: skip
def test_dates(written: str, meant: str) -> None:
    assert iso_date(written) == meant


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_recognition_reads_a_picture_or_gives_up_in_time() -> None:
    assert ocr.available()
    picture = Path(__file__).parent.parent / "samples" / "media-words.png"
    assert ocr.recognise(picture.read_bytes(), ".png") == "The reef at noon"
    assert ocr.recognise(b"no picture at all", ".png") == ""
    assert ocr.recognise(b"no picture at all", "png", seconds=0.001) == ""
