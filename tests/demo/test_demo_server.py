"""Does the server of the little web tell the truth, and does it leave nothing behind?"""

import gzip
import http.client
import socket
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any

import pytest

from shoal.demo import DemoWeb, serve, server
from shoal.demo.server import WEB

from .plain_crawler import ask

HOSTS = sorted(folder.name for folder in WEB.iterdir() if folder.is_dir())


@pytest.fixture(scope="module")
def web() -> Iterator[DemoWeb]:
    with serve() as running:
        yield running


def described(host: str) -> dict[str, Any]:
    tables = tomllib.loads((WEB / host / "_responses.toml").read_text("utf-8"))
    return {name: table for name, table in tables.items() if isinstance(table, dict)}


@pytest.mark.parametrize("host", HOSTS)
def test_described_answers_are_given(web: DemoWeb, host: str) -> None:
    for target, table in described(host).items():
        reply = ask(web, f"http://{host}{target}")
        assert reply.status == table.get("status", 200)
        assert reply.headers.get("location") == table.get("location")
        for name, value in table.get("headers", {}).items():
            assert reply.headers[name.lower()] == value
        if "last_modified" in table:
            assert parsedate_to_datetime(reply.headers["last-modified"]) == table["last_modified"]


@pytest.mark.parametrize(
    ("address", "status", "name", "value"),
    [
        ("www.reef.example/nemo.html", 301, "location", "/species/nemo.html"),
        ("www.reef.example/gallery/", 302, "location", "http://mirror.reef.example/"),
        (
            "www.reef.example/species/coelacanth.html",
            404,
            "content-type",
            "text/html; charset=utf-8",
        ),
        (
            "shop.aqua.example/p/painted-glassfish.html",
            410,
            "content-type",
            "text/html; charset=utf-8",
        ),
        ("shop.aqua.example/delivery.html", 200, "x-robots-tag", "noindex"),
        ("museum.tide.example/collections/plates.html", 200, "tdm-reservation", "1"),
        ("museum.tide.example/docs/leaflet.pdf", 200, "content-type", "application/pdf"),
        ("shop.aqua.example/p/gift-card.html", 200, "content-length", "0"),
    ],
)
def test_answers_that_the_demo_tells_of(
    web: DemoWeb, address: str, status: int, name: str, value: str
) -> None:
    reply = ask(web, f"http://{address}")
    assert (reply.status, reply.headers[name]) == (status, value)


def test_conditional_requests(web: DemoWeb) -> None:
    url = "http://www.reef.example/species/clownfish.html"
    first = ask(web, url)
    tag, modified = first.headers["etag"], first.headers["last-modified"]
    unchanged = ask(web, url, If_None_Match=f'"other", {tag}')
    assert (unchanged.status, unchanged.body) == (304, b"")
    assert unchanged.headers["etag"] == tag
    assert ask(web, url, If_Modified_Since=modified).status == 304
    earlier = format_datetime(parsedate_to_datetime(modified) - timedelta(days=1), usegmt=True)
    assert ask(web, url, If_Modified_Since=earlier).status == 200
    # RFC 9110, 13.1.3: the date is not looked at when there is an entity tag.
    assert ask(web, url, If_None_Match='"other"', If_Modified_Since=modified).status == 200
    for nonsense in ("yesterday", "Tue, 99 Foo 2025 00:00:00 GMT", "\xff" * 50, "1 Jan 2030 -0000"):
        assert ask(web, url, If_Modified_Since=nonsense).status == 200


def test_gzip_only_where_accepted(web: DemoWeb) -> None:
    url = "http://blog.lagoon.example/2025/night-dive.html"
    page = ask(web, url)
    assert "content-encoding" not in page.headers
    assert page.headers["vary"] == "Accept-Encoding"
    for accepted in ("gzip", "br, GZIP;q=0.5", "deflate, gzip"):
        packed = ask(web, url, Accept_Encoding=accepted)
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == page.body
    for refused in ("br", "gzip;q=0", "gzip;q=0.0", ""):
        assert ask(web, url, Accept_Encoding=refused).body == page.body


