"""Freshness: totals are totals, samples are samples, and the sum over sites is the collection's."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.collection.report import freshness as report
from shoal.collection.report import sampling
from shoal.collection.report.freshness import Freshness, sampled
from tests.crawl.again import refresh
from tests.crawl.counted_site import MAILS, mailbox, page
from tests.crawl.own_site import OwnSite, own_site
from tests.crawl.run import crawl

SETTINGS = {"politeness.delay": 0.01, "dedupe.near": "no"}
SIZES = (9, 5, 3, 1)


@pytest.fixture
def sites() -> Iterator[list[OwnSite]]:
    """Of nine pages, five, three and one; each has a mailbox besides, which is a page, too."""
    with ExitStack() as stack:
        found = [stack.enter_context(own_site(f"127.44.0.{n}")) for n in range(1, 5)]
        for site, size in zip(found, SIZES, strict=True):
            links = "".join(f"<a href='/{n}'>{n}</a> " for n in range(1, size))
            site.put("/", page("A site of its own. ", links + "<a href='/post.mbox'>post</a>"))
            for number in range(1, size):
                site.put(f"/{number}", page(f"Page {number} of {size} tells of fish. "))
            site.put("/post.mbox", mailbox(*MAILS), "application/mbox")
        yield found


@pytest.fixture
def collected(sites: list[OwnSite], tmp_path: Path) -> Path:
    crawl(tmp_path, [site.url("/") for site in sites], SETTINGS)
    return tmp_path


def sums_up(found: Freshness) -> None:
    others = 0 if found.others is None else found.others.stored
    assert sum(each.stored for each in found.sites) + others == found.stored
    measured = 0 if found.others is None else found.others.pages
    assert sum(each.pages for each in found.sites) + measured == found.now.pages


def test_the_sum_over_sites_is_the_collections(collected: Path) -> None:
    with open_collection(collected) as collection:
        whole, pages = collection.freshness(), collection.status().fetched
        few = report.freshness(collection, sites=2)
        none = report.freshness(collection, sites=0)
    assert [each.stored for each in whole.sites] == [size + 1 for size in SIZES]
    assert (whole.stored, whole.now.pages, whole.others, whole.other_sites) == (pages, 22, None, 0)
    assert few.others is not None
    assert (few.others.stored, few.others.pages, few.other_sites) == (6, 6, 2)
    assert none.others is not None
    assert (none.others.stored, none.other_sites, none.sites) == (22, 4, [])
    for each in (whole, few, none):
        sums_up(each)


def test_a_site_has_all_its_pages_where_some_are_measured(
    collected: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "_MOST_PAGES", 8)
    with open_collection(collected) as collection:
        found = collection.freshness()
    assert found.now.pages <= 8 < found.stored == 22
    assert [each.stored for each in found.sites] == [size + 1 for size in SIZES]
    assert found.by_prior <= found.now.pages
    sums_up(found)


def test_the_dashboards_sample_has_the_totals_too(
    collected: Path, sites: list[OwnSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a refresh: a site's pages are not counted twice."""
    refresh(collected, SETTINGS)
    monkeypatch.setattr(report, "MOST_URLS", 12)
    monkeypatch.setattr(sampling, "MOST_URLS", 12)
    with open_collection(collected) as collection:
        found = sampled(collection)
        some = sampling.sample(next(iter(collection.tablets.ask_all(lambda view: view))))
    assert found.stored == 22
    assert found.now.pages <= 12
    stored = {each.site: each.stored for each in found.sites}
    sizes = {site.origin: size + 1 for site, size in zip(sites, SIZES, strict=True)}
    assert stored == {site: sizes[site] for site in stored}
    sums_up(found)
    assert (some.is_whole, some.discovered) == (False, 22)
    assert some.looked_at <= 12


def test_a_small_collection_is_no_sample(collected: Path) -> None:
    with open_collection(collected) as collection:
        found = sampled(collection)
    assert found.now.pages == found.stored == 22
    sums_up(found)
