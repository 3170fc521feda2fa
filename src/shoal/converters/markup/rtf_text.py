"""Which characters do the bytes of an RTF file mean? Those of the font's charset.

RTF 1.9.1: `\\ansicpg` names the document's code page, `\\fcharset` (or `\\cpg`) that of a font, and
`\\u` a UTF-16 unit. Bytes of a font in the Symbol charset stand for glyphs; those of the font
"Symbol" have Unicode names, those of other such fonts (Wingdings …) are pictures and left out.
"""

import codecs
import re

from shoal.converters.characters.codepages import FONT_CHARSETS, NAMED

SYMBOL = "symbol"
"""The font Symbol."""
DINGBATS = "dingbats"
"""All fonts of pictures other than Symbol."""

_SHARED = (0, 708, 1361, *range(10000, 10005), 10006, 10007, 10008, 10029, 10081, 65001)
_CODEPAGES = {
    **{number: NAMED[number] for number in _SHARED},
    42: SYMBOL,
    709: "cp1256",
    1200: "cp1252",
    10021: "cp874",
}
_CHARSETS = {
    **FONT_CHARSETS,
    0: 1252,
    2: 42,
    78: 10001,
    79: 10003,
    80: 10008,
    81: 10002,
    83: 10000,
    84: 10004,
    85: 10006,
    86: 10081,
    87: 10021,
    88: 10029,
    89: 10007,
    254: 437,
    255: 850,
}
_SUFFIXES = {
    "ce": "cp1250",
    "cyr": "cp1251",
    "greek": "cp1253",
    "tur": "cp1254",
    "baltic": "cp1257",
    "(hebrew)": "cp1255",
    "(arabic)": "cp1256",
    "(vietnamese)": "cp1258",
    "(thai)": "cp874",
}
_GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_HIGH = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
    "\u20ac〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_SYMBOLS = {
    **{0x41 + at: each for at, each in enumerate(_GREEK)},
    **{0x61 + at: each.lower() for at, each in enumerate(_GREEK)},
    0x4A: "ϑ",
    0x6A: "ϕ",
    0x56: "ς",
    0x76: "ϖ",
    0x22: "∀",
    0x24: "∃",
    0x27: "∋",
    0x2A: "∗",
    0x2D: "−",
    0x40: "≅",
    0x5C: "∴",
    0x5E: "⊥",
    0x7E: "∼",
    0x20: " ",
    **{0xA0 + at: each for at, each in enumerate(_HIGH)},
}
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def codec_of_codepage(number: int) -> str:
    """A name that Python knows; empty for a code page that nobody does."""
    name = _CODEPAGES.get(number) or f"cp{number}"
    if name == SYMBOL:
        return name
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""


def codec_of_font(charset: int, codepage: int, name: str) -> str:
    """Empty when the font leaves it to the document."""
    if codepage > 0:
        return codec_of_codepage(codepage)
    if charset == 2:
        return SYMBOL if name.lower().startswith("symbol") else DINGBATS
    if charset in _CHARSETS:
        found = codec_of_codepage(_CHARSETS[charset])
        # Old files say only in the font's name that it is "Arial CE".
        suffix = name.lower().rpartition(" ")[2]
        return _SUFFIXES.get(suffix, found) if charset == 0 else found
    return ""


def decode(data: bytes, codec: str) -> str:
    if codec == SYMBOL:
        return "".join(_SYMBOLS.get(byte, chr(byte) if byte < 0x80 else "") for byte in data)
    if codec == DINGBATS:
        return "".join(" " for byte in data if byte == 0x20)
    return data.decode(codec, "replace")


def of_unit(number: int, codec: str) -> str:
    """What `\\u` stands for: a UTF-16 unit, signed; a surrogate waits for `whole`."""
    if number < 0:
        number += 0x10000
    if not 0 < number < 0x110000:
        return "\ufffd"
    if 0xF000 <= number <= 0xF0FF:  # the private area of Symbol fonts
        return decode(bytes((number & 0xFF,)), codec if codec == DINGBATS else SYMBOL)
    return chr(number)


def whole(text: str) -> str:
    """Surrogates come in pairs, or mean nothing."""
    if not _SURROGATE.search(text):
        return text
    paired = _PAIR.sub(
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text
    )
    return _SURROGATE.sub("\ufffd", paired)
