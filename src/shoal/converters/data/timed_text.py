"""What is said in a TTML or DFXP file? The paragraphs, without their times (W3C TTML2)."""

from shoal.converters.writer import Writer
from shoal.converters.xml import Element, all_text, attribute, named
from shoal.model.page import Page


def write(root: Element, writer: Writer) -> Page:
    before = ""
    for paragraph in named(root, "p"):
        for line_break in named(paragraph, "br"):
            line_break.tail = f" {line_break.tail or ''}"
        text = all_text(paragraph)
        if text != before:
            writer.paragraph(text)
        before = text
        if writer.full:
            break
    page = writer.page(next((all_text(each) for each in named(root, "title")), ""))
    page.description = next((all_text(each).strip() for each in named(root, "desc")), "")
    page.language = attribute(root, "lang")
    return page
