"""Where does a link file lead to? Windows' .url, freedesktop's .desktop, as a title and a link."""

import re
from urllib.parse import unquote

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.writer import Run, Writer

_LINE = re.compile(r"([A-Za-z][\w\-]*)(?:\[[\w@.]{1,20}\])?\s*=\s*(.*)$")
_MOST_LINES = 10_000


def convert(body: bytes, context: Context) -> list[Converted]:
    source = decode(body, context.charset)
    facts: dict[str, str] = {}
    for line in source.text.splitlines()[:_MOST_LINES]:
        found = _LINE.match(line.strip())
        if found:
            facts.setdefault(found[1].lower(), found[2].strip())
    writer = Writer(context.limits)
    name = facts.get("name") or unquote(context.name).rpartition(".")[0]
    for key in ("genericname", "comment"):
        writer.paragraph(facts.get(key, ""))
    url = facts.get("url", "")
    if url:
        writer.paragraph([Run(url, href=url)])
    page = writer.page(name)
    page.description = facts.get("comment", "")
    page.keywords = facts.get("keywords", "").strip(";").replace(";", ", ")
    return decoded(page, source, writer.problem)
