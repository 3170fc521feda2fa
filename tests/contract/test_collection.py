"""What a collection can be asked: the same of one tablet, of four here, and of four far away."""

import inspect
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.access.indexing import update_index
from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.collection.tablets import LocalTablets
from shoal.control.controls import Controls
from shoal.layout.cluster_file import directories
from shoal.layout.layout import Layout
from shoal.model.outcome import State
from tests.collection.many import Both, FarTablets

TABLETS = 4

Ask = Callable[[Collection, list[str]], Any]

ASKED: dict[str, Ask] = {
    "alike": lambda c, urls: [c.alike(url, url) for url in urls],
    "anchors": lambda c, urls: [sorted(c.anchors(url)) for url in urls],
    "canonical": lambda c, urls: [c.canonical(url.removeprefix("http://")) for url in urls],
    "config": lambda c, _: c.config.politeness.delay,
    "duplicates": lambda c, urls: [c.duplicates(url) for url in urls],
    "each_anchor": lambda c, urls: [sorted(c.each_anchor(url)) for url in urls],
    "explain": lambda c, urls: [c.explain(url).verdict for url in urls],
    "freshness": lambda c, _: (c.freshness().stored, c.freshness().now.pages),
    "given_up_as": lambda c, urls: [c.given_up_as(c.row(url)) for url in urls],
    "holds": lambda c, urls: [c.holds(c.row(url)) for url in urls],
    "history": lambda c, urls: [[(when, v.status) for when, v in c.history(url)] for url in urls],
    "hosts": lambda c, _: [view.site for view in c.hosts()],
    "is_running": lambda c, _: c.is_running(),
    "lead": lambda c, urls: [c.lead(url) for url in urls],
    "links": lambda c, urls: [c.links(url) for url in urls],
    "mail": lambda c, urls: [c.mail(url) for url in urls],
    "marks": lambda c, urls: [c.marks(url) for url in urls],
    "page": lambda c, urls: [_of(c.page(url)) for url in urls],
    "pages": lambda c, _: [(_of(page), page.fetched, page.document) for page in c.pages()],
    "rank": lambda c, urls: [c.rank(url) for url in urls],
    "row": lambda c, urls: [c.row(url) for url in urls],
    "runs": lambda c, _: [(run.started, run.why, run.asked) for run in c.runs()],
    "search": lambda c, _: (c.search("page").total, {each.url for each in c.search("moved")}),
    "sees_everything": lambda c, _: c.sees_everything(),
    "site_says": lambda c, urls: [c.site_says(url) for url in urls],
    "status": lambda c, _: (c.status().discovered, c.status().fetched_by_fate, c.status().totals),
    "stored_body": lambda c, _: [_body(c, page) for page in c.pages()],
    "stored_text": lambda c, _: [c.stored_text(p.stored.row, p.stored.when) for p in c.pages()],
    "told": lambda c, urls: [c.told(url) for url in urls],
    "urls": lambda c, _: (list(c.urls()), list(c.urls(state=State.GONE))),
}
"""Every method that reads, asked in a way whose answer can be compared."""
OTHERWISE = {"ask", "close", "refresh", "graph_place"}
"""How it is asked, and opened and closed."""


def _of(page: shoal.Page | None) -> object:
    return None if page is None else (page.url, page.title, page.text, page.headers)


def _body(collection: Collection, page: shoal.Page) -> bytes:
    return collection.stored_body(page.stored.row, page.stored.when)


@pytest.fixture(scope="module")
def place(both: Both, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contract")
    shutil.copytree(both.one, folder / "one")
    shoal.split(folder / "one", folder / "cluster", TABLETS)
    update_index(folder / "one")
    update_index(folder / "cluster")
    return folder / "cluster"


@pytest.fixture(scope="module")
def one(place: Path) -> Iterator[Collection]:
    with open_collection(place.parent / "one") as opened:
        yield opened


@pytest.fixture(scope="module")
def here(place: Path) -> Iterator[Collection]:
    with open_collection(place) as opened:
        yield opened


@pytest.fixture(scope="module")
def far(place: Path) -> Iterator[Collection]:
    layouts = [Layout(each) for each in directories(place, TABLETS)]
    with FarTablets(layouts) as tablets:
        yield Collection(tablets, str(place), place)


def test_no_method_is_left_out() -> None:
    public = {name for name, _ in inspect.getmembers(Collection) if not name.startswith("_")}
    assert public == {*ASKED, *OTHERWISE}
    steered = {name for name, _ in inspect.getmembers(Controls) if not name.startswith("_")}
    members = {name for name, _ in inspect.getmembers(shoal.Collection) if name[0] != "_"}
    assert members == {*ASKED, *OTHERWISE, *steered}


def test_groups_end_where_a_tablet_ends(one: Collection, far: Collection) -> None:
    """Pages of a group that another tablet has are known there."""
    grouped = [url for url, _ in one.urls() if one.duplicates(url)]
    assert len(grouped) > 3
    for url in grouped:
        assert set(far.duplicates(url)) <= {*one.duplicates(url), url}
        assert far.lead(url) in {*one.duplicates(url), url}


@pytest.mark.parametrize("name", ASKED)
def test_many_tablets_say_what_one_says(
    name: str, one: Collection, here: Collection, far: Collection
) -> None:
    urls = [url for url, _ in one.urls() if not one.duplicates(url)]
    expected = ASKED[name](one, urls)
    assert ASKED[name](here, urls) == expected
    assert ASKED[name](far, urls) == expected
    assert one.tablets.count == 1
    assert isinstance(far.tablets, LocalTablets)
    assert far.tablets.count == TABLETS
