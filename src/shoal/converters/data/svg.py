"""What does an SVG drawing say? Its title, its descriptions, and the text drawn in it."""

from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local
from shoal.model.page import Page, Tag

_UNSEEN = frozenset(
    ("style", "script", "metadata", "defs", "symbol", "clipPath", "mask", "pattern")
)
_TITLES = ("title", "desc", "text", "flowRoot", "foreignObject")


def write(root: Element, writer: Writer) -> Page:
    title = ""
    stack = [(root, "")]
    while stack and not writer.full:
        element, href = stack.pop()
        name = local(element)
        if name in _UNSEEN or attribute(element, "display") == "none":
            continue
        if name == "a":
            href = attribute(element, "href")
        if name == "title" and element.getparent() is root:
            title = all_text(element).strip()
            writer.heading(title, 1)
        elif name in ("title", "desc"):
            writer.other(Tag.CAPTION, all_text(element))
        elif name in _TITLES:
            _write_text(element, href, writer)
        else:
            stack += [(child, href) for child in reversed(element)]
    return writer.page(title)


def _write_text(element: Element, href: str, writer: Writer) -> None:
    """Lines of one text are placed by their own coordinates: a space stands between them."""
    runs = [Run(element.text or "", href=href)]
    for child in element.iterdescendants():
        begins_line = (
            attribute(child, "y") or attribute(child, "dy") or local(child) in ("p", "div")
        )
        inner = "" if local(child) in ("style", "script", "title", "desc") else child.text or ""
        runs.append(Run((" " if begins_line else "") + inner, href=href))
        runs.append(Run(child.tail or "", href=href))
    writer.paragraph(runs)
