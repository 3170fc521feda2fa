"""Files and directories over FTP, and every way in which a server fails."""

import asyncio
import contextlib
import socket
from dataclasses import replace

import pytest

from shoal.clock import SystemClock
from shoal.fetch.dns import Resolver
from shoal.fetch.ftp import FtpFetcher
from shoal.fetch.settings import FtpSettings, Guard
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit
from tests.fetch.conftest import Run
from tests.fetch.ftpserver import HOST, Files, ftp_serving
from tests.fetch.loopback import visit

SETTINGS = FtpSettings(agent="Shoal/test (me@example.org)", idle_timeout=60, total_timeout=90)


def fetcher(settings: FtpSettings = SETTINGS, guard: Guard | None = None) -> FtpFetcher:
    clock = SystemClock()
    return FtpFetcher(settings, Resolver({}, clock), clock, guard)


async def fetch(url: str, settings: FtpSettings = SETTINGS) -> Fetched:
    return await fetcher(settings).fetch(visit(url))


def test_a_file(run: Run) -> None:
    async def main() -> None:
        body = bytes(range(256)) * 1000
        tree = Files({"pub/a b.html": body}, {"pub/a b.html": "20240102030405.678"})
        async with ftp_serving(tree) as files:
            fetched = await fetch(files.url("/pub/a%20b.html;type=i"))
            assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.OK, 200, body)
            assert fetched.header("content-type") == "text/html"
            assert fetched.header("content-length") == "256000"
            assert fetched.header("last-modified") == "Tue, 02 Jan 2024 03:04:05 GMT"
            assert fetched.head.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
            assert fetched.address == f"{HOST}:{files.port}"
            assert fetched.started < fetched.ended
            assert files.asked[:2] == ["USER anonymous", f"PASS {SETTINGS.agent}"]
            assert "RETR pub/a b.html" in files.asked
            await files.finished.get()

    run(main())


def test_an_unchanged_file_is_not_sent(run: Run) -> None:
    async def main() -> None:
        async with ftp_serving(Files({"a.txt": b"x"}, {"a.txt": "20240102030405"})) as files:
            known = Visit(
                url=files.url("/a.txt"),
                row=b"",
                site=b"",
                last_modified="Tue, 02 Jan 2024 03:04:05 GMT",
            )
            fetched = await fetcher().fetch(known)
            assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.UNCHANGED, 304, b"")
            assert not any(line.startswith("RETR") for line in files.asked)
            files.modified["a.txt"] = "20240102030406"
            assert (await fetcher().fetch(known)).outcome is Outcome.OK

    run(main())


@pytest.mark.parametrize("old", [False, True])
def test_a_directory_is_a_page_of_links(run: Run, old: bool) -> None:
    async def main() -> None:
        tree = {"pub/z.txt": b"1", "pub/sub/x": b"1", "pub/a&b ü.txt": b"", "pub/q?#": b"1"}
        async with ftp_serving(Files(tree, old=old)) as files:
            for path in ("/pub/", "/pub"):
                fetched = await fetch(files.url(path))
                assert (fetched.outcome, fetched.status) == (Outcome.OK, 200)
                assert fetched.header("content-type") == "text/html; charset=utf-8"
                text = fetched.body.decode()
                slash = "" if old else "/"  # names alone do not say which is a directory
                assert f'<a href="{files.url("/pub/sub")}{slash}">sub</a>' in text
                assert f'<a href="{files.url("/pub/a%26b%20%C3%BC.txt")}">a&amp;b ü.txt</a>' in text
                assert files.url("/pub/q%3F%23") in text
                assert text.count("<a ") == 4
            root = await fetch(files.url("/"))
            assert files.url("/pub") in root.body.decode()

    run(main())


def test_a_long_file_is_cut(run: Run) -> None:
    async def main() -> None:
        async with ftp_serving(Files({"big": b"x" * 5_000_000, "fits": b"x" * 1000})) as files:
            settings = replace(SETTINGS, max_body_bytes=1000)
            fetched = await fetch(files.url("/big"), settings)
            assert (fetched.outcome, fetched.body, fetched.cut) == (Outcome.OK, b"x" * 1000, True)
            assert fetched.note
            assert fetched.header("content-length") == ""
            fits = await fetch(files.url("/fits"), settings)
            assert (fits.body, fits.cut) == (b"x" * 1000, False)

    run(main())


