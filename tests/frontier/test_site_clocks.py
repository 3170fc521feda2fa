"""When is a host asked again? Clocks through answers, failures, restarts and kills."""

from dataclasses import replace
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest

from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.schedule.shares import LENT, LOAN_SECONDS, Borrower
from shoal.frontier.state.rows import host_row_key
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.outcome import Outcome
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import LOCAL, NO_CONNECTION, OK, Answer, Play, PlaySettings, rules

A = "ftp://a.test"
SHARED = Answer(address="127.0.0.9:21")
"""An answer of a server that carries many hosts."""
DELAY = 3.0


def play_with(table: RocksTable, clock: FakeClock, **politeness: float) -> Play:
    polite = replace(Politeness(address_share=0), **politeness)
    return Play(table, clock, PlaySettings(FrontierSettings(seed=1, politeness=polite)))


def wait_of(play: Play, answer: Answer, url: str = f"{A}/next") -> float:
    """Seconds from the end of this answer, to the next request of the play, to that host."""
    lease = play.next_page()
    assert lease is not None
    play.end(lease, answer)
    ended = play.clock.now()
    play.add(url)
    lease = play.next_page()
    assert lease is not None
    began = play.clock.now()
    play.end(lease)
    return round(began - ended, 2)


# --- the delay ----------------------------------------------------------------------------------


