"""What a person wants of a frontier: to leave a host alone, be slower with it, try again."""

import pytest

from shoal.frontier.background import bulk_updates as sweeps
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.rows import BULK_UPDATE_MARK
from shoal.frontier.state.settings import FrontierSettings
from shoal.frontier.state.view import FrontierView
from shoal.model.outcome import Outcome
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import NO_CONNECTION, OK, Answer, Play, PlaySettings, link

A, B = "ftp://a.test", "ftp://b.test"
FAST = FrontierSettings(seed=1, politeness=Politeness(delay=0, delay_factor=0, address_share=0))
BY_HAND = "excluded/by hand"


def exclude(play: Play, url: str) -> None:
    play.frontier.commands.exclude(play.host(url), excluded=True)


def include(play: Play, url: str) -> None:
    play.frontier.commands.exclude(play.host(url), excluded=False)


def asked(play: Play) -> list[str]:
    return [event.url for event in play.log if event.asked]


# --- exclude and include --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "site", ["http://a.test", "https://a.test", "http://a.test:8080", "http://a+b.test", A]
)
def test_nothing_more_is_asked_of_an_excluded_host_and_what_waited_is_counted(
    play: Play, site: str
) -> None:
    play.add(f"{site}/1", f"{site}/2", f"{site}/3")
    first = play.next_page()
    assert first is not None
    exclude(play, site)
    play.end(first, Answer(200, [link(f"{site}/4"), link(f"{B}/1")]))
    before = asked(play)
    assert play.crawl() == [f"{B}/1"]
    assert asked(play) == [*before, f"{B}/1"]
    assert [play.state(f"{site}/{n}") for n in (2, 3, 4)] == [BY_HAND] * 3
    assert play.frontier.counts[BY_HAND] == 3
    assert play.frontier.done()
    assert play.problems() == []
    include(play, site)
    assert play.crawl() == [f"{site}/2", f"{site}/3", f"{site}/4"]
    assert play.frontier.counts[BY_HAND] == 0
    assert play.problems() == []


def test_what_the_scope_refused_stays_refused_when_its_host_is_wanted_again(play: Play) -> None:
    exclude(play, A)
    play.frontier.add([link(f"{A}/no", excluded="scope: elsewhere"), link(f"{A}/yes")])
    assert [play.state(f"{A}/no"), play.state(f"{A}/yes")] == ["excluded/scope", BY_HAND]
    play.frontier.rescope(lambda _url: "")
    assert play.state(f"{A}/no") == BY_HAND, "its host is not wanted, whatever the scope says"
    include(play, A)
    assert sorted(play.crawl()) == [f"{A}/no", f"{A}/yes"]


def test_a_link_or_a_wish_for_one_url_does_not_open_an_excluded_host(play: Play) -> None:
    play.add(f"{A}/1", f"{B}/1")
    exclude(play, A)
    play.submit(f"{A}/1")
    play.submit(f"{A}/2")
    assert play.crawl(lambda _: Answer(200, [link(f"{A}/1"), link(f"{A}/2")])) == [f"{B}/1"]
    assert play.frontier.counts[BY_HAND] == 2
    assert play.problems() == []


@pytest.mark.parametrize(
    "answer",
    [
        Answer(0, outcome=Outcome.CANCELLED, address=""),
        Answer(500),
        NO_CONNECTION,
    ],
)
def test_what_was_in_flight_and_would_wait_again_is_excluded_too(
    play: Play, answer: Answer
) -> None:
    play.add(f"{A}/1", f"{A}/2")
    lease = play.expect(f"{A}/1")
    exclude(play, A)
    assert play.lease() is None
    play.end(lease, answer)
    assert play.state(f"{A}/1") == play.state(f"{A}/2") == BY_HAND
    play.frontier.commands.finish()
    assert play.frontier.done()
    assert play.problems() == []


def test_and_what_is_given_back(play: Play) -> None:
    play.add(f"{A}/1")
    lease = play.expect(f"{A}/1")
    exclude(play, A)
    play.frontier.give_back(lease.visit)
    assert play.state(f"{A}/1") == BY_HAND
    assert play.problems() == []


