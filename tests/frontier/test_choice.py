"""Which site, which URL? Mercator's choice, seen from outside."""

from collections import Counter
from dataclasses import replace

import pytest

from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.urls.rowkey import row_key
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import OK, Answer, Play, PlaySettings, link

NO_WAIT = Politeness(delay=0, delay_factor=0, address_share=0)


def play_with(table: RocksTable, clock: FakeClock, **settings: object) -> Play:
    frontier = FrontierSettings(seed=1, politeness=NO_WAIT)
    return Play(table, clock, PlaySettings(replace(frontier, **settings)))  # type: ignore[arg-type]  # a test names its settings


@pytest.mark.slow
def test_sites_are_woken_by_level_as_the_bias_says(table: RocksTable, clock: FakeClock) -> None:
    """Two levels with sites enough: the better one is drawn bias^(difference) times as often."""
    woken: list[str] = []
    frontier = FrontierSettings(levels=3, bias=3.0, capacity=1, seed=5, politeness=NO_WAIT)
    play = Play(table, clock, PlaySettings(frontier, Seams(prefetch=woken.extend)))
    sites = 3_000
    play.add(*(f"ftp://high{n}.test/" for n in range(sites)), priority=0.9)
    play.add(*(f"ftp://low{n}.test/" for n in range(sites)), priority=0.1)
    draws = 3_000
    assert len(play.crawl(most=draws)) == draws
    drawn = Counter(url.startswith("ftp://high") for url in woken[:draws])
    assert abs(drawn[True] / draws - 3 / 4) < 0.05 * 3 / 4


