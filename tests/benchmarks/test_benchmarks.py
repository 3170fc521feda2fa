"""Do the benchmarks still run? Each one end to end on a tiny size, and what they measure with."""

import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

import pytest
from selectolax.lexbor import LexborHTMLParser

from benchmarks import process_tree
from benchmarks.closing import choose
from benchmarks.crawl import crawl_once
from benchmarks.crawlers import Crawler
from benchmarks.packages import directory
from benchmarks.web import Size, Web, address, build, served

PROJECT = Path(__file__).resolve().parents[2]
PAGES = 12
LINE = re.compile(r"[\w.]+ [\d.]+ [\d.]+ (?:[\d.]+|-)")
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
WGET = shutil.which("wget")
ECHO = next(Path("/").glob("usr/lib*/**/ngx_http_echo_module.so"), None) if NGINX else None

needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A ring of pages, with links that lead out and things that only look like links."""
    root = tmp_path / "docs"
    (root / "guide").mkdir(parents=True)
    names = ["index.html", *(f"guide/page{n}.html" for n in range(1, PAGES))]
    for number, name in enumerate(names):
        up = "" if number == 0 else "../"
        following = names[(number + 1) % PAGES]
        (root / name).write_text(
            f"<html><head><title>{name}</title><link rel=next href='{up}{following}'>"
            f"<script>document.write('<a href=\"x' + y + '.html\">');</script></head><body>"
            f'<a href="{up}{following}#part">On</a> <a href="{up}">Home</a>'
            f'<a href="https://example.org/{number}">Out</a> <a href={up}missing.html>Gone</a>'
            f"<p>{'Words of this page. ' * 1500}{number}</p></body></html>",
            encoding="utf-8",
        )
    return root


@pytest.fixture
def web(docs: Path, tmp_path: Path) -> Web:
    return build(directory(docs), tmp_path, Size(PAGES, 4, free_port()))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((address(0), 0))
        return int(probe.getsockname()[1])


def links_of(url: str, body: bytes) -> set[str]:
    nodes = LexborHTMLParser(body).css("a[href], link[href]")
    hrefs = (node.attributes["href"] or "" for node in nodes)
    return {urljoin(url, href).partition("#")[0] for href in hrefs}


def files_of(web: Web) -> dict[str, bytes]:
    places = {url: url.removeprefix("http://").replace(f":{web.port}", "") for url in web.urls}
    return {url: (web.root / place).read_bytes() for url, place in places.items()}


def test_the_web_is_closed_and_connected(web: Web) -> None:
    bodies = files_of(web)
    assert len(bodies) == PAGES
    assert len(web.addresses) == 4
    reached = list(web.seeds)
    for url in reached:
        links = links_of(url, bodies[url])
        assert links <= set(web.urls)
        reached += sorted(links - set(reached))
    assert set(reached) == set(web.urls)


def test_nothing_but_links_is_touched(web: Web, docs: Path) -> None:
    index = next(url for url in web.urls if url.endswith("/index.html"))
    body = files_of(web)[index].decode()
    assert 'data-outside="https://example.org/0"' in body
    assert "data-outside=missing.html" in body
    assert "document.write('<a href=\"x' + y + '.html\">')" in body
    assert (
        LexborHTMLParser(body).text()
        == LexborHTMLParser((docs / "index.html").read_text(encoding="utf-8")).text()
    )


def test_the_same_pages_make_the_same_web(docs: Path, tmp_path: Path) -> None:
    size = Size(PAGES, 4, 8590)
    first = build(directory(docs), tmp_path / "a", size)
    again = build(directory(docs), tmp_path / "b", size)
    assert files_of(first) == files_of(again)
    assert build(directory(docs), tmp_path / "a", size) == first  # read back, not built


def test_fewer_pages_are_still_connected(docs: Path) -> None:
    starts, pages = choose(directory(docs), 3)
    assert starts == ["/index.html"]
    assert list(pages) == ["/index.html", "/guide/page1.html", "/guide/page2.html"]


@needs_nginx
def test_the_web_is_served_compressed(web: Web) -> None:
    with served(web):
        asked = urllib.request.Request(web.seeds[0], headers={"Accept-Encoding": "gzip"})  # noqa: S310 - loopback
        with urllib.request.urlopen(asked) as answer:  # noqa: S310
            assert answer.headers["Content-Encoding"] == "gzip"
            assert answer.headers["Content-Type"] == "text/html"
        host = web.seeds[0].rpartition("/")[0]
        with urllib.request.urlopen(f"{host}/robots.txt") as answer:  # noqa: S310
            assert b"Disallow: /private/" in answer.read()
    with socket.socket() as probe:
        assert probe.connect_ex((web.addresses[0], web.port)) != 0


@pytest.mark.skipif(ECHO is None, reason="nginx's echo module is not installed")
def test_latency_is_the_servers(web: Web) -> None:
    with served(web, latency_ms=50):
        started = time.monotonic()
        with urllib.request.urlopen(web.seeds[0]) as answer:  # noqa: S310 - loopback
            assert answer.read() == files_of(web)[web.seeds[0]]
        assert time.monotonic() - started >= 0.05


@pytest.mark.slow
def test_a_childs_cost_is_counted(tmp_path: Path) -> None:
    work = "x = bytearray(b'1') * 150_000_000\nimport time\nwhile time.process_time() < 0.6: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}], check=True)"
    cost = process_tree.run([sys.executable, "-c", parent], tmp_path / "log")
    assert cost.children_cpu_seconds >= 0.55
    assert cost.own_cpu_seconds < cost.children_cpu_seconds
    assert cost.seconds >= 0.55
    assert cost.peak_bytes > 150_000_000


def test_a_failing_program_is_not_a_result(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such luck')"]
    with pytest.raises(SystemExit, match="no such luck"):
        process_tree.run(command, tmp_path / "log")


def test_a_crawl_that_missed_pages_is_not_a_result(web: Web, tmp_path: Path) -> None:
    all_but_one = set(web.urls[1:])
    lazy = Crawler("lazy", lambda _web, _out: ["true"], lambda _out: all_but_one)
    with pytest.raises(SystemExit, match="lazy did not fetch this web: 1 pages are missing"):
        crawl_once(lazy, web, 0, tmp_path)


def lines_of(module: str, *options: str | Path) -> dict[str, list[str]]:
    """Run a benchmark; its lines `name ours peer ratio` by name."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", *map(str, options)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [line.split() for line in done.stdout.splitlines() if LINE.fullmatch(line)]
    return {name: figures for name, *figures in found}


