"""What lies in a zip file? Its members, each within bounds; the package of half of all formats.

Sizes in a zip are claims: what is read is bounded by what comes out, per member and in all. Names
are text for people, never paths to write to. A file whose directory is lost is read member by
member from its start.
"""

import io
import struct
import zipfile
import zlib

from shoal.converters.limits import Limits

_FAULTS = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError),
    *(RuntimeError, struct.error, KeyError, IndexError, OverflowError),
)
_LOCAL = b"PK\x03\x04"
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_CHUNK_BYTES = 1 << 16
_STEP_BYTES = 64
"""Of a damaged member: what was unpacked before the damage is kept."""


class Package:
    def __init__(self, data: bytes, limits: Limits) -> None:
        self._room = limits.unpacked_bytes
        self._member_bytes = limits.member_bytes
        self._data = data
        self._zip: zipfile.ZipFile | None = None
        self._salvaged: dict[str, tuple[int, bytes]] = {}
        self.problem = ""
        self.names: list[str] = []
        """Of its files, in their order, as decoded by zipfile; folders are left out."""
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            infos = self._zip.infolist()
        except _FAULTS:
            self.problem = "the zip file is damaged"
            self._salvage(data, limits.members)
        else:
            self._infos = {info.filename: info for info in infos if not info.filename.endswith("/")}
            self.names = list(self._infos)
        self._by_lower = {name.lower().lstrip("/"): name for name in reversed(self.names)}

    def __contains__(self, name: str) -> bool:
        return name.lower().lstrip("/") in self._by_lower

    def read(self, name: str) -> bytes:
        """Empty when it is not there or can't be read; cut at the limits. Case does not matter."""
        found = self._by_lower.get(name.lower().lstrip("/"))
        if found is None:
            return b""
        room = min(self._room, self._member_bytes)
        data = self._read(found, room + 1)
        if len(data) > room:
            self.problem = self.problem or f"cut: unpacks to more than {room} bytes"
            data = data[:room]
        self._room -= len(data)
        return data

    def raw_name(self, name: str) -> bytes:
        """The name's bytes, for those who know a better charset; empty when it is UTF-8."""
        info = self._infos.get(name) if self._zip else None
        if info is None or info.flag_bits & 0x800:
            return b""
        return info.orig_filename.encode("cp437", "replace")

    def _read(self, name: str, most: int) -> bytes:
        if self._zip is None:
            method, packed = self._salvaged[name]
            return packed[:most] if method == 0 else _inflate(packed, most)
        pieces: list[bytes] = []
        left = most
        try:
            with self._zip.open(self._infos[name]) as member:
                while left > 0 and (piece := member.read(min(left, _CHUNK_BYTES))):
                    pieces.append(piece)
                    left -= len(piece)
        except _FAULTS as error:
            self.problem = self.problem or _in_words(error)
            salvaged = self._salvaged_member(self._infos[name], most)
            return max(b"".join(pieces), salvaged, key=len)
        return b"".join(pieces)

    def _salvaged_member(self, info: zipfile.ZipInfo, most: int) -> bytes:
        """What can be unpacked of a damaged member, in small steps and whatever its checksum."""
        begin = info.header_offset + _LOCAL_HEADER.size
        header = self._data[info.header_offset : begin]
        if len(header) < _LOCAL_HEADER.size or info.flag_bits & 1:
            return b""
        begin += sum(_LOCAL_HEADER.unpack(header)[9:11])
        packed = self._data[begin : begin + info.compress_size]
        if info.compress_type == zipfile.ZIP_STORED:
            return packed[:most]
        return _inflate(packed, most) if info.compress_type == zipfile.ZIP_DEFLATED else b""

    def _salvage(self, data: bytes, most: int) -> None:
        """Local headers, as far as they go: a download that broke off has no directory."""
        position = data.find(_LOCAL)
        while position >= 0 and len(self._salvaged) < most:
            header = data[position : position + _LOCAL_HEADER.size]
            if len(header) < _LOCAL_HEADER.size:
                break
            fields = _LOCAL_HEADER.unpack(header)
            flags, method, packed, name_bytes, extra_bytes = (fields[i] for i in (2, 3, 7, 9, 10))
            begin = position + _LOCAL_HEADER.size + name_bytes
            raw = data[begin - name_bytes : begin]
            begin += extra_bytes
            following = data.find(_LOCAL, begin + (0 if flags & 8 else packed))
            end = len(data) if following < 0 else following
            if method in (0, 8) and not flags & 1 and not raw.endswith(b"/"):
                name = raw.decode("utf-8" if flags & 0x800 else "cp437", "replace")
                body = data[begin:end] if method == 8 else data[begin : min(end, begin + packed)]
                self._salvaged.setdefault(name, (method, body))
            position = following
        self.names = list(self._salvaged)


def _inflate(packed: bytes, most: int) -> bytes:
    stream = zlib.decompressobj(-15)
    pieces: list[bytes] = []
    for start in range(0, len(packed), _STEP_BYTES):
        try:
            pieces.append(stream.decompress(packed[start : start + _STEP_BYTES], most))
        except zlib.error:
            break
        most -= len(pieces[-1])
        if stream.eof or most <= 0:
            break
    return b"".join(pieces)


def _in_words(error: Exception) -> str:
    if "encrypt" in str(error) or "password" in str(error):
        return "encrypted"
    return "a member of the zip file is damaged"
