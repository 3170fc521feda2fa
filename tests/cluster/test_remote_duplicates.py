"""Near-duplicates on hosts of different tablets: one of each is indexed, as in one collection."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from shoal.collection.collection import Collection
from shoal.collection.tablets import LocalTablets, owner_of
from shoal.layout.layout import Layout
from shoal.model.document import Fate
from shoal.model.urls.rowkey import row_key
from tests.cluster.local import Fleet, crawling
from tests.cluster.worlds import SETTINGS, must_verify, places_of
from tests.world import RobotsMix, Running, Web, serve

HOSTS, STORIES, COPIES = 8, 6, 3
TABLETS = 4


def story(number: int, host: int) -> str:
    """Of each host a little different."""
    draw = Random(number)
    words = ["".join(draw.choices("abcdefghijklmnop", k=7)) for _ in range(220)]
    words[host] = f"host{host}"
    return f"<main><h1>Story {number}</h1><p>{' '.join(words)}</p></main>"


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    web = Web(seed=1, hosts=HOSTS, pages=HOSTS, skew=0, robots=RobotsMix(crawl_delay=0, error=0))
    with serve(web) as running:
        for number in range(STORIES):
            for host in hosts_of(number):
                running.put(host, f"/story/{number}", story(number, host))
        yield running


def hosts_of(number: int) -> list[int]:
    return [(number + 3 * copy) % HOSTS for copy in range(COPIES)]


def url_of_copy(world: Running, number: int, host: int) -> str:
    return f"http://{world.web.host_name(host)}:{world.port}/story/{number}"


def test_one_of_each_is_indexed(world: Running, tmp_path: Path) -> None:
    copies = {
        number: [url_of_copy(world, number, host) for host in hosts_of(number)]
        for number in range(STORIES)
    }
    seeds = [url for urls in copies.values() for url in urls]
    with crawling(Fleet(str(tmp_path), seeds, SETTINGS, TABLETS)) as fleet:
        fleet.wait_until_quiet()
        fleet.finish()
    places = places_of(tmp_path, TABLETS)
    must_verify(places)
    with LocalTablets([Layout(path) for path in places]) as tablets:
        whole = Collection(tablets)
        apart = 0
        for urls in copies.values():
            pages = [whole.page(url) for url in urls]
            fates = [page.document.fate for page in pages if page is not None]
            assert sorted(fates) == sorted([Fate.WAITING] + [Fate.DUPLICATE] * (COPIES - 1))
            (lead,) = [url for url, fate in zip(urls, fates, strict=True) if fate is Fate.WAITING]
            assert {whole.lead(url) for url in urls} == {lead}
            assert all(page is None or page.duplicate_of in ("", lead) for page in pages)
            apart += len({owner_of(tablets, row_key(url)) for url in urls}) > 1
        assert apart >= STORIES // 2, "most have their copies in several tablets"
        status = whole.status()
        assert status.fetched_by_fate["duplicate"] == STORIES * (COPIES - 1)
