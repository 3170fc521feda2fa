"""Copies that a site makes by itself: learned, no longer fetched, sampled, unlearned.

The crawls are walks over a list of URLs against a real table; what a URL shows is a function.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from shoal.duplicates.learn.lessons import (
    LESSON,
    MOST_CANDIDATES,
    SAMPLE,
    Evidence,
    Lessons,
    Unlearned,
    is_sample,
    least_useful,
)
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.ports import Table
from shoal.store.table import RocksTable

SITE = "http://fish.example"
SIDS = ("5f3a9b0c", "00e1c2d3", "77aa10ff")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    with RocksTable(tmp_path / "table") as table:
        yield table


class Walk:
    """Asks for URLs in turn, as the frontier would: refused, or fetched and observed."""

    def __init__(self, table: Table, group_of_url: Callable[[str], str], recalls: bool = True):
        self.table = table
        self.group_of_url = group_of_url
        self.groups: dict[bytes, bytes] = {}
        self.first: dict[bytes, bytes] = {}
        self.fetched: list[str] = []
        self.refused: dict[str, str] = {}
        self.unlearned: list[Unlearned] = []
        self.lessons = Lessons(table, self.rows_of) if recalls else Lessons(table)

    def rows_of(self, site: bytes) -> Iterable[bytes]:
        return [row for row in self.groups if site_of_key(row) == site]

    def ask(self, url: str) -> None:
        row = row_key(url)
        reason = self.lessons.refusal(row, url, self.groups.__contains__)
        if reason:
            self.refused[url] = reason
        else:
            self.fetch(url)

    def fetch(self, url: str) -> None:
        row, group = row_key(url), self.group_of_url(url).encode()
        self.fetched.append(url)
        batch = self.table.batch()
        twin = self.first.get(group)
        found = self.lessons.observe(batch, row, group, twin, self.groups.get)
        self.table.write(batch)
        self.groups[row] = group
        self.first.setdefault(group, row)
        for unlearned in found:
            self.unlearned.append(unlearned)
            again = [url for url, said in self.refused.items() if said.startswith(unlearned.reason)]
            for url_again in again:
                del self.refused[url_again]
            for url_again in again:
                self.ask(url_again)

    def ask_all(self, urls: Iterable[str]) -> "Walk":
        for url in urls:
            self.ask(url)
        return self

    def learned(self) -> list[str]:
        lessons = self.lessons.of(site_of_key(row_key(SITE + "/")))
        return [lesson.rule for lesson in lessons if lesson.evidence.learned]

    def shown(self) -> set[str]:
        """The distinct pages that were fetched under some URL."""
        return {self.group_of_url(url) for url in self.fetched}


def without_sid(url: str) -> str:
    return url.partition("sid=")[0].rstrip("?&")


def shuffled(urls: Iterable[str], seed: int = 7) -> list[str]:
    listed = list(urls)
    random.Random(seed).shuffle(listed)
    return listed


def with_sids(page: str, pages: int = 200) -> list[str]:
    """All pages with the first session id, then all with the second …"""
    return [f"{SITE}{page.format(n)}sid={sid}" for sid in SIDS for n in range(pages)]


SHAPES = pytest.mark.parametrize("page", ["/p{}?", "/view?id={}&", "/docs/{}.html?lang=en&"])


# --- what is learned --------------------------------------------------------------------------


@SHAPES
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_session_ids_are_learned_and_no_page_is_missed(
    table: RocksTable, page: str, seed: int
) -> None:
    urls = shuffled(with_sids(page), seed)
    walk = Walk(table, without_sid).ask_all(urls)
    assert walk.learned() == ["?sid"]
    assert len(walk.shown()) == 200
    copies = sum(is_sample(row_key(url)) for url in urls)
    assert len(walk.fetched) <= 200 + 40 + copies  # 40: what is fetched before it is sure
    url, reason = next(iter(walk.refused.items()))
    assert reason.startswith(
        "pattern: pages of this site that differ only in the parameter 'sid' are the same, "
        f"and {without_sid(url)}"
    )
    assert reason.endswith(" is stored")


@SHAPES
def test_a_second_walk_with_another_session_id_ends_soon(table: RocksTable, page: str) -> None:
    urls = with_sids(page)
    walk = Walk(table, without_sid).ask_all(urls)
    assert len(walk.shown()) == 200
    copies = sum(is_sample(row_key(url)) for url in urls)
    assert len(walk.fetched) <= 200 + 12 + copies


def test_without_the_stored_rows_the_third_walk_ends_soon(table: RocksTable) -> None:
    urls = with_sids("/p{}?")
    walk = Walk(table, without_sid, recalls=False).ask_all(urls)
    third = [url for url in walk.fetched if url.endswith(SIDS[2])]
    assert len(walk.shown()) == 200
    assert len(third) == sum(is_sample(row_key(url)) for url in urls if url.endswith(SIDS[2]))


def test_what_held_in_some_folders_is_believed_in_all(table: RocksTable) -> None:
    pages = [f"{SITE}/user{n}/{page}?" for n in range(100) for page in "ab"]
    urls = shuffled(f"{page}sid={sid}" for page in pages for sid in SIDS)
    walk = Walk(table, without_sid).ask_all(urls)
    assert len(walk.shown()) == 200
    assert len(walk.refused) > 250


@pytest.mark.parametrize(
    ("rule", "copy"),
    [
        ("/print", "/print/docs/p{}"),
        ("/print", "/docs/p{}/print"),
        (";v", "/docs/p{};v=3"),
        ("/*/1", "/5f3a9b0c77de41aa/docs/p{}"),
        ("/amp ?ref", "/amp/docs/p{}?ref=x"),
    ],
)
def test_other_kinds_of_copies(table: RocksTable, rule: str, copy: str) -> None:
    groups = {SITE + copy.format(n): str(n) for n in range(200)}
    groups |= {f"{SITE}/docs/p{n}": str(n) for n in range(200)}
    walk = Walk(table, groups.__getitem__).ask_all(shuffled(groups))
    assert walk.learned() == [rule]
    assert len(walk.shown()) == 200
    assert len(walk.refused) > 50
    assert all(SITE + copy.format(groups[url]) == url for url in walk.refused)  # never the plain


def test_two_parameters_that_always_change_together(table: RocksTable) -> None:
    clock = iter(range(10**6))
    urls = shuffled(
        f"{SITE}/p{n}?sid={next(clock)}&t={next(clock)}" for n in range(100) for _ in range(5)
    )
    walk = Walk(table, lambda url: url.partition("?")[0]).ask_all(urls)
    assert walk.learned() == ["?sid ?t"]
    assert len(walk.shown()) == 100
    assert len(walk.fetched) < 100 + 40 + 500 / SAMPLE * 2


# --- what is not learned ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("page", ["/view?id={}", "/shop/view?cat={1}&id={0}", "/{1}/view?id={0}"])
def test_look_alikes_lose_no_page(table: RocksTable, page: str, seed: int) -> None:
    """Distinct pages of one template, two in a hundred of them grouped wrongly."""
    chance = random.Random(seed)
    urls = [SITE + page.format(n, f"c{n % 7}") for n in range(800)]
    groups: dict[str, str] = {}
    for at, url in enumerate(urls):
        wrong = at and chance.random() < 0.02
        groups[url] = groups[urls[chance.randrange(at)]] if wrong else url
    walk = Walk(table, groups.__getitem__).ask_all(shuffled(urls, seed))
    assert walk.refused == {}
    assert len(walk.fetched) == 800


@pytest.mark.parametrize("seed", range(4))
def test_a_parameter_that_means_something_elsewhere(table: RocksTable, seed: int) -> None:
    """`ref` is noise beside an id, and all there is in a list: the list is fetched whole."""

    def group(url: str) -> str:
        return url if "/list" in url else url.partition("&ref")[0]

    items = [f"{SITE}/item?id={n}&ref={ref}" for n in range(100) for ref in "abc"]
    walk = Walk(table, group).ask_all(shuffled(items, seed))
    assert walk.learned() == ["?ref"]
    lists = [f"{SITE}/list?ref={n}" for n in range(40)]
    walk.ask_all(lists)
    assert not walk.refused.keys() & set(lists)


def test_one_empty_page_teaches_little(table: RocksTable) -> None:
    """Months without events are one group: not enough before the thirty-second."""
    urls = [f"{SITE}/calendar?month={n}" for n in range(200)]
    walk = Walk(table, lambda _: "no events")
    walk.ask_all(urls[:33])
    assert walk.refused == {}
    walk.ask_all(urls[33:])
    assert len(walk.refused) > 100


def test_a_page_is_refused_only_for_one_that_is_stored(table: RocksTable) -> None:
    walk = Walk(table, without_sid).ask_all(shuffled(with_sids("/p{}?")))
    url = next(iter(walk.refused))
    for copy in [url, *(f"{without_sid(url)}?sid={sid}" for sid in SIDS)]:
        walk.groups.pop(row_key(copy), None)  # they have all gone
    assert walk.lessons.refusal(row_key(url), url, walk.groups.__contains__) == ""
    new = f"{SITE}/p-new?sid={SIDS[0]}"
    assert walk.lessons.refusal(row_key(new), new, walk.groups.__contains__) == ""


def test_the_page_that_others_are_refused_for_is_not_refused(table: RocksTable) -> None:
    walk = Walk(table, without_sid).ask_all(shuffled(with_sids("/p{}?")))
    rests_on = {reason.rpartition(" and ")[2].split(" ")[0] for reason in walk.refused.values()}
    assert rests_on
    assert all(walk.lessons.rests_on(row_key(url)) for url in rests_on)
    assert not any(walk.lessons.rests_on(row_key(url)) for url in walk.refused)
    for url in rests_on:
        assert walk.lessons.refusal(row_key(url), url, walk.groups.__contains__) == ""


# --- unlearning -------------------------------------------------------------------------------


def test_a_parameter_that_gets_a_meaning(table: RocksTable) -> None:
    meaning = False

    def group(url: str) -> str:
        return url if meaning else url.partition("?")[0]

    walk = Walk(table, group).ask_all(f"{SITE}/p{n}?v={v}" for n in range(100) for v in range(3))
    assert walk.learned() == ["?v"]
    assert walk.refused
    meaning = True
    later = [f"{SITE}/p{n}?v={v}" for v in range(3, 30) for n in range(100)]
    sampled = 0
    for url in later:
        sampled += is_sample(row_key(url))
        walk.ask(url)
        if walk.unlearned:
            break
    assert walk.unlearned[0].rule == "?v"
    assert walk.unlearned[0].site == site_of_key(row_key(url))
    assert sampled <= 40
    assert not walk.refused  # all were queued again, and fetched
    walk.ask_all(later)
    assert walk.learned() == []
    assert not walk.refused


def test_learned_again_only_after_a_while() -> None:
    evidence = Evidence()

    def see(held: bool, n: int) -> bool:
        return evidence.add(LESSON, b"group %d" % n, held, "section")

    assert not any(see(True, n) for n in range(8))
    assert evidence.learned
    assert not see(False, 0)
    assert evidence.learned  # one may be an accident
    assert see(False, 0)
    assert not evidence.learned
    assert not any(see(True, n) for n in range(31))
    assert not evidence.learned
    assert not see(True, 0)
    assert evidence.learned


def test_eight_of_three_groups_or_thirty_two_of_fewer() -> None:
    three, two = Evidence(), Evidence()
    for n in range(8):
        three.add(LESSON, b"%d" % (n % 3), True, "")
        assert three.learned is (n == 7)
    for n in range(32):
        two.add(LESSON, b"%d" % (n % 2), True, "")
        assert two.learned is (n == 31)


def test_groups_count_from_the_last_failure_on() -> None:
    evidence = Evidence()
    for n in range(7):
        evidence.add(LESSON, b"%d" % n, True, "")
    evidence.add(LESSON, b"x", False, "")
    for n in range(32):  # one group only
        evidence.add(LESSON, b"0", True, "")
        assert evidence.learned is (n == 31)


def test_who_gives_way() -> None:
    learned, waiting = Evidence(seen=8, learned=True), Evidence(seen=40, not_before=41)
    useful, useless = Evidence(seen=9), Evidence(seen=9, history=0b11)
    assert least_useful([learned, waiting, useful, useless, useless]) == 3
    assert least_useful([useful, learned, waiting]) == 0
    assert least_useful([learned, waiting]) is None


# --- state ------------------------------------------------------------------------------------


def test_what_was_learned_survives(tmp_path: Path) -> None:
    urls = shuffled(with_sids("/p{}?"))
    with RocksTable(tmp_path / "table") as table:
        walk = Walk(table, without_sid).ask_all(urls[:300])
        groups, learned = walk.groups, walk.learned()
        assert learned == ["?sid"]
        half = Walk(table, without_sid)  # reads what was written, not what was at hand
        assert half.learned() == learned
    with RocksTable(tmp_path / "table") as table:
        again = Walk(table, without_sid)
        again.groups = groups
        again.ask_all(urls[300:])
        assert again.refused
        assert {without_sid(url) for url in urls[300:]} <= again.shown() | walk.shown()


def test_a_site_without_duplicates_costs_nothing(table: RocksTable) -> None:
    walk = Walk(table, lambda url: url).ask_all(f"{SITE}/p{n}?id={n}" for n in range(50))
    assert list(table.scan("print", b"")) == []
    url = f"{SITE}/p?id=1"
    row = row_key(url)
    started = time.process_time()
    for _ in range(20_000):
        walk.lessons.refusal(row, url, walk.groups.__contains__)
    assert (time.process_time() - started) / 20_000 < 10e-6


def test_a_site_that_makes_rules_up(table: RocksTable) -> None:
    """Each page has a parameter of its own name: few are kept, and those that are true stay."""
    walk = Walk(table, without_sid).ask_all(shuffled(with_sids("/p{}?", 60)))
    walk.group_of_url = lambda _: "same"
    walk.ask_all(f"{SITE}/trap?n{n}=1" for n in range(300))
    lessons = walk.lessons.of(site_of_key(row_key(SITE + "/")))
    assert len(lessons) == MOST_CANDIDATES
    assert "?sid" in walk.learned()


def test_hostile_urls(table: RocksTable) -> None:
    walk = Walk(table, lambda _: "same")
    many = "&".join(f"p{n}={n}" for n in range(5000))
    hostile = [f"{SITE}/x?{many}", f"{SITE}/" + "a/" * 5000, f"{SITE}/x?a={'b' * 60_000}"]
    started = time.process_time()
    for n in range(20):
        for url in hostile:
            walk.ask(f"{url}{n}")
            walk.ask(url.replace("/", f"/{n}/", 3))
    assert time.process_time() - started < 5


def test_a_twin_of_another_site_teaches_nothing(table: RocksTable) -> None:
    lessons, batch = Lessons(table), table.batch()
    row, twin = row_key(f"{SITE}/x?sid=1"), row_key("http://other.example/x?sid=2")
    assert lessons.observe(batch, row, b"g", twin, {twin: b"g"}.get) == []
    assert lessons.observe(batch, row, b"g", row, {row: b"g"}.get) == []
    assert len(batch) == 0
