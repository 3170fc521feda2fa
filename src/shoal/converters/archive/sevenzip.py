"""What lies in a 7z archive? Its members, by an own reader of its headers (7zFormat.txt).

Names and sizes stand at the end of the file, mostly compressed themselves. Members are packed one
behind the other in folders, each a chain of coders (coders.py). What is encrypted or in
PPMd is only listed.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from shoal.converters.archive.archive import Member, contained, room
from shoal.converters.archive.coders import AES, FAULTS, FOREIGN, Coder, Unread, undo_coder
from shoal.converters.archive.program import lazily
from shoal.converters.context import Context, Converted

_MAX_FILES = 50_000
_MAX_FOLDERS = 10_000
_MAX_HEADER_BYTES = 20_000_000


class _Place(NamedTuple):
    folder: int
    start: int
    size: int


@dataclass(slots=True)
class _Folder:
    coders: list[Coder] = field(default_factory=list)
    """In the order in which they are undone."""
    sizes: list[int] = field(default_factory=list)
    """What each coder gives, in bytes."""
    is_chain: bool = True
    packed_streams: int = 1
    packed: tuple[int, int] = (0, 0)
    members: list[int] = field(default_factory=list)
    """Sizes of what is in it, one behind the other."""

    @property
    def size(self) -> int:
        return self.sizes[-1] if self.sizes else 0


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def take(self, size: int) -> bytes:
        if size > len(self.data) - self.position:
            raise ValueError("the header ends too early")
        self.position += size
        return self.data[self.position - size : self.position]

    def number(self) -> int:
        """The first byte's leading ones tell how many bytes follow; its rest is the top."""
        first = self.byte()
        extra = 0
        while extra < 8 and first & (0x80 >> extra):
            extra += 1
        value = int.from_bytes(self.take(extra), "little")
        return value | ((first & (0x7F >> extra)) << (8 * extra) if extra < 7 else 0)

    def count(self, most: int) -> int:
        value = self.number()
        if value > most:
            raise ValueError("more of it than can be")
        return value

    def bits(self, count: int) -> list[bool]:
        data = self.take((count + 7) // 8)
        return [bool(data[place >> 3] & (0x80 >> (place & 7))) for place in range(count)]

    def defined(self, count: int) -> list[bool]:
        return [True] * count if self.byte() else self.bits(count)


def convert(body: bytes, context: Context) -> list[Converted]:
    problem = ""
    members: list[Member] = []
    try:
        archive = _Archive(body, room(len(body), context.limits))
        members = archive.members()
    except Unread as error:
        problem = str(error)
    except FAULTS:
        problem = "damaged: its list of members can't be read"
    else:
        documents = contained(members, context, len(body))
        documents[0].problem = archive.problem or documents[0].problem
        return documents
    return contained([], context, len(body), problem)


class _Archive:
    def __init__(self, body: bytes, most: int) -> None:
        self._body = body
        self._most = most
        self._folders: list[_Folder] = []
        self._program = lazily(body, most)
        self._foreign: set[int] = set()
        self._open = -1
        self._data = b""
        self.problem = ""

    def members(self) -> list[Member]:
        offset, size = struct.unpack_from("<QQ", self._body, 12)
        if size == 0:
            return []
        cursor = _Cursor(self._body[32 + offset : 32 + offset + min(size, _MAX_HEADER_BYTES)])
        kind = cursor.byte()
        for _ in range(4):  # a compressed header may hold another one
            if kind != 0x17:
                break
            cursor = _Cursor(self._unpack(_streams(cursor)[0], _MAX_HEADER_BYTES))
            kind = cursor.byte()
        if kind != 1:
            raise ValueError("no header")
        return self._files(cursor)

    def _files(self, cursor: _Cursor) -> list[Member]:
        kind = cursor.byte()
        if kind == 2:  # archive properties
            while cursor.byte():
                cursor.take(cursor.number())
            kind = cursor.byte()
        if kind == 3:
            _streams(cursor)
            kind = cursor.byte()
        if kind == 4:
            self._folders = _streams(cursor)
            kind = cursor.byte()
        found: list[Member] = []
        places = iter(_places(self._folders))
        for name, has_stream, is_file in _file_list(cursor) if kind == 5 else ():
            place = next(places, None) if has_stream else None
            if is_file:
                read = partial(self._read, place, name)
                found.append(Member(name, read))
        return found

    def _read(self, place: _Place | None, name: str, most: int) -> bytes:
        if place is None:
            return b""
        if place.folder in self._foreign:
            return self._program(name, most)
        if self._open != place.folder:
            self._open, self._data = place.folder, b""  # the last one goes before the next comes
            try:
                self._data = self._unpack(self._folders[place.folder], self._most)
            except Unread as error:
                return self._read_foreign(place, name, most, str(error))
            except FAULTS:
                self.problem = self.problem or "damaged: not all members can be read"
            self._most -= len(self._data)
        return self._data[place.start : place.start + min(place.size, most)]

    def _read_foreign(self, place: _Place, name: str, most: int, problem: str) -> bytes:
        """What is packed in a way that only the program knows."""
        data = self._program(name, most) if problem == FOREIGN else b""
        if data:
            self._foreign.add(place.folder)
        else:
            self.problem = self.problem or problem
        return data

    def _unpack(self, folder: _Folder, most: int) -> bytes:
        if any(coder.method == AES for coder in folder.coders):
            raise Unread("encrypted")
        if not folder.is_chain:
            raise Unread(FOREIGN)
        if folder.size > most:
            self.problem = self.problem or f"cut: it unpacks to more than {most} bytes"
        start, size = folder.packed
        data = self._body[32 + start : 32 + start + size]
        for coder, wanted in zip(folder.coders, folder.sizes, strict=True):
            data = undo_coder(coder, data, min(wanted, most))
        return data


def _places(folders: list[_Folder]) -> list[_Place]:
    places: list[_Place] = []
    for number, folder in enumerate(folders):
        start = 0
        for size in folder.members:
            places.append(_Place(number, start, size))
            start += size
    return places


def _streams(cursor: _Cursor) -> list[_Folder]:
    """PackInfo, UnpackInfo and SubStreamsInfo."""
    packed: list[tuple[int, int]] = []
    folders: list[_Folder] = []
    while kind := cursor.byte():
        if kind == 6:
            packed = _pack_info(cursor)
        elif kind == 7:
            folders = _unpack_info(cursor)
        elif kind == 8:
            _substreams(cursor, folders)
        else:
            raise ValueError("an unknown part of the header")
    position = 0
    for folder in folders:
        if position < len(packed):
            folder.packed = packed[position]
        position += folder.packed_streams
        folder.members = folder.members or [folder.size]
    return folders


def _pack_info(cursor: _Cursor) -> list[tuple[int, int]]:
    position = cursor.number()
    count = cursor.count(_MAX_FOLDERS * 4)
    packed: list[tuple[int, int]] = []
    while kind := cursor.byte():
        if kind == 9:
            for _ in range(count):
                size = cursor.number()
                packed.append((position, size))
                position += size
        else:
            _digests(cursor, count)
    return packed


def _unpack_info(cursor: _Cursor) -> list[_Folder]:
    if cursor.byte() != 0x0B:
        raise ValueError("no folders")
    count = cursor.count(_MAX_FOLDERS)
    if cursor.byte():
        raise Unread("its header lies elsewhere")
    made = [_folder(cursor) for _ in range(count)]
    if cursor.byte() != 0x0C:
        raise ValueError("no sizes")
    for folder, order in made:
        sizes = [cursor.number() for _ in folder.sizes]
        folder.sizes = [sizes[place] for place in order] if folder.is_chain else sizes
    while cursor.byte():
        _digests(cursor, count)
    return [folder for folder, _ in made]


def _folder(cursor: _Cursor) -> tuple[_Folder, list[int]]:
    """A folder, and the order in which its coders are undone."""
    folder = _Folder()
    ins = outs = 0
    for _ in range(cursor.count(32)):
        flags = cursor.byte()
        method = cursor.take(flags & 15)
        coder_ins = coder_outs = 1
        if flags & 0x10:
            coder_ins, coder_outs = cursor.count(32), cursor.count(32)
            folder.is_chain = folder.is_chain and coder_ins == coder_outs == 1
        properties = cursor.take(cursor.number()) if flags & 0x20 else b""
        folder.coders.append(Coder(method, properties))
        ins, outs = ins + coder_ins, outs + coder_outs
    if not outs:
        raise ValueError("a folder without coders")
    pairs: dict[int, int] = {}
    for _ in range(outs - 1):
        into = cursor.number()
        pairs[cursor.number()] = into
    folder.packed_streams = ins - len(pairs)
    if folder.packed_streams > 1:
        for _ in range(folder.packed_streams):
            cursor.number()
    folder.sizes = [0] * outs
    order = _order(pairs, len(folder.coders)) if folder.is_chain else []
    if folder.is_chain:
        folder.coders = [folder.coders[place] for place in order]
    return folder, order


def _order(pairs: dict[int, int], count: int) -> list[int]:
    """`pairs` leads from a coder to the one that goes on with what it gives."""
    order = [next(place for place in range(count) if place not in pairs.values())]
    while len(order) < count and order[-1] in pairs:
        order.append(pairs[order[-1]])
    if sorted(order) != list(range(count)):
        raise ValueError("its coders are no chain")
    return order


def _substreams(cursor: _Cursor, folders: list[_Folder]) -> None:
    kind = cursor.byte()
    counts = [1] * len(folders)
    if kind == 0x0D:
        counts = [cursor.count(_MAX_FILES) for _ in folders]
        kind = cursor.byte()
    if sum(counts) > _MAX_FILES:
        raise ValueError("too many members")
    for folder, count in zip(folders, counts, strict=True):
        sizes = [cursor.number() for _ in range(count - 1)] if kind == 9 else []
        folder.members = [*sizes, max(0, folder.size - sum(sizes))] if count else []
    if kind == 9:
        kind = cursor.byte()
    while kind:
        _digests(cursor, sum(counts))
        kind = cursor.byte()


def _digests(cursor: _Cursor, count: int) -> None:
    cursor.take(4 * sum(cursor.defined(count)))


def _file_list(cursor: _Cursor) -> Iterator[tuple[str, bool, bool]]:
    """Of every file: its name, whether it has a stream, whether it is a file at all."""
    count = cursor.count(_MAX_FILES)
    names: list[str] = []
    empty = [False] * count
    empty_file: list[bool] = []
    while kind := cursor.byte():
        data = _Cursor(cursor.take(cursor.number()))
        if kind == 0x0E:
            empty = data.bits(count)
        elif kind == 0x0F:
            empty_file = data.bits(sum(empty))
        elif kind == 0x11 and not data.byte():
            text = data.data[1:].decode("utf-16-le", "replace")
            names = text.split("\0", count)[:count]
    files = iter(empty_file)
    for number in range(count):
        is_file = next(files, False) if empty[number] else True
        name = names[number] if number < len(names) else f"member {number + 1}"
        yield name, not empty[number], is_file
