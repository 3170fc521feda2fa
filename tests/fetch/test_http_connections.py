"""Connections over time: kept, moved, guarded, cancelled, closed; one at a time or 200 at once."""

import asyncio
import contextlib
import os
import socket
from pathlib import Path

import pytest

from shoal.clock import SystemClock
from shoal.fetch import curl
from shoal.fetch.dns import Resolver
from shoal.fetch.http import HttpFetcher
from shoal.fetch.names import Addresses
from shoal.fetch.settings import HttpSettings
from shoal.fetch.sockets import LoopSockets
from shoal.model.outcome import Outcome
from tests.fetch.conftest import Run
from tests.fetch.loopback import (
    CERTIFICATE,
    Talk,
    answering,
    asked,
    fetching,
    response,
    serving,
    silence,
    visit,
)


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - iterating a Path would count its own


class Moving(Resolver):
    """A name whose addresses the test changes."""

    def __init__(self, *addresses: str) -> None:
        super().__init__({}, SystemClock())
        self.addresses = addresses

    async def resolve(self, host: str) -> Addresses:
        return Addresses(self.addresses)

    def prefer(self, host: str, address: str) -> None:
        self.addresses = (address, *(a for a in self.addresses if a != address))


def test_a_connection_is_used_again(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(response(body=b"x"))) as origin, fetching() as fetcher:
            for _ in range(5):
                assert (await fetcher.fetch(visit(origin.url()))).body == b"x"
            assert (origin.connections, len(origin.requests)) == (1, 5)

    run(main())


def test_a_connection_that_the_server_closed_is_replaced(run: Run) -> None:
    async def main() -> None:
        raw = response(body=b"x")  # says nothing of closing, and closes
        async with serving(answering(raw, close=True)) as origin, fetching() as fetcher:
            for _ in range(3):
                assert (await asked(fetcher, origin.url())).outcome is Outcome.OK
            assert (origin.connections, len(origin.requests)) == (3, 3)

    run(main())


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("head_only", [False, True])
def test_a_request_that_a_kept_connection_swallows_is_not_sent_again_at_once(
    run: Run, tls: bool, head_only: bool
) -> None:
    """By itself libcurl would send it once more within a millisecond; when, is the frontier's to
    say."""
    served: set[asyncio.StreamWriter] = set()

    async def once_a_connection(talk: Talk) -> None:
        if talk.writer in served:
            talk.hang_up()
            return
        served.add(talk.writer)
        await talk.say(response(body=b"" if talk.request.startswith(b"HEAD") else b"x"))

    async def main() -> None:
        settings = HttpSettings(agent="t", ca_file=str(CERTIFICATE))
        async with serving(once_a_connection, tls=tls) as origin:
            table = {"secure.test": f"127.4.5.6:{origin.port}"}
            async with fetching(settings, table) as fetcher:
                ask = fetcher.head if head_only else fetcher.fetch
                base = f"http{'s' * tls}://secure.test"
                assert (await ask(visit(f"{base}/0"))).outcome is Outcome.OK
                dropped = await ask(visit(f"{base}/1"))
                assert dropped.outcome is Outcome.DROPPED
                assert dropped.requested
                assert dropped.note.startswith("The server closed a kept connection")
                assert (origin.connections, len(origin.requests)) == (1, 2)
                for number in (1, 2, 3):  # such a host's connections are not kept
                    assert (await ask(visit(f"{base}/{number}"))).outcome is Outcome.OK
                assert (origin.connections, len(origin.requests)) == (4, 5)

    run(main())


