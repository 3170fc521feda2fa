"""Private addresses are out of reach of public pages: by link, name, redirect, rebinding, robots.

On a test's machine every address is private, so the addresses that begin with 127.90 play the
public internet here; 127.91 and all others are what they are.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

import shoal.control.site_map
import shoal.fetch.guard
import shoal.frontier.schedule.sites
from shoal.api import open as open_collection
from shoal.config import load
from shoal.control.one_file import body_of
from shoal.engine.summary import Summary
from shoal.errors import UsageError
from shoal.fetch.dns import Resolver
from shoal.fetch.guard import is_public, public_only
from shoal.fetch.http import HttpFetcher
from shoal.fetch.names import Addresses
from shoal.fetch.settings import DnsSettings, HttpSettings
from shoal.frontier.background.revisit_dates import Selection
from shoal.frontier.state.rows import UrlRow
from shoal.model.outcome import Outcome, State
from shoal.model.visit import Visit
from tests.crawl.run import crawl
from tests.fake_clock import FakeClock
from tests.fetch.loopback import answering, response, serving
from tests.fetch.nameserver import naming

PUBLIC, SECRET, OTHER_SECRET = "127.90.0.1", "127.91.0.1", "127.91.0.2"
SECRETS = (SECRET, OTHER_SECRET)

Pages = dict[tuple[str, str], bytes]


@pytest.fixture
def some_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shoal.fetch.guard, "is_public", lambda a: a.startswith("127.90."))
    monkeypatch.setattr(
        shoal.frontier.schedule.sites, "is_public", lambda a: a.startswith("127.90.")
    )


def html(*links: str) -> bytes:
    body = "".join(f"<a href='{to}'>x</a>" for to in links).encode() + b"<p>words"
    return response(body=body, fields="Content-Type: text/html\r\n")


def moved(to: str) -> bytes:
    return response("302 Found", fields=f"Location: {to}\r\n")


@contextmanager
def web(make: Callable[[int], Pages]) -> Iterator[tuple[int, list[str]]]:
    """A server at all three addresses; the port, and `address path` of every request."""
    with socket.create_server((PUBLIC, 0)) as found:
        port = found.getsockname()[1]
    pages, asked = make(port), list[str]()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    ready = threading.Event()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = writer.get_extra_info("sockname")[0]
        try:
            while True:
                path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
                asked.append(f"{address} {path}")
                writer.write(pages.get((address, path), response("404 Not Found")))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def serve() -> None:
        servers = [await asyncio.start_server(converse, a, port) for a in (PUBLIC, *SECRETS)]
        ready.set()
        await stop.wait()
        for server in servers:
            server.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(60)
        yield port, asked
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


def crawl_named(
    directory: Path, seeds: list[str], settings: Mapping[str, object] | None = None
) -> Summary:
    """It says who asks, as a crawl of the public web must."""
    return crawl(directory, seeds, {"agent.contact": "me@example.org", **(settings or {})})


def rows_of(directory: Path) -> dict[str, UrlRow]:
    with open_collection(directory) as collection:
        return dict(collection.urls())


def secrets_in(asked: list[str]) -> list[str]:
    return [line for line in asked if line.startswith(SECRETS)]


@pytest.mark.usefixtures("some_public")
def test_links_and_redirects_of_a_public_page_lead_to_no_private_address(tmp_path: Path) -> None:
    def make(port: int) -> Pages:
        secret = f"http://{SECRET}:{port}"
        links = [f"{secret}/a", f"http://localhost:{port}/l", "file:///etc/passwd", "/moved"]
        return {(PUBLIC, "/"): html(*links), (PUBLIC, "/moved"): moved(f"{secret}/b")}

    with web(make) as (port, asked):
        crawl_named(tmp_path / "c", [f"http://{PUBLIC}:{port}/"])
    assert secrets_in(asked) == []
    rows = rows_of(tmp_path / "c")
    for path in (f"{SECRET}:{port}/a", f"{SECRET}:{port}/b", f"localhost:{port}/l"):
        row = rows[f"http://{path}"]
        assert (row.state, row.category) == (State.EXCLUDED, str(Outcome.PRIVATE))
    assert rows["file:///etc/passwd"].category == "scheme"


@pytest.mark.usefixtures("some_public")
@pytest.mark.parametrize("target", ["private", "file:///etc/passwd"])
def test_a_seed_that_moves_there_gains_nothing(tmp_path: Path, target: str) -> None:
    def make(port: int) -> Pages:
        to = f"http://{SECRET}:{port}/x" if target == "private" else target
        return {(PUBLIC, "/"): moved(to)}

    with web(make) as (port, asked):
        crawl_named(tmp_path / "c", [f"http://{PUBLIC}:{port}/"], {"crawl.scope": "host"})
    assert secrets_in(asked) == []
    states = {row.state for url, row in rows_of(tmp_path / "c").items() if PUBLIC not in url}
    assert states == {State.EXCLUDED}


@pytest.mark.usefixtures("some_public")
def test_a_robots_txt_that_moves_there_is_not_had(tmp_path: Path) -> None:
    def make(port: int) -> Pages:
        robots = moved(f"http://{SECRET}:{port}/robots.txt")
        return {(PUBLIC, "/robots.txt"): robots, (PUBLIC, "/"): html()}

    settings = {"crawl.patience": 0.1, "politeness.backoff_base": 60.0}
    with web(make) as (port, asked):
        crawl_named(tmp_path / "c", [f"http://{PUBLIC}:{port}/"], settings)
    assert set(asked) == {f"{PUBLIC} /robots.txt"}


@pytest.mark.usefixtures("some_public")
@pytest.mark.parametrize("how", ["seed", "setting"])
def test_what_a_person_names_may_be_private_and_lead_to_private_pages(
    tmp_path: Path, how: str
) -> None:
    def make(port: int) -> Pages:
        return {
            (PUBLIC, "/"): html(f"http://{SECRET}:{port}/"),
            (SECRET, "/"): html(f"http://{OTHER_SECRET}:{port}/moved"),
            (OTHER_SECRET, "/moved"): moved("/there"),
            (OTHER_SECRET, "/there"): html(),
        }

    with web(make) as (port, asked):
        start = SECRET if how == "seed" else PUBLIC
        settings = {} if how == "seed" else {"fetch.allow_private": "yes"}
        crawl_named(tmp_path / "c", [f"http://{start}:{port}/"], settings)
    assert f"{OTHER_SECRET} /there" in asked


@pytest.mark.usefixtures("some_public")
def test_a_name_that_is_bound_to_another_address_later_gains_nothing() -> None:
    async def main() -> None:
        async with (
            naming() as zone,
            serving(answering(response(body=b"secret")), SECRET) as inside,
            serving(answering(response(body=b"public")), PUBLIC, port=inside.port),
        ):
            clock = FakeClock()
            names = DnsSettings(nameservers=(zone.address,))
            resolver = Resolver({}, clock, names)
            fetcher = HttpFetcher(HttpSettings(agent="t"), resolver, clock, public_only)
            visit = Visit(f"http://turncoat.test:{inside.port}/", b"", b"")
            zone.add("turncoat.test", PUBLIC, ttl=0)
            assert (await fetcher.fetch(visit)).body == b"public"
            zone.add("turncoat.test", SECRET, ttl=0)
            clock.advance(3600)
            again = await fetcher.fetch(visit)
            assert again.outcome is Outcome.PRIVATE
            assert not again.requested
            zone.add("turncoat.test", SECRET, PUBLIC, ttl=0)
            clock.advance(3600)
            assert (await fetcher.fetch(visit)).body == b"public"
            zone.add("turncoat.test", SECRET, ttl=0)
            clock.advance(3600)
            visit.private_ok = True
            assert (await fetcher.fetch(visit)).body == b"secret"
            assert inside.connections == 1
            await fetcher.close()
            await resolver.close()

    asyncio.run(asyncio.wait_for(main(), 120))


@pytest.mark.parametrize("host", ["localhost", "10.0.0.1", "[::1]", "a.localhost"])
def test_behind_a_proxy_a_name_that_says_so_is_refused(host: str) -> None:
    async def main() -> None:
        settings = HttpSettings(agent="t", proxy="http://127.91.0.9:9")
        resolver = Resolver({}, FakeClock())
        fetcher = HttpFetcher(settings, resolver, FakeClock(), public_only)
        fetched = await fetcher.fetch(Visit(f"http://{host}/", b"", b""))
        assert fetched.outcome is Outcome.PRIVATE
        await fetcher.close()
        await resolver.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1"),
        *("192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "224.0.0.1", "224.0.1.1"),
        *("240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1"),
        *("fd12::1", "fec0::1", "ff02::1", "ff0e::1", "2001:db8::1", "::ffff:127.0.0.1"),
        *("::ffff:10.0.0.1", "::127.0.0.1", "::8.8.8.8", "64:ff9b::127.0.0.1", "64:ff9b::a00:1"),
        *("64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::", "2001::1", "", "x", "1.2.3", "[::1]"),
    ],
)
def test_what_is_no_public_address(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "[2a00::1]"],
)
def test_what_is_one(address: str) -> None:
    assert is_public(address)


def test_it_is_a_setting() -> None:
    assert load(None, {}, {}).fetch.allow_private == "no"


# --- rebinding of a host that a person named ------------------------------------------------------


def test_a_seed_that_was_public_and_leads_inside_later_is_not_asked_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, some_public: None
) -> None:
    """Its name leads to another address after the first page."""
    del some_public
    answers = {"turncoat.test": PUBLIC}

    async def resolve(_resolver: Resolver, host: str) -> Addresses:
        return Addresses((answers[host],))

    monkeypatch.setattr(Resolver, "resolve", resolve)

    def make(_port: int) -> Pages:
        pages = {("/" if not n else f"/{n}"): html(f"/{n + 1}") for n in range(4)}
        return {(at, path): page for at in (PUBLIC, SECRET) for path, page in pages.items()}

    with web(make) as (port, asked):
        seed, directory = f"http://turncoat.test:{port}/", tmp_path / "corpus"
        crawl_named(directory, [seed], {"crawl.max_pages": 2})
        assert f"{PUBLIC} /1" in asked
        answers["turncoat.test"] = SECRET
        crawl_named(directory, [seed], {"crawl.max_pages": 100})
        assert secrets_in(asked) == []
        assert rows_of(directory)[f"{seed}2"].category == Outcome.PRIVATE


def test_a_seed_that_a_person_names_inside_stays_there_and_may_come_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, some_public: None
) -> None:
    del some_public
    answers = {"intranet.test": SECRET}

    async def resolve(_resolver: Resolver, host: str) -> Addresses:
        return Addresses((answers[host],))

    monkeypatch.setattr(Resolver, "resolve", resolve)
    with web(lambda _: {(at, "/"): html() for at in (PUBLIC, SECRET)}) as (port, asked):
        seed, directory = f"http://intranet.test:{port}/", tmp_path / "corpus"
        for address in (SECRET, PUBLIC, SECRET):
            answers["intranet.test"] = address
            chosen = Selection() if f"{SECRET} /" in asked else None
            before = len(asked)
            crawl(directory, [seed], {"agent.contact": "me@example.org"}, selection=chosen)
            assert f"{address} /" in asked[before:]


@pytest.mark.usefixtures("some_public")
def test_what_a_walk_found_to_be_public_is_not_asked_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `map`, `sitemap` and `feed show` ask: robots.txt first, then the file."""
    monkeypatch.setattr(shoal.control.site_map, "is_public", lambda a: a.startswith("127.90."))
    places = iter([PUBLIC, SECRET, SECRET, SECRET])

    async def resolve(_resolver: Resolver, _host: str) -> Addresses:
        return Addresses((next(places),))

    monkeypatch.setattr(Resolver, "resolve", resolve)
    with web(lambda _: {(SECRET, "/feed"): html()}) as (port, asked):
        config = load(None, {"politeness.delay": 0.05}, {})
        with pytest.raises(UsageError, match="may not be asked"):
            body_of(f"http://turncoat.test:{port}/feed", "nowhere", config, 20.0)
        assert asked == [f"{PUBLIC} /robots.txt"]


