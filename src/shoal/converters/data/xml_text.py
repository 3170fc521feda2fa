"""What does an XML file say? What its root element promises, else the text of its elements.

Bytes are decoded by XML's own rules. Compressed files (SVGZ) and the packages of single XML files
(XLZ, KMZ) are opened here.
"""

import zlib
from collections.abc import Callable

from shoal.converters.context import Context, Converted
from shoal.converters.data import feed, geo, localisation, outline, plist, svg, timed_text
from shoal.converters.data.xml_prose import Prose
from shoal.converters.data.xml_vocabularies import vocabulary_of
from shoal.converters.markup.front_matter import iso_date
from shoal.converters.writer import Writer
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.converters.xml_entities import mend
from shoal.converters.zip import Package
from shoal.model.page import Page

_WRITERS: dict[str, Callable[[Element, Writer], Page]] = {
    "rss": feed.write,
    "feed": feed.write,
    "opml": outline.write,
    "svg": svg.write,
    "kml": geo.write_kml,
    "gpx": geo.write_gpx,
    "xliff": localisation.write_xliff,
    "tmx": localisation.write_tmx,
    "resources": localisation.write_android,
    "plist": plist.write,
    "tt": timed_text.write,
}
_METADATA_DEPTH = 4
_MOST_PARTS = 200


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    if body.startswith(b"PK"):
        return _package(body, context)
    if body.startswith(b"\x1f\x8b"):
        body = _gunzip(body, context.limits.member_bytes)
    root = parse(mend(body))
    if root is None:
        writer.preformatted(body.decode("utf-8", "replace"))
        return [Converted(writer.page(), problem="damaged: no XML")]
    page = write_root(root, writer)
    return [Converted(page, problem=writer.problem)]


def write_root(root: Element, writer: Writer) -> Page:
    name = local(root)
    write = _WRITERS.get(name)
    if name == "RDF" and next(named(root, "channel"), None) is not None:
        write = feed.write
    elif name == "root" and next(named(root, "resheader"), None) is not None:
        write = localisation.write_resx
    if write is not None:
        return write(root, writer)
    if name == "math":
        _write_formula(root, writer)
    else:
        Prose(writer, vocabulary_of(root)).write(root)
    if not writer.blocks:
        _write_attributes(root, writer)
    return _described(root, writer)


def _write_formula(root: Element, writer: Writer) -> None:
    source = next((all_text(each) for each in named(root, "annotation")), "")
    parts = (str(text).strip() for text in root.itertext())
    writer.paragraph(attribute(root, "alttext") or source or " ".join(filter(None, parts)))


def _write_attributes(root: Element, writer: Writer) -> None:
    """Of a file that has no text at all: what it says stands in its attributes."""
    for element in root.iter():
        values = (str(value) for name, value in element.attrib.items() if "}" not in str(name))
        writer.paragraph(" ".join(value for value in values if any(map(str.isalpha, value))))
        if writer.full:
            break


def _described(root: Element, writer: Writer) -> Page:
    page = writer.page(_first(root, "article-title", "booktitle") or _first(root, "title", "head"))
    page.author = _authors(root)
    language = attribute(root, "lang") or _first(root, "language")
    page.language = language if len(language) <= 20 else ""
    page.description = " ".join(_first(root, "description", "shortdesc").split())[:2000]
    page.published = iso_date(_first(root, "date", "pubdate", "created"))
    page.modified = iso_date(_first(root, "modified", "date-modified"))
    keywords = [text for each in named(root, "kwd", "keyword", "subject") if (text := _text(each))]
    page.keywords = ", ".join(keywords[:50])
    return page


def _authors(root: Element) -> str:
    names: list[str] = []
    for element in named(root, "contrib", "author", "creator", "docAuthor"):
        kind = attribute(element, "contrib-type")
        if kind and kind != "author":
            continue
        given = next((_text(each) for each in named(element, "given-names", "firstname")), "")
        family = next((_text(each) for each in named(element, "surname")), "")
        name = f"{given} {family}".strip() or _text(element)
        if name and len(name) < 100 and name not in names and len(names) < 20:
            names.append(name)
    return ", ".join(names)


def _first(root: Element, *names: str) -> str:
    """Of the elements near the root: what is deep down describes a part."""
    for number, element in enumerate(named(root, *names)):
        if number >= _MOST_PARTS:
            break
        depth = sum(1 for _ in element.iterancestors())
        text = _text(element)
        if text and depth <= _METADATA_DEPTH:
            return text
    return ""


def _text(element: Element) -> str:
    return " ".join(all_text(element).split())


def _gunzip(body: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(body, most)
    except zlib.error:
        return b""


def _package(body: bytes, context: Context) -> list[Converted]:
    package = Package(body, context.limits)
    writer = Writer(context.limits)
    page = writer.page()
    for name in package.names[:_MOST_PARTS]:
        if not name.lower().endswith((".xlf", ".xliff", ".kml", ".xml", ".tmx")):
            continue
        root = parse(mend(package.read(name)))
        if root is not None:
            found = write_root(root, writer)
            title = page.title or found.title
            page = found
            page.title = title
    return [Converted(page, problem=package.problem or writer.problem)]
