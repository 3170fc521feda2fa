"""What is counted in which state: the sums add up, and mean the same after a refresh."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.frontier.state.rows import COUNTS_KEY, pack_url, row_of_url_key, unpack_url
from shoal.layout.layout import Layout
from shoal.layout.snapshot import Status
from shoal.maintenance.verify import verifying
from shoal.model.outcome import State
from shoal.model.record import pack, unpack
from shoal.store.table import RocksTable
from tests.crawl.again import refresh
from tests.crawl.counted_site import GULLS, TIDES, archive, counted_site
from tests.crawl.own_site import OwnSite
from tests.crawl.run import crawl

SETTINGS = {"politeness.delay": 0.01, "index.follow": "yes"}


@pytest.fixture
def site() -> Iterator[OwnSite]:
    with counted_site() as running:
        yield running


def adds_up(status: Status) -> None:
    answered = status.fetched + status.unchanged + status.redirect + status.gone + status.source
    assert status.answered == answered
    waits = status.queued + status.in_flight
    assert status.discovered == waits + answered + status.excluded + status.failed
    assert status.fetched == sum(status.fetched_by_fate.values())
    assert status.gone == sum(status.gone_by_status.values())
    assert status.failed == sum(status.failed_by_reason.values())
    assert status.excluded == sum(status.excluded_by_reason.values())
    assert status.inside == sum(status.inside_by_fate.values())
    assert status.indexed == status.fetched_by_fate.get("indexed", 0) + status.kept
    assert status.inside_indexed == status.inside_by_fate.get("indexed", 0)


def test_documents_inside_others_are_counted_apart(site: OwnSite, tmp_path: Path) -> None:
    before = crawl(tmp_path, [site.url("/")], SETTINGS).status
    adds_up(before)
    assert (before.discovered, before.fetched, before.gone) == (11, 10, 1)
    assert (before.inside, before.inside_by_fate) == (5, {"indexed": 5})
    assert (before.indexed, before.inside_indexed, before.stored) == (9, 5, 15)
    site.put("/old.zip", archive(GULLS, TIDES), "application/zip")
    after = refresh(tmp_path, SETTINGS).status
    adds_up(after)
    assert (after.discovered, after.fetched, after.gone) == (11, 10, 1)
    assert (after.inside, after.inside_gone, after.inside_indexed) == (4, 1, 4)
    with open_collection(tmp_path) as collection:
        assert collection.status() == after
        listed = [url.removeprefix(site.origin) for url, _ in collection.urls(state="inside")]
        assert listed == [
            "/old.zip#0.txt",
            "/old.zip#1.txt",
            "/post.mbox#1.eml",
            "/post.mbox#2.eml",
        ]
        assert len(list(collection.urls(state="fetched"))) == after.fetched
        assert f"with {after.fetched} pages of {after.discovered} URLs" in repr(collection)
    site.fail("/old.zip", 410)
    gone = refresh(tmp_path, SETTINGS).status
    adds_up(gone)
    assert (gone.inside, gone.inside_gone, gone.fetched, gone.gone) == (2, 3, 9, 2)


def test_what_an_older_release_counted_with_the_pages(site: OwnSite, tmp_path: Path) -> None:
    """The counts agree with the rows at any time, and a refresh makes them as they are meant."""
    crawl(tmp_path, [site.url("/")], SETTINGS)
    with RocksTable(Layout(tmp_path).table) as table:
        _as_before(table)
    with open_collection(tmp_path) as collection:
        old = collection.status()
        assert (old.fetched, old.unchanged, old.inside) == (14, 1, 0)
    after = refresh(tmp_path, SETTINGS).status
    adds_up(after)
    assert (after.fetched, after.unchanged, after.inside) == (10, 0, 5)
    assert after.fetched_by_fate == {"indexed": 9, "duplicate": 1}
    with verifying(Layout(tmp_path), lambda _: None) as verifier:
        assert list(verifier.findings()) == []


def _as_before(table: RocksTable) -> None:
    """Rows as they were written by a release that knew of no documents inside others, and that
    counted a page apart that was unchanged."""
    batch, counts = table.batch(), dict[str, int]()
    for key, stored in list(table.scan("page", b"")):
        if row_of_url_key(key) is None:
            continue
        url = unpack_url(stored)
        url.inside = False
        if url.reason == "duplicate":
            url.state, url.reason = State.UNCHANGED, ""
        counts[url.counted_as] = counts.get(url.counted_as, 0) + 1
        batch.put("page", key, pack_url(url, 1.0))
    known = unpack(dict[str, int], table.get("site", COUNTS_KEY) or b"")
    totals = {name: n for name, n in known.items() if name.startswith("total/")}
    batch.put("site", COUNTS_KEY, pack(counts | totals))
    table.write(batch)
