"""What lies in an OLE2 compound file? Its streams, by path: the package of old Office formats.

Written from [MS-CFB]. Every number in such a file is a claim: chains of sectors are followed at
most once round the file, the tree of names is walked without recursion, and what one file gives is
bounded in all. Where the table of sectors is missing (a truncated file) a stream is taken to go on
in the next sector, which is how most programs write; where the tree is broken its streams are found
in the flat directory.
"""

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.converters.limits import Limits

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_END = 0xFFFFFFFE
_UNKNOWN = 0xFFFFFFF0  # of our own: this part of the table is not in the file
_MAX_REGULAR = 0xFFFFFFEF
_NO_ENTRY = 0xFFFFFFFF
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_ENTRY_BYTES = 128
_MAX_ENTRIES = 100_000
_DEEPEST = 32


@dataclass(slots=True)
class Entry:
    """A line of the directory: a storage (which holds others) or a stream (which holds bytes)."""

    name: str
    kind: int
    left: int
    right: int
    child: int
    clsid: bytes
    start: int
    size: int


class Compound:
    def __init__(self, data: bytes, limits: Limits) -> None:
        self._data = data
        # Streams share no sectors, so reading each of them a few times is all there is to read.
        self._room = min(limits.unpacked_bytes, 4 * len(data) + 1_000_000)
        self.problem = ""
        self.names: list[str] = []
        """Paths of the streams, in the order of the directory."""
        self.storages: list[str] = []
        self.clsid = b""
        """Says which program's document it is, at times."""
        self._streams: dict[str, Entry] = {}
        self._classes: dict[str, bytes] = {}
        if len(data) < 512 or not data.startswith(MAGIC):
            self._fault("no compound file")
            return
        shift, mini_shift = struct.unpack_from("<HH", data, 30)
        if shift not in {9, 12}:
            self._fault("odd sector size")
            shift = 12 if data[26] == 4 else 9
        self._sector = 1 << shift
        self._mini_sector = 1 << (mini_shift if 4 <= mini_shift <= 12 else 6)
        self._cutoff, self._wide = struct.unpack_from("<I", data, 56)[0] or 4096, shift == 12
        self._sectors = -(-max(0, len(data) - self._sector) // self._sector)
        self._fat = self._table(self._fat_sectors())
        entries = self._directory(struct.unpack_from("<I", data, 48)[0])
        self._mini_fat = self._table(self._chain(struct.unpack_from("<I", data, 60)[0]))
        self._mini = b""
        if entries and entries[0].kind == _ROOT:
            self.clsid = entries[0].clsid
            self._mini = self._sector_bytes(entries[0].start, entries[0].size)
        else:
            self._fault("no root")
        self._walk(entries)

    def __contains__(self, path: str) -> bool:
        return path.lower() in self._streams

    def read(self, path: str) -> bytes:
        """A stream's bytes, whatever the case of the path; empty when there is none."""
        entry = self._streams.get(path.lower())
        if entry is None:
            return b""
        if entry.size < self._cutoff:
            data = self._mini_bytes(entry.start, entry.size)
        else:
            data = self._sector_bytes(entry.start, min(entry.size, self._room))
        self._room -= len(data)
        return data

    def has_storage(self, path: str) -> bool:
        return path.lower() in self._classes

    def clsid_of(self, storage: str) -> bytes:
        return self._classes.get(storage.lower(), b"")

    def below(self, storage: str) -> list[str]:
        """The paths of all streams in a storage."""
        start = storage.lower() + "/"
        keys = zip(self._streams, self.names, strict=True)
        return [name for key, name in keys if key.startswith(start)]

    def _fault(self, what: str) -> None:
        self.problem = self.problem or f"damaged: {what}"

    def _piece(self, number: int) -> bytes:
        start = (number + 1) * self._sector
        return self._data[start : start + self._sector]

    def _fat_sectors(self) -> Iterator[int]:
        """The sectors that hold the table of sectors: the header lists the first 109."""
        (count,) = struct.unpack_from("<I", self._data, 44)
        listed = list(struct.unpack_from("<109I", self._data, 76))
        (following,) = struct.unpack_from("<I", self._data, 68)
        seen: set[int] = set()
        while following <= _MAX_REGULAR and following < self._sectors and following not in seen:
            seen.add(following)
            piece = self._piece(following)
            numbers = struct.unpack_from(f"<{len(piece) // 4}I", piece)
            if len(piece) < self._sector:
                listed += numbers
                break
            listed += numbers[:-1]
            following = numbers[-1]
        most = min(len(listed), self._sectors // (self._sector // 4) + 1)
        for number in listed[: min(count, most) or most]:
            if number > _MAX_REGULAR:
                break
            yield number

    def _table(self, sectors: Iterator[int]) -> "array[int]":
        table = array("I")
        each = self._sector // 4
        for number in sectors:
            piece = self._piece(number)
            whole = len(piece) // 4
            if whole:
                table.extend(struct.unpack_from(f"<{whole}I", piece))
            if whole < each:
                self._fault("cut off")
                table.extend([_UNKNOWN] * (each - whole))
        return table

    def _chain(self, start: int) -> Iterator[int]:
        """At most as many sectors as the file has, so that a circle ends."""
        number = start
        for _ in range(self._sectors):
            if number >= self._sectors:
                if number not in {_END, _NO_ENTRY}:
                    self._fault("a broken chain of sectors")
                return
            yield number
            following = self._fat[number] if number < len(self._fat) else _UNKNOWN
            number = number + 1 if following == _UNKNOWN else following

    def _sector_bytes(self, start: int, size: int) -> bytes:
        pieces: list[bytes] = []
        left = min(size, len(self._data))
        for number in self._chain(start):
            if left <= 0:
                break
            pieces.append(self._piece(number)[:left])
            left -= self._sector
        if left > 0:
            self._fault("cut off")
        return b"".join(pieces)

    def _mini_bytes(self, start: int, size: int) -> bytes:
        pieces: list[bytes] = []
        step, number = self._mini_sector, start
        for _ in range(-(-size // step)):
            if number * step >= len(self._mini):
                self._fault("cut off")
                break
            pieces.append(self._mini[number * step : (number + 1) * step])
            number = self._mini_fat[number] if number < len(self._mini_fat) else number + 1
        return b"".join(pieces)[:size]

    def _directory(self, start: int) -> list[Entry]:
        entries: list[Entry] = []
        seen: set[int] = set()
        for number in self._chain(start):
            if number in seen or len(entries) > _MAX_ENTRIES:
                self._fault("a broken chain of sectors")
                break
            seen.add(number)
            piece = self._piece(number)
            entries += (
                self._entry(piece, at)
                for at in range(0, len(piece) - _ENTRY_BYTES + 1, _ENTRY_BYTES)
            )
        return entries

    def _entry(self, piece: bytes, at: int) -> Entry:
        length, kind = struct.unpack_from("<HB", piece, at + 64)
        left, right, child = struct.unpack_from("<III", piece, at + 68)
        start, size = struct.unpack_from("<IQ", piece, at + 116)
        name = piece[at : at + max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
        if not self._wide:
            size &= 0xFFFFFFFF  # the upper half holds anything in old files
        name = name.rstrip("\0").replace("/", "_")
        return Entry(name, kind, left, right, child, piece[at + 80 : at + 96], start, size)

    def _walk(self, entries: list[Entry]) -> None:
        paths = {0: ""}
        pending = [(entries[0].child, "")] if entries else []
        while pending:
            number, prefix = pending.pop()
            if number >= len(entries):
                if number != _NO_ENTRY:
                    self._fault("a broken directory")
                continue
            if number in paths:
                self._fault("a broken directory")
                continue
            entry = entries[number]
            path = paths[number] = prefix + entry.name
            pending += [(entry.left, prefix), (entry.right, prefix)]
            # Paths as long as the file would make quadratic work of a long chain of storages.
            if entry.kind == _STORAGE and path.count("/") < _DEEPEST:
                pending.append((entry.child, path + "/"))
        for number, entry in enumerate(entries):
            lost = number not in paths
            if (lost and not self.problem) or number == 0:
                continue
            path = paths.get(number, entry.name)
            key = path.lower()
            if entry.kind == _STREAM and key not in self._streams:
                self._streams[key] = entry
                self.names.append(path)
            elif entry.kind == _STORAGE and key not in self._classes:
                self._classes[key] = entry.clsid
                self.storages.append(path)
