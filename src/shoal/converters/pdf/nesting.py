"""How deep is content marked within marked content? Not deeper than a limit, for PDFium.

PDFium copies all marks that are open at every new one (BDC, BMC), so a stream of 64,000 within each
other takes it minutes, and nothing can stop it meanwhile. What opens beyond the limit, and what
closes it, is taken out of the stream, which is written back into its own place: it became shorter,
so the file's table of objects stays true. The text stays; only the structure that deep is lost.

Streams that are packed otherwise than by Flate, or encrypted, are left as they are.
"""

import re
import zlib

_MOST_DEEP = 1_000
"""Tagged files have a few levels."""
_STREAM_BYTES, _ALL_BYTES = 20_000_000, 200_000_000
_HEAD_BYTES = 2_000
_START = re.compile(rb"stream\r?\n")
_NO_CONTENT = (b"/Image", b"/Length1", b"/ObjStm", b"/XRef", b"/XML", b"/FontFile", b"/CIDFont")
_OPENS = (b"BDC", b"BMC")
_OPERATOR = re.compile(rb"(?<![^\s>\])])(BDC|BMC|EMC)(?![^\s/\[(<])")


def flattened(body: bytes) -> bytes:
    """The file, in which no stream marks deeper than the limit; itself where none did."""
    out: bytearray | None = None
    left, depth, end = _ALL_BYTES, 0, 0
    for found in _START.finditer(body):
        if found.start() < end or body[found.start() - 3 : found.start()] == b"end":
            continue  # it stands within the last one, or ends it
        head = body[max(0, found.start() - _HEAD_BYTES) : found.start()].rpartition(b" obj")[2]
        end = body.find(b"endstream", found.end())
        if end < 0 or left <= 0:
            break
        if any(each in head for each in _NO_CONTENT):
            continue
        packed = body[found.end() : end]
        data = _unpacked(packed, head, min(left, _STREAM_BYTES))
        left -= len(data)
        opens = sum(map(data.count, _OPENS))
        if depth + opens <= _MOST_DEEP:
            depth = max(0, depth + opens - data.count(b"EMC"))  # one page may have many streams
            continue
        flat, depth = _flat(data, depth, _MOST_DEEP)
        if flat == data:
            continue
        again = _packed(flat, head)
        if len(again) > len(packed):  # a stream without any marks is more even
            again = _packed(_flat(data, 0, 0)[0], head)
        if len(again) > len(packed):
            again = b""  # rather without this stream than for minutes
        out = bytearray(body) if out is None else out
        out[found.end() : end] = again.ljust(len(packed), b"\n")
    return body if out is None else bytes(out)


def _unpacked(packed: bytes, head: bytes, most: int) -> bytes:
    if b"/FlateDecode" in head and b"/DecodeParms" not in head:
        try:
            return zlib.decompressobj().decompress(packed, most)
        except zlib.error:
            return b""
    return b"" if b"/Filter" in head else packed[:most]


def _packed(data: bytes, head: bytes) -> bytes:
    return zlib.compress(data, 9) if b"/FlateDecode" in head else data


def _flat(data: bytes, depth: int, most: int) -> tuple[bytes, int]:
    """Without what opens beyond the limit, and how many are open at its end."""
    parts: list[bytes] = []
    at, dropped = 0, 0
    for operator in _OPERATOR.finditer(data):
        if operator[1] == b"EMC":
            if dropped:
                dropped -= 1
                parts.append(data[at : operator.start()])
                at = operator.end()
            else:
                depth = max(0, depth - 1)
        elif depth < most:
            depth += 1
        else:
            dropped += 1  # what it was given stays: the next operator takes what stands last
            parts.append(data[at : operator.start()])
            at = operator.end()
    parts.append(data[at:])
    return b"".join(parts), depth
