"""A crawl for a topic: what it brings, what it learns from a person, and what a kill leaves."""

import time
from collections.abc import Iterator, Mapping
from multiprocessing import get_context
from pathlib import Path
from threading import Thread

import pytest

from shoal.api import make_topic, show_topic, teach_topic, topic_report, topics
from shoal.api import open as open_collection
from shoal.collection.view import TabletView
from shoal.engine.running import RunningCrawl
from shoal.layout.topics import labels_of, learned_of, progress_of
from tests.crawl.own_site import OwnSite
from tests.crawl.run import crawl
from tests.crawl.topical_web import TopicalWeb, topical_site

_SETTINGS: Mapping[str, object] = {"politeness.delay": 0.0, "crawl.workers": 1}
_FOR_TOPIC: Mapping[str, object] = {
    **_SETTINGS,
    "crawl.order": "importance",
    "crawl.topic": "fish",
}
_PAGES = 90


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[TopicalWeb, OwnSite]]:
    with topical_site() as running:
        yield running


def _harvest(site: OwnSite, since: int, wanted: set[str], examples: set[str]) -> float:
    paths = [path for path, _ in site.asked(since) if path not in examples]
    return sum(path in wanted for path in paths) / len(paths)


def test_it_brings_more_of_its_topic_than_breadth_first(
    web: tuple[TopicalWeb, OwnSite], tmp_path: Path
) -> None:
    pages, site = web
    brought, by_breadth = 0.0, 0.0
    for kind in pages.kinds[:2]:
        wanted = pages.of(kind)
        examples = sorted(wanted)[:5]
        before = len(site.asked())
        crawl(tmp_path / f"{kind}-b", [site.url("/")], {**_SETTINGS, "crawl.max_pages": _PAGES})
        breadth = _harvest(site, before, wanted, set(examples))
        before = len(site.asked())
        directory = tmp_path / f"{kind}-t"
        make_topic("fish", pages=[site.url(path) for path in examples], dir=directory)
        crawl(directory, [site.url("/")], {**_FOR_TOPIC, "crawl.max_pages": _PAGES + 5})
        topical = _harvest(site, before, wanted, set(examples))
        brought, by_breadth = brought + topical, by_breadth + breadth
    assert brought >= 1.5 * by_breadth


def test_five_pages_that_are_not_there_yet_are_fetched_first(
    web: tuple[TopicalWeb, OwnSite], tmp_path: Path
) -> None:
    pages, site = web
    examples = sorted(pages.of(pages.kinds[0]))[:5]
    made = make_topic("fish", pages=[site.url(path) for path in examples], dir=tmp_path)
    assert made.to_fetch == [site.url(path) for path in examples]
    before = len(site.asked())
    crawl(tmp_path, [site.url("/")], {**_FOR_TOPIC, "crawl.max_pages": 30})
    asked = [path for path, _ in site.asked(before)]
    assert set(asked[:5]) == set(examples)
    [line] = topics(tmp_path)
    assert (line.yes, line.no, line.waiting) == (5, 0, 0)
    words = {each.word for each in show_topic("fish", tmp_path).speak_for_it}
    assert len(words & set(pages.own_words(pages.kinds[0]))) >= 10


def test_an_example_that_another_crawl_took_is_learned_from(
    web: tuple[TopicalWeb, OwnSite], tmp_path: Path
) -> None:
    """It is stored, so it will not be fetched first."""
    _, site = web
    make_topic("fish", pages=[site.url("/")], dir=tmp_path)
    crawl(tmp_path, [site.url("/")], {**_SETTINGS, "crawl.max_pages": 2})
    assert topics(tmp_path)[0].waiting == 1
    crawl(tmp_path, [], {**_FOR_TOPIC, "crawl.max_pages": 3})
    [line] = topics(tmp_path)
    assert (line.yes, line.waiting) == (1, 0)


def test_pages_that_not_everyone_may_read_teach_nothing(
    web: tuple[TopicalWeb, OwnSite], tmp_path: Path
) -> None:
    """Files of one's own in the same crawl are no ordinary pages, and no examples either."""
    pages, site = web
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    for number in range(12):
        text = f"<title>Zyzzyva {number}</title><p>{'zyzzyva quagga ' * 9} {number}</p>"
        (own / f"{number}.html").write_text(text, "utf-8")
    example, private = site.url(min(pages.of(pages.kinds[0]))), (own / "0.html").as_uri()
    make_topic("fish", pages=[example, private], dir=tmp_path / "c")
    seeds = [site.url("/"), *(each.as_uri() for each in sorted(own.iterdir()))]
    crawl(tmp_path / "c", seeds, {**_FOR_TOPIC, "crawl.max_pages": 40})
    with open_collection(tmp_path / "c") as collection:
        known = [page for page in collection.pages() if page.url.startswith("file:")]
        assert [page for page in known if page.document.readers] == known
        assert len(known) == 12
    with TabletView(tmp_path / "c") as view:
        learned, labels = learned_of(view.table, "fish"), labels_of(view.table, "fish")
    assert learned.ordinary
    assert "zyzzyva" not in repr((learned.ordinary, labels)).lower()
    assert [each.url for each in labels if each.is_known] == [example]


