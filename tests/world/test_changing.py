"""Do pages change when they should, and do servers tell of it truly, falsely or not at all?"""

from __future__ import annotations

import email.utils
import gzip
import math
import re
import socket
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.world import (
    Behaviour,
    Chunked,
    Copies,
    FrameClock,
    Head,
    Header,
    Http09,
    Redirect,
    Request,
    RobotsMix,
    Running,
    Status,
    Validators,
    Web,
    serve,
)
from tests.world.pages import Writer
from tests.world.tiny import get

FAST = Web(
    seed=11,
    hosts=30,
    pages=120,
    skew=0,
    starts=1,
    changing=1.0,
    change_seconds=(5.0, 500.0),
    mean_bytes=3_000,
    robots=RobotsMix(disallow=0, missing=0, error=0, crawl_delay=0),
)
CLOCK_LINE = re.compile(rb"<p>It is now (\d\d:\d\d:\d\d)\.</p>")


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    """Its clock stands, and tests that set it put it back."""
    with serve(FAST) as running:
        yield running


@dataclass(frozen=True)
class Page:
    """The home page of a host that no other test uses, as it was and after a change."""

    running: Running
    host: int

    @property
    def url(self) -> str:
        return self.running.web.url(self.host, 0)

    @property
    def changed_at(self) -> float:
        return self.running.web.changes(self.url, 0, 1e5)[0]

    def set(self, *behaviours: Behaviour) -> None:
        self.running.set(f"{self.running.web.host_name(self.host)}/*", *behaviours)


@pytest.fixture
def page(world: Running, request: pytest.FixtureRequest) -> Iterator[Page]:
    taken = world.__dict__.setdefault("taken", [])
    taken.append(request.node.name)
    yield Page(world, len(taken))
    world.set_time(0)


# --- what a version is


def test_rates_lie_between_those_asked_for() -> None:
    web = Web(seed=2, hosts=1, pages=2_000, port=80, changing=1.0, change_seconds=(600.0, 6.0))
    gaps = [1 / web.history(0, page).rate_per_second for page in range(web.pages)]
    assert 6.0 <= min(gaps) < 6.2
    assert 580.0 < max(gaps) <= 600.0
    assert statistics.median(gaps) == pytest.approx(60.0, rel=0.1)  # log-uniform
    url = next(web.urls())
    counted = len(web.changes(url, 0, 1e6))
    assert counted == pytest.approx(1e6 / gaps[0], abs=5 * math.sqrt(1e6 / gaps[0]))


def test_every_version_says_something_else() -> None:
    web = Web(seed=3, hosts=2, pages=400, port=80, changing=1.0, files=0.5)
    writer = Writer(web)
    kinds = {web.kind(0, page): page for page in range(web.size(0))}
    assert set(kinds) == {"html", "txt", "pdf", "png"}
    for page in kinds.values():
        bodies = [writer.body(0, page, version) for version in range(60)]
        assert len(set(bodies)) == 60
    first = [
        re.findall(rb"<p>(.*?)</p>", writer.body(0, kinds["html"], version))[1]
        for version in range(60)
    ]
    assert len(set(first)) == 60, "the content, not only a number in the head"


def test_a_running_clock_serves_what_the_truth_says() -> None:
    web = Web(
        seed=5, hosts=1, pages=40, changing=1.0, change_seconds=(100.0, 5_000.0), files=0, starts=1
    )
    with serve(web) as running:
        running.set_time(1_000.0)
        running.run_time(5_000.0)
        for number in range(60):
            url = running.web.url(0, number % 40)
            answer, body = get(url)
            request = running.log()[-1]
            assert request.end is not None
            asked, sent = running.clock.at(request.start), running.clock.at(request.end)
            moments = [asked, *running.web.changes(url, asked, sent)]
            versions = {running.web.version(url, when) for when in moments}
            bodies = [Writer(running.web).body(0, number % 40, version) for version in versions]
            assert body in bodies
            modified = email.utils.parsedate_to_datetime(answer.headers["Last-Modified"])
            dated = email.utils.parsedate_to_datetime(answer.headers["Date"])
            assert modified <= dated
            if len(versions) == 1 and (changes := running.web.changes(url, 0, asked)):
                assert modified.timestamp() == int(running.clock.unix_at(changes[-1]))
        running.run_time(0)
        stands = running.clock.now()
        assert stands > 1_000.0
        assert running.clock.now() == stands


