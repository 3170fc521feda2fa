"""How is a .gz file read as a stream? Step by step, and never to a multitude of what was sent.

Files of several members are read whole, as gzip does. What was unpacked before a fault is given
out; the fault is told in one sentence. Nothing here raises.
"""

from collections.abc import Callable, Iterable, Iterator

from shoal.model.compression import GZIP_ERRORS, Decompressor, inflater

GZIP_MAGIC = b"\x1f\x8b"
MAX_RATIO = 500
"""Bytes unpacked for one byte sent; a long list of similar URLs has 50 at most."""
MAX_MEMBERS = 1_000

_STEP_BYTES = 65_536
_ALWAYS_BYTES = 1_000_000
"""The ratio says nothing about small files."""


class _Refused(Exception):
    """Nothing more is unpacked of it."""


def gunzipped(chunks: Iterable[bytes], tell: Callable[[str], None]) -> Iterator[bytes]:
    stream, members, sent, made = inflater(gzip=True), 1, 0, 0
    data = b""
    try:
        for chunk in chunks:
            sent += len(chunk)
            data += chunk
            while data:
                for piece in _pieces(stream, data):
                    made += len(piece)
                    if made > max(_ALWAYS_BYTES, MAX_RATIO * sent):
                        raise _Refused(f"it unpacks to more than {MAX_RATIO} times its size")
                    yield piece
                if not stream.eof:
                    data = b""
                    break
                data = stream.unused_data
                if len(data) < len(GZIP_MAGIC):
                    break  # the next chunk shows whether another member follows
                if not data.startswith(GZIP_MAGIC):
                    return  # padding
                members += 1
                if members > MAX_MEMBERS:
                    raise _Refused(f"it has more than {MAX_MEMBERS:,} gzip members")
                stream = inflater(gzip=True)
    except _Refused as refusal:
        tell(f"{refusal}: refused")
    except GZIP_ERRORS:
        tell("its gzip is damaged")
    else:
        if not stream.eof:
            tell("its gzip ends too early")


def _pieces(stream: Decompressor, data: bytes) -> Iterator[bytes]:
    """All that comes of `data`, in bounded steps: output may wait when the input is used up."""
    while not stream.eof:
        piece = stream.decompress(data, _STEP_BYTES)
        yield piece
        data = stream.unconsumed_tail
        if not data and len(piece) < _STEP_BYTES:
            return
