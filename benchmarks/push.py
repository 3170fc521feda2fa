"""A hub pushes whole articles: how long until each is found, at rest and while a crawl runs?

    python -m benchmarks.push                       20 pushes at rest, 20 beside a crawl
    python -m benchmarks.push --pushes 5            a quick look

Real processes: `shoal serve --crawl` with its crawl and its index process, a hub and its feed on
loopback, and for the second part a generated web (soak_world.py) that is crawled without any delay
in the same collection. Timed is from the hub's POST until a search by a word of the article names
it, which is asked for every 50 ms. Exit code 1 if one takes longer than `--limit` seconds.
"""

import argparse
import contextlib
import hashlib
import hmac
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit
from urllib.request import urlopen

from benchmarks.soak_server import served
from benchmarks.soak_world import Size, World
from benchmarks.web import stop_on_sigterm

PORT = 8592
_PROGRAM = (sys.executable, "-m", "shoal")
_SEEDS = 16
_TAKEN = 202
_LOOK_SECONDS = 0.05
_BETWEEN_SECONDS = 0.7
"""Pushes fall anywhere between two commits of the index."""
_PATIENCE_SECONDS = 90.0
_SPEED_UP_SECONDS = 8.0
_TALE = "".join(
    f"<p>Number {n} of the herons stands in the shallow water at dusk, says the keeper, and waits "
    f"for number {n + 1}, which nobody has seen since the gales of the last autumn.</p>"
    for n in range(20)
)


class Hub:
    """A feed, and the hub that it names."""

    def __init__(self) -> None:
        self.subscribed: dict[str, str] = {}
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                is_feed = self.path == "/feed.xml"
                self._answer(200 if is_feed else 404, hub.feed() if is_feed else b"")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                self._answer(202, b"")
                asked = dict(parse_qsl(body.decode()))
                threading.Thread(target=hub.verify, args=(asked,), daemon=True).start()

            def _answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", "application/atom+xml")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing on stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def feed(self, *entries: str) -> bytes:
        return f"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">
<title>Herons</title><id>{self.base}/feed.xml</id><link rel="hub" href="{self.base}/hub"/>
<link rel="self" href="{self.base}/feed.xml"/>{"".join(entries)}</feed>""".encode()

    def article(self, name: str) -> tuple[str, bytes]:
        """Its URL, and a delivery with it."""
        url = f"{self.base}/articles/{name}"
        entry = f"""<entry><title>Of {name}</title><id>{url}</id><link href="{url}"/>
