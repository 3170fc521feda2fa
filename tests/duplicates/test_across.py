"""Near-duplicates of pages at different tablets: the groups of one machine, one of each indexed."""

from collections.abc import Callable, Iterator
from itertools import combinations, count
from pathlib import Path
from random import Random

import pytest

from shoal.duplicates.across.sent_sketches import shards_of, verdict_of
from shoal.duplicates.across.shard import order
from shoal.duplicates.near.groups import Worth
from shoal.duplicates.near.sketch import fingerprint
from shoal.model.document import Fate
from shoal.model.urls.partition import tablet_of_row
from shoal.model.urls.rowkey import row_key
from tests.duplicates.cluster_of_fingerprints import Cluster, unpack_item

TABLETS = 3
Make = Callable[..., Cluster]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Cluster] = []

    def cluster(tablets: int = TABLETS, **given: float) -> Cluster:
        directory = tmp_path / str(len(made))
        directory.mkdir()
        made.append(Cluster(directory, tablets, **given))  # type: ignore[arg-type]
        return made[-1]

    yield cluster
    for each in made:
        each.close()


def story(seed: object, words: int = 120) -> list[str]:
    draw = Random(str(seed))
    return [f"w{draw.randrange(8000)}" for _ in range(words)]


def edited(words: list[str], changes: int, seed: object = 0) -> str:
    draw, copy = Random(str(seed)), list(words)
    for place in draw.sample(range(len(copy)), changes):
        copy[place] = f"new{draw.randrange(10_000)}"
    return " ".join(copy)


def url_at(tablet: int, path: str = "/", skip: int = 0, tablets: int = TABLETS) -> str:
    """A page of a host that a tablet has."""
    urls = (f"http://h{number}.example{path}" for number in count())
    found = [url for url, _ in zip(_of(urls, tablet, tablets), range(skip + 1), strict=False)]
    return found[skip]


def _of(urls: Iterator[str], tablet: int, tablets: int) -> Iterator[str]:
    return (url for url in urls if tablet_of_row(row_key(url), tablets) == tablet)


