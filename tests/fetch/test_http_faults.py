"""Every way in which a server fails to answer ends as an Outcome with a sentence, soon."""

import asyncio
import socket
import struct

import pytest

from shoal.fetch.settings import HttpSettings
from shoal.model.outcome import Outcome
from tests.fetch.conftest import Run
from tests.fetch.loopback import (
    CERTIFICATE,
    Handler,
    Talk,
    answering,
    asked,
    fetching,
    response,
    serving,
    silence,
    visit,
)

IMPATIENT = HttpSettings(agent="t", connect_timeout=0.3, idle_timeout=1, total_timeout=600)
OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        (b"", Outcome.BROKEN),
        (b"hello, this is HTTP/0.9", Outcome.BROKEN),
        (b"\xff\xfe\x00\x01" * 100, Outcome.BROKEN),
        (b"HTTP/9.7 200 OK\r\n\r\n", Outcome.BROKEN),
        (b"HTTP/1.1 2000 OK\r\n\r\n", Outcome.BROKEN),
        (b"HTTP/1.1 100 Continue\r\n\r\n", Outcome.BROKEN),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", Outcome.BROKEN),
        (b"HTTP/1.1 200 OK\r\nX: 1", Outcome.BROKEN),
        (OK + b"no colon here \xff\r\n\r\n", Outcome.BROKEN),
        (OK + b"X: nul\x00byte\r\nContent-Length: 0\r\n\r\n", Outcome.BROKEN),
        (OK + b"Content-Length: 10\r\n\r\nshort", Outcome.BROKEN),
        (OK + b"Content-Length: minus\r\n\r\nx", Outcome.BROKEN),
        (OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx", Outcome.BROKEN),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nx", Outcome.BROKEN),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab", Outcome.BROKEN),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx", Outcome.BROKEN),
        (OK + b"X: " + b"a" * 400_000 + b"\r\n\r\n", Outcome.TOO_LARGE),
        (OK + b"X: abcdef\r\n" * 60_000 + b"\r\n", Outcome.TOO_LARGE),
        (OK + b"X: 1\r\n" * 6_000 + b"\r\n", Outcome.TOO_LARGE),
        (OK + (b"X: " + b"a" * 1000 + b"\r\n") * 280 + b"\r\n", Outcome.TOO_LARGE),
        (b"HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" * 60_000, Outcome.TOO_LARGE),
    ],
)
def test_a_broken_answer(run: Run, raw: bytes, outcome: Outcome) -> None:
    async def main() -> None:
        async with serving(answering(raw, close=True)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is outcome
            assert fetched.note or fetched.status == 101
            assert fetched.requested
            after = await asked(fetcher, origin.url())
            assert after.outcome is outcome  # the handle is as good as before

    run(main())


def test_what_came_of_a_short_body_is_kept(run: Run) -> None:
    async def main() -> None:
        raw = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"
        async with serving(answering(raw, close=True)) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert (fetched.outcome, fetched.status, fetched.body) == (
                Outcome.BROKEN,
                200,
                b"short",
            )
            assert not fetched.cut

    run(main())


def test_a_reset_in_the_middle(run: Run) -> None:
    async def handler(talk: Talk) -> None:
        await talk.say(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        connection = talk.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        talk.writer.transport.abort()

    async def main() -> None:
        async with serving(handler) as origin, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.BROKEN
            assert fetched.note

    run(main())


def test_nobody_listens(run: Run) -> None:
    async def main() -> None:
        with socket.create_server(("127.4.5.6", 0)) as taken:
            port = taken.getsockname()[1]
        async with fetching() as fetcher:
            fetched = await fetcher.fetch(visit(f"http://127.4.5.6:{port}/"))
            assert fetched.outcome is Outcome.CONNECT
            assert (fetched.address, fetched.request, fetched.status) == ("", b"", 0)
            assert "connect" in fetched.note.lower()

    run(main())


def test_a_server_that_never_accepts(run: Run) -> None:
    async def main() -> None:
        # With its queue full, a listening socket lets further connections hang.
        with socket.create_server(("127.4.5.6", 0), backlog=0) as listener:
            port = listener.getsockname()[1]
            waiting = []
            for _ in range(8):
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex(("127.4.5.6", port))
                waiting.append(one)
            async with fetching(IMPATIENT) as fetcher:
                fetched = await fetcher.fetch(visit(f"http://127.4.5.6:{port}/"))
            for one in waiting:
                one.close()
        assert fetched.outcome is Outcome.TIMEOUT
        assert fetched.seconds < 60

    run(main())


async def half_then_silence(talk: Talk) -> None:
    await talk.say(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    await talk.left()


@pytest.mark.parametrize(
    "handler", [silence, pytest.param(half_then_silence, marks=pytest.mark.slow)]
)
def test_silence_ends_by_the_idle_timeout(run: Run, handler: Handler) -> None:
    async def main() -> None:
        async with serving(handler) as origin, fetching(IMPATIENT) as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.TIMEOUT
            assert 0.5 < fetched.seconds < 60  # the total timeout is far away
            assert fetched.note
            await origin.finished.get()  # the connection was closed

    run(main())


def test_a_drip_ends_by_the_total_timeout(run: Run) -> None:
    async def drip(talk: Talk) -> None:
        await talk.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while True:
            await talk.say(b"." * 20)
            await asyncio.sleep(0.05)

    async def main() -> None:
        settings = HttpSettings(agent="t", idle_timeout=600, total_timeout=0.7)
        async with serving(drip) as origin, fetching(settings) as fetcher:
            fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.TIMEOUT
            assert fetched.seconds < 60
            assert set(fetched.body) == set(b".")

    run(main())


def table(port: int) -> dict[str, str]:
    return dict.fromkeys(("secure.test", "other.test"), f"127.4.5.6:{port}")


@pytest.mark.parametrize(
    ("host", "trusted", "insecure", "outcome"),
    [
        ("secure.test", True, False, Outcome.OK),
        ("secure.test", False, False, Outcome.TLS),  # nobody vouches for it
        ("other.test", True, False, Outcome.TLS),  # it belongs to another name
        ("secure.test", False, True, Outcome.OK),
        ("other.test", False, True, Outcome.OK),
    ],
)
def test_certificates(run: Run, host: str, trusted: bool, insecure: bool, outcome: Outcome) -> None:
    async def main() -> None:
        settings = HttpSettings(
            agent="t",
            ca_file=str(CERTIFICATE) if trusted else "",
            insecure_hosts=frozenset({host}) if insecure else frozenset(),
        )
        async with serving(answering(response(body=b"safe")), tls=True) as origin:
            async with fetching(settings, table(origin.port)) as fetcher:
                fetched = await fetcher.fetch(visit(f"https://{host}/"))
            assert fetched.outcome is outcome
            assert fetched.body == (b"safe" if outcome is Outcome.OK else b"")
            assert len(origin.requests) == (outcome is Outcome.OK)
            assert bool(fetched.note) == (outcome is Outcome.TLS)

    run(main())


def test_an_exception_is_for_its_host_alone(run: Run) -> None:
    """A handle, and a connection, that were used without verifying are not so used for others."""

    async def main() -> None:
        settings = HttpSettings(agent="t", insecure_hosts=frozenset({"Secure.test"}))
        async with serving(answering(response()), tls=True) as origin:
            async with fetching(settings, table(origin.port)) as fetcher:
                hosts = ("secure.test", "other.test", "secure.test", "other.test")
                outcomes = [(await fetcher.fetch(visit(f"https://{h}/"))).outcome for h in hosts]
            assert outcomes == [Outcome.OK, Outcome.TLS, Outcome.OK, Outcome.TLS]

    run(main())


def test_plain_http_where_tls_was_expected(run: Run) -> None:
    async def main() -> None:
        async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(100)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(plain, "127.4.5.6", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, fetching() as fetcher:
            fetched = await fetcher.fetch(visit(f"https://127.4.5.6:{port}/"))
            assert fetched.outcome is Outcome.TLS

    run(main())


def test_a_name_that_does_not_exist(run: Run) -> None:
    async def main() -> None:
        async with fetching() as fetcher:
            fetched = await fetcher.fetch(visit("http://a..b/"))
            assert fetched.outcome is Outcome.DNS
            assert fetched.note

    run(main())
