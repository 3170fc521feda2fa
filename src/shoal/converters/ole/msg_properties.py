"""Which properties has a message that Outlook saved? [MS-OXMSG]: a stream for each, or a table.

Texts and bytes lie in streams that are named by number and type, short values in one stream of 16
bytes each. Text is UTF-16, or in the code page that the message names.
"""

import struct

from shoal.converters.characters.codepages import codec_of, codec_of_language, decode
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.properties import iso_time

_TABLE = "__properties_version1.0"
_STREAM = "__substg1.0_"
_CODEPAGE, _INTERNET_CODEPAGE, _LANGUAGE = 0x3FFD, 0x3FDE, 0x3FF1
_LONG, _BOOLEAN, _TIME = 0x0003, 0x000B, 0x0040


class PropertyBag:
    """The properties of a message, a recipient or an attachment."""

    def __init__(self, compound: Compound, storage: str = "", codec: str = "") -> None:
        self._compound = compound
        self._prefix = f"{storage}/" if storage else ""
        self._values = _values(compound.read(self._prefix + _TABLE))
        internet = self.number(_INTERNET_CODEPAGE)
        self.codec = codec or self._codec(internet)
        self.html_codec = codec_of(internet) if internet else ""

    def _codec(self, internet: int) -> str:
        """The internet's code page is that of the HTML; other text may be in the writer's own."""
        codepage, language = self.number(_CODEPAGE), self.number(_LANGUAGE)
        if codepage:
            return codec_of(codepage)
        return codec_of_language(language) if language else codec_of(internet or 1252)

    def text(self, number: int) -> str:
        wide = self._compound.read(self._name(number, 0x001F))
        if wide:
            return wide[: len(wide) & ~1].decode("utf-16-le", "replace").rstrip("\0")
        return decode(self.narrow(number), self.codec).rstrip("\0")

    def narrow(self, number: int) -> bytes:
        """A text as its bytes."""
        return self._compound.read(self._name(number, 0x001E))

    def first_text(self, *numbers: int) -> str:
        return next((text for number in numbers if (text := self.text(number).strip())), "")

    def data(self, number: int) -> bytes:
        return self._compound.read(self._name(number, 0x0102))

    def storage(self, number: int) -> str:
        """The path of a property that is a whole storage; empty when there is none."""
        path = self._name(number, 0x000D)
        return path if self._compound.has_storage(path) else ""

    def number(self, number: int) -> int:
        kind, value = self._values.get(number, (0, b""))
        if kind == _LONG:
            return int.from_bytes(value[:4], "little")
        return value[0] if kind == _BOOLEAN else 0

    def time(self, number: int) -> str:
        kind, value = self._values.get(number, (0, b""))
        return iso_time(int.from_bytes(value, "little")) if kind == _TIME else ""

    def _name(self, number: int, kind: int) -> str:
        return f"{self._prefix}{_STREAM}{number:04X}{kind:04X}"


def _values(table: bytes) -> dict[int, tuple[int, bytes]]:
    """The table's head is 32, 24 or 8 bytes long: what it describes does not say which."""
    start = len(table) % 16 or 32
    if start == 8 and len(table) >= 24 and not _is_entry(table, 8):
        start = 24
    values: dict[int, tuple[int, bytes]] = {}
    for at in range(start, len(table) - 15, 16):
        kind, number = struct.unpack_from("<HH", table, at)
        values[number] = (kind, table[at + 8 : at + 16])
    return values


def _is_entry(table: bytes, at: int) -> bool:
    kind, number, flags = struct.unpack_from("<HHI", table, at)
    return bool(0 < kind <= 0x1102 and number > 0 and 0 < flags < 8)
