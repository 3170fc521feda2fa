"""The Fetcher port: whatever the scheme, faults of the world come back as an Outcome."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shoal.clock import SystemClock
from shoal.fetch.dns import Resolver
from shoal.fetch.file import FileFetcher
from shoal.fetch.ftp import FtpFetcher
from shoal.fetch.http import HttpFetcher
from shoal.fetch.schemes import Schemes
from shoal.fetch.settings import FtpSettings, HttpSettings
from shoal.model.outcome import Outcome
from shoal.ports import Fetcher
from tests.fetch.ftpserver import Files, ftp_serving
from tests.fetch.loopback import Talk, response, serving, visit

BODY = b"<p>Clownfish"
LIMIT_SECONDS = 120


class Stage(NamedTuple):
    fetcher: Fetcher
    there: str
    absent: str
    is_absent: Outcome
    """A server's 404 may be an accident; that a folder has no such file is sure."""


async def _answer(talk: Talk) -> None:
    is_there = talk.request.startswith(b"GET /there")
    await talk.say(response("200 OK" if is_there else "404 Not Found", BODY if is_there else b""))


@asynccontextmanager
async def staged(kind: type[Fetcher], folder: Path) -> AsyncIterator[Stage]:
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        resolver = Resolver({}, clock)
        stack.push_async_callback(resolver.close)
        if kind is FileFetcher:
            (folder / "there").write_bytes(BODY)
            made: Fetcher = FileFetcher(clock)
            start = folder.as_uri()
        elif kind is FtpFetcher:
            made = FtpFetcher(FtpSettings(agent="t"), resolver, clock)
            start = (await stack.enter_async_context(ftp_serving(Files({"there": BODY})))).url("")
        else:
            made = HttpFetcher(HttpSettings(agent="t"), resolver, clock)
            start = (await stack.enter_async_context(serving(_answer))).url("")
        fetcher = Schemes({"http": made}, clock) if kind is Schemes else made
        stack.push_async_callback(fetcher.close)
        is_absent = Outcome.GONE if kind is FileFetcher else Outcome.MISSING
        yield Stage(fetcher, f"{start}/there", f"{start}/absent", is_absent)


Play = Callable[[Callable[[Stage], Awaitable[None]]], None]


@pytest.fixture(params=[FileFetcher, FtpFetcher, HttpFetcher, Schemes])
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Play:
    def run(part: Callable[[Stage], Awaitable[None]]) -> None:
        async def main() -> None:
            async with asyncio.timeout(LIMIT_SECONDS), staged(request.param, tmp_path) as stage:
                await part(stage)

        work: Coroutine[Any, Any, None] = main()
        asyncio.run(work)

    return run


def test_what_is_there_comes_as_it_was_sent(play: Play) -> None:
    async def part(stage: Stage) -> None:
        fetched = await stage.fetcher.fetch(visit(stage.there))
        assert (fetched.outcome, fetched.status, fetched.body) == (Outcome.OK, 200, BODY)
        assert 0 < fetched.started <= fetched.ended
        assert fetched.head.startswith(b"HTTP/1.1 200")
        assert fetched.head.endswith(b"\r\n\r\n")
        assert fetched.requested
        assert not fetched.cut

    play(part)


def test_what_is_not_there_is_an_outcome(play: Play) -> None:
    async def part(stage: Stage) -> None:
        fetched = await stage.fetcher.fetch(visit(stage.absent))
        assert fetched.outcome is stage.is_absent
        assert 0 < fetched.started <= fetched.ended

    play(part)


def test_what_can_t_be_asked_is_an_outcome_too(play: Play) -> None:
    async def part(stage: Stage) -> None:
        scheme = stage.there.partition(":")[0]
        for rest in ("//127.4.5.99:1/nobody", "///\0", "//127.4.5.99:no-port/"):
            fetched = await stage.fetcher.fetch(visit(f"{scheme}:{rest}"))
            assert fetched.outcome is not Outcome.OK, rest
            assert "\n" not in fetched.note

    play(part)


def test_several_at_once_and_closed_twice(play: Play) -> None:
    async def part(stage: Stage) -> None:
        asked = [stage.there, stage.absent] * 4
        found = await asyncio.gather(*(stage.fetcher.fetch(visit(url)) for url in asked))
        assert [each.body for each in found][::2] == [BODY] * 4
        await stage.fetcher.close()  # and again when the stage ends

    play(part)
