"""Servers that close kept connections instead of answering, or name one sitemap in odd ways: what
they are asked, when, and how often, as they count it themselves."""

import socketserver
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from shoal.config import load
from shoal.control.site_map import map_site
from tests.crawl.run import crawl

DELAY_SECONDS = 0.2
HOST = "127.9.31.1"
PAGES = 6


class Arrivals(socketserver.ThreadingTCPServer):
    """Answers so many requests of each connection, reads one more, and closes without a word."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, answers: int, robots: Callable[[str], bytes]) -> None:
        super().__init__((HOST, 0), _Connection)
        self.answers = answers
        self.base = f"http://{HOST}:{self.server_address[1]}"
        self.robots = robots(self.base)
        self.seen: list[tuple[float, str]] = []

    @property
    def asked(self) -> Counter[str]:
        return Counter(path for _, path in self.seen)

    @property
    def shortest_gap(self) -> float:
        """Between two requests, whatever was asked and on which connection."""
        times = [when for when, _ in self.seen]
        return min(after - before for before, after in pairwise(times))


class _Connection(socketserver.StreamRequestHandler):
    server: Arrivals

    def handle(self) -> None:
        answered = 0
        while line := self.rfile.readline():
            while self.rfile.readline() not in (b"\r\n", b""):
                pass
            path = line.split()[1].decode()
            self.server.seen.append((time.monotonic(), path))
            if answered == self.server.answers:
                return
            answered += 1
            status, kind, body = self._answer(path)
            head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            self.wfile.write(head.encode() + b"\r\n" + body)

    def _answer(self, path: str) -> tuple[str, str, bytes]:
        base = self.server.base
        if path == "/robots.txt":
            return "200 OK", "text/plain", self.server.robots
        if path == "/sitemap.xml":
            urls = "".join(f"<url><loc>{base}/{n}</loc></url>" for n in range(PAGES))
            space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
            return "200 OK", "application/xml", f"<urlset {space}>{urls}</urlset>".encode()
        links = "".join(f'<a href="/{n}">{n}</a> ' for n in range(PAGES))
        text = f"<title>{path}</title><h1>{path}</h1><p>All about {path} here.</p>{links}"
        return "200 OK", "text/html", text.encode()


@contextmanager
def serving(answers: int, robots: Callable[[str], bytes] = lambda _: b"") -> Iterator[Arrivals]:
    with Arrivals(answers, robots) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_what_a_kept_connection_swallowed_is_asked_again_when_the_hosts_wait_is_over(
    tmp_path: Path,
) -> None:
    with serving(answers=2) as server:
        settings = {"politeness.delay": DELAY_SECONDS, "sitemaps.use": "guess"}
        summary = crawl(tmp_path / "corpus", [f"{server.base}/"], settings)
    assert summary.finished
    assert summary.status.failed == 0
    assert summary.status.fetched == 1 + PAGES
    assert server.shortest_gap >= DELAY_SECONDS
    repeated = {path: times for path, times in server.asked.items() if times > 1}
    assert list(repeated.values()) == [2], "from then on the host's connections are not kept"


def test_a_map_of_a_site_waits_likewise(tmp_path: Path) -> None:
    with serving(answers=1) as server:
        config = load(None, {"politeness.delay": DELAY_SECONDS}, {})
        found = map_site(server.base, str(tmp_path / "none"), config, 60.0)
    assert len(found.urls) == PAGES
    assert [path for _, path in server.seen] == ["/robots.txt", "/sitemap.xml", "/sitemap.xml"]
    assert server.shortest_gap >= DELAY_SECONDS


ODD_NAMES: list[Callable[[str], bytes]] = [
    lambda base: f"Sitemap: {base}/sitemap.xml#all\r\nsitemap:/sitemap.xml".encode(),
    lambda base: f"\ufeffSITEMAP : {base.replace('http', 'HTTP')}/./a/../sitemap.xml".encode(),
    lambda base: f"Sitemap: {base}/%73itemap.xml\rSitemap: {base}/sitemap%2Exml\r".encode(),
    lambda base: f"# \xfc\nSitemap: {base}/sitemap.xml\nSitemap: //{base[7:]}/sitemap.xml".encode(
        "latin-1"
    ),
]


@pytest.mark.parametrize("robots", ODD_NAMES)
def test_one_sitemap_is_one_request_however_it_is_named(
    tmp_path: Path, robots: Callable[[str], bytes]
) -> None:
    with serving(answers=100, robots=robots) as server:
        settings = {"politeness.delay": 0.05, "sitemaps.use": "guess"}
        summary = crawl(tmp_path / "corpus", [f"{server.base}/"], settings)
    assert summary.finished
    assert summary.status.fetched == 1 + PAGES
    pages = [f"/{n}" for n in range(PAGES)]
    assert server.asked == Counter(["/robots.txt", "/sitemap.xml", "/", *pages])
    assert server.shortest_gap >= 0.05
