"""What lies in ar, cpio and rpm files? The members of libraries and packages.

`ar` (System V, GNU and BSD names) also carries Debian's packages; `cpio` in its four forms is the
payload of rpm, whose header names the package and says in words what it does.
"""

import struct
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from shoal.converters.archive import packed
from shoal.converters.archive.archive import Member, contained, room
from shoal.converters.archive.names import decode_names
from shoal.converters.context import Context, Converted
from shoal.converters.writer import Writer

AR_MAGIC = b"!<arch>\n"
_MAX_MEMBERS = 50_000
_RPM_HEADER_MAGIC = b"\x8e\xad\xe8"
_NAME, _VERSION, _RELEASE, _SUMMARY, _DESCRIPTION = 1000, 1001, 1002, 1004, 1005
_VENDOR, _PACKAGER, _GROUP = 1011, 1015, 1016
_DIR_INDEXES, _BASE_NAMES, _DIR_NAMES = 1116, 1117, 1118
_WANTED = frozenset(
    {_NAME, _VERSION, _RELEASE, _SUMMARY, _DESCRIPTION, _VENDOR, _PACKAGER, _GROUP}
    | {_DIR_INDEXES, _BASE_NAMES, _DIR_NAMES}
)
_MAX_TAGS = 2_000


class _Entry(NamedTuple):
    name: bytes
    start: int
    end: int


def convert_ar(body: bytes, context: Context) -> list[Converted]:
    return _contained(body, list(_ar_entries(body)), context)


def convert_cpio(body: bytes, context: Context) -> list[Converted]:
    return _contained(body, list(_cpio_entries(body)), context)


def _contained(body: bytes, entries: list[_Entry], context: Context) -> list[Converted]:
    problem = "" if entries else "damaged: no members"
    if entries and entries[-1].end > len(body):
        problem = "damaged: it ends too early"
    return contained(_members(body, entries), context, len(body), problem)


def _members(body: bytes, entries: list[_Entry]) -> list[Member]:
    names = decode_names([entry.name for entry in entries])
    return [
        Member(name, partial(_content, body, entry))
        for name, entry in zip(names, entries, strict=True)
    ]


def _content(body: bytes, entry: _Entry, most: int) -> bytes:
    return body[entry.start : min(entry.end, entry.start + most)]


def _ar_entries(body: bytes) -> Iterator[_Entry]:
    position = len(AR_MAGIC)
    long_names = b""
    for _ in range(_MAX_MEMBERS):
        header = body[position : position + 60]
        size_text = header[48:58].strip()
        if len(header) < 60 or header[58:] != b"`\n" or not size_text.isdigit():
            return
        start, size = position + 60, int(size_text)
        end = start + size
        position = end + (size & 1)
        name = header[:16].rstrip()
        if name == b"//":
            long_names = body[start:end]
            continue
        if name[:1] == b"/" and name[1:].isdigit():
            name = long_names[int(name[1:]) :].split(b"\n")[0]
        elif name.startswith(b"#1/") and name[3:].isdigit():
            length = int(name[3:])
            name = body[start : start + min(length, 4096)].rstrip(b"\0")
            start += length
        name = name.removesuffix(b"/")
        if name and not name.startswith(b"__.SYMDEF") and name != b"/SYM64":
            yield _Entry(name, start, end)


def _cpio_entries(body: bytes) -> Iterator[_Entry]:
    position = 0
    for _ in range(_MAX_MEMBERS):
        read = _cpio_header(body, position)
        if read is None:
            return
        mode, entry, position = read
        if entry.name == b"TRAILER!!!":
            return
        if mode & 0o170000 not in (0o040000, 0o120000) and entry.name:  # no folder, no link
            yield entry


