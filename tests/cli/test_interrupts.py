"""Ctrl-C once and twice, and SIGTERM: real signals to a real crawl, which then goes on."""

import signal

import pytest

from tests.cli.command import Shoal
from tests.world import Hang, Latency, RobotsMix, Running, Web, repeats, serve

WEB = Web(seed=6, hosts=3, pages=60, skew=0, starts=3, robots=RobotsMix(disallow=0, error=0))
SLOW = {"*": Latency(0.1)}
FLAGS = ("--scope=any", "--delay=0", "--set=politeness.delay_factor=0")


def goes_on(shoal: Shoal, running: Running) -> list[str]:
    """Crawl on to the end; everything is there, and what was asked for more than once."""
    running.clear()
    done = shoal.ok("crawl", "--json")
    assert done.json["reason"] == "finished"
    log = running.log()
    fetched = {line.split("\t")[0] for line in shoal.ok("urls", "--state=fetched").lines}
    assert fetched == running.web.crawlable()
    return list(repeats(log))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=str)
def test_one_signal_finishes_what_is_in_flight(
    shoal: Shoal, number: signal.Signals, code: int
) -> None:
    with serve(WEB, SLOW) as running:
        crawl = shoal.start("crawl", *running.web.seeds(), *FLAGS, "--json")
        running.wait(12)
        crawl.signal(number)
        done = crawl.wait()
        assert done.code == code
        assert done.json["reason"] == "interrupted"
        assert "Ctrl-C again stops at once" in done.err
        assert "Traceback" not in done.err
        assert goes_on(shoal, running) == []


def test_ctrl_c_at_a_terminal_reaches_the_whole_group_and_loses_nothing(shoal: Shoal) -> None:
    with serve(WEB, SLOW) as running:
        crawl = shoal.start("crawl", *running.web.seeds(), *FLAGS)
        running.wait(12)
        crawl.signal_group(signal.SIGINT)
        done = crawl.wait()
        assert done.code == 130
        assert "Stopped after" in done.text
        assert "go on with: shoal crawl" in done.text
        assert goes_on(shoal, running) == []


def test_a_second_signal_stops_at_once_and_nothing_committed_is_asked_again(shoal: Shoal) -> None:
    with serve(WEB, SLOW) as running:
        crawl = shoal.start("crawl", *running.web.seeds(), *FLAGS, "--json")
        running.wait(12)
        running.set("*", Hang())
        started = len(running.log())
        running.wait(started + 3)
        crawl.signal(signal.SIGINT)
        crawl.read_until("Ctrl-C again stops at once")
        crawl.signal(signal.SIGINT)
        done = crawl.wait()
        assert done.code == 130
        assert done.out == b""
        assert "Stopped at once. Go on with: shoal crawl" in done.err
        assert "Traceback" not in done.err
        # In flight is what hung, and what had come but was not committed when it was stopped.
        hanging = {request.url for request in running.log() if not request.complete}
        committed = {line.split("\t")[0] for line in shoal.ok("urls", "--state=fetched").lines}
        repeated = set(goes_on(shoal, running))
        assert hanging
        assert committed
        assert repeated.isdisjoint(committed)
