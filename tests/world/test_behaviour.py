"""Do hosts and pages misbehave as they were told, and only as long as they were told?"""

from __future__ import annotations

import email.utils
import gzip
import itertools
import socket
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.world import (
    BadChunks,
    Behaviour,
    Bomb,
    Chain,
    Chunked,
    Close,
    ContentType,
    Drip,
    Endless,
    EndlessHeaders,
    Gone,
    Hang,
    Http09,
    Latency,
    Loop,
    Redirect,
    Reset,
    RobotsMix,
    Running,
    Status,
    Web,
    WrongLength,
    serve,
)
from tests.world.behaviour import from_json, to_json
from tests.world.pages import Writer
from tests.world.table import Table

HOSTS = 60


@dataclass(frozen=True)
class Host:
    """A host that no other test uses."""

    world: Running
    index: int

    @property
    def name(self) -> str:
        return self.world.web.host_name(self.index)

    def page(self) -> bytes:
        return Writer(self.world.web).body(self.index, 0)

    def set(self, *behaviours: Behaviour, path: str = "/*") -> None:
        self.world.set(self.name + path, *behaviours)

    def ask(self, target: str = "/", *, limit: int = 1 << 24, method: str = "GET") -> bytes:
        """The raw answer, up to the limit or the end of the connection."""
        with self.connect(target, method=method) as channel:
            return read(channel, limit)

    def connect(self, target: str = "/", *, method: str = "GET") -> socket.socket:
        where = (self.world.web.address(self.index), self.world.port)
        channel = socket.create_connection(where, timeout=60)
        head = f"{method} {target} HTTP/1.1\r\nHost: {self.name}:{self.world.port}\r\n"
        channel.sendall(f"{head}Connection: close\r\n\r\n".encode())
        return channel

    def status(self, target: str = "/") -> int:
        return int(self.ask(target).split(b" ", 2)[1])


def read(channel: socket.socket, limit: int) -> bytes:
    data = b""
    while len(data) < limit and (piece := channel.recv(min(65_536, limit - len(data)))):
        data += piece
    return data


def header(answer: bytes, name: str) -> str:
    for line in answer.partition(b"\r\n\r\n")[0].decode().split("\r\n"):
        if line.lower().startswith(f"{name.lower()}: "):
            return line.partition(": ")[2]
    return ""


@pytest.fixture(scope="module")
def hosts() -> Iterator[Iterator[Host]]:
    web = Web(seed=11, hosts=HOSTS, pages=HOSTS, starts=HOSTS, robots=RobotsMix(0, 0, 0, 0))
    with serve(web) as world:
        yield (Host(world, index) for index in itertools.count())


@pytest.fixture
def host(hosts: Iterator[Host]) -> Host:
    return next(hosts)


def test_behaviours_survive_the_way_to_the_server() -> None:
    for behaviour in (Status(429, 3, dated=True, times=2, per="url"), Hang(5), Redirect("/x", 308)):
        assert from_json(to_json(behaviour)) == behaviour


def test_behaviours_given_at_the_start_and_changed_later() -> None:
    web = Web(hosts=2, pages=2)
    with serve(web, {"*/*": [Latency(0.01), Status(500)], "127.1.1.2/*": Status(410)}) as world:
        first, second = Host(world, 0), Host(world, 1)
        assert (first.status(), second.status()) == (500, 500), "the first answer wins"
        world.set("*/*")
        assert (first.status(), second.status()) == (200, 410)
        world.clear()
        assert second.status() == 200


def test_dice_are_the_same_in_every_run_and_order() -> None:
    def rolled(seed: int, targets: list[str]) -> dict[str, list[tuple[Behaviour, float]]]:
        table = Table(seed)
        table.set("*", [Status(500, probability=0.5)])
        return {target: table.fired(("a.test",), target, 0.0) for target in targets}

    targets = [f"/{number}" for number in range(50)]
    assert rolled(1, targets) == rolled(1, targets[::-1])
    assert rolled(1, targets) != rolled(2, targets)


def test_latency_delays_the_answer(host: Host) -> None:
    host.set(Latency(0.05, jitter_seconds=0.05))
    began = time.monotonic()
    host.ask()
    assert time.monotonic() - began >= 0.05


