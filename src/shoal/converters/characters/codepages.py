"""Which codec reads the 8-bit text of an old Windows file? By its code page, or its language.

Windows numbers its code pages; Word before 97 gives only the language the text is written in.
"""

import codecs

NAMED = {
    0: "cp1252",
    708: "iso8859-6",
    874: "cp874",
    1200: "utf-16-le",
    1201: "utf-16-be",
    1361: "johab",
    10000: "mac-roman",
    10001: "shift-jis",
    10002: "big5",
    10003: "euc-kr",
    10004: "mac-arabic",
    10006: "mac-greek",
    10007: "mac-cyrillic",
    10008: "gb2312",
    10029: "mac-latin2",
    10079: "mac-iceland",
    10081: "mac-turkish",
    20127: "ascii",
    20866: "koi8-r",
    21866: "koi8-u",
    20932: "euc-jp",
    **dict.fromkeys((50220, 50221, 50222), "iso2022-jp"),
    51932: "euc-jp",
    51936: "gb2312",
    51949: "euc-kr",
    52936: "hz",
    54936: "gb18030",
    65000: "utf-7",
    65001: "utf-8",
}
FONT_CHARSETS = {
    77: 10000,
    128: 932,
    129: 949,
    130: 1361,
    134: 936,
    136: 950,
    161: 1253,
    162: 1254,
    163: 1258,
    177: 1255,
    178: 1256,
    186: 1257,
    204: 1251,
    222: 874,
    238: 1250,
}
"""What a font's charset (LOGFONT) is as a code page; 0 says nothing."""
_ISO = range(28591, 28606)

# Primary language (the low ten bits of a language number) to code page; all else is Western.
_LANGUAGES = {
    **dict.fromkeys((0x01, 0x20, 0x29), "cp1256"),
    **dict.fromkeys((0x02, 0x19, 0x22, 0x23, 0x2F, 0x3F, 0x40, 0x44, 0x50), "cp1251"),
    **dict.fromkeys((0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x1C, 0x24), "cp1250"),
    0x04: "gbk",
    0x08: "cp1253",
    0x0D: "cp1255",
    0x11: "cp932",
    0x12: "cp949",
    0x1E: "cp874",
    0x1F: "cp1254",
    **dict.fromkeys((0x25, 0x26, 0x27), "cp1257"),
    0x2A: "cp1258",
}
_TRADITIONAL_CHINESE = {0x0404, 0x0C04, 0x1404}
_SERBIAN_CYRILLIC = {0x0C1A, 0x1C1A, 0x201A, 0x281A, 0x301A}


def codec_of(codepage: int) -> str:
    """A codec that exists, Western when the number is unknown."""
    codepage &= 0xFFFF
    if codepage in _ISO:
        name = f"iso8859-{codepage - 28590}"
    else:
        name = NAMED.get(codepage, f"cp{codepage}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def codec_of_language(language: int) -> str:
    if language in _TRADITIONAL_CHINESE:
        return "big5"
    if language in _SERBIAN_CYRILLIC:
        return "cp1251"
    return _LANGUAGES.get(language & 0x3FF, "cp1252")


def decode(data: bytes, codec: str) -> str:
    """Never raises. Text that is not in UTF-8 after all is Western; Western bytes that mean nothing
    in Windows' table are read as Latin-1."""
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        if codec in {"cp1252", "utf-8", "ascii"}:
            return "".join(_WESTERN[byte] for byte in data)
        return data.decode(codec, "replace")


_WESTERN = [bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]
