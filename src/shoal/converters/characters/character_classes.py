"""What kind of sign is a character? Sixteen shapes, by which wrong readings look wrong.

A text read with the wrong table has capitals within words, box-drawing between letters, quotes that
never close. The pairs of shapes are counted over all languages together (training/charset), so a
language with few texts profits from the others.
"""

import unicodedata
from functools import cache

BLANK, LOWER, UPPER, DIGIT, OPENING, CLOSING, DASH, NBSP = range(8)
SIGN, CASELESS, RARE, BOX, NOTHING, MARK, STOP, FOREIGN = range(8, 16)

FOLDED = str.maketrans("șțȘȚیک", "şţŞŢيك")
"""Romanian's commas below are cedillas in most charsets, Persian letters are Arabic ones."""

_CLOSING = "”’»›"
_OPENING = "“‘«‹„‚"
_DASH = "–—…•·"
_SIGN = "©®™°§€£²³½¼´×±¿¡º\u00ad\u200e\u200f\u200c\u200d"
_BOX = range(0x2500, 0x25A0)


@cache
def shape(character: str) -> int:
    """The shape of one character; C1 controls and U+FFFD are nothing at all."""
    code = ord(character)
    if code < 0x80:
        return _ascii(character)
    for signs, value in ((_CLOSING, CLOSING), (_OPENING, OPENING), (_DASH, DASH), (_SIGN, SIGN)):
        if character in signs:
            return value
    if character == "\xa0":
        return NBSP
    if code < 0xA0 or code == 0xFFFD:
        return NOTHING
    if code in _BOX:
        return BOX
    category = unicodedata.category(character)
    if category in ("Ll", "Lu"):
        return LOWER if category == "Ll" else UPPER
    if category in ("Lo", "Lm") and character not in "ªºˆ":
        return CASELESS
    if category.startswith("M"):
        return MARK
    return NOTHING if category in ("Co", "Cn") else RARE


def _ascii(character: str) -> int:
    if character.isalpha():
        return LOWER if character.islower() else UPPER
    if character.isdigit():
        return DIGIT
    return STOP if character in ".,:;!?()[]\"'/-" else BLANK