def test_the_delay_counts_from_the_end_of_the_response(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"), Answer(seconds=0.5))
    play.clock.advance(DELAY - 0.001)
    assert play.lease() is None
    play.clock.advance(0.002)
    play.expect(f"{A}/2")


def test_not_a_fraction_of_a_millisecond_too_soon(table: RocksTable) -> None:
    """Stored times are whole milliseconds; the second site of a host reads them from the table."""
    play = play_with(table, FakeClock(1_700_000_000.0004))
    play.add("http://a.test/1")
    play.end(play.expect("http://a.test/robots.txt"), Answer(404))
    play.add("https://a.test/1")
    assert play.lease() is None  # the second site is active from now on
    play.clock.advance(DELAY - 0.0002)
    assert play.lease() is None
    play.clock.advance(0.001)
    assert play.lease() is not None


def test_a_page_that_is_long_understood_does_not_idle_its_site(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    lease = play.expect(f"{A}/1")
    fetched = play.release(lease, OK)
    play.clock.advance(DELAY)
    other = play.expect(f"{A}/2")
    play.end(other)
    play.clock.advance(30)
    play.finish(lease.visit, fetched, OK)
    assert play.problems() == []


def test_the_delay_grows_with_the_time_a_fetch_takes(play: Play) -> None:
    play.add(f"{A}/")
    assert wait_of(play, Answer(seconds=2)) == 10


def test_the_sites_own_crawl_delay_is_granted(play: Play) -> None:
    play.robots = lambda _: Answer(200, robots=rules("User-agent: *\nCrawl-delay: 17"))
    play.add("http://a.test/")
    assert wait_of(play, OK, "http://a.test/next") == 17


def test_up_to_a_cap(play: Play) -> None:
    play.robots = lambda _: Answer(200, robots=rules("User-agent: *\nCrawl-delay: 17000"))
    play.add("http://a.test/")
    assert wait_of(play, OK, "http://a.test/next") == 120


def test_at_a_public_address_never_under_a_second(table: RocksTable, clock: FakeClock) -> None:
    play = play_with(table, clock, delay=0.1, delay_factor=0)
    play.add(f"{A}/1")
    assert wait_of(play, Answer(address="93.184.216.34:21")) == 1
    play.add(f"{A}/2")
    assert wait_of(play, Answer(address=LOCAL), f"{A}/3") == 0.1


def test_files_on_disk_need_no_delay(play: Play) -> None:
    play.add(*(f"file:///{n}" for n in range(5)))
    before = play.clock.now()
    assert len(play.crawl(lambda _: Answer(address=""))) == 5
    assert play.clock.now() - before < 0.01


def test_http_and_https_of_one_host_share_a_clock(play: Play) -> None:
    play.add("http://a.test/", "https://a.test/")
    first = play.lease()
    assert first is not None
    assert play.lease() is None, "the host is being asked"
    play.end(first, Answer(404))
    play.clock.advance(DELAY - 0.01)
    assert play.lease() is None
    play.clock.advance(0.02)
    assert play.lease() is not None
    assert play.lease() is None


@pytest.mark.parametrize("other", ["http://a.test:8080/", "ftp://a.test/", "http://b.test/"])
def test_another_port_is_another_host(play: Play, other: str) -> None:
    play.add("http://a.test/", other)
    assert play.lease() is not None
    assert play.lease() is not None


def test_a_clock_that_is_not_written_yet_counts_for_the_hosts_other_site(
    table: RocksTable, clock: FakeClock
) -> None:
    polite = Politeness(address_share=0)
    play = Play(table, clock, PlaySettings(FrontierSettings(capacity=1, politeness=polite)))
    play.add("http://a.test/1")
    play.end(play.expect("http://a.test/robots.txt"), Answer(404))
    play.add("https://a.test/1")
    play.clock.advance(DELAY)
    lease = play.expect("http://a.test/1")
    # It has nothing else to do and gives its slot away, though its visit is not committed.
    play.release(lease, Answer(503, headers=[("retry-after", "100")]))
    play.clock.advance(99)
    assert play.lease() is None
    play.clock.advance(1)
    play.expect("https://a.test/robots.txt")


def test_a_host_whose_name_can_not_be_reversed_has_one_clock_too(play: Play) -> None:
    play.add("http://a+b.test/", "https://a+b.test/")
    lease = play.lease()
    assert lease is not None
    assert lease.visit.url.endswith("://a+b.test/robots.txt")
    assert play.lease() is None


def test_hosts_at_one_address_are_a_gap_apart(table: RocksTable, clock: FakeClock) -> None:
    play = play_with(table, clock, delay=10, delay_factor=0, address_share=5)
    hosts = [f"ftp://h{n}.test" for n in range(4)]
    play.add(*(f"{host}/1" for host in hosts))
    for _ in hosts:  # their addresses become known
        lease = play.lease()
        assert lease is not None
        play.end(lease, SHARED)
    play.add(*(f"{host}/2" for host in hosts), "ftp://alone.test/1")
    start = clock.now()
    play.crawl(lambda _: SHARED)
    began = sorted(e.began - start for e in play.log if e.url.endswith("/2"))
    assert began[0] >= 10
    gaps = [after - before for before, after in pairwise(began)]
    assert all(2 <= gap < 2.1 for gap in gaps), gaps


def test_the_gap_is_kept_while_answers_are_on_their_way(
    table: RocksTable, clock: FakeClock
) -> None:
    play = play_with(table, clock, delay=10, delay_factor=0, address_share=5)
    play.add("ftp://a.test/1", "ftp://b.test/1")
    for _ in range(2):
        lease = play.lease()
        assert lease is not None
        play.end(lease, SHARED)
    play.add("ftp://a.test/2", "ftp://b.test/2")
    clock.advance(10)
    assert play.lease() is not None
    assert play.lease() is None
    clock.advance(2.001)
    assert play.lease() is not None


def test_http_and_https_of_one_host_are_two_addresses(table: RocksTable, clock: FakeClock) -> None:
    """The clock that counts is that of the port to be asked, not of the one that answered last."""
    play = play_with(table, clock, delay=10, delay_factor=0, address_share=2)
    play.add("http://a.test/1", "https://b.test/1")
    a, b = play.expect("http://a.test/robots.txt"), play.expect("https://b.test/robots.txt")
    play.end(a, Answer(404, address="127.0.0.9:80"))
    clock.advance(3)
    play.end(b, Answer(404, address="127.0.0.9:443"))
    clock.advance(7.01)
    a = play.expect("http://a.test/1")
    play.end(a, Answer(address="127.0.0.9:80"))
    clock.advance(3)
    play.expect("https://b.test/1")


def test_who_has_a_part_of_an_address_waits_until_it_is_lent_more(
    table: RocksTable, clock: FakeClock
) -> None:
    polite = Politeness(delay=3, delay_factor=0, address_share=30)
    borrower = Borrower(64, polite.address_gap(), epoch=1, clock=clock.now)
    frontier = FrontierSettings(seed=1, politeness=polite)
    play = Play(table, clock, PlaySettings(frontier, Seams(borrower=borrower)))
    play.add(*(f"{A}/{number}" for number in range(4)))
    clock.advance(borrower.longest_gap)
    play.end(play.expect(f"{A}/0"), SHARED)
    clock.advance(3.1)
    assert play.lease() is None, "its own part of the address is one request in 12.8 s"
    (wanted,) = borrower.due().values()
    assert [address for address, _ in wanted.addresses] == [SHARED.address]
    play.frontier.lent(borrower.take(wanted, [LENT], clock.now()))
    clock.advance(0.21)
    play.end(play.expect(f"{A}/1"), SHARED)
    clock.advance(2.9)
    assert play.lease() is None, "the host's own delay counts as before"
    clock.advance(0.2)
    play.end(play.expect(f"{A}/2"), SHARED)
    clock.advance(LOAN_SECONDS)
    play.end(play.expect(f"{A}/3"), SHARED)
    play.add(f"{A}/4")
    clock.advance(3.1)
    assert play.lease() is None, "what was lent has ended"
    clock.advance(9.8)
    play.expect(f"{A}/4")


# --- failures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_honoured(play: Play, status: int, as_date: bool) -> None:
    play.add(f"{A}/")
    when = formatdate(play.clock.now() + 90, usegmt=True) if as_date else "90"
    assert wait_of(play, Answer(status, headers=[("retry-after", when)])) == 90


def test_retry_after_can_not_silence_a_host_for_good(table: RocksTable, clock: FakeClock) -> None:
    play = play_with(table, clock, retry_after_cap=400)
    play.add(f"{A}/")
    assert wait_of(play, Answer(429, headers=[("retry-after", "99999999")])) == 400


def test_nor_shorten_its_delay(play: Play) -> None:
    play.add(f"{A}/")
    assert wait_of(play, Answer(429, headers=[("retry-after", "0")])) == DELAY


def test_a_good_answer_forgives_all_failures(play: Play) -> None:
    play.add(*(f"{A}/{n}" for n in range(5)))
    for answer in (Answer(500), Answer(500), Answer(500), OK):
        lease = play.next_page()
        assert lease is not None
        play.end(lease, answer)
    assert 10 <= wait_of(play, Answer(500)) <= 12.5


def test_failures_in_a_row_double_it(play: Play) -> None:
    play.add(*(f"{A}/{n}" for n in range(9)))
    ended, waits = None, []
    for _ in range(6):
        lease = play.next_page()
        assert lease is not None
        if ended is not None:
            waits.append(play.clock.now() - ended)
        play.end(lease, Answer(500))
        ended = play.clock.now()
    for n, wait in enumerate(waits):
        assert 10 * 2**n <= wait <= 1.25 * 10 * 2**n + 0.01


@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.CONNECT, Outcome.DNS, Outcome.TLS])
def test_no_answer_at_all_is_a_failure_too(play: Play, outcome: Outcome) -> None:
    play.add(f"{A}/")
    assert 10 <= wait_of(play, Answer(0, outcome=outcome, address="")) <= 12.5


