"""Is the web served as it was generated, and truly logged?"""

from __future__ import annotations

import gzip
import http.client
import itertools
import os
import resource
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.world import (
    Hang,
    Latency,
    Request,
    RobotsMix,
    Running,
    Web,
    by_address,
    by_host,
    gaps,
    overlaps,
    repeats,
    serve,
)
from tests.world.log import read
from tests.world.pages import Writer
from tests.world.server import raise_file_limit
from tests.world.tiny import Anchors, crawl, get

SMALL = Web(seed=7, hosts=6, pages=40, starts=1, robots=RobotsMix(disallow=0.7, error=0.1))


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with serve(SMALL) as world:
        yield world


@pytest.mark.parametrize("max_depth", [None, 2])
def test_the_truth_is_what_a_crawler_finds(running: Running, max_depth: int | None) -> None:
    web = running.web
    assert crawl(running, max_depth, obedient=False) == web.reachable(max_depth=max_depth)
    obeyed = crawl(running, max_depth, obedient=True)
    assert obeyed == web.crawlable(max_depth=max_depth)
    assert len(obeyed) < len(web.reachable(max_depth=max_depth))


def test_bodies_are_those_of_the_generator_packed_or_not(running: Running) -> None:
    writer = Writer(running.web)
    for url in running.web.urls():
        place = running.web.locate(url)
        assert place is not None
        plain, body = get(url)
        packed, squeezed = get(url, Accept_Encoding="br, gzip")
        assert body == writer.body(*place)
        if packed.headers["Content-Encoding"] == "gzip":
            assert len(squeezed) < len(body)
            squeezed = gzip.decompress(squeezed)
        assert squeezed == body
        assert packed.headers["ETag"] == plain.headers["ETag"]


def test_rendering_ahead_changes_nothing(running: Running) -> None:
    url = running.web.url(0, 0)
    before = get(url, Accept_Encoding="gzip")[1]
    assert running.render() > 0
    assert get(url, Accept_Encoding="gzip")[1] == before


def test_keep_alive_head_and_missing_pages(running: Running) -> None:
    name, port = running.web.address(2), running.port
    connection = http.client.HTTPConnection(name, port, timeout=60)
    before = len(running.log())
    statuses = []
    for method, target in (("GET", "/"), ("HEAD", "/"), ("GET", "/none.html"), ("POST", "/")):
        connection.request(method, target)
        response = connection.getresponse()
        assert (len(response.read()) == 0) == (method == "HEAD")
        statuses.append(response.status)
    connection.close()
    assert statuses == [200, 200, 404, 405]
    log = running.log()[before:]
    assert [request.method for request in log] == ["GET", "HEAD", "GET", "POST"]
    assert len({request.connection for request in log}) == 1


def test_two_requests_in_one_packet_are_answered_in_order(running: Running) -> None:
    head = "GET {} HTTP/1.1\r\nHost: x\r\nConnection: {}\r\n\r\n"
    with socket.create_connection((running.web.address(1), running.port), timeout=60) as channel:
        wire = head.format("/none", "keep-alive") + head.format("/robots.txt", "close")
        channel.sendall(wire.encode())
        answers = channel.makefile("rb").read()
    first, second = answers.index(b"404 Not Found"), answers.rindex(b"HTTP/1.1 ")
    assert first < second


def test_conditional_requests_and_the_worlds_clock() -> None:
    web = Web(seed=4, hosts=1, pages=50, files=0, robots=RobotsMix(missing=0))
    with serve(web) as world:
        urls = list(world.web.urls())
        url = next(url for url in urls if world.web.changes(url, 0, 1e6))
        when = world.web.changes(url, 0, 1e6)[0]
        first, body = get(url)
        assert get(url, If_None_Match=first.headers["ETag"])[0].status == 304
        assert get(url, If_Modified_Since=first.headers["Last-Modified"])[0].status == 304
        world.set_time(when)
        both = {
            "If_None_Match": first.headers["ETag"],
            "If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT",
        }
        changed, new_body = get(url, **both)
        assert changed.status == 200, "If-None-Match goes before If-Modified-Since"
        assert new_body != body
        assert Anchors(url, new_body.decode("latin-1")).found == (
            Anchors(url, body.decode("latin-1")).found
        )
        log = world.log()
        assert [request.not_modified for request in log] == [False, True, True, False]
        assert log[1].if_none_match == first.headers["ETag"]
        assert log[2].if_modified_since == first.headers["Last-Modified"]


