"""How many connections and hosts does a rate need, and why does a crawl not reach it?

By Little's law what is under way is rate × time: a request takes `latency`, and a host is out of
reach for `delay` after it. A planner is asked with round numbers before a crawl; the same
arithmetic, fed with what a running crawl sees, gives the one sentence on why it is idle. Pure:
nothing is measured here.
"""

import math

from shoal.errors import UsageError
from shoal.model.record import Struct


class Plan(Struct, frozen=True):
    pages_per_second: float
    connections: int
    """Requests under way at once."""
    hosts: int
    """Hosts with work at any time."""


def plan(
    bandwidth_bytes_per_second: float,
    page_bytes: float,
    latency_seconds: float,
    delay_seconds: float,
) -> Plan:
    """What it takes to fill a line: 10 MB/s, 10 KB, 500 ms and 10 s need 500 connections and
    10,000 hosts (a KB is 1,000 bytes). Beside the delay the time of the fetch is left out, as in
    the textbook; for a running crawl it is counted."""
    _check("the bandwidth", bandwidth_bytes_per_second, above=0)
    _check("the page size", page_bytes, above=0)
    _check("the latency", latency_seconds)
    _check("the delay", delay_seconds)
    rate = bandwidth_bytes_per_second / page_bytes
    _check("the rate", rate)
    return Plan(rate, _whole(rate * latency_seconds), hosts_needed(rate, delay_seconds))


def hosts_needed(pages_per_second: float, delay_seconds: float, fetch_seconds: float = 0.0) -> int:
    """Hosts that must have work so that one is always ready: rate × (delay + fetch time)."""
    return _whole(pages_per_second * (delay_seconds + fetch_seconds))


def rate_of(hosts: int, delay_seconds: float, fetch_seconds: float = 0.0) -> float:
    """The inverse: pages per second that so many hosts allow; without any delay, no limit."""
    turn_seconds = delay_seconds + fetch_seconds
    if turn_seconds <= 0:
        return math.inf if hosts else 0.0
    return hosts / turn_seconds


def _whole(amount: float) -> int:
    """At least one, rounded up; but not for the last bit of a product of fractions."""
    return max(1, math.ceil(round(amount, 6)))


def _check(name: str, value: float, above: float | None = None) -> None:
    too_small = value < 0 if above is None else value <= above
    if too_small or not math.isfinite(value):
        least = "0 or more" if above is None else f"more than {above:g}"
        raise UsageError(f"{name} must be {least}, not {value:g}")


class Running(Struct, frozen=True):
    """What a running crawl knows of itself, over its last moments."""

    wanted_rate: float
    rate: float
    """Pages per second that it makes."""
    delay_seconds: float
    fetch_seconds: float
    """Mean, of its fetches."""
    workers: int
    in_flight: int
    reading: int
    """Pages that were fetched and wait for a reader, or are being read."""
    hosts_with_work: int
    active_hosts: int | None = None
    """Of these, how many are held ready in memory; None: not known."""
    next_ready_seconds: float | None = None
    """Until a host's wait is over; 0: one is ready; None: none waits."""
    waiting_host: str = ""
    """The host that will be ready next, and why it waits: `x.org: busy, Retry-After`."""


def why_idle(running: Running) -> str:
    """The one thing that keeps a crawl from its wanted rate; empty when nothing does."""
    if running.rate >= running.wanted_rate:
        return ""
    if running.in_flight + running.reading >= running.workers:
        return _no_worker_free(running)
    if not running.hosts_with_work:
        return _no_work(running)
    wait = running.next_ready_seconds
    if wait is not None and wait > running.delay_seconds and not running.in_flight:
        return _long_wait(running, wait)
    return _too_few_hosts(running)


def _no_worker_free(running: Running) -> str:
    if running.reading > running.in_flight:
        pages = _count(running.reading, "page waits", "pages wait")
        return f"the readers are busy: {pages} for them"
    needed = _whole(running.wanted_rate * running.fetch_seconds)
    if needed <= running.workers:
        return ""
    busy = _count(running.workers, "worker is busy", "workers are busy")
    rate, seconds = _rate(running.wanted_rate), f"{running.fetch_seconds:.3g}"
    return f"{busy}, {needed:,} are needed for {rate} when a fetch takes {seconds} s"


def _no_work(running: Running) -> str:
    under_way = running.in_flight + running.reading
    if not under_way:
        return "no host has work: nothing is left to fetch"
    return f"no host has work beside the {_count(under_way, 'page', 'pages')} under way"


def _long_wait(running: Running, wait_seconds: float) -> str:
    hosts = _count(running.hosts_with_work, "host waits", "hosts wait")
    example = f" ({running.waiting_host})" if running.waiting_host else ""
    return f"nothing is ready for another {_duration(wait_seconds)}: {hosts}{example}"


def _too_few_hosts(running: Running) -> str:
    needed = hosts_needed(running.wanted_rate, running.delay_seconds, running.fetch_seconds)
    goal = f"{needed:,} are needed for {_rate(running.wanted_rate)} at this delay"
    if running.hosts_with_work == 1 < needed:
        turn_seconds = running.delay_seconds + running.fetch_seconds
        return f"1 host has work, and is asked once in {turn_seconds:.3g} s at most"
    if running.hosts_with_work < needed:
        return f"{_count(running.hosts_with_work, 'host has work', 'hosts have work')}, {goal}"
    if running.active_hosts is not None and running.active_hosts < needed:
        return f"{_count(running.active_hosts, 'host is active', 'hosts are active')}, {goal}"
    return ""


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _rate(pages_per_second: float) -> str:
    rounded = float(f"{pages_per_second:.3g}")
    return f"{rounded:,.0f} pages/s" if rounded >= 100 else f"{rounded:g} pages/s"


def _duration(seconds: float) -> str:
    for unit, name in ((3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{math.ceil(seconds)} s"