# --- who asks -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("some_public")
def test_a_private_seed_leads_to_a_public_host_only_when_it_is_said_who_asks(
    tmp_path: Path,
) -> None:
    def make(port: int) -> Pages:
        return {
            (SECRET, "/"): html(f"http://{PUBLIC}:{port}/", "/more"),
            (SECRET, "/more"): html(),
            (PUBLIC, "/"): html(),
        }

    with web(make) as (port, asked):
        seed, directory = f"http://{SECRET}:{port}/", tmp_path / "corpus"
        with pytest.raises(UsageError, match="must say who runs it; give --contact"):
            crawl(directory, [seed], {"crawl.scope": "any"})
        assert all(line.startswith(SECRET) for line in asked)
        assert rows_of(directory)[f"http://{PUBLIC}:{port}/"].state is State.QUEUED
        named = {"crawl.scope": "any", "agent.contact": "me@example.org"}
        assert crawl(directory, [seed], named).finished
        assert f"{PUBLIC} /" in asked
        assert {row.state for row in rows_of(directory).values()} == {State.FETCHED}


@pytest.mark.usefixtures("some_public")
def test_one_public_site_may_be_crawled_without_a_name(tmp_path: Path) -> None:
    with web(lambda _: {(PUBLIC, "/"): html("/a"), (PUBLIC, "/a"): html()}) as (port, asked):
        one = {"crawl.scope": "host"}
        assert crawl(tmp_path / "corpus", [f"http://{PUBLIC}:{port}/"], one).finished
        assert f"{PUBLIC} /a" in asked
