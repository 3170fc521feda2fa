"""Are these bytes ASCII at all? UTF-16, UTF-32, UTF-7, ISO-2022, HZ and EBCDIC without a mark.

Wide text shows by its zeros: a plain letter leaves every second byte, or three of four, empty. The
escapes of ISO-2022 name themselves. EBCDIC has its spaces at 0x40 and its letters above 0x80. UTF-7
and HZ look like ASCII and are only taken for text that decodes to whole, sensible characters.
"""

import re
import unicodedata
from collections import Counter

_SAMPLE_BYTES = 4096
_LOW_CONTROL = re.compile(rb"[\x00-\x08]")
_ISO_2022 = (
    (re.compile(rb"\x1b\$\)C"), "iso-2022-kr"),
    (re.compile(rb"\x1b(?:\$[@B]|\([JI]|\$\([DOQ])"), "iso-2022-jp"),
)
_HZ = re.compile(rb"~\{((?:[\x21-\x77][\x21-\x7e]){2,})~\}")
_UTF_7 = re.compile(rb"\+([A-Za-z0-9/]{3,})(?:-|(?=[\s.,;:!?)<])|\Z)")
_UTF_7_LEAST = 8
"""Three characters in base64: less is a plus sign by chance."""
_PLAUSIBLE = 0.85
_COMMON_CODES = frozenset(
    [*range(0x20, 0x7F), 9, 10, 13, *range(0x3000, 0x3100), *range(0xFF00, 0xFFF0)]
)
_EBCDIC_SMALL = frozenset([*range(0x81, 0x8A), *range(0x91, 0x9A), *range(0xA2, 0xAA)])


def wide(data: bytes) -> str:
    """`utf-16le`, `utf-16be`, `utf-32le`, `utf-32be`, or nothing."""
    sample = data[:_SAMPLE_BYTES]
    if not _LOW_CONTROL.search(sample):
        return ""
    whole = sample[: len(sample) & ~3]
    if len(whole) >= 8:
        zeros = [whole[i::4].count(0) * 4 / len(whole) for i in range(4)]
        if min(zeros[0], zeros[1]) > 0.9 and zeros[3] < 0.1:
            return "utf-32be"
        if min(zeros[2], zeros[3]) > 0.9 and zeros[0] < 0.1:
            return "utf-32le"
    found = [(_sense(sample, codec), name) for codec, name in _SIXTEEN]
    sense, name = max(found)
    return name if sense > _PLAUSIBLE else ""


_SIXTEEN = (("utf_16_le", "utf-16le"), ("utf_16_be", "utf-16be"))


def _sense(sample: bytes, codec: str) -> float:
    """The share of characters that are ASCII, or of the two blocks that the text is most in."""
    text = sample[: len(sample) & ~1].decode(codec, "replace")
    if len(text) < 2:
        return 0.0
    codes = [ord(character) for character in text]
    plain = sum(code in _COMMON_CODES for code in codes)
    strange = sum(unicodedata.category(c) in _STRANGE for c in set(text[:256]) - {"\n", "\r", "\t"})
    if not plain or strange * 20 > len(codes):
        return 0.0
    beyond = [code for code in codes if code >= 0xA0 and code not in _COMMON_CODES]
    blocks = Counter(code >> 8 for code in beyond).most_common(2)
    han = sum(0x4E00 <= code < 0xA000 or 0xAC00 <= code < 0xD7A4 for code in beyond)
    astral = sum(code >= 0x10000 for code in beyond)
    return (plain + max(sum(count for _, count in blocks), han, astral)) / len(codes)


_STRANGE = ("Cc", "Cn", "Co", "Cs")


def escaped(data: bytes) -> str:
    """The ISO-2022 charset whose escapes the text has; nothing when none."""
    return next((name for pattern, name in _ISO_2022 if pattern.search(data)), "")


def hidden_in_ascii(data: bytes, kind: str) -> str:
    """`hz-gb-2312` or (in files) `utf-7`, when plain ASCII is only the outside."""
    runs = _HZ.findall(data, 0, _SAMPLE_BYTES * 16)
    if runs and all(_reads(b"~{" + run + b"~}", "hz") for run in runs):
        return "hz-gb-2312"
    if kind == "text" and b"+" in data:
        runs = _UTF_7.findall(data, 0, _SAMPLE_BYTES * 16)
        enough = sum(map(len, runs)) >= _UTF_7_LEAST
        if enough and all(map(_utf_7, runs)) and _reads(data, "utf_7"):
            return "utf-7"
    return ""


def _reads(data: bytes, codec: str) -> bool:
    try:
        return not data.decode(codec).isascii()
    except UnicodeDecodeError:
        return False


def _utf_7(run: bytes) -> bool:
    """Whether base64 between `+` and `-` is letters or signs of one or two blocks beyond ASCII."""
    try:
        text = (b"+" + run + b"-").decode("utf_7")
    except UnicodeDecodeError:
        return False
    blocks = Counter(ord(character) >> 8 for character in text)
    kinds = {unicodedata.category(character) for character in text}
    return len(blocks) <= 2 and not text.isascii() and not kinds & set(_STRANGE)


def ebcdic(data: bytes) -> bool:
    """Whether this is text of a mainframe: spaces at 0x40, small letters above 0x80."""
    sample = data[:_SAMPLE_BYTES]
    blanks = sample.count(0x40)
    if blanks * 25 < len(sample) or sample.count(0x20) > blanks // 8:
        return False
    return sum(byte in _EBCDIC_SMALL for byte in sample) * 2 > len(sample) - blanks
