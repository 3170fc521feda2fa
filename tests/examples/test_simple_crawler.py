"""Does the textbook's crawler keep its five seconds, obey robots.txt and follow links?"""

import inspect
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.simple_crawler.simple_crawler import LINK, WAIT_SECONDS, Frontier, crawl, main
from tests.world import Request, RobotsMix, Running, Web, overlaps, serve

WAIT = 0.1


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    with serve(Web(seed=3, hosts=3, pages=30, robots=RobotsMix(crawl_delay=0))) as running:
        yield running


@pytest.fixture(scope="module")
def odd_world() -> Iterator[Running]:
    """Two hosts whose pages the tests write themselves."""
    with serve(Web(seed=4, hosts=2, pages=2)) as running:
        yield running


def gaps(log: list[Request]) -> list[float]:
    """Seconds between the end of one answer and the start of the next request, to any host."""
    found = []
    for earlier, later in pairwise(log):
        assert earlier.end is not None
        found.append(later.start - earlier.end)
    return found


def test_it_finds_what_can_be_reached_and_waits_between_any_two_requests(
    world: Running, tmp_path: Path
) -> None:
    before = len(world.log())
    seed = world.web.seeds()[0]
    kept = crawl(seed, 15, tmp_path, WAIT)
    log = world.log()[before:]
    asked = [request.url for request in log]
    assert len(kept) == len(set(kept)) == 15
    assert kept[0] == seed
    assert len(asked) == len(set(asked))
    assert overlaps(log) == []
    assert min(gaps(log)) >= WAIT
    assert [url for url in asked if world.web.disallowed(url)] == []
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        f"{number}.html" for number in range(1, 16)
    )
    assert "<html" in (tmp_path / "1.html").read_text(encoding="utf-8").lower()


def test_robots_redirects_errors_and_other_types(odd_world: Running, tmp_path: Path) -> None:
    world, host = odd_world, odd_world.web.host_name(0)
    page = "<A class=x\n HREF='/a&amp;b#c'><a href=/private><a href='/moved'><a href=\"/text\">"
    seed = world.put(host, "/", page + "<a href='/gone'><a href='http://['><a href='/ü'>")
    world.robots(host, "User-agent: *\nDisallow: /private\n")
    world.put(host, "/a&b", "one")
    world.put(host, "/private", "no")
    world.put(host, "/moved", status=302, headers={"Location": "/target"})
    world.put(host, "/text", "plain", headers={"Content-Type": "text/plain"})
    world.put(host, "/%C3%BC", "umlaut")
    world.put(host, "/target", "two")
    kept = crawl(seed, 100, tmp_path, WAIT)
    at = seed.removesuffix("/")
    assert kept == [seed, f"{at}/a&b", f"{at}/%C3%BC", f"{at}/target"]


@pytest.mark.parametrize(
    ("status", "location", "body", "allowed"),
    [
        (404, "", "", True),
        (503, "", "", False),
        (301, "/moved.txt", "", True),
        (301, "/robots.txt", "", False),
        (301, "file:///etc/hostname", "", False),
        (200, "", "User-agent: *\nDisallow: /\n", False),
        (200, "", "User-agent: *\nDisallow: /x\nDisallow: http://[\n", False),
        (200, "", "\0 nonsense \x80", True),
    ],
)
def test_what_robots_txt_means_for_the_site(
    odd_world: Running, tmp_path: Path, status: int, location: str, body: str, allowed: bool
) -> None:
    world, host = odd_world, odd_world.web.host_name(1)
    seed = world.put(host, "/", "hello")
    world.put(host, "/moved.txt", "User-agent: *\nDisallow: /elsewhere\n")
    headers = {"Location": location} if location else {}
    world.put(host, "/robots.txt", body, status=status, headers=headers)
    before = len(world.log())
    assert crawl(seed, 1, tmp_path, 0.0) == ([seed] if allowed else [])
    asked = [(request.target, request.status) for request in world.log()[before:]]
    assert asked[0] == ("/robots.txt", status)
    assert (("/", 200) in asked) is allowed


def test_five_seconds_unless_told_otherwise() -> None:
    assert WAIT_SECONDS == 5.0
    assert inspect.signature(crawl).parameters["wait_seconds"].default == WAIT_SECONDS


@pytest.mark.slow
def test_the_command_waits_five_seconds(
    world: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = len(world.log())
    assert main([world.web.seeds()[0], "2"]) == 0
    assert min(gaps(world.log()[before:])) >= 5.0
    assert (tmp_path / "documents" / "2.html").exists()


@pytest.mark.parametrize(
    "arguments",
    [[], ["fish"], ["ftp://a/"], ["http://["], ["http://a/", "0"], ["http://a/", "x"], ["a"] * 3],
)
def test_wrong_arguments_get_one_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


@given(st.text(), st.text())
def test_no_link_is_too_odd_for_the_frontier(href: str, base: str) -> None:
    frontier = Frontier("http://a.test/")
    frontier.add(href, base)
    frontier.add(href, base)
    assert frontier.next_url() == "http://a.test/"
    if not frontier.done():
        assert frontier.next_url().isascii()
    assert frontier.done()


@pytest.mark.parametrize("piece", ["<a ", "<a href", "<a href ", "<a href='", "<a href= "])
def test_the_time_for_links_grows_with_the_page_and_no_faster(piece: str) -> None:
    started = time.process_time()
    LINK.findall(piece * 300_000)
    assert time.process_time() - started < 10  # quadratic would be hours
