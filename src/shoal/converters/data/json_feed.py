"""What does a JSON Feed say? Its items as headings with their texts (jsonfeed.org, version 1.1)."""

from typing import Any

from shoal.converters.context import Context, Converted
from shoal.converters.html import blocks as html_blocks
from shoal.converters.writer import Run, Writer


def is_feed(value: object) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("version", "")).startswith("https://jsonfeed.org/version/")
        and isinstance(value.get("items"), list)
    )


def convert(feed: Any, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    title = _string(feed, "title")
    writer.heading(title, 1)
    writer.paragraph(_string(feed, "description"))
    for item in feed["items"]:
        if not isinstance(item, dict):
            continue
        href = _string(item, "url") or _string(item, "external_url")
        writer.heading([Run(_string(item, "title") or href, href=href)], 2)
        markup = _string(item, "content_html")
        if markup:
            html_blocks.write_blocks(markup, writer)
        else:
            writer.paragraph(_string(item, "content_text") or _string(item, "summary"))
    page = writer.page(title)
    page.description = _string(feed, "description")
    page.language = _string(feed, "language")
    authors = feed.get("authors")
    if isinstance(authors, list):
        page.author = ", ".join(filter(None, (_string(author, "name") for author in authors)))
    return [Converted(page, problem=writer.problem)]


def _string(value: object, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found.strip() if isinstance(found, str) else ""
