"""What does a Word document say? Headers, body, footers and notes, as tagged blocks.

ECMA-376 / ISO/IEC 29500, transitional and strict, with macros or without, documents and templates;
also in one XML file ("Flat OPC"), and its forerunner, WordprocessingML 2003, which has the same
elements in one tree. A header stands before the body once, however many pages show it.
"""

from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.ooxml.blocks import Outlet, Piece, as_asides, plain
from shoal.converters.ooxml.docx_flow import Document, Flow
from shoal.converters.ooxml.docx_numbering import Numbering
from shoal.converters.ooxml.docx_styles import Styles
from shoal.converters.ooxml.embedded import embedded
from shoal.converters.ooxml.ooxml import Parts, Relation, describe, first
from shoal.converters.writer import Writer
from shoal.converters.xml import Element, attribute, local, named

_USUAL = ("word/document.xml", "word/document2.xml", "document.xml")
_SEPARATORS = ("separator", "continuationSeparator", "continuationNotice")


def convert(body: bytes, context: Context) -> list[Converted]:
    return read(Parts.of_zip(body, context.limits), context)


def read(parts: Parts, context: Context) -> list[Converted]:
    """Of a package; also of one that was in an XML file."""
    name = parts.main(*_USUAL) or next(filter(_looks_like_body, parts.names), "")
    root = parts.root(name) if name else None
    relations = parts.relations(name) if name else {}

    def of_kind(kind: str) -> Element | None:
        target = next((each.target for each in relations.values() if each.kind == kind), "")
        return parts.root(target or f"word/{kind}.xml")

    document = Document(parts, Styles(of_kind("styles")), Numbering(of_kind("numbering")))
    writer = Writer(context.limits)
    flow = Flow(document, relations)
    if root is not None:
        outlet = Outlet(writer)
        edges = _Edges(document, relations, outlet)
        edges.write(root, "header")
        notes = _Notes(document, relations)
        outlet.write(notes.among(flow, root))
        outlet.aside(notes.rest())
        edges.write(root, "footer")
    result = _result(writer, flow, parts)
    if root is None and not result.problem:
        result.problem = "damaged: no document in it"
    inner = [each for chunk in flow.chunks for each in _chunk(chunk, parts, context)]
    return [result, *inner, *embedded(parts, context)]


def read_2003(root: Element, context: Context) -> list[Converted]:
    """WordprocessingML 2003: styles, lists, headers and notes stand in the one tree."""
    parts = Parts([], lambda _name: b"")
    document = Document(parts, Styles(first(root, "styles")), Numbering(first(root, "lists")))
    writer = Writer(context.limits)
    outlet = Outlet(writer)
    flow = Flow(document, {})
    edges = _Edges(document, {}, outlet)
    body = first(root, "body")
    if body is not None:
        edges.write(body, "header")
        outlet.write(_Notes(document, {}).among(flow, body))
        edges.write(body, "footer")
    return [_result(writer, flow, parts)]


class _Edges:
    """Headers and footers, each once, and each text once."""

    def __init__(self, document: Document, relations: dict[str, Relation], outlet: Outlet) -> None:
        self._document = document
        self._relations = relations
        self._outlet = outlet
        self._seen: set[str] = set()

    def write(self, root: Element, kind: str) -> None:
        short = {"header": "hdr", "footer": "ftr"}[kind]
        for section in named(root, "sectPr"):
            for each in section:
                if local(each) == f"{kind}Reference":
                    self._part(attribute(each, "id"))
                elif local(each) == short:
                    self._once(list(Flow(self._document, {}).pieces(each)))

    def _part(self, identity: str) -> None:
        relation = self._relations.get(identity)
        if relation is None or relation.target in self._seen:
            return
        self._seen.add(relation.target)
        parts = self._document.parts
        root = parts.root(relation.target)
        if root is not None:
            flow = Flow(self._document, parts.relations(relation.target))
            self._once(list(flow.pieces(root)))

    def _once(self, pieces: list[Piece]) -> None:
        text = plain(pieces)
        is_number = len(text) < 9 and not any(char.isalpha() for char in text)  # of the page
        if text and text not in self._seen and not is_number:
            self._seen.add(text)
            self._outlet.aside(pieces)


class _Notes:
    """Notes and comments, each behind the paragraph or table that refers to it."""

    def __init__(self, document: Document, relations: dict[str, Relation]) -> None:
        self._document = document
        self._targets = {each.kind: each.target for each in relations.values()}
        self._flows: dict[str, Flow] = {}
        self._held: dict[str, dict[str, Element]] = {}

    def among(self, flow: Flow, root: Element) -> Iterator[Piece]:
        story = flow.story
        for piece in flow.pieces(root):
            yield piece
            for kind, identity in story.notes:
                yield from as_asides(self._take(kind, identity))
            for aside in story.asides:
                yield from as_asides(aside)
            story.notes.clear()
            story.asides.clear()

    def rest(self) -> Iterator[Piece]:
        """Comments whose place in the text is lost."""
        for identity in list(self._of_kind("comment")):
            yield from self._take("comment", identity)

    def _take(self, kind: str, identity: str) -> Iterator[Piece]:
        note = self._of_kind(kind).pop(identity, None)
        if note is not None:
            yield from self._flows[kind].pieces(note)

    def _of_kind(self, kind: str) -> dict[str, Element]:
        if kind not in self._held:
            parts = self._document.parts
            name = self._targets.get(f"{kind}s", f"word/{kind}s.xml")
            root = parts.root(name)
            self._flows[kind] = Flow(self._document, parts.relations(name))
            self._held[kind] = {
                attribute(note, "id"): note
                for note in (named(root, kind) if root is not None else ())
                if attribute(note, "type") not in _SEPARATORS
            }
        return self._held[kind]


def _result(writer: Writer, flow: Flow, parts: Parts) -> Converted:
    page = writer.page()
    describe(page, parts)
    page.title = page.title or (flow.title or writer.first_heading)[:1000]
    return Converted(page, problem=parts.problem or writer.problem)


def _chunk(name: str, parts: Parts, context: Context) -> list[Converted]:
    data = parts.data(name)
    return context.inside(data, name.rpartition("/")[2], parts.content_type(name)) if data else []


def _looks_like_body(name: str) -> bool:
    lower = name.lower()
    return (
        lower.endswith(".xml")
        and "document" in lower.rpartition("/")[2]
        and ("glossary" not in lower)
    )
