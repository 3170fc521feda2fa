"""A site whose pages a test puts, changes and takes away, with validators that tell the truth."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import cast

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    media_type: str
    location: str = ""

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha1(self.body, usedforsecurity=False).hexdigest()}"'


class OwnSite:
    """What it answers, by path; where it has nothing, it says 404. What was asked is kept."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self._answers: dict[str, Answer] = {}
        self._asked: list[tuple[str, int]] = []
        self._lock = Lock()

    def url(self, path: str) -> str:
        return self.origin + path

    def put(self, path: str, body: str | bytes, media_type: str = HTML, status: int = 200) -> None:
        content = body.encode() if isinstance(body, str) else body
        self._answers[path] = Answer(status, content, media_type)

    def fail(self, path: str, status: int) -> None:
        """From now on it answers with this status and without a page."""
        self.put(path, b"", status=status)

    def move(self, path: str, to: str, status: int = 301) -> None:
        self._answers[path] = Answer(status, b"", HTML, to)

    def asked(self, since: int = 0) -> list[tuple[str, int]]:
        """Path and status of every request but those for robots.txt, in order."""
        with self._lock:
            pages = [each for each in self._asked if each[0] != "/robots.txt"]
        return pages[since:]

    def robots_asked(self) -> int:
        with self._lock:
            return sum(path == "/robots.txt" for path, _ in self._asked)

    def answer(self, path: str, condition: str) -> Answer:
        found = self._answers.get(path) or Answer(404, b"", HTML)
        if found.status == 200 and condition == found.etag:
            found = Answer(304, b"", HTML)
        with self._lock:
            self._asked.append((path, found.status))
        return found


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site = cast("_Server", self.server).site
        found = site.answer(self.path, self.headers.get("If-None-Match", ""))
        self.send_response(found.status)
        if found.status == 200:
            self.send_header("ETag", found.etag)
        if found.location:
            self.send_header("Location", found.location)
        if found.status != 304:
            self.send_header("Content-Type", found.media_type)
            self.send_header("Content-Length", str(len(found.body)))
        self.end_headers()
        self.wfile.write(found.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    site: OwnSite


@contextmanager
def own_site(address: str = "127.0.0.1") -> Iterator[OwnSite]:
    with _Server((address, 0), _Handler) as server:
        server.site = OwnSite(f"http://{address}:{server.server_port}")
        server.site.put("/robots.txt", "User-agent: *\nAllow: /\n", "text/plain")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.site
        finally:
            server.shutdown()
            thread.join()
