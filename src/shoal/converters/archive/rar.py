"""What lies in a RAR archive? The names of its members, and what was stored as it is.

An own reader of the headers of RAR 1.5 to 4 (`Rar!` 1A 07 00) and RAR 5 (1A 07 01 00), after the
published technical note. RAR's compression is nobody's standard: packed members are read by the
program `bsdtar` when it is installed (program.py), else only listed.
"""

import struct
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from shoal.converters.archive.archive import Member, contained, room
from shoal.converters.archive.names import decode_names
from shoal.converters.archive.program import lazily
from shoal.converters.context import Context, Converted

MAGIC_5 = b"Rar!\x1a\x07\x01\x00"
_MAX_BLOCKS = 50_000
_SFX_BYTES = 1_000_000


class _Entry(NamedTuple):
    name: bytes
    """In UTF-8 where the archive has it so."""
    is_stored: bool
    is_encrypted: bool
    start: int
    size: int


class _Encrypted(Exception):
    pass


def convert(body: bytes, context: Context) -> list[Converted]:
    entries: list[_Entry] = []
    problem = ""
    try:
        entries.extend(_entries(body))
    except _Encrypted:
        problem = "encrypted"
    archive = _Archive(body, room(len(body), context.limits))
    names = decode_names([entry.name for entry in entries])
    members = [
        Member(name.replace("\\", "/"), partial(archive.read, entry, name.replace("\\", "/")))
        for name, entry in zip(names, entries, strict=True)
    ]
    documents = contained(members, context, len(body), problem)
    documents[0].problem = documents[0].problem or archive.problem
    return documents


class _Archive:
    def __init__(self, body: bytes, most: int) -> None:
        self._body = body
        self._program = lazily(body, most)
        self.problem = ""

    def read(self, entry: _Entry, name: str, most: int) -> bytes:
        if entry.is_encrypted:
            self.problem = "encrypted"
            return b""
        if entry.is_stored:
            return self._body[entry.start : entry.start + min(entry.size, most)]
        data = self._program(name, most)
        if not data and entry.size:
            self.problem = self.problem or "packed members need the program bsdtar"
        return data


def _entries(body: bytes) -> Iterator[_Entry]:
    """Files in their order. A damaged header ends the list."""
    start = body.find(b"Rar!\x1a\x07", 0, _SFX_BYTES)  # behind a program that unpacks itself
    read = _entries_5 if body[start:].startswith(MAGIC_5) else _entries_4
    try:
        yield from read(body, start + (8 if read is _entries_5 else 7))
    except (struct.error, IndexError):
        return


def _entries_4(body: bytes, position: int) -> Iterator[_Entry]:
    for _ in range(_MAX_BLOCKS):
        if position + 7 > len(body):
            return
        kind, flags, size = struct.unpack_from("<BHH", body, position + 2)
        following = position + max(size, 7)
        if kind == 0x73 and flags & 0x80:
            raise _Encrypted
        if kind == 0x74:
            packed, _unpacked = struct.unpack_from("<II", body, position + 7)
            method = body[position + 25]
            name_bytes = struct.unpack_from("<H", body, position + 26)[0]
            name_at = position + 32
            if flags & 0x100:
                packed |= struct.unpack_from("<I", body, name_at)[0] << 32
                name_at += 8
            raw = body[name_at : name_at + name_bytes]
            name = _name_4(raw) if flags & 0x200 else raw
            if flags & 0xE0 != 0xE0:  # no folder
                is_whole = not flags & 3  # not from or into another volume
                is_stored = method == 0x30 and is_whole
                yield _Entry(name, is_stored, bool(flags & 4), following, packed)
            following += packed
        elif flags & 0x8000:
            following += struct.unpack_from("<I", body, position + 7)[0]
        if kind == 0x7B:
            return
        position = following


def _name_4(raw: bytes) -> bytes:
    """A name in an old charset, a zero, and instructions to make the Unicode one of it."""
    plain, zero, codes = raw.partition(b"\0")
    if not zero or not codes:
        return raw.rstrip(b"\0")
    high = codes[0]
    text: list[int] = []
    position, flags, bits = 1, 0, 0
    while position < len(codes) and len(text) < 2000:
        if bits == 0:
            flags, bits = codes[position], 8
            position += 1
            if position >= len(codes):
                break
        bits -= 2
        kind = flags >> bits & 3
        if kind == 0:
            text.append(codes[position])
        elif kind == 1:
            text.append(codes[position] | high << 8)
        elif kind == 2:
            text.append(int.from_bytes(codes[position : position + 2], "little"))
            position += 1
        else:
            position = _copied(plain, codes, position, high, text)
        position += 1
    return "".join(map(chr, text)).encode("utf-8", "replace")


def _copied(plain: bytes, codes: bytes, position: int, high: int, text: list[int]) -> int:
    length = codes[position]
    correction, page = 0, 0
    if length & 0x80:
        position += 1
        correction, page = codes[position] if position < len(codes) else 0, high << 8
    for _ in range((length & 0x7F) + 2):
        byte = plain[len(text)] if len(text) < len(plain) else 0x3F
        text.append((byte + correction & 0xFF) | page if page else byte)
    return position


def _entries_5(body: bytes, position: int) -> Iterator[_Entry]:
    for _ in range(_MAX_BLOCKS):
        size, at = _number(body, position + 4)
        following = at + size
        kind, at = _number(body, at)
        flags, at = _number(body, at)
        extra = data = 0
        if flags & 1:
            extra, at = _number(body, at)
        if flags & 2:
            data, at = _number(body, at)
        if kind == 4:
            raise _Encrypted
        if kind == 5 or following <= position or following > len(body):
            return
        if kind == 2:
            entry = _file_5(body, at, following - extra, following, data)
            if entry is not None:
                yield entry if not flags & 0x18 else entry._replace(is_stored=False)
        position = following + data


def _file_5(body: bytes, at: int, extra_at: int, end: int, size: int) -> _Entry | None:
    flags, at = _number(body, at)
    _unpacked, at = _number(body, at)
    _attributes, at = _number(body, at)
    at += 4 * (flags >> 1 & 1) + 4 * (flags >> 2 & 1)  # its time, its checksum
    compression, at = _number(body, at)
    _system, at = _number(body, at)
    length, at = _number(body, at)
    if flags & 1:
        return None
    is_encrypted = False
    while at < extra_at < end:  # records: size, kind, …
        record, kind_at = _number(body, extra_at)
        is_encrypted = is_encrypted or _number(body, kind_at)[0] == 1
        extra_at = kind_at + max(1, record)
    is_stored = compression >> 7 & 7 == 0
    return _Entry(body[at : at + length], is_stored, is_encrypted, end, size)


def _number(body: bytes, position: int) -> tuple[int, int]:
    """Seven bits a byte, the lowest first."""
    value = 0
    for place in range(10):
        byte = body[position + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, position + place + 1
    raise IndexError("a number without an end")
