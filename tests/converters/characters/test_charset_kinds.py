"""Charsets by kind of document: HTML's rules, XML's rules, and what files alone know."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.characters.charset import decode, kind_of
from shoal.converters.characters.codecs import as_browsers, euc_tw
from shoal.converters.characters.labels import file_name_of

RUSSIAN = "Рыбы живут на рифе, и никто не знает, сколько их там."
GERMAN = "Die Fische schwimmen über das Riff, und niemand weiß, wie viele es dort gibt. Schön!"
FRENCH = "Les poissons nagent au-dessus du récif, et personne ne sait combien ils sont là-bas."
CHINESE = "珊瑚礁上的鱼很多，没有人知道到底有多少。这里的水很清，可以看到很远的地方。"
TAIWANESE = "珊瑚礁上的魚很多，沒有人知道到底有多少。這裡的水很清，可以看到很遠的地方。"
KOREAN = "산호초에는 물고기가 많이 살고 있습니다. 그곳에 얼마나 있는지 아무도 모릅니다."


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'<?xml version="1.0"?><a/>', "xml"),
        ('<?xml version="1.0"?><a/>'.encode("utf-16-le"), "xml"),
        ('<?xml version="1.0"?><a/>'.encode("cp500"), "xml"),
        (b"\n<!DOCTYPE html><p>", "html"),
        (b"<title>Fish", "html"),
        (b"Fish and <b>reefs</b>", "text"),
        (b"", "text"),
    ],
)
def test_the_bytes_tell_whose_rules_hold(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [f'<?xml version="1.0"?><a>{RUSSIAN}</a>', GERMAN, RUSSIAN])
def test_wide_text_needs_no_mark(codec: str, text: str) -> None:
    found = decode(text.encode(codec))
    assert found.text == text
    assert found.charset == codec.replace("-le", "le").replace("-be", "be")
    assert found.evidence == ("xml" if text.startswith("<?xml") else "detector")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [CHINESE + "\n" + CHINESE, KOREAN])
def test_wide_text_of_the_far_east(codec: str, text: str) -> None:
    assert decode(text.encode(codec)).text == text


def test_utf_32_with_its_mark_is_not_utf_16() -> None:
    assert decode("\ufeffriff".encode("utf-32-le")) == ("riff", "utf-32le", "bom")


@pytest.mark.parametrize("codec", ["cp037", "cp500", "cp273"])
def test_xml_in_ebcdic_names_its_code_page(codec: str) -> None:
    text = f'<?xml version="1.0" encoding="{codec}"?><a>Fisch</a>'
    found = decode(text.encode(codec))
    assert (found.text, found.charset) == (text, file_name_of(codec))
    assert found.evidence == "xml"


def test_text_of_a_mainframe_is_known_by_its_blanks() -> None:
    found = decode((GERMAN + "\n").encode("cp273") * 5)
    assert (found.charset, found.evidence) == ("ibm273", "detector")
    assert found.text.startswith(GERMAN)


@pytest.mark.parametrize(
    ("codec", "name", "text"),
    [
        ("utf_7", "utf-7", "Рыбы и рифы, sagt man."),
        ("hz", "hz-gb-2312", "鱼在珊瑚礁上。"),
        ("iso2022_kr", "iso-2022-kr", KOREAN),
        ("iso2022_jp", "iso-2022-jp", "さかなとサンゴ礁"),
    ],
)
def test_what_hides_in_ascii(codec: str, name: str, text: str) -> None:
    assert decode(text.encode(codec)) == (text, name, "detector")


@pytest.mark.parametrize(
    "text", ["C++-style", "1+1-1", "a+b-c +abc- d", "+4917012345-0", "x ~{ y ~} z", "tel:+49-30"]
)
def test_what_only_looks_hidden_is_ascii(text: str) -> None:
    assert decode(text.encode()) == (text, "utf-8", "default")


def test_a_web_page_is_never_utf_7() -> None:
    page = "<html>" + "Рыбы".encode("utf_7").decode()
    assert decode(page.encode()).charset == "utf-8"
    assert decode(page.encode(), "utf-7", "html").charset == "utf-8"
    assert decode("Рыбы".encode("utf_7"), "utf-7", "text").text == "Рыбы"


def test_files_keep_to_the_registered_charset_and_pages_to_browsers() -> None:
    wave = "東京～大阪".encode("cp932")
    assert decode(wave, "shift_jis", "html").text == "東京～大阪"
    assert decode(wave, "shift_jis", "text") == ("東京〜大阪", "shift_jis", "http")
    assert decode("①".encode("cp932"), "shift_jis", "text") == ("①", "windows-31j", "http")
    dash = "鱼——礁".encode("gb2312", "ignore") + b"\xa1\xaa"
    assert decode(dash, "gb2312", "html").text.endswith("—")
    assert decode(dash, "gb2312", "text").text.endswith("―")


def test_a_page_that_lies_about_utf_8_is_read_all_the_same() -> None:
    page = ('<meta charset="utf-8"><p>' + RUSSIAN * 3).encode("cp1251")
    found = decode(page, kind="html")
    assert (found.charset, found.evidence) == ("windows-1251", "detector")
    assert decode(b"caf\xe9", "utf-8") == ("caf\ufffd", "utf-8", "http")


def test_faults_do_not_make_utf_8_another_charset() -> None:
    page = (RUSSIAN * 4).encode() + b"\xff\xfe\x80" + RUSSIAN.encode()
    assert decode(page).charset == "utf-8"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("café", "cp1252"),
        ("Straße", "cp1252"),
        ("Ñandú", "cp1252"),
        ("Привет", "cp1251"),
        ("Документ", "cp866"),
        ("文件", "gbk"),
        ("新しいフォルダ", "cp932"),
        ("새 폴더", "cp949"),
        ("Žluťoučký kůň", "cp1250"),
        ("Αρχείο", "cp1253"),
        ("£825 and £2", "cp1252"),
        ("© 2020 Reef Ltd.", "cp1252"),
    ],
)
def test_short_names(text: str, codec: str) -> None:
    assert decode(text.encode(codec), kind="text").text == text


def test_a_claimed_language_is_a_hint() -> None:
    word = "kůň".encode("iso8859_2")
    page = b'<html lang="cs"><p>' + word
    assert decode(page, kind="html").text.endswith("kůň")
    assert decode(word, language="cs").text == "kůň"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (FRENCH, "windows-1252"),
        (RUSSIAN, "windows-1251"),
        (CHINESE, "gb18030"),
        (TAIWANESE, "big5"),
    ],
)
def test_markup_around_hides_nothing(text: str, name: str) -> None:
    codec = {"big5": "big5"}.get(name, name)
    script = "<script>" + "var a = 1;" * 3000 + "</script>"
    page = f"<html><head>{script}</head><body class='x'><div><p>{text}</p></div></body></html>"
    assert decode(page.encode(codec), kind="html") == (page, name, "detector")


def test_cns_11643_is_read_as_the_c_library_reads_it() -> None:
    data = b"\xc4\xe3\xc5\xc6 \x8e\xa2\xa1\xa1\x8e\xa1\xc4\xe3!"
    try:
        done = subprocess.run(
            ["iconv", "-f", "EUC-TW", "-t", "UTF-8"], input=data, capture_output=True, check=True
        )
    except (FileNotFoundError, subprocess.CalledProcessError) as fault:
        pytest.skip(f"no iconv that reads EUC-TW: {fault}")
    assert euc_tw(data)[0] == done.stdout.decode()


def test_iscii_reads_ten_scripts() -> None:
    machli = b"\xcc\xb9\xe8\xd1\xdc"
    assert as_browsers(machli, "x-iscii-de") == "मछ्ली"
    assert as_browsers(machli, "x-iscii-be") == "মছ্লী"
    assert as_browsers(b"\xef\x44" + machli + b"\n\xb3\xf1\xe9", "x-iscii-de") == "மச்லீ\nक०़".replace(
        "ச", "\u0b9b"
    )
    assert as_browsers(b"\xb3\xe9\xb3\xe8\xe8\xef", "x-iscii-de") == "क़क्\u200c"


def test_tamil_and_vietnamese_tables() -> None:
    assert as_browsers(b"\xab", "tscii") == "அ"
    assert as_browsers(b"\xe2\xea", "viscii") == "âê"
    assert as_browsers(b"\xc1\xc2\x40\x4b", "ibm1047") == "AB ."


@given(st.binary(max_size=300), st.sampled_from(["html", "xml", "text"]))
def test_nothing_raises(data: bytes, kind: str) -> None:
    for body in (data, b"<?xml " + data, b"\x4c\x6f\xa7\x94" + data, data * 9):
        found = decode(body, kind=kind)  # type: ignore[arg-type]  # hypothesis gives plain strings
        found.text.encode("utf-8")
        assert found.charset


def test_a_megabyte_of_noise_takes_no_time() -> None:
    noise = bytes(range(128, 256)) * 8192
    assert decode(noise, kind="html").text