def test_a_host_that_is_down_is_parked_and_the_others_go_on(play: Play) -> None:
    play.add(*(f"{A}/{n}" for n in range(20)))
    others = [f"ftp://h{n}.test/{m}" for n in range(5) for m in range(40)]
    play.add(*others)
    start = play.clock.now()
    play.crawl(lambda v: NO_CONNECTION if v.url.startswith(A) else OK)
    asked = [e.began - start for e in play.log if e.url.startswith(A)]
    ended = max(e.ended - start for e in play.log if not e.url.startswith(A))
    assert ended < 40 * (DELAY + 0.01), "the others were kept waiting"
    assert len(asked) == 3, "three tries, then it counts as down"
    assert play.frontier.done(), "an hour is beyond the patience"
    play.clock.advance(3600)
    assert not play.frontier.done()
    assert play.lease() is not None


def test_a_url_is_tried_again_later_and_then_given_up(play: Play) -> None:
    play.add(f"{A}/x")
    assert play.crawl(lambda _: Answer(500)) == [f"{A}/x"] * 3
    row = play.row(f"{A}/x")
    assert row is not None
    assert (row.state, row.reason, row.visits) == ("failed", "server error: 500", 3)
    began = [e.began for e in play.log]
    assert began[1] - began[0] >= 10
    assert began[2] - began[1] >= 20
    assert play.problems() == []


