"""What does a camera or a scanner note down? The tags of TIFF directories: EXIF, GPS, TIFF itself.

One reader for TIFF files (BigTIFF too), for the EXIF blocks of JPEG, PNG, WebP and HEIF, and for
raw pictures that are TIFFs within. By TIFF 6.0 and CIPA DC-008. Of the hundreds of tags, those that
a person searches by.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, iso_date, plain

_MAX_DIRECTORIES = 200
_MAX_ENTRIES = 1_000
_MAX_VALUE_BYTES = 2_000_000
_NUMBERS = {
    1: "B",
    3: "H",
    4: "I",
    6: "b",
    8: "h",
    9: "i",
    11: "f",
    12: "d",
    13: "I",
    16: "Q",
    17: "q",
    18: "Q",
}
_SIZES = {
    **{kind: struct.calcsize(f"={code}") for kind, code in _NUMBERS.items()},
    2: 1,
    5: 8,
    7: 1,
    10: 8,  # text, fractions, and bytes of any kind
}

DOCUMENT_TAGS = {
    0x010D: "Document", 0x010E: names.DESCRIPTION, 0x010F: "Camera", 0x0110: "Camera model",
    0x011D: "Page name", 0x0131: "Software", 0x0132: names.MODIFIED, 0x013B: names.CREATOR,
    0x8298: names.COPYRIGHT, 0x9003: "Taken", 0x9C9B: names.TITLE, 0x9C9C: names.COMMENT,
    0x9C9D: names.CREATOR, 0x9C9E: names.KEYWORDS, 0x9C9F: "Subject", 0x9286: names.COMMENT,
    0xA430: "Owner", 0xA434: "Lens", 0x013C: "Host computer", 0xC614: "Camera model",
}  # fmt: skip
_WINDOWS = range(0x9C9B, 0x9CA0)
_DATES = (0x0132, 0x9003)
EXIF, GPS = 0x8769, 0x8825
XMP, IPTC, PHOTOSHOP = 0x02BC, 0x83BB, 0x8649
_DEFAULTS = frozenset({"OLYMPUS DIGITAL CAMERA", "SONY DSC", "DCIM", "DIGITAL CAMERA"})
_ISO6709 = re.compile(r"([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Directory:
    entries: dict[int, tuple[int, int, int]]
    """By tag: type, count, place of the value."""
    following: int


class Tiff:
    """The directories of a TIFF structure."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.order = "<" if data[:2] == b"II" else ">"
        self.is_big = data[2:4] in (b"+\x00", b"\x00+")
        if data[:2] not in (b"II", b"MM"):
            raise ValueError("no TIFF structure")

    @property
    def first(self) -> int:
        return int(self._unpack("Q" if self.is_big else "I", 8 if self.is_big else 4))

    def _unpack(self, form: str, place: int) -> int:
        return int(struct.unpack_from(self.order + form, self.data, place)[0])

    def directory(self, place: int) -> Directory:
        entries: dict[int, tuple[int, int, int]] = {}
        count = self._unpack("Q" if self.is_big else "H", place)
        place += 8 if self.is_big else 2
        step, form = (20, "HHQ") if self.is_big else (12, "HHI")
        value_at, room = (12, 8) if self.is_big else (8, 4)
        for _ in range(min(count, _MAX_ENTRIES)):
            if place + step > len(self.data):
                return Directory(entries, 0)
            tag, kind, number = struct.unpack_from(self.order + form, self.data, place)
            start = place + value_at
            if _SIZES.get(kind, 1) * number > room:
                start = self._unpack("Q" if self.is_big else "I", start)
            entries.setdefault(tag, (kind, number, start))
            place += step
        has_next = place + room <= len(self.data)
        return Directory(
            entries, self._unpack("Q" if self.is_big else "I", place) if has_next else 0
        )

    def directories(self) -> Iterator[Directory]:
        place, seen = self.first, set[int]()
        while 0 < place < len(self.data) and place not in seen and len(seen) < _MAX_DIRECTORIES:
            seen.add(place)
            directory = self.directory(place)
            yield directory
            place = directory.following

    def raw(self, directory: Directory, tag: int) -> bytes:
        kind, count, start = directory.entries.get(tag, (1, 0, 0))
        size = min(_SIZES.get(kind, 1) * count, _MAX_VALUE_BYTES)
        return self.data[start : start + size]

    def number(self, directory: Directory, tag: int) -> int:
        values = self.numbers(directory, tag)
        return int(values[0]) if values else 0

    def numbers(self, directory: Directory, tag: int) -> list[float]:
        kind, count, start = directory.entries.get(tag, (1, 0, 0))
        if kind in (5, 10):
            form = self.order + ("II" if kind == 5 else "ii")
            return [
                top / bottom if bottom else 0.0
                for top, bottom in (
                    struct.unpack_from(form, self.data, start + 8 * each)
                    for each in range(min(count, 100))
                )
            ]
        if kind not in _NUMBERS:
            return []
        form = f"{self.order}{min(count, 100)}{_NUMBERS[kind]}"
        return [float(each) for each in struct.unpack_from(form, self.data, start)]


