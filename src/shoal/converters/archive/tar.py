"""What lies in a tar file? Its members, by an own reader that believes no size it is told.

POSIX ustar and pax, GNU's long names, and the format before them. Links and devices are listed and
never followed; the holes of sparse files are not filled, so that no header can claim a terabyte.
A damaged header ends the archive, unless another one follows within the next blocks.
"""

from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.archive.archive import Member, contained
from shoal.converters.archive.names import decode_names
from shoal.converters.context import Context, Converted

_BLOCK = 512
_MAX_ENTRIES = 50_000
_LOOK_AHEAD = 2_000
"""Blocks to look through for the next header behind a damaged one."""
_LONG_NAME_BYTES = 65_536
_WITH_DATA = frozenset(b"\x0007SD")  # files, contiguous and sparse ones, old GNU folders
_NO_MEMBERS = frozenset(b"5gxXLKVM")


class _Entry(NamedTuple):
    name: bytes
    kind: int
    start: int
    end: int


def is_tar(head: bytes) -> bool:
    """A header's checksum is right: also of archives without `ustar` at 257."""
    return len(head) >= _BLOCK and any(head[:100]) and _is_header(head[:_BLOCK])


def convert(body: bytes, context: Context) -> list[Converted]:
    entries, problem = _entries(body)
    names = decode_names([entry.name for entry in entries])
    members = (
        Member(name, lambda most, entry=entry: _content(body, entry, most))  # type: ignore[misc]
        for name, entry in zip(names, entries, strict=True)
    )
    return contained(members, context, len(body), problem)


def contents(body: bytes) -> dict[str, bytes]:
    """All files by their names."""
    entries, _ = _entries(body)
    names = decode_names([entry.name for entry in entries])
    return {
        name: _content(body, entry, len(body)) for name, entry in zip(names, entries, strict=True)
    }


def _content(body: bytes, entry: _Entry, most: int) -> bytes:
    return (
        body[entry.start : min(entry.end, entry.start + most)] if entry.kind in _WITH_DATA else b""
    )


def _entries(body: bytes) -> tuple[list[_Entry], str]:
    entries: list[_Entry] = []
    for entry in _headers(body):
        if entry.kind in _NO_MEMBERS:
            continue
        entries.append(entry)
        if entry.end > len(body):
            return entries, "damaged: it ends too early"
        if len(entries) >= _MAX_ENTRIES:
            return entries, f"more than {_MAX_ENTRIES} members"
    return entries, "" if entries else "damaged: no members"


def _headers(body: bytes) -> Iterator[_Entry]:
    """All headers in their order, with long names from those before them."""
    position = 0
    long_name = b""
    claimed = -1
    while 0 <= position <= len(body) - _BLOCK:
        header = body[position : position + _BLOCK]
        if not _is_header(header):
            position = _next_header(body, position + _BLOCK)
            continue
        size = _number(header[124:136])
        kind = header[156]
        if claimed >= 0 and kind not in b"xgLK":
            size = claimed
        start = position + _BLOCK
        data = body[start : start + min(size, _LONG_NAME_BYTES)] if kind in b"xXLg" else b""
        if kind == ord("L"):
            long_name = data.rstrip(b"\0")
        elif kind in b"xX":
            fields = _pax(data)
            long_name = fields.get(b"path", long_name)
            claimed = _decimal(fields.get(b"size", b""))
        else:
            has_data = kind in _WITH_DATA or kind in _NO_MEMBERS
            name = long_name or _name(header)
            yield _Entry(name, _kind(kind, name), start, start + (size if has_data else 0))
            if kind not in b"gK":
                long_name, claimed = b"", -1
            if not has_data:
                size = 0
        position = start + size + (-size % _BLOCK)


def _kind(kind: int, name: bytes) -> int:
    return ord("5") if kind == 0 and name.endswith(b"/") else kind or ord("0")


def _next_header(body: bytes, position: int) -> int:
    for place in range(
        position, min(len(body) - _BLOCK + 1, position + _LOOK_AHEAD * _BLOCK), _BLOCK
    ):
        if body[place] and _is_header(body[place : place + _BLOCK]):
            return place
    return -1


def _is_header(header: bytes) -> bool:
    given = _number(header[148:156])
    found = sum(header) - sum(header[148:156]) + 8 * 32
    return found == given and found > 256


def _number(field: bytes) -> int:
    """Octal, or GNU's binary for what does not fit. What can't be read is 0."""
    if field[:1] in (b"\x80", b"\xff"):
        return int.from_bytes(field[1:]) if field[0] == 0x80 else 0
    text = field.split(b"\0")[0].strip()
    return int(text, 8) if text and not text.strip(b"01234567") else 0


def _decimal(text: bytes) -> int:
    return int(text) if text.isdigit() and len(text) < 20 else -1


def _name(header: bytes) -> bytes:
    name = header[:100].split(b"\0")[0]
    prefix = header[345:500].split(b"\0")[0] if header[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _pax(data: bytes) -> dict[bytes, bytes]:
    """Records `length key=value\\n`."""
    fields: dict[bytes, bytes] = {}
    position = 0
    while position < len(data):
        space = data.find(b" ", position, position + 10)
        length = _decimal(data[position:space]) if space > 0 else -1
        if length <= 0:
            break
        key, _, value = data[space + 1 : position + length].partition(b"=")
        fields[key] = value.removesuffix(b"\n")
        position += length
    return fields
