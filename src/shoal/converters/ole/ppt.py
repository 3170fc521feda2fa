"""What does a presentation (.ppt, PowerPoint 97 to 2003) say? Its slides, in order.

A title is a heading, its body a list; notes, comments, footers and what the master adds to slides
are asides. Embedded documents follow as documents of their own. When the order of slides cannot be
read, all texts of the file are given as they lie there ([MS-PPT]).
"""

import re
import struct
import zlib
from collections.abc import Iterator

from shoal.converters.characters.codepages import decode
from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.ppt_records import (
    Record,
    Saved,
    child,
    children,
    deep,
    find_texts,
    records,
    text_of,
)
from shoal.converters.ole.ppt_shapes import DATE, FOOTER, HEADER, NUMBER, Shape, rows_of, shapes_of
from shoal.converters.ole.ppt_text import Line, TextBody, texts
from shoal.converters.ole.properties import Embedded, properties, unwrapped
from shoal.converters.ole.salvage import salvage
from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag

TITLE_LEVEL = 1
_BOTH = "PP97_DUALSTORAGE/"
_STREAM = "PowerPoint Document"
_LIST, _PERSIST, _SLIDE_ATOM, _FOOTERS, _STRING = 0x0FF0, 0x03F3, 0x03EF, 0x0FD9, 0x0FBA
_OBJECTS, _LINK, _EMBEDDED, _OBJECT_ATOM = 0x0409, 0x0FD7, 0x0FCC, 0x0FC3
_NOTES, _COMMENT = 0x03F0, frozenset({0x2EE0})
_MOST_SLIDES = 10_000
# What PowerPoint puts for a title when nobody gave one.
_GENERIC = re.compile(r"PowerPoint.Pr\w+|No Slide Title|\w+ 1|\w+ PowerPoint")
_FAULTS = (struct.error, ValueError, IndexError, OverflowError)


def convert(body: bytes, context: Context) -> list[Converted]:
    compound = Compound(body, context.limits)
    writer = Writer(context.limits)
    about = properties(compound)
    # A file for PowerPoint 95 and 97 alike holds both; the newer one is the readable one.
    prefix = _BOTH if f"{_BOTH}{_STREAM}" in compound else ""
    stream, user = compound.read(prefix + _STREAM), compound.read(f"{prefix}Current User")
    problem, title, files = "", about.title, list[Embedded]()
    try:
        saved = Saved(stream, user)
        if saved.encrypted or "EncryptedSummary" in compound:
            problem = "encrypted"
        else:
            presentation = _Presentation(saved, writer)
            presentation.write()
            if not title or _GENERIC.fullmatch(title):
                title = presentation.title or title
            files = list(presentation.embedded(context))
            problem = "" if presentation.found else "damaged: no list of slides"
    except _FAULTS as fault:
        problem = f"damaged: {fault}"
    if problem.startswith("damaged") and not writer.blocks:
        _write_found(compound, stream, writer)
    page = writer.page(title)
    about.fill(page)
    documents = [Converted(page, problem=problem or compound.problem or writer.problem)]
    for each in files:
        documents += context.inside(each.data, each.name)
    return documents


def _write_found(compound: Compound, stream: bytes, writer: Writer) -> None:
    """PowerPoint 95 kept a copy of its texts; that of version 4 is looked for by its letters."""
    for text in find_texts(stream):
        for line in text.split("\r"):
            writer.paragraph(line)
    if writer.blocks:
        return
    lines = decode(compound.read("Text_Content"), "cp1252").split("\r")
    for line in lines if any(lines) else salvage(stream or compound.read("PP40")):
        writer.paragraph(line)


