"""Importance first: the paper's pure orders, to the letter, and what a vote changes."""

from math import log, log2
from random import Random
from urllib.parse import urljoin

import pytest

from shoal.counters import Counts
from shoal.engine.limits import count_passed, passed_of
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.frontier.state.view import FrontierView
from shoal.frontier.state.worth import (
    Importance,
    LinkFacts,
    Scale,
    Worth,
    add_vote,
    passed_key,
    sites_of,
    votes_of,
)
from shoal.model.document import Document
from shoal.model.link import Evidence, Rel
from shoal.model.messages import Handed, Linked
from shoal.model.outcome import State
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.urls.rowkey import url_of as url_of_row
from shoal.model.visit import Visit
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import Answer, Play, PlaySettings, link
from tests.frontier.remote_tablets import Away
from tests.hostile.farmweb import FarmWeb

NO_WAIT = Politeness(delay=0, delay_factor=0, address_share=0)
BACK_LINKS = Importance(votes="links")
PAGES = 200


def play_by(
    table: RocksTable, clock: FakeClock, wanted: Importance, seams: Seams | None = None
) -> Play:
    settings = FrontierSettings(seed=1, politeness=NO_WAIT, importance=wanted)
    return Play(table, clock, PlaySettings(settings, seams or Seams()))


def url_of(number: int) -> str:
    return f"ftp://a.test/{number}"


def number_of(url: str) -> int:
    return int(url.rpartition("/")[2])


@pytest.fixture(scope="module")
def web() -> list[list[int]]:
    """The links of each page; some pages are linked to far more often than others."""
    random = Random(7)
    popular = [min(int(random.paretovariate(0.9)), PAGES) - 1 for _ in range(20 * PAGES)]
    web = [sorted({popular.pop() for _ in range(random.randrange(2, 12))}) for _ in range(PAGES)]
    for number in range(1, PAGES):  # all can be reached
        web[random.randrange(number)].append(number)
    return [list(dict.fromkeys(each for each in out if each != n)) for n, out in enumerate(web)]


def answers(web: list[list[int]], visit: Visit) -> Answer:
    return Answer(200, [link(url_of(each)) for each in web[number_of(visit.url)]])


def by_back_links(web: list[list[int]]) -> list[int]:
    """Computed anew for each page: the most links from pages before it, then the newest."""
    order, found = [0], list[int]()
    while True:
        found += [each for each in web[order[-1]] if each not in found and each != 0]
        waiting = [each for each in found if each not in order]
        if not waiting:
            return order
        links = {each: sum(each in web[page] for page in order) for each in waiting}
        order.append(max(waiting, key=lambda each: (links[each], found.index(each))))


def test_popularity_alone_is_the_back_link_order(
    table: RocksTable, clock: FakeClock, web: list[list[int]]
) -> None:
    play = play_by(table, clock, BACK_LINKS)
    play.add(url_of(0))
    order = play.crawl(lambda visit: answers(web, visit))
    assert [number_of(url) for url in order] == by_back_links(web)
    assert play.problems() == []


