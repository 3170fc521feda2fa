"""A site's robots.txt: first, once a day, and nothing else while it is on its way."""

import pytest

from shoal.frontier.schedule.lease import SiteLease
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.rows import Robots
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.cell import to_ms
from shoal.model.document import Understood
from shoal.model.messages import Errand, RobotsAnswer
from shoal.model.outcome import Outcome
from shoal.model.robots.robots import ALLOW_ALL
from shoal.model.robots.site_signals import Reservation
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.verdict import Verdict
from shoal.model.visit import Fetched, VisitKind
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import (
    NO_CONNECTION,
    NO_ROBOTS,
    OK,
    Answer,
    Play,
    PlaySettings,
    redirect,
    rules,
)
from tests.frontier.remote_tablets import Away

A, B = "http://a.test", "http://b.test"
ROBOTS_A, ROBOTS_B = f"{A}/robots.txt", f"{B}/robots.txt"
DELAY, DAY = 3.0, 86_400.0
NOTHING_ALLOWED = Answer(200, robots=rules("User-agent: *\nDisallow: /"))
ALL_ALLOWED = Answer(200, robots=rules(""))


def asked(play: Play) -> list[str]:
    return [event.url for event in play.log if event.asked]


def robots_of(play: Play, url: str) -> Robots:
    return play.frontier.sites.row(play.site(url)).robots


# --- when it is asked ---------------------------------------------------------------------------


