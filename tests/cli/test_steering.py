"""A word with the crawl: submit, pause, resume and stop, while it runs and while it rests."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Shoal
from tests.world import Latency, RobotsMix, Running, Web, serve

WEB = Web(seed=8, hosts=2, pages=40, skew=0, starts=2, robots=RobotsMix(disallow=0, error=0))
FLAGS = ("--scope=any", "--delay=0", "--set=politeness.delay_factor=0")


@pytest.fixture
def running() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.1)}) as running:
        yield running


def take_long(running: Running) -> None:
    """So that the crawl can't end while the test gives its orders."""
    running.wait(4)
    running.set("*", Latency(2.0))


def hosts(shoal: Shoal) -> dict[str, dict[str, object]]:
    return {each["host"]: each for each in shoal.ok("hosts", "--json").json}


def label(running: Running, host: int) -> str:
    return f"{running.web.host_name(host)}:{running.port}"


def test_submit_to_a_crawl_that_runs(shoal: Shoal, running: Running) -> None:
    url = running.put(0, "/submitted.html", "<title>new</title><p>new")
    crawl = shoal.start("crawl", *running.web.seeds(), *FLAGS, "-q")
    take_long(running)
    done = shoal.ok("submit", url)
    assert done.text == "1 URL handed to the running crawl.\n"
    running.clear()
    assert crawl.wait().code == 0
    assert shoal.ok("show", url, "--json").json["title"] == "new"
    assert "A person submitted it" in shoal.ok("explain", url).text
    assert list((shoal.directory / "corpus" / "inbox").iterdir()) == []


def test_submit_to_a_collection_at_rest(shoal: Shoal, running: Running) -> None:
    shoal.ok("crawl", running.web.seeds()[0], *FLAGS, "--max-pages=1", "-q")
    url = running.put(0, "/submitted.html?utm_source=x", "<title>new</title><p>new")
    found = shoal.ok("submit", url, "--json").json
    assert found == {"urls": [url.partition("?")[0]], "running": False}
    assert found["urls"][0] in shoal.ok("urls", "--state=queued").text
    assert "is no URL" in shoal.refuses("submit", "htp://x/")


def test_a_paused_host_is_asked_nothing_until_it_is_resumed(shoal: Shoal, running: Running) -> None:
    shoal.ok("crawl", *running.web.seeds(), *FLAGS, "--max-pages=4", "-q")
    paused = label(running, 1)
    assert shoal.ok("pause", paused).text == f"{paused} is paused in the next crawl.\n"
    before = len([each for each in running.log() if each.host == paused])
    summary = shoal.ok("crawl", "--set=crawl.max_pages=1000", "--json").json
    assert summary["waiting_later"] > 0
    assert len([each for each in running.log() if each.host == paused]) == before
    assert hosts(shoal)[paused]["state"] == "paused"
    assert shoal.ok("resume", f"http://{paused}/").text == f"{paused} goes on in the next crawl.\n"
    assert shoal.ok("crawl", "--set=crawl.max_pages=1000", "--json").json["waiting_later"] == 0
    fetched = {line.split("\t")[0] for line in shoal.ok("urls", "--state=fetched").lines}
    assert fetched == running.web.crawlable()


def test_a_host_is_paused_in_a_crawl_that_runs(shoal: Shoal, running: Running) -> None:
    crawl = shoal.start("crawl", *running.web.seeds(), *FLAGS, "--json", "--set=crawl.patience=0.1")
    take_long(running)
    assert shoal.ok("pause", label(running, 0)).text.endswith("the running crawl is told.\n")
    running.wait(len(running.log()) + 2)
    running.clear()
    summary = crawl.wait().json
    assert summary["waiting_later"] > 0
    assert hosts(shoal)[label(running, 0)]["state"] == "paused"


def test_stop(shoal: Shoal, running: Running) -> None:
    crawl = shoal.start("crawl", *running.web.seeds(), *FLAGS, "--json")
    take_long(running)
    assert shoal.ok("stop").text == "The crawl has ended. Go on with: shoal crawl --dir corpus\n"
    done = crawl.wait()
    assert (done.code, done.json["reason"]) == (0, "asked to stop")
    running.clear()
    assert "No crawl is running" in shoal.refuses("stop")
    assert shoal.ok("crawl", "--json").json["reason"] == "finished", "the order was for the first"


def test_an_order_that_nobody_can_read_is_set_aside(shoal: Shoal, running: Running) -> None:
    shoal.ok("crawl", running.web.seeds()[0], *FLAGS, "--max-pages=1", "-q")
    inbox = Path(shoal.directory / "corpus" / "inbox")
    (inbox / "0000000000000001-00000000.order").write_text(json.dumps({"order": "dance"}))
    shoal.ok("crawl", "--max-pages=2", "-q")
    assert [each.suffix for each in inbox.iterdir()] == [".bad"]
