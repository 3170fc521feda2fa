"""What every test of the web page may ask for: a crawled collection, a client, a server, a
browser."""

import importlib.util
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from shoal.fetch.render import program
from shoal.web.server.serve import make_app
from tests.web.little_web import LittleWeb, Serving, client_of, gather
from tests.world import RobotsMix, Web, serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Witness:
    """A server on loopback that remembers what it was asked: nothing, when all is well."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        witness = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                witness.paths.append(self.path)
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing on stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="session")
def witness() -> Iterator[Witness]:
    serving = Witness()
    yield serving
    serving.close()


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory, witness: Witness) -> LittleWeb:
    """The crawled collection; tests do not write to it."""
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    directory = tmp_path_factory.mktemp("web") / "corpus"
    with serve(Web(seed=11, hosts=2, pages=2, robots=robots)) as site:
        return gather(site, directory, witness.address)


@pytest.fixture(scope="session")
def collection_dir(web: LittleWeb) -> Path:
    return web.directory


@pytest.fixture(scope="session")
def live_site(web: LittleWeb) -> Iterator[str]:
    """The address (with a slash at its end) of a real server."""
    serving = Serving(make_app(web.directory), copied=web.url("/reef"))
    yield serving.address
    serving.close()


@pytest.fixture(scope="session")
def client(live_site: str) -> Iterator[httpx.Client]:
    """Asks the real server. Redirects are not followed."""
    with client_of(live_site) as asking:
        yield asking


@pytest.fixture(scope="module")
def browser(web: LittleWeb) -> "Iterator[Browser]":
    """The system's Chromium. Make a context for each test: `browser.new_context()`.

    While it is there this thread has a running event loop, so it goes with its module, and what
    crawls (asyncio.run) is to come before it, or in a thread.
    """
    del web
    if importlib.util.find_spec("playwright") is None or not program():
        pytest.skip("needs playwright (pip install 'shoal[js]') and Chromium on the PATH")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it may not be there

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        yield started
        started.close()
