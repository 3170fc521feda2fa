"""What does a plain text say? Paragraphs, told apart by empty lines; its characters as they stand.

The plain text keeps its lines. There is no title in it, and an address in it is no link.
"""

import re

from shoal.convert.characters.charset import decode
from shoal.convert.context import Context, Converted
from shoal.convert.writer import Writer
from shoal.model.page import Page

_EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*")


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset, "text")
    limit = context.limits.text_chars
    text = source.text.replace("\r\n", "\n").replace("\r", "\n").strip("\x00 \t\n\f")
    problem = f"text cut at {limit} characters" if len(text) > limit else ""
    page = Page(text=text[:limit], charset=source.charset, charset_from=source.evidence)
    if context.wants_blocks:
        writer = Writer(context.limits)
        for paragraph in _EMPTY_LINES.split(page.text):
            writer.paragraph(paragraph)
        page.blocks = writer.blocks
    return [Converted(page, problem=problem)]
