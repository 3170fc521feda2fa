"""A small Wikipedia full of traps, on loopback and under its real name, for the crawlers here.

It answers as the origin, and as the proxy that a program with `http_proxy` set asks for
http://en.wikipedia.org/…, https included; so a crawler is tested without a switch made for tests.
"""

import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Answer:
    body: str = ""
    status: int = 200
    kind: str = "text/html; charset=UTF-8"
    location: str = ""
    seconds: float = 0.0
    missing_bytes: int = 0
    """How much Content-Length promises beyond the body."""


@dataclass(frozen=True)
class Asked:
    url: str
    agent: str
    started: float
    ended: float
    """Just before the last byte went out, so that a gap can only look longer than it was."""
    listed: int
    """Lines of the crawler's URLsCrawled.txt when the request came in."""


@dataclass
class Site(ThreadingHTTPServer):
    """en.wikipedia.org, as an origin and as a proxy that pretends to reach it."""

    answers: Mapping[str, Answer]
    folder: Path
    gate: str = ""
    """A request for this path is not answered until `opened` is set."""
    tls: ssl.SSLContext | None = None
    reached: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)
    log: list[Asked] = field(default_factory=list)

    daemon_threads = True

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def urls(self) -> list[str]:
        return [asked.url for asked in self.log]

    def listed(self) -> int:
        file = self.folder / "URLsCrawled.txt"
        return file.read_bytes().count(b"\n") if file.exists() else 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.opened.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    server: Site
    protocol_version = "HTTP/1.1"
    timeout = 60

    def setup(self) -> None:
        self.connected, self.scheme = time.monotonic(), "http"
        super().setup()

    def do_GET(self) -> None:
        site, started = self.server, self.connected
        url = (
            self.path
            if "://" in self.path
            else f"{self.scheme}://{self.headers['Host']}{self.path}"
        )
        listed, path = site.listed(), "/" + url.split("/", 3)[3]
        answer = site.answers.get(f"{self.scheme}:{path}") or site.answers.get(
            path, Answer(status=404)
        )
        if path == site.gate:
            site.reached.set()
            site.opened.wait(60)
        site.opened.wait(answer.seconds)
        body = answer.body.encode()
        head = f"HTTP/1.1 {answer.status} So\r\nContent-Type: {answer.kind}\r\n"
        head += f"Content-Length: {len(body) + answer.missing_bytes}\r\n"
        head += f"Location: {answer.location}\r\n" if answer.location else ""
        ended = time.monotonic()
        site.log.append(Asked(url, self.headers["User-Agent"], started, ended, listed))
        with suppress(OSError):  # the crawler was killed meanwhile
            self.wfile.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        self.close_connection = True

    def do_CONNECT(self) -> None:
        """What a proxy is asked for https: from here on the client speaks TLS to the server."""
        self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        if self.server.tls is None or self.path != "en.wikipedia.org:443":
            self.close_connection = True
            return
        secure = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile.close()
        self.connection, self.scheme = secure, "https"
        self.rfile, self.wfile = secure.makefile("rb"), secure.makefile("wb", buffering=0)  # type: ignore[assignment]
        self.close_connection = False

    def finish(self) -> None:
        super().finish()
        if isinstance(self.connection, ssl.SSLSocket):
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            self.connection.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nothing: what was asked stands in the site's log."""


def page(*links: str) -> Answer:
    return Answer(f"<html><title>x</title><p>Süß</p>{''.join(links)}</html>")


def link(href: str) -> str:
    return f'<li><a class="x" href="{href}" title="a > b">there</a>'


TRAPS = Answer(
    "<!doctype html><title><a href='/wiki/In_title'></title>\n"
    "<!-- <a href='/wiki/In_comment'> --><script>'<a href=\"/wiki/In_script\">'</script>"
    + "".join(
        map(
            link,
            [
                "/wiki/Main_Page",
                "http://en.wikipedia.org/wiki/Main_Page#top",
                "/wiki/Special:Random",
                "/wiki/Help%3AContents",
                "/wiki/Fish?title=Talk:Fish",
                "/w/index.php?title=Fish",
                "/wiki/../w/Fish",
                "http://en.wikipedia.org/wiki/../w/Fish",
                "/wiki/",
                "//de.wikipedia.org/wiki/Fisch",
                "http://en.m.wikipedia.org/wiki/Fish",
                "http://en.wikipedia.org:80/wiki/Fish",
                "http://anna@en.wikipedia.org/wiki/Fish",
                "http://evil.test/http://en.wikipedia.org/wiki/Fish",
                "ftp://en.wikipedia.org/wiki/Fish",
                "mailto:fish@en.wikipedia.org",
                "http://[",
                "",
                "#Gills",
                "/wiki/Start#Gills",
                "/wiki/Fish",
                "/wiki/Fish#Gills",
                "//en.wikipedia.org/wiki/Fish",
                " http://EN.wikipedia.org/wiki/Fish&#35;a:b\n",
                "Missing",
                "/wiki/Picture",
                "/wiki/Private",
                "/wiki/Sp%C3%A4t",
                "/wiki/Spät",
            ],
        )
    )
    + "<A HREF='/wiki/Fish'>again</A><a href=/wiki/Fish>and again</a><a name=x>"
)
ENCYCLOPEDIA: Mapping[str, Answer] = {
    "/robots.txt": Answer("User-agent: *\nDisallow: /wiki/Private\n", kind="text/plain"),
    "/wiki/Start": TRAPS,
    "/wiki/Fish": page(link("/wiki/Start"), link("/wiki/Reef"), link("/wiki/Missing")),
    "/wiki/Picture": Answer(link("/wiki/From_picture"), kind="image/png"),
    "/wiki/Private": page(),
    "/wiki/Sp%C3%A4t": Answer("", seconds=0.3),
    "/wiki/Reef": page("<base href='http://en.wikipedia.org/wiki/'>", link("Gill"), link("Fish")),
    "/wiki/Gill": page(link("/wiki/Fin")),
    "/wiki/Fin": page(link("/wiki/Depth_six"), link("/wiki/Fish")),
    "/wiki/Depth_six": page(),
}
NAMES = ["Start", "Fish", "Sp%C3%A4t", "Reef", "Gill", "Fin"]
"""What is to be crawled, in this order: breadth first, nothing below depth 5."""
REQUESTS = ["Start", "Fish", "Missing", "Picture", "Sp%C3%A4t", "Reef", "Gill", "Fin"]

ODD_ANSWERS: Mapping[str, Answer] = {
    "http:/robots.txt": Answer(status=301, location="https://en.wikipedia.org/robots.txt"),
    "https:/robots.txt": Answer("nonsense\0", kind="text/plain"),
    "http:/wiki/Old": Answer(status=301, location="https://en.wikipedia.org/wiki/Old"),
    "https:/wiki/Old": page(
        link("http://en.wikipedia.org/wiki/Old"), *map(link, ["Alias", "Away", "Home", "Cut"])
    ),
    "/wiki/Alias": Answer(status=302, location="/wiki/Old#Name"),
    "/wiki/Away": Answer(status=307, location="https://de.wikipedia.org/wiki/Weg"),
    "/wiki/Home": Answer(status=301, location="/wiki/Main_Page"),
    "/wiki/Cut": Answer("<a href='/wiki/From_cut'>", missing_bytes=7),
}