def test_names_share_an_address_and_any_host_header_is_taken() -> None:
    names = tuple(f"h{number}.test" for number in range(4))
    with serve(Web(hosts=4, pages=8, names=names, addresses=2, files=0)) as world:
        assert world.web.resolve_table() == {
            name: f"127.1.1.{1 + number % 2}:{world.port}" for number, name in enumerate(names)
        }
        titles = {}
        for number, name in enumerate([*names, "else.where"]):
            header = f"{name}:{world.port}"
            body = get(f"http://{world.web.address(number % 2)}:{world.port}/", Host=header)[1]
            titles[name] = body[body.index(b"<title>") : body.index(b"</title>")]
        assert len({titles[name] for name in names}) == 4
        assert titles["else.where"] == titles["h0.test"]
        log = world.log()
        assert [request.host for request in log[:4]] == [f"{name}:{world.port}" for name in names]
        assert {len(group) for group in by_address(log).values()} == {2, 3}
        assert {len(group) for group in by_host(log).values()} == {1}


# --- the log


def test_log_times_lie_within_the_clients_own(running: Running) -> None:
    running.set(running.web.address(3) + "/*", Latency(0.05))
    url = running.web.url(3, 0)
    before = len(running.log())
    spans = []
    for _ in range(3):
        sent = time.monotonic_ns()
        get(url, User_Agent="tiny/1")
        spans.append((sent, time.monotonic_ns()))
    log = running.log()[before:]
    for request, (sent, received) in zip(log, spans, strict=True):
        assert request.end_ns is not None
        assert request.end is not None
        assert sent < request.start_ns < request.end_ns < received
        assert request.end_ns - request.start_ns >= 50_000_000
        assert request.end - request.start == pytest.approx(0.05, abs=0.5)
        assert abs(time.time() - request.start) < 60
        assert (request.url, request.agent, request.complete) == (url, "tiny/1", True)
        assert request.sent_bytes > 500
    measured = gaps(log)[urlsplit(url).netloc]
    apart = [(later[0] - earlier[1]) / 1e9 for earlier, later in itertools.pairwise(spans)]
    assert all(gap >= least for gap, least in zip(measured, apart, strict=True))
    assert overlaps(log) == []
    assert list(repeats(log)) == [url]


def test_overlaps_shows_two_requests_at_once(running: Running) -> None:
    running.set(running.web.address(4) + "/*", Latency(0.2))
    url = running.web.url(4, 0)
    before = len(running.log())
    threads = [threading.Thread(target=get, args=(url,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = running.log()[before:]
    assert overlaps(log) == [(log[0], log[1])]
    assert gaps(log)[log[0].host][0] < 0


def test_overlaps_remembers_the_longest_and_those_still_in_flight() -> None:
    def made(start: int, end: int | None) -> Request:
        return Request(
            "127.1.1.1",
            "a",
            "GET",
            "/",
            "",
            None,
            None,
            0,
            start / 1e9,
            start,
            end and end / 1e9,
            end,
        )

    long, inside, after, endless, last = (
        made(0, 100),
        made(10, 20),
        made(50, 60),
        made(100, None),
        made(200, 210),
    )
    found = overlaps([last, inside, long, endless, after])
    assert found == [(long, inside), (long, after), (endless, last)]


def test_repeats_leaves_robots_txt_aside(running: Running) -> None:
    before = len(running.log())
    origin = f"http://{running.web.address(5)}:{running.port}"
    for _ in range(2):
        get(origin + "/robots.txt")
    get(origin + "/")
    assert repeats(running.log()[before:]) == {}


def test_the_log_is_continued_by_the_next_server(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    web = Web(hosts=1, pages=1)
    with serve(web, log_path=path) as world:
        get(world.web.url(0, 0))
    with serve(world.web, log_path=path) as again:
        assert again.port == world.port
        get(again.web.url(0, 0))
        assert [request.status for request in again.log()] == [200, 200]


def test_a_killed_server_leaves_its_log_and_a_stopped_one_what_was_in_flight(
    tmp_path: Path,
) -> None:
    path = tmp_path / "requests.jsonl"
    with serve(Web(hosts=2, pages=2), {"127.1.1.2/*": Hang()}, log_path=path) as world:
        get(world.web.url(0, 0))
        hanging = socket.create_connection((world.web.address(1), world.port), timeout=60)
        hanging.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        world.wait(2)
    hanging.close()
    assert [(request.status, request.end is None) for request in read(path)] == [
        (200, False),
        (0, True),
    ]
    with serve(Web(hosts=1, pages=1), log_path=path) as world:
        get(world.web.url(0, 0))
        world.log()
        os.kill(world.process_id, signal.SIGKILL)
    path.write_bytes(path.read_bytes() + b'{"address": "127.')
    assert [request.status for request in read(path)] == [200, 0, 200]


def test_too_low_a_limit_of_open_files_is_said_clearly() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard == resource.RLIM_INFINITY:
        pytest.skip("no limit here")
    with pytest.raises(OSError, match=r"needs \d+ open files but the limit is"):
        raise_file_limit(hard + 1)


def test_a_port_in_use_is_said_clearly(running: Running) -> None:
    with pytest.raises(RuntimeError, match=r"cannot listen on 127\.1\.1\.1"), serve(running.web):
        pytest.fail("served twice on one port")
