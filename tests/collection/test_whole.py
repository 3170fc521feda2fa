"""A cluster says of its pages what one collection says of them, and keeps what may not be read."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.collection import slices
from shoal.collection.collection import Collection
from shoal.collection.questions import url_slice
from shoal.collection.report.hosts import host_lines
from shoal.collection.report.status_sum import summed
from shoal.collection.slices import in_order
from shoal.collection.tablets import LocalTablets, owner_of
from shoal.errors import UsageError
from shoal.layout.snapshot import Live, Status
from shoal.model.outcome import State
from shoal.model.principal import OWNER, PUBLIC
from shoal.model.urls.rowkey import row_key, url_of
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.collection.many import Both, FarTablets, copied
from tests.views import view_of


@pytest.fixture(scope="module")
def one(both: Both) -> Iterator[Collection]:
    with open_collection(both.one) as collection:
        yield collection


@pytest.fixture(scope="module")
def whole(both: Both) -> Iterator[Collection]:
    with FarTablets(both.many) as tablets:
        yield Collection(tablets, "the reef")


def test_all_tablets_have_pages(both: Both, one: Collection) -> None:
    """Or the rest of this suite says nothing."""
    with LocalTablets(both.many) as tablets:
        owners = {owner_of(tablets, page.stored.row) for page in one.pages()}
        assert len(owners) == tablets.count


def test_every_page_with_its_text_and_its_bytes(one: Collection, whole: Collection) -> None:
    found = list(whole.pages())
    assert [page.stored for page in found] == [page.stored for page in one.pages()]
    for page, same in zip(found, one.pages(), strict=True):
        assert (page.text, page.body) == (same.text, same.body)


def test_a_part_of_the_pages(both: Both, one: Collection, whole: Collection) -> None:
    where = both.sites[3]
    assert [page.url for page in whole.pages(where)] == [page.url for page in one.pages(where)]
    assert [page.url for page in whole.pages(status=404)] == []
    with pytest.raises(UsageError, match="not understood"):
        next(whole.pages("a b"))


def test_every_url_in_row_order(one: Collection, whole: Collection) -> None:
    assert list(whole.urls()) == list(one.urls())
    gone = list(whole.urls(state=State.GONE))
    assert gone == list(one.urls(state=State.GONE))
    assert gone


def test_what_is_known_of_each_page(one: Collection, whole: Collection) -> None:
    for url, _ in one.urls():
        assert whole.row(url) == one.row(url)
        assert whole.history(url) == one.history(url)
        assert whole.links(url) == one.links(url)
        said = view_of(one).store.anchors(one.row(url), OWNER)
        assert whole.anchors(url) == [(url_of(by), anchor.text) for by, _, anchor in said]
        assert whole.marks(url) == one.marks(url)


def test_explained_by_the_tablet_that_has_it(
    both: Both, one: Collection, whole: Collection
) -> None:
    for path in ("/target", "/nowhere", "/never"):
        url = f"{both.sites[3]}{path}"
        assert whole.explain(url) == one.explain(url)


def test_a_url_without_its_scheme_or_slash(both: Both, whole: Collection) -> None:
    bare = both.sites[1].removeprefix("http://")
    assert whole.canonical(f"{bare}/slash/") == f"{both.sites[1]}/slash/"
    page = whole.page(f"{both.sites[1]}/slash")
    assert page is not None
    assert page.url == f"{both.sites[1]}/slash/"
    assert whole.page(f"{both.sites[1]}/never") is None


def test_counts_add_up(one: Collection, whole: Collection) -> None:
    status = whole.status()
    assert status.directory == "the reef"
    for name in ("discovered", "queued", "answered", "fetched", "redirect", "gone", "failed"):
        assert getattr(status, name) == getattr(one.status(), name), name
    assert status.totals == one.status().totals
    parts = (status.queued, status.in_flight, status.answered, status.excluded, status.failed)
    assert status.discovered == sum(parts) + status.source
    assert status.fetched == sum(status.fetched_by_fate.values())
    assert "the reef" in repr(whole)


def test_hosts(one: Collection, whole: Collection) -> None:
    assert [view.site for view in whole.hosts()] == [view.site for view in one.hosts()]
    assert [view.row for view in whole.hosts()] == [view.row for view in one.hosts()]
    assert len(list(host_lines(one))) == len(list(whole.hosts()))


def test_crawls_that_run_are_summed() -> None:
    def status(rate: float, idle: str, end: float | None) -> Status:
        live = Live(1, 5.0, 9.0, rate, 2, 1, 3, 1, 4, 10, 0, 1, 100, idle, end, "", [], ["a"])
        counts = (3, 0, 0, 3, 3, 0, 0, 0, 0, 0)
        return Status("x", True, *counts, {"indexed": 3}, {}, {}, {}, {"bytes": 7}, live)

    found = summed([status(1.5, "waits", 20.0), status(2.0, "waits", None), status(3, "", 5)], "c")
    assert found.live is not None
    assert (found.live.pages_per_second, found.live.idle) == (6.5, "waits")
    assert found.live.projected_end is None
    assert (found.running, found.discovered, found.fetched_by_fate) == (True, 9, {"indexed": 9})


def test_slices_are_small_and_leave_nothing_out(
    one: Collection, whole: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = list(view_of(one).frontier.urls(b"\x01", None))
    with monkeypatch.context() as patch:
        patch.setattr(slices, "SLICE_BYTES", 1000)
        assert list(in_order(whole.tablets, url_slice, b"\x01", b"\xff", None)) == every
        for tablet in range(whole.tablets.count):
            assert len(whole.tablets.ask(tablet, url_slice, b"\x01", b"\xff", None).items) < 4
    first = list(islice(in_order(whole.tablets, url_slice, b"\x01", b"\xff", None), 2))
    assert first == every[:2]


def test_nobody_is_named_to_who_may_not_read_it(both: Both, tmp_path: Path) -> None:
    """The page that links is another tablet's than the one that is linked to."""
    target, source = f"{both.sites[1]}/slash/", f"{both.sites[3]}/target"
    copies = copied(both.many, tmp_path)
    with LocalTablets(both.many) as tablets:
        owner = owner_of(tablets, row_key(source))
        assert owner != owner_of(tablets, row_key(target))
    with RocksTable(copies[owner].table) as table:
        store = PageStore(table, copies[owner].warc)
        batch = store.batch()
        store.amend(batch, row_key(source), 1.0, ["ada"])
        store.commit(batch)
    linking = {}
    for principal in (OWNER, PUBLIC):
        with LocalTablets(copies, principal) as tablets:
            whole = Collection(tablets)
            linking[principal] = {url for url, _ in whole.anchors(target)}
            assert (whole.page(source) is None) == (principal is PUBLIC)
    assert linking[OWNER] - linking[PUBLIC] == {source}
    assert linking[PUBLIC]
