"""How do bytes arrive over Gopher (RFC 1436)? A scheme that Shoal learns by being installed.

A request is one line, the answer is everything until the server hangs up. The first character of
the path says what kind of thing it is (RFC 4266). Menus are turned into pages of links.
"""

import asyncio
from html import escape
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from shoal.clock import Clock
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit

MAX_BODY_BYTES = 20_000_000
CONNECT_SECONDS = 10.0
TOTAL_SECONDS = 120.0

MENUS = ("1", "7")
INFORMATION = ("i", "3")
MEDIA_TYPES = {
    "0": "text/plain",
    "1": "text/html; charset=utf-8",
    "7": "text/html; charset=utf-8",
    "4": "application/mac-binhex40",
    "6": "text/x-uuencode",
    "g": "image/gif",
    "p": "image/png",
    "h": "text/html",
    "d": "application/pdf",
}


class Item(NamedTuple):
    host: str
    port: int
    kind: str
    selector: str
    """Each character a byte."""


class GopherFetcher:
    def __init__(
        self,
        clock: Clock,
        total_seconds: float = TOTAL_SECONDS,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self._clock = clock
        self._total_seconds = total_seconds
        self._max_body_bytes = max_body_bytes

    async def fetch(self, visit: Visit) -> Fetched:
        started = self._clock.now()
        item = parse(visit.url)
        if item is None:
            return self._failed(Outcome.REFUSED, "The URL names nothing on Gopher.", started)
        try:
            async with asyncio.timeout(self._total_seconds):
                body, cut = await self._ask(item)
        except TimeoutError:
            return self._failed(Outcome.TIMEOUT, "The server did not answer in time.", started)
        except (OSError, UnicodeError) as error:
            return self._failed(Outcome.CONNECT, f"{error}", started)
        return self._answered(item.kind, body, cut, started)

    async def close(self) -> None:
        return

    async def _ask(self, item: Item) -> tuple[bytes, bool]:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(item.host, item.port)
        try:
            writer.write(item.selector.encode("latin-1") + b"\r\n")
            chunks, room = [], self._max_body_bytes + 1
            while room > 0 and (chunk := await reader.read(min(room, 65_536))):
                chunks.append(chunk)
                room -= len(chunk)
        finally:
            writer.transport.abort()  # all is read, or enough
        return b"".join(chunks)[: self._max_body_bytes], room <= 0

    def _answered(self, kind: str, body: bytes, cut: bool, started: float) -> Fetched:
        if kind in MENUS:
            body = menu_page(body)
        elif kind == "0":
            body = body.removesuffix(b".\r\n")
        media_type = MEDIA_TYPES.get(kind, "application/octet-stream")
        return Fetched(
            Outcome.OK,
            status=200,
            started=started,
            ended=self._clock.now(),
            headers=[("content-type", media_type)],
            head=f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode(),
            body=body,
            cut=cut,
            note=f"The body was cut after {self._max_body_bytes:,} bytes." if cut else "",
        )

    def _failed(self, outcome: Outcome, note: str, started: float) -> Fetched:
        return Fetched(outcome, started=started, ended=self._clock.now(), note=note)


def parse(url: str) -> Item | None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 70
    except ValueError:
        return None
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    selector = unquote(path[2:], "latin-1")
    if not host or any(end in selector for end in "\r\n\0"):
        return None
    return Item(host, port, path[1:2] or "1", selector)


def menu_page(menu: bytes) -> bytes:
    """A menu as HTML: its items as links, its remarks as text, and nothing of other lines."""
    lines = []
    for line in menu.decode("utf-8", "replace").splitlines():
        if line == ".":
            break
        kind, fields = line[:1], line[1:].split("\t")
        if kind in INFORMATION:
            lines.append(f"<p>{escape(fields[0])}")
        elif kind and len(fields) >= 4:
            lines.append(f'<p><a href="{escape(link(kind, *fields[1:4]))}">{escape(fields[0])}</a>')
    return ("<!doctype html>\n" + "\n".join(lines) + "\n").encode("utf-8", "replace")


def link(kind: str, selector: str, host: str, port: str) -> str:
    if kind == "h" and selector.startswith("URL:"):
        return selector.removeprefix("URL:")
    authority = host if port.strip() == "70" else f"{host}:{port.strip()}"
    return f"gopher://{authority}/{quote(kind)}{quote(selector, errors='replace')}"
