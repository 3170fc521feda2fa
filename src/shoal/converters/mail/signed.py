"""What lies in a signed or sealed mail? The content of a CMS message (RFC 5652), if it is open.

Only as much of ASN.1 as it takes to find the signed content: DER, and BER's endless lengths and
split strings, which mail programs write. What is encrypted stays so, and is said.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.context import Context, Converted
from shoal.converters.mail.headers import from_base64
from shoal.model.page import Page

_SIGNED = bytes.fromhex("2a864886f70d010702")
_ENVELOPED = bytes.fromhex("2a864886f70d010703")
_COMPRESSED = bytes.fromhex("2a864886f70d0109100109")
_AUTH_ENVELOPED = bytes.fromhex("2a864886f70d0109100117")
_OID, _OCTETS, _OCTETS_SPLIT, _EXPLICIT = 0x06, 0x04, 0x24, 0xA0
_FIELD = re.compile(rb"\s{0,4}(?:content-|mime-|from:|to:|subject:|date:|message-)", re.IGNORECASE)
_MAX_DEPTH = 12
_MAX_ELEMENTS = 100_000


class Opened(NamedTuple):
    content: bytes
    problem: str = ""


class _Element(NamedTuple):
    tag: int
    start: int
    end: int
    """Of its content."""
    after: int


def convert(body: bytes, context: Context) -> list[Converted]:
    """A `.p7m` file: what was signed is the document."""
    opened = unwrap(body)
    name = re.sub(r"\.(?:p7[ms]|p7c)$", "", context.name, flags=re.IGNORECASE)
    declared = "message/rfc822" if _FIELD.match(opened.content) else ""
    found = context.inside(opened.content, name, declared) if opened.content else []
    if not found:
        return [Converted(Page(title=context.name), problem=opened.problem or "nothing is signed")]
    found[0].name = ""
    return found


def unwrap(data: bytes) -> Opened:
    """The signed content. A signature that stands apart has none."""
    if not data.startswith(b"\x30"):
        data = from_base64(b"".join(row for row in data.splitlines() if not row.startswith(b"--")))
    try:
        outer = next(_children(data, 0, len(data)))
        parts = list(_children(data, outer.start, outer.end))
        kind = data[parts[0].start : parts[0].end] if parts[0].tag == _OID else b""
        if kind in (_ENVELOPED, _AUTH_ENVELOPED):
            return Opened(b"", "encrypted")
        if kind == _COMPRESSED:
            return Opened(b"", "a compressed message is not read")
        if kind != _SIGNED:
            return Opened(b"", "damaged: no signed message")
        return Opened(_signed(data, parts[1]))
    except (IndexError, ValueError, StopIteration):
        return Opened(b"", "damaged: the signed message can't be read")


def _signed(data: bytes, explicit: _Element) -> bytes:
    signed = next(_children(data, explicit.start, explicit.end))
    for element in _children(data, signed.start, signed.end):
        inner = list(_children(data, element.start, element.end)) if element.tag == 0x30 else []
        if inner and inner[0].tag == _OID:  # encapContentInfo
            pieces: list[bytes] = []
            for each in inner[1:]:
                _gather(data, each, pieces, 0)
            return b"".join(pieces)
    return b""


def _gather(data: bytes, element: _Element, pieces: list[bytes], depth: int) -> None:
    if element.tag == _OCTETS:
        pieces.append(data[element.start : element.end])
    elif element.tag in (_OCTETS_SPLIT, _EXPLICIT) and depth < _MAX_DEPTH:
        for each in _children(data, element.start, element.end):
            _gather(data, each, pieces, depth + 1)


def _children(data: bytes, position: int, end: int) -> Iterator[_Element]:
    for _ in range(_MAX_ELEMENTS):
        if position >= end or data[position : position + 2] == b"\0\0":
            return
        element = _element(data, position, end, 0)
        yield element
        position = element.after


def _element(data: bytes, position: int, end: int, depth: int) -> _Element:
    tag, length = data[position], data[position + 1]
    start = position + 2
    if tag & 0x1F == 0x1F or depth > _MAX_DEPTH:
        raise ValueError("not a tag of this format")
    if length == 0x80:
        return _endless(data, tag, start, end, depth)
    if length > 0x80:
        size = length & 0x7F
        length = int.from_bytes(data[start : start + size])
        start += size
    stop = min(end, start + length)
    return _Element(tag, start, stop, stop)


def _endless(data: bytes, tag: int, start: int, end: int, depth: int) -> _Element:
    """Up to the two zero bytes on its own level, or to wherever the data stops."""
    position = start
    for _ in range(_MAX_ELEMENTS):
        if position + 2 > end or data[position : position + 2] == b"\0\0":
            break
        position = _element(data, position, end, depth + 1).after
    return _Element(tag, start, min(position, end), min(position + 2, end))
