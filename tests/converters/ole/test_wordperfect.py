"""Letters between WordPerfect's codes."""

from shoal.converters.ole.wordperfect import convert
from shoal.converters.ole.wordperfect_characters import letter
from shoal.model.page import Tag
from tests.converters.ole_parts import block, page_of, texts
from tests.converters.ole_samples import wordperfect_5, wordperfect_6
from tests.converters.parts import context


def _text_6(text: bytes) -> bytes:
    whole = wordperfect_6()
    return whole[: 512 + 14] + text


def test_version_6() -> None:
    page = page_of(convert, wordperfect_6())
    assert texts(page, Tag.PARAGRAPH) == [
        "Notes from the reef",
        "Sea fans grow slow-ly, café.",
        "Kept.",
    ]
    assert texts(page, Tag.ASIDE) == ["Struck out."]
    assert block(page, "Sea").bold == [(0, 8)]


def test_version_5() -> None:
    page = page_of(convert, wordperfect_5())
    assert page.text == "An older note\nMoray eels hide by day.\n– Done.\nAt night they hunt."
    assert texts(page, Tag.ASIDE) == ["At night they hunt."]
    assert block(page, "Moray").bold == [(0, 10)]


def test_a_table_of_version_6() -> None:
    page = page_of(convert, _text_6(b"Before\xcc\xc5Kind\xc6Number\xc5Goby\xc67\xbfAfter\xcc"))
    assert [(each.kind, each.text) for each in page.blocks] == [
        (Tag.PARAGRAPH, "Before"),
        (Tag.TABLE, "Kind\tNumber\nGoby\t7"),
        (Tag.PARAGRAPH, "After"),
    ]


def test_short_letters_of_version_6() -> None:
    assert page_of(convert, _text_6(b"No\x0el\x80\x1cber\x20\xcc")).text == "Noël überß"


def test_letters_of_the_sets() -> None:
    assert letter(41, 1) == "é"
    assert letter(29, 4) == "‘"
    assert letter(34, 4) == "—"
    assert letter(0, 10) == "А"
    assert letter(64, 10) == "Я"
    assert letter(51, 8) == "ω"
    assert letter(250, 12) == ""


def test_a_password_is_told() -> None:
    body = bytearray(wordperfect_6())
    body[12] = 1
    assert convert(bytes(body), context())[0].problem == "encrypted"


def test_what_only_looks_like_a_function_is_passed_over() -> None:
    page = page_of(convert, _text_6(b"One\xd4\x00\x00\x00Two\xd4Three\xcc"))
    assert page.text == "OneTwoThree"
