"""What does a Works text document (.wps) say? Paragraphs, whatever its version.

Works 2000 and later keep text as Publisher does, in chunks ("CHNKWKS"); versions 3 and 4 have a
stream with a head of 256 bytes that tells where the text ends, in the Western code page.
"""

import struct
from collections.abc import Iterator

from shoal.converters.characters.codepages import decode
from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.publisher import BREAKS, text_lines, written
from shoal.converters.ole.salvage import salvage

_STREAM, _OLD_STREAM = "CONTENTS", "MN0"
_OLD_TEXT_AT, _OLD_END_AT = 0x100, 0x26


def convert(body: bytes, context: Context) -> list[Converted]:
    compound = Compound(body, context.limits)
    stream, old = compound.read(_STREAM), compound.read(_OLD_STREAM)
    lines = [*text_lines(stream), *_old_lines(old)]
    problem = "" if lines else "damaged: no text chunks"
    return written(lines or salvage(stream or old), compound, context, problem)


def _old_lines(stream: bytes) -> Iterator[str]:
    if len(stream) < _OLD_TEXT_AT:
        return
    (end,) = struct.unpack_from("<I", stream, _OLD_END_AT)
    if _OLD_TEXT_AT < end <= len(stream):
        yield from BREAKS.split(decode(stream[_OLD_TEXT_AT:end], "cp1252"))