def test_head_is_get_without_a_body(web: DemoWeb) -> None:
    for url in ("http://www.reef.example/", "http://www.reef.example/nemo.html"):
        got, headed = ask(web, url), ask(web, url, method="HEAD")
        assert headed.body == b""
        headers = {**headed.headers, "date": got.headers["date"]}
        assert (headed.status, headers) == (got.status, got.headers)


def test_host_header_chooses_the_site_and_strangers_are_misdirected(web: DemoWeb) -> None:
    here = "http://www.reef.example/"
    assert b"Aqua Lane has sold fish" in ask(web, here, Host="Shop.Aqua.example:8080").body
    assert ask(web, here, Host="elsewhere.example").status == 421


@pytest.mark.parametrize(
    "path",
    ["/../index.toml", "/%2e%2e/index.toml", "/_responses.toml", "/species", "/%ff%00", "/a" * 999],
)
def test_paths_outside_the_pages_are_not_found(web: DemoWeb, path: str) -> None:
    assert ask(web, f"http://www.reef.example{path}").status == 404


def test_a_request_body_does_not_become_the_next_request(web: DemoWeb) -> None:
    address, _, port = web.resolve["www.reef.example"].partition(":")
    second = b"GET /glossary.html HTTP/1.1\r\nHost: www.reef.example\r\n\r\n"
    first = second.replace(b"\r\n\r\n", b"\r\nContent-Length: %d\r\n\r\n" % len(second))
    received = b""
    with socket.create_connection((address, int(port)), timeout=60) as client:
        client.sendall(first + second)
        with suppress(ConnectionResetError):  # closed with our body unread
            while chunk := client.recv(65536):
                received += chunk
    assert received.count(b"HTTP/1.1 200") <= 1


def test_each_host_has_an_address_and_the_log_names_it() -> None:
    with serve() as web:
        assert sorted(web.resolve) == HOSTS
        assert web.seeds == ["http://www.reef.example/", "http://forum.fishkeepers.example/"]
        ask(web, "http://museum.tide.example/visit.html?x=1", User_Agent="pytest")
        ask(web, "http://museum.tide.example/nowhere", method="HEAD")
    first, second = sorted(web.requests, key=lambda request: request.started_s)
    assert (first.host, first.agent) == ("museum.tide.example", "pytest")
    assert first.target == "/visit.html?x=1"
    assert first.body_bytes == (WEB / "museum.tide.example/visit.html").stat().st_size
    assert (second.method, second.status, second.body_bytes) == ("HEAD", 404, 0)
    assert first.started_s <= first.ended_s
    assert second.started_s <= second.ended_s


def test_closing_leaves_no_thread_and_no_open_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server._Handler, "timeout", 3600.0)
    before = set(threading.enumerate())
    with serve() as web:
        address, _, port = web.resolve["www.reef.example"].partition(":")
        idle = socket.create_connection((address, int(port)), timeout=60)
        kept = http.client.HTTPConnection(address, int(port), timeout=60)
        kept.request("GET", "/", headers={"Host": "www.reef.example"})
        assert kept.getresponse().read().startswith(b"<!doctype html>")
        assert set(threading.enumerate()) > before
        closing_s = time.monotonic()
    assert time.monotonic() - closing_s < 60  # kept-alive connections are woken, not waited for
    assert set(threading.enumerate()) == before
    assert idle.recv(1) == b""
    idle.close()
    kept.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address, int(port)), timeout=60)


def test_an_error_in_the_block_closes_the_web_too() -> None:
    before = set(threading.enumerate())
    with pytest.raises(KeyError), serve():
        raise KeyError
    assert set(threading.enumerate()) == before


def test_without_further_loopback_addresses_the_ports_differ() -> None:
    """240.0.0.0/4 is reserved (RFC 1112) and nobody's, as 127.70.0.1 is nobody's on macOS."""
    with serve(network="240.0.0") as web:
        assert {place.partition(":")[0] for place in web.resolve.values()} == {"127.0.0.1"}
        assert len(set(web.resolve.values())) == len(HOSTS)
        assert ask(web, "http://mirror.reef.example/").status == 200
