"""How does the bundled little web get on to real sockets? A small HTTP/1.1 server on loopback.

Every host has an address of its own (127.70.0.1, .2, …) and a free port, so that a crawl meets
several servers, as it would outside; where only 127.0.0.1 exists (macOS), the ports alone differ.
Which pages are served is decided by the Host header (RFC 9110, 7.2). All answers are read into
memory before the first request, so no path that a client sends ever reaches the file system.
Nothing outlives `serve()`: threads are joined and sockets closed before it returns.
"""

import errno
import gzip
import hashlib
import selectors
import socket
import sys
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from urllib.parse import unquote

WEB = Path(__file__).parent / "web"
DESCRIPTION = "_responses.toml"

_CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".pdf": "application/pdf",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
_ALREADY_PACKED = {".gz", ".pdf"}
_IDLE_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the log: what was asked of which host, and when by the monotonic clock."""

    host: str
    method: str
    target: str
    agent: str
    status: int
    body_bytes: int
    started_s: float
    ended_s: float


@dataclass(frozen=True, slots=True)
class DemoWeb:
    """The running web. `requests` is complete once `serve()` has closed."""

    resolve: dict[str, str]
    seeds: list[str]
    requests: list[Request]


@dataclass(frozen=True, slots=True)
class _Described:
    """One table of a host's description; a key that is not a field here is refused."""

    status: int = 200
    location: str = ""
    content_type: str = ""
    last_modified: datetime | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes
    gzipped: bytes | None = None
    last_modified: datetime | None = None


def _page_answer(body: bytes, suffix: str, described: _Described, modified: datetime) -> _Answer:
    modified = described.last_modified or modified
    headers = {
        "Content-Type": described.content_type or _CONTENT_TYPES[suffix],
        "Last-Modified": format_datetime(modified, usegmt=True),
        # Weak, since it names the page in either coding, packed or plain.
        "ETag": f'W/"{hashlib.sha256(body).hexdigest()[:16]}"',
        **described.headers,
    }
    if suffix in _ALREADY_PACKED or not body:
        return _Answer(described.status, headers, body, last_modified=modified)
    headers["Vary"] = "Accept-Encoding"
    packed = gzip.compress(body, mtime=0)
    return _Answer(described.status, headers, body, packed, modified)


def _bare_answer(described: _Described) -> _Answer:
    phrase = HTTPStatus(described.status).phrase
    body = f"<!doctype html><title>{described.status} {phrase}</title><h1>{phrase}</h1>\n".encode()
    headers = {"Content-Type": _CONTENT_TYPES[".html"], **described.headers}
    if described.location:
        headers["Location"] = described.location
    return _Answer(described.status, headers, body)


def _read_host(folder: Path) -> dict[str, _Answer]:
    """All answers of one host by path, or by path?query where the description names one."""
    tables: dict[str, Any] = tomllib.loads((folder / DESCRIPTION).read_text("utf-8"))
    modified: datetime = tables.pop("last_modified")
    described = {target: _Described(**table) for target, table in tables.items()}
    answers: dict[str, _Answer] = {}
    for file in folder.rglob("*"):
        if not file.is_file() or file.name.startswith(("_", ".")):
            continue
        path = "/" + file.relative_to(folder).as_posix()
        served_as = path.removesuffix("index.html") if file.name == "index.html" else path
        entry = described.pop(served_as, _Described())
        answers[path] = _page_answer(file.read_bytes(), file.suffix, entry, modified)
        answers[served_as] = answers[path]
    return answers | {target: _bare_answer(entry) for target, entry in described.items()}


def _accepts_gzip(header: str) -> bool:
    codings = [coding.replace(" ", "").lower() for coding in header.split(",")]
    return any(c == "gzip" or (c.startswith("gzip;q=") and c[7:].strip("0.")) for c in codings)