def web(stories: int, seed: int) -> list[tuple[str, str, Worth]]:
    """Stories with copies on many hosts, more or less edited, in the order in which they come."""
    draw, pages = Random(seed), []
    for number in range(stories):
        length = draw.choice((100, 200, 500))
        words = story(number, length)
        for copy in range(draw.choice((1, 1, 2, 3, 5, 12))):
            url = f"http://h{draw.randrange(100)}.example/s{number}/c{copy}"
            changes = draw.choice((0, 0, length // 60, length // 30, length // 20))
            worth = Worth(url, in_links=draw.randrange(4), found=draw.random())
            pages.append((url, edited(words, changes, url), worth))
    draw.shuffle(pages)
    return pages


def pairs(groups: dict[str, str]) -> set[tuple[str, str]]:
    by_lead: dict[str, list[str]] = {}
    for url, lead in groups.items():
        by_lead.setdefault(lead, []).append(url)
    return {pair for urls in by_lead.values() for pair in combinations(sorted(urls), 2)}


def every_lead_is_indexed(cluster: Cluster) -> bool:
    """Whoever another tablet names stands for itself: no chains."""
    for tablet in cluster.tablets:
        for row in tablet.fates:
            verdict = tablet.across.verdict(row)
            if verdict is not None:
                owner = cluster.tablets[tablet_of_row(verdict.representative, len(cluster.tablets))]
                if owner.fates[verdict.representative] != (Fate.WAITING, ""):
                    return False
    return True


def test_copies_on_many_hosts_are_grouped_as_on_one_machine(make: Make) -> None:
    pages, draw = web(40, 1), Random(2)
    alone, many = make(1), make(8, twice=0.2)
    for url, text, worth in pages:
        alone.put(url, text, worth)
        many.put(url, text, worth)
        many.deliver(draw.randrange(8))  # the rest is late
    many.deliver()
    ours, theirs = pairs(many.groups()), pairs(alone.groups())
    assert len(theirs) > 100
    assert len(ours & theirs) / len(ours | theirs) >= 0.98
    assert abs(len(many.indexed()) - len(alone.indexed())) <= 1
    assert {many.stands_for(url) for url, _, _ in pages} == many.indexed()
    assert every_lead_is_indexed(many)
    assert many.faults() == []
    assert alone.items_sent == 0
    assert many.bytes_sent / len(pages) < 6000


def test_two_texts_that_share_six_tenths_meet_at_a_home() -> None:
    met, tried, draw = 0, 0, Random(4)
    while tried < 1000:
        words = story(draw.random(), 200)
        copy = edited(words, 17, draw.random()).split()
        ours, theirs = (set(zip(each, each[1:], each[2:], strict=False)) for each in (words, copy))
        if abs(len(ours & theirs) / len(ours | theirs) - 0.6) > 0.01:
            continue
        tried += 1
        homes = [
            set(shards_of(fingerprint(" ".join(each)).minhashes, 4096)) for each in (words, copy)
        ]
        met += bool(homes[0] & homes[1])
    assert met / tried >= 0.99


def test_what_stands_for_a_page_goes_and_another_takes_over(make: Make) -> None:
    cluster, words = make(), story("taken over")
    urls = [url_at(tablet) for tablet in range(TABLETS)]
    for found, url in enumerate(urls):
        cluster.put(url, edited(words, 2, url), Worth(url, found=float(found)))
    cluster.deliver()
    assert cluster.indexed() == {urls[0]}
    assert cluster.fate(urls[2]) == (Fate.DUPLICATE, urls[0])
    told = verdict_of(cluster.owner(urls[2]).table, row_key(urls[2]))
    assert told is not None
    assert told.representative == row_key(urls[0])
    assert 0.6 < told.resemblance < 1
    cluster.lose(urls[0])
    cluster.deliver()
    assert cluster.indexed() == {urls[1]}
    assert cluster.fate(urls[2]) == (Fate.DUPLICATE, urls[1])
    cluster.put(urls[1], " ".join(story("another")))
    cluster.deliver()
    assert cluster.indexed() == {urls[1], urls[2]}
    assert cluster.faults() == []


def test_a_page_that_is_fetched_again_stays_a_duplicate(make: Make) -> None:
    cluster, words = make(), story("again")
    first, second = url_at(0), url_at(1)
    cluster.put(first, " ".join(words), Worth(first, found=1.0))
    cluster.put(second, " ".join(words), Worth(second, found=2.0))
    cluster.deliver()
    sent = cluster.items_sent
    cluster.put(second, " ".join(words), Worth(second, found=2.0))
    assert cluster.fate(second) == (Fate.DUPLICATE, first)
    assert cluster.items_sent == sent, "nothing has changed"
    cluster.put(second, edited(words, 1), Worth(second, found=2.0))
    assert cluster.fate(second) == (Fate.DUPLICATE, first), "until it is told otherwise"
    cluster.deliver()
    assert cluster.fate(second) == (Fate.DUPLICATE, first)
    assert cluster.faults() == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Worth("", found=2.0), Worth("", found=1.0)),
        (Worth("", in_links=2, found=1.0), Worth("", in_links=9, found=2.0)),
        (Worth("", published="2026-05-01"), Worth("", published="2026-04-01")),
        (Worth("", canonical="http://x.example/", in_links=60), Worth("")),
    ],
)
def test_the_page_that_is_worth_more_stands_for_both(
    make: Make, first: Worth, second: Worth
) -> None:
    cluster, text = make(2), " ".join(story("worth"))
    a, b = (url_at(tablet, tablets=2) for tablet in range(2))
    cluster.put(a, text, first._replace(url=a))
    cluster.put(b, text, second._replace(url=b))
    cluster.deliver()
    assert cluster.indexed() == {b}
    cluster.put(a, text, second._replace(url=a, in_links=99))  # what it is worth has changed
    cluster.deliver()
    assert cluster.indexed() == {a}
    assert cluster.faults() == []


def test_what_is_clearly_worth_more_comes_before() -> None:
    draw = Random(6)
    for _ in range(2000):
        a, b = (Worth(url, in_links=draw.randrange(64)) for url in ("http://a/", "http://b/"))
        if a.in_links > 2 * b.in_links + 1:
            assert a.beats(b, {})
            assert order(a) < order(b)


