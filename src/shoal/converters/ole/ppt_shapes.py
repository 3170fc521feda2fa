"""Which texts stand on a slide, in which order? Those of its shapes ([MS-PPT] 2.5, [MS-ODRAW]).

A shape holds its text, or a number that points into the outline of the presentation. Tables are
groups of shapes, whose cells are told apart by where they stand. Shapes come in the order in which
they were drawn, which is the best guess at how they are read.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.converters.ole.ppt_records import Record, child, deep, records
from shoal.converters.ole.ppt_text import TITLE, TextBody, texts

_DRAWING, _SHAPE_GROUP, _SHAPE = 0xF002, 0xF003, 0xF004
OPTIONS, _MORE_OPTIONS, _TEXT_BOX, _CLIENT, _CHILD_ANCHOR = 0xF00B, 0xF122, 0xF00D, 0xF011, 0xF00F
_OUTLINE_REFERENCE, _PLACEHOLDER = 0x0F9E, 0x0BC3
_ROUND_TRIP_FOOTER = 0x0420
_TABLE, ALT_TEXT, WORD_ART, _HIDDEN = 0x39F, 0x381, 0xC0, 0x3BF
_TAG_DATA, _NUMBERING = frozenset({0x138B}), 0x0FAC
_DEEPEST = 20
_MOST_SHAPES = 20_000

DATE, NUMBER, FOOTER, HEADER = 7, 8, 9, 10
_TITLES = {1, 3, 13, 15, 17}


@dataclass(slots=True)
class Shape:
    bodies: list[TextBody] = field(default_factory=list)
    placeholder: int = 0
    """What it is a place for; 0 for none."""
    alt_text: str = ""
    place: tuple[int, int] = (0, 0)
    """Top and left, of a cell."""
    cells: list["Shape"] = field(default_factory=list)
    """Of a table."""


def shapes_of(slide: Record, outline: list[TextBody], hrefs: dict[int, str]) -> list[Shape]:
    """The shapes of a slide's (or a master's) drawing."""
    drawing = child(child(slide, 0x040C), _DRAWING)
    found: list[Shape] = []
    if drawing:
        _Reader(outline, hrefs).read(drawing, found, 0)
    return found


class _Reader:
    def __init__(self, outline: list[TextBody], hrefs: dict[int, str]) -> None:
        self._outline, self._hrefs = outline, hrefs
        self._count = 0

    def read(self, container: Record, found: list[Shape], depth: int) -> None:
        for record in records(container.data):
            if self._count > _MOST_SHAPES:
                return
            if record.kind == _SHAPE_GROUP and depth < _DEEPEST:
                if _is_table(record):
                    table = Shape()
                    self.read(record, table.cells, depth + 1)
                    found.append(table)
                else:
                    self.read(record, found, depth + 1)
            elif record.kind == _SHAPE:
                self._count += 1
                shape = self._shape(record)
                if shape.bodies or shape.alt_text or shape.placeholder:
                    found.append(shape)

    def _shape(self, record: Record) -> Shape:
        shape = Shape()
        options: dict[int, str] = {}
        hidden, numbering = False, b""
        for part in records(record.data):
            if part.kind in {OPTIONS, _MORE_OPTIONS}:
                options.update(strings_of(part))
                hidden = hidden or _is_hidden(part)
            elif part.kind == _TEXT_BOX:
                shape.bodies = self._bodies(part)
            elif part.kind == _CLIENT:
                shape.placeholder = _placeholder(part)
                numbering = _numbering(part)
            elif part.kind == _CHILD_ANCHOR and len(part.data) >= 8:
                left, top = struct.unpack_from("<ii", part.data)
                shape.place = (top, left)
        if hidden:
            return Shape()
        if shape.placeholder in _TITLES:
            for body in shape.bodies:
                body.kind = TITLE
        for body in shape.bodies:
            body.numbering = numbering
        if options.get(WORD_ART):
            shape.bodies.append(TextBody(text=options[WORD_ART]))
        shape.alt_text = options.get(ALT_TEXT, "") if not shape.bodies else ""
        return shape

    def _bodies(self, box: Record) -> list[TextBody]:
        atoms = list(records(box.data))
        for atom in atoms:
            if atom.kind == _OUTLINE_REFERENCE and len(atom.data) >= 4:
                (number,) = struct.unpack_from("<I", atom.data)
                return self._outline[number : number + 1]
        return texts(atoms, self._hrefs)


def _placeholder(client: Record) -> int:
    atom = child(client, _PLACEHOLDER)
    if atom and len(atom.data) >= 5:
        return atom.data[4]
    footer = child(client, _ROUND_TRIP_FOOTER)
    return footer.data[0] if footer and footer.data else 0


def _numbering(client: Record) -> bytes:
    """In a tag that PowerPoint 2000 added, whose data are records again."""
    for tag in deep(client, _TAG_DATA):
        for atom in records(tag.data):
            if atom.kind == _NUMBERING:
                return atom.data
    return b""


def _properties(options: Record) -> Iterator[tuple[int, int, bytes]]:
    """(number, value, bytes of a complex one)."""
    count = min(options.instance, len(options.data) // 6)
    at = 6 * count
    for number in range(count):
        code, value = struct.unpack_from("<HI", options.data, 6 * number)
        extra = b""
        if code & 0x8000:
            extra = options.data[at : at + value]
            at += value
        yield code & 0x3FFF, value, extra


def strings_of(options: Record) -> dict[int, str]:
    """What a shape says beside its text: in words what it shows, and letters drawn as art."""
    return {
        number: extra[: len(extra) & ~1].decode("utf-16-le", "replace").rstrip("\0")
        for number, _, extra in _properties(options)
        if number in {ALT_TEXT, WORD_ART} and extra
    }


def _is_hidden(options: Record) -> bool:
    """A set of flags, each with a flag that says whether it is set at all."""
    return any(
        value & 0x20002 == 0x20002 for number, value, _ in _properties(options) if number == _HIDDEN
    )


def _is_table(group: Record) -> bool:
    """The first shape of a group stands for the group itself."""
    more = child(child(group, _SHAPE), _MORE_OPTIONS)
    return more is not None and any(
        number == _TABLE and value & 1 for number, value, _ in _properties(more)
    )


def rows_of(table: Shape) -> list[list[list[TextBody]]]:
    rows: dict[int, list[Shape]] = {}
    for cell in table.cells:
        rows.setdefault(cell.place[0], []).append(cell)
    return [
        [cell.bodies for cell in sorted(cells, key=lambda cell: cell.place[1])]
        for _, cells in sorted(rows.items())
    ]