def test_an_answer_that_is_no_fault_of_the_site_forgives(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"), Answer(500))
    play.clock.advance(15)
    play.end(play.expect(f"{A}/2"), Answer(404))
    assert play.frontier.sites.active[play.site(A)].gate.row.failures == 0


def test_a_visit_that_was_cut_off_counts_as_asked(play: Play) -> None:
    """An unknown result still counts as a request."""
    play.add(f"{A}/1")
    lease = play.expect(f"{A}/1")
    play.frontier.give_back(lease.visit)
    play.release(lease, Answer(0, outcome=Outcome.CANCELLED, address=""))
    assert play.lease() is None
    play.clock.advance(DELAY)
    play.expect(f"{A}/1")


def test_a_dropped_request_is_a_request_and_neither_a_failure_nor_an_answer(play: Play) -> None:
    """A kept connection was closed: the page is due again, after the host's wait."""
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"), Answer(404))
    play.clock.advance(DELAY)
    lease = play.expect(f"{A}/2")
    row = lease.active.gate.row
    row.failures = 1
    play.frontier.give_back(lease.visit)
    play.release(lease, Answer(0, outcome=Outcome.DROPPED))
    assert (row.failures, row.note) == (1, "")
    assert play.lease() is None
    play.clock.advance(DELAY)
    play.end(play.expect(f"{A}/2"))
    assert play.state(f"{A}/2").startswith("fetched/")
    assert play.problems() == []


# --- ready, not ready, done -----------------------------------------------------------------------


def test_nothing_is_ready_and_finished_are_two_answers(play: Play) -> None:
    assert play.frontier.done()
    play.add(f"{A}/1", f"{A}/2")
    assert not play.frontier.done()
    lease = play.expect(f"{A}/1")
    assert play.lease() is None
    assert not play.frontier.done(), "one is in flight"
    fetched = play.release(lease, OK)
    assert not play.frontier.done(), "it is not committed"
    play.finish(lease.visit, fetched, OK)
    assert play.lease() is None
    assert not play.frontier.done(), "one waits for its delay"
    play.clock.advance(DELAY)
    play.end(play.expect(f"{A}/2"))
    assert play.frontier.done(), "nothing is left, so its delay need not be waited for"


def test_patience_ends_where_only_a_long_wait_is_left(table: RocksTable, clock: FakeClock) -> None:
    settings = FrontierSettings(patience=100, politeness=Politeness(address_share=0))
    play = Play(table, clock, PlaySettings(settings))
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"), Answer(429, headers=[("retry-after", "101")]))
    assert play.lease() is None
    assert play.frontier.done()
    clock.advance(2)
    assert not play.frontier.done()


def test_a_delay_longer_than_the_patience_is_no_reason_to_give_up(
    table: RocksTable, clock: FakeClock
) -> None:
    settings = FrontierSettings(patience=5, politeness=Politeness(delay=50, address_share=0))
    play = Play(table, clock, PlaySettings(settings))
    play.add(f"{A}/1", f"{A}/2")
    assert play.crawl() == [f"{A}/1", f"{A}/2"]


# --- restarts -------------------------------------------------------------------------------------


def reopened(table: RocksTable, path: Path) -> RocksTable:
    """The table as another process finds it."""
    table.close()
    return RocksTable(path)


@pytest.mark.parametrize("clean", [True, False])
def test_the_clocks_survive_a_restart(tmp_path: Path, clock: FakeClock, clean: bool) -> None:
    table = RocksTable(tmp_path / "t")
    play = play_with(table, clock, delay=20)
    urls = [f"ftp://h{n}.test/{m}" for n in range(3) for m in range(2)]
    play.add(*urls)
    for _ in range(3):
        lease = play.lease()
        assert lease is not None
        play.end(lease)
    clock.advance(5)
    if clean:
        play.frontier.close()
    with reopened(table, tmp_path / "t") as table:
        again = play_with(table, clock, delay=20)
        assert again.frontier.recovered == (0 if clean else 3)
        assert again.problems() == []
        # After a kill every active site counts as asked just now.
        clock.advance(14.9 if clean else 19.9)
        assert again.lease() is None
        clock.advance(0.2)
        assert again.lease() is not None


@pytest.mark.parametrize("clean", [True, False])
def test_a_wait_that_was_asked_for_survives(tmp_path: Path, clock: FakeClock, clean: bool) -> None:
    table = RocksTable(tmp_path / "t")
    play = play_with(table, clock)
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"), Answer(503, headers=[("retry-after", "500")]))
    if clean:
        play.frontier.close()
    with reopened(table, tmp_path / "t") as table:
        again = play_with(table, clock)
        clock.advance(499)
        assert again.lease() is None
        clock.advance(1.1)
        assert again.lease() is not None


@pytest.mark.parametrize("clean", [True, False])
def test_the_clock_of_an_address_survives_too(
    tmp_path: Path, clock: FakeClock, clean: bool
) -> None:
    table = RocksTable(tmp_path / "t")
    play = play_with(table, clock, delay=60, delay_factor=0, address_share=6)
    play.add("ftp://a.test/1", "ftp://b.test/1", "ftp://b.test/2")
    first, second = play.expect("ftp://a.test/1"), play.expect("ftp://b.test/1")
    play.end(first, SHARED)
    clock.advance(100)
    play.end(second, SHARED)
    play.lease()  # a is done with, and retired
    play.add("ftp://a.test/2")
    if clean:
        play.frontier.close()
    with reopened(table, tmp_path / "t") as table:
        again = play_with(table, clock, delay=60, delay_factor=0, address_share=6)
        assert again.lease() is None
        clock.advance(9.9)
        assert again.lease() is None
        clock.advance(0.2)
        again.expect("ftp://a.test/2")


def test_what_was_in_flight_at_a_kill_is_due_again(tmp_path: Path, clock: FakeClock) -> None:
    """Also when its site was idle by then: nothing else of it waited."""
    table = RocksTable(tmp_path / "t")
    play = play_with(table, clock)
    play.add(f"{A}/only")
    lease = play.expect(f"{A}/only")
    play.release(lease, Answer(503, headers=[("retry-after", "40")]))  # its site is retired
    assert play.frontier.report().active_sites == 0
    with reopened(table, tmp_path / "t") as table:
        again = play_with(table, clock)
        assert again.problems() == []
        assert again.crawl() == [f"{A}/only"]


def test_a_mark_that_nobody_needs_any_more_does_no_harm(play: Play) -> None:
    """A site without work is retired in the next batch: here a kill comes before it."""
    play.add(f"{A}/1")
    play.end(play.expect(f"{A}/1"))
    play.clock.advance(DELAY)
    assert play.lease() is None
    play.open()
    assert play.frontier.recovered == 1
    assert play.problems() == []
    play.add(f"{A}/2")
    assert play.lease() is None  # it may have been asked just now
    play.clock.advance(DELAY)
    play.end(play.expect(f"{A}/2"))
    play.frontier.close()
    play.open()
    assert play.frontier.recovered == 0


def test_what_is_in_flight_when_it_is_closed_is_due_again_and_counts_as_asked(
    tmp_path: Path, clock: FakeClock
) -> None:
    table = RocksTable(tmp_path / "t")
    play = play_with(table, clock)
    play.add(f"{A}/1")
    lease = play.expect(f"{A}/1")
    clock.advance(20)
    play.frontier.close()
    play.frontier.release(lease, play.fetched(OK, clock.now()))  # too late: nothing happens
    with reopened(table, tmp_path / "t") as table:
        again = play_with(table, clock)
        clock.advance(DELAY - 0.1)
        assert again.lease() is None
        clock.advance(0.2)
        again.expect(f"{A}/1")


@pytest.mark.parametrize("days", [1 / 24, 40])
@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("has_work", [True, False])
def test_a_clock_that_was_set_back_silences_nobody(
    tmp_path: Path, days: float, clean: bool, has_work: bool
) -> None:
    table, clock = RocksTable(tmp_path / "t"), FakeClock()
    play = play_with(table, clock, delay=50)
    play.add(f"{A}/1", *([f"{A}/2"] if has_work else []))
    play.end(play.expect(f"{A}/1"))
    if clean:
        play.frontier.close()
    with reopened(table, tmp_path / "t") as table:
        earlier = FakeClock(clock.now() - days * 86400)
        again = play_with(table, earlier, delay=50)
        again.add(f"{A}/3")
        again.wait()
        assert 49 < earlier.now() - (clock.now() - days * 86400) < 51
        assert again.lease() is not None
        assert again.problems() == []


# --- a kill between an answer and its commit ------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (Answer(429, headers=[("retry-after", "30")]), 30.0),
        (Answer(503, headers=[("retry-after", "30")]), 30.0),
        (Answer(500), 10.0),
        (Answer(seconds=4.0), 20.0),
    ],
    ids=["too many", "busy", "error", "slow"],
)
def test_what_an_answer_asks_for_is_kept_though_its_commit_never_came(
    play: Play, answer: Answer, seconds: float
) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.release(play.expect(f"{A}/1"), answer)
    ended = play.clock.now()
    play.open()  # it was killed while the page was being read
    while (lease := play.lease()) is None:
        play.clock.advance(0.1)
    assert play.clock.now() - ended >= seconds
    play.end(lease)
    assert play.problems() == []