def test_yes_and_no_change_what_is_next(web: tuple[TopicalWeb, OwnSite], tmp_path: Path) -> None:
    """At rest, and so for the crawl that goes on: what waits is judged anew before it begins."""
    pages, site = web
    one, other = pages.kinds[:2]
    make_topic("fish", pages=[site.url(path) for path in sorted(pages.of(one))[:3]], dir=tmp_path)
    crawl(tmp_path, [site.url("/")], {**_FOR_TOPIC, "crawl.max_pages": 40})
    with open_collection(tmp_path) as collection:
        known = [page.url for page in collection.pages()]
    paths = {url: url.removeprefix(site.origin) for url in known}
    no = [url for url in known if paths[url] in pages.of(one)][:12]
    teach_topic("fish", no, "no", tmp_path)
    make_topic("fish", pages=[site.url(path) for path in sorted(pages.of(other))[:6]], dir=tmp_path)
    before = len(site.asked())
    crawl(tmp_path, [site.url("/")], {**_FOR_TOPIC, "crawl.max_pages": 80})
    asked = [path for path, _ in site.asked(before)][6:]
    of_other = sum(path in pages.of(other) for path in asked)
    assert of_other > sum(path in pages.of(one) for path in asked)
    assert of_other >= len(asked) / 3


@pytest.mark.slow  # the crawl goes on while it is taught: on a busy machine it may be over before
def test_what_is_said_while_it_runs_is_learned_without_a_restart(
    web: tuple[TopicalWeb, OwnSite], tmp_path: Path
) -> None:
    pages, site = web
    one, other = pages.kinds[2:4]
    make_topic("fish", pages=[site.url(path) for path in sorted(pages.of(one))[:3]], dir=tmp_path)
    running = list[RunningCrawl]()

    def teach() -> None:
        while not running or running[0].progress.fetched < 25:
            time.sleep(0.05)
        with open_collection(tmp_path) as collection:
            known = [page.url for page in collection.pages()]
        no = [url for url in known if url.removeprefix(site.origin) in pages.of(one)]
        yes = [site.url(path) for path in sorted(pages.of(other))[:5]]
        told = teach_topic("fish", no, "no", tmp_path), teach_topic("fish", yes, "yes", tmp_path)
        assert all(each.running for each in told)

    teacher = Thread(target=teach)
    teacher.start()
    before = len(site.asked())
    settings = {**_FOR_TOPIC, "crawl.max_pages": 120, "politeness.delay": 0.1}
    crawl(tmp_path, [site.url("/")], settings, started=running.append)
    teacher.join()
    last = [path for path, _ in site.asked(before)][-40:]
    assert sum(path in pages.of(other) for path in last) >= 10
    [line] = topics(tmp_path)
    assert line.yes >= 5
    assert line.no >= 3


def test_explain_search_and_report_say_why(web: tuple[TopicalWeb, OwnSite], tmp_path: Path) -> None:
    pages, site = web
    kind = pages.kinds[4]
    wanted = sorted(pages.of(kind))
    make_topic("fish", pages=[site.url(path) for path in wanted[:5]], dir=tmp_path)
    settings = {**_FOR_TOPIC, "crawl.max_pages": 40, "index.follow": "yes"}
    summary = crawl(tmp_path, [site.url("/")], settings)
    assert summary.status.topic is not None
    assert summary.status.topic.pages == 40
    with open_collection(tmp_path) as collection:
        [judged] = collection.explain(site.url(wanted[0])).topics
        found = {result.url for result in collection.search("topic:fish", limit=50)}
        lines = [line.says for line in collection.explain(site.url(wanted[0])).lines]
    assert judged.on_topic
    assert judged.said == "yes"
    best = {each.word for each in judged.words if each.weight > 0}
    assert best & set(pages.own_words(kind))
    assert any("on the topic fish" in line for line in lines)
    assert found
    assert sum(url.removeprefix(site.origin) in pages.of(kind) for url in found) > len(found) / 2
    report = topic_report("fish", tmp_path, [site.url(path) for path in wanted])
    assert report.on_topic == len(found)
    assert 0 < (report.recall or 0) < 1
    assert report.hubs
    assert report.domains[0].on_topic == len(found)


def test_what_was_said_and_learned_survives_a_kill(
    web: tuple[TopicalWeb, OwnSite], tmp_path: Path
) -> None:
    """The process ends without a word; what it was told and had learned is there again."""
    pages, site = web
    wanted = sorted(pages.of(pages.kinds[5]))
    make_topic("fish", pages=[site.url(path) for path in wanted[:5]], dir=tmp_path)
    settings = {**_FOR_TOPIC, "crawl.max_pages": 400, "politeness.delay": 0.02}
    process = get_context("spawn").Process(target=crawl, args=(tmp_path, [site.url("/")], settings))
    before = len(site.asked())
    process.start()
    while len(site.asked()) < before + 70:
        time.sleep(0.05)
    process.kill()
    process.join()
    teach_topic("fish", [site.url(wanted[7])], "yes", tmp_path)
    [line] = topics(tmp_path)
    assert line.yes == 5 + (line.waiting == 0)
    with TabletView(tmp_path) as view:
        progress, learned = progress_of(view.table, "fish"), learned_of(view.table, "fish")
    assert progress.read >= 20
    assert learned.model
    assert learned.ordinary
    before = len(site.asked())
    crawl(tmp_path, [], {**_FOR_TOPIC, "crawl.max_pages": 110})
    asked = [path for path, _ in site.asked(before)]
    assert len(asked) == len(set(asked)) > 10
