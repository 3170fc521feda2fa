"""What lies in an Office Open XML file, and how do its parts hang together?

The Open Packaging Conventions (ECMA-376 part 2, ISO/IEC 29500-2): parts by name, relationships
between them, and the document's properties; in a zip file, or all in one XML file ("Flat OPC").
Transitional and strict files differ in their namespaces only, so only local names count. What is
missing from a damaged file is looked for by its usual name.
"""

import base64
import binascii
import posixpath
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from shoal.converters.limits import Limits
from shoal.converters.ole.ole import MAGIC
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.converters.zip import Package
from shoal.model.page import Page

_XML_BYTES = 24_000_000
"""Of one part; its tree takes some eight times as much memory."""
_MARKS = 1_500_000
"""Of one part: tags, each of which takes time and memory."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_WRAPPERS = frozenset(
    {"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "sect", "sub-section", "body"}
    | {"bdo", "dir", "content"}
)
"""Elements that only stand around others. What was deleted or moved away is not among them."""
_MAIN = frozenset({"officeDocument", "document", "fixedrepresentation"})
_ISO_DATE = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_NO_TITLES = frozenset(
    {"powerpoint presentation", "presentation", "slide 1", "word document", "untitled"}
)
_PIECE = re.compile(r"(.*)/\[(\d{1,9})\](?:\.last)?\.piece", re.IGNORECASE)
"""Of a part that was written in turns with others: XPS printers do so."""


class Relation(NamedTuple):
    kind: str
    """The last part of its type: `image`, `hyperlink`, `footnotes` …"""
    target: str
    """A part's name, or, for one outside, an address as written."""
    outside: bool


class Parts:
    """The parts of a package, by name without a leading slash."""

    def __init__(
        self,
        names: list[str],
        read: Callable[[str], bytes],
        fault: Callable[[], str] = lambda: "",
    ) -> None:
        """`fault` says what went wrong below, so far."""
        self.names = names
        self._fault = fault
        self._problem = ""
        self._read = read
        self._roots: dict[str, Element] = {}
        self._types: dict[str, str] | None = None
        self._lower = {name.lower() for name in names}

    @classmethod
    def of_zip(cls, body: bytes, limits: Limits) -> "Parts":
        if body.startswith(MAGIC):
            parts = cls([], lambda _name: b"")
            parts._problem = "encrypted" if _ENCRYPTED in body else "damaged: not a zip file"
            return parts
        package = Package(body, limits)
        pieces: dict[str, list[tuple[int, str]]] = {}
        for name in package.names:
            piece = _PIECE.fullmatch(name)
            if piece:
                pieces.setdefault(piece[1].lstrip("/"), []).append((int(piece[2]), name))
        joined = {name.lower(): sorted(each) for name, each in pieces.items()}

        def read(name: str) -> bytes:
            held = joined.get(name.lower())
            if held is None:
                return package.read(name)
            return b"".join(package.read(each) for _, each in held)

        names = [*(name.lstrip("/") for name in package.names), *pieces]
        return cls(names, read, lambda: package.problem)

    @classmethod
    def of_flat(cls, root: Element) -> "Parts":
        parts = cls([], lambda _name: b"")
        packed: dict[str, Element] = {}
        types: dict[str, str] = {}
        for part in named(root, "part"):
            name = attribute(part, "name").lstrip("/")
            types[name.lower()] = attribute(part, "contentType")
            for held in part:
                if local(held) == "xmlData" and len(held):
                    parts._roots[name.lower()] = held[0]
                elif local(held) == "binaryData":
                    packed[name.lower()] = held
            parts.names.append(name)
            parts._lower.add(name.lower())
        parts._read = lambda name: _unbase64(packed.get(name.lower()))
        parts._types = types
        return parts

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._lower

    @property
    def problem(self) -> str:
        return self._problem or self._fault()

    def data(self, name: str) -> bytes:
        return self._read(name)

    def root(self, name: str) -> Element | None:
        """Of a part that is XML; None when there is no such part."""
        flat = self._roots.get(name.lower())
        if flat is not None:
            return flat
        data = self._read(name)
        kept = bounded(data)
        if len(kept) < len(data):
            self._problem = self._problem or f"cut: a part of {len(data)} bytes"
        return parse(kept) if kept else None

    def relations(self, name: str = "") -> dict[str, Relation]:
        """Of a part, or of the package itself, by their ids."""
        folder, _, file = name.rpartition("/")
        root = self.root(f"{folder}/_rels/{file}.rels".lstrip("/"))
        found: dict[str, Relation] = {}
        for each in named(root, "Relationship") if root is not None else ():
            kind = attribute(each, "Type").rpartition("/")[2]
            target = attribute(each, "Target").strip()
            outside = attribute(each, "TargetMode") == "External"
            if not outside:
                target = self._resolve(folder, target)
            found[attribute(each, "Id")] = Relation(kind, target, outside)
        return found

    def main(self, *usual: str) -> str:
        """The part that everything hangs on; `usual` names are tried when no one says which."""
        for relation in self.relations().values():
            if relation.kind in _MAIN and relation.target in self:
                return relation.target
        return next((name for name in usual if name in self), "")

    def content_type(self, name: str) -> str:
        if self._types is None:
            self._types = {}
            root = self.root("[Content_Types].xml")
            for each in root if root is not None else ():
                key = attribute(each, "PartName").lstrip("/") or "." + attribute(each, "Extension")
                self._types[key.lower()] = attribute(each, "ContentType")
        extension = "." + name.rpartition(".")[2].lower()
        return self._types.get(name.lower()) or self._types.get(extension, "")

    def _resolve(self, folder: str, target: str) -> str:
        target = target.partition("#")[0].replace("\\", "/")
        joined = target if target.startswith("/") else f"/{folder}/{target}"
        name = posixpath.normpath(joined).lstrip("/")
        return name if name in self else unquote(name)


