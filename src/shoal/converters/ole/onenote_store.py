"""Which objects has a OneNote file, each in its newest state? The revision store of [MS-ONESTORE].

The file is lists of nodes that refer to further lists: from the root to object spaces (a page is
one), to their revisions, to groups of objects. Revisions come oldest first, so an object's last
declaration is its present state. Lists are read once each, so that circles end.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias

from shoal.converters.ole.onenote_properties import BadSet, PropertySet, read_object

REVISION_STORE = bytes.fromhex("3fdd9a101b91f549a5d01791edc8aed8")
_FRAGMENT_MAGIC = 0xA4567AB1F5F7F4C4
_MOST_NODES = 300_000
_DEEPEST = 12

Id: TypeAlias = tuple[bytes, int]
"""A GUID and a number."""

_ROOT_SPACE, _SPACE_LIST = 0x04, 0x08
_TABLE_STARTS, _TABLE_ENTRY = {0x21, 0x22}, 0x24
_ROOT_COMPACT, _ROOT = 0x59, 0x5A
_DECLARATIONS = {0xA4, 0xA5, 0xC4, 0xC5}
_OLD_DECLARATIONS = {0x2D, 0x2E}
_REVISIONS = {0x41, 0x42}
_FILE_DECLARATIONS = {0x72, 0x73}
_FILE_DATA = 0x94


@dataclass(slots=True)
class Stored:
    """An object: what kind of thing it is, its properties, and what these refer to."""

    kind: int
    properties: PropertySet
    resolve: Callable[[int], Id]
    """What a reference in its compact form stands for."""

    def references(self, number: int) -> list[Id]:
        return [self.resolve(each) for each in self.properties.objects.get(number, [])]

    def spaces(self, number: int) -> list[Id]:
        return [self.resolve(each) for each in self.properties.spaces.get(number, [])]


@dataclass(slots=True)
class Space:
    objects: dict[Id, Stored] = field(default_factory=dict)
    files: dict[Id, str] = field(default_factory=dict)
    """Files in it, by the name of their data."""
    earlier: list[Stored] = field(default_factory=list)
    """States that a later one took the place of."""
    root: Id | None = None


class Notebook(Protocol):
    """A file's object spaces, in whatever way they are packed."""

    spaces: dict[Id, Space]
    root: Id | None

    def file(self, name: str) -> bytes: ...


class _Node(NamedTuple):
    kind: int
    place: int
    size: int
    """Of what it refers to; 0 for nothing."""
    is_list: bool
    data: bytes


