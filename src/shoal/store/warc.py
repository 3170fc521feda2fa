"""What is a WARC record? WARC 1.1 (ISO 28500:2017), written and read one gzip member at a time.

Pure bytes to bytes. Written here rather than by a library, because a record is a dozen header
lines and this is on the path of every page; tests hold it against two independent readers.
"""

import re
import uuid
from typing import NamedTuple

from shoal.clock import iso
from shoal.errors import DamagedError
from shoal.model.compression import GZIP_ERRORS, gunzip_member, gzip_member
from shoal.model.digest import payload_digest

VERSION_LINE = b"WARC/1.1\r\n"
REVISIT_SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
REVISIT_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

_LINE_BREAKS = re.compile(r"[\r\n]+")
_FRAMING = re.compile(rb"^(transfer-encoding|content-length)(\s*:)", re.IGNORECASE)


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
    return f"<urn:uuid:{uuid.uuid4()}>"


def write_record(
    kind: str, when: float, fields: dict[str, str], block: bytes, is_plain_text: bool = False
) -> bytes:
    """One record as one gzip member. A value can't break out of its line."""
    lines = [f"WARC-Type: {kind}", f"WARC-Date: {iso(when)}"]
    if "WARC-Record-ID" not in fields:
        lines.append(f"WARC-Record-ID: {new_id()}")
    lines += [f"{name}: {_LINE_BREAKS.sub(' ', value)}" for name, value in fields.items() if value]
    lines += [f"WARC-Block-Digest: {payload_digest(block)}", f"Content-Length: {len(block)}"]
    head = VERSION_LINE + "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n"
    return gzip_member(b"".join((head, block, b"\r\n\r\n")), is_plain_text)


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
    lines = [_FRAMING.sub(rb"X-Crawler-\1\2", line) for line in _lines(head)]
    lines.append(b"Content-Length: %d" % body_length)
    return b"\r\n".join(lines) + b"\r\n\r\n"


def tidy_head(head: bytes) -> bytes:
    """A head without its body, for a revisit: as sent, ended by the only empty line in it."""
    return b"\r\n".join(_lines(head)) + b"\r\n\r\n"


def _lines(head: bytes) -> list[bytes]:
    """An empty line within would end the head too early for every reader of the archive."""
    lines = [line.rstrip(b"\r") for line in head.split(b"\n")]
    return [line for line in lines if line.strip()]