def test_status_for_the_first_times_per_host_and_per_url(host: Host) -> None:
    host.set(Status(503, times=2))
    host.world.put(host.index, "/a", "a")
    assert [host.status(target) for target in ("/", "/a", "/", "/a")] == [503, 503, 200, 200]
    host.set(Status(500, times=1, per="url"))
    assert [host.status(target) for target in ("/", "/a", "/", "/a")] == [500, 500, 200, 200]


def test_status_with_probability_is_a_share(host: Host) -> None:
    host.set(Status(500, probability=0.3))
    failures = [host.status() for _ in range(100)].count(500)
    assert 10 < failures < 55


def test_retry_after_in_both_forms(host: Host) -> None:
    host.set(Status(429, 7, times=1), Status(503, 7, dated=True, times=2))
    now = time.time()
    seconds, dated, fine = host.ask(), host.ask(), host.ask()
    assert seconds.startswith(b"HTTP/1.1 429 ")
    assert header(seconds, "Retry-After") == "7"
    assert dated.startswith(b"HTTP/1.1 503 ")
    when = email.utils.parsedate_to_datetime(header(dated, "Retry-After")).timestamp()
    assert now + 7 <= when < time.time() + 9
    assert fine.startswith(b"HTTP/1.1 200 ")


def test_a_path_pattern_leaves_robots_alone_and_a_host_pattern_does_not(host: Host) -> None:
    host.set(Status(500))
    assert (host.status("/robots.txt"), host.status()) == (200, 500)
    host.set(path="/*")
    host.set(Status(500), path="")
    assert (host.status("/robots.txt"), host.status()) == (500, 500)


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_redirects_send_the_location_as_given(host: Host, code: int) -> None:
    host.set(Redirect("../x?from={target}", code), path="/a/*")
    answer = host.ask("/a/b")
    assert answer.startswith(b"HTTP/1.1 %d " % code)
    assert header(answer, "Location") == "../x?from=/a/b"


def test_a_chain_ends_at_the_page_and_a_loop_nowhere(host: Host) -> None:
    host.set(Chain(3, 301), path="/")
    hops = [header(host.ask(target), "Location") for target in ("/", "/?hop=1", "/?hop=2")]
    assert hops == ["?hop=1", "?hop=2", "?hop=3"]
    assert host.ask("/?hop=3").endswith(host.page())
    host.set(Loop(2), path="/")
    assert header(host.ask("/"), "Location") == "?hop=1"
    assert header(host.ask("/?hop=1"), "Location") == "/"


def test_gone_from_a_time_on(host: Host) -> None:
    host.set(Gone(404, after_seconds=1_000.0))
    before = host.status()
    host.world.set_time(1_000.0)
    after = host.status()
    host.world.set_time(0)
    assert (before, after) == (200, 404)


def test_wrong_and_missing_content_type(host: Host) -> None:
    host.set(ContentType("image/png"), path="/")
    assert header(host.ask(), "Content-Type") == "image/png"
    host.set(ContentType(""), path="/")
    answer = host.ask()
    assert "content-type" not in answer.partition(b"\r\n\r\n")[0].decode().lower()
    assert answer.endswith(host.page())


def test_hang_never_answers_and_is_logged_when_given_up(host: Host) -> None:
    host.set(Hang())
    with host.connect() as channel:
        host.world.wait(1, host=host.index)
        waiting = [request for request in host.world.log() if request.address == host.name]
        assert [(request.end, request.status) for request in waiting] == [(None, 0)]
        channel.settimeout(0.1)
        with pytest.raises(TimeoutError):
            channel.recv(1)
    host.set(Status(204))  # the next request comes after the server has seen the first one go
    host.ask()
    first, _ = (request for request in host.world.log() if request.address == host.name)
    assert first.end is not None
    assert (first.complete, first.sent_bytes) == (False, 0)


def test_hang_in_the_middle_of_the_body(host: Host) -> None:
    host.set(Hang(after_bytes=300))
    with host.connect() as channel:
        assert len(read(channel, 300)) == 300
        channel.settimeout(0.1)
        with pytest.raises(TimeoutError):
            channel.recv(1)


def test_drip_takes_its_time(host: Host) -> None:
    body = b"x" * 300
    host.world.put(host.index, "/slow", body)
    host.set(Drip(bytes_per_second=1_000), path="/slow")
    began = time.monotonic()
    assert host.ask("/slow").endswith(b"\r\n\r\n" + body)
    assert time.monotonic() - began >= 0.25
    request = host.world.log()[-1]
    assert request.end is not None
    assert request.end - request.start >= 0.25


