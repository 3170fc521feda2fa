"""What a hostile server says, piece by piece. Each piece is a function of the connection."""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable

Say = Callable[["Wire"], Awaitable[None]]

OK = b"HTTP/1.1 200 OK\r\n"
HTML = b"Content-Type: text/html; charset=utf-8\r\n"
_MOST_PIECES = 100_000


class Wire:
    """One request, and the means to answer it badly."""

    def __init__(
        self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.path = path
        self.reader = reader
        self.writer = writer

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def left(self) -> None:
        while await self.reader.read(1000):
            pass

    def reset(self) -> None:
        """Hang up with an RST instead of a FIN."""
        connection = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


def raw(*pieces: bytes) -> Say:
    """Exactly these bytes, then the end of the connection."""

    async def say(wire: Wire) -> None:
        for piece in pieces:
            await wire.say(piece)
        wire.writer.close()

    return say


def page(body: bytes, fields: bytes = HTML, status: bytes = b"200 OK") -> Say:
    """A well-formed answer."""
    length = b"Content-Length: %d\r\n\r\n" % len(body)
    return raw(b"HTTP/1.1 " + status + b"\r\n" + fields + length + body)


class made:  # noqa: N801 - it stands for an answer, as the functions beside it do
    """A well-formed answer with a body that is dear to make: the server alone makes it, once."""

    def __init__(self, body: Callable[[], bytes], fields: bytes = HTML) -> None:
        self._make = body
        self._fields = fields
        self._body = b""

    def prepare(self) -> None:
        self._body = self._make()

    async def __call__(self, wire: Wire) -> None:
        await page(self._body, self._fields)(wire)


def endless(start: bytes, piece: bytes, pause: float = 0.0) -> Say:
    async def say(wire: Wire) -> None:
        await wire.say(start)
        for _ in range(_MOST_PIECES):
            await wire.say(piece)
            await asyncio.sleep(pause)

    return say


def reset_after(said: bytes) -> Say:
    async def say(wire: Wire) -> None:
        await wire.say(said)
        await asyncio.sleep(0.05)  # so that what was said is on its way before the RST
        wire.reset()

    return say


async def silence(wire: Wire) -> None:
    await wire.left()


def moved(location: bytes, status: bytes = b"302 Found") -> Say:
    return raw(
        b"HTTP/1.1 " + status + b"\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"
    )
