"""A saved message reads like a mail."""

from shoal.converters.limits import Limits
from shoal.converters.ole.msg import convert
from shoal.converters.ole.msg_properties import PropertyBag
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.pack import pack
from shoal.model.page import Tag
from tests.converters.ole_parts import inside_of, page_of, texts
from tests.converters.ole_samples import MODIFIED, msg, msg_streams


def test_the_head_comes_first_then_the_body() -> None:
    page = page_of(convert, msg())
    assert page.title == "The count on Friday"
    assert page.author == "Nora Wels <nora@reef.example>"
    assert page.published == "2024-05-12T15:06:40Z"
    assert texts(page, Tag.PARAGRAPH) == [
        "From: Nora Wels <nora@reef.example>",
        "To: Otto Grundel <otto@reef.example>",
        "Date: Sun, 12 May 2024 15:06:40 +0000",
        "Dear Otto,",
        "bring the slate for the wrasse.",
    ]
    assert texts(page, Tag.ITEM) == ["kinds.txt", "An older letter.msg"]


def test_the_html_body_is_the_better_one() -> None:
    page = page_of(convert, msg("<h1>Café</h1><p>Bring <b>two</b> slates.</p>"))
    assert texts(page, Tag.HEADING) == ["Café"]
    assert "Bring two slates." in page.text
    assert "Dear Otto" not in page.text


def test_an_rtf_body_is_unpacked() -> None:
    rtf = rb"{\rtf1\ansi The {\b octopus} waits.\par}"
    packed = (len(rtf) + 12).to_bytes(4, "little") + len(rtf).to_bytes(4, "little") + b"MELA"
    streams = msg_streams({0x0037: "Octopus"}, {})
    streams["__substg1.0_10090102"] = packed + bytes(4) + rtf
    assert page_of(convert, pack(streams)).text == "The octopus waits."


def test_attached_messages_are_messages_again() -> None:
    found = inside_of(convert, msg())
    assert found["kinds.txt"] == b"goby, wrasse, moray\n"
    inner = page_of(convert, found["An older letter.msg"])
    assert inner.title == "An older letter"
    assert inner.published == "2024-05-12T15:06:40Z"
    assert "The tide is late." in inner.text


def test_old_texts_are_in_the_code_page_of_the_message() -> None:
    streams = msg_streams({}, {0x3FFD: (3, 1251), 0x0039: (0x40, MODIFIED)})
    streams["__substg1.0_0037001E"] = "Рифы".encode("cp1251")
    assert PropertyBag(Compound(pack(streams), Limits())).text(0x0037) == "Рифы"
    german = msg_streams({}, {0x3FDE: (3, 65001), 0x3FF1: (3, 0x407)})
    german["__substg1.0_0037001E"] = "Öl".encode("cp1252")
    assert PropertyBag(Compound(pack(german), Limits())).text(0x0037) == "Öl"


def test_addresses_of_an_exchange_server_are_left_out() -> None:
    streams = msg_streams({0x0C1A: "Nora", 0x0C1F: "/O=REEF/CN=NORA@X", 0x1000: "Hello."}, {})
    assert page_of(convert, pack(streams)).text == "From: Nora\nHello."
