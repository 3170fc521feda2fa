"""Whatever stands at a place is opened in one way: a collection, or a cluster as if it were one."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.access.indexing import reindex, update_index
from shoal.access.opening import open_collection, tablet_directories
from shoal.access.restored import cache_of
from shoal.cluster.checkpoint import Checkpointer, Tablet
from shoal.cluster.objects import open_objects
from shoal.collection.collection import Collection
from shoal.collection.export.export import known_urls
from shoal.collection.view import TabletView
from shoal.errors import Busy, CollectionError, UsageError
from shoal.layout.cluster_file import create
from shoal.layout.cluster_status import new_status, write_status
from shoal.layout.layout import Layout
from shoal.layout.tablet_place import adopt
from shoal.store.archive_ends import whole_ends
from shoal.store.table import RocksTable
from tests.cluster.stores import s3_bucket
from tests.collection.many import Both, copied

TABLETS = 3
PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def one(both: Both, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With an index of its own, made at once: one that grew knows words of what it has replaced."""
    (copy,) = copied([Layout(both.one)], tmp_path_factory.mktemp("opening"))
    reindex(copy.directory)
    return copy.directory


@pytest.fixture(scope="module")
def shared(one: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cluster on a shared file system."""
    place = str(tmp_path_factory.mktemp("shared") / "cluster")
    shoal.split(one, place, TABLETS)
    update_index(place)
    return place


@pytest.fixture(scope="module")
def stored(one: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster in an object store."""
    with s3_bucket() as bucket, pytest.MonkeyPatch.context() as patch:
        for name, value in bucket.environment.items():
            patch.setenv(name, value)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        shoal.split(one, bucket.place, TABLETS)
        yield bucket.place


@pytest.fixture(params=["shared", "stored"])
def place(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(request.param)
    return found


def whole_at(place: str | Path) -> Collection:
    found = open_collection(place)
    assert isinstance(found, Collection)
    return found


def test_a_collection_is_a_collection(one: Path) -> None:
    with open_collection(one) as found:
        assert isinstance(found, Collection)


def test_a_cluster_says_what_the_collection_says(one: Path, both: Both, place: str) -> None:
    with open_collection(one) as before, whole_at(place) as whole:
        assert [page.url for page in whole.pages()] == [page.url for page in before.pages()]
        assert list(whole.urls()) == list(before.urls())
        assert whole.config.politeness.delay == before.config.politeness.delay
        ours, theirs = whole.status(), before.status()
        assert (ours.discovered, ours.answered, ours.excluded, ours.failed) == (
            *(theirs.discovered, theirs.answered, theirs.excluded, theirs.failed),
        )
        assert ours.fetched_by_fate == theirs.fetched_by_fate
        assert ours.directory == place
        page, same = whole.page(f"{both.sites[1]}/slash/"), before.page(f"{both.sites[1]}/slash/")
        assert page is not None
        assert same is not None
        assert (page.text, page.body, page.headers) == (same.text, same.body, same.headers)
        url = f"{both.sites[3]}/nowhere"
        assert whole.explain(url).verdict == before.explain(url).verdict


def test_a_search_of_a_cluster_finds_the_same_first(one: Path, place: str) -> None:
    with open_collection(one) as before, whole_at(place) as whole:
        for words in ("directory redirects", "things move", "others name without slash"):
            found = whole.search(words, site_limit=0)
            expected = before.search(words, site_limit=0)
            assert found.total == expected.total
            assert [each.url for each in found][:1] == [each.url for each in expected][:1]


def test_urls_say_which_are_indexed(one: Path, place: str) -> None:
    """As `shoal urls` lists them."""
    with open_collection(one) as before, whole_at(place) as whole:
        assert list(known_urls(whole.tablets)) == list(known_urls(before.tablets))


def test_links_and_ranks_of_a_cluster(one: Path, both: Both, shared: str) -> None:
    ranked, expected = shoal.rank(shared, top=5), shoal.rank(one, top=5)
    assert [each.url for each in ranked.pages] == [each.url for each in expected.pages]
    url = f"{both.sites[1]}/slash/"
    assert shoal.links(url, shared).total_in == shoal.links(url, one).total_in
    assert shoal.links(url, shared).score == pytest.approx(shoal.links(url, one).score)


def test_a_checkpoint_is_fetched_and_indexed_once(stored: str) -> None:
    first = tablet_directories(stored)
    index = [each.stat().st_mtime_ns for path in first for each in sorted(path.glob("index/*"))]
    assert index
    assert tablet_directories(stored) == first
    again = [each.stat().st_mtime_ns for path in first for each in sorted(path.glob("index/*"))]
    assert again == index


def test_the_newest_checkpoint_is_read_and_two_are_kept(stored: str) -> None:
    objects = open_objects(stored)
    before = tablet_directories(stored)[0]
    with RocksTable(Layout(before).table, reader=True) as table:
        ends = whole_ends(table)
    for epoch in (1, 2):
        layout = Layout(tablet_directories(stored)[0])
        with RocksTable(layout.table) as table:
            tablet = Tablet(layout, table.checkpoint, lambda: ends, lambda: None)
            Checkpointer(objects, "tablets/0000", epoch, tablet).make()
        newest = tablet_directories(stored)[0]
        assert newest.name.startswith(f"{epoch:08}-")
    kept = sorted(each.name[:8] for each in (cache_of(stored) / "0000").iterdir())
    assert kept == ["00000001", "00000002"]
    with whole_at(stored) as whole:
        assert whole.search("directory").total


def test_a_tablet_that_moved_is_followed(one: Path, both: Both, tmp_path: Path) -> None:
    place = tmp_path / "cluster"
    shoal.split(one, place, 1)
    with whole_at(place) as whole:
        pages = len(list(whole.pages()))
        adopt(place / "tablets" / "0000", 7)
        adopt(place / "tablets" / "0000", 8)
        whole.refresh()
        assert len(list(whole.pages())) == pages
        directory = whole.tablets.ask(0, _directory)
        assert directory.endswith("00000008")


def _directory(view: TabletView) -> str:
    return str(view.layout.directory)


def test_a_cluster_that_was_never_started(tmp_path: Path, stored: str) -> None:
    for place in (str(tmp_path / "new"), f"{stored}/new"):
        create(place, 2)
        with pytest.raises(CollectionError, match="was never started; start it with: shoal"):
            shoal.open(place)


def test_no_cluster_there(stored: str) -> None:
    with pytest.raises(UsageError, match=r"There is no cluster in .*nothing"):
        open_collection(f"{stored}/nothing")


def test_a_collection_is_not_made_in_a_cluster(shared: str) -> None:
    with pytest.raises(CollectionError, match="is a cluster, not a collection; make one"):
        TabletView(Path(shared))


def test_a_running_cluster_is_read_and_not_written_to(one: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "cluster")
    shoal.split(one, place, 2)
    status = new_status("abc", place, 2)
    status.written = 1e12
    write_status(open_objects(place), status)
    assert update_index(place) == 0
    with pytest.raises(Busy, match="runs; stop it with: shoal cluster stop"):
        reindex(place)
    with whole_at(place) as whole:
        assert whole.status().fetched


def test_a_running_cluster_whose_ray_is_gone(stored: str, tmp_path: Path, one: Path) -> None:
    """Its last checkpoints are read."""
    pytest.importorskip("ray", reason="Ray is not installed")
    place = f"{stored}/running"
    shoal.split(one, place, 1)
    status = new_status("abc", place, 1)
    status.written, status.ray_address = 1e12, "no address at all"
    write_status(open_objects(place), status)
    with (
        pytest.warns(UserWarning, match="this is as of their last checkpoints"),
        shoal.open(place) as whole,
    ):
        assert whole.status().fetched


def test_split_and_merge_from_python(one: Path, tmp_path: Path, shared: str) -> None:
    shoal.merge(shared, tmp_path / "again")
    with shoal.open(one) as before, shoal.open(tmp_path / "again") as after:
        assert [page.url for page in after.pages()] == [page.url for page in before.pages()]
    assert not shoal.cluster_status(shared).running
    with pytest.raises(UsageError, match="does not run"):
        shoal.stop_cluster(shared)
    assert shoal.create_cluster(tmp_path / "empty", 5).tablets == 5


def test_ray_is_imported_by_nobody_who_does_not_run_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>A page of this machine.</p>")
    program = f"""
import sys
import shoal
assert "ray" not in sys.modules
shoal.create_cluster, shoal.cluster_status, shoal.split, shoal.open
assert "ray" not in sys.modules
from shoal.cli.main import run
try:
    run(["crawl", "{tmp_path}/page.html", "--dir", "{tmp_path}/corpus", "--quiet"])
except SystemExit as ended:
    assert not ended.code, ended.code
assert "ray" not in sys.modules
assert "obstore" not in sys.modules
"""
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        env={"PYTHONPATH": str(PROJECT / "src"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        timeout=60,
    )
