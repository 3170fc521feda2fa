"""What lies in a cabinet or on a disc? The members of CAB files and of ISO 9660 images.

Cabinets are read with MSZIP (Deflate in blocks that share a window) and LZX (lzx.py);
Quantum is nowhere any more. Of a disc the Joliet names are taken, else Rock Ridge's,
else the short ones. Folders that contain themselves are entered once.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from shoal.converters.archive.archive import Member, contained, room
from shoal.converters.archive.lzx import unlzx
from shoal.converters.archive.names import decode_names
from shoal.converters.context import Context, Converted

ISO_MAGIC = b"CD001"
_SECTOR = 2048
_MAX_FILES = 50_000
_MAX_FOLDERS = 5_000
_MAX_PATH_CHARS = 1_000
_WINDOW = 32_768
_STORED, _MSZIP, _LZX = 0, 1, 3
_MAX_LZX_BYTES = 12_000_000
"""Our decoder does about a megabyte in a second."""


class _CabFile(NamedTuple):
    name: bytes
    folder: int
    start: int
    size: int


class _CabFolder(NamedTuple):
    data_at: int
    blocks: int
    method: int


class _Extent(NamedTuple):
    name: str
    sector: int
    size: int


def convert_cab(body: bytes, context: Context) -> list[Converted]:
    try:
        cabinet = _Cabinet(body, room(len(body), context.limits))
        files = list(cabinet.files())
    except struct.error:
        return contained([], context, len(body), "damaged: its list of members can't be read")
    names = [name.replace("\\", "/") for name in decode_names([file.name for file in files])]
    members = [
        Member(name, partial(cabinet.read, file, name))
        for name, file in zip(names, files, strict=True)
    ]
    documents = contained(members, context, len(body))
    documents[0].problem = documents[0].problem or cabinet.problem
    return documents


class _Cabinet:
    def __init__(self, body: bytes, most: int) -> None:
        self._body = body
        self._most = most
        self._open = -1
        self._data = b""
        self.problem = ""
        self._files_at = struct.unpack_from("<I", body, 16)[0]
        folders, self._file_count, flags = struct.unpack_from("<HHH", body, 26)
        position = 36
        reserved_folder = self._reserved_block = 0
        if flags & 4:
            header, reserved_folder, self._reserved_block = struct.unpack_from("<HBB", body, 36)
            position = 40 + header
        for bit in (1, 2):  # the names of the cabinets before and behind, and of their discs
            for _ in range(2 if flags & bit else 0):
                position = body.find(b"\0", position) + 1
        self._folders = [
            _CabFolder(*struct.unpack_from("<IHH", body, position + at * (8 + reserved_folder)))
            for at in range(folders)
        ]

    def files(self) -> Iterator[_CabFile]:
        position = self._files_at
        for _ in range(min(self._file_count, _MAX_FILES)):
            if position + 16 > len(self._body):
                self.problem = "damaged: it ends too early"
                return
            size, start, folder = struct.unpack_from("<IIH", self._body, position)
            end = self._body.find(b"\0", position + 16, position + 16 + 300)
            if end < 0:
                return
            yield _CabFile(self._body[position + 16 : end], folder, start, size)
            position = end + 1

    def read(self, file: _CabFile, name: str, most: int) -> bytes:
        if file.folder >= len(self._folders):  # goes on from or in another cabinet
            self.problem = self.problem or "not all of it is in this file"
            return b""
        if self._open != file.folder:
            self._open, self._data = file.folder, b""
            self._data = self._unpack(self._folders[file.folder])
            self._most -= len(self._data)
        return self._data[file.start : file.start + min(file.size, most)]

    def _unpack(self, folder: _CabFolder) -> bytes:
        blocks = self._blocks(folder)
        method = folder.method & 15
        if method == _STORED:
            return b"".join(block for block, _ in blocks)
        if method == _MSZIP:
            return b"".join(self._mszip(blocks))
        if method != _LZX:
            self.problem = self.problem or "packed in a way that is not read"
            return b""
        pairs = list(blocks)
        wanted = min(sum(size for _, size in pairs), self._most, _MAX_LZX_BYTES)
        output = bytearray()
        packed = b"".join(block for block, _ in pairs)
        if not unlzx(packed, folder.method >> 8 & 31, wanted, output):
            self.problem = self.problem or "damaged: not all members can be read"
        return bytes(output[:wanted])

    def _blocks(self, folder: _CabFolder) -> Iterator[tuple[bytes, int]]:
        """What is packed, and how many bytes it is said to give."""
        position, left = folder.data_at, self._most
        for _ in range(folder.blocks):
            if position + 8 > len(self._body) or left <= 0:
                self.problem = self.problem or "damaged: not all members can be read"
                return
            size, unpacked = struct.unpack_from("<HH", self._body, position + 4)
            start = position + 8 + self._reserved_block
            yield self._body[start : start + size], unpacked
            position = start + size
            left -= unpacked

    def _mszip(self, blocks: Iterator[tuple[bytes, int]]) -> Iterator[bytes]:
        window = b""
        for block, _ in blocks:
            try:
                stream = zlib.decompressobj(-15, zdict=window)
                data = stream.decompress(block[2:], _WINDOW)
            except zlib.error:
                self.problem = self.problem or "damaged: not all members can be read"
                return
            window = (window + data)[-_WINDOW:]
            yield data


def convert_iso(body: bytes, context: Context) -> list[Converted]:
    root, is_joliet = _root(body)
    if root is None:
        return contained([], context, len(body), "damaged: no list of members")
    files = _walk(body, root, is_joliet)
    members = (Member(file.name, partial(_sectors, body, file.sector, file.size)) for file in files)
    return contained(members, context, len(body))


def _sectors(body: bytes, sector: int, size: int, most: int) -> bytes:
    start = sector * _SECTOR
    return body[start : start + min(size, most)]


def _root(body: bytes) -> tuple[_Extent | None, bool]:
    """The root folder of the Joliet volume, else of the primary one."""
    found: tuple[_Extent | None, bool] = (None, False)
    for number in range(16, 48):
        descriptor = body[number * _SECTOR : number * _SECTOR + 190]
        if len(descriptor) < 190 or descriptor[1:6] != ISO_MAGIC or descriptor[0] == 255:
            break
        is_joliet = descriptor[0] == 2 and descriptor[88:91] in (b"%/@", b"%/C", b"%/E")
        if is_joliet or (descriptor[0] == 1 and found[0] is None):
            sector, size = struct.unpack_from("<I4xI", descriptor, 156 + 2)
            found = (_Extent("", sector, size), is_joliet)
    return found


def _walk(body: bytes, root: _Extent, is_joliet: bool) -> Iterator[_Extent]:
    waiting = [root]
    seen = {root.sector}
    count = 0
    while waiting and len(seen) < _MAX_FOLDERS:
        folder = waiting.pop()
        inner: list[_Extent] = []
        for is_folder, entry in _records(body, folder, is_joliet):
            count += 1
            if count > _MAX_FILES:
                return
            if not is_folder:
                yield entry
            elif entry.sector not in seen:
                seen.add(entry.sector)
                inner.append(entry)
        waiting.extend(reversed(inner))


def _records(body: bytes, folder: _Extent, is_joliet: bool) -> Iterator[tuple[bool, _Extent]]:
    position = folder.sector * _SECTOR
    end = min(len(body), position + folder.size)
    while position + 33 < end:
        length = body[position]
        if length < 34:  # records do not cross sectors: the rest of this one is empty
            position += _SECTOR - position % _SECTOR
            continue
        record = body[position : position + length]
        position += length
        if len(record) < 34 or record[33 : 33 + record[32]] in (b"\0", b"\1"):
            continue
        sector, size = struct.unpack_from("<I4xI", record, 2)
        name = _iso_name(record, is_joliet)
        path = f"{folder.name}/{name}"[-_MAX_PATH_CHARS:] if folder.name else name
        yield bool(record[25] & 2), _Extent(path, sector, size)


def _iso_name(record: bytes, is_joliet: bool) -> str:
    raw = record[33 : 33 + record[32]]
    if is_joliet:
        return re.sub(r";\d+$", "", raw.decode("utf-16-be", "replace"))
    position = 33 + record[32] + (1 - record[32] % 2)
    rock_ridge = b""
    while position + 5 < len(record) and record[position + 2] >= 4:
        if record[position : position + 2] == b"NM":
            rock_ridge += record[position + 5 : position + record[position + 2]]
        position += record[position + 2]
    if rock_ridge:
        return rock_ridge.decode("utf-8", "replace")
    return re.sub(r"\.?;\d+$", "", raw.decode("ascii", "replace"))
