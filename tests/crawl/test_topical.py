"""A crawl for a topic: what it brings, what it learns from a person, and what a kill leaves."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from shoal.api import make_topic, show_topic, teach_topic, topics
from shoal.api import open as open_collection
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
    ratios = []
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
        ratios.append(topical / breadth)
    assert min(ratios) >= 1.5, ratios


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