def test_only_pages_that_the_same_people_may_read_are_grouped(make: Make) -> None:
    cluster, text = make(2), " ".join(story("private"))
    a, b, c = url_at(0, tablets=2), url_at(1, tablets=2), url_at(1, tablets=2, skip=1)
    cluster.put(a, text)
    cluster.put(b, text, readers="ann")
    cluster.put(c, text, readers="ann")
    cluster.deliver()
    assert cluster.indexed() == {a, b}


def test_a_text_that_is_too_short_is_not_sent(make: Make) -> None:
    cluster = make(2)
    for tablet in range(2):
        cluster.put(url_at(tablet, tablets=2), "w1 w2 w3 w4 w5 w6 w7 w8 w9")
    assert cluster.items_sent == 0
    assert len(cluster.indexed()) == 2
    assert cluster.faults() == []


def test_no_chain_leads_from_copy_to_copy(make: Make) -> None:
    """Each is near the one before, and the last is not near the first."""
    cluster, words, urls = make(8), story("chain", 160), []
    for step in range(10):
        words[step * 14 : step * 14 + 14] = [f"s{step}x{each}" for each in range(14)]
        urls.append(f"http://chain{step}.example/")
        cluster.put(urls[-1], " ".join(words), Worth(urls[-1], found=float(step)))
        cluster.deliver()
    assert len(cluster.indexed()) > 1
    assert every_lead_is_indexed(cluster)
    assert cluster.faults() == []


def test_an_item_that_comes_twice_changes_nothing(make: Make) -> None:
    once, twice = make(seed=5), make(seed=5, twice=1.0)
    for url, text, worth in web(8, 3):
        for cluster in (once, twice):
            cluster.put(url, text, worth)
            cluster.deliver()
    assert once.groups() == twice.groups()
    assert once.items_sent == twice.items_sent
    assert twice.faults() == []


def test_a_delivery_that_was_lost_with_its_receiver_comes_again(make: Make) -> None:
    cluster, text = make(2), " ".join(story("lost"))
    urls = [url_at(tablet, tablets=2) for tablet in range(2)]
    for found, url in enumerate(urls):
        cluster.put(url, text, Worth(url, found=float(found)))
    kept = {key: list(pipe) for key, pipe in cluster.pipes.items()}
    for tablet in cluster.tablets:
        write = tablet.table.write
        tablet.table.write = lambda batch: None  # type: ignore[method-assign]
        for key, pipe in cluster.pipes.items():
            if key[1] == tablet.partition.number:
                fates = dict(tablet.fates)
                tablet.take([unpack_item(each) for each in list(pipe)])
                tablet.fates = fates
        tablet.table.write = write  # type: ignore[method-assign]
        tablet.open()
    for key, packed in kept.items():
        cluster.pipes[key].clear()
        cluster.pipes[key].extend(packed)
    cluster.deliver()
    assert cluster.indexed() == {urls[0]}
    assert cluster.faults() == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_whatever_comes_and_goes_one_of_each_is_indexed(make: Make, seed: int) -> None:
    cluster, draw = make(8, seed=seed, twice=0.3), Random(seed)
    stories, alive = [story(number, 150) for number in range(12)], dict[str, int]()
    for step in range(600):
        url = f"http://h{draw.randrange(40)}.example/{draw.randrange(4)}"
        if url in alive and draw.random() < 0.3:
            cluster.lose(url)
            del alive[url]
        else:
            alive[url] = draw.randrange(len(stories))
            worth = Worth(url, in_links=draw.randrange(20), found=draw.random())
            cluster.put(url, edited(stories[alive[url]], draw.randrange(6), step), worth)
        cluster.deliver(draw.randrange(6))
    cluster.deliver()
    assert every_lead_is_indexed(cluster)
    assert {cluster.stands_for(url) for url in alive} == cluster.indexed()
    told = {alive[url] for url in cluster.indexed()}
    assert told == set(alive.values())
    assert len(cluster.indexed()) <= len(told) + 1
    assert cluster.faults() == []