def test_it_is_asked_first_and_then_the_pages(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    lease = play.expect(ROBOTS_A)
    assert lease.visit.kind is VisitKind.ROBOTS
    assert lease.refusal(lease.visit) == ""
    play.end(lease, ALL_ALLOWED)
    assert play.crawl() == [f"{A}/1", f"{A}/2"]
    assert asked(play) == [ROBOTS_A, f"{A}/1", f"{A}/2"]
    assert play.frontier.counts["total/robots requests"] == 1
    assert play.frontier.counts["total/requests"] == 2


def test_each_site_has_its_own(play: Play) -> None:
    play.add(f"{A}/", "https://a.test/", "http://a.test:8080/", "http://a+b.test/", "ftp://a.test/")
    play.crawl()
    robots = sorted(event.url for event in play.log if event.kind is VisitKind.ROBOTS)
    assert robots == [
        "http://a+b.test/robots.txt",
        "http://a.test/robots.txt",
        "http://a.test:8080/robots.txt",
        "https://a.test/robots.txt",
    ]


def test_it_is_asked_once_in_24_hours(play: Play) -> None:
    play.add(f"{A}/1")
    play.crawl()
    for hours in (5, 5, 5, 5):
        play.clock.advance(hours * 3600)
        play.add(f"{A}/{play.clock.now()}")
        play.crawl()
    assert asked(play).count(ROBOTS_A) == 1
    play.clock.advance(4 * 3600)
    play.add(f"{A}/last")
    play.crawl()
    assert asked(play)[-2:] == [ROBOTS_A, f"{A}/last"]


@pytest.mark.parametrize("clean", [True, False])
def test_also_over_a_restart(play: Play, clean: bool) -> None:
    play.robots = lambda _: Answer(200, robots=rules("User-agent: *\nDisallow: /no"))
    play.add(f"{A}/1")
    play.crawl()
    if clean:
        play.frontier.close()
    play.open()
    play.add(f"{A}/2", f"{A}/no")
    play.crawl()
    assert asked(play) == [ROBOTS_A, f"{A}/1", f"{A}/2"]
    assert play.state(f"{A}/no") == "excluded/robots"


def test_nothing_else_is_asked_while_it_is_on_its_way_or_being_understood(play: Play) -> None:
    play.add(f"{A}/1", f"{A}/2")
    lease = play.expect(ROBOTS_A)
    assert play.lease() is None
    fetched = play.release(lease, ALL_ALLOWED)
    play.clock.advance(60)
    assert play.lease() is None, "the rules are not known yet"
    assert not play.frontier.done()
    play.finish(lease.visit, fetched, ALL_ALLOWED)
    play.expect(f"{A}/1")


def test_its_site_keeps_its_slot_meanwhile_however_many_wait(
    table: RocksTable, clock: FakeClock
) -> None:
    """Else it would be woken again without its rules, and ask for them a second time."""
    settings = FrontierSettings(capacity=2, quantum=1, politeness=Politeness(address_share=0))
    play = Play(table, clock, PlaySettings(settings))
    play.add(f"{A}/1", f"{B}/1", "http://c.test/1", "http://d.test/1")
    lease = play.expect(ROBOTS_A)
    fetched = play.release(lease, ALL_ALLOWED)
    for _ in range(40):
        other = play.lease()
        if other is None:
            clock.advance(1)
        else:
            assert other.next_url().site != lease.next_url().site
            play.end(other, NO_ROBOTS if other.visit.kind is VisitKind.ROBOTS else OK)
    play.finish(lease.visit, fetched, ALL_ALLOWED)
    assert play.crawl() == [f"{A}/1"]
    assert asked(play).count(ROBOTS_A) == 1


def test_a_robots_txt_that_was_cancelled_is_asked_again(play: Play) -> None:
    play.add(f"{A}/1")
    lease = play.expect(ROBOTS_A)
    play.release(lease, Answer(0, outcome=Outcome.CANCELLED, address=""))
    play.frontier.give_back(lease.visit)
    play.clock.advance(DELAY)
    play.end(play.expect(ROBOTS_A), NO_ROBOTS)
    assert play.crawl() == [f"{A}/1"]


def test_it_is_not_asked_of_a_site_without_work(play: Play) -> None:
    play.add(f"{A}/1")
    play.crawl()
    play.clock.advance(2 * DAY)
    play.submit(f"{A}/1")
    play.end(play.expect(ROBOTS_A), NO_ROBOTS)
    assert play.crawl() == [f"{A}/1"]
    play.clock.advance(2 * DAY)
    assert play.lease() is None


def test_a_page_that_happens_to_be_robots_txt_is_a_page_too(play: Play) -> None:
    play.add(ROBOTS_A)
    play.robots = lambda _: NOTHING_ALLOWED
    assert play.crawl() == [ROBOTS_A]
    assert [event.kind for event in play.log] == [VisitKind.ROBOTS, VisitKind.PAGE]
    assert play.state(ROBOTS_A).startswith("fetched/")


# --- what it says -------------------------------------------------------------------------------


def test_what_it_forbids_is_excluded_without_a_request_or_a_delay(play: Play) -> None:
    play.robots = lambda _: Answer(200, robots=rules("User-agent: *\nDisallow: /no"))
    play.add(*(f"{A}/no/{n}" for n in range(50)), f"{A}/yes")
    start = play.clock.now()
    play.crawl()
    assert asked(play) == [ROBOTS_A, f"{A}/yes"]
    assert play.clock.now() - start < DELAY + 0.1
    row = play.row(f"{A}/no/7")
    assert row is not None
    assert row.reason == "robots: Disallow: /no (line 2 of robots.txt)"
    assert row.visits == 0
    assert play.frontier.counts["excluded/robots"] == 50
    assert play.frontier.counts["total/requests"] == 1


def test_that_holds_at_a_shared_address_too(table: RocksTable, clock: FakeClock) -> None:
    """The address's clock is taken at the lease, and given back when nothing was asked."""
    settings = FrontierSettings(seed=1, politeness=Politeness(address_share=2))
    play = Play(table, clock, PlaySettings(settings))
    play.robots = lambda _: Answer(200, robots=rules("User-agent: *\nDisallow: /no"))
    play.add(*(f"{A}/no/{n}" for n in range(50)), f"{A}/yes")
    start = clock.now()
    play.crawl()
    assert clock.now() - start < 2 * DELAY


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_4xx_allows_everything(play: Play, status: int) -> None:
    """RFC 9309, 2.3.1.3."""
    play.robots = lambda _: Answer(status)
    play.add(f"{A}/1")
    assert play.crawl() == [f"{A}/1"]
    assert robots_of(play, A) is Robots.NONE


@pytest.mark.parametrize(
    "failure",
    [
        Answer(500),
        Answer(503, headers=[("retry-after", "2")]),
        Answer(429),
        NO_CONNECTION,
        Answer(0, outcome=Outcome.DNS, address=""),
        Answer(0, outcome=Outcome.TIMEOUT, address=""),
        Answer(200, outcome=Outcome.BROKEN),  # half a file would be other rules
    ],
)
def test_unreachable_forbids_everything_and_is_asked_again_after_a_back_off(
    play: Play, failure: Answer
) -> None:
    """RFC 9309, 2.3.1.4."""
    play.add(f"{A}/1")
    answers = [failure, failure, ALL_ALLOWED]
    play.robots = lambda _: answers.pop(0)
    assert play.crawl() == [f"{A}/1"]
    assert asked(play) == [ROBOTS_A] * 3 + [f"{A}/1"]
    first, second, third, page = [event.began for event in play.log]
    assert second - first >= 9.9 or failure.headers
    assert third - second >= 19.9
    assert page - third >= DELAY
    assert robots_of(play, A) is Robots.RULES


def test_while_it_is_unreachable_the_old_rules_are_not_used(play: Play) -> None:
    play.robots = lambda _: ALL_ALLOWED
    play.add(f"{A}/1")
    play.crawl()
    play.clock.advance(DAY)
    play.add(f"{A}/2")
    play.end(play.expect(ROBOTS_A), Answer(500))
    play.clock.advance(15)
    play.expect(ROBOTS_A)


def test_a_long_wait_for_robots_txt_gives_the_slot_away(play: Play) -> None:
    play.add(f"{A}/1")
    play.end(play.expect(ROBOTS_A), Answer(503, headers=[("retry-after", "3600")]))
    assert play.frontier.report().active_sites == 0
    assert play.problems() == []
    assert play.frontier.done()


def test_one_that_nobody_can_read_is_not_asked_every_few_seconds(play: Play) -> None:
    """Its answer was fine, so the host's own back-off does not slow us down."""
    play.add(f"{A}/1")
    for _ in range(4):
        while (lease := play.lease()) is None:
            play.wait()
        fetched = play.release(lease, OK)
        batch = play.table.batch()
        play.frontier.finish(batch, lease.visit, fetched, Understood(), Verdict())
        play.table.write(batch)
    began = [event.began for event in play.log]
    assert asked(play) == [ROBOTS_A] * 4
    assert began[1] - began[0] >= 10
    assert began[3] - began[2] >= 40


def test_a_private_address_is_found_out_page_by_page(play: Play) -> None:
    """The guard refuses robots.txt and every page alike; nothing is asked, and it ends."""
    private = Answer(0, outcome=Outcome.PRIVATE, address="")
    play.robots = lambda _: private
    play.add(f"{A}/1", f"{A}/2")
    assert play.crawl(lambda _: private, most=10) == [f"{A}/1", f"{A}/2"]
    assert len(play.log) == 3
    assert asked(play) == []
    assert play.frontier.counts["excluded/private address"] == 2


# --- redirects ----------------------------------------------------------------------------------


def test_a_redirect_on_the_same_host_waits_for_its_delay(play: Play) -> None:
    play.add(f"{A}/1")
    play.end(play.expect(ROBOTS_A), redirect(f"{A}/moved.txt"))
    assert play.lease() is None
    play.clock.advance(DELAY)
    lease = play.expect(f"{A}/moved.txt")
    assert lease.visit.kind is VisitKind.ROBOTS
    play.end(lease, NOTHING_ALLOWED)
    play.crawl()
    assert play.state(f"{A}/1") == "excluded/robots"
    assert asked(play) == [ROBOTS_A, f"{A}/moved.txt"]


def test_a_redirect_to_another_host_is_an_errand_at_its_pace(play: Play) -> None:
    play.add(f"{A}/1", f"{B}/1")
    first = play.expect(ROBOTS_A)
    play.end(play.expect(ROBOTS_B), ALL_ALLOWED)
    play.clock.advance(1)
    play.end(first, redirect(f"{B}/for-a.txt"))
    assert play.lease() is None, "host b has been asked a second ago"
    play.clock.advance(2)
    lease = play.expect(f"{B}/for-a.txt")
    assert lease.next_url().site == play.site(B)
    play.clock.advance(60)
    assert play.lease() is None, "neither its own page nor one of a, while the rules are unknown"
    play.end(lease, NOTHING_ALLOWED)
    play.crawl()
    assert play.state(f"{A}/1") == "excluded/robots"
    assert play.state(f"{B}/1").startswith("fetched/"), "b's own rules are its own"


def test_an_errand_at_a_host_nobody_else_wants_asks_nothing_more_of_it(play: Play) -> None:
    play.add(f"{A}/1")
    play.end(play.expect(ROBOTS_A), redirect(f"{B}/elsewhere.txt"))
    play.end(play.expect(f"{B}/elsewhere.txt"), ALL_ALLOWED)
    assert play.crawl() == [f"{A}/1"]
    play.clock.advance(60)
    assert play.lease() is None
    assert asked(play) == [ROBOTS_A, f"{B}/elsewhere.txt", f"{A}/1"]
    assert play.frontier.report().active_sites == 0


def test_http_redirected_to_https_is_asked_once_for_both(play: Play) -> None:
    secure = "https://a.test"
    play.add(f"{A}/1", f"{secure}/1")
    play.robots = lambda v: (
        ALL_ALLOWED if v.url.startswith("https") else redirect(f"{secure}/robots.txt")
    )
    assert sorted(play.crawl()) == [f"{A}/1", f"{secure}/1"]
    assert asked(play).count(f"{secure}/robots.txt") == 1
    assert robots_of(play, A) is robots_of(play, secure) is Robots.RULES


def test_if_https_was_read_before_nothing_is_asked_for_it(play: Play) -> None:
    secure = "https://a.test"
    play.robots = lambda v: (
        NOTHING_ALLOWED if v.url.startswith("https") else redirect(f"{secure}/robots.txt")
    )
    play.add(f"{secure}/1")
    play.crawl()
    play.add(f"{A}/1")
    play.crawl()
    assert asked(play) == [f"{secure}/robots.txt", ROBOTS_A]
    assert play.state(f"{A}/1") == "excluded/robots"


@pytest.mark.parametrize("hops", [5, 6])
def test_five_redirects_are_followed_and_a_sixth_makes_it_absent(play: Play, hops: int) -> None:
    """RFC 9309, 2.3.1.2."""
    play.add(f"{A}/1")
    hosts = [f"http://r{n}.test/{n}" for n in range(1, hops + 1)]

    def answer(visit: object) -> Answer:
        step = len([e for e in play.log if e.kind is VisitKind.ROBOTS])
        return redirect(hosts[step]) if step < hops else NOTHING_ALLOWED

    play.robots = answer
    play.crawl()
    assert asked(play)[:6] == [ROBOTS_A, *hosts[:5]]
    allowed = hops > 5
    assert play.state(f"{A}/1").startswith("fetched/" if allowed else "excluded/robots")
    assert len(asked(play)) == (7 if allowed else 6)


def test_a_redirect_in_a_circle_ends(play: Play) -> None:
    play.add(f"{A}/1")
    play.robots = lambda _: redirect(ROBOTS_A)
    assert play.crawl() == [f"{A}/1"]
    assert asked(play) == [ROBOTS_A] * 6 + [f"{A}/1"]


def test_a_redirect_that_leads_nowhere_makes_it_absent(play: Play) -> None:
    play.add(f"{A}/1")
    play.robots = lambda _: Answer(301, outcome=Outcome.BAD_REDIRECT)
    assert play.crawl() == [f"{A}/1"]


@pytest.mark.parametrize(
    "failure", [Answer(500), NO_CONNECTION, Answer(0, outcome=Outcome.PRIVATE, address="")]
)
def test_an_errand_that_fails_forbids_everything_for_a_while(play: Play, failure: Answer) -> None:
    play.add(f"{A}/1")
    answers = {ROBOTS_A: redirect(ROBOTS_B), ROBOTS_B: failure}
    play.robots = lambda v: answers[v.url]
    start = play.clock.now()
    while play.clock.now() - start < 300 and not play.frontier.done():
        lease = play.lease()
        if lease is None:
            play.wait()
        else:
            assert lease.visit.kind is VisitKind.ROBOTS
            play.end(lease, play.robots(lease.visit))
    assert 2 < asked(play).count(ROBOTS_A) < 8
    answers[ROBOTS_B] = ALL_ALLOWED
    play.clock.advance(3600)
    assert play.crawl() == [f"{A}/1"]


def test_an_errand_at_a_paused_host_is_not_run(play: Play) -> None:
    play.add(f"{A}/1", f"{B}/1")
    first = play.expect(ROBOTS_A)
    play.frontier.commands.pause(play.host(B), paused=True)
    play.end(first, redirect(ROBOTS_B))
    assert play.lease() is None
    assert robots_of(play, A) is Robots.UNREACHABLE
    play.frontier.commands.pause(play.host(B), paused=False)
    play.robots = lambda v: redirect(ROBOTS_B) if v.url == ROBOTS_A else ALL_ALLOWED
    assert sorted(play.crawl()) == [f"{A}/1", f"{B}/1"]
    assert play.problems() == []


def test_a_host_that_is_paused_with_an_errand_in_hand_drops_it(play: Play) -> None:
    play.add(f"{A}/1", f"{B}/1")
    first = play.expect(ROBOTS_A)
    busy = play.expect(ROBOTS_B)
    play.end(first, redirect(f"{B}/for-a.txt"))
    play.frontier.commands.pause(play.host(B), paused=True)
    play.end(busy, ALL_ALLOWED)
    play.clock.advance(DELAY)
    lease = play.expect(f"{B}/for-a.txt")
    assert lease.refusal(lease.visit).startswith("paused")
    play.end(lease, ALL_ALLOWED)
    assert f"{B}/for-a.txt" not in asked(play)
    assert robots_of(play, A) is Robots.UNREACHABLE
    assert play.lease() is None


def test_a_redirect_to_a_site_of_another_tablet_is_an_errand_there(
    table: RocksTable, clock: FakeClock
) -> None:
    away = Away(b"test,b")
    play = Play(table, clock, PlaySettings(seams=Seams(remote=away)))
    play.add(f"{A}/1")
    play.end(play.expect(ROBOTS_A), redirect(ROBOTS_B))
    (errand,) = [item for item in away.sent if isinstance(item, Errand)]
    assert (errand.url, errand.asker) == (ROBOTS_B, site_of_key(row_key(f"{A}/1")))
    clock.advance(DELAY)
    assert play.lease() is None, "nothing is asked for before the answer has come"
    assert not play.frontier.done()
    until = to_ms(clock.now() + 3600)
    answer = RobotsAnswer(errand.asker, ALLOW_ALL, allows_all=True, until_ms=until)
    frontier = play.frontier
    frontier.change(lambda batch, now: frontier.inbound.take(batch, answer, now))
    play.end(play.expect(f"{A}/1"))
    assert play.problems() == []
    assert play.frontier.done()


def test_a_robots_txt_that_no_other_tablet_brings_is_asked_for_again(
    table: RocksTable, clock: FakeClock
) -> None:
    """The tablet that was to fetch it has lost its memory since."""
    play = Play(table, clock, PlaySettings(seams=Seams(remote=Away(b"test,b"))))
    play.add(f"{A}/1")
    play.end(play.expect(ROBOTS_A), redirect(ROBOTS_B))
    clock.advance(DELAY)
    assert play.lease() is None
    clock.advance(60)
    play.end(play.expect(ROBOTS_A), ALL_ALLOWED)
    clock.advance(DELAY)
    play.end(play.expect(f"{A}/1"))
    assert play.frontier.done()
    assert play.problems() == []


def test_many_sites_that_redirect_to_one_do_not_take_all_slots(play: Play) -> None:
    """A park of names behind one host: each asker keeps its slot while its errand is run."""
    park = [f"http://p{n}.test" for n in range(60)]
    play.add(*(f"{site}/" for site in park))
    play.robots = lambda v: redirect(f"{B}/park.txt") if "//p" in v.url else ALL_ALLOWED
    for _ in park:
        lease = play.lease()
        assert lease is not None
        if lease.visit.url == f"{B}/park.txt":
            continue
        play.end(lease, play.robots(lease.visit))
    waiting = [s for s in play.frontier.sites.active.values() if s.asking_robots]
    assert len(waiting) <= 10
    assert play.problems() == []


def test_after_a_kill_an_errand_is_found_again(play: Play) -> None:
    play.add(f"{A}/1")
    play.end(play.expect(ROBOTS_A), redirect(f"{B}/x.txt"))
    play.open()
    assert play.problems() == []
    play.robots = lambda v: redirect(f"{B}/x.txt") if v.url == ROBOTS_A else ALL_ALLOWED
    assert play.crawl() == [f"{A}/1"]


def test_an_understanding_that_fails_on_robots_txt_is_given_back(play: Play) -> None:
    """The reader died with it: released, then given back, as core.py does."""
    play.add(f"{A}/1")
    lease = play.expect(ROBOTS_A)
    play.release(lease, OK)
    play.frontier.give_back(lease.visit)
    assert not play.frontier.done()
    play.clock.advance(DELAY)
    play.expect(ROBOTS_A)


# --- tdmrep.json ----------------------------------------------------------------------------------

TDMREP_A = f"{A}/.well-known/tdmrep.json"
RESERVED = Reservation("/", True, "https://a.test/terms")


def wanting_tdmrep(table: RocksTable, clock: FakeClock) -> Play:
    politeness = Politeness(address_share=0)
    frontier = FrontierSettings(seed=1, politeness=politeness, tdmrep=True)
    return Play(table, clock, PlaySettings(frontier))


def later(play: Play, url: str) -> SiteLease:
    """Behind every delay and back-off this is the next to be asked for."""
    play.clock.advance(60)
    return play.expect(url)


def answer_tdmrep(play: Play, answer: Answer, *reservations: Reservation) -> None:
    lease = later(play, TDMREP_A)
    assert lease.visit.kind is VisitKind.TDMREP
    fetched = play.release(lease, answer)
    understood = Understood(reservations=list(reservations))
    batch = play.table.batch()
    play.frontier.finish(batch, lease.visit, fetched, understood, Verdict([]))
    play.table.write(batch)


def reservations_of(play: Play) -> list[Reservation]:
    robots = play.frontier.sites.robots_of(play.site(A))
    return [] if robots is None else robots.reservations


def test_tdmrep_is_asked_for_behind_robots_once_a_day(table: RocksTable, clock: FakeClock) -> None:
    play = wanting_tdmrep(table, clock)
    play.add(f"{A}/1")
    play.end(later(play, ROBOTS_A), ALL_ALLOWED)
    answer_tdmrep(play, OK, RESERVED)
    play.end(later(play, f"{A}/1"))
    assert reservations_of(play) == [RESERVED]
    play.open()
    play.add(f"{A}/2")
    play.end(later(play, f"{A}/2"))
    play.clock.advance(DAY)
    play.add(f"{A}/3")
    play.end(later(play, ROBOTS_A), ALL_ALLOWED)
    assert reservations_of(play) == [RESERVED]
    answer_tdmrep(play, Answer(503))
    assert reservations_of(play) == [RESERVED]
    play.end(later(play, f"{A}/3"))
    play.clock.advance(DAY)
    play.add(f"{A}/4")
    play.end(later(play, ROBOTS_A), ALL_ALLOWED)
    answer_tdmrep(play, Answer(404))
    assert reservations_of(play) == []
    assert play.frontier.counts["total/requests"] == 3


def test_a_tdmrep_that_was_not_asked_for_is_asked_for_again(
    table: RocksTable, clock: FakeClock
) -> None:
    play = wanting_tdmrep(table, clock)
    play.add(f"{A}/1")
    play.end(later(play, ROBOTS_A), NOTHING_ALLOWED)
    lease = later(play, TDMREP_A)
    assert "Disallow: /" in lease.refusal(lease.visit)
    play.frontier.give_back(lease.visit)
    play.frontier.release(lease, Fetched(Outcome.REFUSED))
    answer_tdmrep(play, OK, RESERVED)
    later(play, f"{A}/1")