# --- validators


@pytest.mark.parametrize(
    ("manner", "field", "before", "after"),
    [
        (Validators(), "ETag", 304, 200),
        (Validators(), "Last-Modified", 304, 200),
        (Validators(etag="none"), "Last-Modified", 304, 200),
        (Validators(last_modified="none"), "ETag", 304, 200),
        (Validators(etag="new"), "ETag", 200, 200),
        (Validators(etag="stuck"), "ETag", 304, 304),
        (Validators(last_modified="stuck"), "Last-Modified", 304, 304),
        (Validators(conditions=False), "ETag", 200, 200),
        (Validators(conditions=False), "Last-Modified", 200, 200),
    ],
)
def test_validators_tell_the_truth_or_not(
    page: Page, manner: Validators, field: str, before: int, after: int
) -> None:
    page.set(manner)
    condition = {"ETag": "If_None_Match", "Last-Modified": "If_Modified_Since"}[field]
    first, body = get(page.url)
    known = {condition: first.headers[field]}
    assert get(page.url, **known)[0].status == before
    page.running.set_time(page.changed_at + 2)
    assert get(page.url, **known)[0].status == after
    assert get(page.url)[1] != body


def test_a_server_without_validators_sends_none(page: Page) -> None:
    page.set(Validators(etag="none", last_modified="none"), Header("Cache-Control", "max-age=60"))
    answer, _ = get(page.url, If_None_Match='""', If_Modified_Since="x")
    assert answer.status == 200
    assert (answer.headers["ETag"], answer.headers["Last-Modified"]) == (None, None)
    assert answer.headers["Cache-Control"] == "max-age=60"


def test_head_is_as_get_unless_told_otherwise(page: Page) -> None:
    first, body = get(page.url)
    honest, nothing = get(page.url, method="HEAD")
    assert (honest.status, nothing) == (200, b"")
    assert honest.headers["ETag"] == first.headers["ETag"]
    assert int(honest.headers["Content-Length"]) == len(body)
    page.running.set_time(page.changed_at)
    page.set(Head("stuck"))
    assert get(page.url)[0].headers["ETag"] != first.headers["ETag"]
    assert get(page.url, method="HEAD")[0].headers["ETag"] == first.headers["ETag"]
    page.set(Head("refused"))
    refused = get(page.url, method="HEAD")[0]
    assert (refused.status, refused.headers["Allow"]) == (405, "GET")
    page.set(Head("missing"))
    assert get(page.url, method="HEAD")[0].status == 404
    assert get(page.url)[0].status == 200


