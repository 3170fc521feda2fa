"""What does a NetCDF file say of its data? Its attributes, and what its variables are.

The classic format (CDF-1, -2 and -5): big-endian lists of dimensions, attributes and variables
stand in front of the numbers, which are not read.
"""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, plain, tagged

_MAX_ITEMS = 5_000
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_NAMES = {
    "title": names.TITLE, "institution": "Institution", "source": "Source", "history": "History",
    "references": "References", "comment": names.COMMENT, "summary": names.DESCRIPTION,
    "keywords": names.KEYWORDS, "creator_name": names.CREATOR, "project": "Project",
    "license": "Licence", "contact": "Contact", "date_created": "Created", "author":
    names.CREATOR, "description": names.DESCRIPTION, "acknowledgment": "Acknowledgment",
}  # fmt: skip
_TEXT = 2


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(lambda data, tags: _Header(data).read(tags), body, context)


class _Header:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self._is_wide = body[3] == 5
        self._offset_size = 4 if body[3] == 1 else 8
        self._place = 4

    def read(self, tags: Tags) -> None:
        self._count()  # records
        for _ in range(self._list()):
            self._name()
            self._count()
        for name, value in self._attributes():
            tags.add(_NAMES.get(name.lower(), name.replace("_", " ").capitalize()), value)
        for _ in range(self._list()):
            name = self._name()
            for _ in range(min(self._count(), _MAX_ITEMS)):
                self._count()
            told = dict(self._attributes())
            self._place += 4 + (8 if self._is_wide else 4) + self._offset_size
            meaning = told.get("long_name") or told.get("standard_name", "")
            units = f" ({told['units']})" if told.get("units") else ""
            tags.add("Variable", f"{name}: {meaning}{units}" if meaning else name + units)

    def _count(self) -> int:
        size = 8 if self._is_wide else 4
        (value,) = struct.unpack_from(">Q" if self._is_wide else ">I", self._body, self._place)
        self._place += size
        return int(value)

    def _list(self) -> int:
        self._place += 4  # which list it is
        return min(self._count(), _MAX_ITEMS)

    def _name(self) -> str:
        size = self._count()
        text = plain(self._body[self._place : self._place + size])
        self._place += (size + 3) & ~3
        return text

    def _attributes(self) -> list[tuple[str, str]]:
        found = []
        for _ in range(self._list()):
            name = self._name()
            (kind,) = struct.unpack_from(">I", self._body, self._place)
            self._place += 4
            count = self._count()
            size = count * _SIZES[kind]
            if kind == _TEXT:
                found.append((name, plain(self._body[self._place : self._place + size])))
            self._place += (size + 3) & ~3
        return found
