"""A presentation is read slide by slide, however often it was saved."""

import struct
import zlib

from shoal.converters.limits import Limits
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.pack import pack
from shoal.converters.ole.ppt import convert
from shoal.converters.ole.ppt_records import Saved, records
from shoal.converters.ole.ppt_text import texts as text_bodies
from shoal.model.page import Tag
from tests.converters.ole_parts import block, inside_of, page_of, sample, texts
from tests.converters.ole_samples import package
from tests.converters.parts import context


def _record(kind: int, data: bytes, instance: int = 0, version: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | version, kind, len(data)) + data


def _container(kind: int, *inner: bytes, instance: int = 0) -> bytes:
    return _record(kind, b"".join(inner), instance, 0xF)


def _presentation(objects: dict[int, bytes], document: int = 1) -> bytes:
    """Objects by their numbers, a directory of where they lie, and an edit that names it."""
    stream, places = b"", {}
    for number, data in objects.items():
        places[number] = len(stream)
        stream += data
    directory = len(stream)
    rows = b"".join(struct.pack("<II", n | 1 << 20, place) for n, place in places.items())
    stream += _record(0x1772, rows)
    edit = len(stream)
    stream += _record(0x0FF5, struct.pack("<IIIIIII", 0, 0, 0, directory, document, 9, 0))
    user = _record(0x0FF6, struct.pack("<III", 20, 0xE391C05F, edit))
    return pack({"PowerPoint Document": stream, "Current User": user})


def _slides(*numbers: int) -> bytes:
    atoms = [_record(0x3F3, struct.pack("<IIIII", n, 0, 0, 256 + n, 0)) for n in numbers]
    return _container(0x0FF0, *atoms)


def _slide(*shapes: bytes) -> bytes:
    group = _container(0xF003, *(_container(0xF004, each) for each in shapes))
    return _container(0x3EE, _container(0x40C, _container(0xF002, group)))


def _text(kind: int, text: str, *more: bytes) -> bytes:
    atoms = _record(0xF9F, struct.pack("<I", kind)), _record(0xFA0, text.encode("utf-16-le"))
    return _container(0xF00D, *atoms, *more)


def test_slides_with_titles_lists_notes_and_a_table() -> None:
    page = page_of(convert, sample("ole-night.ppt"))
    assert page.title == "Reef evenings"
    shown = [(each.kind, each.level, each.source, each.text) for each in page.blocks]
    assert shown == [
        (Tag.HEADING, 1, 1, "Reef evenings"),
        (Tag.PARAGRAPH, 0, 1, "Nora Wels"),
        (Tag.HEADING, 1, 2, "Night on the reef"),
        (Tag.ITEM, 1, 2, "Parrotfish sleep in cocoons"),
        (Tag.ITEM, 2, 2, "spun of mucus"),
        (Tag.ITEM, 1, 2, "See the night page"),
        (Tag.ASIDE, 0, 2, "Speak about squirrelfish too."),
        (Tag.HEADING, 1, 3, "Counts – Рыбы"),
        (Tag.TABLE, 0, 3, "Kind\tNumber\nWrasse\t14"),
    ]
    sleep = block(page, "Parrotfish")
    assert [sleep.text[a:b] for a, b in sleep.bold] == ["sleep"]
    assert block(page, "See").links == [(4, 18, "https://reef.example/night")]


def test_slides_come_in_the_order_of_the_list_with_texts_of_the_outline() -> None:
    outline = _container(
        0x0FF0,
        _record(0x3F3, struct.pack("<IIIII", 3, 0, 0, 256, 0)),
        _record(0xF9F, struct.pack("<I", 0)),
        _record(0xFA8, b"Gobies"),
        _record(0x3F3, struct.pack("<IIIII", 2, 0, 0, 257, 0)),
    )
    reference = _container(0xF00D, _record(0xF9E, struct.pack("<I", 0)))
    body = _presentation(
        {
            1: _container(0x3E8, outline),
            2: _slide(_text(4, "*, and last", _record(0xFD8, struct.pack("<I", 0)))),
            3: _slide(reference),
        }
    )
    page = page_of(convert, body)
    assert [(each.kind, each.text) for each in page.blocks] == [
        (Tag.HEADING, "Gobies"),
        (Tag.PARAGRAPH, ", and last"),
    ]


