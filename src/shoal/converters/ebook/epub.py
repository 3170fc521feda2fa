"""What does an e-book say? EPUB 2 and 3, and Apple's iBooks: its chapters in the spine's order.

container.xml names the package document (OPF), whose spine names the chapters: XHTML, read by the
reader of HTML, since real books are often no XML. A page that only lists the chapters is left out:
their titles stand before them anyway. EPUB 3.3; OPF 2.0.1.
"""

import posixpath
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted
from shoal.converters.html.blocks import write_blocks
from shoal.converters.limits import Limits
from shoal.converters.writer import Writer
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.converters.zip import Package
from shoal.model.page import Block, Page, Tag

_CHAPTERS = frozenset(
    {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"}
)
_CHAPTER_NAMES = (".xhtml", ".html", ".htm", ".xht")
_FONT_SCRAMBLING = frozenset(
    {"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#rc"}
)
_VOID = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"})
_SELF_CLOSED = re.compile(r"<([A-Za-z][\w.-]*)([^<>]*)/>")
_PREFIXED = re.compile(r"<(/?)(?:xhtml|html|h):(?=\w)")
_IBOOKS = "application/x-ibooks+"
_OBJECT = re.compile(r"<(/?)object\b")
_SHORT_LINK = re.compile(r"<a\b([^<>]*)>(?:(?!</?a\b).){0,200}</a>", re.DOTALL)
_OF_NOTES = ("noteref", "doc-backlink", "footnote-ref", "footnote-back")
_MAX_VALUE_CHARS = 2_000
_MAX_VALUES = 100
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_DATE = re.compile(r"[1-9]\d{3}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?)?)?")


@dataclass(slots=True)
class _Book:
    chapters: list[str] = field(default_factory=list)
    """Names in the package, in reading order."""
    problem: str = ""


def convert(body: bytes, context: Context) -> list[Converted]:
    package = Package(body, context.limits)
    path, root = _package_document(package)
    book = _Book() if root is None else _spine(root, posixpath.dirname(path))
    if not book.chapters:
        book.chapters = sorted(n for n in package.names if n.lower().endswith(_CHAPTER_NAMES))
        book.problem = "damaged: no list of chapters"
    encrypted = _encrypted(package)
    writer = Writer(context.limits)
    title = ""
    for name in book.chapters:
        if name in encrypted:
            book.problem = "encrypted"
        elif not writer.full:
            title = _chapter(package.read(name), writer, context.limits) or title
    for block in writer.blocks:
        if block.links:  # the others lead to places within the book
            block.links = [link for link in block.links if _ABSOLUTE.match(link[2])]
    page = writer.page(title if len(book.chapters) == 1 else "")
    if root is not None:
        _describe(page, root)
    if not book.chapters and not package.names:
        book.problem = "damaged: no members"
    return [Converted(page, problem=book.problem or writer.problem or package.problem)]


def _package_document(package: Package) -> tuple[str, Element | None]:
    container = parse(package.read("META-INF/container.xml"))
    files = () if container is None else named(container, "rootfile")
    paths = [attribute(file, "full-path") for file in files]
    paths += [name for name in package.names if name.lower().endswith(".opf")]
    for path in paths[:5]:
        root = parse(package.read(path))
        if root is not None and next(named(root, "manifest"), None) is not None:
            return path, root
    return "", None


def _spine(root: Element, folder: str) -> _Book:
    items: dict[str, str] = {}
    contents: set[str] = set()
    for item in named(root, "item"):
        name = _member(folder, attribute(item, "href"))
        is_chapter = attribute(item, "media-type").lower() in _CHAPTERS
        if is_chapter or name.lower().endswith(_CHAPTER_NAMES):
            items[attribute(item, "id")] = name
        if "nav" in attribute(item, "properties").split():
            contents.add(name)
    for reference in named(root, "reference"):
        if attribute(reference, "type").lower() == "toc" and "#" not in attribute(
            reference, "href"
        ):
            contents.add(_member(folder, attribute(reference, "href")))
    # Apple's books show these pages, but not in the spine.
    extras = [name for key, name in items.items() if key.startswith("tocConfig")]
    order = [items.get(attribute(ref, "idref"), "") for ref in named(root, "itemref")]
    chapters = [name for name in dict.fromkeys([*order, *extras]) if name]
    return _Book([name for name in chapters if name not in contents] or chapters)


def _member(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))


