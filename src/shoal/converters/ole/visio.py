"""What does a Visio drawing (.vsd, version 5 to 2010) say? The texts of its shapes.

The format was never published; what is known of it (vsdump's and others' notes): pointers lead from
a trailer to streams, many of them packed by a small LZ scheme; those of a page are rows of chunks,
and a chunk of kind 14 holds a text. Chunks are found by their looks, since what stands between them
varies from version to version.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.characters.codepages import decode
from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.properties import objects, properties
from shoal.converters.writer import Writer

_MAGIC = b"Visio (TM) Drawing\r\n"
_TRAILER_AT = 0x24
_MOST_STREAMS = 20_000
_MOST_BYTES = 8_000_000
_TEXT_MARK = b"\x0e\x00\x00\x00"
_OLD_TEXT_MARK = b"\x0e\x00"
_WINDOW = 4096
_STENCILS = {0x1D, 0x4E}
_FAULTS = (struct.error, ValueError, IndexError, OverflowError)


class _Pointer(NamedTuple):
    kind: int
    format: int
    start: int
    size: int

    @property
    def has_pointers(self) -> bool:
        return self.kind == 20 or self.format in {0x1D, 0x1E} or 0x50 <= self.format < 0x60

    @property
    def has_chunks(self) -> bool:
        return 0xD0 <= self.format < 0xE0 or self.kind in {21, 24}

    @property
    def packed(self) -> bool:
        return bool(self.format & 2)


def convert(body: bytes, context: Context) -> list[Converted]:
    compound = Compound(body, context.limits)
    writer = Writer(context.limits)
    about = properties(compound)
    problem = ""
    try:
        stream = compound.read("VisioDocument")
        if stream.startswith(_MAGIC):
            _write(_Drawing(stream), writer)
        else:
            problem = "damaged: no drawing in it"
    except _FAULTS as fault:
        problem = f"damaged: {fault}"
    page = writer.page(about.title)
    about.fill(page)
    documents = [Converted(page, problem=problem or compound.problem or writer.problem)]
    for each in objects(compound):
        documents += context.inside(each.data, each.name)
    return documents


def _write(drawing: "_Drawing", writer: Writer) -> None:
    """What stencils say is seen only where a page takes it from there."""
    for in_stencils in (False, True):
        for text in drawing.texts(in_stencils):
            for line in text.splitlines():
                writer.paragraph(line)
        if writer.blocks:
            return


class _Drawing:
    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        (self._version,) = struct.unpack_from("<H", stream, 0x1A)
        self._room = _MOST_BYTES

    def texts(self, in_stencils: bool) -> Iterator[str]:
        pending = [self._pointer(self._stream, _TRAILER_AT)]
        seen: set[tuple[int, int]] = set()
        while pending and len(seen) < _MOST_STREAMS and self._room > 0:
            pointer = pending.pop()
            place = (pointer.start, pointer.size)
            if place in seen or not pointer.size:
                continue
            if pointer.kind in _STENCILS and not in_stencils:
                continue
            seen.add(place)
            if pointer.has_chunks:
                yield from self._chunk_texts(self._read(pointer))
            elif pointer.has_pointers:
                pending += reversed(self._pointers(pointer, self._read(pointer)))

    def _read(self, pointer: _Pointer) -> bytes:
        data = self._stream[pointer.start : pointer.start + pointer.size]
        if pointer.packed:
            data = unpack(data, self._room)
        self._room -= len(data) + 100
        return data

    def _pointer(self, data: bytes, at: int) -> _Pointer:
        if self._version >= 6:
            kind, _, start, size, form = struct.unpack_from("<IIIIH", data, at)
        else:
            kind, form, _, start, size = struct.unpack_from("<HHIII", data, at)
        return _Pointer(kind, form, start, size)

    def _pointers(self, pointer: _Pointer, data: bytes) -> list[_Pointer]:
        data = data[4:] if pointer.packed else data  # the stream's own head
        if len(data) < 16:
            return []
        if self._version >= 6:
            (at,) = struct.unpack_from("<I", data)
            step, skip, width = 18, 8, "<I"
        else:
            at = {0x1D: 30, 0x4E: 30, 0x1E: 54, 0x14: 130}.get(pointer.kind, 10)
            step, skip, width = 16, 2, "<H"
        if at + 4 > len(data):
            return []
        (count,) = struct.unpack_from(width, data, at)
        first = at + skip
        most = max(0, (len(data) - first) // step)
        return [self._pointer(data, first + step * n) for n in range(min(count, most))]

    def _chunk_texts(self, data: bytes) -> Iterator[str]:
        mark = _TEXT_MARK if self._version >= 6 else _OLD_TEXT_MARK
        at = data.find(mark)
        while at >= 0:
            text = self._text(data, at)
            if text:
                yield text
                at += len(text)
            at = data.find(mark, at + 1)

    def _text(self, data: bytes, at: int) -> str:
        """Of a chunk that seems to begin there; empty when it turns out to be none."""
        head, size_at = (19, 12) if self._version >= 6 else (12, 8)
        if at + head > len(data):
            return ""
        (size,) = struct.unpack_from("<I", data, at + size_at)
        content = data[at + head + 8 : at + head + size]
        if not 8 < size <= len(data) - at - head or any(data[at + head : at + head + 8]):
            return ""
        if self._version >= 6 and (any(data[at + 8 : at + 12]) or data[at + 18] >> 4 != 5):
            return ""
        if self._version > 6:
            text = content[: len(content) & ~1].decode("utf-16-le", "replace")
        else:
            text = decode(content, "cp1252")
        text = text.partition("\0")[0]
        shown = sum(each.isprintable() or each in "\n\r\t\ufffc" for each in text)
        return text.replace("\ufffc", "") if text and shown == len(text) else ""


def unpack(data: bytes, most: int) -> bytes:
    """A ring of 4096 bytes; a bit tells whether a byte or a place in the ring follows."""
    ring = bytearray(_WINDOW)
    result = bytearray()
    at = 0
    while at < len(data) and len(result) < most:
        flags = data[at]
        at += 1
        for bit in range(8):
            if flags >> bit & 1:
                if at >= len(data):
                    break
                ring[len(result) % _WINDOW] = data[at]
                result.append(data[at])
                at += 1
                continue
            if at + 1 >= len(data):
                at = len(data)
                break
            low, high = data[at], data[at + 1]
            at += 2
            place = (low | (high & 0xF0) << 4) + 18
            for step in range((high & 0x0F) + 3):
                byte = ring[(place + step) % _WINDOW]
                ring[len(result) % _WINDOW] = byte
                result.append(byte)
    return bytes(result)