def read_exif(data: bytes, tags: Tags) -> None:
    """Of a block: its first directory (the second is the thumbnail), EXIF and GPS below it."""
    if data.startswith(b"Exif\x00"):
        data = data[6:]
    if data[:2] not in (b"II", b"MM"):
        return
    tiff = Tiff(data)
    read_directory(tiff, tiff.directory(tiff.first), tags)


def read_directory(tiff: Tiff, directory: Directory, tags: Tags) -> None:
    _texts(tiff, directory, tags)
    if EXIF in directory.entries:
        _texts(tiff, tiff.directory(tiff.number(directory, EXIF)), tags)
    if GPS in directory.entries:
        _place(tiff, tiff.directory(tiff.number(directory, GPS)), tags)


def _texts(tiff: Tiff, directory: Directory, tags: Tags) -> None:
    for tag, name in DOCUMENT_TAGS.items():
        if tag not in directory.entries:
            continue
        raw = tiff.raw(directory, tag)
        tags.spend(len(raw))
        if tag in _WINDOWS:
            text = raw.decode("utf-16-le", "replace").partition("\x00")[0]
            for value in text.split(";") if name == names.KEYWORDS else [text]:
                tags.add(name, value)
            continue
        text = _user_comment(raw, tiff.order) if tag == 0x9286 else plain(raw)
        if tag in _DATES:
            text = iso_date(text)
        if text.strip().upper() not in _DEFAULTS:
            tags.add(name, text)


def _user_comment(raw: bytes, order: str) -> str:
    charset, text = raw[:8], raw[8:]
    if charset.startswith(b"UNICODE"):
        if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return text.decode("utf-16", "replace").strip("\x00 ")
        # Some write the other order than that of the file; spaces and Latin letters tell it.
        little = text[1::2].count(0) > text[::2].count(0)
        big = text[::2].count(0) > text[1::2].count(0)
        codec = "utf-16-le" if little or (order == "<" and not big) else "utf-16-be"
        return text.decode(codec, "replace").strip("\x00 ")
    if charset.startswith(b"JIS"):
        return text.decode("iso2022_jp", "replace").strip("\x00 ")
    return plain(text) if charset[:5] in (b"ASCII", b"\x00" * 5) else plain(raw)


def _place(tiff: Tiff, gps: Directory, tags: Tags) -> None:
    latitude = _degrees(tiff.numbers(gps, 2), tiff.raw(gps, 1)[:1] == b"S")
    longitude = _degrees(tiff.numbers(gps, 4), tiff.raw(gps, 3)[:1] == b"W")
    if latitude is not None and longitude is not None and (latitude or longitude):
        tags.add("Location", place(latitude, longitude))


def _degrees(parts: list[float], is_negative: bool) -> float | None:
    if not parts:
        return None
    degrees, minutes, seconds = (*parts[:3], 0.0, 0.0)[:3]
    value = degrees + minutes / 60 + seconds / 3600
    return -value if is_negative else value


def place(latitude: float, longitude: float) -> str:
    """Decimal degrees, to a metre."""
    if abs(latitude) > 90 or abs(longitude) > 360:
        return ""
    return f"{latitude:.5f}, {longitude:.5f}"


def place_of_iso6709(text: str) -> str:
    """`+54.3213+010.1348+5/`, as films have it."""
    match = _ISO6709.match(text.strip())
    return place(float(match[1]), float(match[2])) if match else ""
