"""What does a PostScript file say of itself? Its structuring comments, and XMP where there is some.

The page itself is a program: its words come only out of running it, which is not done here.
"""

import re

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, iso_date, plain, tagged
from shoal.converters.media.xmp import read_xmp

_NAMES = {
    b"Title": names.TITLE, b"Creator": "Software", b"For": names.CREATOR, b"Author":
    names.CREATOR, b"CreationDate": "Created", b"Copyright": names.COPYRIGHT, b"Keywords":
    names.KEYWORDS, b"Subject": "Subject",
}  # fmt: skip
_COMMENT = re.compile(rb"^%%(\w+):[ \t]*([^\r\n]+(?:[\r\n]+%%\+[^\r\n]+)*)", re.MULTILINE)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(.))", re.DOTALL)
_EMPTY = ("(atend)", "none", "(unspecified)", "untitled")
_HEAD_BYTES = 100_000
_XMP_BYTES = 2_000_000


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    if body.startswith(b"\xc5\xd0\xd3\xc6"):  # DOS EPS: the program lies behind a table
        start, size = int.from_bytes(body[4:8], "little"), int.from_bytes(body[8:12], "little")
        body = body[start : start + size]
    head = body[:_HEAD_BYTES].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for found in (*_COMMENT.findall(head), *_COMMENT.findall(body[-4096:])):
        name, raw = _NAMES.get(found[0]), found[1].replace(b"\n%%+", b" ").strip()
        text = _text(raw)
        if name == "Created":
            text = iso_date(text) or text
        if name and text.lower() not in _EMPTY:
            tags.add(name, text)
    at = body.find(b"<x:xmpmeta", 0, 5_000_000)
    if at >= 0:
        end = body.find(b"</x:xmpmeta>", at, at + _XMP_BYTES)
        read_xmp(body[at : end + 12] if end > 0 else body[at : at + _XMP_BYTES], tags)


def _text(raw: bytes) -> str:
    if raw.startswith(b"(") and raw.endswith(b")") and raw != b"(atend)":
        raw = _ESCAPE.sub(_letter, raw[1:-1])
        if raw[:2] == b"\xfe\xff":
            return raw.decode("utf-16", "replace")
    elif re.fullmatch(rb"<(?:[0-9A-Fa-f]{2})+>", raw):
        raw = bytes.fromhex(raw[1:-1].decode("ascii"))
        if raw[:2] == b"\xfe\xff":
            return raw.decode("utf-16", "replace")
    return plain(raw)


def _letter(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 8) & 255])
    return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(match[2], match[2])
