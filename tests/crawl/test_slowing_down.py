"""Hosts that ask for time get it, and the others go on at full speed."""

from pathlib import Path

from tests.crawl.run import crawl
from tests.world import Hang, Request, RobotsMix, Running, Status, Web, by_host, serve

HOSTS = 6
DELAY_SECONDS = 0.2
POLITE_ROBOTS = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)


def _web() -> Web:
    return Web(seed=3, hosts=HOSTS, pages=HOSTS * 4, skew=0, mean_bytes=1500, robots=POLITE_ROBOTS)


def _of(running: Running, log: list[Request], host: int) -> list[Request]:
    return by_host(log)[f"{running.web.host_name(host)}:{running.port}"]


def _wait_after(requests: list[Request], status: int) -> float:
    """Seconds from the end of the first such answer to the next request."""
    i = next(i for i, request in enumerate(requests) if request.status == status)
    end = requests[i].end
    assert end is not None
    return requests[i + 1].start - end


def test_the_waits_that_are_asked_for_are_kept_while_others_go_on(tmp_path: Path) -> None:
    with serve(_web()) as running:
        web = running.web
        pages = [f"{web.host_name(host)}/*" for host in range(3)]
        running.set(pages[0], Status(429, retry_after_seconds=3, times=1))
        running.set(pages[1], Status(503, retry_after_seconds=3, dated=True, times=1))
        running.set(pages[2], Status(503, times=1))
        summary = crawl(tmp_path / "corpus", web.urls(), {"politeness.delay": DELAY_SECONDS})
        log = running.log()
    assert summary.finished
    assert summary.status.failed == 0
    assert summary.status.fetched == len(list(web.urls()))
    assert _wait_after(_of(running, log, 0), 429) >= 3
    # A date has whole seconds: it names a moment up to one second before the wait would be over.
    assert _wait_after(_of(running, log, 1), 503) >= 2
    assert _wait_after(_of(running, log, 2), 503) >= 0.3
    asked_to_wait_until = min(request.end or 0 for request in log if request.status == 429) + 3
    for host in range(3, HOSTS):
        assert all(request.start < asked_to_wait_until for request in _of(running, log, host))


def test_a_host_that_hangs_costs_only_itself(tmp_path: Path) -> None:
    with serve(_web()) as running:
        web = running.web
        running.set(f"{web.host_name(0)}/*", Hang())
        summary = crawl(
            tmp_path / "corpus",
            web.urls(),
            {"fetch.idle_timeout": 2, "fetch.total_timeout": 3, "politeness.backoff_base": 1},
        )
        log = running.log()
    hanging = _of(running, log, 0)
    first_hang_ends = hanging[1].start + 2
    for host in range(1, HOSTS):
        assert all(request.start < first_hang_ends for request in _of(running, log, host))
    assert summary.status.fetched == len(list(web.urls())) - web.size(0)
    # Whatever was not answered is still there, or counted as failed; nothing is lost.
    assert summary.status.queued + summary.status.failed == web.size(0)


def test_a_dead_host_is_given_up_for_now_and_said_so(tmp_path: Path) -> None:
    with serve(_web()) as running:
        web = running.web
        running.down(0)
        summary = crawl(tmp_path / "corpus", web.urls(), {"politeness.backoff_base": 0.2})
    assert summary.finished
    assert summary.waiting_later == web.size(0)
    assert summary.status.fetched == len(list(web.urls())) - web.size(0)
