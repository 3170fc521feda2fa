"""A web of copies, by a real crawl: one of each is indexed, copies are no longer asked for.

Four sites: articles of which every third has a near-duplicate, a mirror of them all, documents that
carry a session id in every link, and a shop whose pages look alike and say something of their own.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from shoal.api import open as open_collection
from shoal.collection.collection import Collection
from shoal.engine.summary import Summary
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.document import Fate
from tests.crawl.run import crawl
from tests.world import RobotsMix, Running, Web, serve

ARTICLES, DOCUMENTS, ITEMS = 60, 40, 60
SESSIONS = 6
ORIGIN, MIRROR, LIBRARY, SHOP = range(4)
SETTINGS = {"politeness.delay": 0.01, "crawl.max_pages": 2000}
_WORDS = [
    first + last
    for first in (
        "ba",
        "co",
        "du",
        "fe",
        "gi",
        "ho",
        "ka",
        "lu",
        "mi",
        "no",
        "pe",
        "ra",
        "su",
        "ti",
    )
    for last in ("ber", "dal", "fin", "gor", "lam", "mis", "nol", "per", "rit", "sun", "tam", "vel")
]


def prose(seed: str, words: int) -> list[str]:
    draw = Random(seed)
    return [draw.choice(_WORDS) + draw.choice(_WORDS) for _ in range(words)]


def edited(words: list[str], seed: str) -> list[str]:
    draw, copy = Random(seed), list(words)
    for place in draw.sample(range(len(copy)), len(copy) // 30):
        copy[place] = draw.choice(_WORDS)
    return copy


def page(title: str, words: list[str], *links: str) -> str:
    paragraphs = "".join(
        f"<p>{' '.join(words[at : at + 40])}.</p>" for at in range(0, len(words), 40)
    )
    menu = "".join(f"<li><a href='{link}'>{link[-12:]}</a></li>" for link in links)
    return f"<title>{title}</title><main><h1>{title}</h1>{paragraphs}</main><ul>{menu}</ul>"


def put_articles(site: Running, host: int) -> str:
    paths = [f"/articles/{number}.html" for number in range(ARTICLES)]
    for number, path in enumerate(paths):
        words = prose(f"article {number}", 200)
        next_one = paths[(number + 1) % ARTICLES]
        site.put(host, path, page(f"Article {number}", words, next_one, f"/copies/{number}.html"))
        if number % 3 == 0:
            copy = page(f"Article {number}", edited(words, path), next_one, "/")
            site.put(host, f"/copies/{number}.html", copy)
    copies = [f"/copies/{number}.html" for number in range(0, ARTICLES, 3)]
    return site.put(host, "/", page("Articles", prose(f"home {host}", 90), *paths, *copies))


def put_library(site: Running) -> str:
    """Every link has a session id, and each page was met with all of them."""

    def at(number: int, session: int) -> str:
        return f"/read?doc={number}&tok=s{session}x{session * 7919}"

    for number in range(DOCUMENTS):
        words = prose(f"document {number}", 150)
        for session in range(SESSIONS):
            others = [at((number + 1) % DOCUMENTS, session), at(number, (session + 1) % SESSIONS)]
            body = page(f"Document {number}", words, *others)
            site.put(LIBRARY, at(number, session), body + f"<!-- {session} -->")
    return site.put(LIBRARY, "/", page("Library", prose("library", 90), at(0, 0), at(1, 1)))


def put_shop(site: Running) -> str:
    terms = prose("terms of trade", 100)
    paths = [f"/item?id={number}" for number in range(ITEMS)]
    for number, path in enumerate(paths):
        words = terms[:50] + prose(f"item {number}", 100) + terms[50:]
        site.put(SHOP, path, page(f"Item {number}", words, "/"))
    return site.put(SHOP, "/", page("Shop", prose("shop", 90), *paths))


@pytest.fixture(scope="module")
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=6, hosts=4, pages=4, robots=robots)) as running:
        yield running


class Crawled:
    def __init__(self, site: Running, directory: Path, summary: Summary) -> None:
        self.site = site
        self.directory = directory
        self.summary = summary

    def asked(self, host: int) -> list[str]:
        name = f"{self.site.web.host_name(host)}:{self.site.port}"
        return [each.target for each in self.site.log() if each.host == name and not each.is_robots]


@pytest.fixture(scope="module")
def crawled(site: Running, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    seeds = [put_articles(site, ORIGIN), put_library(site), put_shop(site)]
    directory = tmp_path_factory.mktemp("near") / "corpus"
    put_articles(site, MIRROR)
    mirror = f"http://{site.web.host_name(MIRROR)}:{site.port}/"
    crawl(directory, seeds, {**SETTINGS, "crawl.max_pages": 60})
    return Crawled(site, directory, crawl(directory, [*seeds, mirror], SETTINGS))


def indexed(collection: Collection, host: str = "") -> list[str]:
    return [
        each.title
        for each in collection.pages()
        if each.document.fate is Fate.WAITING and host in each.url
    ]


def test_one_of_each_is_indexed(crawled: Crawled) -> None:
    with open_collection(crawled.directory) as collection:
        titles = Counter(indexed(collection))
    assert [title for title, times in titles.items() if times > 1] == ["Articles"]  # two homes
    wanted = {f"Article {n}" for n in range(ARTICLES)} | {f"Item {n}" for n in range(ITEMS)}
    assert wanted | {f"Document {n}" for n in range(DOCUMENTS)} <= set(titles)


def test_session_ids_are_learned_and_left_out(crawled: Crawled) -> None:
    asked = crawled.asked(LIBRARY)
    assert {target.partition("&")[0] for target in asked} >= {
        f"/read?doc={number}" for number in range(DOCUMENTS)
    }
    assert len(asked) < 2.2 * DOCUMENTS, "of six times as many URLs"
    with open_collection(crawled.directory) as collection:
        refused = collection.status().excluded_by_reason["pattern"]
        assert refused > DOCUMENTS // 2
        url = next(u for u, row in collection.urls("") if row.category == "pattern")
        told = collection.explain(url)
    assert "differ only in the parameter 'tok' are the same" in told.verdict


def test_a_mirror_is_learned_and_left_out(crawled: Crawled) -> None:
    assert len(crawled.asked(MIRROR)) < (ARTICLES + ARTICLES // 3) * 2 / 3
    with open_collection(crawled.directory) as collection:
        assert collection.status().excluded_by_reason["mirror"] > ARTICLES // 3


def test_a_site_of_pages_that_look_alike_loses_none(crawled: Crawled) -> None:
    assert {*crawled.asked(SHOP)} >= {f"/item?id={number}" for number in range(ITEMS)}
    with open_collection(crawled.directory) as collection:
        host = crawled.site.web.host_name(SHOP)
        assert {*indexed(collection, host)} >= {f"Item {number}" for number in range(ITEMS)}


def test_the_counts_add_up_and_nothing_is_wrong(crawled: Crawled) -> None:
    status = crawled.summary.status
    assert status.fetched == sum(status.fetched_by_fate.values())
    assert status.fetched_by_fate["duplicate"] >= ARTICLES // 3
    parts = (status.queued, status.in_flight, status.answered, status.excluded, status.failed)
    assert status.discovered == sum(parts)
    with verifying(Layout(crawled.directory), lambda _: None) as verifier:
        assert [f"{found.where}: {found.says}" for found in verifier.findings()] == []


def test_anchors_of_the_others_are_credited_to_the_one(crawled: Crawled) -> None:
    with open_collection(crawled.directory) as collection:
        lead = next(
            each
            for each in collection.pages()
            if each.document.fate is Fate.WAITING and collection.duplicates(each.url)
        )
        others = collection.duplicates(lead.url)
        credited = {source for source, _ in collection.anchors(lead.url)}
        for other in others:
            assert {source for source, _ in collection.anchors(other)} <= credited
        assert collection.lead(others[0]) == lead.url
