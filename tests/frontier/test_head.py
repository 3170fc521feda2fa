"""HEAD is asked first where a site ignores conditions and HEAD is honest; both are learned from
what the site does, and unlearned."""

from dataclasses import replace

import pytest

from shoal.fetch.head import told_by_head
from shoal.frontier.state.settings import DEAF_AFTER, MOST_LIES
from shoal.model.document import Document
from shoal.model.outcome import Outcome, of_status
from shoal.model.visit import Fetched, Visit
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import Answer, Play
from tests.frontier.revisits import DAY, FAST, crawling

A = "ftp://a.test"
ETAG = ("etag", '"1"')
SAME = Answer(200, headers=[ETAG], documents=[Document(body_digest="sha1:A")])
OTHER = Answer(200, headers=[("etag", '"2"')], documents=[Document(body_digest="sha1:B")])
HEAD_SAME = Answer(200, outcome=Outcome.UNCHANGED, documents=[], body=b"")
HEAD_CHANGED = Answer(200, outcome=Outcome.CHANGED, documents=[], body=b"")


def head_error(status: int) -> Answer:
    return Answer(status, outcome=Outcome.CHANGED, documents=[], body=b"")


@pytest.fixture
def play(table: RocksTable, clock: FakeClock) -> Play:
    """A steady crawl that may ask by HEAD, with pages that were fetched once."""
    play = Play(table, clock, crawling(every=DAY, frontier=replace(FAST, head=True)))
    play.add(*(f"{A}/{n}" for n in range(6)))
    play.crawl(lambda _: SAME, most=6)
    return play


def answered(play: Play, visits: int, whole: Answer = SAME, head: Answer = HEAD_SAME) -> list[bool]:
    """Whether each of the next visits asked by HEAD."""
    asked = []
    for _ in range(visits):
        lease = play.next_page()
        assert lease is not None
        asked.append(lease.visit.head)
        play.end(lease, head if lease.visit.head else whole)
    assert play.problems() == []
    return asked


def test_a_site_that_heeds_conditions_is_never_asked_by_head(play: Play) -> None:
    unchanged = Answer(304, headers=[ETAG])
    assert not any(answered(play, 30, whole=unchanged))


def test_one_that_does_not_is_asked_by_head_from_then_on(play: Play) -> None:
    assert answered(play, DEAF_AFTER) == [False] * DEAF_AFTER
    assert all(answered(play, 6 - DEAF_AFTER))
    assert sum(answered(play, 60)) > 45, "all but the tests, one in eight"


def test_one_that_begins_to_heed_them_is_asked_the_usual_way(play: Play) -> None:
    answered(play, 6)
    asked = answered(play, 60, whole=Answer(304, headers=[ETAG]))
    assert not any(asked[-12:])


def test_a_page_that_changed_by_head_is_asked_for_whole_at_once(play: Play) -> None:
    answered(play, DEAF_AFTER)
    lease = play.next_page()
    assert lease is not None
    assert lease.visit.head
    play.end(lease, HEAD_CHANGED)
    row = play.row(lease.visit.url)
    assert row is not None
    assert row.ask_whole
    assert row.waiting
    whole = play.next_page()
    assert whole is not None
    assert (whole.visit.url, whole.visit.head) == (lease.visit.url, False)
    play.end(whole, OTHER)
    row = play.row(lease.visit.url)
    assert row is not None
    assert (row.ask_whole, row.digest, row.etag) == (False, "sha1:B", '"2"')
    assert play.frontier.sites.row(play.site(A)).head_lies == 0
    assert play.problems() == []


def test_also_after_a_kill_in_between(play: Play) -> None:
    answered(play, DEAF_AFTER)
    lease = play.next_page()
    assert lease is not None
    play.end(lease, HEAD_CHANGED)
    play.open()
    whole = play.next_page()
    assert whole is not None
    assert (whole.visit.url, whole.visit.head) == (lease.visit.url, False)


def test_who_cries_wolf_is_not_asked_any_more(play: Play) -> None:
    """HEAD says that the page changed, and the whole of it is as before."""
    answered(play, DEAF_AFTER)
    asked = answered(play, 2 * MOST_LIES, head=HEAD_CHANGED)
    assert asked == [True, False] * MOST_LIES
    assert not any(answered(play, 30))


@pytest.mark.parametrize("status", [405, 501, 403, 500])
def test_who_has_no_head_is_not_asked_any_more(play: Play, status: int) -> None:
    answered(play, DEAF_AFTER)
    answered(play, 2, head=head_error(status))
    assert not any(answered(play, 30))


@pytest.mark.parametrize("status", [404, 410, 301])
def test_a_page_that_is_gone_does_not_discredit_head(play: Play, status: int) -> None:
    """It is gone by GET as well."""
    answered(play, DEAF_AFTER)
    lease = play.next_page()
    assert lease is not None
    assert lease.visit.head
    play.end(lease, head_error(status))
    whole = play.next_page()
    assert whole is not None
    assert (whole.visit.url, whole.visit.head) == (lease.visit.url, False)
    play.end(whole, Answer(status))
    assert any(answered(play, 4))
    assert play.problems() == []


def test_nothing_is_learned_from_a_body_that_is_another_pages(play: Play) -> None:
    """All pages of a site say that it is closed: they have changed, and conditions were heeded."""
    closed = Answer(200, headers=[ETAG], documents=[Document(body_digest="sha1:C")])
    for _ in range(6):
        lease = play.next_page()
        assert lease is not None
        lease.visit.seen_digest, lease.visit.seen_url = "sha1:C", f"{A}/other"
        play.end(lease, closed)
    assert play.frontier.sites.row(play.site(A)).deaf == 0


def test_a_setting_turns_it_off(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, crawling(every=DAY))
    play.add(f"{A}/1")
    assert not any(answered(play, 20))


# --- what an answer means -------------------------------------------------------------------------


def told(status: int, etag: str = '"1"', modified: str = "then") -> Outcome:
    visit = Visit("http://a/", b"", b"", etag='"1"', last_modified="then", head=True)
    headers = [("etag", etag), ("last-modified", modified)]
    fetched = Fetched(of_status(status), status, headers=[each for each in headers if each[1]])
    return told_by_head(visit, fetched).outcome


def test_the_same_validators_are_the_same_page() -> None:
    assert told(200) is Outcome.UNCHANGED
    assert told(304, "", "") is Outcome.UNCHANGED


@pytest.mark.parametrize(("etag", "modified"), [('"2"', "then"), ('"1"', "later"), ("", "")])
def test_others_are_another(etag: str, modified: str) -> None:
    assert told(200, etag, modified) is Outcome.CHANGED


@pytest.mark.parametrize("status", [204, 301, 302, 400, 401, 403, 404, 405, 410, 500, 501])
def test_any_other_answer_says_nothing(status: int) -> None:
    assert told(status) is Outcome.CHANGED


@pytest.mark.parametrize("status", [429, 503])
def test_but_that_the_server_is_busy(status: int) -> None:
    assert told(status) is Outcome.BUSY


def test_no_answer_is_no_answer() -> None:
    visit = Visit("http://a/", b"", b"", etag='"1"', head=True)
    for outcome in (Outcome.TIMEOUT, Outcome.CONNECT, Outcome.CANCELLED):
        assert told_by_head(visit, Fetched(outcome)).outcome is outcome
