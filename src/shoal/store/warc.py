"""What is a WARC record? WARC 1.1 (ISO 28500:2017), written and read one gzip member at a time.

Pure bytes to bytes. Written here rather than by a library, because a record is a dozen header
lines and this is on the path of every page; tests hold it against two independent readers.
"""

import os
import re
from typing import NamedTuple

from shoal.clock import iso
from shoal.errors import DamagedError
from shoal.model.compression import (
    GZIP_ERRORS,
    gunzip_member,
    gzip_member,
    gzip_member_around,
)
from shoal.model.digest import payload_digest

VERSION_LINE = b"WARC/1.1\r\n"
KIND = "WARC-Shoal-Kind"
"""A field of our own: what a response was asked for as, where that is no page."""
_END = b"\r\n\r\n"
REVISIT_SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
REVISIT_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

_LINE_BREAKS = re.compile(r"[\r\n]+")
_RANDOM_BITS = ~(0xF << 76 | 0x3 << 62)
_VERSION_4 = 0x4 << 76 | 0x2 << 62
_FRAMING = re.compile(rb"[TtCc](?:ransfer-encoding|ontent-length)\s*:", re.IGNORECASE)


class Record(NamedTuple):
    headers: dict[str, str]
    """Names lower-cased."""
    block: bytes

    @property
    def http_head(self) -> bytes:
        return self.block.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"

    @property
    def http_body(self) -> bytes:
        return self.block.partition(b"\r\n\r\n")[2]


def new_id() -> str:
    """A random UUID (RFC 9562, version 4). Written out here: the library's takes a dozen times as
    long, twice a page."""
    number = int.from_bytes(os.urandom(16)) & _RANDOM_BITS | _VERSION_4
    digits = f"{number:032x}"
    parts = digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]
    return f"<urn:uuid:{'-'.join(parts)}>"


class Block(NamedTuple):
    """What a record holds, as it is to be written."""

    start: bytes
    packed: bytes = b""
    """The rest of it, when that is compressed already."""
    is_plain_text: bool = False

    @property
    def length(self) -> int:
        return len(self.start) + len(self.packed)


def write_record(kind: str, when: float, fields: dict[str, str], block: Block) -> bytes:
    """One record as one gzip member. A value can't break out of its line."""
    lines = [f"WARC-Type: {kind}", f"WARC-Date: {iso(when)}"]
    if "WARC-Record-ID" not in fields:
        lines.append(f"WARC-Record-ID: {new_id()}")
    lines += [f"{name}: {_one_line(value)}" for name, value in fields.items() if value]
    digest = payload_digest(block.start, block.packed)
    lines += [f"WARC-Block-Digest: {digest}", f"Content-Length: {block.length}"]
    head = VERSION_LINE + "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n"
    if block.packed:
        return gzip_member_around(head + block.start, block.packed + _END)
    return gzip_member(b"".join((head, block.start, _END)), block.is_plain_text)


def _one_line(value: str) -> str:
    return _LINE_BREAKS.sub(" ", value) if "\n" in value or "\r" in value else value


def read_record(member: bytes) -> Record:
    try:
        data = gunzip_member(member)
    except GZIP_ERRORS as error:
        raise DamagedError(f"A WARC record does not unpack: {error}.") from error
    if not data.startswith(b"WARC/"):
        raise DamagedError("A WARC record does not start with its version line.")
    head, _, rest = data.partition(b"\r\n\r\n")
    headers = {}
    for line in head.decode("utf-8", "replace").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    length = headers.get("content-length", "")
    if not length.isdigit() or len(rest) < int(length):
        raise DamagedError("A WARC record is shorter than it says.")
    return Record(headers, rest[: int(length)])


def archived_head(head: bytes, body_length: int) -> bytes:
    """The response head for the archive. The body is stored without its transfer coding, so the
    header fields that frame it are renamed, and the length that now holds is added."""
    lines = [b"X-Crawler-" + line if _FRAMING.match(line) else line for line in _lines(head)]
    lines.append(b"Content-Length: %d" % body_length)
    return b"\r\n".join(lines) + b"\r\n\r\n"


def tidy_head(head: bytes) -> bytes:
    """A head without its body, for a revisit: as sent, ended by the only empty line in it."""
    return b"\r\n".join(_lines(head)) + b"\r\n\r\n"


def _lines(head: bytes) -> list[bytes]:
    """An empty line within would end the head too early for every reader of the archive."""
    lines = [line.rstrip(b"\r") for line in head.split(b"\n")]
    return [line for line in lines if line.strip()]