def test_endless_body_and_headers_go_on_and_on(host: Host) -> None:
    host.set(Endless())
    answer = host.ask(limit=2_000_000)
    assert len(answer) == 2_000_000
    assert header(answer, "Content-Length") == ""
    host.set(EndlessHeaders())
    answer = host.ask(limit=500_000)
    assert b"\r\n\r\n" not in answer
    assert len(answer) == 500_000


def test_reset_in_the_body_and_before_any_answer(host: Host) -> None:
    host.set(Reset(100))
    with host.connect() as channel:
        body = b""
        while len(body.partition(b"\r\n\r\n")[2]) < 100:
            body += channel.recv(1)
        with pytest.raises(ConnectionResetError):
            channel.recv(4096)
    host.set(Reset(None))
    with pytest.raises(ConnectionResetError):
        host.ask()


@pytest.mark.parametrize("by", [50, -50])
def test_wrong_length_too_long_and_too_short(host: Host, by: int) -> None:
    host.set(WrongLength(by))
    answer = host.ask()
    assert int(header(answer, "Content-Length")) == len(host.page()) + by
    assert answer.endswith(host.page())


def test_good_and_bad_chunks(host: Host) -> None:
    host.set(Chunked(700))
    answer = host.ask().partition(b"\r\n\r\n")[2]
    body = b""
    while (size := int(answer.partition(b"\r\n")[0], 16)) > 0:
        start = answer.index(b"\r\n") + 2
        body += answer[start : start + size]
        answer = answer[start + size + 2 :]
    assert body == host.page()
    host.set(BadChunks())
    answer = host.ask()
    assert header(answer, "Transfer-Encoding") == "chunked"
    assert b"\r\nno-number\r\n" in answer


def test_http_0_9_is_the_body_alone(host: Host) -> None:
    host.set(Http09())
    assert host.ask() == host.page()


def test_bomb_is_a_whole_gzip_much_larger_than_sent(host: Host) -> None:
    host.set(Bomb(20_000_000))
    answer = host.ask()
    assert header(answer, "Content-Encoding") == "gzip"
    packed = answer.partition(b"\r\n\r\n")[2]
    assert len(packed) < 50_000
    assert zlib.crc32(gzip.decompress(packed)) == zlib.crc32(bytes(20_000_000))


def test_close_says_so(host: Host) -> None:
    host.set(Close())
    where = (host.world.web.address(host.index), host.world.port)
    with socket.create_connection(where, timeout=60) as channel:
        channel.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert header(read(channel, 1 << 20), "Connection") == "close"


def test_large_answers_come_whole(host: Host) -> None:
    body = bytes(range(256)) * 40_000
    url = host.world.put(host.index, "/large", body, headers={"X-Kind": "large"})
    assert url == f"http://{host.name}:{host.world.port}/large"
    answer = host.ask("/large")
    assert header(answer, "X-Kind") == "large"
    assert answer.endswith(body)
    assert host.world.log()[-1].sent_bytes == len(answer)
    assert len(host.ask("/large", method="HEAD")) < 300


def test_robots_and_pages_of_unknown_names_can_be_put(host: Host) -> None:
    host.world.robots(host.index, "User-agent: *\nDisallow: /", status=200)
    assert host.ask("/robots.txt").endswith(b"User-agent: *\nDisallow: /")
    host.world.put("new.test", "/page", "hello", status=203)
    where = (host.world.web.address(host.index), host.world.port)
    with socket.create_connection(where, timeout=60) as channel:
        channel.sendall(b"GET http://new.test/page HTTP/1.0\r\n\r\n")
        answer = read(channel, 1 << 20)
    assert answer.startswith(b"HTTP/1.1 203 ")
    assert answer.endswith(b"hello")


def test_a_host_goes_down_and_comes_back(host: Host) -> None:
    host.world.down(host.index)
    with pytest.raises(ConnectionRefusedError):
        host.ask()
    host.world.up(host.index)
    assert host.status() == 200


def test_wait_gives_up_in_time(host: Host) -> None:
    with pytest.raises(TimeoutError, match="1 requests did not arrive"):
        host.world.wait(1, host=host.index, timeout_seconds=0.05)


def test_a_wrong_order_is_refused_with_the_reason(host: Host) -> None:
    with pytest.raises(RuntimeError, match=r"cannot time: ValueError: .*later"):
        host.world.set_time("later")  # type: ignore[arg-type]
