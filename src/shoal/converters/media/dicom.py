"""What does a medical picture say? The describing elements of its data set (DICOM PS3.5, PS3.10).

Elements have a group, a number, mostly a type, a length and a value. The first group is always
little-endian with types; what follows is as the transfer syntax says. Sequences are stepped over,
and the picture ends the reading. Charsets are those of PS3.3, C.12.1.1.2.
"""

import struct
import zlib

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, iso_date, plain, tagged

_MAX_ELEMENTS = 20_000
_MAX_INFLATED = 50_000_000
_LONG = (b"OB", b"OW", b"OF", b"OD", b"OL", b"OV", b"SQ", b"UC", b"UN", b"UR", b"UT", b"SV", b"UV")
_NAMES = {
    0x0008_1030: names.TITLE, 0x0008_103E: "Series", 0x0008_0060: "Modality",
    0x0008_0070: "Manufacturer", 0x0008_0080: "Institution", 0x0008_1040: "Department",
    0x0008_0090: "Referring physician", 0x0008_1050: "Performing physician",
    0x0008_1060: "Reading physician", 0x0008_1090: "Model", 0x0008_2111: names.DESCRIPTION,
    0x0010_0010: "Patient", 0x0010_4000: names.COMMENT, 0x0018_0015: "Body part",
    0x0018_1030: "Protocol", 0x0020_4000: names.COMMENT, 0x0032_1060: "Procedure",
    0x0040_0254: "Procedure", 0x0010_21B0: "History", 0x0032_4000: names.COMMENT,
    0x0040_A160: "Text", 0x0042_0010: names.TITLE, 0x0008_1080: "Diagnosis",
}  # fmt: skip
_STUDY_DATE, _CHARSET, _SYNTAX = 0x0008_0020, 0x0008_0005, 0x0002_0010
_CODECS = {
    "ISO_IR 100": "latin-1", "ISO_IR 101": "iso8859-2", "ISO_IR 109": "iso8859-3",
    "ISO_IR 110": "iso8859-4", "ISO_IR 144": "iso8859-5", "ISO_IR 127": "iso8859-6",
    "ISO_IR 126": "iso8859-7", "ISO_IR 138": "iso8859-8", "ISO_IR 148": "iso8859-9",
    "ISO_IR 13": "shift_jis", "ISO_IR 166": "tis-620", "ISO_IR 192": "utf-8", "GB18030": "gb18030",
    "GBK": "gbk", "ISO 2022 IR 87": "iso2022_jp", "ISO 2022 IR 149": "euc_kr",
    "ISO 2022 IR 13": "shift_jis",
}  # fmt: skip
_PICTURE = 0x7FE0_0000
_OPEN = 0xFFFF_FFFF


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(lambda data, tags: _DataSet(data, tags).read(), body, context)


class _DataSet:
    def __init__(self, body: bytes, tags: Tags) -> None:
        self._body = body
        self._tags = tags
        self._place = 132
        self._codec = ""
        self._syntax = ""

    def read(self) -> None:
        order, is_typed, in_meta = "<", True, True
        for _ in range(_MAX_ELEMENTS):
            if self._place + 8 > len(self._body):
                return
            (group,) = struct.unpack_from(order + "H", self._body, self._place)
            if in_meta and group != 2:
                in_meta = False
                order, is_typed = self._follow()
                (group,) = struct.unpack_from(order + "H", self._body, self._place)
            (number,) = struct.unpack_from(order + "H", self._body, self._place + 2)
            tag = group << 16 | number
            length = self._length(order, is_typed and group != 0xFFFE)
            if tag >= _PICTURE and group != 0xFFFE:
                return
            if length == _OPEN or group == 0xFFFE:
                continue  # into the sequence: its items read as any other
            self._tell(tag, self._body[self._place : self._place + length])
            self._place += length

    def _follow(self) -> tuple[str, bool]:
        if self._syntax == "1.2.840.10008.1.2.1.99":
            packed = self._body[self._place :]
            self._body = zlib.decompressobj(-15).decompress(packed, _MAX_INFLATED)
            self._place = 0
        return (
            ">" if self._syntax == "1.2.840.10008.1.2.2" else "<",
            self._syntax != "1.2.840.10008.1.2",
        )

    def _length(self, order: str, is_typed: bool) -> int:
        at = self._place
        kind = self._body[at + 4 : at + 6]
        if not is_typed:
            self._place += 8
            return int(struct.unpack_from(order + "I", self._body, at + 4)[0])
        if kind in _LONG:
            self._place += 12
            length = int(struct.unpack_from(order + "I", self._body, at + 8)[0])
            return _OPEN if kind == b"SQ" else length  # sequences are read through
        self._place += 8
        return int(struct.unpack_from(order + "H", self._body, at + 6)[0])

    def _tell(self, tag: int, value: bytes) -> None:
        if tag == _SYNTAX:
            self._syntax = value.strip(b"\x00 ").decode("ascii", "replace")
        elif tag == _CHARSET:
            label = value.strip(b"\x00 ").decode("ascii", "replace").rpartition("\\")[2].strip()
            self._codec = _CODECS.get(label, "")
        elif tag == _STUDY_DATE:
            self._tags.add(names.DATE, iso_date(plain(value)))
        elif name := _NAMES.get(tag):
            raw = value.strip(b"\x00 ")
            text = raw.decode(self._codec, "replace") if self._codec else plain(raw)
            self._tags.add(
                name, text.replace("^", " ") if "hysician" in name or name == "Patient" else text
            )
