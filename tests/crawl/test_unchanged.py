"""A page that is unchanged is still the page that it was: what it is counted as, and whether it is
found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.outcome import State
from tests.crawl.again import refresh
from tests.crawl.own_site import OwnSite, own_site
from tests.crawl.run import crawl

FAST = {"politeness.delay": 0.01, "index.follow": "yes"}
REEF = "The parrotfish of the outer reef sleep in a cocoon, and grind the coral to sand by day. "
WRECK = "A ketch lies on the bank since the winter of the long frost, and nobody claims its bell. "


def page(tale: str, links: str = "") -> str:
    return f"<title>{tale[:20]}</title><main><p>{tale * 3}</p></main>{links}"


@pytest.fixture
def site() -> Iterator[OwnSite]:
    with own_site() as running:
        links = "".join(f"<a href='/{name}'>{name}</a> " for name in ("reef", "twin", "wreck"))
        running.put("/", page("The harbour master keeps a book of ships. ", links))
        running.put("/reef", page(REEF))
        running.put("/twin", page(REEF))
        running.put("/wreck", page(WRECK))
        yield running


def is_whole(directory: Path) -> None:
    with verifying(Layout(directory), lambda _: None) as verifier:
        assert list(verifier.findings()) == []


def found(directory: Path, words: str) -> list[str]:
    with open_collection(directory) as collection:
        return [each.url for each in collection.search(words)]


def submit(directory: Path, url: str) -> None:
    with open_collection(directory) as collection:
        collection.submit(url)
    assert crawl(directory, [], FAST).finished


def test_it_keeps_its_fate_and_is_counted_once(site: OwnSite, tmp_path: Path) -> None:
    before = crawl(tmp_path, [site.url("/")], FAST).status
    assert before.fetched_by_fate == {"indexed": 3, "duplicate": 1}
    for _ in range(2):
        after = refresh(tmp_path, FAST).status
        assert (after.fetched, after.unchanged, after.answered) == (4, 0, 4)
        assert after.fetched_by_fate == before.fetched_by_fate
        assert after.indexed == 3
    assert [status for _, status in site.asked(4)] == [304] * 8
    with open_collection(tmp_path) as collection:
        assert [host.row.fetched for host in collection.hosts()] == [4], "as many as there are"
    is_whole(tmp_path)


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_was_given_up_is_found_again(
    site: OwnSite, tmp_path: Path, status: int
) -> None:
    """It is asked for without conditions: it must be judged anew."""
    given_up = {**FAST, "refresh.keep_missing": 0.0}
    crawl(tmp_path, [site.url("/")], FAST)
    site.fail("/wreck", status)
    gone = refresh(tmp_path, given_up).status
    assert (gone.fetched, gone.gone) == (3, 1)
    assert found(tmp_path, "ketch") == []
    site.put("/wreck", page(WRECK))
    submit(tmp_path, site.url("/wreck"))
    assert site.asked()[-1] == ("/wreck", 200)
    assert found(tmp_path, "ketch") == [site.url("/wreck")]
    again = refresh(tmp_path, FAST).status
    assert again.fetched_by_fate == {"indexed": 3, "duplicate": 1}
    is_whole(tmp_path)


def test_also_where_the_server_says_304_without_being_asked(site: OwnSite, tmp_path: Path) -> None:
    crawl(tmp_path, [site.url("/")], FAST)
    site.fail("/wreck", 410)
    refresh(tmp_path, FAST)
    assert found(tmp_path, "ketch") == []
    site.fail("/wreck", 304)
    submit(tmp_path, site.url("/wreck"))
    assert site.asked()[-1] == ("/wreck", 304)
    assert found(tmp_path, "ketch") == [site.url("/wreck")]
    with open_collection(tmp_path) as collection:
        assert collection.status().fetched_by_fate == {"indexed": 3, "duplicate": 1}
    is_whole(tmp_path)


def test_a_representative_that_flaps_has_its_place_again(site: OwnSite, tmp_path: Path) -> None:
    """While it was away another stood for its group: after that one of them is found, not two."""
    crawl(tmp_path, [site.url("/")], FAST)
    [first] = found(tmp_path, "parrotfish")
    path = first.removeprefix(site.origin)
    site.fail(path, 404)
    refresh(tmp_path, FAST)
    site.put(path, page(REEF))
    after = refresh(tmp_path, FAST).status
    assert after.fetched_by_fate == {"indexed": 3, "duplicate": 1}
    assert (after.fetched, after.gone, after.indexed) == (4, 0, 3)
    assert len(found(tmp_path, "parrotfish")) == 1
    is_whole(tmp_path)


def test_a_page_that_did_not_answer_and_is_unchanged_is_fetched_again(
    site: OwnSite, tmp_path: Path
) -> None:
    crawl(tmp_path, [site.url("/")], FAST)
    site.fail("/wreck", 403)
    failed = refresh(tmp_path, FAST).status
    assert (failed.fetched, failed.failed, failed.indexed) == (3, 1, 3), "its copy is kept"
    site.put("/wreck", page(WRECK))
    after = refresh(tmp_path, FAST).status
    assert site.asked()[-1][1] == 304
    assert (after.fetched, after.failed) == (4, 0)
    assert after.fetched_by_fate == {"indexed": 3, "duplicate": 1}
    with open_collection(tmp_path) as collection:
        assert [(host.row.fetched, host.row.failed) for host in collection.hosts()] == [(4, 0)]
    is_whole(tmp_path)


def test_what_was_unchanged_at_its_last_visit_is_listed(site: OwnSite, tmp_path: Path) -> None:
    crawl(tmp_path, [site.url("/")], FAST)
    site.put("/wreck", page(WRECK + "The bell was stolen. "))
    refresh(tmp_path, FAST)
    with open_collection(tmp_path) as collection:
        unchanged = [url for url, _ in collection.urls(state=State.UNCHANGED)]
        fetched = [url for url, _ in collection.urls(state=State.FETCHED)]
    assert unchanged == [site.url(path) for path in ("/", "/reef", "/twin")]
    assert fetched == [site.url(path) for path in ("/", "/reef", "/twin", "/wreck")]