class _Presentation:
    def __init__(self, saved: Saved, writer: Writer) -> None:
        self._saved, self._writer = saved, writer
        self._document = saved.document
        objects = child(self._document, _OBJECTS)
        self._objects = children(objects, _EMBEDDED)
        self._hrefs = dict(_links(objects))
        self._lists = {each.instance: each for each in children(self._document, _LIST)}
        self._masters = {number: slide for slide, _, number in self._slides(1) if slide is not None}
        self._notes = {number: slide for slide, _, number in self._slides(2) if slide is not None}
        self._shown: set[str] = set()
        """Asides that were written already: a footer stands on every slide."""
        self.title = ""
        self.found = self._document is not None

    def write(self) -> None:
        used: list[int] = []
        for number, (slide, outline, _) in enumerate(self._slides(0), 1):
            if self._writer.full:
                return
            if slide is None:
                self._write_bodies(outline, number)
                continue
            master, notes = self._write_slide(slide, outline, number)
            if master not in used:
                used.append(master)
            if notes in self._notes:
                self._write_notes(self._notes[notes], number)
        for each in used:
            if each in self._masters:
                self._write_master(self._masters[each])

    def embedded(self, context: Context) -> Iterator[Embedded]:
        for number, each in enumerate(self._objects[: context.limits.members], 1):
            atom = child(each, _OBJECT_ATOM)
            if atom is None or len(atom.data) < 20:
                continue
            storage = self._saved.get(struct.unpack_from("<I", atom.data, 16)[0])
            data = _unpacked(storage, context.limits.member_bytes)
            inner = unwrapped(Compound(data, context.limits))
            if inner.data:
                yield inner
            elif data:
                names = {name.instance: _string(name) for name in children(each, _STRING)}
                yield Embedded(names.get(1) or names.get(3) or f"object {number}", data)

    def _slides(self, which: int) -> Iterator[tuple[Record | None, list[TextBody], int]]:
        """(slide, its texts in the outline, its number) of one of the document's lists."""
        atoms: list[Record] = []
        persist: Record | None = None
        count = 0
        for each in self._list(which):
            if each is None or each.kind == _PERSIST:
                if persist is not None:
                    place, number = struct.unpack_from("<I8xI", persist.data.ljust(16, b"\0"))
                    yield self._saved.get(place), texts(atoms, self._hrefs), number
                count += 1
                if each is None or count > _MOST_SLIDES:
                    return
                persist, atoms = each, []
            else:
                atoms.append(each)

    def _list(self, which: int) -> Iterator[Record | None]:
        from_list = self._lists.get(which)
        if from_list:
            yield from records(from_list.data)
        yield None

    def _write_slide(self, slide: Record, outline: list[TextBody], number: int) -> tuple[int, int]:
        """The numbers of its master and of its notes."""
        shapes = shapes_of(slide, outline, self._hrefs)
        written = {id(body) for shape in shapes for body in shape.bodies}
        lost = [Shape([body]) for body in outline if id(body) not in written]
        everything = [*shapes, *lost]
        for shape in sorted(everything, key=lambda each: not any(b.is_title for b in each.bodies)):
            self._write_shape(shape, number)
        self._write_footers(child(slide, _FOOTERS) or child(self._document, _FOOTERS, 3), number)
        for comment in deep(slide, _COMMENT):
            strings = {each.instance: _string(each) for each in children(comment, _STRING)}
            self._writer.other(Tag.ASIDE, strings.get(1, ""), source=number)
        atom = child(slide, _SLIDE_ATOM)
        if atom is None or len(atom.data) < 22:
            return 0, 0
        master, notes, flags = struct.unpack_from("<IIH", atom.data, 12)
        return (master if flags & 1 else 0), notes

    def _write_shape(self, shape: Shape, number: int) -> None:
        if shape.cells:
            rows = [[_flat(bodies) for bodies in row] for row in rows_of(shape)]
            self._writer.table(rows, source=number)
        elif shape.placeholder in {DATE, NUMBER, FOOTER, HEADER}:
            for body in shape.bodies:
                self._write_once(body.lines(), number)
        else:
            self._write_bodies(shape.bodies, number)
            if shape.alt_text:
                self._writer.other(Tag.CAPTION, shape.alt_text, source=number)

    def _write_bodies(self, bodies: list[TextBody], number: int) -> None:
        for body in bodies:
            if body.is_title:
                runs = _flat([body])
                self.title = self.title or "".join(run.text for run in runs).strip()
                self._writer.heading(runs, TITLE_LEVEL, source=number)
                continue
            for line in body.lines():
                if line.bullet:
                    numbered = bool(line.marker)
                    self._writer.item(
                        *(line.runs, line.depth),
                        numbered=numbered,
                        marker=line.marker,
                        source=number,
                    )
                else:
                    self._writer.paragraph(line.runs, source=number)

    def _write_notes(self, notes: Record, number: int) -> None:
        for shape in shapes_of(notes, [], self._hrefs):
            if shape.placeholder in {DATE, NUMBER, FOOTER, HEADER}:
                continue
            for body in shape.bodies:
                for line in body.lines():
                    self._writer.other(Tag.ASIDE, line.runs, source=number)

    def _write_master(self, master: Record) -> None:
        """What it adds to slides: its own texts, not those that only say where text may stand."""
        for shape in shapes_of(master, [], self._hrefs):
            if shape.placeholder in {0, FOOTER}:
                for body in shape.bodies:
                    self._write_once(body.lines(), -1)

    def _write_footers(self, footers: Record | None, number: int) -> None:
        atom = child(footers, 0x0FDA)
        if footers is None or atom is None or len(atom.data) < 4:
            return
        (flags,) = struct.unpack_from("<H", atom.data, 2)
        strings = {each.instance: _string(each) for each in children(footers, _STRING)}
        for bit, instance in ((4, 0), (0x20, 2)):
            if flags & bit and strings.get(instance):
                self._once(strings[instance], number)

    def _write_once(self, lines: list[Line], number: int) -> None:
        for line in lines:
            self._once("".join(run.text for run in line.runs), number)

    def _once(self, text: str, number: int) -> None:
        if text not in self._shown:
            self._shown.add(text)
            self._writer.other(Tag.ASIDE, text, source=number)


def _flat(bodies: list[TextBody]) -> list[Run]:
    runs: list[Run] = []
    for body in bodies:
        for line in body.lines():
            runs += [Run(" "), *line.runs] if runs else line.runs
    return runs


def _links(objects: Record | None) -> Iterator[tuple[int, str]]:
    for each in children(objects, _LINK):
        atom = child(each, 0x0FD3)
        strings = {name.instance: _string(name) for name in children(each, _STRING)}
        if atom and len(atom.data) >= 4 and strings.get(1):
            yield struct.unpack_from("<I", atom.data)[0], strings[1]


def _string(record: Record) -> str:
    return text_of(record).rstrip("\0")


def _unpacked(storage: Record | None, most: int) -> bytes:
    if storage is None or storage.kind != 0x1011:
        return b""
    if storage.instance != 1:
        return storage.data
    try:
        return zlib.decompressobj().decompress(storage.data[4:], most)
    except zlib.error:
        return b""
