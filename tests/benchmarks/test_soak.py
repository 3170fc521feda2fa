"""Is the soak's web what it says it is, does the soak see a leak, and does it end when told to?"""

import gzip
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from benchmarks import soak, soak_watch
from benchmarks.soak_server import GZIP_EVERY, Asked, Desk
from benchmarks.soak_watch import Look, look, trend
from benchmarks.soak_world import Kind, Size, World, address
from shoal.focus.traps import Traps
from shoal.layout.snapshot import Snapshot, status_of

PROJECT = Path(__file__).resolve().parents[2]
SIZE = Size(hosts=7, pages=48, port=8591)
URL = re.compile(r"http://([0-9.]+):8591(/.*)")
HOSTS = {address(host): host for host in range(SIZE.hosts)}


@pytest.fixture
def world() -> World:
    return World(SIZE)


@pytest.fixture
def source_schedule(world: World) -> Desk:
    return Desk(world)


def get(source_schedule: Desk, url: str, fields: str = "") -> tuple[int, dict[str, str], bytes]:
    host, path = place(url)
    head, _, body = source_schedule.answer(host, f"GET {path} HTTP/1.1{fields}".encode()).partition(
        b"\r\n\r\n"
    )
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


def place(url: str) -> tuple[int, str]:
    found = URL.fullmatch(url)
    assert found is not None
    return HOSTS[found[1]], found[2]


def test_every_page_can_be_reached_and_nothing_else_is_named(
    world: World, source_schedule: Desk
) -> None:
    reached = dict.fromkeys(world.seeds(1))
    kinds: dict[str, Kind] = {}
    queue = list(reached)
    for url in queue:
        found = world.find(place(url)[1].encode())
        assert found is not None, url
        kinds[url] = found[0]
        _, headers, body = get(source_schedule, url)
        links = [node.attributes["href"] or "" for node in LexborHTMLParser(body).css("a")]
        for link in links + ([headers["Location"]] if "Location" in headers else []):
            if link not in reached:
                reached[link] = None
                queue.append(link)
    counted = {kind: list(kinds.values()).count(kind) for kind in Kind}
    assert counted[Kind.PAGE] == SIZE.hosts * SIZE.pages
    assert {counted[kind] for kind in Kind if kind is not Kind.PAGE} == {SIZE.hosts * 3}
    assert source_schedule.asked().strange == source_schedule.asked().repeats == 0
    traps = Traps(latest_year=2036)
    assert {traps.refuses(url, url.index("/", 8)) for url in reached} == {""}


def test_a_printed_copy_has_the_same_bytes(world: World, source_schedule: Desk) -> None:
    page, print_ = (
        get(source_schedule, world.url(2, kind, 11)) for kind in (Kind.PAGE, Kind.PRINT)
    )
    assert page == print_
    assert get(source_schedule, world.url(3, Kind.PAGE, 11))[2] != page[2]
    assert source_schedule.asked() == Asked(pages=2, prints=1, copies=1)


def test_some_pages_are_sent_gzipped_to_those_who_take_it(
    world: World, source_schedule: Desk
) -> None:
    url = world.url(0, Kind.PAGE, 1 + GZIP_EVERY)
    plain = get(source_schedule, url)[2]
    _, headers, packed = get(source_schedule, url, "\r\nAccept-Encoding: gzip")
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == plain
    assert 1000 < len(plain) < 2500


def test_the_server_knows_what_it_was_asked(world: World, source_schedule: Desk) -> None:
    assert get(source_schedule, world.url(1, Kind.GONE, 7))[0] == 404
    assert get(source_schedule, world.url(1, Kind.MOVED, 3))[0] == 301
    for _ in range(2):
        get(source_schedule, world.url(1, Kind.PRIVATE, 15))
    origin = world.seeds(1)[0]
    assert b"Disallow: /private/" in get(source_schedule, origin + "robots.txt")[2]
    for path in ("page-1.html", "reefs/page-1.html", "reefs/page-48.html", "old/page-8.html"):
        assert get(source_schedule, origin + path)[0] == 404
    asked = source_schedule.asked()
    assert asked == Asked(gone=1, moved=1, forbidden=2, robots=1, strange=4, repeats=1)
    assert (asked.fetches, asked.requests) == (8, 9)


