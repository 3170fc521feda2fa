"""What file did a Mac wrap? The data fork in AppleSingle (RFC 1740); AppleDouble holds no text.

A Mac's file has two forks and a name; other systems keep them in one file (AppleSingle, MacBinary)
or put what they have no place for beside it (AppleDouble, `._name`).
"""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.mail.headers import decode_text
from shoal.model.page import Page

_DATA_FORK, _REAL_NAME = 1, 3
_MAX_ENTRIES = 100


def convert(body: bytes, context: Context) -> list[Converted]:
    forks: dict[int, bytes] = {}
    try:
        count = struct.unpack_from(">H", body, 24)[0]
        for number in range(min(count, _MAX_ENTRIES)):
            kind, offset, length = struct.unpack_from(">III", body, 26 + 12 * number)
            forks[kind] = body[offset : offset + length]
    except struct.error:
        if not forks:
            return [Converted(Page(), problem="damaged: its header ends too early")]
    name = decode_text(forks.get(_REAL_NAME, b""), "") or context.name
    data = forks.get(_DATA_FORK, b"")
    documents = context.inside(data, name) if data else []
    if documents:
        documents[0].name = ""
        return documents
    return [Converted(Page(title=name), problem="" if data else "no text in it")]
