"""Slow, exclude, include and retry, from the command line: on a crawl that runs and on one at
rest, and through a kill."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.cli.command import Shoal
from tests.world import Latency, Request, RobotsMix, Running, Status, Web, serve

WEB = Web(seed=8, hosts=2, pages=40, skew=0, starts=2, robots=RobotsMix(disallow=0, error=0))
FLAGS = ("--scope=any", "--delay=0", "--set=politeness.delay_factor=0", "--children=1")


@pytest.fixture
def running() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.05)}) as running:
        yield running


def label(running: Running, host: int) -> str:
    return f"{running.web.host_name(host)}:{running.port}"


def asked(running: Running, host: str) -> list[Request]:
    return [each for each in running.log() if each.host == host]


@pytest.mark.slow
def test_a_running_crawl_leaves_an_excluded_host_alone_and_is_slower_with_another(
    shoal: Shoal, running: Running
) -> None:
    unwanted, slowed = label(running, 0), label(running, 1)
    crawl = shoal.start("crawl", *running.web.seeds(), *FLAGS, "--json", "-q")
    running.wait(6)
    running.set("*", Latency(1.0))  # so that it can't end while the orders are given
    assert shoal.ok("exclude", unwanted).text.endswith("is excluded; the running crawl is told.\n")
    assert "once in 0.3 s" in shoal.ok("slow", slowed, "300ms").text
    running.wait(len(running.log()) + 3)  # it has looked into its inbox meanwhile: once a second
    told, before = len(asked(running, slowed)), len(asked(running, unwanted))
    running.clear()
    running.wait(told + 4, host=1)
    assert shoal.ok("stop", "--wait=20s").text.startswith("The crawl has ended")
    assert crawl.wait().code == 0
    assert len(asked(running, unwanted)) == before
    late = asked(running, slowed)[told:]
    assert all(a.end is not None and b.start - a.end >= 0.3 for a, b in pairwise(late))
    status = shoal.ok("status", "--json").json
    assert status["excluded_by_reason"]["by hand"] > 0
    assert status["discovered"] == sum(
        status[name] for name in ("queued", "in_flight", "answered", "excluded", "failed")
    )
    shoal.ok("verify", "-q")


@pytest.mark.slow
def test_an_excluded_host_waits_again_when_it_is_included(shoal: Shoal, running: Running) -> None:
    shoal.ok("crawl", *running.web.seeds(), *FLAGS, "--max-pages=4", "-q")
    host = label(running, 1)
    assert shoal.ok("exclude", host).text == f"{host} is excluded in the next crawl.\n"
    lines = [line.split("\t") for line in shoal.ok("urls", host, "--state=excluded").lines]
    assert lines
    assert "by hand: its host is excluded" in shoal.ok("explain", lines[0][0]).text
    assert f"shoal include {host}" in shoal.ok("map", host).err
    before = len(asked(running, host))
    again = ("crawl", "--set=crawl.max_pages=1000", "--json")
    assert shoal.ok(*again).json["waiting_later"] == 0
    assert len(asked(running, host)) == before
    assert {each["host"]: each["state"] for each in shoal.ok("hosts", "--json").json}[
        host
    ] == "excluded"
    # A kill between two slices of rows: the next command goes on with what is left.
    killed = shoal("include", host, SHOAL_FAULT="sweep.middle")
    assert killed.code == -9
    shoal.ok("verify", "-q")
    shoal.ok(*again)
    fetched = {line.split("\t")[0] for line in shoal.ok("urls", "--state=fetched").lines}
    assert fetched == running.web.crawlable()
    shoal.ok("verify", "-q")


@pytest.mark.slow
def test_what_failed_is_tried_again(shoal: Shoal, running: Running) -> None:
    host = label(running, 0)
    running.set(f"{running.web.host_name(0)}/*", Status(403))
    shoal.ok("crawl", *running.web.seeds(), *FLAGS, "-q")
    failed = shoal.ok("status", "--json").json["failed_by_reason"]["forbidden"]
    running.clear()
    refused = shoal.refuses("retry", "timeuot")
    assert "nothing has failed with the reason 'timeuot'; there is: forbidden" in refused
    done = shoal.ok("retry", "forbidden", "--host", host)
    assert done.text == f"What failed (forbidden) at {host} is fetched again in the next crawl.\n"
    status = shoal.ok("status", "--json").json
    assert (status["queued"], status["failed"]) == (failed, 0)
    shoal.ok("crawl", "-q")
    fetched = {line.split("\t")[0] for line in shoal.ok("urls", "--state=fetched").lines}
    assert fetched == running.web.crawlable()
    shoal.ok("verify", "-q")
