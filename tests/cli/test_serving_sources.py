"""`shoal serve` follows one's own documents: what changes is found, and it ends with the server."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals
from typing import Any

import httpx
import pytest

from shoal.layout.following import read_following
from shoal.layout.layout import Layout, is_locked
from tests.cli.command import Shoal, Started

PATIENCE_SECONDS = 60.0
TOKEN = "a-token-that-nobody-guesses"
FOLLOW = {"SHOAL_INDEX_FOLLOW": "yes"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "Documents"
    found.mkdir()
    (found / "reef.txt").write_text("Clownfish live in anemones")
    return found


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Shoal]:
    found = Shoal(tmp_path)
    yield found
    found.close()


class Server:
    def __init__(self, command: Shoal, *flags: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.process: Started = command.start(
            "serve", "--port", str(port), "--token", TOKEN, *flags, **FOLLOW
        )
        self.layout = Layout(command.directory / "corpus")

    def get(self, target: str, **given: str) -> Any:
        try:
            headers = {"authorization": f"Bearer {TOKEN}"}
            answer = httpx.get(self.address + target, params=given, headers=headers, timeout=30)
        except httpx.ConnectError:
            return None
        return answer.json()

    def post(self, target: str, **given: str) -> Any:
        headers = {"authorization": f"Bearer {TOKEN}"}
        return httpx.post(self.address + target, data=given, headers=headers, timeout=60).json()

    def finds(self, word: str) -> int:
        answer = self.get("/search.json", q=word)
        return 0 if answer is None or not answer.get("found") else answer["found"]["total"]

    def is_followed(self) -> bool:
        following = read_following(self.layout)
        return following is not None and bool(following.sources) and not following.looking

    def end(self, how: Signals) -> None:
        self.process.signal(how)
        self.process.wait()


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_serve_follows_and_takes_orders_and_ends_whole(command: Shoal, folder: Path) -> None:
    command.ok("add", "Documents", **FOLLOW)
    server = Server(command)
    until(server.is_followed)
    (folder / "new.txt").write_text("A seal on the ice")
    until(lambda: server.finds("seal") == 1)
    other = folder.parent / "Other"
    other.mkdir()
    (other / "otter.txt").write_text("An otter sleeps in the kelp")
    assert server.post("/sources/add.json", path=str(other))["says"].endswith("from now on.")
    until(lambda: server.finds("otter") == 1)
    (line,) = (e for e in server.get("/sources.json")["sources"] if e["path"] == str(other))
    assert (line["documents"], line["told_by"]) == (1, "the kernel tells of each change")
    server.post("/sources/remove.json", path=str(other))
    until(lambda: server.finds("otter") == 0 and len(server.get("/sources.json")["sources"]) == 1)
    assert server.post("/sources/look.json")["says"] == "All of it is looked at now."
    server.end(SIGTERM)
    assert not is_locked(server.layout)
    assert not server.layout.following.exists()


def test_whoever_follows_ends_also_when_the_server_is_killed(command: Shoal, folder: Path) -> None:
    command.ok("add", "Documents", **FOLLOW)
    server = Server(command)
    until(server.is_followed)
    server.end(SIGKILL)
    until(lambda: not is_locked(server.layout))
    (folder / "new.txt").write_text("A seal on the ice")
    assert "1 new" not in command.ok("sources").text
    assert command.ok("add", "Documents", **FOLLOW).lines[0].endswith(": 2 documents")


def test_a_server_that_is_told_not_to_does_not_follow(command: Shoal, folder: Path) -> None:
    command.ok("add", "Documents", **FOLLOW)
    server = Server(command, "--no-watch")
    until(lambda: server.get("/sources.json") is not None)
    assert "told not to" in server.get("/sources.json")["why_not"]
    refused = server.post("/sources/look.json")
    assert refused["status"] == 409
    assert not is_locked(server.layout)
    server.end(SIGTERM)


def test_a_writer_that_is_there_is_told_of(command: Shoal, folder: Path) -> None:
    command.ok("add", "Documents", **FOLLOW)
    watching = command.start("watch", **FOLLOW)
    layout = Layout(command.directory / "corpus")
    until(lambda: read_following(layout) is not None)
    server = Server(command)
    server.process.read_until(f"Process {watching.pid} is writing")
    watching.signal(SIGTERM)
    watching.wait()
    until(server.is_followed)
    server.end(SIGTERM)


def test_who_holds_documents_of_their_own_asks_for_a_token(command: Shoal, folder: Path) -> None:
    """From the moment on that there are some."""
    (command.directory / "web").mkdir()
    (command.directory / "web" / "page.html").write_text("<p>Pages of the web</p>")
    command.ok("crawl", "web/page.html", "--set", "files.readers=everyone")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serving = command.start("serve", "--port", str(port), **FOLLOW)
    address = f"http://127.0.0.1:{port}"

    def status() -> int:
        try:
            return httpx.get(f"{address}/sources.json", timeout=30).status_code
        except httpx.ConnectError:
            return 0

    until(lambda: status() == 200)
    page = httpx.get(f"{address}/sources.json", timeout=30).json()
    assert not page["can_add"]
    csrf = httpx.get(f"{address}/dashboard", timeout=30).text.partition('name="csrf" value="')[2]
    given = {"path": os.fspath(folder), "csrf": csrf.partition('"')[0]}
    answer = httpx.post(f"{address}/sources/add.json", data=given, timeout=30)
    assert answer.status_code == 403
    assert "shoal add" in answer.json()["says"]
    command.ok("add", "Documents", **FOLLOW)
    serving.read_until("asks for a token")
    assert status() == 401
    serving.signal(SIGTERM)
    serving.wait()
