"""A Word document's paragraphs get the tags that a reader sees."""

from itertools import pairwise

from shoal.converters.limits import Limits
from shoal.converters.ole.doc import convert
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.pack import pack
from shoal.model.page import Tag
from tests.converters.ole_parts import block, inside_of, page_of, sample, texts
from tests.converters.ole_samples import package, word_95
from tests.converters.parts import context


def _with(name: str, **changed: bytes) -> bytes:
    """A sample with streams changed or added."""
    compound = Compound(sample(name), Limits())
    streams = {each: compound.read(each) for each in compound.names}
    return pack(streams | {each.replace("__", "/"): data for each, data in changed.items()})


def test_headings_bold_links_and_metadata() -> None:
    page = page_of(convert, sample("ole-reef.doc"))
    assert page.title == "Fish of the outer reef"
    assert (page.author, page.keywords, page.description) == ("Nora Wels", "reef", "A survey")
    headings = [(each.level, each.text) for each in page.blocks if each.kind is Tag.HEADING]
    assert headings == [
        (1, "Where parrotfish sleep"),
        (2, "Steps of the count"),
        (2, "What was seen"),
    ]
    dusk = block(page, "At dusk")
    assert [dusk.text[a:b] for a, b in dusk.bold] == ["parrotfish"]
    (link,) = block(page, "Read").links
    assert link[2] == "https://reef.example/cocoon"


def test_lists_are_numbered_as_they_are_shown() -> None:
    page = page_of(convert, sample("ole-reef.doc"))
    items = [
        (each.kind, each.level, each.marker, each.text)
        for each in page.blocks
        if each.kind in {Tag.NUMBERED, Tag.ITEM}
    ]
    assert items == [
        (Tag.NUMBERED, 1, "1.", "Lay the line"),
        (Tag.NUMBERED, 2, "a)", "anchor it"),
        (Tag.NUMBERED, 2, "b)", "mark its end"),
        (Tag.NUMBERED, 1, "2.", "Swim slowly"),
        (Tag.ITEM, 1, "", "slate and pencil"),
    ]


def test_a_table_is_one_block() -> None:
    page = page_of(convert, sample("ole-reef.doc"))
    assert texts(page, Tag.TABLE) == ["Kind\tNumber\nРыба-попугай\t14"]
    assert block(page, "Kind").level == 1


def test_notes_comments_headers_and_boxes_are_asides_and_hidden_text_is_none() -> None:
    page = page_of(convert, sample("ole-reef.doc"))
    assert texts(page, Tag.ASIDE) == [
        "struckout mackerel",
        "Some species spin a cocoon.",
        "Check the hour of dawn.",
        "Survey of the outer reef",
        "Kept by the harbour office",
        "A box about wrasse",
    ]
    assert "barracuda" not in page.text
    assert "HYPERLINK" not in page.text


def test_embedded_files_are_documents_and_their_labels_are_seen() -> None:
    body = _with(
        "ole-reef.doc", **{"ObjectPool__\x01Ole10Native": package("sound[1].wav", b"RIFF")}
    )
    assert inside_of(convert, body) == {"sound[1].wav": b"RIFF"}
    assert texts(page_of(convert, body), Tag.CAPTION) == ["sound[1].wav"]


def test_old_text_is_read_in_the_code_page_of_its_language() -> None:
    page = page_of(convert, word_95())
    assert texts(page, Tag.PARAGRAPH) == ["Рыбы рифа", "Второй абзац."]


def test_an_encrypted_file_says_so() -> None:
    stream = bytearray(Compound(sample("ole-reef.doc"), Limits()).read("WordDocument"))
    stream[11] |= 1
    (result,) = convert(_with("ole-reef.doc", WordDocument=bytes(stream)), context())
    assert result.problem == "encrypted"
    assert result.page.blocks == []


def test_without_its_tables_a_file_still_gives_its_letters() -> None:
    (result,) = convert(_with("ole-reef.doc", **{"1Table": b"lost", "0Table": b"lost"}), context())
    assert "looks for a crevice" in result.page.text


def test_pieces_may_lie_in_any_order_in_the_stream() -> None:
    """As after a fast save: two pieces, the second one first, one of them in bytes."""
    first, second = "Der Riff".encode("utf-16-le"), b" bei Nacht\r"
    stream = bytearray(2048)
    stream[:12] = bytes.fromhex("eca5c100000009040000 0402".replace(" ", ""))
    stream[32:34], stream[62:64], stream[152:154] = b"\x0e\0", b"\x16\0", b"\x5d\0"
    stream[76:80] = (8 + len(second)).to_bytes(4, "little")
    stream[1024 : 1024 + len(second)] = second
    stream[1100 : 1100 + len(first)] = first
    pieces = b"".join(n.to_bytes(4, "little") for n in (0, 8, 8 + len(second)))
    for place in (1100, 1024 * 2 | 0x40000000):
        pieces += b"\0\0" + place.to_bytes(4, "little") + b"\0\0"
    clx = b"\x02" + len(pieces).to_bytes(4, "little") + pieces
    stream[418:426] = (0).to_bytes(4, "little") + len(clx).to_bytes(4, "little")
    page = page_of(convert, pack({"WordDocument": bytes(stream) * 3, "1Table": clx}))
    assert page.text == "Der Riff bei Nacht"


def test_asides_come_after_the_text() -> None:
    page = page_of(convert, sample("ole-reef.doc"))
    last = [each.kind is Tag.ASIDE for each in page.blocks][-5:]
    assert all(last)
    assert all(before.source == after.source for before, after in pairwise(page.blocks))
