"""What does an object of a OneNote file say? Its property set ([MS-ONESTORE] 2.6.1, 2.6.7).

A property's number tells its type and so the length of its value; references to other objects are
taken, one after another, from lists that stand before the set.
"""

import struct
from dataclasses import dataclass, field

_MASK = 0x7FFFFFFF
_MOST_PROPERTIES = 2000
_DEEPEST = 10
_SIZES = {1: 0, 2: 0, 3: 1, 4: 2, 5: 4, 6: 8}
_BYTES, _REFERENCE, _REFERENCES, _SETS, _SET = 7, {8, 10, 12}, {9, 11, 13}, 0x10, 0x11
_SPACES = {10, 11}
_CONTEXTS = {12, 13}


class BadSet(ValueError):
    """The bytes are no property set."""


@dataclass(slots=True)
class PropertySet:
    values: dict[int, bytes] = field(default_factory=dict)
    """Numbers with their types, as the specification writes them."""
    objects: dict[int, list[int]] = field(default_factory=dict)
    """References, still in their compact form."""
    spaces: dict[int, list[int]] = field(default_factory=dict)
    flags: dict[int, bool] = field(default_factory=dict)

    def text(self, number: int) -> str:
        value = self.values.get(number, b"")
        return value[: len(value) & ~1].decode("utf-16-le", "replace").rstrip("\0")


@dataclass(slots=True)
class _PropertySource:
    """The bytes, and the references that are left for the properties to come."""

    data: bytes
    objects: list[int]
    spaces: list[int]
    next_object: int = 0
    next_space: int = 0

    def number(self, at: int) -> int:
        if at + 4 > len(self.data):
            raise BadSet("cut off")
        return int.from_bytes(self.data[at : at + 4], "little")


def read_object(data: bytes) -> PropertySet:
    """The lists of references, then the set."""
    at, objects, spaces = _references_before(data)
    found = PropertySet()
    _read_set(_PropertySource(data, objects, spaces), at, found, 0)
    return found


def read_counted(data: bytes, first_space: int) -> PropertySet:
    """References stand elsewhere: they are numbered from 0 on, those to spaces from another."""
    at, objects, spaces = _references_before(data)
    found = PropertySet()
    places = range(first_space, first_space + len(spaces))
    _read_set(_PropertySource(data, list(range(len(objects))), list(places)), at, found, 0)
    return found


def _references_before(data: bytes) -> tuple[int, list[int], list[int]]:
    at, objects, flags = _read_references(data, 0)
    spaces: list[int] = []
    if not flags & 0x80000000:
        at, spaces, flags = _read_references(data, at)
        if flags & 0x40000000:
            at, _, _ = _read_references(data, at)
    return at, objects, spaces


def read_values(data: bytes, at: int) -> PropertySet:
    """A set without its lists: its values alone mean something."""
    found = PropertySet()
    _read_set(_PropertySource(data, [], []), at, found, 0)
    return found


def _read_references(data: bytes, at: int) -> tuple[int, list[int], int]:
    if at + 4 > len(data):
        raise BadSet("cut off")
    (header,) = struct.unpack_from("<I", data, at)
    count = header & 0xFFFFFF
    end = at + 4 + 4 * count
    if end > len(data):
        raise BadSet("too many references")
    return end, list(struct.unpack_from(f"<{count}I", data, at + 4)), header


def _read_set(source: _PropertySource, at: int, found: PropertySet, depth: int) -> int:
    """Where the set ends."""
    data = source.data
    if at + 2 > len(data) or depth > _DEEPEST:
        raise BadSet("cut off")
    (count,) = struct.unpack_from("<H", data, at)
    start = at + 2
    at = start + 4 * count
    if count > _MOST_PROPERTIES or at > len(data):
        raise BadSet("too many properties")
    for number in struct.unpack_from(f"<{count}I", data, start):
        at = _read_value(source, at, number, found, depth)
    return at


def _read_value(
    source: _PropertySource, at: int, number: int, found: PropertySet, depth: int
) -> int:
    key, kind = number & _MASK, number >> 26 & 0x1F
    if kind in _SIZES:
        found.flags[key] = bool(number >> 31)
        size = _SIZES[kind]
        found.values[key] = source.data[at : at + size]
        return at + size
    if kind in _REFERENCE:
        _refer(key, kind, 1, found, source)
        return at
    if kind == _SET:
        return _read_set(source, at, PropertySet(), depth + 1)
    size = source.number(at)
    at += 4
    if kind == _BYTES:
        if at + size > len(source.data):
            raise BadSet("cut off")
        found.values[key] = source.data[at : at + size]
        return at + size
    if kind in _REFERENCES:
        _refer(key, kind, size, found, source)
        return at
    if kind == _SETS:
        at += 4 if size else 0
        for _ in range(size):  # ends with the data: a set has at least two bytes
            at = _read_set(source, at, PropertySet(), depth + 1)
        return at
    raise BadSet("an unknown type")


def _refer(key: int, kind: int, count: int, found: PropertySet, source: _PropertySource) -> None:
    if kind in _CONTEXTS:
        return
    if kind in _SPACES:
        found.spaces[key] = source.spaces[source.next_space : source.next_space + count]
        source.next_space += count
    else:
        found.objects[key] = source.objects[source.next_object : source.next_object + count]
        source.next_object += count