def _chapter(data: bytes, writer: Writer, limits: Limits) -> str:
    html = decode(data[: limits.html_bytes], "").text
    if _PREFIXED.search(html):
        html = _PREFIXED.sub(r"<\1", html)
    # A number glued to a word makes another word; the note itself is in the text.
    html = _SHORT_LINK.sub(_without_note, _SELF_CLOSED.sub(_opened_and_closed, html))
    if _IBOOKS not in html:
        return write_blocks(html, writer)
    # Widgets are objects there. Those for the other orientation of the screen say the same again.
    before = len(writer.blocks)
    title = write_blocks(_OBJECT.sub(r"<\1div", html), writer)
    if "data-original-id=" in html:
        once: dict[tuple[Tag, str], Block] = {}
        for block in writer.blocks[before:]:
            once.setdefault((block.kind, block.text), block)
        writer.blocks[before:] = once.values()
    return title


def _opened_and_closed(found: re.Match[str]) -> str:
    """`<title/>` means an empty title in XHTML, and in HTML the rest of the page."""
    name = found[1]
    if name.lower() in _VOID:
        return found[0]
    return f"<{name}{found[2]}></{name}>"


def _without_note(link: re.Match[str]) -> str:
    return "" if any(mark in link[1] for mark in _OF_NOTES) else link[0]


def _encrypted(package: Package) -> set[str]:
    """Chapters that only a licence opens; scrambled fonts are no obstacle."""
    root = parse(package.read("META-INF/encryption.xml"))
    found: set[str] = set()
    if root is None:
        return found
    for data in named(root, "EncryptedData"):
        method = next(named(data, "EncryptionMethod"), None)
        algorithm = "" if method is None else attribute(method, "Algorithm")
        if algorithm.lower() not in _FONT_SCRAMBLING:
            found |= {unquote(attribute(r, "URI")) for r in named(data, "CipherReference")}
    return found


def _describe(page: Page, root: Element) -> None:
    metadata = next(named(root, "metadata"), None)
    if metadata is None:
        return
    values: dict[str, list[str]] = {}
    for element in metadata.iter():
        text = " ".join(all_text(element)[:_MAX_VALUE_CHARS].split()) if len(element) == 0 else ""
        if local(element) == "meta":
            name = attribute(element, "property") or attribute(element, "name")
            values.setdefault(f"meta {name}", []).append(text or attribute(element, "content"))
        elif text:
            event = attribute(element, "event")
            key = f"{local(element)} {event}" if event else local(element)
            values.setdefault(key, []).append(text)
    page.title = next(iter(values.get("title", [])), "") or page.title
    page.author = ", ".join(dict.fromkeys(values.get("creator", [])[:_MAX_VALUES]))
    page.language = next(iter(values.get("language", [])), "")
    page.description = _plain(" ".join(values.get("description", [])[:1]))
    page.keywords = ", ".join(dict.fromkeys(values.get("subject", [])[:_MAX_VALUES]))
    page.published = _date(values, "date publication", "date", "date creation")
    page.modified = _date(values, "meta dcterms:modified", "date modification")


def _plain(text: str) -> str:
    """Descriptions are often bits of HTML."""
    return " ".join(re.sub(r"<[^<>]*>", " ", text).split())


def _date(values: dict[str, list[str]], *keys: str) -> str:
    for key in keys:
        for text in values.get(key, []):
            if found := _DATE.match(text):
                return found[0]
    return ""