def _cpio_header(body: bytes, position: int) -> tuple[int, _Entry, int] | None:
    """The mode, the entry and where the next one stands."""
    magic = body[position : position + 6]
    try:
        if magic in (b"070701", b"070702"):
            fields = [int(body[at : at + 8], 16) for at in range(position + 6, position + 110, 8)]
            mode, size, name_bytes, header, align = fields[1], fields[6], fields[11], 110, 4
        elif magic == b"070707":
            mode = int(body[position + 18 : position + 24], 8)
            name_bytes = int(body[position + 59 : position + 65], 8)
            size, header, align = int(body[position + 65 : position + 76], 8), 76, 1
        elif magic[:2] in (b"\xc7\x71", b"\x71\xc7"):
            order = "<" if magic[:2] == b"\xc7\x71" else ">"
            words = struct.unpack_from(f"{order}13H", body, position)
            mode, name_bytes, size = words[3], words[10], words[11] << 16 | words[12]
            header, align = 26, 2
        else:
            return None
    except (ValueError, struct.error):
        return None
    name_at = position + header
    start = name_at + name_bytes + (-(header + name_bytes) % align)
    name = body[name_at : name_at + name_bytes].rstrip(b"\0")
    return mode, _Entry(name, start, start + size), start + size + (-size % align)


def convert_rpm(body: bytes, context: Context) -> list[Converted]:
    """The package in words, the names of its files, and those of them that can be read."""
    try:
        _, after_signature = _rpm_header(body, 96)
        tags, payload_at = _rpm_header(body, after_signature + (-after_signature % 8))
    except (struct.error, ValueError):
        return contained([], context, len(body), "damaged: its header can't be read")
    data, problem = packed.unpack(body[payload_at:], room(len(body), context.limits), "")
    documents = contained(_members(data, list(_cpio_entries(data))), context, len(body), problem)
    writer = Writer(context.limits)
    for tag in (_SUMMARY, _DESCRIPTION):
        for paragraph in _first(tags, tag).split("\n\n"):
            writer.paragraph(paragraph)
    for name in _rpm_files(tags):
        writer.item(name)
    version = "-".join(filter(None, (_first(tags, tag) for tag in (_NAME, _VERSION, _RELEASE))))
    page = writer.page(version or context.name)
    page.author = _first(tags, _PACKAGER) or _first(tags, _VENDOR)
    page.description, page.keywords = _first(tags, _SUMMARY), _first(tags, _GROUP)
    return [Converted(page, problem=documents[0].problem), *documents[1:]]


def _rpm_header(body: bytes, position: int) -> tuple[dict[int, list[str]], int]:
    """Its tags with their texts (numbers as texts too), and where it ends."""
    if body[position : position + 3] != _RPM_HEADER_MAGIC:
        raise ValueError("no header")
    count, size = struct.unpack_from(">II", body, position + 8)
    store = position + 16 + count * 16
    if store + size > len(body):
        raise ValueError("a header larger than the file")
    tags: dict[int, list[str]] = {}
    for number in range(min(count, _MAX_TAGS)):
        tag, kind, offset, values = struct.unpack_from(">4I", body, position + 16 + number * 16)
        if tag in tags or tag not in _WANTED:
            continue
        values = min(values, _MAX_MEMBERS)
        if kind in (6, 8, 9):
            tags[tag] = _rpm_texts(body, store + offset, store + size, 1 if kind == 6 else values)
        elif kind == 4:
            numbers = struct.unpack_from(f">{values}I", body, store + offset)
            tags[tag] = [str(each) for each in numbers]
    return tags, store + size


def _rpm_texts(body: bytes, position: int, end: int, count: int) -> list[str]:
    texts: list[str] = []
    for _ in range(count):
        zero = body.find(b"\0", position, end)
        if zero < 0:
            break
        texts.append(body[position:zero].decode("utf-8", "replace"))
        position = zero + 1
    return texts


def _first(tags: dict[int, list[str]], tag: int) -> str:
    return next(iter(tags.get(tag, ())), "")


def _rpm_files(tags: dict[int, list[str]]) -> Iterator[str]:
    folders = tags.get(_DIR_NAMES, [])
    for name, index in zip(tags.get(_BASE_NAMES, []), tags.get(_DIR_INDEXES, []), strict=False):
        yield (folders[int(index)] if int(index) < len(folders) else "") + name
