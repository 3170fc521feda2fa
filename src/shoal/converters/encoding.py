"""What did the server wrap the body in? Content-Encoding undone (RFC 9110, 8.4), within limits.

The body comes from anyone: a small one may unpack to gigabytes, a stream may be cut or damaged, and
some servers name an encoding they did not use. So the output is bounded by size and by its ratio
to what was sent, and whatever could be decoded is returned with one sentence on what was wrong.
Nothing here raises.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import brotli

from shoal.model import compression

MAX_ENCODINGS = 3
MAX_MEMBERS = 1000
"""Members of one gzip body, frames of one zstd body: millions of empty ones fit into a body."""

_ALWAYS_BYTES = 1_000_000
"""The ratio says nothing about small outputs: a page of one repeated line is no attack."""
_SALVAGE_BYTES = 512
"""Input per step when a stream is damaged: what was decoded before the damage is kept."""
# One call decodes all that is given, and a zstd block of four bytes may stand for 128 KiB: so much
# input makes at most 32 MiB at once.
_ZSTD_STEP_BYTES = 1024

_SHORT = "ends too early"
_DAMAGED = "is damaged"

_ERRORS = (*compression.GZIP_ERRORS, *compression.ZSTD_ERRORS, brotli.error)


class Decoded(NamedTuple):
    data: bytes
    problem: str = ""


class _Stream(Protocol):
    def feed(self, data: bytes, room: int) -> bytes: ...
    @property
    def finished(self) -> bool: ...
    @property
    def rest(self) -> bytes: ...


class _Inflate:
    def __init__(self, stream: compression.Decompressor) -> None:
        self._stream = stream

    def feed(self, data: bytes, room: int) -> bytes:
        return self._stream.decompress(data, room)

    @property
    def finished(self) -> bool:
        return self._stream.eof

    @property
    def rest(self) -> bytes:
        return self._stream.unused_data


class _Brotli:
    rest = b""

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def feed(self, data: bytes, room: int) -> bytes:
        output: bytes = self._stream.process(data, output_buffer_limit=room)
        return output

    @property
    def finished(self) -> bool:
        return bool(self._stream.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._stream = compression.zstd_stream()

    def feed(self, data: bytes, _room: int) -> bytes:
        return self._stream.decompress(data)

    @property
    def finished(self) -> bool:
        return self._stream.eof

    @property
    def rest(self) -> bytes:
        return self._stream.unused_data


class _Coding(NamedTuple):
    start: Callable[[bytes], _Stream]
    magic: bytes = b""
    """How every member begins; without one there is a single member."""
    step_bytes: int = 0
    """Input per step; 0: all at once."""


def _deflate(body: bytes) -> _Stream:
    """With its zlib header (RFC 1950), as the standard says, or without, as some send it."""
    has_header = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _Inflate(compression.inflater(gzip=False) if has_header else compression.raw_inflater())


_GZIP = _Coding(lambda _: _Inflate(compression.inflater(gzip=True)), b"\x1f\x8b")
_CODINGS = {
    "gzip": _GZIP,
    "x-gzip": _GZIP,
    "deflate": _Coding(_deflate),
    "br": _Coding(lambda _: _Brotli()),
    "zstd": _Coding(lambda _: _Zstd(), b"\x28\xb5\x2f\xfd", _ZSTD_STEP_BYTES),
}


def undo(body: bytes, content_encoding: str, max_bytes: int, max_ratio: int) -> Decoded:
    """The body without its content encodings, which stand in the order they were applied."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if not names or not body:
        return Decoded(body[:max_bytes], _cut(max_bytes) if len(body) > max_bytes else "")
    if len(names) > MAX_ENCODINGS:
        return Decoded(body[:max_bytes], f"more than {MAX_ENCODINGS} content encodings")
    room = min(max_bytes, max(_ALWAYS_BYTES, max_ratio * len(body)))
    problems: list[str] = []
    for name in reversed(names):
        coding = _CODINGS.get(name)
        if coding is None:
            problems.append(f"unknown content encoding {name[:20]!r}")
            break
        body, problem = _decode(name, coding, body, room)
        if problem:
            problems.append(problem)
    return Decoded(body[:max_bytes], "; ".join(problems))


def _cut(room: int) -> str:
    return f"cut: it decodes to more than {room / 1e6:.0f} MB"


def _decode(name: str, coding: _Coding, body: bytes, room: int) -> Decoded:
    if coding is _GZIP and (whole := _single_member(body, room)):
        return Decoded(whole)
    if body.startswith(coding.magic):
        data, fault = _run(coding, body, room, coding.step_bytes or len(body))
        if fault == _DAMAGED:  # again, in small steps, for what stands before the damage
            data, fault = _run(coding, body, room, _SALVAGE_BYTES)
        if not fault:
            return Decoded(data[:room], _cut(room) if len(data) >= room else "")
        if data:
            return Decoded(data, f"the {name} stream {fault}")
    # What was only declared, and what is damaged from its first byte, is read as it stands.
    return Decoded(body[:room], f"declared as {name}, but is not")


def _single_member(body: bytes, room: int) -> bytes:
    """What most bodies are: one gzip member, whole and within bounds. Empty for any other."""
    stream = compression.inflater(gzip=True)
    try:
        data = stream.decompress(body, room)
    except compression.GZIP_ERRORS:
        return b""
    return data if stream.eof and not stream.unused_data and len(data) < room else b""


def _run(coding: _Coding, body: bytes, room: int, step: int) -> tuple[bytes, str]:
    """What all members decode to, up to the first fault, and that fault."""
    pieces: list[bytes] = []
    fault = ""
    try:
        pieces.extend(_pieces(coding, body, step, room))
    except EOFError:
        fault = _SHORT
    except _ERRORS:
        fault = _DAMAGED
    return b"".join(pieces), fault


def _pieces(coding: _Coding, body: bytes, step: int, room: int) -> Iterator[bytes]:
    for _ in range(MAX_MEMBERS):
        stream = coding.start(body)
        position = 0
        while not stream.finished:
            if position >= len(body):
                raise EOFError
            piece = stream.feed(body[position : position + step], room)
            position += step
            room -= len(piece)
            yield piece
            if room <= 0:
                return
        body = stream.rest + body[position:]
        if not coding.magic or not body.startswith(coding.magic):
            return  # what follows the last member is padding