def web_options(docs: Path, work: Path) -> list[str | Path]:
    sizes = ["--pages", str(PAGES), "--hosts", "4", "--port", str(free_port())]
    return ["--work", work, "--from", docs, *sizes]


@pytest.mark.slow
def test_frontier_runs(tmp_path: Path) -> None:
    lines = lines_of("frontier", "--urls", "1000", "--hosts", "50", "--work", tmp_path)
    assert set(lines) == {
        f"frontier.1k_vs_100.{measure}"
        for measure in ("url_cpu_us", "add_cpu_us", "take_cpu_us", "peak_mb")
    }
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@needs_nginx
@pytest.mark.skipif(WGET is None, reason="wget is not installed")
def test_crawl_runs(docs: Path, tmp_path: Path) -> None:
    options = [*web_options(docs, tmp_path), "--rounds", "1", "--latency", "0"]
    lines = lines_of("crawl", *options, "--crawlers", "shoal", "wget")
    assert set(lines) == {
        f"crawl.wget.0ms.{measure}"
        for measure in ("pages_per_s", "cpu_s_per_1000_pages", "peak_mb")
    }
    assert all(float(ours) > 0 and float(peer) >= 0 for ours, peer, _ in lines.values())


@pytest.mark.slow
@needs_nginx
def test_store_runs(docs: Path, tmp_path: Path) -> None:
    lines = lines_of("store", *web_options(docs, tmp_path), "--reads", "30")
    assert float(lines["store.large_bodies.stored_per_byte"][0]) < 0.2
    assert {name.rpartition(".")[0] for name in lines} == {
        "store.large_bodies",
        "store.all_bodies",
        "store.large_bodies_sent_plain",
        "store.random_body",
        "store.random_text",
        "store.stream_bodies",
        "store.stream_texts",
    }
