"""What does a plain text say? Paragraphs, told apart by empty lines; its characters as they stand.

The plain text keeps its lines. There is no title in it, and an address in it is no link.
"""

import re

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted
from shoal.converters.writer import Writer
from shoal.model.page import Page

_OVERSTRUCK = re.compile(r"[^\n]\x08")
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}m")
_FLOWING_CHARS = 40
"""Shorter lines, on the average, were broken on purpose."""
_EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*")


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset, "text")
    limit = context.limits.text_chars
    text = _OVERSTRUCK.sub("", source.text) if "\b" in source.text else source.text
    text = _COLOURS.sub("", text) if "\x1b" in text else text
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\x00 \t\n\f")
    problem = f"text cut at {limit} characters" if len(text) > limit else ""
    page = Page(text=text[:limit], charset=source.charset, charset_from=source.evidence)
    if context.wants_blocks:
        writer = Writer(context.limits)
        for paragraph in _EMPTY_LINES.split(page.text):
            if _keeps_lines(paragraph):
                writer.preformatted(paragraph)
            else:
                writer.paragraph(paragraph)
        page.blocks = writer.blocks
    return [Converted(page, problem=problem)]


def _keeps_lines(paragraph: str) -> bool:
    """Whether its lines mean something: a list, a table, a verse, a piece of code."""
    lines = paragraph.split("\n")
    if len(lines) < 2:
        return False
    if any(line[:1] in " \t*-•" for line in lines[1:]):
        return True
    return sum(map(len, lines[:-1])) / (len(lines) - 1) < _FLOWING_CHARS
