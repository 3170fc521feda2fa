"""The registry: who is asked for which scheme, and what becomes of a fetcher's own faults."""

import asyncio
import contextlib
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from shoal.clock import Clock, SystemClock
from shoal.fetch import schemes as schemes_module
from shoal.fetch.dns import Resolver
from shoal.fetch.file import FileFetcher
from shoal.fetch.ftp import FtpFetcher
from shoal.fetch.http import HttpFetcher
from shoal.fetch.schemes import GROUP, Schemes
from shoal.fetch.settings import FtpSettings, HttpSettings
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit
from shoal.ports import Fetcher
from tests.fetch.conftest import Run
from tests.fetch.loopback import answering, response, serving, visit


class Known:
    """Answers with its own name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.closed = 0

    async def fetch(self, visit: Visit) -> Fetched:
        if visit.url.endswith("/raise"):
            raise RuntimeError("x" * 1000)
        if visit.url.endswith("/nothing"):
            return None  # type: ignore[return-value] # what careless code may do
        if visit.url.endswith("/hang"):
            await asyncio.Event().wait()
        return Fetched(Outcome.OK, body=self.name.encode())

    async def close(self) -> None:
        self.closed += 1


def known(name: str) -> Fetcher:
    return Known(name)


def make_installed(_clock: Clock) -> Fetcher:
    return Known("installed")


def make_faulty(_clock: Clock) -> Fetcher:
    raise ValueError("out of order")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(group: str) -> list[EntryPoint]:
        assert group == GROUP
        return [
            EntryPoint("fish", f"{__name__}:make_installed", group),
            EntryPoint("http", f"{__name__}:make_installed", group),
            EntryPoint("faulty", f"{__name__}:make_faulty", group),
            EntryPoint("absent", "no.such.module:make", group),
        ]

    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    monkeypatch.setattr(schemes_module, "entry_points", entry_points)


async def ask(schemes: Schemes, url: str) -> Fetched:
    return await schemes.fetch(visit(url))


@pytest.mark.usefixtures("installed")
def test_each_scheme_has_its_fetcher(run: Run) -> None:
    async def main() -> None:
        schemes = Schemes({"http": known("http"), "file": known("file")}, SystemClock())
        for url, body in (
            ("http://x/", b"http"),
            ("HTTP://x/", b"http"),
            ("file:///x", b"file"),
            ("fish://x/", b"installed"),
        ):
            assert (await ask(schemes, url)).body == body
        assert schemes.names() == ["absent", "faulty", "file", "fish", "http"]

    run(main())


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("url", ["gopher://x/", "x" * 5000, "", "://", "absent://x", "faulty://x"])
def test_no_fetcher(run: Run, url: str) -> None:
    async def main() -> None:
        schemes = Schemes({}, SystemClock())
        for _ in range(2):
            fetched = await ask(schemes, url)
            assert fetched.outcome is Outcome.NO_SCHEME
            assert not fetched.requested
            assert 0 < len(fetched.note) < 300

    run(main())


@pytest.mark.parametrize("path", ["/raise", "/nothing"])
def test_a_fetcher_that_fails_costs_one_visit(run: Run, path: str) -> None:
    async def main() -> None:
        schemes = Schemes({"fish": known("fish")}, SystemClock())
        fetched = await ask(schemes, f"fish://x{path}")
        assert fetched.outcome is Outcome.BROKEN
        assert fetched.started <= fetched.ended
        assert 0 < len(fetched.note) < 300
        assert (await ask(schemes, "fish://x/")).outcome is Outcome.OK

    run(main())


def test_cancelling_passes(run: Run) -> None:
    async def main() -> None:
        task = asyncio.create_task(ask(Schemes({"fish": known("f")}, SystemClock()), "fish:x/hang"))
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()

    run(main())


def test_each_fetcher_is_closed_once(run: Run) -> None:
    async def main() -> None:
        web, files = Known("web"), Known("files")
        await Schemes({"http": web, "https": web, "file": files}, SystemClock()).close()
        assert (web.closed, files.closed) == (1, 1)

    run(main())


def test_what_is_built_in(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        clock = SystemClock()
        resolver = Resolver({}, clock)
        web = HttpFetcher(HttpSettings(agent="t"), resolver, clock)
        ftp = FtpFetcher(FtpSettings(agent="t"), resolver, clock)
        schemes = Schemes(
            {"http": web, "https": web, "file": FileFetcher(clock), "ftp": ftp}, clock
        )
        async with serving(answering(response(body=b"web"))) as origin:
            assert (await ask(schemes, origin.url())).body == b"web"
        assert (await ask(schemes, tmp_path.as_uri())).status == 200
        assert (await ask(schemes, f"ftp://127.4.5.6:{origin.port}/")).outcome is Outcome.CONNECT
        await schemes.close()
        await resolver.close()

    run(main())


def test_installed_distributions_are_found(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shoal_squid.py").write_text(
        "from shoal.model.outcome import Outcome\n"
        "from shoal.model.visit import Fetched\n"
        "class Squid:\n"
        "    def __init__(self, clock): self.clock = clock\n"
        "    async def fetch(self, visit): return Fetched(Outcome.OK, body=b'ink')\n"
        "    async def close(self): pass\n"
    )
    meta = tmp_path / "shoal_squid-1.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: shoal-squid\nVersion: 1\n")
    (meta / "entry_points.txt").write_text(f"[{GROUP}]\nsquid = shoal_squid:Squid\n")
    monkeypatch.syspath_prepend(tmp_path)

    async def main() -> None:
        schemes = Schemes({}, SystemClock())
        assert "squid" in schemes.names()
        assert (await ask(schemes, "squid://deep/")).body == b"ink"

    run(main())