def bounded(data: bytes) -> bytes:
    """As much of an XML text as is read in bounded time and memory."""
    marks = 0
    for start in range(0, min(len(data), _XML_BYTES), 1 << 20):
        marks += data.count(b"<", start, start + (1 << 20))
        if marks > _MARKS:
            return data[:start]
    return data[:_XML_BYTES]


def _unbase64(held: Element | None) -> bytes:
    try:
        return base64.b64decode(all_text(held)) if held is not None else b""
    except (binascii.Error, ValueError):
        return b""


def unwrapped(element: Element) -> Iterator[tuple[str, Element]]:
    """The children and their names, with those that only stand around others replaced by what they
    hold. Of alternatives the first that holds anything is taken: they say the same."""
    for child in element:
        name = local(child)
        if name in _WRAPPERS:
            yield from unwrapped(child)
        elif name == "AlternateContent":
            taken = next((each for each in child if len(each)), None)
            if taken is not None:
                yield from unwrapped(taken)
        elif name == "annotation":  # of WordprocessingML 2003
            kind = attribute(child, "type")
            if kind.endswith("Comment"):
                yield name, child
            elif not kind.endswith("Deletion"):
                yield from unwrapped(child)
        else:
            yield name, child


def children(element: Element | None) -> dict[str, Element]:
    """By name; the first counts."""
    found: dict[str, Element] = {}
    for child in element if element is not None else ():
        found.setdefault(local(child), child)
    return found


def first(element: Element | None, *path: str) -> Element | None:
    """The first child of this name, and of that one the first of the next name …"""
    for name in path:
        if element is None:
            return None
        element = next(element.iterchildren(f"{{*}}{name}"), None)
    return element


def describe(page: Page, parts: Parts) -> None:
    """The properties of the document, into the page's fields."""
    relations = parts.relations().values()
    name = next((each.target for each in relations if each.kind == "core-properties"), "")
    root = parts.root(name or "docProps/core.xml")
    values: dict[str, str] = {}
    for each in root if root is not None else ():
        values.setdefault(local(each), " ".join(all_text(each).split()))
    title = values.get("title", "")
    if title and title.lower() not in _NO_TITLES:
        page.title = title[:1000]
    page.author = values.get("creator", "") or values.get("lastModifiedBy", "")
    page.published = iso_date(values.get("created", ""))
    page.modified = iso_date(values.get("modified", ""))
    page.description = (values.get("description", "") or values.get("subject", ""))[:2000]
    page.keywords = values.get("keywords", "")[:2000]
    page.language = values.get("language", "")


def iso_date(text: str) -> str:
    found = _ISO_DATE.match(text.strip())
    return found[0] if found and not found[0].startswith(("0000", "1601")) else ""
