"""Silent connections: bounded in time and in number, whatever they are silent in."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import httpx
import pytest

from shoal.web.server.connections import Bounds
from shoal.web.server.http import Request, Response
from shoal.web.server.routes import views
from shoal.web.server.serve import make_app
from shoal.web.server.site import Site
from shoal.web.server.view import View
from shoal.web.views import dashboard
from tests.web.little_web import LittleWeb, Serving, client_of

BOUNDS = Bounds(
    connections=8, head_seconds=0.4, body_seconds=0.4, idle_seconds=1, reading_seconds=0.4
)
MUCH = b"x" * 30_000_000
PATIENCE_SECONDS = 30.0
HOST = b"host: 127.0.0.1\r\n"
HALF_A_FORM = b"POST /crawl/submit HTTP/1.1\r\n" + HOST + b"content-length: 100\r\n\r\nurls="
OVERDUE = {
    "nothing sent": b"",
    "half a head": b"GET / HTTP/1.1\r\nhost: 127",
    "half a form": HALF_A_FORM,
    "a body that nobody reads": b"GET /robots.txt HTTP/1.1\r\n"
    + HOST
    + b"content-length: 9\r\n\r\n",
    "half a second head": b"GET /robots.txt HTTP/1.1\r\n" + HOST + b"\r\nGET /",
}


def much(site: Site, request: Request) -> Response:
    del site, request
    return Response(MUCH, media_type="text/plain")


@pytest.fixture(scope="module")
def address(web: LittleWeb) -> Iterator[str]:
    table = [*views(), View("/much", much, "More than a socket takes.", twin=False)]
    serving = Serving(make_app(web.directory, table=table), bounds=BOUNDS)
    yield serving.address
    serving.close()


def connected(address: str, sends: bytes = b"") -> socket.socket:
    url = urlsplit(address)
    made = socket.create_connection((str(url.hostname), int(url.port or 0)), PATIENCE_SECONDS)
    made.sendall(sends)
    return made


def is_ended(made: socket.socket) -> bool:
    """Reads until the other side ends it; what takes longer than our patience is an error."""
    try:
        while made.recv(65_536):
            pass
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize("sends", OVERDUE.values(), ids=OVERDUE)
def test_who_falls_silent_is_cut(
    address: str, sends: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(connected(address, sends)) as made:
        assert is_ended(made)
    assert "Traceback" not in caplog.text


def drip(made: socket.socket) -> None:
    until_s = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until_s:
        made.sendall(b"a: b\r\n")
        time.sleep(0.05)


def test_who_drips_a_head_is_cut(address: str) -> None:
    made = connected(address, b"GET / HTTP/1.1\r\n")
    with closing(made), pytest.raises(ConnectionError):
        drip(made)


def test_who_reads_nothing_is_cut(address: str) -> None:
    with closing(connected(address, b"GET /much HTTP/1.1\r\n" + HOST + b"\r\n")) as made:
        until_s = time.monotonic() + PATIENCE_SECONDS
        while is_open(made) and time.monotonic() < until_s:
            time.sleep(0.05)
        assert not is_open(made)


def is_open(made: socket.socket) -> bool:
    """Whether the other side has not reset it: looked at without reading what has come."""
    return made.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == 1  # ESTABLISHED


def test_who_reads_all_of_it_is_not(address: str) -> None:
    with client_of(address) as asking:
        assert len(asking.get("/much").content) == len(MUCH)


def test_silent_ones_make_room_for_who_asks(address: str) -> None:
    silent = [connected(address) for _ in range(3 * BOUNDS.connections)]
    with client_of(address) as asking:
        assert asking.get("/robots.txt").status_code == 200
    for each in silent:
        with closing(each):
            assert is_ended(each)


def test_where_all_places_are_busy_it_is_said(web: LittleWeb) -> None:
    bounds = Bounds(connections=2, body_seconds=60)
    serving = Serving(make_app(web.directory), bounds=bounds)
    busy = [connected(serving.address, HALF_A_FORM) for _ in range(bounds.connections)]
    with client_of(serving.address) as asking:
        until_s = time.monotonic() + PATIENCE_SECONDS
        status = 200
        while status != 503 and time.monotonic() < until_s:
            status = asking.get("/robots.txt", headers={"connection": "close"}).status_code
        assert status == 503
    for each in busy:
        each.close()
    serving.close()


def test_a_stream_of_events_ends_and_is_asked_for_again(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "_STREAM_SECONDS", 0.5)
    with client_of(address) as asking:
        lines = asking.get("/events", timeout=PATIENCE_SECONDS).text.splitlines()
    assert lines[0] == "event: history"
    assert json.loads(lines[1].removeprefix("data: "))["figures"]["state"]
    assert "retry: 1000" in lines


def test_one_connection_asks_again_and_again(address: str) -> None:
    with client_of(address) as asking:
        begun_s = time.monotonic()
        while time.monotonic() - begun_s < 3 * BOUNDS.head_seconds:
            answer: httpx.Response = asking.get("/robots.txt")
            assert answer.status_code == 200
