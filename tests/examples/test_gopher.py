"""The example of an added scheme: it fetches, and an installed distribution is found."""

import asyncio
import contextlib
import importlib
import importlib.util
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType

import pytest

from shoal.clock import SystemClock
from shoal.fetch.schemes import GROUP
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit

PROJECT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = PROJECT / "examples" / "gopher"
HOST = "127.4.5.70"

FETCH_BY_SCHEME = """
import asyncio, sys
from shoal.clock import SystemClock
from shoal.fetch.schemes import Schemes
from shoal.model.visit import Visit

async def main():
    schemes = Schemes({}, SystemClock())
    fetched = await schemes.fetch(Visit(url=sys.argv[1], row=b"", site=b""))
    await schemes.close()
    print(schemes.names(), fetched.outcome, fetched.body.decode())

asyncio.run(main())
"""


@pytest.fixture
def gopher(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXAMPLE / "src")
    return importlib.import_module("shoal_gopher")


@asynccontextmanager
async def serving(pages: dict[str, bytes | None]) -> AsyncIterator[int]:
    """Selector → answer; None: none at all."""
    answered: set[asyncio.Task[None]] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        answered.add(task)
        selector = (await reader.readline()).decode("latin-1").removesuffix("\r\n")
        page = pages.get(selector, b"3not found\terror\thost\t70\r\n.\r\n")
        if page is None:
            await reader.read()
        else:
            writer.write(page)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    async with await asyncio.start_server(answer, HOST, 0) as server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*answered)


def fetch(
    gopher: ModuleType, pages: dict[str, bytes | None], path: str, **limits: float
) -> Fetched:
    async def main() -> Fetched:
        async with serving(pages) as port:
            fetcher = gopher.GopherFetcher(SystemClock(), **limits)
            visit = Visit(url=f"gopher://{HOST}:{port}{path}", row=b"", site=b"")
            fetched: Fetched = await fetcher.fetch(visit)
            await fetcher.close()
            return fetched

    return asyncio.run(main())


def test_a_menu_becomes_a_page_of_links(gopher: ModuleType) -> None:
    menu = (
        b"iWelcome <all>\t\terror\t1\r\n"
        b"1Fish & more\t/fish\tfish.example\t70\r\n"
        b"0A text\t/a b?c\tfish.example\t7070\r\n"
        b"hThe web\tURL:https://fish.example/\tfish.example\t70\r\n"
        b"garbage\r\n\r\n\xff\xfe\r\n"
        b".\r\n1Beyond the end\t/x\tx\t70\r\n"
    )
    fetched = fetch(gopher, {"": menu}, "/")
    assert (fetched.outcome, fetched.status) == (Outcome.OK, 200)
    assert fetched.header("content-type") == "text/html; charset=utf-8"
    assert fetched.body.decode().splitlines() == [
        "<!doctype html>",
        "<p>Welcome &lt;all&gt;",
        '<p><a href="gopher://fish.example/1/fish">Fish &amp; more</a>',
        '<p><a href="gopher://fish.example:7070/0/a%20b%3Fc">A text</a>',
        '<p><a href="https://fish.example/">The web</a>',
    ]


def test_what_a_link_says_is_asked_for(gopher: ModuleType) -> None:
    linked = gopher.link("0", "/a b?c", "h", "70")
    assert linked == "gopher://h/0/a%20b%3Fc"
    path = linked.removeprefix("gopher://h")
    fetched = fetch(gopher, {"/a b?c": b"tuna\r\n.\r\n"}, path)
    assert fetched.body == b"tuna\r\n"
    assert fetched.header("content-type") == "text/plain"
    assert fetch(gopher, {"/pic": b"\x89PNG.\r\n"}, "/p/pic").body == b"\x89PNG.\r\n"


def test_limits(gopher: ModuleType) -> None:
    cut = fetch(gopher, {"/long": b"x" * 100_000}, "/9/long", max_body_bytes=70_000)
    assert (cut.outcome, cut.cut, len(cut.body)) == (Outcome.OK, True, 70_000)
    late = fetch(gopher, {"/never": None}, "/0/never", total_seconds=0.1)
    assert late.outcome is Outcome.TIMEOUT
    forged = fetch(gopher, {"/a": b"x"}, "/0/a%0d%0a/b")
    assert (forged.outcome, forged.requested) == (Outcome.REFUSED, False)


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("gopher:///x", Outcome.REFUSED),
        ("gopher://[x/", Outcome.REFUSED),
        ("gopher://h:99999/", Outcome.REFUSED),
        (f"gopher://{HOST}:1/", Outcome.CONNECT),
    ],
)
def test_faults(gopher: ModuleType, url: str, outcome: Outcome) -> None:
    visit = Visit(url=url, row=b"", site=b"")
    fetched = asyncio.run(gopher.GopherFetcher(SystemClock()).fetch(visit))
    assert fetched.outcome is outcome
    assert fetched.note


def install_by_hand(target: Path) -> None:
    """What an installer leaves behind, made from the example's own pyproject."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    meta = target / f"shoal_gopher-{project['version']}.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"][GROUP].items()
    named = "".join(f"{name} = {value}\n" for name, value in points)
    (meta / "entry_points.txt").write_text(f"[{GROUP}]\n{named}")
    (target / "shoal_gopher").symlink_to(EXAMPLE / "src" / "shoal_gopher")


def install_by_pip(target: Path) -> None:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling, which builds the example, is not installed here")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"),
            *("--no-build-isolation", "--target", target, EXAMPLE),
        ],
        check=True,
        cwd=target,
    )


@pytest.mark.parametrize("install", [install_by_hand, install_by_pip])
def test_an_installed_distribution_is_found(
    tmp_path: Path, install: Callable[[Path], None]
) -> None:
    install(tmp_path)

    async def main() -> str:
        async with serving({"/fish": b"tuna"}) as port:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", FETCH_BY_SCHEME, f"gopher://{HOST}:{port}/0/fish"),
                stdout=asyncio.subprocess.PIPE,
                env={"PYTHONPATH": f"{tmp_path}:{PROJECT / 'src'}"},
            )
            out, _ = await process.communicate()
            return out.decode()

    assert asyncio.run(main()) == "['gopher'] ok tuna\n"
