"""What a compound file says about itself, and the files in it."""

from shoal.converters.characters.codepages import codec_of, codec_of_language, decode
from shoal.converters.limits import Limits
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.pack import pack
from shoal.converters.ole.properties import embedded, iso_time, objects, properties, unwrapped
from shoal.model.page import Page
from tests.converters.ole_samples import MODIFIED
from tests.converters.ole_samples import package as ole_package
from tests.converters.ole_samples import properties as property_set


def _compound(streams: dict[str, bytes]) -> Compound:
    return Compound(pack(streams), Limits())


def test_texts_are_read_in_the_code_page_of_the_set() -> None:
    values: dict[int, str | int] = {2: "Рифы", 4: "Нора", 13: MODIFIED, 5: "рыбы"}
    found = properties(_compound({"\x05SummaryInformation": property_set(values, 1251)}))
    assert (found.title, found.author, found.keywords) == ("Рифы", "Нора", "рыбы")
    assert found.modified == "2024-05-12T15:06:40Z"
    page = Page()
    found.fill(page)
    assert (page.author, page.modified) == ("Нора", "2024-05-12T15:06:40Z")


def test_a_broken_set_says_nothing() -> None:
    whole = property_set({2: "Reef", 13: MODIFIED})
    for cut in range(0, len(whole), 7):
        properties(_compound({"\x05SummaryInformation": whole[:cut] or b"\0"}))
    assert properties(_compound({"x": b"y"})).title == ""


def test_times_that_mean_nothing_are_left_out() -> None:
    assert iso_time(0) == ""
    assert iso_time(2**64 - 1) == ""


def test_the_four_shapes_of_embedded_files() -> None:
    compound = _compound(
        {
            "WordDocument": b"the outer one",
            "ObjectPool/_1/\x01Ole10Native": ole_package("sound[1].wav", b"RIFF...."),
            "ObjectPool/_2/Package": b"PK\x03\x04 a spreadsheet",
            "ObjectPool/_3/CONTENTS": b"%PDF-1.4",
            "ObjectPool/_4/WordDocument": b"an inner one",
            "ObjectPool/_4/ObjectPool/_5/Package": b"PK the inner one's own",
        }
    )
    found = dict(embedded(compound))
    assert found["sound[1].wav"] == b"RIFF...."
    assert found["_2"].startswith(b"PK")
    assert found["_3"] == b"%PDF-1.4"
    inner = Compound(found["_4.doc"], Limits())
    assert inner.read("WordDocument") == b"an inner one"
    assert dict(embedded(inner)) == {"_5": b"PK the inner one's own"}
    assert len(found) == 4
    assert [each.name for each in objects(compound) if each.is_label] == ["sound[1].wav"]


def test_a_file_that_is_only_wrapped() -> None:
    assert unwrapped(_compound({"Package": b"PK"})).data == b"PK"
    assert unwrapped(_compound({"\x01Ole10Native": ole_package("a.txt", b"goby")})).name == "a.txt"
    assert unwrapped(_compound({"WordDocument": b"itself"})).data == b""


def test_code_pages_and_languages() -> None:
    assert codec_of(10000) == "mac-roman"
    assert codec_of(28605) == "iso8859-15"
    assert codec_of(4711) == "cp1252"
    assert codec_of_language(0x0419) == "cp1251"
    assert codec_of_language(0x0404) == "big5"
    assert decode(b"caf\xe9 \x81", "cp1252") == "café \x81"
    assert decode(b"caf\xe9", "utf-8") == "café"
