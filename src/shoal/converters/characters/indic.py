"""ISCII (IS 13194): one code for ten scripts of India; the ATR byte switches between them.

Unicode laid its Indian blocks out after ISCII, so one table for Devanagari and an offset read them
all. Halant and nukta after a letter make explicit halant and soft halant, or another letter. Byte
0xEF with a code switches the script, 0xF0 (extension) names Vedic signs, which are left out.
"""

_DEVANAGARI = (
    "\ufffdँंःअआइईउऊऋऎएऐऍऒओऔऑकखगघङचछजझञटठडढणतथदधन\u0929पफबभमय\u095fर\u0931लळ\u0934वशषसह"
    "\u200dािीुूृॆेैॅॊोौॉ\u094d\u093c।"
)
"""From 0xA0 on."""
_DIGITS = range(0xF1, 0xFB)
_WITH_NUKTA = {
    "ँ": "ॐ", "इ": "ऌ", "ई": "ॡ", "ऋ": "ॠ", "ि": "ॢ", "ी": "ॣ", "ृ": "ॄ", "।": "ऽ",
    "क": "क़", "ख": "ख़", "ग": "ग़", "ज": "ज़", "ड": "ड़", "ढ": "ढ़", "फ": "फ़",
}  # fmt: skip
_HALANT, _NUKTA, _ATTRIBUTE, _EXTENSION = 0xE8, 0xE9, 0xEF, 0xF0
_BLOCKS = {
    "x-iscii-de": 0x900, "x-iscii-be": 0x980, "x-iscii-as": 0x980, "x-iscii-pa": 0xA00,
    "x-iscii-gu": 0xA80, "x-iscii-or": 0xB00, "x-iscii-ta": 0xB80, "x-iscii-te": 0xC00,
    "x-iscii-ka": 0xC80, "x-iscii-ma": 0xD00,
}  # fmt: skip
_SCRIPTS = dict(
    zip(
        range(0x42, 0x4C),
        (0x900, 0x980, 0xB80, 0xC00, 0x980, 0xB00, 0xC80, 0xD00, 0xA80, 0xA00),
        strict=True,
    )
)


def iscii(data: bytes, charset: str) -> str:
    own = block = _BLOCKS[charset]
    out: list[str] = []
    position = 0
    while position < len(data):
        byte = data[position]
        following = data[position + 1] if position + 1 < len(data) else 0
        position += 1
        if byte < 0xA0:
            out.append(chr(byte))
            block = own if byte in b"\r\n" else block
        elif byte in (_ATTRIBUTE, _EXTENSION):
            position += 1
            if byte == _ATTRIBUTE:
                block = own if following == 0x40 else _SCRIPTS.get(following, block)
        elif byte == _HALANT and following in (_HALANT, _NUKTA):
            out.append(_placed("्", block) + ("\u200c" if following == _HALANT else "\u200d"))
            position += 1
        else:
            character = _character(byte)
            if following == _NUKTA and character in _WITH_NUKTA:
                character = _WITH_NUKTA[character]
                position += 1
            out.append("".join(_placed(part, block) for part in character))
    return "".join(out)


def _character(byte: int) -> str:
    if byte in _DIGITS:
        return chr(0x966 + byte - 0xF1)
    return _DEVANAGARI[byte - 0xA0] if byte - 0xA0 < len(_DEVANAGARI) else "\ufffd"


def _placed(character: str, block: int) -> str:
    code = ord(character)
    if not 0x900 <= code < 0x980 or character in "।॥":
        return character
    return chr(code - 0x900 + block)