def test_a_crawl_delay_is_kept_though_no_page_was_committed_since(play: Play) -> None:
    host = "http://a.test"
    play.add(f"{host}/1", f"{host}/2")
    asked = Answer(robots=rules("User-agent: *\nCrawl-delay: 20\n"))
    play.end(play.expect(f"{host}/robots.txt"), asked)
    play.clock.advance(30)
    play.release(play.expect(f"{host}/1"), OK)
    ended = play.clock.now()
    play.open()
    while (lease := play.lease()) is None:
        play.clock.advance(0.1)
    assert play.clock.now() - ended >= 20
    play.end(lease)


@pytest.mark.parametrize("how", ["killed", "taken over"])
def test_a_crawl_delay_is_kept_after_a_request_whose_end_nobody_saw(
    table: RocksTable, how: str
) -> None:
    """By whoever comes next: this machine again, or the next owner of the tablet."""
    clock, host = FakeClock(), "http://a.test"
    play = play_with(table, clock)
    play.add(f"{host}/1", f"{host}/2")
    asked = Answer(robots=rules("User-agent: *\nCrawl-delay: 20\n"))
    play.end(play.expect(f"{host}/robots.txt"), asked)
    play.clock.advance(30)
    if how == "killed":
        play.expect(f"{host}/1")
    else:  # what it asked after its last checkpoint is not in the table at all
        polite = Politeness(address_share=0)
        settings = FrontierSettings(seed=1, politeness=polite, requested_by_others=play.clock.now())
        play.settings = replace(play.settings, frontier=settings)
    before = play.clock.now()
    play.open()
    while (lease := play.lease()) is None:
        play.clock.advance(0.1)
    assert play.clock.now() - before >= 20
    play.end(lease)


