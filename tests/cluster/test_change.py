"""A collection becomes a cluster, goes on as one, and becomes a collection again."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.cluster.objects import open_objects
from shoal.cluster.restore import restore
from shoal.errors import Busy, CollectionError, UsageError
from shoal.layout.cluster_file import create, is_cluster, read
from shoal.layout.cluster_status import new_status, status_at, write_status
from shoal.model.outcome import State
from shoal.repartition.split_and_merge import merge, split
from tests.cluster.local import Fleet, crawling
from tests.cluster.stores import Bucket
from tests.cluster.worlds import (
    SETTINGS,
    Told,
    many_hosts,
    must_be_polite,
    must_verify,
    places_of,
    seeds_of,
    told_by,
)
from tests.crawl.run import crawl
from tests.views import view_of
from tests.world import Running, repeats

TABLETS = 4


@pytest.fixture(scope="module")
def world() -> Iterator[Running]:
    with many_hosts() as running:
        yield running


@pytest.fixture(scope="module")
def half(world: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that was stopped half-way. Nobody may change it."""
    directory = tmp_path_factory.mktemp("half") / "corpus"
    crawl(directory, seeds_of(world), {**SETTINGS, "crawl.max_pages": 40})
    return directory


@pytest.fixture(scope="module")
def whole(world: Running, tmp_path_factory: pytest.TempPathFactory) -> Told:
    directory = tmp_path_factory.mktemp("whole") / "corpus"
    assert crawl(directory, seeds_of(world), SETTINGS).finished
    return told_by([directory])


@pytest.fixture(params=["directory", pytest.param("s3", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "directory":
        return str(tmp_path / "cluster")
    request.getfixturevalue("s3")
    bucket: Bucket = request.getfixturevalue("bucket")
    return bucket.place


def tablets_at(place: str, folder: Path) -> list[Path]:
    """To be looked at."""
    if "://" not in place:
        return places_of(place, TABLETS)
    for number in range(TABLETS):
        assert restore(open_objects(place), f"tablets/{number:04}", folder / str(number))
    return [folder / str(number) for number in range(TABLETS)]


def test_there_and_back_again(place: str, half: Path, tmp_path: Path) -> None:
    before = told_by([half])
    moved = split(half, place, TABLETS)
    with open_collection(half) as collection:
        assert status_at(place).counts.as_dict() == view_of(collection).frontier.counts().as_dict()
    assert (moved.tablets, moved.urls) == (TABLETS, len(before.urls))
    assert read(place).tablets == TABLETS
    parts = tablets_at(place, tmp_path / "parts")
    must_verify(parts)
    assert told_by(parts) == before
    merge(place, tmp_path / "back")
    must_verify([tmp_path / "back"])
    assert told_by([tmp_path / "back"]) == before == told_by([half])
    assert (tmp_path / "back" / "shoal.toml").read_text() == (half / "shoal.toml").read_text()
    assert not [path.name for path in half.parent.iterdir() if path != half]


def test_a_cluster_goes_on_where_the_collection_was(
    place: str, world: Running, half: Path, whole: Told, tmp_path: Path
) -> None:
    split(half, place, TABLETS)
    before = len(world.log())
    fleet = Fleet(place, [], SETTINGS, TABLETS, work=tmp_path / "work")
    with crawling(fleet):
        fleet.wait_until_quiet()
        fleet.finish()
    log = world.log()[before:]
    known = [url for url, (state, _) in told_by([half]).urls.items() if state is State.FETCHED]
    assert log
    assert not {request.url for request in log if not request.is_robots} & set(known)
    assert repeats(log) == {}
    must_be_polite(log)
    merge(place, tmp_path / "back")
    must_verify([tmp_path / "back"])
    found = told_by([tmp_path / "back"])
    assert found.urls == whole.urls
    assert found.bodies == whole.bodies
    assert found.anchors == whole.anchors
    assert crawl(tmp_path / "back", [], {**SETTINGS, "crawl.max_pages": 1000}).finished
    assert len(world.log()) == before + len(log), "nothing was left to do"


# --- what goes wrong ------------------------------------------------------------------------------

PROGRAM = """
import sys
from pathlib import Path
from shoal.repartition.split_and_merge import merge, split
if len(sys.argv) > 3:
    split(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
else:
    merge(sys.argv[1], Path(sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("kind", "point"),
    [
        ("directory", "repartition.middle"),
        ("directory", "repartition.renaming"),
        pytest.param("s3", "checkpoint.published", marks=pytest.mark.slow),
    ],
)
def test_a_kill_leaves_no_cluster_and_one_may_begin_again(
    kind: str, point: str, half: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = str(tmp_path / "cluster")
    if kind == "s3":
        request.getfixturevalue("s3")
        bucket: Bucket = request.getfixturevalue("bucket")
        place = bucket.place
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(half), place, "3"],
        env={**os.environ, "SHOAL_FAULT": point},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    with pytest.raises(UsageError, match="no cluster"):
        read(place)
    with pytest.raises(UsageError, match="no cluster"):
        merge(place, tmp_path / "back")
    split(half, place, TABLETS)
    parts = tablets_at(place, tmp_path / "parts")
    must_verify(parts)
    assert told_by(parts) == told_by([half])


@pytest.mark.parametrize(
    ("point", "is_made"), [("repartition.middle", False), ("repartition.renaming", True)]
)
def test_a_killed_merge_leaves_a_whole_collection_or_none(
    point: str, is_made: bool, half: Path, tmp_path: Path
) -> None:
    place, target = str(tmp_path / "cluster"), tmp_path / "back"
    split(half, place, TABLETS)
    own = b'[agent]\ncontact = "https://example.org/"\n'
    (tmp_path / "cluster" / "shoal.toml").write_bytes(own)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, place, str(target)],
        env={**os.environ, "SHOAL_FAULT": point},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    assert target.exists() == is_made
    if not is_made:
        merge(place, target)
    assert (target / "shoal.toml").read_bytes() == own
    must_verify([target])
    assert sorted(each.name for each in tmp_path.iterdir()) == ["back", "cluster"]


def test_a_running_cluster_is_not_merged(place: str, tmp_path: Path) -> None:
    create(place, 2)
    status = new_status("x", place, 2)
    status.written = 1e12
    write_status(open_objects(place), status)
    with pytest.raises(Busy, match="shoal cluster stop"):
        merge(place, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_tablet_that_somebody_writes_to_is_not_merged(
    world: Running, half: Path, tmp_path: Path
) -> None:
    """Though nobody says that the cluster runs."""
    place = str(tmp_path / "cluster")
    split(half, place, TABLETS)
    fleet = Fleet(place, [], SETTINGS, TABLETS)
    before = len(world.log())
    with crawling(fleet):
        world.wait(before + 10)
        with pytest.raises(Busy):
            merge(place, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_cluster_that_was_never_started_is_not_merged(place: str, tmp_path: Path) -> None:
    create(place, 2)
    with pytest.raises(CollectionError):
        merge(place, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_what_can_not_be_split(half: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1 to"):
        split(half, str(tmp_path / "cluster"), 0)
    with pytest.raises(CollectionError, match="no collection"):
        split(tmp_path / "none", str(tmp_path / "cluster"), 2)
    assert not is_cluster(tmp_path / "cluster")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(UsageError, match="not empty"):
        split(half, str(tmp_path / "full"), 2)
    create(str(tmp_path / "there"), 2)
    with pytest.raises(UsageError, match="already"):
        split(half, str(tmp_path / "there"), 2)