@pytest.mark.parametrize(
    ("replies", "outcome"),
    [
        ({}, Outcome.MISSING),
        ({"RETR": "550 Permission denied."}, Outcome.FORBIDDEN),
        ({"PASS": "530 Login incorrect"}, Outcome.UNAUTHORIZED),
        ({"banner": "421 Too many users"}, Outcome.BUSY),
        ({"TYPE": "421 Closing"}, Outcome.BUSY),
        ({"RETR": "451 Local error"}, Outcome.SERVER_ERROR),
        ({"RETR": "502 no", "CWD": "502 no"}, Outcome.BAD_REQUEST),
        ({"banner": "hello"}, Outcome.BROKEN),
        ({"banner": "\xff\xfe\xff\xfe"}, Outcome.BROKEN),
        ({"USER": "999 what"}, Outcome.BROKEN),
        ({"banner": "220-" + "x" * 20_000}, Outcome.BROKEN),
        ({"banner": "220-" + "\r\nmore" * 100_000}, Outcome.BROKEN),
        ({"PASV": "227 go (1,2)"}, Outcome.BROKEN),
        ({"MDTM": "213 whenever"}, Outcome.MISSING),
        ({"MDTM": "213"}, Outcome.MISSING),
    ],
)
def test_faults(run: Run, replies: dict[str, str], outcome: Outcome) -> None:
    async def main() -> None:
        async with ftp_serving(Files({"there": b"x"}, replies=replies)) as files:
            fetched = await fetch(files.url("/gone.txt"))
            assert fetched.outcome is outcome
            assert 0 < len(fetched.note) <= 200
            assert fetched.status == 0
            assert fetched.requested

    run(main())


def test_a_transfer_that_breaks_off(run: Run) -> None:
    async def main() -> None:
        async with ftp_serving(Files({"a": b"x" * 1000}, breaks_off=True)) as files:
            assert (await fetch(files.url("/a"))).outcome is Outcome.SERVER_ERROR

    run(main())


@pytest.mark.parametrize("replies", [{"RETR": "silence"}, {"banner": "220-on and on"}])
def test_silence(run: Run, replies: dict[str, str]) -> None:
    async def main() -> None:
        async with ftp_serving(Files({"a": b"x"}, replies=replies)) as files:
            idle = await fetch(files.url("/a"), replace(SETTINGS, idle_timeout=0.2))
            assert idle.outcome is Outcome.TIMEOUT
            assert idle.note
            total = await fetch(files.url("/a"), replace(SETTINGS, total_timeout=0.2))
            assert total.outcome is Outcome.TIMEOUT
            for _ in range(2):
                await files.finished.get()

    run(main())


def test_cancelling_ends_the_session(run: Run) -> None:
    async def main() -> None:
        async with ftp_serving(Files({"a": b"x" * 1000}, stalls=True)) as files:
            task = asyncio.create_task(fetch(files.url("/a")))
            while await files.arrived.get() != "RETR a":
                pass
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            assert task.cancelled()
            await files.finished.get()  # long before any timeout

    run(main())


def test_nobody_listens(run: Run) -> None:
    async def main() -> None:
        with socket.create_server((HOST, 0)) as taken:
            port = taken.getsockname()[1]
        assert (await fetch(f"ftp://{HOST}:{port}/a")).outcome is Outcome.CONNECT
        assert (await fetch("ftp://a..b/a")).outcome is Outcome.DNS

    run(main())


@pytest.mark.parametrize("path", ["/a%0d%0aDELE%20b", "/a%0Ab", "/a%00"])
def test_a_path_cannot_carry_a_command(run: Run, path: str) -> None:
    async def main() -> None:
        async with ftp_serving(Files({"a": b"x"})) as files:
            fetched = await fetch(files.url(path))
            assert fetched.outcome is Outcome.REFUSED
            assert files.asked == []

    run(main())


def test_the_guard_is_asked(run: Run) -> None:
    async def main() -> None:
        async with ftp_serving(Files({"a": b"x"})) as files:
            guarded = fetcher(guard=lambda address, _port: address != HOST)
            refused = await guarded.fetch(visit(files.url("/a")))
            assert (refused.outcome, refused.requested) == (Outcome.PRIVATE, False)
            assert files.asked == []
            clock = SystemClock()
            table = {"pinned.test": f"{HOST}:{files.port}"}
            pinned = FtpFetcher(SETTINGS, Resolver(table, clock), clock, lambda _a, _p: False)
            assert (await pinned.fetch(visit("ftp://pinned.test/a"))).body == b"x"
            await pinned.close()

    run(main())