def looks_of(memory: list[int], fetches: int) -> list[Look]:
    share = fetches / (len(memory) - 1)
    return [
        Look(n, round(n * share), each * 1_000_000, each * 1_000_000, each, 9, 0, 1, 1, 2, 0)
        for n, each in enumerate(memory)
    ]


@pytest.mark.parametrize(
    ("memory", "flat"),
    [
        ([500, 900, *[100] * 18, 120], True),
        ([*[100] * 19, 124], True),
        ([*range(100, 300, 10)], False),
        ([*[100] * 19, 126], False),
    ],
    ids=["warm-up does not count", "noise", "a leak", "a jump"],
)
def test_flat_or_not(memory: list[int], flat: bool) -> None:
    looks = looks_of(memory, 1_000_000)
    assert trend(looks, lambda seen: seen.tree_bytes).is_flat is flat
    assert (soak.leaks(looks) == []) is flat
    assert soak.leaks(looks_of(memory, 100_000)) == []
    assert soak.not_judged(looks_of(memory, 100_000)) == "too short a run to judge tree_mb, main_mb"
    assert f"\nsoak.last_half.tree_mb {max(memory[len(memory) // 2 :])} " in soak.results(looks)


@pytest.fixture
def leaking() -> Iterator[subprocess.Popen[str]]:
    """A program that opens five files at a word."""
    code = "import sys\nkept = []\nprint()\nfor _ in sys.stdin:\n"
    code += "    kept += [open('/dev/null') for _ in range(5)]\n    print(flush=True)\n"
    with subprocess.Popen(
        [sys.executable, "-uc", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


def test_descriptors_are_counted(leaking: subprocess.Popen[str], tmp_path: Path) -> None:
    assert leaking.stdin is not None
    assert leaking.stdout is not None
    (tmp_path / "file").write_bytes(b"x" * 100_000)
    leaking.stdout.readline()
    before = look(leaking.pid, 0, 0, tmp_path)
    print("more", file=leaking.stdin, flush=True)
    leaking.stdout.readline()
    after = look(leaking.pid, 1, 0, tmp_path)
    assert after.descriptors - before.descriptors == 5
    assert after.threads == after.processes == 1
    assert after.disk_bytes >= 100_000
    assert after.tree_bytes == after.main_bytes > 1_000_000


def test_a_count_that_is_off_is_told() -> None:
    counts = {"fetched/waiting": 9, "redirect": 1, "total/requests": 10}
    status = status_of(Path("c"), Snapshot(counts))
    asked = Asked(pages=9, moved=1)
    assert all(check.holds for check in soak.checks(asked, status, 9))
    wrong = [
        c.name for c in soak.checks(asked._replace(moved=2, repeats=1), status, 9) if not c.holds
    ]
    assert wrong == ["requests, robots.txt included", "redirects", "URLs asked a second time"]


def command(tmp_path: Path, *options: str) -> list[str]:
    with socket.create_server((address(0), 0)) as free:
        port = free.getsockname()[1]
    words = ["--work", str(tmp_path), "--hosts", "5", "--port", str(port), *options]
    return [sys.executable, "-m", "benchmarks.soak", *words]


@pytest.mark.slow
def test_a_soak_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        command(tmp_path, "--fetches", "200", "--verify"),
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok     pages that were to be fetched: 200" in done.stdout
    assert "ok     shoal verify" in done.stdout
    assert "soak.last_half.descriptors " in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_takes_everything_with_it(tmp_path: Path, number: signal.Signals) -> None:
    words = command(tmp_path, "--fetches", "5000")
    port = int(words[words.index("--port") + 1])
    with subprocess.Popen(words, cwd=PROJECT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any(not line.startswith("0 fetches") for line in process.stderr)  # it crawls
        process.send_signal(number)
        assert "stopped" in process.stderr.read()
    assert process.returncode == 1
    with socket.socket() as probe:
        assert probe.connect_ex((address(0), port)) != 0
    assert list(tmp_path.iterdir()) == []
    assert soak_watch.look(process.pid, 0, 0, tmp_path).main_bytes == 0
