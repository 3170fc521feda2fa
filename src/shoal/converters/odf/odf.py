"""What does an OpenDocument say? Texts, sheets, slides, drawings, formulas, databases.

A package (zip with content.xml, styles.xml, meta.xml), one flat XML file, or content.xml alone; the
same vocabulary with other namespaces in OpenOffice.org 1 (SXW, SXC, SXI). OASIS OpenDocument 1.3,
parts 2 and 3. Names are compared without namespaces, so both are read by the same code.
"""

import re
from dataclasses import dataclass, field

from shoal.converters.context import Context, Converted
from shoal.converters.odf.database import components, write_database
from shoal.converters.odf.math import linear
from shoal.converters.odf.objects import Objects, chart_parts
from shoal.converters.odf.sheet import Sheets
from shoal.converters.odf.slides import Slides
from shoal.converters.odf.styles import Styles
from shoal.converters.odf.text import TextWalk
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.converters.zip import Package
from shoal.model.page import Page, Tag

_ROOTS = frozenset({"document", "document-content", "math"})
_BODIES = frozenset(
    {"text", "spreadsheet", "presentation", "drawing", "chart", "database", "image"}
)
_HEADERS = tuple(
    f"{part}{variant}" for part in ("header", "footer") for variant in ("", "-left", "-first")
)
_FIELDS = ("sheet-name", "page-number", "page-count", "file-name", "date", "time")
_DATE = re.compile(r"[1-9]\d{3}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)?)?")
_ZONE = re.compile(r"(?:Z|[+-]\d\d:\d\d)$")
_MAX_DOCUMENTS = 50
_MAX_MASTERS = 50
_MAX_VALUE_CHARS = 2_000
_MAX_KEYWORDS = 100


@dataclass(slots=True)
class _Parts:
    """The same parts, wherever they stood."""

    content: Element
    styles: Element | None = None
    meta: Element | None = None
    package: Package | None = None
    types: dict[str, str] = field(default_factory=dict)


def convert(body: bytes, context: Context) -> list[Converted]:
    head = body[:4]
    if head[:2] != b"PK":
        root = parse(body)
        if root is None or local(root) not in _ROOTS:
            return [Converted(Page(), problem="damaged: no document in the XML")]
        return _read(_Parts(root, root, root), context)
    package = Package(body, context.limits)
    types, is_encrypted = _manifest(package)
    if is_encrypted or "encrypted-package" in package:
        page = Page()
        _describe(page, parse(package.read("meta.xml")))
        return [Converted(page, problem="encrypted")]
    root = parse(package.read("content.xml"))
    meta = parse(package.read("meta.xml"))
    if root is None:
        page = Page()
        _describe(page, meta)
        problem = package.problem or "no content.xml"
        return [Converted(page, problem=f"damaged: {problem}")]
    styles = parse(package.read("styles.xml"))
    return _read(_Parts(root, styles, meta, package, types), context)