def test_a_footer_on_every_slide_is_written_once() -> None:
    flags = _record(0xFDA, struct.pack("<HH", 0, 0x20))
    footers = _container(0xFD9, flags, _record(0xFBA, "Harbour".encode("utf-16-le"), 2), instance=3)
    body = _presentation(
        {
            1: _container(0x3E8, _slides(2, 3), footers),
            2: _slide(_text(0, "One")),
            3: _slide(_text(0, "Two")),
        }
    )
    assert texts(page_of(convert, body), Tag.ASIDE) == ["Harbour"]


def test_embedded_objects_are_unpacked() -> None:
    storage = pack({"\x01Ole10Native": package("kinds.csv", b"goby,7")})
    packed = struct.pack("<I", len(storage)) + zlib.compress(storage)
    atom = _record(0xFC3, struct.pack("<IIIII", 1, 0, 1, 0, 5))
    objects = _container(0x409, _container(0xFCC, atom))
    body = _presentation(
        {
            1: _container(0x3E8, objects, _slides(2)),
            2: _slide(_text(0, "One")),
            5: _record(0x1011, packed, 1),
        }
    )
    assert inside_of(convert, body) == {"kinds.csv": b"goby,7"}


def test_an_encrypted_file_says_so() -> None:
    compound = Compound(sample("ole-night.ppt"), Limits())
    user = bytearray(compound.read("Current User"))
    user[12:16] = b"\xdf\xc4\xd1\xf3"
    stream = compound.read("PowerPoint Document")
    body = pack({"Current User": bytes(user), "PowerPoint Document": stream})
    assert convert(body, context())[0].problem == "encrypted"


def test_without_a_list_of_slides_all_texts_are_given() -> None:
    stream = (
        b"\0" * 20 + _record(0xFA8, b"A lost wrasse") + _record(0xFA0, "Рыба".encode("utf-16-le"))
    )
    (result,) = convert(pack({"PowerPoint Document": stream}), context())
    assert result.problem.startswith("damaged")
    assert result.page.text == "A lost wrasse\nРыба"


def test_the_newest_edit_wins_and_a_circle_of_edits_ends() -> None:
    stream = _record(0xFA8, b"old") + _record(0xFA8, b"new")
    first = len(stream)
    stream += _record(0x1772, struct.pack("<II", 1 | 1 << 20, 0))
    second = len(stream)
    stream += _record(0x1772, struct.pack("<II", 1 | 1 << 20, 11))
    edits = len(stream)
    stream += _record(0x0FF5, struct.pack("<IIIIIII", 0, 0, edits + 36, first, 1, 9, 0))
    stream += _record(0x0FF5, struct.pack("<IIIIIII", 0, 0, edits, second, 1, 9, 0))
    user = _record(0x0FF6, struct.pack("<III", 20, 0xE391C05F, edits + 36))
    found = Saved(stream, user).get(1)
    assert found is not None
    assert found.data == b"new"


def test_styles_may_cover_the_text_with_or_without_its_end() -> None:
    styles = struct.pack("<IHI", 7, 1, 0) + struct.pack("<IIH", 2, 1, 1)
    row = (
        _record(0xF9F, struct.pack("<I", 1)) + _record(0xFA8, b"ab\rcdef") + _record(0xFA1, styles)
    )
    (body,) = text_bodies(list(records(row)), {})
    lines = body.lines()
    assert [(line.depth, line.bullet) for line in lines] == [(2, True), (2, True)]
    assert lines[0].runs[0].bold


def test_numbers_stand_beside_the_styles() -> None:
    """Two numbered paragraphs that start at c), then one without."""
    styles = struct.pack("<IHI", 9, 0, 0) + struct.pack("<IHI", 1, 0, 0)
    styles += struct.pack("<II", 6, 0) + struct.pack("<IIH", 4, 0x400, 0x400)
    entry = struct.pack("<IhHHHII", 0x03800000, -1, 1, 9, 3, 0, 0)
    tag = _container(0x138A, _record(0x138B, _record(0xFAC, entry + bytes(12))))
    client = _container(0xF011, _container(0x1388, tag))
    shape = client + _text(1, "a b\rc\rdef", _record(0xFA1, styles))
    body = _presentation({1: _container(0x3E8, _slides(2)), 2: _slide(shape)})
    page = page_of(convert, body)
    assert [(each.kind, each.marker, each.text) for each in page.blocks] == [
        (Tag.NUMBERED, "c)", "a b"),
        (Tag.NUMBERED, "d)", "c"),
        (Tag.ITEM, "", "def"),
    ]
