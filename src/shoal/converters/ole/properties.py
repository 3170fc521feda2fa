"""What does an OLE2 file say about itself, and which files lie in it?

Title, author and dates stand in a property set stream ([MS-OLEPS]), in a code page of its own.
Embedded files come in four shapes ([MS-OLEDS] and habit): a "package" with the file's name, an
Office file as it is, a foreign file as it is, and an old Office document as a storage.
"""

import itertools
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from shoal.converters.characters.codepages import codec_of, decode
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.pack import extract
from shoal.model.page import Page

_SUMMARY = "\x05SummaryInformation"
_MORE = "\x05DocumentSummaryInformation"
_NAMES = {
    2: "title",
    3: "subject",
    4: "author",
    5: "keywords",
    6: "comments",
    8: "last_author",
    12: "created",
    13: "modified",
    18: "application",
}
_MORE_NAMES = {2: "category", 14: "manager", 15: "company"}
_MAX_PROPERTIES = 1000
_MAX_OBJECTS = 500
_STRING, _WIDE_STRING, _TIME = 30, 31, 64
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)

_CONTENT = {  # the stream that makes a storage a document, and the ending of such a file
    "worddocument": ".doc",
    "workbook": ".xls",
    "book": ".xls",
    "powerpoint document": ".ppt",
    "visiodocument": ".vsd",
    "quill/quillsub/contents": ".pub",
    "matost": ".wps",
    "__properties_version1.0": ".msg",
}
_FILES = {"package": "", "contents": "", "embeddedodf": ".odt"}


@dataclass(slots=True)
class Properties:
    title: str = ""
    subject: str = ""
    author: str = ""
    keywords: str = ""
    comments: str = ""
    last_author: str = ""
    created: str = ""
    """ISO 8601."""
    modified: str = ""
    """ISO 8601."""
    application: str = ""
    category: str = ""
    manager: str = ""
    company: str = ""

    def fill(self, page: Page) -> None:
        """Into a page's fields, except the title, which is given when a page is made."""
        page.author = self.author or self.last_author
        page.published, page.modified = self.created, self.modified
        page.keywords = self.keywords
        page.description = self.subject or self.comments


class Embedded(NamedTuple):
    """A file in a document."""

    name: str
    data: bytes
    is_label: bool = False
    """The name is also what the document shows, below an icon."""


def properties(compound: Compound) -> Properties:
    found = dict(property_set(compound.read(_SUMMARY), _NAMES))
    found.update(property_set(compound.read(_MORE), _MORE_NAMES))
    return Properties(**found)


def iso_time(ticks: int) -> str:
    """Windows' time (tenths of microseconds since 1601); empty when unset or absurd."""
    try:
        moment = _EPOCH + timedelta(microseconds=ticks // 10)
    except OverflowError:
        return ""
    if not 1900 < moment.year < 2200:
        return ""
    return moment.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def property_set(data: bytes, names: dict[int, str]) -> Iterator[tuple[str, str]]:
    """The wanted properties of the stream's first set."""
    if len(data) < 48 or data[:2] != b"\xfe\xff":
        return
    (start,) = struct.unpack_from("<I", data, 44)
    if start + 8 > len(data):
        return
    (count,) = struct.unpack_from("<I", data, start + 4)
    most = min(count, _MAX_PROPERTIES, (len(data) - start - 8) // 8)
    places = dict(struct.iter_unpack("<II", data[start + 8 : start + 8 + most * 8]))
    codec = "cp1252"
    if 1 in places and start + places[1] + 6 <= len(data):
        codec = codec_of(struct.unpack_from("<IH", data, start + places[1])[1])
    for number, name in names.items():
        value = _value(data, start + places[number], codec) if number in places else ""
        if value:
            yield name, value


def _value(data: bytes, at: int, codec: str) -> str:
    if at + 8 > len(data):
        return ""
    kind, size = struct.unpack_from("<HxxI", data, at)
    if kind == _TIME and at + 12 <= len(data):
        return iso_time(struct.unpack_from("<Q", data, at + 4)[0])
    if kind == _WIDE_STRING:
        text = data[at + 8 : at + 8 + size * 2].decode("utf-16-le", "replace")
    elif kind == _STRING:
        text = decode(data[at + 8 : at + 8 + size], codec)
    else:
        return ""
    return " ".join(text.partition("\0")[0].split())


def embedded(compound: Compound) -> list[tuple[str, bytes]]:
    """(name, content) of the files in this one, not of those in them."""
    return [(each.name, each.data) for each in objects(compound)]


def objects(compound: Compound) -> list[Embedded]:
    return list(itertools.islice(_objects(compound), _MAX_OBJECTS))


def unwrapped(compound: Compound) -> Embedded:
    """The file in a compound file that is only its wrapping; without data when it is none."""
    return _object(compound, "", "", {name.lower() for name in compound.names})


def _objects(compound: Compound) -> Iterator[Embedded]:
    taken: set[str] = set()
    streams = {name.lower() for name in compound.names}
    for storage in compound.storages:
        parts = storage.lower().split("/")
        if any("/".join(parts[:depth]) in taken for depth in range(1, len(parts))):
            continue
        within = storage.lower() + "/"
        base = "".join(each for each in storage.rpartition("/")[2] if each.isprintable())
        found = _object(compound, storage, base, streams)
        if found.data:
            taken.add(within[:-1])
            yield found


def _object(compound: Compound, storage: str, base: str, streams: set[str]) -> Embedded:
    within = storage.lower() + "/" if storage else ""
    if within + "\x01ole10native" in streams:
        return _package(compound.read(within + "\x01Ole10Native"), base)
    for name, ending in _FILES.items():
        if within + name in streams and not within.startswith("quill/"):
            return Embedded(base + ending, compound.read(within + name))
    for name, ending in _CONTENT.items():
        if storage and within + name in streams:
            return Embedded(base + ending, extract(compound, storage))
    return Embedded("", b"")


def _package(data: bytes, base: str) -> Embedded:
    """An icon with a label in the document, the whole file behind it."""
    try:
        (size,) = struct.unpack_from("<I", data)
        if data[4:6] != b"\x02\x00":  # the object's own data and nothing else
            return Embedded(base, data[4 : 4 + size])
        label_end = data.index(b"\0", 6)
        path_end = data.index(b"\0", label_end + 1)
        (command,) = struct.unpack_from("<I", data, path_end + 5)
        at = path_end + 9 + command
        (size,) = struct.unpack_from("<I", data, at)
    except (struct.error, ValueError):
        return Embedded(base, data[4:])
    label = decode(data[6:label_end], "cp1252") or decode(data[label_end + 1 : path_end], "cp1252")
    name = label.replace("\\", "/").rpartition("/")[2]
    return Embedded(name or base, data[at + 4 : at + 4 + size], bool(name))
