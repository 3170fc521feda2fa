"""Which objects has a OneNote file that came from a server? [MS-ONESTORE] 2.7 on [MS-FSSHTTPB].

Such a file is a row of stream objects with a head that tells kind and length; ends of those that
hold others can be passed over. Data elements name each other: a cell (an object space) names its
revision, a revision its groups of objects and the revision before it. Objects hold the same
property sets as in the other packing, only their references stand beside them.
"""

import struct
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from shoal.converters.ole.onenote_properties import BadSet, read_counted
from shoal.converters.ole.onenote_store import Id, Space, Stored

PACKED = bytes.fromhex("2fe98d63d4a6c14b9a36b3fc2511a5b7")
_START = 68
_MOST_OBJECTS = 500_000
_MOST_REVISIONS = 1000
_FIRST_SPACE = 1 << 30
_ELEMENT, _BLOB, _BLOB_DECLARED, _STORAGE_ROOT, _ROOT = 0x01, 0x02, 0x05, 0x07, 0x0A
_CURRENT, _REVISION_PLACE, _CELL_PLACE, _DATA, _DECLARED = 0x0B, 0x0D, 0x0E, 0x16, 0x18
_GROUP, _REVISION, _BLOB_REFERENCE = 0x19, 0x1A, 0x1C
_KIND_PART, _DATA_PART = 4, 1
_CONTENT_ROLE = 1
_NOTHING: Id = (b"", 0)
_USUAL = bytes.fromhex("b9fade84a3aa0d4aa3a8520c77ac7073")


