"""What does an XML file hold? A tree, also of a damaged file, and never anything from outside it.

libxml2 by lxml: nothing is loaded from a network or another file, entities grow only within its own
bounds, nesting is cut at 256, and of a broken file everything up to the fault and, where it
recovers, behind it is kept. Names are compared without their namespace (`local`): producers vary.
"""

from collections.abc import Iterator
from typing import TypeAlias

from lxml import etree

from shoal.converters.xml_entities import mend

Element: TypeAlias = etree._Element


def parse(data: bytes) -> Element | None:
    """The root element; None when there is none to be found. `root` is an ordinary lxml element,
    whose tree may also hold comments and processing instructions (see `local`)."""
    parser = etree.XMLParser(
        recover=True,
        resolve_entities="internal",  # type: ignore[arg-type]  # the stubs are older
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(mend(data), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def local(element: Element) -> str:
    """The name without its namespace; empty for what is no element."""
    tag: object = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """By its name without a namespace; empty when there is none."""
    value = element.get(name)
    if value is not None:
        return str(value)
    for key, each in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(each)
    return ""


def all_text(element: Element) -> str:
    return "".join(map(str, element.itertext()))


def named(root: Element, *names: str) -> Iterator[Element]:
    """All descendants of these names, in document order."""
    yield from root.iter(*(f"{{*}}{name}" for name in names))