def test_and_what_was_in_flight_at_a_kill(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.expect(f"{A}/1")
    exclude(play, A)
    play.frontier.commands.finish()
    assert play.state(f"{A}/1") == "queued"
    play.open()
    play.frontier.commands.finish()
    assert play.state(f"{A}/1") == BY_HAND
    assert play.problems() == []


def test_a_kill_in_the_middle_costs_nothing(
    table: RocksTable, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "_ROWS_AT_ONCE", 7)
    play = Play(table, clock, PlaySettings(FAST))
    play.add(*(f"{A}/{n}" for n in range(40)))
    exclude(play, A)
    play.frontier.commands.step()
    assert play.frontier.counts[BY_HAND] == 7, "a bounded number at a time"
    assert play.problems() == []
    play.open()
    assert play.lease() is None
    assert play.frontier.counts[BY_HAND] == 14, "it went on where it was"
    include(play, A)  # before the other was through
    play.open()
    assert len(play.crawl()) == 40
    assert list(table.scan("queue", BULK_UPDATE_MARK, b"\x06")) == []
    assert play.problems() == []


def test_said_twice_it_is_the_same(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    for _ in range(2):
        exclude(play, A)
        play.frontier.commands.finish()
        assert play.frontier.counts[BY_HAND] == 2
    for _ in range(2):
        include(play, A)
        play.frontier.commands.finish()
        assert play.frontier.counts["queued"] == 2
    assert play.problems() == []


def test_a_host_that_is_paused_and_excluded_needs_both_words(play: Play) -> None:
    play.add(f"{A}/1")
    exclude(play, A)
    play.frontier.commands.pause(play.host(A), paused=True)
    include(play, A)
    assert play.crawl() == []
    assert play.state(f"{A}/1") == "queued"
    play.frontier.commands.pause(play.host(A), paused=False)
    assert play.crawl() == [f"{A}/1"]


def test_a_view_shows_what_is_excluded(play: Play) -> None:
    play.add(f"{A}/1", f"{B}/1")
    exclude(play, A)
    view = FrontierView(play.table)
    assert {site.site: site.excluded for site in view.sites()} == {
        play.site(A): True,
        play.site(B): False,
    }


# --- slow -----------------------------------------------------------------------------------------


def waits(play: Play) -> float:
    """Seconds from the end of the last answer to the next request."""
    ended = play.log[-1].ended
    while (lease := play.lease()) is None:
        play.wait()
    began = play.clock.now()
    play.end(lease)
    return began - ended


def test_a_host_is_asked_less_often_and_then_as_the_settings_say(play: Play) -> None:
    play.add(*(f"{A}/{n}" for n in range(9)))
    play.end(play.expect(f"{A}/0"))
    assert waits(play) == pytest.approx(3, abs=0.01)
    play.frontier.commands.slow(play.host(A), 20)
    assert waits(play) == pytest.approx(20, abs=0.01), "the wait that has begun is as long too"
    assert waits(play) == pytest.approx(20, abs=0.01)
    play.frontier.close()
    play.open()
    assert waits(play) == pytest.approx(20, abs=0.01), "it is kept"
    play.frontier.commands.slow(play.host(A), 1)
    waits(play)
    assert waits(play) == pytest.approx(3, abs=0.01), "never below the configured delay"
    play.frontier.commands.slow(play.host(A), 100)
    play.frontier.commands.slow(play.host(A), 0)
    waits(play)
    assert waits(play) == pytest.approx(3, abs=0.01)
    assert play.problems() == []


def test_a_long_delay_that_is_taken_back_ends_at_once(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"))
    play.frontier.commands.slow(play.host(A), 4000)
    play.clock.advance(10)
    assert play.lease() is None
    assert play.frontier.done(), "it is beyond the patience of the crawl"
    play.frontier.commands.slow(play.host(A), 0)
    play.expect(f"{A}/2")


def test_a_wait_that_a_host_asked_for_is_not_shortened(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.end(play.expect(f"{A}/1"), Answer(503, headers=[("retry-after", "100")]))
    play.frontier.commands.slow(play.host(A), 10)
    play.frontier.commands.slow(play.host(A), 0)
    play.clock.advance(99)
    assert play.lease() is None


def test_after_a_kill_its_own_delay_is_kept(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    play.frontier.commands.slow(play.host(A), 25)
    play.expect(f"{A}/1")
    play.open()
    play.clock.advance(24)
    assert play.lease() is None
    play.clock.advance(2)
    assert play.lease() is not None


# --- retry ----------------------------------------------------------------------------------------


def fail(play: Play) -> None:
    answers = {"/down": NO_CONNECTION, "/odd": Answer(403), "/gone": Answer(404)}
    urls = [f"{site}{path}" for site in (A, B) for path in answers]
    play.add(*urls)
    while True:
        play.crawl(lambda visit: answers["/" + visit.url.rpartition("/")[2]])
        if not play.frontier.counts["queued"]:
            return
        play.clock.advance(4000)


@pytest.mark.parametrize(
    ("reason", "host", "wanted"),
    [
        ("", None, ["A/down", "A/odd", "B/down", "B/odd"]),
        ("connect", None, ["A/down", "B/down"]),
        ("forbidden", None, ["A/odd", "B/odd"]),
        ("403", None, ["A/odd", "B/odd"]),
        ("404", None, ["A/gone", "B/gone"]),
        ("connect", B, ["B/down"]),
        ("", A, ["A/down", "A/odd"]),
        ("timeout", None, []),
    ],
)
def test_what_failed_for_a_reason_is_queued_again(
    play: Play, reason: str, host: str | None, wanted: list[str]
) -> None:
    fail(play)
    discovered = play.frontier.counts.discovered
    play.clock.advance(8000)  # the back-off of hosts that were down
    play.frontier.commands.retry(reason, None if host is None else play.host(host))
    found = sorted(play.crawl(lambda _: OK))
    assert found == sorted(each.replace("A/", f"{A}/").replace("B/", f"{B}/") for each in wanted)
    assert play.frontier.counts.discovered == discovered
    assert play.problems() == []


def test_politeness_stays(play: Play) -> None:
    fail(play)
    play.frontier.commands.retry("connect")
    assert play.lease() is None, "the host is being left alone"
    assert play.frontier.counts["queued"] == 2


def test_a_retry_goes_on_after_a_kill(
    table: RocksTable, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "_ROWS_AT_ONCE", 7)
    play = Play(table, clock, PlaySettings(FAST))
    play.add(*(f"{A}/{n}" for n in range(30)))
    play.crawl(lambda _: Answer(403))
    play.frontier.commands.retry("403")
    play.frontier.commands.step()
    assert play.frontier.counts["queued"] == 7
    play.open()
    assert len(play.crawl()) == 30
    assert play.frontier.counts["failed/forbidden"] == 0
    site = FrontierView(table).site(play.site(A))
    assert site is not None
    assert site.row.failed == 0
    assert play.problems() == []


def test_an_excluded_host_is_not_tried_again(play: Play) -> None:
    fail(play)
    exclude(play, A)
    play.frontier.commands.retry("forbidden")
    play.frontier.commands.finish()
    assert play.state(f"{A}/odd") == "failed/forbidden"
    assert play.state(f"{B}/odd") == "queued"
