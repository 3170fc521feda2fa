"""What does a source file say? Itself, line by line; its name is its title.

One converter for a family: program source, scripts, patches, configuration (YAML, TOML, INI,
properties), logs. Highlighting is for eyes; an index wants the words.
"""

from urllib.parse import unquote

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.writer import Writer


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    writer.preformatted(source.text.lstrip("\ufeff"))
    page = writer.page(unquote(context.name))
    return decoded(page, source, writer.problem)
