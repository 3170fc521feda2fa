"""A WebSub hub on loopback: it takes subscriptions, verifies them and pushes what it is given."""

import hashlib
import hmac
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl

import httpx

from shoal.control.hub_requests import Callback
from shoal.frontier.state.rows import HostRow, SiteRow, host_row_key, site_row_key
from shoal.layout.layout import Layout
from shoal.maintenance.subscription_keeper import Keeper
from shoal.model.listings.feed import FeedRow, feed_key
from shoal.model.record import pack
from shoal.model.urls.partition import host_of_site
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.sources.inbox import Inbox, Push
from shoal.store.table import RocksTable
from shoal.web.server.serve import make_app
from tests.fake_clock import FakeClock
from tests.web.little_web import Serving

FEED = "http://feeds.test/news.xml"
TOPIC = "http://feeds.test/news.xml?as=told"
BODY = b"<rss version='2.0'><channel><title>News</title></channel></rss>"
CHALLENGE = "challenge <&> \u00e4"


@dataclass
class Hub:
    """`asks` is what it was sent; what it does about it can be set."""

    status: int = 202
    says: str = ""
    location: str = ""
    verifies: bool = True
    lease_seconds: str = "1000"
    asks: list[dict[str, str]] = field(default_factory=list)
    verified: list[tuple[int, str]] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                asked = dict(parse_qsl(self.rfile.read(length).decode()))
                if self.path == "/moved":
                    self._answer(308, b"", "/hub")
                    return
                hub.asks.append(asked)
                if hub.verifies and hub.status == 202:
                    hub.verify(asked)
                self._answer(hub.status, hub.says.encode(), hub.location)

            def _answer(self, status: int, body: bytes, location: str) -> None:
                self.send_response(status)
                if location:
                    self.send_header("location", location)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing on stderr."""

        # Nothing here is encrypted, and reading the system's certificates would take a while.
        self.client = httpx.Client(trust_env=False, verify=False)  # noqa: S501
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hub"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def verify(self, asked: dict[str, str], **other: str) -> tuple[int, str]:
        """Go to the callback and ask whether that was meant; `other` with `_` for the dot."""
        query = {
            "hub.mode": asked["hub.mode"],
            "hub.topic": asked["hub.topic"],
            "hub.challenge": CHALLENGE,
            "hub.lease_seconds": self.lease_seconds,
            **{name.replace("_", ".", 1): value for name, value in other.items()},
        }
        answer = self.client.get(asked["hub.callback"], params=query)
        self.verified.append((answer.status_code, answer.text))
        return self.verified[-1]

    def push(self, body: bytes = BODY, secret: str | None = None, algorithm: str = "sha256") -> int:
        """To the callback that it was told last; returns the status."""
        asked = next(each for each in reversed(self.asks) if each["hub.mode"] == "subscribe")
        key = asked["hub.secret"] if secret is None else secret
        signed = hmac.new(key.encode(), body, getattr(hashlib, algorithm)).hexdigest()
        headers = {
            "content-type": "application/rss+xml",
            "x-hub-signature": f"{algorithm}={signed}",
            "link": f'<{self.url}>; rel="hub", <{TOPIC}>; rel="self"',
        }
        return self.client.post(asked["hub.callback"], content=body, headers=headers).status_code

    def close(self) -> None:
        self.client.close()
        self._server.shutdown()
        self._server.server_close()


class Subscriber:
    """A collection with one feed, its server, and a clock that the test turns."""

    def __init__(self, directory: Path, token: str | None = None) -> None:
        self.directory = directory
        directory.mkdir()
        with RocksTable(Layout(directory).table):
            pass
        self.clock = FakeClock()
        app = make_app(directory, token)
        self.site = app.state.site
        self.site.callback = Callback(directory, self.site.pushed.set, self.clock)
        self._serving = Serving(app)
        self.address = self._serving.address
        self.set(callback=self.address)

    def set(self, callback: str, allow_private: str = "no") -> None:
        text = f"[feeds]\ncallback = {json.dumps(callback)}\n"
        Layout(self.directory).settings.write_text(
            f'{text}[fetch]\nallow_private = "{allow_private}"\n', encoding="utf-8"
        )

    def put_feed(
        self, row: FeedRow, address: str = "127.0.0.1:80", private_ok: bool = True
    ) -> None:
        site = site_key(site_of(FEED))
        with RocksTable(Layout(self.directory).table) as table:
            batch = table.batch()
            batch.put("site", feed_key(row_key(FEED)), pack(row))
            batch.put("site", site_row_key(site), pack(SiteRow(private_ok=private_ok)))
            batch.put("site", host_row_key(host_of_site(site)), pack(HostRow(address=address)))
            table.write(batch)

    def keeper(self) -> Keeper:
        return Keeper(self.directory, self.clock)

    def taken(self) -> list[tuple[Push, bytes | None]]:
        """What lies in the inbox."""
        inbox = Inbox(Layout(self.directory).inbox)
        return [
            (order, inbox.body_of(order)) for _, order in inbox.take() if isinstance(order, Push)
        ]

    def close(self) -> None:
        self._serving.close()