@pytest.mark.parametrize("others", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_an_urgent_url_is_the_next_of_a_host_with_many_others(
    table: RocksTable, clock: FakeClock, others: int
) -> None:
    play = play_with(table, clock, capacity=10)
    play.add(*(f"http://a.test/{n}" for n in range(others)), priority=0.99)
    for _ in range(3):
        lease = play.next_page()
        assert lease is not None
        play.end(lease)
    play.submit("http://a.test/wanted")
    play.end(play.expect("http://a.test/wanted"))
    play.end(play.expect("http://a.test/3"))
    late = f"http://a.test/{others * 7 // 10}"
    assert play.frontier.raise_url(row_key(late), 1.0)
    play.end(play.expect(late))
    play.end(play.expect("http://a.test/4"))


def test_an_urgent_url_wakes_an_idle_site_and_is_its_first(
    table: RocksTable, clock: FakeClock
) -> None:
    play = play_with(table, clock, capacity=1)
    play.add(*(f"ftp://a.test/{n}" for n in range(5)))
    play.add(*(f"ftp://b.test/{n}" for n in range(5)))
    play.submit("ftp://b.test/4")
    assert play.crawl(most=1) == ["ftp://b.test/4"]


@pytest.mark.parametrize("priority", [0.0, 0.3, 0.5, 0.95, 0.999])
def test_only_a_wish_is_on_the_first_level(play: Play, priority: float) -> None:
    play.add("http://a.test/", priority=priority)
    row = play.row("http://a.test/")
    assert row is not None
    assert 0 < row.level < 8


def test_breadth_first_is_the_order_of_arrival(table: RocksTable, clock: FakeClock) -> None:
    play = play_with(table, clock)
    play.add("ftp://a.test/")

    def children(url: str) -> list[str]:
        depth = url.removeprefix("ftp://a.test/").count("x")
        return [f"{url}{n}x" for n in range(3)] if depth < 3 else []

    order = play.crawl(lambda visit: Answer(200, [link(c) for c in children(visit.url)]))
    assert len(order) == 1 + 3 + 9 + 27
    expected = ["ftp://a.test/"]
    for url in expected:
        expected += children(url)
    assert order == expected


def test_depth_first_is_its_reverse(table: RocksTable, clock: FakeClock) -> None:
    play = play_with(table, clock, depth_first=True)
    play.add("ftp://a.test/")

    def children(url: str) -> list[str]:
        depth = url.removeprefix("ftp://a.test/").count("x")
        return [f"{url}{n}x" for n in range(3)] if depth < 3 else []

    order = play.crawl(lambda visit: Answer(200, [link(c) for c in children(visit.url)]))
    stack, expected = ["ftp://a.test/"], []
    while stack:
        url = stack.pop()
        expected.append(url)
        stack += children(url)
    assert order == expected


def test_depth_first_with_thousands_of_links_on_a_page(table: RocksTable, clock: FakeClock) -> None:
    play = play_with(table, clock, depth_first=True)
    play.add("ftp://a.test/")
    pages = [[link(f"ftp://a.test/{n}-{m}") for m in range(1_000)] for n in range(4)]

    def answer(_: object) -> Answer:
        return Answer(200, pages.pop()) if pages else OK

    order = play.crawl(answer)
    assert len(order) == len(set(order)) == 4_001
    assert order[1:4] == ["ftp://a.test/3-999", "ftp://a.test/2-999", "ftp://a.test/1-999"]
    assert order[4:1004] == [f"ftp://a.test/0-{m}" for m in reversed(range(1_000))]
    assert order[-1] == "ftp://a.test/3-0"
    assert play.problems() == []


def test_otherwise_priority_decides(table: RocksTable, clock: FakeClock) -> None:
    play = play_with(table, clock)
    for n, priority in enumerate([0.2, 0.9, 0.5, 0.7, 0.05]):
        play.add(f"ftp://a.test/{n}", priority=priority)
    assert play.crawl() == [f"ftp://a.test/{n}" for n in (1, 3, 2, 0, 4)]


def test_a_url_that_is_due_later_waits_though_its_level_is_better(
    table: RocksTable, clock: FakeClock
) -> None:
    play = play_with(table, clock)
    play.add("ftp://a.test/fails", priority=0.9)
    play.end(play.expect("ftp://a.test/fails"), Answer(500))
    play.add("ftp://a.test/other", priority=0.1)
    clock.advance(9)
    assert play.lease() is None or play.log  # the host backs off
    assert play.crawl() == ["ftp://a.test/fails", "ftp://a.test/other"]


def test_the_back_queues_are_never_empty_while_work_remains(
    table: RocksTable, clock: FakeClock
) -> None:
    """While an idle site is ready, all slots are taken, and each by a site that has work."""
    capacity = 8
    polite = Politeness(delay=1, address_share=0)
    play = play_with(table, clock, capacity=capacity, quantum=3, politeness=polite)
    for n in range(60):
        play.add(*(f"ftp://h{n}.test/{m}" for m in range(1 + n % 7)))
    crowded = 0
    while (lease := play.next_page()) is not None:
        active = play.frontier.sites.active.values()
        assert len(active) <= capacity
        idle = [
            site
            for site in map(play.site, (f"ftp://h{n}.test/" for n in range(60)))
            if play.frontier.sites.row(site).entry_level >= 0
            and play.frontier.sites.row(site).entry_ready_ms <= clock.now() * 1000
        ]
        if idle:
            crowded += 1
            assert sum(site.row.waiting > 0 for site in active) == capacity
        play.end(lease)
    assert crowded > 100
    assert play.frontier.counts.total("fetched/") == sum(1 + n % 7 for n in range(60))


def test_hosts_that_must_wait_long_leave_their_slots_to_others(
    table: RocksTable, clock: FakeClock
) -> None:
    """Down hosts to which links keep coming must not fill the workbench."""
    play = play_with(table, clock, capacity=4, politeness=Politeness(delay=1, address_share=0))
    down = [f"ftp://down{n}.test/" for n in range(10)]
    play.add(*down)
    for _ in down:
        lease = play.next_page()
        assert lease is not None
        play.end(lease, Answer(503, headers=[("retry-after", "3600")]))
    play.add(*(f"{url}more" for url in down))  # links to hosts that are parked
    play.add(*(f"ftp://up{n}.test/" for n in range(20)))
    before = clock.now()
    assert sorted(play.crawl(most=20)) == sorted(f"ftp://up{n}.test/" for n in range(20))
    assert clock.now() - before < 60


def test_a_site_gives_way_after_its_quantum(table: RocksTable, clock: FakeClock) -> None:
    polite = Politeness(delay=1, address_share=0)
    play = play_with(table, clock, capacity=1, quantum=3, politeness=polite)
    for host in "abc":
        play.add(*(f"ftp://{host}.test/{n}" for n in range(6)))
    turns = [url[6] for url in play.crawl()]
    assert turns == [*"aaabbbcccaaabbbccc"]


def test_new_sites_do_not_keep_an_older_one_from_its_second_turn(
    table: RocksTable, clock: FakeClock
) -> None:
    polite = Politeness(delay=1, address_share=0)
    play = play_with(table, clock, capacity=1, quantum=1, politeness=polite)
    play.add(*(f"ftp://old.test/{n}" for n in range(6)))
    found = 0

    def two_more_sites(_: object) -> Answer:
        nonlocal found
        found += 2
        new = [link(f"ftp://new{n}.test/") for n in (found, found + 1)]
        return Answer(200, new, seconds=0.2)

    found_old = [url for url in play.crawl(two_more_sites, most=40) if "old" in url]
    assert len(found_old) > 2, "only its first turns, before there were others"


def test_alone_it_need_not_give_way(table: RocksTable, clock: FakeClock) -> None:
    woken: list[str] = []
    frontier = FrontierSettings(capacity=1, quantum=2, politeness=NO_WAIT)
    play = Play(table, clock, PlaySettings(frontier, Seams(prefetch=woken.extend)))
    play.add(*(f"ftp://a.test/{n}" for n in range(6)))
    play.crawl()
    assert woken == ["ftp://a.test/"]


def test_names_are_told_in_time_to_be_looked_up(table: RocksTable, clock: FakeClock) -> None:
    woken: list[str] = []
    play = Play(table, clock, PlaySettings(seams=Seams(prefetch=woken.extend)))
    play.add("https://a.test/x", "http://b.test:8080/y")
    assert play.lease() is not None
    assert sorted(woken) == ["http://b.test:8080/", "https://a.test/"]
