"""How do the main process and its children talk? Length-prefixed frames over a pair of sockets.

Five bytes of header (length of the payload, kind), then a MessagePack value. Every frame to a child
is answered by one frame, in order, so the parent knows what a child was doing when it died.
"""

from collections.abc import Iterator
from enum import IntEnum
from struct import Struct as Layout
from typing import Protocol

from shoal.model.record import Struct

HEADER = Layout("!IB")
MAX_PAYLOAD_BYTES = 1 << 30

EXIT_NO_MEMORY = 86
"""How a child says that it ran into its memory limit; the number means nothing else."""


class Ask(IntEnum):
    SETUP = 1  # a Setup; answered when the worker is ready
    READ = 2  # a visit and what was fetched
    ARCHIVE = 3  # the same, for a page that killed a reader: keep the raw response, read nothing


class Answer(IntEnum):
    READY = 1
    UNDERSTOOD = 2
    FAULT = 3  # a fault of ours (a full disk): a sentence, for whoever asked


class Setup(Struct, array_like=True, frozen=True):
    config: bytes
    memory_bytes: int
    open_files: int


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class BrokenFrame(ValueError):
    """The other side does not keep to the protocol."""


def frame(kind: int, payload: bytes = b"") -> bytes:
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise BrokenFrame(f"{len(payload)} bytes do not go into one frame")
    return HEADER.pack(len(payload), kind) + payload


def read_frame(stream: Stream) -> tuple[int, bytes] | None:
    """The next frame of a blocking stream; None when the other side has gone."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    length, kind = HEADER.unpack(header)
    payload = stream.read(length)
    return (kind, payload) if len(payload) == length else None


class FrameBuffer:
    """Frames out of the chunks that a non-blocking socket gives."""

    def __init__(self) -> None:
        self._chunks = bytearray()

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes]]:
        chunks = self._chunks
        chunks += chunk
        start = 0
        while len(chunks) - start >= HEADER.size:
            length, kind = HEADER.unpack_from(chunks, start)
            if length > MAX_PAYLOAD_BYTES:
                raise BrokenFrame(f"a frame of {length} bytes")
            end = start + HEADER.size + length
            if end > len(chunks):
                break
            yield kind, bytes(memoryview(chunks)[start + HEADER.size : end])
            start = end
        if start:
            del chunks[:start]