@pytest.mark.parametrize("how", ["killed", "taken over"])
def test_a_slow_hosts_own_delay_is_kept_after_a_request_whose_end_nobody_saw(
    table: RocksTable, how: str
) -> None:
    """Its answer may have been under way for as long as the last one was, and ends only then."""
    play = play_with(table, FakeClock())
    play.add(f"{A}/1", f"{A}/2", f"{A}/3")
    play.end(play.expect(f"{A}/1"), Answer(seconds=4.0))
    play.clock.advance(30)
    play.expect(f"{A}/2")  # it is asked, and then there is nobody
    if how == "taken over":
        settings = play.settings.frontier
        others = replace(settings, requested_by_others=play.clock.now())
        play.settings = replace(play.settings, frontier=others)
    before = play.clock.now()
    play.open()
    while (lease := play.lease()) is None:
        play.clock.advance(0.1)
    assert 4 + 20 <= play.clock.now() - before <= 4 + 20 + 1
    play.end(lease)
    assert play.problems() == []


def test_an_answer_that_asks_for_nothing_costs_no_batch_of_its_own(play: Play) -> None:
    play.add(f"{A}/1")
    lease = play.expect(f"{A}/1")
    before = play.table.get("site", host_row_key(play.host(A)))
    play.release(lease, OK)
    assert play.table.get("site", host_row_key(play.host(A))) == before


# --- TLS that fails -------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["robots", "page"])
def test_tls_that_fails_slows_its_own_site_and_not_the_other_one_of_its_host(
    play: Play, where: str
) -> None:
    failed = Answer(0, outcome=Outcome.TLS, address="")
    play.add("https://a.test/1", "https://a.test/2")
    lease = play.expect("https://a.test/robots.txt")
    if where == "page":
        play.end(lease, Answer(404))
        page = play.next_page()
        assert page is not None
        lease = page
    play.release(lease, failed)
    ended = play.clock.now()
    play.open()  # it was killed before the commit
    play.add("http://a.test/1", "http://a.test/2")
    asked = []
    for _ in range(3):  # robots.txt and two pages
        while (other := play.lease()) is None:
            play.clock.advance(0.1)
        asked.append(other.visit.url)
        play.end(other, Answer(404))
    assert all(url.startswith("http:") for url in asked)
    assert play.clock.now() - ended < 4 * DELAY
    while (other := play.lease()) is None:
        play.clock.advance(0.1)
    assert other.visit.url.startswith("https:")
    assert play.clock.now() - ended >= 10, "it backs off"
    play.end(other)
    assert play.problems() == []
