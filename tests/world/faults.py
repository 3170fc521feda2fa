"""How do an answer's bytes go wrong on the way?

One function per fault, each given the connection and the correct answer. All of them mark the
moment the last byte leaves, and none of them returns before the connection may be used again.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from tests.world.answer import Answer
from tests.world.behaviour import (
    BadChunks,
    Bomb,
    Chunked,
    Close,
    Drip,
    Endless,
    EndlessHeaders,
    Fault,
    Hang,
    Http09,
    Reset,
    WrongLength,
)

_PIECE_BYTES = 65_536
_TICK_SECONDS = 0.02


class Line(Protocol):
    """What a fault may do with a connection."""

    async def write(self, data: bytes) -> None: ...

    def write_last(self, data: bytes) -> None: ...

    def mark_end(self) -> None: ...

    def close_after(self) -> None: ...

    def reset(self) -> None: ...


async def deliver(
    line: Line, answer: Answer, fault: Fault | None, *, head_only: bool, keep_alive: bool
) -> None:
    """Send the answer, with the fault if there is one."""
    if fault is None or (head_only and not isinstance(fault, Hang | Reset)):
        head = answer.head(keep_alive=keep_alive)
        await _send(line, head if head_only else head + answer.body)
    else:
        await _misdeliver(line, answer, fault, keep_alive=keep_alive)


async def _misdeliver(line: Line, answer: Answer, fault: Fault, *, keep_alive: bool) -> None:
    match fault:
        case Hang():
            await _hang(line, answer, fault.after_bytes)
        case Reset():
            await _reset(line, answer, fault.after_bytes)
        case Endless():
            head = answer.head(keep_alive=False, length=None)
            filler = answer.body or b"<p>and so on</p>\n"
            await _endless(line, head, lambda _: filler, fault.bytes_per_second)
        case EndlessHeaders():
            head = answer.head(keep_alive=False)[:-2]
            await _endless(line, head, _more_headers, fault.bytes_per_second)
        case Drip():
            await line.write(answer.head(keep_alive=keep_alive))
            await _drip(line, answer.body, fault.bytes_per_second)
        case Chunked():
            await _chunked(line, answer, fault.chunk_bytes, keep_alive=keep_alive)
        case _:
            line.close_after()
            await _misframe(line, answer, fault)


async def _misframe(
    line: Line, answer: Answer, fault: WrongLength | BadChunks | Http09 | Bomb | Close
) -> None:
    """Answers whose end only the closing of the connection tells."""
    match fault:
        case WrongLength():
            length = max(0, len(answer.body) + fault.by)
            await _send(line, answer.head(keep_alive=False, length=length) + answer.body)
        case BadChunks():
            head = _chunked_head(answer, keep_alive=False)
            await _send(line, head + _chunk(answer.body[:500]) + b"no-number\r\n" + answer.body)
        case Http09():
            await _send(line, answer.body)
        case Bomb():
            await _bomb(line, answer, fault.unpacked_bytes)
        case Close():
            await _send(line, answer.head(keep_alive=False) + answer.body)


async def _send(line: Line, data: bytes) -> None:
    """In pieces, so that the end is noted when only the last piece is left."""
    last = max(0, len(data) - 1) // _PIECE_BYTES * _PIECE_BYTES
    for start in range(0, last, _PIECE_BYTES):
        await line.write(data[start : start + _PIECE_BYTES])
    line.write_last(data[last:])


async def _hang(line: Line, answer: Answer, after_bytes: int) -> None:
    if after_bytes:
        await line.write((answer.head(keep_alive=True) + answer.body)[:after_bytes])
    await asyncio.Event().wait()  # the connection's end cancels this


async def _drip(line: Line, data: bytes, bytes_per_second: float) -> None:
    step = max(1, int(bytes_per_second * _TICK_SECONDS))
    for start in range(0, len(data), step):
        await asyncio.sleep(step / bytes_per_second)
        if start + step >= len(data):
            line.write_last(data[start:])
        else:
            await line.write(data[start : start + step])
    line.mark_end()


async def _endless(
    line: Line, head: bytes, more: Callable[[int], bytes], bytes_per_second: float
) -> None:
    await line.write(head)
    number = 0
    while True:
        piece = b"".join(more(number + offset) for offset in range(20))
        number += 20
        await line.write(piece)
        await asyncio.sleep(len(piece) / bytes_per_second)


def _more_headers(number: int) -> bytes:
    return b"X-More-%d: and so on and so on\r\n" % number


async def _reset(line: Line, answer: Answer, after_bytes: int | None) -> None:
    if after_bytes is not None:
        await line.write(answer.head(keep_alive=True) + answer.body[:after_bytes])
        await asyncio.sleep(_TICK_SECONDS)  # let it arrive: RST may overtake what is in flight
    line.reset()
    await asyncio.Event().wait()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _chunked_head(answer: Answer, *, keep_alive: bool) -> bytes:
    headers = (*answer.headers, ("Transfer-Encoding", "chunked"))
    return replace(answer, headers=headers).head(keep_alive=keep_alive, length=None)


async def _chunked(line: Line, answer: Answer, chunk_bytes: int, *, keep_alive: bool) -> None:
    body = answer.body
    pieces = [body[start : start + chunk_bytes] for start in range(0, len(body), chunk_bytes)]
    wire = b"".join(map(_chunk, pieces)) + b"0\r\n\r\n"
    await _send(line, _chunked_head(answer, keep_alive=keep_alive) + wire)


async def _bomb(line: Line, answer: Answer, unpacked_bytes: int) -> None:
    """Zeros, a megabyte per kilobyte sent, made while they are sent."""
    kept = [(name, value) for name, value in answer.headers if name != "Content-Encoding"]
    headers = (*kept, ("Content-Encoding", "gzip"))
    await line.write(replace(answer, headers=headers).head(keep_alive=False, length=None))
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    await line.write(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff")
    zeros, checksum = bytes(1_000_000), 0
    for start in range(0, unpacked_bytes, len(zeros)):
        piece = zeros[: unpacked_bytes - start]
        checksum = zlib.crc32(piece, checksum)
        await line.write(deflate.compress(piece))
        await asyncio.sleep(0)
    tail = struct.pack("<II", checksum, unpacked_bytes & 0xFFFFFFFF)
    await _send(line, deflate.flush() + tail)
