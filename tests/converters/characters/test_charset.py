"""Charsets: the order of evidence, WHATWG's labels, and the detector for what says nothing."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.characters.charset import PRESCAN_BYTES, decode, prescan
from shoal.converters.characters.labels import CODECS, file_name_of, name_of

RUSSIAN = "Привет, это обычный русский текст о рыбах и рифах. " * 5
JAPANESE = "これは日本語の文章です。漢字もあります。熱帯魚とサンゴ礁。" * 5
KOREAN = "이것은 한국어 문장입니다. 열대어와 산호초에 대한 글입니다. " * 5
CHINESE = "这是一个关于热带鱼和珊瑚礁的中文句子，用于测试。" * 5
TAIWANESE = "這是一個關於熱帶魚和珊瑚礁的中文句子，用於測試。" * 5
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy o rybách. " * 5
FRENCH = "Les élèves étudient déjà les poissons à l’école d’été. " * 5
GREEK = "Αυτό είναι ένα κείμενο για τα τροπικά ψάρια και τους υφάλους. " * 5


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8_r", "koi8-r"),
        (JAPANESE, "cp932", "shift_jis"),
        (JAPANESE, "euc_jp", "euc-jp"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (KOREAN, "cp949", "euc-kr"),
        (CHINESE, "gb18030", "gb2312"),
        (TAIWANESE, "big5", "big5"),
        (CZECH, "iso8859_2", "iso-8859-2"),
        (FRENCH, "cp1252", "windows-1252"),
        (GREEK, "utf_8", "utf-8"),
        (JAPANESE, "utf_8", "utf-8"),
    ],
)
def test_what_says_nothing_is_detected(text: str, codec: str, name: str) -> None:
    assert decode(text.encode(codec)) == (text, name, "detector")


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_a_byte_order_mark_wins_over_everything(mark: bytes) -> None:
    codec = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16le"}.get(mark, "utf-16be")
    text = '<meta charset="koi8-r">é'
    assert decode(mark + text.encode(CODECS[codec]), "windows-1251") == (text, codec, "bom")


def test_the_header_wins_over_the_page() -> None:
    page = '<meta charset="koi8-r">рыба'
    assert decode(page.encode("cp1251"), "windows-1251") == (page, "windows-1251", "http")


def test_an_unknown_label_in_the_header_says_nothing() -> None:
    page = '<meta charset="koi8-r">рыба'
    assert decode(page.encode("koi8-r"), "x-fish") == (page, "koi8-r", "meta")


def test_plain_ascii_is_utf_8_by_default() -> None:
    assert decode(b"fish") == ("fish", "utf-8", "default")
    assert decode(b"") == ("", "utf-8", "default")


def test_a_cut_character_does_not_make_it_another_charset() -> None:
    data = ("ab" + "ü" * 200).encode()[:-1]
    text, name, _ = decode(data)
    assert name == "utf-8"
    assert text == "ab" + "ü" * 199 + "\ufffd"


def test_bytes_that_fit_nothing_are_read_all_the_same() -> None:
    text, name, evidence = decode(b"caf\xe9 \xff\x81 \x00")
    assert text.startswith("caf")
    assert name in CODECS
    assert evidence in ("detector", "default")


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b'<meta charset="koi8-r">', "koi8-r"),
        (b"<META CHARSET=koi8-r>", "koi8-r"),
        (b"<meta charset='koi8-r' />", "koi8-r"),
        (b"<meta/charset=koi8-r>", "koi8-r"),
        (b'<meta name=x content="a > b" charset=koi8-r>', "koi8-r"),
        (b'<meta http-equiv=Content-Type content="text/html; charset=koi8-r">', "koi8-r"),
        (b'<meta content="text/html;charset=\'koi8-r\'" http-equiv="content-type">', "koi8-r"),
        (b'<meta content="text/html; charset=koi8-r">', ""),  # the pragma is missing
        (b'<meta http-equiv="refresh" content="1; charset=koi8-r">', ""),
        (b'<!-- <meta charset="koi8-r"> --><meta charset="big5">', "big5"),
        (b'<!-- <meta charset="koi8-r">', ""),
        (b'<meta charset="nonsense"><meta charset="big5">', "big5"),
        (b'<meta charset="utf-16">', "utf-8"),
        (b'<meta charset="x-user-defined">', "windows-1252"),
        (b'<?xml version="1.0" encoding="koi8-r"?><html>', "koi8-r"),
        (b"<metal charset=koi8-r>", ""),
        (b"<meta charset", ""),
        (b"", ""),
    ],
)
def test_prescan(head: bytes, name: str) -> None:
    assert prescan(head) == name


def test_a_declaration_past_the_first_kilobyte_is_too_late() -> None:
    page = b" " * PRESCAN_BYTES + b'<meta charset="koi8-r">' + RUSSIAN.encode("cp1251")
    assert decode(page).charset == "windows-1251"


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("iso-8859-1", "windows-1252"),
        ("ISO-8859-1 ", "windows-1252"),
        ("latin1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ('"utf8"', "utf-8"),
        ("UTF-8", "utf-8"),
        ("gb2312", "gbk"),
        ("sjis", "shift_jis"),
        ("iso-8859-9", "windows-1254"),
        ("tis-620", "windows-874"),
        ("ks_c_5601-1987", "euc-kr"),
        ("utf-7", ""),
        ("base64", ""),
        ("rot13", ""),
        ("unicode_escape", ""),
        ("idna", ""),
        ("", ""),
        ("x" * 100, ""),
    ],
)
def test_labels_mean_what_browsers_take_them_to_mean(label: str, name: str) -> None:
    assert name_of(label) == name


@pytest.mark.parametrize("name", CODECS)
def test_every_charset_reads_anything(name: str) -> None:
    data = bytes(range(256)) * 3 + b"\x1b$B~{"
    assert isinstance(decode(data, name, "text").text, str)
    assert file_name_of(name) == name or CODECS[file_name_of(name)] == CODECS[name]


@given(st.binary(max_size=400), st.text(max_size=20) | st.sampled_from(sorted(CODECS)))
def test_nothing_raises(data: bytes, declared: str) -> None:
    text, name, evidence = decode(data, declared)
    assert name in CODECS
    assert evidence in ("bom", "http", "meta", "xml", "detector", "default")
    text.encode("utf-8")  # no lone surrogates


@given(st.binary(max_size=200))
def test_prescan_never_raises(data: bytes) -> None:
    assert prescan(b"<meta " + data) in {"", *CODECS}
