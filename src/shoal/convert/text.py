"""What does a plain text say? Itself: no title, no links; its characters, as they stand."""

from shoal.convert.charset import decode
from shoal.convert.context import Context, Converted
from shoal.model.page import Page


def convert(body: bytes, context: Context) -> list[Converted]:
    """Also for XML, JSON, CSV and source code, until they have converters of their own."""
    source = decode(body, context.charset)
    limit = context.limits.text_chars
    text = source.text.strip("\x00 \t\r\n\f")
    problem = f"text cut at {limit} characters" if len(text) > limit else ""
    page = Page(text=text[:limit], charset=source.charset, charset_from=source.evidence)
    return [Converted(page, problem=problem)]