class _Row:
    """Values one after another."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise BadSet("cut off")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self) -> int:
        """The number of zero bits at the low end tells the length."""
        first = self.take(1)[0]
        if first == 0:
            return 0
        zeros = (first & -first).bit_length() - 1
        if zeros == 7:
            return int.from_bytes(self.take(8), "little")
        return int.from_bytes(bytes((first,)) + self.take(zeros), "little") >> zeros + 1

    def name(self) -> Id:
        first = self.take(1)[0]
        if first == 0:
            return _NOTHING
        zeros = (first & -first).bit_length() - 1
        extra, shift = {2: (0, 3), 5: (1, 6), 6: (2, 7), 7: (4, 8)}.get(zeros, (-1, 0))
        if extra < 0:
            raise BadSet("an unknown name")
        value = int.from_bytes(bytes((first,)) + self.take(extra), "little") >> shift
        return self.take(16), value

    def names(self) -> list[Id]:
        return [self.name() for _ in range(min(self.number(), len(self.data)))]

    def cells(self) -> list[Id]:
        """A cell is named by a context and an object space; the latter counts."""
        return [(self.name(), self.name())[1] for _ in range(min(self.number(), len(self.data)))]


class Packed:
    def __init__(self, data: bytes) -> None:
        self.spaces: dict[Id, Space] = {}
        self.root: Id | None = None
        self._blobs: dict[Id, bytes] = {}
        self._cells: dict[Id, Id] = {}
        self._current: dict[Id, Id] = {}
        self._revisions: dict[Id, Id] = {}
        self._bases: dict[Id, Id] = {}
        self._roots: defaultdict[Id, list[Id]] = defaultdict(list)
        self._groups: defaultdict[Id, list[Id]] = defaultdict(list)
        self._declared: defaultdict[Id, list[tuple[Id, int, Id]]] = defaultdict(list)
        self._objects: defaultdict[Id, list[tuple[list[Id], list[Id], bytes]]] = defaultdict(list)
        self._element: Id = _NOTHING
        for kind, payload in _stream_objects(data):
            try:
                self._take(kind, _Row(payload))
            except BadSet:
                continue
        for space, cell in self._cells.items():
            self._build(space, self._current.get(cell, _NOTHING))

    def file(self, name: str) -> bytes:
        guid, _, number = name.partition(":")
        return self._blobs.get((bytes.fromhex(guid), int(number)), b"") if number else b""

    def _take(self, kind: int, row: _Row) -> None:
        here = self._element
        if kind == _ELEMENT:
            self._element = row.name()
        elif kind == _STORAGE_ROOT:
            role, _, space = row.name(), row.name(), row.name()
            if role == (_USUAL, 2):
                self.root = space
        elif kind == _CELL_PLACE:
            context, space = row.name(), row.name()
            if context == (_USUAL, 1) or space not in self._cells:  # others are older versions
                self._cells[space] = row.name()
        elif kind == _REVISION_PLACE:
            revision = row.name()
            self._revisions[revision] = row.name()
        elif kind == _CURRENT:
            self._current[here] = row.name()
        elif kind == _REVISION:
            row.name()
            self._bases[here] = row.name()
        elif kind == _ROOT:
            role = row.name()
            if role[1] == _CONTENT_ROLE:
                self._roots[here].append(row.name())
        elif kind == _GROUP:
            self._groups[here].append(row.name())
        else:
            self._take_object(kind, row)

    def _take_object(self, kind: int, row: _Row) -> None:
        here = self._element
        if kind == _DECLARED:
            self._declared[here].append((row.name(), row.number(), _NOTHING))
        elif kind == _BLOB_DECLARED:
            name, blob = row.name(), row.name()
            self._declared[here].append((name, row.number(), blob))
        elif kind == _DATA:
            references, cells = row.names(), row.cells()
            self._objects[here].append((references, cells, row.take(row.number())))
        elif kind == _BLOB_REFERENCE:
            self._objects[here].append(([], [], b""))
        elif kind == _BLOB:
            self._blobs[here] = row.take(row.number())

    def _build(self, name: Id, revision: Id) -> None:
        """The revisions of a space, the oldest first."""
        line: list[Id] = []
        while revision != _NOTHING and len(line) < _MOST_REVISIONS:
            manifest = self._revisions.get(revision, _NOTHING)
            if manifest in line or manifest == _NOTHING:
                break
            line.append(manifest)
            revision = self._bases.get(manifest, _NOTHING)
        space = self.spaces[name] = Space()
        for manifest in reversed(line):
            for group in self._groups[manifest]:
                self._add_group(space, group)
            for root in self._roots[manifest][:1]:
                space.root = root

    def _add_group(self, space: Space, group: Id) -> None:
        kinds: dict[Id, int] = {}
        for (name, part, blob), (references, cells, data) in zip(
            self._declared[group], self._objects[group], strict=False
        ):
            if blob != _NOTHING:
                space.files[name] = f"{blob[0].hex()}:{blob[1]}"
            elif part == _KIND_PART and len(data) >= 4:
                (kinds[name],) = struct.unpack_from("<I", data)
            elif part == _DATA_PART:
                try:
                    found = read_counted(data, _FIRST_SPACE)
                except BadSet:
                    continue
                resolve = partial(_resolved, references, cells)
                if name in space.objects:
                    space.earlier.append(space.objects[name])
                space.objects[name] = Stored(kinds.get(name, 0), found, resolve)


def _resolved(references: list[Id], cells: list[Id], number: int) -> Id:
    names, place = (
        (cells, number - _FIRST_SPACE) if number >= _FIRST_SPACE else (references, number)
    )
    return names[place] if place < len(names) else _NOTHING


def _stream_objects(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = _START
    for _ in range(_MOST_OBJECTS):
        if at >= len(data):
            return
        form = data[at] & 3
        if form == 1:
            at += 1
        elif form == 3:
            at += 2
        else:
            width = 4 if form == 2 else 2
            head = int.from_bytes(data[at : at + width], "little")
            kind, size = (head >> 3 & 0x3FFF, head >> 17) if form else (head >> 3 & 0x3F, head >> 9)
            row = _Row(data, at + width)
            if form and size == 0x7FFF:
                try:
                    size = row.number()
                except BadSet:
                    return
            yield kind, data[row.at : row.at + size]
            at = row.at + size
