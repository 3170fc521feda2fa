"""Which records make up a PowerPoint file (.ppt)? [MS-PPT] 2.3.1: atoms and containers.

A presentation is saved by appending: the "current user" names the newest edit, which names a
directory of where each slide now lies, and the edit before it. Where that chain is broken the
records are looked for one by one.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

_EDIT, _DIRECTORY, _DOCUMENT = 0x0FF5, 0x1772, 0x03E8
_MOST_RECORDS = 500_000
_MOST_SIBLINGS = 100_000
_MOST_EDITS = 1000
_DEEPEST = 24


class Record(NamedTuple):
    kind: int
    instance: int
    version: int
    data: bytes

    @property
    def is_container(self) -> bool:
        return self.version == 0xF


def records(data: bytes) -> Iterator[Record]:
    """The records side by side; a length that reaches too far is cut."""
    at = 0
    for _ in range(_MOST_SIBLINGS):
        if at + 8 > len(data):
            return
        options, kind, size = struct.unpack_from("<HHI", data, at)
        yield Record(kind, options >> 4, options & 0xF, data[at + 8 : at + 8 + size])
        at += 8 + size


def child(record: Record | None, kind: int, instance: int = -1) -> Record | None:
    for each in records(record.data) if record else ():
        if each.kind == kind and instance in {-1, each.instance}:
            return each
    return None


def children(record: Record | None, kind: int) -> list[Record]:
    return [each for each in records(record.data) if each.kind == kind] if record else []


def deep(record: Record, kinds: frozenset[int]) -> Iterator[Record]:
    """Records of these kinds at any depth, in order, those within them left aside."""
    pending = [(record, 0)]
    for _ in range(_MOST_RECORDS):
        if not pending:
            return
        each, depth = pending.pop()
        if each.kind in kinds and depth:
            yield each
        elif each.is_container and depth < _DEEPEST:
            pending += [(inner, depth + 1) for inner in reversed(list(records(each.data)))]


def record_at(data: bytes, at: int) -> Record | None:
    if at + 8 > len(data):
        return None
    options, kind, size = struct.unpack_from("<HHI", data, at)
    return Record(kind, options >> 4, options & 0xF, data[at + 8 : at + 8 + size])


class Saved:
    """The newest state of everything that a presentation refers to by number."""

    def __init__(self, stream: bytes, current_user: bytes) -> None:
        self._stream = stream
        self._places: dict[int, int] = {}
        self._document = 0
        self.encrypted = current_user[12:16] == b"\xdf\xc4\xd1\xf3"
        at = struct.unpack_from("<I", current_user, 16)[0] if len(current_user) >= 20 else 0
        edit = record_at(stream, at)
        if edit is None or edit.kind != _EDIT:
            at = _last_edit(stream)
        self._read_edits(at)

    @property
    def document(self) -> Record | None:
        found = self.get(self._document)
        if found and found.kind == _DOCUMENT:
            return found
        return next((each for each in records(self._stream) if each.kind == _DOCUMENT), None)

    def get(self, number: int) -> Record | None:
        place = self._places.get(number)
        return None if place is None else record_at(self._stream, place)

    def _read_edits(self, at: int) -> None:
        seen: set[int] = set()
        while at not in seen and len(seen) < _MOST_EDITS:
            seen.add(at)
            edit = record_at(self._stream, at)
            if edit is None or edit.kind != _EDIT or len(edit.data) < 24:
                return
            before, directory, document = struct.unpack_from("<III", edit.data, 8)
            self.encrypted = self.encrypted or (
                len(edit.data) >= 32 and edit.data[28:32] != bytes(4)
            )
            self._document = self._document or document
            self._read_directory(record_at(self._stream, directory))
            at = before

    def _read_directory(self, directory: Record | None) -> None:
        if directory is None or directory.kind != _DIRECTORY:
            return
        numbers = struct.unpack(
            f"<{len(directory.data) // 4}I", directory.data[: len(directory.data) & ~3]
        )
        at = 0
        while at < len(numbers):
            first, count = numbers[at] & 0xFFFFF, numbers[at] >> 20
            for offset, place in enumerate(numbers[at + 1 : at + 1 + count]):
                self._places.setdefault(first + offset, place)
            at += 1 + count


def _last_edit(stream: bytes) -> int:
    """By its looks: the newest edit stands nearest the end."""
    at = stream.rfind(b"\x00\x00\xf5\x0f\x1c\x00\x00\x00")
    return at if at >= 0 else len(stream)


def find_texts(stream: bytes) -> Iterator[str]:
    """All texts of a file without order: by the looks of their records."""
    at = 0
    while True:
        found = [place for mark in _TEXT_MARKS if (place := stream.find(mark, at)) >= 0]
        if not found:
            return
        at = min(found)
        record = record_at(stream, at)
        if record is None:
            return
        text = text_of(record)
        if text:
            yield text
        at += 8 if len(record.data) > len(stream) - at - 8 else 8 + len(record.data)


_TEXT_MARKS = (b"\x00\x00\xa0\x0f", b"\x00\x00\xa8\x0f")


def text_of(record: Record) -> str:
    """Of an atom of text: UTF-16, or the lower half of it."""
    if record.kind == 0x0FA8:
        return record.data.decode("latin-1")
    return record.data[: len(record.data) & ~1].decode("utf-16-le", "replace")
