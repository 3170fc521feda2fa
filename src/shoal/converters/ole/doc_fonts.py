"""Which fonts has a Word document? Their names, and in which code page their text is written.

Word 6 and 95 tell the code page only here. Text in a symbol font is told by the font's name.
"""

from typing import NamedTuple

from shoal.converters.characters.codepages import FONT_CHARSETS, codec_of

_ENDINGS = {"Cyr": 1251, "CE": 1250, "Greek": 1253, "Tur": 1254, "Baltic": 1257}


class Font(NamedTuple):
    name: str
    codec: str
    """Empty when the font does not say."""


def read_fonts(table: bytes, old: bool) -> list[Font]:
    fonts: list[Font] = []
    at = 2 if old else 4
    while at < len(table):
        size = table[at] + 1
        entry = table[at : at + size]
        charset = entry[4] if len(entry) > 4 else 0
        if old:
            name = entry[6:].partition(b"\0")[0].decode("cp1252", "replace")
        else:
            name = entry[40 : len(entry) & ~1].decode("utf-16-le", "replace").partition("\0")[0]
        codepage = FONT_CHARSETS.get(charset) or _ENDINGS.get(name.rpartition(" ")[2], 0)
        fonts.append(Font(name, codec_of(codepage) if codepage else ""))
        at += size
    return fonts
