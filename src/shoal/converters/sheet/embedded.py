"""Which document is an embedded object? What lies in its wrapping, or the object itself.

An OLE object is a compound file. A file of another kind lies in a stream of it:
`Package` (Office Open XML), `CONTENTS` (PDF), `Ole10Native` (any file, with its name), else the
whole of it is a document of an older program.
"""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import MAGIC, Compound

_HOLDERS = ("Package", "CONTENTS", "EMBEDDED ODF", "EmbeddedOdf")
_NATIVE = "\x01Ole10Native"


def inside(data: bytes, name: str, context: Context) -> list[Converted]:
    """The documents of one embedded file."""
    if not data:
        return []
    if data.startswith(MAGIC):
        found = _unwrapped(Compound(data, context.limits))
        if found is not None:
            return context.inside(found[0], found[1] or name)
    return context.inside(data, name)


def _unwrapped(compound: Compound) -> tuple[bytes, str] | None:
    """The bytes and, where it is known, the name."""
    for holder in _HOLDERS:
        data = compound.read(holder)
        if data:
            return data, ""
    return _native(compound.read(_NATIVE)) if _NATIVE in compound else None


def _native(stream: bytes) -> tuple[bytes, str] | None:
    """A length, a mark of 2, label and path with a zero at their ends, and then the file; other
    programs write the file right behind the length."""
    try:
        (mark,) = struct.unpack_from("<H", stream, 4)
        if mark != 2:
            return (stream[4:], "") if len(stream) > 4 else None
        label_end = stream.index(b"\0", 6)
        path_end = stream.index(b"\0", label_end + 1)
        (temporary,) = struct.unpack_from("<I", stream, path_end + 5)
        at = path_end + 9 + temporary
        (size,) = struct.unpack_from("<I", stream, at)
    except (struct.error, ValueError):
        return None
    name = stream[6:label_end].decode("cp1252", "replace").replace("\\", "/").rpartition("/")[2]
    return stream[at + 4 : at + 4 + size], name
