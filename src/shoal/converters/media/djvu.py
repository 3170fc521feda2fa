"""What does a DjVu scan say? Its text layer and annotations, where they are not packed.

Chunks of IFF 85: a document (`DJVM`) holds pages (`DJVU`). `TXTa` is a page's text, `ANTa` holds
metadata as S-expressions. Their packed twins (`TXTz`, `ANTz`) need the BZZ coder: not here.
"""

import re
import struct
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.media.tags import FAULTS, plain
from shoal.converters.writer import Writer

_MAX_CHUNKS = 100_000
_MAX_DEPTH = 3
_METADATA = re.compile(
    r'\((title|author|subject|keywords|year|note|publisher)\s+"((?:[^"\\]|\\.)*)"\)', re.IGNORECASE
)


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    known: dict[str, str] = {}
    problem, page_number, is_packed = "", 0, False
    try:
        for kind, data in _chunks(body, 4, len(body), 0):
            if kind == b"INFO":
                page_number += 1
            elif kind == b"TXTa":
                size = int.from_bytes(data[:3], "big")
                text = data[3 : 3 + size].decode("utf-8", "replace")
                # Lines, columns and regions end with control characters of their own.
                for paragraph in re.split(r"[\x0b\x1d\x1f]|\n\s*\n", text):
                    writer.paragraph(paragraph, source=max(1, page_number))
            elif kind == b"ANTa":
                for name, value in _METADATA.findall(plain(data)):
                    known.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", value))
            is_packed = is_packed or kind == b"TXTz"
    except FAULTS as fault:
        problem = f"damaged: {fault}"[:200]
    page = writer.page(known.get("title", ""))
    page.author = known.get("author", "")
    page.published = known.get("year", "")
    page.keywords = known.get("keywords", "")
    if is_packed and not problem:
        problem = "the text layer is packed by BZZ, which is not read"
    return [Converted(page, problem=problem or writer.problem)]


def _chunks(body: bytes, place: int, end: int, depth: int) -> Iterator[tuple[bytes, bytes]]:
    for _ in range(_MAX_CHUNKS):
        if place + 8 > end:
            return
        kind, size = struct.unpack_from(">4sI", body, place)
        stop = min(end, place + 8 + size)
        if kind == b"FORM" and depth < _MAX_DEPTH:
            yield from _chunks(body, place + 12, stop, depth + 1)
        else:
            wanted = kind in (b"TXTa", b"ANTa")
            yield kind, body[place + 8 : stop] if wanted else b""
        place += 8 + size + size % 2
