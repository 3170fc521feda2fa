"""Which documents lie within an Office document? Its embedded files, out of their wrappers.

Word, PowerPoint and Excel keep them as parts: an Office file as it is, anything else in an OLE
compound file, either whole (a `Package` stream) or behind a header with its name (`Ole10Native`,
[MS-OLEDS] 2.3.6).
"""

import struct
from typing import NamedTuple

from shoal.converters.context import Context, Converted
from shoal.converters.limits import Limits
from shoal.converters.ole.ole import MAGIC, Compound
from shoal.converters.ooxml.ooxml import Parts

_WHOLE = ("Package", "CONTENTS", "EmbeddedOdf")
_NATIVE = "\x01Ole10Native"


class Wrapped(NamedTuple):
    data: bytes
    name: str


def embedded(parts: Parts, context: Context) -> list[Converted]:
    """The documents that lie in this one. The workbooks behind charts are left out: what they
    show is in the chart."""
    behind_charts = {
        relation.target.lower()
        for name in parts.names
        if "/charts/" in name and name.endswith(".xml")
        for relation in parts.relations(name).values()
    }
    found: list[Converted] = []
    for name in parts.names:
        lower = name.lower()
        if "embeddings/" not in lower or lower.endswith(".rels") or lower in behind_charts:
            continue
        held = unwrap(parts.data(name), context.limits)
        declared = "" if held.name else parts.content_type(name)
        if held.data:
            found += context.inside(held.data, held.name or name.rpartition("/")[2], declared)
    return found


def unwrap(data: bytes, limits: Limits) -> Wrapped:
    """The file itself, and its name where the wrapper knows it."""
    if not data.startswith(MAGIC):
        return Wrapped(data, "")
    compound = Compound(data, limits)
    if _NATIVE in compound:
        native = _native(compound.read(_NATIVE))
        if native.data:
            return native
    for path in _WHOLE:
        whole = compound.read(path)
        if whole:
            return Wrapped(whole, "")
    return Wrapped(data, "")


def _native(stream: bytes) -> Wrapped:
    """A size, flags, label, path, flags, a path again, a size, and the file."""
    try:
        label_end = stream.index(b"\0", 6)
        path_end = stream.index(b"\0", label_end + 1)
        (temporary,) = struct.unpack_from("<I", stream, path_end + 5)
        (size,) = struct.unpack_from("<I", stream, path_end + 9 + temporary)
    except (ValueError, struct.error):
        return Wrapped(stream[4:], "")
    start = path_end + 13 + temporary
    label = stream[6:label_end].decode("cp1252", "replace")
    return Wrapped(stream[start : start + size], label.replace("\\", "/").rpartition("/")[2])