def _read(parts: _Parts, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    objects = Objects(parts.package, parts.content, parts.types)
    title = _write(parts, objects, writer)
    _macros(parts, writer)
    page = writer.page(title)
    _describe(page, parts.meta)
    problem = writer.problem or (parts.package.problem if parts.package else "")
    found = [Converted(page, problem=problem)]
    for data, name, media_type in objects.files[: context.limits.members]:
        found.extend(context.inside(data, name, media_type))
    for number, document in enumerate(objects.documents[:_MAX_DOCUMENTS], 1):
        for inner in _read(_Parts(document, document, document), context)[:1]:
            inner.name = f"object {number}"
            found.append(inner)
    found.extend(_components(parts, context))
    return found


def _write(parts: _Parts, objects: Objects, writer: Writer) -> str:
    """Writes the body; returns the title that stands in it."""
    if local(parts.content) == "math":
        writer.paragraph(linear(parts.content))
        return ""
    body = _body(parts.content)
    if body is None:
        return ""
    styles = Styles()
    styles.read(parts.styles, ("styles",))
    styles.read(parts.content)
    walk = TextWalk(writer, styles, objects)
    kind = _kind(parts.content, body)
    if kind == "spreadsheet":
        objects.shows_chart_data = False
        Sheets(walk, writer, styles).write(body)
    elif kind in ("presentation", "drawing"):
        Slides(walk, writer).write(body, parts.styles)
    elif kind == "chart":
        walk.parts(chart_parts(parts.content, with_data=True))
    elif kind == "database":
        write_database(body, parts.package, writer)
    else:
        walk.blocks(body)
    if kind in ("text", "spreadsheet"):
        _headers(parts, objects, writer)
    return walk.title


def _body(root: Element) -> Element | None:
    """`office:text` and the like; in OpenOffice.org 1 the body itself."""
    body = next((child for child in root if local(child) == "body"), None)
    if body is None:
        return None
    return next((child for child in body if local(child) in _BODIES), body)


def _kind(root: Element, body: Element) -> str:
    kind = local(body)
    if kind == "body":
        kind = attribute(root, "class") or "text"
    return kind


def _headers(parts: _Parts, objects: Objects, writer: Writer) -> None:
    """Headers and footers of the pages that are used, each text once."""
    if parts.styles is None:
        return
    styles = Styles()
    styles.read(parts.styles)
    walk = TextWalk(writer, styles, objects)
    masters = {attribute(page, "name"): page for page in named(parts.styles, "master-page")}
    said: set[str] = set()
    for name in _used_masters(parts, masters):
        for part in masters[name]:
            if local(part) in _HEADERS and attribute(part, "display") != "false":
                runs = _header(walk, part)
                text = " ".join("".join(run.text for run in runs).split())
                if text and text not in said:
                    said.add(text)
                    writer.other(Tag.ASIDE, runs)


def _used_masters(parts: _Parts, masters: dict[str, Element]) -> list[str]:
    used = ["Standard" if "Standard" in masters else next(iter(masters), "")]
    for root in (parts.content, parts.styles):
        if root is not None:
            used += [attribute(style, "master-page-name") for style in named(root, "style")]
    known = [name for name in dict.fromkeys(used) if name in masters][:_MAX_MASTERS]
    for name in known:  # grows: a first page is followed by another kind
        following = attribute(masters[name], "next-style-name")
        if following in masters and following not in known:
            known.append(following)
    return known


def _header(walk: TextWalk, part: Element) -> list[Run]:
    """`Page 1 of 3` and the sheet's name tell nothing: fields that differ by page are left out, and
    what is no more than two words around them."""
    for element in list(named(part, *_FIELDS)):
        for child in list(element):
            element.remove(child)
        element.text = ""
    has_fields = next(named(part, *_FIELDS), None) is not None
    runs = walk.flat(part)
    words = re.findall(r"\w+", "".join(run.text for run in runs))
    return [] if has_fields and len(words) < 3 else runs


def _macros(parts: _Parts, writer: Writer) -> None:
    for source in named(parts.content, "source-code"):
        writer.preformatted(all_text(source))
    if parts.package is None:
        return
    for name in parts.package.names:
        if name.startswith("Basic/") and name.endswith(".xml"):
            module = parse(parts.package.read(name))
            if module is not None and local(module) == "module":
                writer.preformatted(all_text(module))


def _components(parts: _Parts, context: Context) -> list[Converted]:
    """Forms and reports of a database."""
    body = _body(parts.content)
    found: list[Converted] = []
    if parts.package is None or body is None or local(body) != "database":
        return found
    for name, folder in components(body)[:_MAX_DOCUMENTS]:
        root = parse(parts.package.read(f"{folder}/content.xml"))
        if root is None:
            continue
        styles = parse(parts.package.read(f"{folder}/styles.xml"))
        writer = Writer(context.limits)
        _write(_Parts(root, styles), Objects(None, root, {}), writer)
        if writer.blocks:
            found.append(Converted(writer.page(name), folder, problem=writer.problem))
    return found


def _manifest(package: Package) -> tuple[dict[str, str], bool]:
    """The media types of the members, and whether they are encrypted."""
    root = parse(package.read("META-INF/manifest.xml"))
    types: dict[str, str] = {}
    if root is None:
        return types, False
    for entry in named(root, "file-entry"):
        types[attribute(entry, "full-path")] = attribute(entry, "media-type")
    return types, next(named(root, "encryption-data"), None) is not None


def _describe(page: Page, root: Element | None) -> None:
    if root is None:
        return
    meta = next(named(root, "meta"), None)
    if meta is None:
        return
    values: dict[str, str] = {}
    keywords: list[str] = []
    for element in meta.iter():
        text = " ".join(str(element.text or "")[:_MAX_VALUE_CHARS].split())
        if text and local(element) == "keyword" and len(keywords) < _MAX_KEYWORDS:
            keywords.append(text)
        elif text:
            values.setdefault(local(element), text)
    page.title = values.get("title", "") or page.title
    page.author = values.get("initial-creator", "") or values.get("creator", "")
    page.description = values.get("description", "") or values.get("subject", "")
    page.language = values.get("language", "")
    page.keywords = ", ".join(dict.fromkeys(keywords))
    page.published = _date(values.get("creation-date", ""))
    page.modified = _date(values.get("date", ""))


def _date(text: str) -> str:
    """ISO 8601 already, but for parts of a second, which tell nothing."""
    found = _DATE.match(text)
    if not found:
        return ""
    zone = _ZONE.search(text) if "T" in found[0] else None
    return found[0] + (zone[0] if zone else "")
