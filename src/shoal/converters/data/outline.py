"""What does an OPML file say? Its outline as nested items, each a link where it is a feed."""

from shoal.converters.data.feed import date_of
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named
from shoal.model.page import Page


def write(root: Element, writer: Writer) -> Page:
    facts = {
        local(child): all_text(child).strip()
        for head in named(root, "head")
        for child in head
        if local(child)
    }
    writer.heading(facts.get("title", ""), 1)
    for outline in named(root, "outline"):
        if writer.full:
            break
        depth = sum(1 for above in outline.iterancestors() if local(above) == "outline")
        text = attribute(outline, "text") or attribute(outline, "title")
        href = (
            attribute(outline, "htmlUrl")
            or attribute(outline, "xmlUrl")
            or attribute(outline, "url")
        )
        writer.item([Run(text, href=href)], depth + 1)
        note = attribute(outline, "_note")
        if note:
            writer.paragraph(note)
    page = writer.page(facts.get("title", ""))
    page.author = facts.get("ownerName", "")
    page.published = date_of(facts.get("dateCreated", ""))
    page.modified = date_of(facts.get("dateModified", ""))
    return page
