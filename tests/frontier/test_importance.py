"""Importance first: the paper's pure orders, to the letter, and what a vote changes."""

from random import Random

import pytest

from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.frontier.state.worth import Importance
from shoal.model.visit import Visit
from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import Answer, Play, PlaySettings, link

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