def _is_current(answer: _Answer, if_none_match: str | None, if_modified_since: str | None) -> bool:
    """RFC 9110, 13.2.2: If-None-Match decides alone; only without it does the date count."""
    if answer.status != HTTPStatus.OK or answer.last_modified is None:
        return False
    if if_none_match is not None:
        known = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
        return "*" in known or answer.headers["ETag"].removeprefix("W/") in known
    try:
        since = parsedate_to_datetime(if_modified_since or "")
        return answer.last_modified <= since
    except (ValueError, TypeError, OverflowError):  # no date, or one without a zone: no condition
        return False


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_TIMEOUT_S
    # Head and body leave together: in two writes, Nagle's algorithm would cost 40 ms a page.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: "_Listener"

    def do_GET(self) -> None:
        self._respond()

    def do_HEAD(self) -> None:
        self._respond()

    def _respond(self) -> None:
        started_s = time.monotonic()
        host = self.headers.get("Host", "").partition(":")[0].lower()
        answer = self._find(host)
        body, status = answer.body, answer.status
        headers = dict(answer.headers)
        if answer.gzipped and _accepts_gzip(self.headers.get("Accept-Encoding", "")):
            body = answer.gzipped
            headers["Content-Encoding"] = "gzip"
        conditions = self.headers.get("If-None-Match"), self.headers.get("If-Modified-Since")
        if _is_current(answer, *conditions):
            status, body = HTTPStatus.NOT_MODIFIED, b""
        else:
            headers["Content-Length"] = str(len(body))
        if self.command == "HEAD":
            body = b""
        try:
            self._send(status, headers, body)
        finally:
            self.server.log.append(
                Request(
                    host=host,
                    method=self.command,
                    target=self.path,
                    agent=self.headers.get("User-Agent", ""),
                    status=status,
                    body_bytes=len(body),
                    started_s=started_s,
                    ended_s=time.monotonic(),
                )
            )

    def _find(self, host: str) -> _Answer:
        answers = self.server.hosts.get(host)
        if answers is None:
            return _bare_answer(_Described(status=HTTPStatus.MISDIRECTED_REQUEST))
        path = unquote(self.path.partition("?")[0])
        return (
            answers.get(self.path)
            or answers.get(path)
            or _bare_answer(_Described(status=HTTPStatus.NOT_FOUND))
        )

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            # A body nobody reads would be taken for the next request.
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def version_string(self) -> str:
        return "shoal-demo"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the parent's name)
        """Nothing on stderr: the log of requests is `DemoWeb.requests`."""


class _Listener(ThreadingMixIn, TCPServer):
    daemon_threads = False  # joined by server_close()
    request_queue_size = 64

    def __init__(
        self, address: str, hosts: Mapping[str, Mapping[str, _Answer]], log: list[Request]
    ) -> None:
        self.hosts = hosts
        self.log = log
        self._connections: set[Any] = set()
        self._lock = threading.Lock()
        super().__init__((address, 0), _Handler)
        # A connection that vanished between select and accept must not block the accepting thread.
        self.socket.setblocking(False)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):  # a client that hangs up is no news
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Wake the threads that wait on kept-alive connections, then join them."""
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


def _listen(
    address: str, hosts: Mapping[str, Mapping[str, _Answer]], log: list[Request]
) -> _Listener:
    try:
        return _Listener(address, hosts, log)
    except OSError as error:
        if error.errno != errno.EADDRNOTAVAIL:
            raise
        return _Listener("127.0.0.1", hosts, log)


def _accept_until_closed(listeners: list[_Listener], stop: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(stop, selectors.EVENT_READ)
        for listener in listeners:
            selector.register(listener.socket, selectors.EVENT_READ, listener)
        while True:
            for key, _ in selector.select():
                if key.data is None:
                    return
                key.data.handle_request()


@contextmanager
def serve(network: str = "127.70.0") -> Iterator[DemoWeb]:
    """Serve the little web until the block ends; `network` is the first three bytes of its
    addresses."""
    folders = sorted(file.parent for file in WEB.glob(f"*/{DESCRIPTION}"))
    hosts = {folder.name: _read_host(folder) for folder in folders}
    seeds: list[str] = tomllib.loads((WEB / "index.toml").read_text("utf-8"))["seeds"]
    web = DemoWeb(resolve={}, seeds=seeds, requests=[])
    with ExitStack() as stack:
        listeners: list[_Listener] = []
        for number, host in enumerate(hosts, start=1):
            listener = _listen(f"{network}.{number}", hosts, web.requests)
            stack.callback(listener.close)
            listeners.append(listener)
            address, port = listener.socket.getsockname()
            web.resolve[host] = f"{address}:{port}"
        wake, stop = socket.socketpair()
        stack.callback(stop.close)
        accepting = threading.Thread(
            target=_accept_until_closed, args=(listeners, stop), name="demo-web"
        )
        accepting.start()
        stack.callback(accepting.join)
        stack.callback(wake.close)  # runs first: the other end becomes readable
        yield web
