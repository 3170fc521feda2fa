"""What do the text files before Word 6 say? Word 2, Windows Write and WordStar, which are flat.

None is a compound file: text stands in one piece behind a head (Word 2, Write), or fills the file
with control characters and set eighth bits (WordStar). Their formatting is left aside.
"""

import re
import struct

from shoal.converters.characters.codepages import codec_of_language, decode
from shoal.converters.context import Context, Converted
from shoal.converters.writer import Writer

_FIELD_CODE = re.compile("\x13[^\x13\x14\x15]*\x14|\x13[^\x13\x14\x15]*\x15|\x15")
_BREAKS = re.compile("[\r\n\x0c]+")
_WRITE_TEXT_AT, _WRITE_END_AT = 0x80, 14
_SOFT_RETURN, _ESCAPE = 0x8D, 0x1D


def convert(body: bytes, context: Context) -> list[Converted]:
    """Word 2 for Windows."""
    if len(body) < 0x40:
        return _written([], context, "damaged: cut off")
    language, flags = struct.unpack_from("<HxxH", body, 6)
    start, end = struct.unpack_from("<II", body, 0x18)
    if flags & 0x100:
        return _written([], context, "encrypted")
    text = decode(body[start:end], codec_of_language(language))
    for _ in range(10):  # fields stand in fields
        text, changed = _FIELD_CODE.subn("", text)
        if not changed:
            break
    return _written(_lines(text.replace("\x07", "\t")), context, "")


def convert_write(body: bytes, context: Context) -> list[Converted]:
    """Windows Write (.wri), which is Word for DOS at heart."""
    if len(body) < _WRITE_TEXT_AT:
        return _written([], context, "damaged: cut off")
    (end,) = struct.unpack_from("<I", body, _WRITE_END_AT)
    text = decode(body[_WRITE_TEXT_AT : max(end, _WRITE_TEXT_AT)], "cp1252")
    return _written(_lines(text), context, "")


def convert_wordstar(body: bytes, context: Context) -> list[Converted]:
    letters = bytearray()
    at = 0
    while at < len(body):
        byte = body[at]
        if byte == 0x1A:  # the end, as of old
            break
        if byte == _ESCAPE and at + 3 <= len(body):  # a sequence that tells its length
            at += 3 + int.from_bytes(body[at + 1 : at + 3], "little")
            continue
        if byte == _SOFT_RETURN:
            letters += b" "
            at += 2 if body[at + 1 : at + 2] in {b"\n", b"\x8a"} else 1
            continue
        letters.append(byte & 0x7F)
        at += 1
    lines = _lines(letters.decode("ascii", "replace"))
    return _written([line for line in lines if not line.startswith(".")], context, "")


def _lines(text: str) -> list[str]:
    return _BREAKS.split(text)


def _written(lines: list[str], context: Context, problem: str) -> list[Converted]:
    writer = Writer(context.limits)
    for line in lines:
        writer.paragraph(line)
    return [Converted(writer.page(), problem=problem or writer.problem)]
