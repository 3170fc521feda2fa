"""Servers on loopback that answer as a test says, and a fetcher to ask them with."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from shoal.clock import SystemClock
from shoal.fetch.dns import Resolver
from shoal.fetch.http import HttpFetcher
from shoal.fetch.settings import Guard, HttpSettings
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit

CERTIFICATE = Path(__file__).with_name("secure_test.pem")


@dataclass
class Talk:
    """One request on one connection, and the means to answer it."""

    request: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def hang_up(self) -> None:
        self.writer.close()

    async def left(self) -> None:
        """The client has closed the connection."""
        while await self.reader.read(1000):
            pass


Handler = Callable[[Talk], Awaitable[None]]


@dataclass
class Origin:
    host: str
    port: int = 0
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    arrived: asyncio.Queue[None] = field(default_factory=asyncio.Queue)
    """One item for each request."""
    finished: asyncio.Queue[None] = field(default_factory=asyncio.Queue)
    """One item for each connection that has ended."""

    def url(self, path: str = "/", scheme: str = "http") -> str:
        return f"{scheme}://{self.host}:{self.port}{path}"


@asynccontextmanager
async def serving(
    handler: Handler, host: str = "127.4.5.6", tls: bool = False, port: int = 0
) -> AsyncIterator[Origin]:
    origin = Origin(host)
    talking: dict[asyncio.Task[None], asyncio.WriteTransport] = {}

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talking[task] = writer.transport
        origin.connections += 1
        try:
            while not writer.is_closing():
                request = await reader.readuntil(b"\r\n\r\n")
                origin.requests.append(request)
                origin.arrived.put_nowait(None)
                await handler(Talk(request, reader, writer))
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # the client has gone
        finally:
            del talking[task]
            origin.finished.put_nowait(None)
            writer.close()

    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
    server = await asyncio.start_server(converse, host, port, ssl=context, backlog=512)
    origin.port = server.sockets[0].getsockname()[1]
    try:
        yield origin
    finally:
        server.close()
        for transport in talking.values():
            transport.abort()
        if talking:
            await asyncio.wait(list(talking))


def answering(raw: bytes, close: bool = False) -> Handler:
    async def handler(talk: Talk) -> None:
        await talk.say(raw)
        if close:
            talk.hang_up()

    return handler


def response(status: str = "200 OK", body: bytes = b"", fields: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{fields}\r\n"
    return head.encode("latin-1") + body


async def silence(talk: Talk) -> None:
    await talk.left()


def visit(url: str) -> Visit:
    return Visit(url=url, row=b"", site=b"")


async def asked(fetcher: HttpFetcher, url: str) -> Fetched:
    """As a crawl asks: what a kept connection swallowed is asked for again."""
    fetched = await fetcher.fetch(visit(url))
    return await fetcher.fetch(visit(url)) if fetched.outcome is Outcome.DROPPED else fetched


@asynccontextmanager
async def fetching(
    settings: HttpSettings | None = None,
    table: Mapping[str, str] | None = None,
    guard: Guard | None = None,
) -> AsyncIterator[HttpFetcher]:
    clock = SystemClock()
    resolver = Resolver(table or {}, clock)
    fetcher = HttpFetcher(settings or HttpSettings(agent="Shoal/test"), resolver, clock, guard)
    try:
        yield fetcher
    finally:
        await fetcher.close()
        await resolver.close()