class Store:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._nodes_left = _MOST_NODES
        self._lists_read: set[int] = set()
        self.spaces: dict[Id, Space] = {}
        self.root: Id | None = None
        self._files: dict[bytes, tuple[int, int]] = {}
        if len(data) >= 1024:
            place, size = struct.unpack_from("<QI", data, 172)
            for node in self._nodes(place, size):
                self._take_root(node)

    def file(self, name: str) -> bytes:
        """The data of a file that is named `<ifndf>{GUID}`."""
        digits = name.partition("{")[2].rstrip("}\0").replace("-", "")
        if not name.startswith("<ifndf>") or len(digits) != 32:
            return b""
        raw = bytes.fromhex(digits)
        guid = raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:]
        place, size = self._files.get(guid, (0, 0))
        if size < 36 or place + 36 > len(self._data):
            return b""
        (length,) = struct.unpack_from("<Q", self._data, place + 16)
        return self._data[place + 36 : place + 36 + min(length, size)]

    def _take_root(self, node: _Node) -> None:
        if node.kind == _ROOT_SPACE and len(node.data) >= 20:
            self.root = _long_id(node.data)
        elif node.kind == _SPACE_LIST and len(node.data) >= 20:
            space = self.spaces.setdefault(_long_id(node.data), Space())
            self._read_space(node, space, {}, 0)
        elif node.is_list:  # the list of files
            for inner in self._nodes(node.place, node.size):
                if inner.kind == _FILE_DATA and len(inner.data) >= 16:
                    self._files[inner.data[:16]] = (inner.place, inner.size)

    def _read_space(self, node: _Node, space: Space, table: dict[int, bytes], depth: int) -> None:
        """A list of manifests, of revisions or of a group: each may hold all that follows."""
        if depth > _DEEPEST:
            return
        for each in self._nodes(node.place, node.size):
            if each.kind in _TABLE_STARTS:
                table = {}
            elif each.kind == _TABLE_ENTRY and len(each.data) >= 20:
                table[struct.unpack_from("<I", each.data)[0]] = each.data[4:20]
            elif each.kind == _ROOT and len(each.data) >= 24:
                if struct.unpack_from("<I", each.data, 20)[0] == 1:
                    space.root = _long_id(each.data)
            elif each.kind == _ROOT_COMPACT and len(each.data) >= 8:
                compact, role = struct.unpack_from("<II", each.data)
                if role == 1:
                    space.root = (table.get(compact >> 8, b""), compact & 0xFF)
            elif each.is_list:
                self._read_space(each, space, table, depth + 1)
            else:
                self._declare(each, space, table)

    def _declare(self, node: _Node, space: Space, table: dict[int, bytes]) -> None:
        if len(node.data) < 8:
            return
        compact, kind = struct.unpack_from("<II", node.data)
        name = (table.get(compact >> 8, b""), compact & 0xFF)
        if node.kind in _FILE_DECLARATIONS:
            space.files[name] = _file_name(node)
            return
        if node.kind in _OLD_DECLARATIONS:
            kind = 0
        elif node.kind in _REVISIONS:
            before = space.objects.get(name)
            kind = before.kind if before else 0
        elif node.kind not in _DECLARATIONS:
            return
        try:
            found = read_object(self._data[node.place : node.place + node.size])
        except BadSet:
            return
        if name in space.objects:
            space.earlier.append(space.objects[name])
        space.objects[name] = Stored(kind, found, partial(_resolved, table))

    def _nodes(self, place: int, size: int) -> Iterator[_Node]:
        """The nodes of a list, which may lie in several fragments."""
        while place not in self._lists_read and 0 < place < len(self._data) - 36 and size >= 36:
            self._lists_read.add(place)
            if struct.unpack_from("<Q", self._data, place)[0] != _FRAGMENT_MAGIC:
                return
            end = min(place + size, len(self._data)) - 20
            yield from self._fragment(place + 16, end)
            if end + 12 > len(self._data):
                return
            place, size = struct.unpack_from("<QI", self._data, end)

    def _fragment(self, at: int, end: int) -> Iterator[_Node]:
        while at + 4 <= end and self._nodes_left > 0:
            self._nodes_left -= 1
            (head,) = struct.unpack_from("<I", self._data, at)
            kind, size = head & 0x3FF, head >> 10 & 0x1FFF
            if kind in {0, 0xFF} or size < 4:
                return
            yield _node(head, self._data[at + 4 : at + size])
            at += size


def _node(head: int, data: bytes) -> _Node:
    kind, base = head & 0x3FF, head >> 27 & 0xF
    if base not in {1, 2}:
        return _Node(kind, 0, 0, False, data)
    place_format, size_format = head >> 23 & 3, head >> 25 & 3
    place_bytes = (8, 4, 2, 4)[place_format]
    size_bytes = (4, 8, 1, 2)[size_format]
    place = int.from_bytes(data[:place_bytes], "little") * (8 if place_format >= 2 else 1)
    size = int.from_bytes(data[place_bytes : place_bytes + size_bytes], "little")
    size *= 8 if size_format >= 2 else 1
    return _Node(kind, place, size, base == 2, data[place_bytes + size_bytes :])


def _resolved(table: dict[int, bytes], compact: int) -> Id:
    return table.get(compact >> 8, b""), compact & 0xFF


def _long_id(data: bytes) -> Id:
    return data[:16], struct.unpack_from("<I", data, 16)[0]


def _file_name(node: _Node) -> str:
    at = 9 if node.kind == 0x72 else 12
    if at + 4 > len(node.data):
        return ""
    (length,) = struct.unpack_from("<I", node.data, at)
    return node.data[at + 4 : at + 4 + 2 * length].decode("utf-16-le", "replace")
