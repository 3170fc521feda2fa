"""What does a Publisher document (.pub) say? The text of its "Quill" stream.

All frames' text stands in one stream of chunks, with a list of chunks at its start; text is UTF-16,
story after story. Which frame stands where on the pages is not read.
"""

import re
import struct
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.properties import objects, properties
from shoal.converters.ole.salvage import salvage
from shoal.converters.writer import Writer

_STREAM = "Quill/QuillSub/CONTENTS"
_TEXT_ENTRY = re.compile(rb"\x18\x00TEXT.{6}TEXT(.{8})", re.DOTALL)
BREAKS = re.compile("[\r\n\x0c]")


def convert(body: bytes, context: Context) -> list[Converted]:
    compound = Compound(body, context.limits)
    stream = compound.read(_STREAM)
    lines = list(text_lines(stream))
    problem = "" if lines else "damaged: no text chunks"
    return written(lines or salvage(stream), compound, context, problem)


def text_lines(stream: bytes) -> Iterator[str]:
    """The paragraphs of all text chunks; chunks that overlap are no more than the stream."""
    room = 2 * len(stream)
    for match in _TEXT_ENTRY.finditer(stream):
        start, size = struct.unpack("<II", match.group(1))
        data = stream[start : start + min(size, room)]
        room -= len(data)
        yield from BREAKS.split(data[: len(data) & ~1].decode("utf-16-le", "replace"))


def written(
    lines: list[str], compound: Compound, context: Context, problem: str
) -> list[Converted]:
    """A document of paragraphs, and what is embedded in it."""
    about = properties(compound)
    writer = Writer(context.limits)
    for line in lines:
        writer.paragraph(line)
    page = writer.page(about.title)
    about.fill(page)
    documents = [Converted(page, problem=compound.problem or problem or writer.problem)]
    for each in objects(compound):
        documents += context.inside(each.data, each.name)
    return documents
