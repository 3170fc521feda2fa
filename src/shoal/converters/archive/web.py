"""What lies in a web archive file? The pages that were fetched: WARC (ISO 28500) and its elder ARC.

Each response, resource or conversion is a document of its own, named by the URL it was fetched
from; requests and metadata about the crawl are passed over.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from shoal.converters.archive.archive import Member, contained
from shoal.converters.context import Context, Converted
from shoal.converters.encoding import undo
from shoal.converters.mail.headers import read_head

WARC_MAGIC = b"WARC/"
_MAX_RECORDS = 20_000
_KEPT = frozenset({"response", "resource", "conversion"})
_ARC_LINE = re.compile(
    rb"^((?i:[a-z]){2,10}:\S{1,4000}) \S{1,60} \d{8,14} \S[^\n]{0,500}? (\d{1,12})\r?\n",
    re.MULTILINE,
)
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]{0,100}\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/\d[^\n]{0,200}\r?\n")


class _Record(NamedTuple):
    url: str
    start: int
    end: int


def convert_warc(body: bytes, context: Context) -> list[Converted]:
    return _contained(body, _warc_records(body), context)


def convert_arc(body: bytes, context: Context) -> list[Converted]:
    return _contained(body, _arc_records(body), context)


def _contained(body: bytes, records: Iterator[_Record], context: Context) -> list[Converted]:
    members = (Member(record.url, partial(_payload, body, record)) for record in records)
    return contained(members, context, len(body))


def _warc_records(body: bytes) -> Iterator[_Record]:
    position = body.find(WARC_MAGIC)
    for _ in range(_MAX_RECORDS):
        line_end = body.find(b"\n", position, position + 100)
        if position < 0 or line_end < 0:
            return
        head = read_head(body, line_end + 1)
        length = head.raw("content-length")
        size = int(length) if length.isdigit() and len(length) < 13 else 0
        url = head.raw("warc-target-uri").decode("utf-8", "replace").strip("<> ")
        if head.text("warc-type").lower() in _KEPT and url:
            yield _Record(url, head.body_at, head.body_at + size)
        position = body.find(WARC_MAGIC, head.body_at + size)


def _arc_records(body: bytes) -> Iterator[_Record]:
    position = 0
    for _ in range(_MAX_RECORDS):
        line = _ARC_LINE.search(body, position)
        if line is None:
            return
        end = line.end() + int(line[2])
        if line[1].lower().startswith(b"http"):
            yield _Record(line[1].decode("utf-8", "replace"), line.end(), end)
        position = end


def _payload(body: bytes, record: _Record, most: int) -> bytes:
    """The body of the response, with its codings undone."""
    status = _STATUS_LINE.match(body, record.start, record.end)
    if status is None:
        return body[record.start : min(record.end, record.start + most)]
    head = read_head(body, status.end())
    data = body[min(head.body_at, record.end) : record.end]
    if "chunked" in head.text("transfer-encoding").lower():
        data = _unchunked(data)
    return undo(data, head.text("content-encoding"), most, most).data


def _unchunked(data: bytes) -> bytes:
    pieces: list[bytes] = []
    position = 0
    while chunk := _CHUNK.match(data, position):
        size = int(chunk[1], 16)
        if size == 0:
            break
        pieces.append(data[chunk.end() : chunk.end() + size])
        position = chunk.end() + size
        position += 2 if data[position : position + 2] == b"\r\n" else 1
    return b"".join(pieces) or data
