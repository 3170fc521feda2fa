"""The Encoding Standard (WHATWG, 2026): its 228 labels, and its tables by their digests.

Each row: the encoding's name, the first 16 hex digits of the SHA-256 of the 128 characters (UTF-8,
holes as U+FFFD) that bytes 0x80 to 0xFF stand for where it is a single-byte encoding, and all of
its labels. Three labels that the standard reads as "replacement" are read as what they say, for we
run no scripts. Our one gap in the tables is Big5's 203 cells of HKSCS-2008.
"""

import hashlib

import pytest

from shoal.converters.characters.charset import decode
from shoal.converters.characters.codecs import as_browsers
from shoal.converters.characters.labels import CODECS, name_of

TABLE = """
utf-8 |  | unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8
ibm866 | 2e3f89d51df1d1b9 | 866 cp866 csibm866 ibm866
iso-8859-2 | da4d3b2f8f06435d | csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3 | c1d9ce25d3762a52 | csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4 | 54140e6e75ba62ce | csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5 | 5372981566958051 | csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
iso-8859-6 | 2b716bc800e7bfe3 | arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7 | 8d94b0308cf418c9 | csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso-8859-8 | ade2c0790e86ddc8 | csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual
iso-8859-8-i | ade2c0790e86ddc8 | csiso88598i iso-8859-8-i logical
iso-8859-10 | 129e084c5bc4da60 | csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13 | 20a9bcd406361c31 | iso-8859-13 iso8859-13 iso885913
iso-8859-14 | 80050213abdb4257 | iso-8859-14 iso8859-14 iso885914
iso-8859-15 | b9a4a2394ee58552 | csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16 | c2bb18a77fe0cd90 | iso-8859-16
koi8-r | 25a9da95cf2db39e | cskoi8r koi koi8 koi8-r koi8_r
koi8-u | 79b0a6e96024f61a | koi8-ru koi8-u
macintosh | 94dcdcc19412eb48 | csmacintosh mac macintosh x-mac-roman
windows-874 | 4bb5efdc1a2832ec | dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874
windows-1250 | 52665a0c49e77322 | cp1250 windows-1250 x-cp1250
windows-1251 | 153baf169d84e269 | cp1251 windows-1251 x-cp1251
windows-1252 | 9ba654722668eee9 | ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
windows-1253 | fa630499b7db169e | cp1253 windows-1253 x-cp1253
windows-1254 | 612d01246f4b5106 | cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254
windows-1255 | 16925d6a9d5cff62 | cp1255 windows-1255 x-cp1255
windows-1256 | ae636a90722c9d75 | cp1256 windows-1256 x-cp1256
windows-1257 | abd51531663d43f8 | cp1257 windows-1257 x-cp1257
windows-1258 | ded84db6d51e3143 | cp1258 windows-1258 x-cp1258
x-mac-cyrillic | ab39a8a69bbbd008 | x-mac-cyrillic x-mac-ukrainian
gbk |  | chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk
gb18030 |  | gb18030
big5 |  | big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp |  | cseucpkdfmtjapanese euc-jp x-euc-jp
iso-2022-jp |  | csiso2022jp iso-2022-jp
shift_jis |  | csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis
euc-kr |  | cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
replacement |  | csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement
utf-16be |  | unicodefffe utf-16be
utf-16le |  | csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le
x-user-defined |  | x-user-defined
"""  # noqa: E501 - one encoding, one line

ROWS = [tuple(cell.strip() for cell in line.split("|")) for line in TABLE.strip().splitlines()]
READ_ALL_THE_SAME = {
    "hz-gb-2312": "hz-gb-2312",
    "iso-2022-kr": "iso-2022-kr",
    "csiso2022kr": "iso-2022-kr",
}
LABELS = [(label, name) for name, _, labels in ROWS for label in labels.split()]


def test_the_standard_has_228_labels() -> None:
    assert len(LABELS) == 228


@pytest.mark.parametrize(("label", "name"), LABELS)
def test_a_label_means_what_the_standard_says(label: str, name: str) -> None:
    assert name_of(f" {label.upper()}\n") == READ_ALL_THE_SAME.get(label, name)


@pytest.mark.parametrize(("name", "digest"), [row[:2] for row in ROWS if row[1]])
def test_single_byte_tables_are_the_standards(name: str, digest: str) -> None:
    text = decode(bytes(range(0x80, 0x100)), name, "html").text
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("gbk", b"\xa1\xaa\xa1\xa4\xa3\xa0\x80", "—·\u3000€"),
        ("gb18030", b"\x81\x30\x81\x30\xa6\xd9", "\x80\ufe10"),
        ("shift_jis", b"\x81\x60\x81\x7c\x87\x40\xb1", "～－①ｱ"),
        ("euc-jp", b"\xa1\xc1\xa1\xdd\xad\xa1\xf9\xa1\x8e\xb1", "～－①纊ｱ"),
        ("euc-kr", b"\xb0\xa1\x81\x41", "가갂"),
        ("big5", b"\xa4\xa4\xa4\xe5\x88\x62", "中文Ê̄"),
        ("iso-2022-jp", b"\x1b$B$5$+$J\x1b(B!", "さかな!"),
        ("x-user-defined", b"a\x80\xff", "a\uf780\uf7ff"),
        ("replacement", b"anything", "\ufffd"),
        ("replacement", b"", ""),
    ],
)
def test_readings_that_are_browsers_own(name: str, data: bytes, text: str) -> None:
    assert as_browsers(data, name) == text


def _double_bytes(first: int, second: range) -> list[bytes]:
    return [bytes([lead, trail]) for lead in range(first, 0xFF) for trail in second]


@pytest.mark.parametrize(
    ("name", "first", "second", "cells", "digest"),
    [
        ("euc-kr", 0x81, range(0x41, 0xFF), 17048, "f49bf642f090c1ce"),
        ("euc-jp", 0xA1, range(0xA1, 0xFF), 7336, "a217d8755e0832bc"),
    ],
)
def test_double_byte_tables_are_the_standards(
    name: str, first: int, second: range, cells: int, digest: str
) -> None:
    read = [as_browsers(pair, name) for pair in _double_bytes(first, second)]
    known = [text for text in read if len(text) == 1 and text != "\ufffd"]
    assert len(known) == cells
    assert hashlib.sha256("".join(known).encode()).hexdigest()[:16] == digest


def test_every_name_has_a_codec() -> None:
    assert {name for name, _, _ in ROWS} <= set(CODECS)