def test_a_kept_connection_that_breaks_inside_an_answer_is_a_broken_answer(run: Run) -> None:
    async def handler(talk: Talk) -> None:
        if b"GET /half" in talk.request:
            await talk.say(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            talk.hang_up()
        else:
            await talk.say(response(body=b"x"))

    async def main() -> None:
        async with serving(handler) as origin, fetching() as fetcher:
            outcomes = [
                (await fetcher.fetch(visit(origin.url(path)))).outcome
                for path in ("/", "/half", "/", "/")
            ]
            assert outcomes == [Outcome.OK, Outcome.BROKEN, Outcome.OK, Outcome.OK]
            assert (origin.connections, len(origin.requests)) == (2, 4)

    run(main())


def test_a_form_is_sent_once_and_on_a_connection_of_its_own(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(response())) as origin, fetching() as fetcher:
            assert (await fetcher.fetch(visit(origin.url()))).outcome is Outcome.OK
            assert (await fetcher.post(visit(origin.url("/hub")), b"a=b")).outcome is Outcome.OK
            assert origin.connections == 2

    run(main())


def test_the_resolve_table(run: Run) -> None:
    async def main() -> None:
        async with (
            serving(answering(response(body=b"one"))) as one,
            serving(answering(response(body=b"two")), "127.4.5.7") as two,
        ):
            table = {
                "fish.example": f"127.4.5.6:{one.port}",
                "Whale.example": f"127.4.5.7:{two.port}",
                "bare.example": "127.4.5.7",
            }
            async with fetching(table=table) as fetcher:
                fish = await fetcher.fetch(visit("http://fish.example/"))
                root = await fetcher.fetch(visit("http://fish.example./"))
                whale = await fetcher.fetch(visit("http://whale.example:81/"))
                bare = await fetcher.fetch(visit(f"http://bare.example:{two.port}/"))
            assert (fish.body, fish.address) == (b"one", f"127.4.5.6:{one.port}")
            assert (whale.body, whale.address) == (b"two", f"127.4.5.7:{two.port}")
            assert (bare.body, bare.address) == (b"two", f"127.4.5.7:{two.port}")
            assert b"\r\nHost: fish.example\r\n" in one.requests[0]
            assert [fish.request, root.request] == one.requests
            assert b"\r\nHost: whale.example:81\r\n" in two.requests[0]

    run(main())


def test_a_name_that_moves_takes_its_connections_along(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(response(body=b"old"))) as old:
            port = old.port
            raw = response(body=b"new")
            async with serving(answering(raw), "127.4.5.7", port=port):
                resolver = Moving("127.4.5.6")
                fetcher = HttpFetcher(HttpSettings(agent="t"), resolver, SystemClock())
                asked = visit(f"http://moving.example:{port}/")
                bodies = []
                for address in ("127.4.5.6", "127.4.5.7", "127.4.5.7", "127.4.5.6"):
                    resolver.addresses = (address,)
                    bodies.append((await fetcher.fetch(asked)).body)
                assert bodies == [b"old", b"new", b"new", b"old"]
                await fetcher.close()

    run(main())


def test_the_next_address_is_tried_and_remembered(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(response(body=b"x"))) as origin:
            resolver = Moving("127.4.5.9", "127.4.5.6")  # nobody listens at the first
            fetcher = HttpFetcher(HttpSettings(agent="t"), resolver, SystemClock())
            fetched = await fetcher.fetch(visit(f"http://two.example:{origin.port}/"))
            assert fetched.outcome is Outcome.OK
            assert fetched.address == f"127.4.5.6:{origin.port}"
            assert resolver.addresses == ("127.4.5.6", "127.4.5.9")
            await fetcher.close()

    run(main())


def test_an_answer_ends_the_search_for_an_address(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(b"", close=True)) as origin:
            resolver = Moving("127.4.5.6", "127.4.5.6")
            fetcher = HttpFetcher(HttpSettings(agent="t"), resolver, SystemClock())
            fetched = await fetcher.fetch(visit(f"http://two.example:{origin.port}/"))
            assert fetched.outcome is Outcome.BROKEN
            assert len(origin.requests) == 1  # a request that was made is not made again
            await fetcher.close()

    run(main())


def test_the_guard_sees_addresses_and_refuses(run: Run) -> None:
    seen = []

    def guard(address: str, port: int) -> bool:
        seen.append((address, port))
        return address != "127.4.5.6"

    async def main() -> None:
        async with (
            serving(answering(response())) as inside,
            serving(answering(response(body=b"ok")), "127.4.5.7") as outside,
        ):
            table = {"wished.example": f"127.4.5.6:{inside.port}"}
            async with fetching(guard=guard, table=table) as fetcher:
                refused = await fetcher.fetch(visit(inside.url()))
                assert refused.outcome is Outcome.PRIVATE
                assert not refused.requested
                assert refused.note
                assert inside.connections == 0
                for _ in range(2):
                    assert (await fetcher.fetch(visit(outside.url()))).body == b"ok"
                # A person pointed this name there, so the guard is not asked.
                assert (await fetcher.fetch(visit("http://wished.example/"))).status == 200
                assert (await fetcher.fetch(visit(inside.url()))).outcome is Outcome.PRIVATE
            first, second, third = seen
            assert first == third == ("127.4.5.6", inside.port)
            assert second == ("127.4.5.7", outside.port)  # once per connection, not per request

    run(asyncio.sleep(0))  # the first loop of a kind opens descriptors that stay
    before = open_descriptors()
    run(main())
    assert open_descriptors() == before


def test_cancelling_ends_the_transfer_and_frees_the_handle(run: Run) -> None:
    async def handler(talk: Talk) -> None:
        if b"GET /slow" in talk.request:
            await talk.say(b"HTTP/1.1 200 OK\r\nX-Old: 1\r\nContent-Length: 9\r\n\r\nold")
            under_way.set()
            await talk.left()
        await talk.say(response(body=b"new"))

    async def main() -> None:
        async with serving(handler) as origin, fetching() as fetcher:
            task = asyncio.create_task(fetcher.fetch(visit(origin.url("/slow"))))
            await under_way.wait()
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            assert task.cancelled()
            await origin.finished.get()  # the server sees that it was left
            fetched = await fetcher.fetch(visit(origin.url("/quick")))
            assert (fetched.outcome, fetched.body) == (Outcome.OK, b"new")
            assert fetched.header("x-old") == ""

    under_way = asyncio.Event()
    run(main())


def test_two_hundred_at_once(run: Run) -> None:
    async def handler(talk: Talk) -> None:
        waiting.append(talk)
        if len(waiting) == 200:
            all_there.set()
        await all_there.wait()  # no answer before all have asked
        path = talk.request.split()[1]
        await talk.say(response(body=path * 1000))

    async def main() -> None:
        async with serving(handler) as origin, fetching() as fetcher:
            urls = [origin.url(f"/{i:03}") for i in range(200)]
            answers = await asyncio.gather(*(fetcher.fetch(visit(url)) for url in urls))
            for i, fetched in enumerate(answers):
                assert fetched.body == f"/{i:03}".encode() * 1000
            assert origin.connections == 200

    waiting: list[Talk] = []
    all_there = asyncio.Event()
    run(main())


def test_closing_leaves_nothing_open(run: Run) -> None:
    async def main() -> None:
        async with (
            serving(answering(response(body=b"x"))) as origin,
            serving(silence, "127.4.5.7") as silent,
        ):
            before = open_descriptors()
            async with fetching() as fetcher:
                await asyncio.gather(*(fetcher.fetch(visit(origin.url())) for _ in range(9)))
                hanging = asyncio.create_task(fetcher.fetch(visit(silent.url())))
                await silent.arrived.get()
                assert open_descriptors() > before
            fetched = await hanging
            assert fetched.outcome is Outcome.CANCELLED
            for _ in range(9):
                await origin.finished.get()
            await silent.finished.get()
            late = await fetcher.fetch(visit(origin.url()))
            assert late.outcome is Outcome.CANCELLED
            await fetcher.close()  # twice does no harm

    run(asyncio.sleep(0))  # the first loop of a kind opens descriptors that stay
    before = open_descriptors()
    run(main())
    assert open_descriptors() == before


def test_a_proxy_stands_between(run: Run) -> None:
    async def main() -> None:
        async with serving(answering(response(body=b"by proxy"))) as proxy:
            settings = HttpSettings(agent="t", proxy=f"http://127.4.5.6:{proxy.port}")
            async with fetching(settings, guard=lambda _address, _port: False) as fetcher:
                fetched = await fetcher.fetch(visit("http://fish.invalid/a/../b?c"))
            assert (fetched.outcome, fetched.body) == (Outcome.OK, b"by proxy")
            assert proxy.requests[0].startswith(b"GET http://fish.invalid/a/../b?c HTTP/1.1\r\n")
            assert fetched.address == ""
            assert fetched.request.startswith(b"GET /a/../b?c HTTP/1.1\r\nHost: fish.invalid\r\n")

    run(main())


def test_a_proxy_that_refuses_a_tunnel(run: Run) -> None:
    async def main() -> None:
        raw = response("403 No", b"no", "X-From: proxy\r\n")
        async with serving(answering(raw, close=True)) as proxy:
            settings = HttpSettings(agent="t", proxy=f"http://127.4.5.6:{proxy.port}")
            async with fetching(settings) as fetcher:
                fetched = await fetcher.fetch(visit("https://fish.invalid/"))
            assert fetched.outcome in (Outcome.CONNECT, Outcome.BROKEN)
            assert (fetched.status, fetched.headers, fetched.head) == (0, [], b"")
            assert "403" in fetched.note

    run(main())


def test_the_environment_has_no_say(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.4.5.9:9")

    async def main() -> None:
        async with serving(answering(response())) as origin, fetching() as fetcher:
            assert (await fetcher.fetch(visit(origin.url()))).outcome is Outcome.OK

    run(main())


def test_sockets_watched_by_the_loop_itself(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of platforms without epoll."""
    monkeypatch.setattr(curl, "sockets_for", LoopSockets)

    async def main() -> None:
        settings = HttpSettings(agent="t", ca_file=str(CERTIFICATE))
        big = response(body=b"x" * 3_000_000)
        async with serving(answering(big), tls=True) as secure, serving(silence) as silent:
            table = {"secure.test": f"127.4.5.6:{secure.port}"}
            async with fetching(settings, table) as fetcher:
                asked = [fetcher.fetch(visit("https://secure.test/")) for _ in range(20)]
                hanging = asyncio.create_task(fetcher.fetch(visit(silent.url())))
                for fetched in await asyncio.gather(*asked):
                    assert (fetched.outcome, len(fetched.body)) == (Outcome.OK, 3_000_000)
            assert (await hanging).outcome is Outcome.CANCELLED

    run(asyncio.sleep(0))  # the first loop of a kind opens descriptors that stay
    before = open_descriptors()
    run(main())
    assert open_descriptors() == before


def test_without_descriptors_it_cannot_connect(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        def no_more(*_: object) -> socket.socket:
            raise OSError(24, "Too many open files")

        async with (
            serving(answering(response())) as origin,
            fetching(guard=lambda _address, _port: True) as fetcher,
        ):
            with monkeypatch.context() as patched:
                patched.setattr(socket, "socket", no_more)
                fetched = await fetcher.fetch(visit(origin.url()))
            assert fetched.outcome is Outcome.CONNECT
            assert (await fetcher.fetch(visit(origin.url()))).outcome is Outcome.OK

    run(main())


def test_the_authorities_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """libcurl's wheel has one path compiled in; on most systems there is nothing at it."""
    from shoal.fetch.http import _ca_file  # noqa: PLC0415

    assert Path(_ca_file("")).is_file()
    own = tmp_path / "own.pem"
    own.write_bytes(CERTIFICATE.read_bytes())
    assert _ca_file(str(own)) == str(own)
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    assert _ca_file("") == str(own)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "gone"))
    assert b"BEGIN CERTIFICATE" in Path(_ca_file("")).read_bytes()
