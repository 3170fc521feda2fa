"""What does a Windows help file say? The pages in a CHM, and its table of contents.

ITSF is a small file system: a directory of names in chunks, and one stream of LZX in which all
pages stand behind each other, restarted every few frames. The help's own document is what its
reader shows first: the title and the contents; each page is a document.
"""

import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.archive.archive import room
from shoal.converters.archive.lzx import FRAME, unlzx
from shoal.converters.context import Context, Converted
from shoal.converters.html.references import unescape
from shoal.converters.mail.headers import decode_text
from shoal.converters.writer import Writer

_MAX_ENTRIES = 50_000
_MAX_UNPACKED_BYTES = 12_000_000
"""Our decoder does about a megabyte in a second."""
_STORAGE = "::DataSpace/Storage/MSCompressed/"
_RESET_TABLE = "Transform/{7FC28940-9D31-11D0-9B27-00A0C91E9C7C}/InstanceData/ResetTable"
_PAGES = (".htm", ".html", ".xhtml", ".txt")
_CONTENTS = re.compile(
    r"""<(/?)ul\b[^>]{0,200}>|<param\s+name\s*=\s*["']?name["']?\s+value\s*=\s*"([^"]{0,500})\"""",
    re.IGNORECASE,
)


class _Entry(NamedTuple):
    section: int
    offset: int
    length: int


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    try:
        help_file = _HelpFile(body, room(len(body), context.limits))
    except (struct.error, IndexError, ValueError, OverflowError):
        return [Converted(writer.page(context.name), problem="damaged: its list of pages is lost")]
    pages = [name for name in help_file.entries if name.lower().endswith(_PAGES)]
    inner: list[Converted] = []
    left = context.limits.unpacked_bytes  # pages may claim the same bytes again and again
    for name in pages[: context.limits.members]:
        data = help_file.read(name) if left > 0 else b""
        left -= len(data)
        if data:
            inner.extend(context.inside(data, name.lstrip("/")))
    if len(pages) > context.limits.members:
        help_file.problem = help_file.problem or f"only {context.limits.members} pages were read"
    listed = False
    for depth, title in help_file.contents():
        writer.item(title, depth)
        listed = True
    for name in () if listed else pages:
        writer.item(name.lstrip("/"))
    page = writer.page(help_file.title() or context.name)
    return [Converted(page, problem=help_file.problem or writer.problem), *inner]


class _HelpFile:
    def __init__(self, body: bytes, most: int) -> None:
        self._body = body
        self._most = min(most, _MAX_UNPACKED_BYTES)
        self._unpacked: bytes | None = None
        self.problem = ""
        version = struct.unpack_from("<I", body, 4)[0]
        directory, directory_bytes = struct.unpack_from("<QQ", body, 0x48)
        self._content = directory + directory_bytes
        if version >= 3:
            self._content = struct.unpack_from("<Q", body, 0x58)[0]
        self.entries = dict(_directory(body, directory))

    def read(self, name: str) -> bytes:
        entry = self.entries.get(name)
        if entry is None:
            return b""
        if entry.section == 0:
            start = self._content + entry.offset
            return self._body[start : start + entry.length]
        if self._unpacked is None:
            self._unpacked = self._unpack()
        return self._unpacked[entry.offset : entry.offset + entry.length]

    def title(self) -> str:
        """Of #SYSTEM: records of a kind and a length; 3 is the title."""
        data, position = self.read("/#SYSTEM"), 4
        while position + 4 <= len(data):
            kind, length = struct.unpack_from("<HH", data, position)
            if kind == 3:
                return decode_text(data[position + 4 : position + 4 + length].rstrip(b"\0"), "")
            position += 4 + length
        return ""

    def contents(self) -> Iterator[tuple[int, str]]:
        """Depth and title of what the first .hhc file lists."""
        name = next((name for name in self.entries if name.lower().endswith(".hhc")), "")
        text = decode_text(self.read(name), "") if name else ""
        depth = 0
        for match in _CONTENTS.finditer(text):
            if match[2] is not None:
                yield max(1, depth), unescape(match[2])
            else:
                depth += -1 if match[1] else 1

    def _unpack(self) -> bytes:
        control = self.read(_STORAGE + "ControlData")
        table = self.read(_STORAGE + _RESET_TABLE)
        packed = self.read(_STORAGE + "Content")
        try:
            version, interval, window = struct.unpack_from("<III", control, 8)
            count, _entry_bytes, table_at, size = struct.unpack_from("<IIIQ", table, 4)
            count = min(count, len(table) // 8)
            offsets = struct.unpack_from(f"<{count}Q", table, table_at)
        except struct.error:
            self.problem = "damaged: its pages can't be unpacked"
            return b""
        if version >= 2:
            interval, window = interval * FRAME, window * FRAME
        step = max(1, interval // FRAME)
        if size > self._most:
            self.problem = f"cut: it unpacks to more than {self._most} bytes"
        return self._frames(packed, offsets, step, window.bit_length() - 1, min(size, self._most))

    def _frames(
        self, packed: bytes, offsets: tuple[int, ...], step: int, window_bits: int, size: int
    ) -> bytes:
        """Each stretch between two restarts; a damaged one is left blank."""
        output = bytearray()
        for first in range(0, len(offsets), step):
            wanted = min(step * FRAME, size - first * FRAME)
            if wanted <= 0:
                break
            end = offsets[first + step] if first + step < len(offsets) else len(packed)
            if not unlzx(packed[offsets[first] : end], window_bits, wanted, output):
                self.problem = self.problem or "damaged: not all pages can be read"
            missing = first * FRAME + wanted - len(output)
            output += bytes(max(0, missing))
            del output[first * FRAME + wanted :]
        return bytes(output)


def _directory(body: bytes, position: int) -> Iterator[tuple[str, _Entry]]:
    """All leaf chunks, in the order of the file: it is that of the names."""
    header, chunk_bytes = struct.unpack_from("<I4xI", body, position + 8)
    if body[position : position + 4] != b"ITSP" or not 32 <= chunk_bytes <= 1 << 20:
        raise ValueError("no directory")
    chunks = struct.unpack_from("<I", body, position + 0x2C)[0]
    start = position + header
    count = 0
    for number in range(min(chunks, (len(body) - start) // chunk_bytes + 1)):
        chunk = body[start + number * chunk_bytes : start + (number + 1) * chunk_bytes]
        if not chunk.startswith(b"PMGL") or len(chunk) < 20:
            continue
        free = struct.unpack_from("<I", chunk, 4)[0]
        at, end = 20, len(chunk) - min(free, len(chunk))
        while at < end and count < _MAX_ENTRIES:
            try:
                length, at = _number(chunk, at)
                name = chunk[at : at + length].decode("utf-8", "replace")
                section, at = _number(chunk, at + length)
                offset, at = _number(chunk, at)
                size, at = _number(chunk, at)
            except IndexError:
                break
            count += 1
            yield name, _Entry(section, offset, size)


def _number(chunk: bytes, at: int) -> tuple[int, int]:
    value = 0
    for _ in range(9):
        byte = chunk[at]
        at += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value, at
