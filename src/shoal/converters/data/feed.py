"""What does a feed say? Its entries, each a heading over its summary: RSS, Atom, RDF.

The summary is HTML more often than not, escaped or as elements, and read as such.
"""

from email.utils import parsedate_to_datetime

from shoal.converters.html import blocks as html_blocks
from shoal.converters.limits import DEFAULT_LIMITS
from shoal.converters.markup.front_matter import iso_date
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named
from shoal.model.page import Page

_BODIES = ("encoded", "content", "description", "summary", "subtitle")


def write(root: Element, writer: Writer) -> Page:
    channel = next(named(root, "channel"), root)
    title = " ".join(_text(channel, "title").split())
    writer.heading(title, 1)
    description = _plain(_text(channel, "description", "subtitle", "tagline"))
    writer.paragraph(description)
    for entry in named(root, "item", "entry"):
        if writer.full:
            break
        _write_entry(entry, writer)
    page = writer.page(title)
    page.description = " ".join(description.split())[:2000]
    page.language = _text(channel, "language") or attribute(root, "lang")
    page.author = _author(channel)
    page.published = date_of(_text(channel, "pubDate", "date", "published"))
    page.modified = date_of(_text(channel, "lastBuildDate", "updated", "modified"))
    return page


def _write_entry(entry: Element, writer: Writer) -> None:
    link = next((child for child in entry if local(child) == "link"), None)
    href = "" if link is None else attribute(link, "href") or all_text(link).strip()
    writer.heading([Run(_plain(_text(entry, "title")), href=href)], 2)
    for name in _BODIES:
        body = next((child for child in entry if local(child) == name), None)
        if body is None:
            continue
        markup = all_text(body)
        if len(body):  # Atom's type="xhtml"
            for child in body:
                writer.paragraph(all_text(child))
        elif "<" in markup or "&" in markup:
            html_blocks.write_blocks(markup, writer)
        else:
            writer.paragraph(markup)
        if markup.strip():
            break


def _text(element: Element, *names: str) -> str:
    for name in names:
        for child in element:
            if local(child) == name:
                return all_text(child).strip()
    return ""


def _author(channel: Element) -> str:
    author = next((child for child in channel if local(child) in ("author", "creator")), None)
    if author is None:
        return _text(channel, "managingEditor")
    return _text(author, "name") or all_text(author).strip()


def _plain(text: str) -> str:
    """Titles hold markup too, now and then."""
    if "<" not in text and "&" not in text:
        return text
    writer = Writer(DEFAULT_LIMITS)
    html_blocks.write_blocks(text, writer)
    return writer.page().text or text


def date_of(text: str) -> str:
    """RFC 822 as RSS has it, or ISO 8601."""
    text = text.strip()
    if text[:4].isdecimal():
        return iso_date(text)
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