<content type="html"><![CDATA[<p>{name}</p>{_TALE.replace("Number", name)}]]></content></entry>"""
        return url, self.feed(entry)

    def verify(self, asked: dict[str, str]) -> None:
        query = "&".join(
            f"hub.{name}={quote(value)}"
            for name, value in (
                ("mode", asked["hub.mode"]),
                ("topic", asked["hub.topic"]),
                ("challenge", "yes"),
                ("lease_seconds", "864000"),
            )
        )
        with urlopen(f"{asked['hub.callback']}?{query}", timeout=10) as answer:  # noqa: S310
            if answer.read() == b"yes":
                self.subscribed = asked

    def push(self, body: bytes) -> int:
        key = self.subscribed["hub.secret"].encode()
        signed = hmac.new(key, body, hashlib.sha256).hexdigest()
        where = urlsplit(self.subscribed["hub.callback"])
        connection = HTTPConnection(where.netloc, timeout=_PATIENCE_SECONDS)
        with contextlib.closing(connection):
            headers = {"x-hub-signature": f"sha256={signed}"}
            connection.request("POST", where.path, body, headers)
            return connection.getresponse().status

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _shoal(*words: str) -> None:
    subprocess.run([*_PROGRAM, *words], check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def _serving(directory: Path, port: int) -> Iterator[None]:
    program = subprocess.Popen(
        [*_PROGRAM, "serve", "--crawl", "--dir", str(directory), "--port", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield
    finally:
        program.terminate()
        program.communicate()


def _wait(what: str, over: float, look: float = 0.1) -> Iterator[None]:
    deadline = time.monotonic() + over
    while time.monotonic() < deadline:
        yield
        time.sleep(look)
    raise SystemExit(f"{what} did not come within {over:g} s")


def _find(port: int, url: str, word: str) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_SECONDS)
    with contextlib.closing(connection):
        for _ in _wait(url, _PATIENCE_SECONDS, _LOOK_SECONDS):
            connection.request("GET", f"/search.json?q={word}")
            if url in connection.getresponse().read().decode():
                return


def _prepare(directory: Path, port: int, hub: Hub, seeds: Sequence[str]) -> None:
    """A collection that follows the feed, with the web's seeds in its queue."""
    directory.mkdir()
    settings = f"""[crawl]
scope = "any"
[politeness]
delay = 0.0
delay_factor = 0.0
[dedupe]
learn = "no"
[sitemaps]
use = "listed"
[feeds]
callback = "http://127.0.0.1:{port}/"
"""
    (directory / "shoal.toml").write_text(settings, encoding="utf-8")
    where = ["--dir", str(directory)]
    _shoal("crawl", f"{hub.base}/", *where, "--quiet")
    _shoal("feed", "add", f"{hub.base}/feed.xml", *where)
    _shoal("crawl", *where, "--quiet")  # it is polled, and its hub is known
    if seeds:
        _shoal("submit", *seeds, *where)


def _pages(directory: Path) -> int:
    live = json.loads((directory / "status.json").read_text(encoding="utf-8"))["live"]
    return int(live["fetched"])


def measure(directory: Path, port: int, seeds: Sequence[str], pushes: int) -> list[float]:
    hub, took = Hub(), []
    try:
        _prepare(directory, port, hub, seeds)
        with _serving(directory, port):
            for _ in _wait("the subscription", _PATIENCE_SECONDS):
                if hub.subscribed:
                    break
            time.sleep(_SPEED_UP_SECONDS)
            started, before = time.monotonic(), _pages(directory)
            for number in range(pushes):
                name = f"heron{number}q{int(time.time())}"
                url, body = hub.article(name)
                pushed = time.monotonic()
                if hub.push(body) != _TAKEN:
                    raise SystemExit("the push was not taken")
                _find(port, url, name)
                took.append(time.monotonic() - pushed)
                time.sleep(_BETWEEN_SECONDS)
            rate = (_pages(directory) - before) / (time.monotonic() - started)
            print(f"the crawl fetched {rate:.0f} pages a second meanwhile", flush=True)
    finally:
        hub.close()
    return took


def _tell(name: str, took: list[float]) -> None:
    ordered = sorted(took)
    median, p90 = statistics.median(ordered), ordered[len(ordered) * 9 // 10]
    print(
        f"{name}: {len(took)} pushes, s until found: median {median:.2f}, p90 {p90:.2f}, "
        f"most {ordered[-1]:.2f}",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.push",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--port", type=int, default=PORT, help="of the web; the server's is next")
    parser.add_argument("--pushes", type=int, default=20)
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds that a push may take")
    options = parser.parse_args(arguments)
    stop_on_sigterm()
    size = Size(options.hosts, 1_000_000 // options.hosts, options.port)
    with tempfile.TemporaryDirectory(prefix="push-", dir=options.work) as home:
        quiet = measure(Path(home) / "quiet", options.port + 1, [], options.pushes)
        _tell("push.at_rest", quiet)
        with served(size):
            seeds = World(size).seeds(_SEEDS)
            busy = measure(Path(home) / "busy", options.port + 1, seeds, options.pushes)
        _tell("push.beside_a_crawl", busy)
    raise SystemExit(1 if max(*quiet, *busy) > options.limit else 0)


if __name__ == "__main__":
    main()
