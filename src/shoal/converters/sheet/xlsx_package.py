"""What are the parts of an Office Open XML package, and which one leads to which?

Parts name each other by relationships (ECMA-376 part 2): an id, a kind and a target that is
relative to the part. Large parts are cut into pieces at elements of one name, since a tree takes
ten times the memory of its text.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.limits import Limits
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.converters.zip import Package
from shoal.model.page import Page

_WHOLE_BYTES = 4_000_000
_PIECE_BYTES = 1_000_000
_NAMESPACES = re.compile(rb"""\sxmlns(?::[\w.-]+)?\s*=\s*(?:"[^"<>]*"|'[^'<>]*')""")
_NAMES = re.compile(rb"<([A-Za-z_][\w.:-]*)")


class Relation(NamedTuple):
    kind: str
    """The last part of the type: `worksheet`, `hyperlink`."""
    target: str
    """A part's name, or an address when it is outside."""
    outside: bool


class Parts:
    def __init__(self, data: bytes, limits: Limits) -> None:
        self.package = Package(data, limits)
        self._relations: dict[str, dict[str, Relation]] = {}

    @property
    def names(self) -> list[str]:
        return [name.replace("\\", "/") for name in self.package.names]

    def __contains__(self, name: str) -> bool:
        return name in self.package or name.replace("/", "\\") in self.package

    def read(self, name: str) -> bytes:
        """Some programs write the separators of Windows."""
        if name not in self.package:
            name = name.replace("/", "\\")
        return self.package.read(name)

    def tree(self, name: str) -> Element | None:
        data = self.read(name) if name else b""
        return parse(data) if data else None

    def relations(self, part: str) -> dict[str, Relation]:
        """By id; those of the package itself under the empty name."""
        if part not in self._relations:
            folder, _, name = part.rpartition("/")
            root = self.tree(posixpath.join(folder, "_rels", f"{name}.rels"))
            found: dict[str, Relation] = {}
            for each in named(root, "Relationship") if root is not None else ():
                outside = attribute(each, "TargetMode") == "External"
                target = attribute(each, "Target")
                if not outside:
                    target = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")
                kind = attribute(each, "Type").rpartition("/")[2]
                found[attribute(each, "Id")] = Relation(kind, target, outside)
            self._relations[part] = found
        return self._relations[part]

    def targets(self, part: str, *kinds: str) -> list[str]:
        """The parts that it leads to by a relation of these kinds."""
        return [
            relation.target
            for relation in self.relations(part).values()
            if relation.kind in kinds and not relation.outside
        ]

    def main(self, fallback: str) -> str:
        """The part that is the document."""
        found = self.targets("", "officeDocument")
        if found and found[0] in self:
            return found[0]
        return fallback if fallback in self else ""


def pieces(data: bytes, name: str) -> Iterator[Element]:
    """Trees that together hold all elements of this name; one tree when it is small. What follows
    the last of them stands in the last tree."""
    start = re.compile(rb"<(?:[\w.-]+:)?" + name.encode() + rb"[\s/>]")
    first = start.search(data) if len(data) > _WHOLE_BYTES else None
    if first is None:
        root = parse(data)
        if root is not None:
            yield root
        return
    opening, closing = _around(data[: first.start()])
    begin = first.start()
    while begin < len(data):
        following = start.search(data, begin + _PIECE_BYTES)
        end = following.start() if following else len(data)
        root = parse(opening + data[begin:end] + (closing if following else b""))
        if root is not None:
            yield root
        begin = end


def _around(head: bytes) -> tuple[bytes, bytes]:
    """What opens and closes around a piece: namespaces, the root and the element that holds all."""
    opening = b"<piece" + b"".join(_NAMESPACES.findall(head)) + b">"
    names = _NAMES.findall(head)
    holders = [names[0], names[-1]] if len(names) > 1 else names
    opening += b"".join(b"<" + name + b">" for name in holders)
    closing = b"".join(b"</" + name + b">" for name in reversed(holders))
    return opening, closing + b"</piece>"


def describe(parts: Parts, page: Page) -> str:
    """Author, dates and the like into the page; the title is given back."""
    found = parts.targets("", "core-properties")
    root = parts.tree(found[0] if found else "docProps/core.xml")
    values: dict[str, str] = {}
    for each in root if root is not None else ():
        values[local(each)] = " ".join(all_text(each).split())
    page.author = values.get("creator", "")[:1000]
    page.published = values.get("created", "")[:40]
    page.modified = values.get("modified", "")[:40]
    page.description = (values.get("description", "") or values.get("subject", ""))[:2000]
    page.keywords = values.get("keywords", "")[:2000]
    page.language = values.get("language", "")[:40]
    return values.get("title", "")