def test_the_same_after_a_kill_in_the_middle(
    table: RocksTable, clock: FakeClock, web: list[list[int]]
) -> None:
    """Votes and values stand in the table: with every cache lost the order goes on as it was."""
    play = play_by(table, clock, BACK_LINKS)
    play.add(url_of(0))
    order = list[str]()
    for _ in range(20):
        order += play.crawl(lambda visit: answers(web, visit), most=PAGES // 20)
        assert play.problems() == []
        play.open()
        clock.advance(60)
    assert [number_of(url) for url in order] == by_back_links(web)


def test_location_alone_is_the_order_of_locations(table: RocksTable, clock: FakeClock) -> None:
    play = play_by(table, clock, Importance(popularity=0, location=1))
    random = Random(3)
    worth = {number: random.randrange(1000) / 1000 for number in range(1, PAGES)}
    play.add(url_of(0), priority=0.999)
    pages = [link(url_of(each), priority=worth[each]) for each in worth]
    order = play.crawl(lambda visit: Answer(200, pages if number_of(visit.url) == 0 else []))
    expected = sorted(worth, key=lambda each: -worth[each])  # among equals the oldest first
    assert [number_of(url) for url in order] == [0, *expected]


def test_similarity_alone_is_the_order_of_similarities(
    table: RocksTable, clock: FakeClock, web: list[list[int]]
) -> None:
    """The best that any link says of each word, weighed by how rare the word is: here all alike."""
    play = play_by(table, clock, Importance(content=1, popularity=0, words=("reef", "tide")))
    random = Random(5)
    said = {
        (page, target): bytes([random.randrange(256), random.randrange(256)])
        for page, out in enumerate(web)
        for target in out
    }

    def answer(visit: Visit) -> Answer:
        page = number_of(visit.url)
        links = [link(url_of(each), evidence=Evidence(said[page, each])) for each in web[page]]
        return Answer(200, links)

    play.add(url_of(0))
    order = [number_of(url) for url in play.crawl(answer)]
    for place, page in enumerate(order[1:], start=1):
        before = order[:place]
        best = {
            each: [max(part) for part in zip(*heard, strict=True)]
            for each in range(1, PAGES)
            if each not in before
            if (heard := [said[one, each] for one in before if (one, each) in said])
        }
        assert sum(best[page]) == max(map(sum, best.values()))
    assert len(order) == PAGES


def page_ranks(web: list[list[int]], order: list[int]) -> dict[int, float]:
    """PageRank of all known pages, by the links of those that were fetched."""
    known = list(dict.fromkeys([*order, *(each for page in order for each in web[page])]))
    ranks = dict.fromkeys(known, 1 / len(known))
    for _ in range(60):
        given = dict.fromkeys(known, 0.15 / len(known))
        for page in known:
            targets = (web[page] if page in order else []) or known
            for each in targets:
                given[each] += 0.85 * ranks[page] / len(targets)
        ranks = given
    return ranks


def test_rank_alone_is_the_order_of_pagerank_so_far(
    table: RocksTable, clock: FakeClock, web: list[list[int]]
) -> None:
    """Ranked again after every tenth page, in between what was ranked stays in order."""
    ranks: dict[bytes, float] = {}
    facts = LinkFacts(rank_of=lambda row: ranks.get(row, 0.0))
    play = play_by(table, clock, Importance(votes="rank"), Seams(links=facts))
    play.add(url_of(0))
    order = [number_of(url) for url in play.crawl(lambda visit: answers(web, visit), most=1)]
    while len(order) < PAGES:
        so_far = page_ranks(web, order)
        ranks = {row_key(url_of(each)): rank for each, rank in so_far.items()}
        waiting = [each for each in so_far if each not in order]
        for each in waiting:
            play.frontier.raise_url(row_key(url_of(each)), 0.0)
        some = play.crawl(lambda visit: answers(web, visit), most=10)
        best = sorted((so_far[each] for each in waiting), reverse=True)[: len(some)]
        came = [so_far.get(number_of(url), 0.0) for url in some[: len(best)]]
        assert came == pytest.approx(best, abs=1e-6)  # an entry tells values as finely
        order += map(number_of, some)
    assert play.problems() == []


def value_of(play: Play, url: str) -> float:
    row = play.row(url)
    assert row is not None
    return row.priority


def test_a_vote_counts_once_and_only_if_everyone_may_read_it(
    table: RocksTable, clock: FakeClock
) -> None:
    told: set[tuple[bytes, bytes]] = set()
    facts = LinkFacts(is_told=lambda target, source: (target, source) in told)
    play = play_by(table, clock, BACK_LINKS, Seams(links=facts))
    play.add("ftp://a.test/wanted", "ftp://a.test/1", "ftp://a.test/2", priority=0.0)
    to = [link("ftp://a.test/wanted")]
    before = value_of(play, "ftp://a.test/wanted")
    secret = Answer(200, to, documents=[Document(readers=["somebody"])])
    lease = play.expect("ftp://a.test/2")
    play.end(lease, secret)
    assert value_of(play, "ftp://a.test/wanted") == before
    batch, now = table.batch(), clock.now()
    source, row = row_key("ftp://a.test/1"), row_key("ftp://a.test/wanted")
    for again in (False, True, True):  # read for the first time, and again
        play.frontier.urls.begin()
        play.frontier.discovery.offer(batch, to, Provenance(2, 0, source, told=again), now)
        told.add((row, source))
        assert value_of(play, "ftp://a.test/wanted") == pytest.approx(1 / 3)
        table.write(batch)
        batch = table.batch()
    for rel in (Rel.NOFOLLOW, Rel.SPONSORED):
        unsaid = [link("ftp://a.test/wanted", rel=int(rel))]
        play.frontier.discovery.offer(batch, unsaid, Provenance(2, 0, source), now)
    assert value_of(play, "ftp://a.test/wanted") == pytest.approx(1 / 3)


def test_a_page_of_many_links_says_less_of_each(table: RocksTable, clock: FakeClock) -> None:
    play = play_by(table, clock, Importance())
    few, many = Evidence(among=4), Evidence(among=100)
    links = [link("ftp://a.test/few", evidence=few), link("ftp://a.test/many", evidence=many)]
    play.add("ftp://a.test/")
    play.end(play.expect("ftp://a.test/"), Answer(200, links))
    assert value_of(play, "ftp://a.test/few") == pytest.approx(0.5 / 2.5)
    assert value_of(play, "ftp://a.test/many") == pytest.approx(0.1 / 2.1)


def test_links_of_other_sites_say_more_than_as_many_of_one() -> None:
    one, several = Worth(), Worth()
    for number in range(8):
        add_vote(one, b"test,a)80:http", 1.0)
        add_vote(several, b"test,h%d)80:http" % number, 1.0)
    assert (votes_of(one), votes_of(several)) == (4.0, 8.0)
    assert (sites_of(one), sites_of(several)) == (1, 8)
    for number in range(10_000):
        add_vote(several, b"test,f%d)80:http" % number, 1.0)
    assert len(several.votes) == 32 * 8  # bounded
    assert votes_of(several) == pytest.approx(32 + 1 + log2(10_000 - 24))


def test_rare_words_weigh_more() -> None:
    counts = Counts()
    wanted = Importance(content=1, popularity=0, words=("reef", "wrasse"))
    scale = Scale(wanted, counts, lambda _row: 0.0)
    assert scale.value(b"", Worth(about=b"\xff\0")) == scale.value(b"", Worth(about=b"\0\xff"))
    for number in range(100):
        scale.note_read(bytes([200, 200 if number < 5 else 0]))
    frequent, rare = log(1 + 101 / 101), log(1 + 101 / 6)
    assert scale.value(b"", Worth(about=b"\xff\0")) == pytest.approx(frequent / (frequent + rare))
    again = Scale(wanted, Counts(counts.as_dict()), lambda _row: 0.0)  # after a restart
    assert again.value(b"", Worth(about=b"\0\xff")) == pytest.approx(rare / (frequent + rare))


def test_a_rule_has_the_last_word(table: RocksTable, clock: FakeClock) -> None:
    play = play_by(table, clock, Importance(location=1.0))
    ruled = link("ftp://a.test/ruled", priority=0.2, evidence=Evidence(among=1, ruled=True))
    play.add("ftp://a.test/")
    play.end(play.expect("ftp://a.test/"), Answer(200, [ruled]))
    assert value_of(play, "ftp://a.test/ruled") == pytest.approx(0.2)


def test_an_idle_site_comes_sooner_when_its_page_is_named(
    table: RocksTable, clock: FakeClock
) -> None:
    wanted = FrontierSettings(
        seed=1, politeness=NO_WAIT, importance=BACK_LINKS, capacity=1, levels=64
    )
    play = Play(table, clock, PlaySettings(wanted))
    play.add("ftp://idle.test/x", "ftp://named.test/", priority=0.0)
    lease = play.next_page()
    assert lease is not None
    other = "ftp://idle.test/x" if "named" in lease.visit.url else "ftp://named.test/"
    before = play.frontier.sites.row(play.site(other)).entry_level
    play.end(lease, Answer(200, [link(other)]))
    assert 0 <= play.frontier.sites.row(play.site(other)).entry_level < before
    assert play.problems() == []


def test_a_crawl_may_go_on_in_another_order(
    table: RocksTable, clock: FakeClock, web: list[list[int]]
) -> None:
    """What waits is valued by the links that are stored, and forgets its value again."""
    play = Play(table, clock, PlaySettings(FrontierSettings(seed=1, politeness=NO_WAIT)))
    play.add(url_of(0))
    order = play.crawl(lambda visit: answers(web, visit), most=50)
    linking = {
        row_key(url_of(each)): [row_key(url) for url in order if each in web[number_of(url)]]
        for each in range(PAGES)
    }
    play.frontier.close()
    facts = LinkFacts(linking_to=lambda row, most: linking[row][:most])
    play = play_by(table, clock, BACK_LINKS, Seams(links=facts))
    play.frontier.rescope(lambda _url: "")
    assert play.problems() == []
    best = max(len(linking[row]) for row in linking if url_of_row(row) not in order)
    found = play.crawl(lambda visit: answers(web, visit), most=1)
    assert len(linking[row_key(found[0])]) == best
    play.frontier.close()
    play = Play(table, clock, PlaySettings(FrontierSettings(seed=1, politeness=NO_WAIT)))
    play.frontier.rescope(lambda _url: "")
    assert all(url.worth is None for url in waiting(play))
    assert len(play.crawl(lambda visit: answers(web, visit))) == PAGES - 51
    assert play.problems() == []


def waiting(play: Play) -> list[UrlRow]:
    rows = FrontierView(play.table).urls(b"\x01", None)
    return [url for _, url in rows if url.state is State.QUEUED]


def test_a_vote_from_another_tablet_counts_at_its_owner(
    table: RocksTable, clock: FakeClock
) -> None:
    play = play_by(table, clock, Importance(), Seams(remote=Away(b"test,b")))
    play.add("ftp://a.test/wanted", priority=0.0)
    named = link("ftp://a.test/wanted", evidence=Evidence(among=4))
    items = [
        Linked([named], 2, 0, row_key("ftp://b.test/1"), 1),
        Linked([named], 2, 0, row_key("ftp://b.test/2"), 1, readers=["ann"]),
    ]
    for item in items:
        batch = table.batch()
        play.frontier.inbound.take_linked(batch, item, clock.now())
        table.write(batch)
    row = play.row("ftp://a.test/wanted")
    assert row is not None
    assert row.worth is not None
    assert votes_of(row.worth) == pytest.approx(0.5)
    assert row.priority == pytest.approx(0.5 / 2.5)


def test_credit_for_another_tablet_leaves_with_the_page(
    table: RocksTable, clock: FakeClock
) -> None:
    away = Away(b"test,b")
    play = play_by(table, clock, Importance(), Seams(remote=away))
    play.seed("ftp://a.test/")
    links = [link("ftp://b.test/1"), link("ftp://b.test/2"), link("ftp://a.test/1")]
    play.end(play.expect("ftp://a.test/"), Answer(200, links))
    before = play.frontier.sites.credit.row(b"a.test").purse
    [owed] = [item for item in away.sent if isinstance(item, Handed)]
    assert owed.site == site_of_key(row_key("ftp://b.test/"))
    assert owed.pages == pytest.approx(200 * 0.85 * 0.02 * 2 / 3)
    assert before == pytest.approx(200 * 0.85 - owed.pages)


def test_a_site_that_gains_credit_while_it_waits_moves_up(
    table: RocksTable, clock: FakeClock
) -> None:
    """It stands last when it is found, and is left alone while a better one is due soon; then that
    one names it, and has much to give."""
    polite = Politeness(delay=10, delay_factor=0, address_share=0)
    settings = FrontierSettings(seed=1, importance=Importance(), politeness=polite)
    play = Play(table, clock, PlaySettings(settings))
    play.seed("ftp://rich.test/1", "ftp://rich.test/2", "ftp://rich.test/3")
    play.end(play.expect("ftp://rich.test/1"))
    play.add("ftp://poor.test/1")
    assert play.lease() is None
    poor = play.frontier.sites.active[play.site("ftp://poor.test/")]
    last = poor.standing
    clock.advance(10)
    names = [link(f"ftp://poor.test/{number}") for number in range(9)]
    play.end(play.expect("ftp://rich.test/2"), Answer(200, names))
    lease = play.lease()
    assert lease is not None
    assert lease.visit.url.startswith("ftp://poor.test/")
    assert poor.standing < last
    play.end(lease)
    assert play.problems() == []


def test_seeds_come_in_their_order(table: RocksTable, clock: FakeClock) -> None:
    play = play_by(table, clock, Importance())
    seeds = [f"ftp://a.test/{number}" for number in range(5)]
    play.seed(*seeds)
    assert play.crawl(lambda _: Answer(200, [link("ftp://a.test/x")]))[:5] == seeds


@pytest.mark.parametrize("limit", [4_000, pytest.param(None, marks=pytest.mark.slow)])
def test_a_farm_of_ten_thousand_hosts_gets_next_to_nothing(
    table: RocksTable, clock: FakeClock, limit: int | None
) -> None:
    """Fifty honest sites, eight of which link to a farm: it gets one request in a hundred at most,
    though hosts of it are always ready and honest ones wait for their delay."""
    web = FarmWeb(honest=50, pages=40, farm=10_000)
    polite = Politeness(delay=1, delay_factor=0, address_share=0)
    settings = FrontierSettings(seed=1, importance=Importance(), max_pages=limit, politeness=polite)
    play = Play(table, clock, PlaySettings(settings))
    play.seed(*(f"http://h{number}.test/" for number in range(5)))

    def answer(visit: Visit) -> Answer:
        host, _, path = visit.url.removeprefix("http://").partition("/")
        names = [urljoin(visit.url, name) for name in web.links(host, f"/{path}")]
        names = list(dict.fromkeys(names))
        links = [link(url, evidence=Evidence(among=len(names))) for url in names]
        return Answer(200, links, documents=[Document(text_digest=visit.url)])

    asked = play.crawl(answer, most=1_900)
    farm = [url for url in asked if url.startswith("http://f")]
    assert len(farm) <= len(asked) / 100
    waits = [row for row, _ in FrontierView(play.table).urls(b"\x01", None)]
    assert sum(row.startswith(b"test,f") for row in waits) > len(farm)  # it was found


def test_fetched_pages_are_counted_by_their_value(
    table: RocksTable, clock: FakeClock, web: list[list[int]]
) -> None:
    """As they come, by the value that is asked for; by another they are counted anew."""
    play = play_by(table, clock, Importance(votes="links", threshold=0.5))
    play.add(url_of(0))
    play.crawl(lambda visit: answers(web, visit), most=100)
    rows = [url for _, url in FrontierView(table).urls(b"\x01", None) if url.visits]
    for value in (0.5, 0.4, 0.9):
        wanted = sum(url.priority >= value for url in rows)
        if value == 0.5:
            assert play.frontier.counts[passed_key(value)] == wanted > 0
        for _ in range(2):
            count_passed(FrontierView(table), play.frontier.counts, value)
            assert passed_of(play.frontier.counts, value) == wanted
