"""A domain's credit: only handed on, never made up; who has used it up stands behind."""

from dataclasses import replace

import pytest

from shoal.counters import Counts
from shoal.frontier.schedule.credit import (
    PASSED_ON,
    SEED_CREDIT,
    Credit,
    CreditRow,
    behind_in_words,
    domain_of,
    read_credit,
    standing_of,
    standings,
)
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.document import Document, Fate
from shoal.model.urls.rowkey import site_of_key
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import Answer, Play, PlaySettings, link

NO_WAIT = Politeness(delay=0, delay_factor=0, address_share=0)
FAST = FrontierSettings(seed=1, capacity=1, politeness=NO_WAIT)
A, B, C = (f"http://{name}.test" for name in "abc")


def site(host: str) -> bytes:
    return b"test," + host.encode() + b")80:http"


@pytest.fixture
def credit(table: RocksTable) -> Credit:
    counts = Counts()
    counts.add("total/sites", 2)
    return Credit(table, counts, 1000, 8)


@pytest.mark.parametrize(
    ("key", "domain"),
    [
        (b"org,example,www)443:https", b"example.org"),
        (b"uk,co,example,a,b)80:http", b"example.co.uk"),
        (b"127.0.0.1)8080:http", b"127.0.0.1"),
        (b"[::1])80:http", b"[::1]"),
        (b"file:", b"file:"),
    ],
)
def test_whose_credit_it_is(key: bytes, domain: bytes) -> None:
    assert domain_of(key) == domain


@pytest.mark.parametrize(
    ("row", "standing"),
    [
        (CreditRow(), 6),
        (CreditRow(credit=1), 0),
        (CreditRow(credit=10, spent=9), 0),
        (CreditRow(credit=10, spent=10), 1),
        (CreditRow(credit=10, spent=39), 2),
        (CreditRow(credit=10, spent=200), 3),
        (CreditRow(credit=1e-9), 6),
    ],
)
def test_how_far_behind_a_domain_is(row: CreditRow, standing: int) -> None:
    assert standing_of(row) == standing
    assert bool(behind_in_words(row)) == (standing > 0)


@pytest.mark.parametrize("levels", [2, 8, 36, 64, 255])
def test_every_rank_is_one_byte(levels: int) -> None:
    assert 1 <= standings(levels) <= 7
    assert standings(levels) * levels <= 255


def test_a_farm_has_no_more_than_it_was_handed(credit: Credit) -> None:
    credit.grant(site("honest"), SEED_CREDIT)
    credit.grant(site("honest"), SEED_CREDIT)  # a person may say it twice
    assert credit.row(b"honest.test").credit == SEED_CREDIT
    credit.hand_on(site("honest"), {site("farm0"), site("friend")})
    handed = credit.row(b"farm0.test").credit
    assert handed == credit.row(b"friend.test").credit
    for turn in range(2000):
        named = {site(f"farm{(turn * 7 + i) % 500}") for i in range(10)}
        credit.hand_on(site(f"farm{turn % 500}"), named)
    rows = [credit.row(b"farm%d.test" % i) for i in range(500)]
    assert handed < sum(row.credit for row in rows) <= handed / (1 - PASSED_ON)
    assert sum(row.purse for row in rows) <= handed * PASSED_ON
    assert credit.row(b"honest.test").credit == SEED_CREDIT


def test_naming_oneself_or_from_an_empty_purse_hands_nothing_on(credit: Credit) -> None:
    assert not credit.hand_on(site("poor"), {site("friend")})
    credit.grant(site("rich"), 10)
    assert not credit.hand_on(site("rich"), {b"test,rich,sub)80:http", site("rich")})
    assert not credit.hand_on(site("rich"), set())
    assert credit.row(b"rich.test").purse == 10 * PASSED_ON


def test_it_is_stored_and_the_cache_is_bounded(table: RocksTable) -> None:
    small = Credit(table, Counts(), 10, 8)
    for i in range(50):
        small.grant(site(f"h{i}"), 5)
        small.charge(site(f"h{i}"), own_text=i % 2 == 0)
        batch = table.batch()
        small.flush(batch)
        table.write(batch)
    assert len(small._rows) <= 10
    assert read_credit(table, b"h0.test") == CreditRow(5, 5 * PASSED_ON, 0.5, seeded=True)
    assert small.row(b"h1.test").spent == 1


def test_who_has_used_it_up_waits_behind_who_has_not(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, PlaySettings(replace(FAST, credit=3)))
    play.seed(*(f"{A}/{i}" for i in range(9)), *(f"{B}/{i}" for i in range(2)))
    order = [url[7] for url in play.crawl()]
    # The slot is judged when a response ends, before its page is committed: one more.
    assert order == ["a"] * 4 + ["b"] * 2 + ["a"] * 5
    assert play.problems() == []


def test_a_page_with_a_text_of_its_own_costs_half(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, PlaySettings(replace(FAST, credit=3)))
    play.seed(f"{A}/1", f"{A}/2", f"{B}/1")
    new, known = Document(text_digest="x"), Document(text_digest="x", fate=Fate.DUPLICATE)
    play.crawl(lambda visit: Answer(documents=[new if visit.url.endswith("1") else known]))
    assert play.frontier.sites.credit.row(b"a.test").spent == 1.5
    assert play.frontier.sites.credit.row(b"b.test").spent == 0.5


def test_credit_that_comes_later_brings_an_idle_site_forward(
    table: RocksTable, clock: FakeClock
) -> None:
    play = Play(table, clock, PlaySettings(FAST))
    play.seed(f"{A}/")
    play.add(f"{B}/", f"{C}/")  # named by nobody who has credit
    lease = play.next_page()
    assert lease is not None
    assert lease.visit.url == f"{A}/"
    play.end(lease, Answer(links=[link(f"{C}/2")]))
    order = play.crawl()
    assert order.index(f"{C}/2") < order.index(f"{B}/")
    assert play.problems() == []


def test_a_better_site_takes_the_slot_of_a_worse_one(table: RocksTable, clock: FakeClock) -> None:
    """Also when that one has not been asked yet, and holds the only slot."""
    play = Play(table, clock, PlaySettings(FAST))
    play.add(f"{B}/1", f"{B}/2")
    lease = play.lease()  # its robots.txt: the slot is b's
    assert lease is not None
    play.seed(f"{A}/")
    play.end(lease, Answer(404))
    assert play.crawl() == [f"{A}/", f"{B}/1", f"{B}/2"]
    assert play.problems() == []


def test_the_standing_survives_a_restart(table: RocksTable, clock: FakeClock) -> None:
    play = Play(table, clock, PlaySettings(replace(FAST, credit=2)))
    play.seed(*(f"{A}/{i}" for i in range(6)), f"{B}/")
    play.crawl(most=4)
    play.frontier.close()
    play.open()
    assert play.frontier.sites.credit.standing(site_of_key(site("a") + b"/")) > 0
    assert play.problems() == []
