"""W14: the planner's arithmetic, and the one sentence on why a crawl is idle."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import UsageError
from shoal.model.plan import Plan, Running, hosts_needed, plan, rate_of, why_idle

KB, MB = 1_000, 1_000_000


def test_the_example_of_the_mission() -> None:
    assert plan(10 * MB, 10 * KB, 0.5, 10) == Plan(1000.0, 500, 10_000)


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ((1 * MB, 20 * KB, 0.2, 3), Plan(50.0, 10, 150)),
        ((1 * MB, 30 * KB, 0.1, 0), Plan(100 / 3, 4, 1)),
        ((1, 10 * KB, 0.5, 10), Plan(0.0001, 1, 1)),
        ((10 * MB, 10 * KB, 0.7, 1.1), Plan(1000.0, 700, 1100)),  # not 1,101 for a last bit
    ],
)
def test_plans(given_: tuple[float, float, float, float], expected: Plan) -> None:
    assert plan(*given_) == expected


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ((0, 10, 1, 1), "the bandwidth must be more than 0, not 0"),
        ((10, 0, 1, 1), "the page size must be more than 0"),
        ((10, 10, -1, 1), "the latency must be 0 or more, not -1"),
        ((10, 10, 1, math.nan), "the delay must be 0 or more, not nan"),
        ((10, 10, 1, math.inf), "the delay must be 0 or more, not inf"),
        ((1e300, 1e-300, 1, 1), "the rate must be"),
    ],
)
def test_what_cannot_be_planned(given_: tuple[float, float, float, float], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plan(*given_)


def test_the_rate_of_so_many_hosts() -> None:
    assert rate_of(10_000, 10) == 1000
    assert rate_of(120, 29, 1) == 4
    assert rate_of(0, 0) == 0
    assert rate_of(1, 0) == math.inf


@given(st.integers(1, 10**6), st.floats(0.1, 1000), st.floats(0, 100))
def test_hosts_and_rate_are_inverse(hosts: int, delay: float, fetch: float) -> None:
    assert hosts_needed(rate_of(hosts, delay, fetch), delay, fetch) == hosts


def running(
    *,
    wanted: float = 100,
    rate: float = 4,
    delay: float = 30,
    fetch: float = 0,
    workers: int = 64,
    in_flight: int = 0,
    reading: int = 0,
    hosts: int = 120,
    active: int | None = None,
    ready: float | None = 0,
    waiting: str = "",
) -> Running:
    return Running(
        wanted_rate=wanted,
        rate=rate,
        delay_seconds=delay,
        fetch_seconds=fetch,
        workers=workers,
        in_flight=in_flight,
        reading=reading,
        hosts_with_work=hosts,
        active_hosts=active,
        next_ready_seconds=ready,
        waiting_host=waiting,
    )


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (running(), "120 hosts have work, 3,000 are needed for 100 pages/s at this delay"),
        (
            running(hosts=1, delay=2.5, fetch=0.5, ready=2, in_flight=1),
            "1 host has work, and is asked once in 3 s at most",
        ),
        (
            running(hosts=3, ready=41.2, waiting="x.org: busy, Retry-After"),
            "nothing is ready for another 42 s: 3 hosts wait (x.org: busy, Retry-After)",
        ),
        (running(hosts=1, ready=7000), "nothing is ready for another 117 min: 1 host waits"),
        (running(hosts=1, ready=86400), "nothing is ready for another 24 h: 1 host waits"),
        (
            running(hosts=3, ready=41.2, in_flight=1),
            "3 hosts have work, 3,000 are needed for 100 pages/s at this delay",
        ),
        (
            running(workers=4, reading=4, hosts=9000),
            "the readers are busy: 4 pages wait for them",
        ),
        (running(workers=1, reading=1), "the readers are busy: 1 page waits for them"),
        (
            running(workers=64, in_flight=60, reading=4, fetch=2, hosts=9000),
            "64 workers are busy, 200 are needed for 100 pages/s when a fetch takes 2 s",
        ),
        (running(workers=64, in_flight=64, fetch=0.5, hosts=9000), ""),
        (running(hosts=0, ready=None), "no host has work: nothing is left to fetch"),
        (
            running(hosts=0, in_flight=1, reading=1),
            "no host has work beside the 2 pages under way",
        ),
        (
            running(hosts=90_000, active=192),
            "192 hosts are active, 3,000 are needed for 100 pages/s at this delay",
        ),
        (running(hosts=90_000, active=3000), ""),
        (running(hosts=90_000), ""),
        (running(rate=101), ""),
        (
            running(wanted=0.25, rate=0, hosts=2),
            "2 hosts have work, 8 are needed for 0.25 pages/s at this delay",
        ),
        (
            running(wanted=12345, hosts=2, delay=1),
            "2 hosts have work, 12,345 are needed for 12,300 pages/s at this delay",
        ),
    ],
)
def test_why_a_crawl_is_idle(state: Running, sentence: str) -> None:
    assert why_idle(state) == sentence


states = st.builds(
    Running,
    wanted_rate=st.floats(0.001, 10**6),
    rate=st.floats(0, 10**6),
    delay_seconds=st.floats(0, 10**4),
    fetch_seconds=st.floats(0, 10**3),
    workers=st.integers(1, 10**4),
    in_flight=st.integers(0, 10**4),
    reading=st.integers(0, 10**4),
    hosts_with_work=st.integers(0, 10**8),
    active_hosts=st.none() | st.integers(0, 10**6),
    next_ready_seconds=st.none() | st.floats(0, 10**6),
)


@given(states)
def test_there_is_one_sentence_or_none(state: Running) -> None:
    sentence = why_idle(state)
    assert "\n" not in sentence
    assert not sentence.endswith(".")
    if state.rate >= state.wanted_rate:
        assert sentence == ""