@pytest.mark.parametrize("where", ["header", "footer"])
def test_a_clock_in_the_frame_changes_nothing_else(page: Page, where: str) -> None:
    plain = get(page.url)[1]
    page.set(FrameClock("header" if where == "header" else "footer"))
    answers = [get(page.url) for _ in range(3)]
    packed, squeezed = get(page.url, Accept_Encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    bodies = [*(body for _, body in answers), gzip.decompress(squeezed)]
    shown = [CLOCK_LINE.findall(body) for body in bodies]
    assert [len(times) for times in shown] == [1, 1, 1, 1]
    assert len({times[0] for times in shown}) == 4
    assert {CLOCK_LINE.sub(b"", body) for body in bodies} == {plain}
    assert len({answer.headers["ETag"] for answer, _ in answers}) == 3
    start = bodies[0].index(b"It is now")
    assert bodies[0].rindex(b"<" + where.encode() + b">", 0, start) == start - len(where) - 5


# --- what comes and goes


def test_a_page_flaps_vanishes_and_moves(page: Page) -> None:
    page.set(Status(404, every=2, per="url"))
    assert [get(page.url)[0].status for _ in range(4)] == [200, 404, 200, 404]
    page.set(Status(404, after_seconds=10.0, until_seconds=20.0), Redirect("/new", 301))
    statuses = []
    for seconds in (9.9, 10.0, 19.9, 20.0):
        page.running.set_time(seconds)
        statuses.append(get(page.url)[0].status)
    assert statuses == [301, 404, 404, 301]


def test_a_host_that_goes_down_takes_its_connections_with_it(page: Page) -> None:
    web = page.running.web
    where = (web.address(page.host), page.running.port)
    with socket.create_connection(where, timeout=60) as channel:
        channel.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n")
        assert channel.recv(20_000).startswith(b"HTTP/1.1 200")
        page.running.down(page.host)
        with pytest.raises(ConnectionResetError):
            channel.recv(1)
    page.running.up(page.host)
    assert get(page.url)[0].status == 200


# --- the log


def last_request(running: Running) -> Request:
    return running.log()[-1]


def test_bytes_of_head_and_body_are_logged_apart(page: Page) -> None:
    answer, body = get(page.url)
    got = last_request(page.running)
    assert (got.body_bytes, got.status) == (len(body), 200)
    fields = sum(len(f"{name}: {value}\r\n") for name, value in answer.headers.items())
    assert got.head_bytes == len("HTTP/1.1 200 OK\r\n") + fields + 2
    get(page.url, If_None_Match=answer.headers["ETag"])
    unchanged = last_request(page.running)
    assert (unchanged.status, unchanged.body_bytes) == (304, 0)
    assert unchanged.head_bytes == unchanged.sent_bytes > 100
    assert unchanged.asked_bytes > got.asked_bytes + len(answer.headers["ETag"])
    get(page.url, method="HEAD")
    assert last_request(page.running).body_bytes == 0
    page.set(Chunked(100))
    get(page.url)
    assert last_request(page.running).body_bytes > len(body)
    page.set(Http09())
    where = (page.running.web.address(page.host), page.running.port)
    with socket.create_connection(where, timeout=60) as channel:
        channel.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert channel.makefile("rb").read() == body
    bare = last_request(page.running)
    assert (bare.head_bytes, bare.body_bytes) == (0, len(body))


# --- the truth


def test_ages_are_what_a_stopwatch_would_show() -> None:
    web = Web(
        seed=8, hosts=1, pages=10, changing=1.0, change_seconds=(100.0, 1_000.0), files=0, starts=1
    )
    with serve(web) as running:
        with pytest.raises(ValueError, match="stands"):
            Copies(running, [])
        running.run_time(1_000.0)
        urls = list(running.web.urls())
        for url in urls * 3:
            get(url)
        log = running.log()
    copies = Copies(running, log)
    after = max(request.start for request in log[:10])
    until = log[-1].start + 1.0
    assert sorted(copies.urls(after)) == sorted(urls)
    assert copies.urls(log[0].start - 1) == []
    moments = [after + (until - after) * (step + 0.5) / 1_000 for step in range(1_000)]
    for url in urls[:3]:
        got = [request.start for request in log if request.url == url]
        for at in moments[:: len(moments) // 10]:
            copied = max(moment for moment in got if moment <= at)
            assert copies.age(url, at) == age_by_versions(running, url, copied, at)
    stopwatch = statistics.fmean(copies.mean_age(at) for at in moments)
    assert copies.mean_age_between(after, until) == pytest.approx(stopwatch, rel=0.01)
    assert copies.mean_age_between(after, until) > 0
    assert copies.freshness(log[0].start) == 1.0
    assert copies.freshness(until + 3_600.0) == 0.0


def age_by_versions(running: Running, url: str, copied: float, at: float) -> float:
    """Asked of the versions alone."""
    web, clock = running.web, running.clock
    if web.version(url, clock.at(copied)) == web.version(url, clock.at(at)):
        return 0.0
    later = web.changes(url, clock.at(copied), clock.at(at))
    return at - clock.unix_at(later[0])
