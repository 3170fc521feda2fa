"""A place is a cluster by one small file, which is written once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.cluster.objects import open_objects
from shoal.config import load
from shoal.errors import CollectionError, UsageError
from shoal.fleet.cluster_run import Running, per_tablet, remember_settings, run_cluster, seeds_for
from shoal.layout.cluster_file import (
    CLUSTER,
    SETTINGS,
    config_of,
    create,
    directories,
    is_cluster,
    read,
)
from shoal.layout.cluster_status import status_at
from shoal.layout.tablet_place import adopt
from shoal.model.urls.partition import DEFAULT_TABLETS, MOST_TABLETS
from tests.cluster.stores import Bucket

SEED = "http://example.org/"


@pytest.fixture(params=["directory", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "directory":
        yield str(tmp_path / "cluster")
    else:
        request.getfixturevalue("s3")
        bucket: Bucket = request.getfixturevalue("bucket")
        yield bucket.place


def test_it_is_made_once(place: str) -> None:
    made = create(place, 8)
    assert read(place) == made
    assert (made.tablets, len(made.name)) == (8, 8)
    with pytest.raises(UsageError, match="already; start it"):
        create(place, 8)
    assert read(place) == made


def test_it_has_many_tablets_unless_that_is_said(place: str) -> None:
    assert create(place).tablets == DEFAULT_TABLETS


@pytest.mark.parametrize("tablets", [0, -1, MOST_TABLETS + 1])
def test_numbers_that_can_not_be(tablets: int, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1 to 4,096"):
        create(str(tmp_path / "c"), tablets)
    assert not (tmp_path / "c").exists()


def test_what_is_no_cluster(place: str) -> None:
    with pytest.raises(UsageError, match="shoal cluster create"):
        read(place)
    with pytest.raises(UsageError, match="shoal cluster create"):
        status_at(place)
    with pytest.raises(UsageError, match="at least 1 node"):
        run_cluster(place, load(Path("/nowhere"), {}, {}), [], Running(nodes=0))


def test_other_peoples_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UsageError, match="not empty"):
        create(str(tmp_path))
    with pytest.raises(UsageError, match="not empty"):
        create(str(tmp_path / "notes.txt"))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_tablets_that_are_there_are_not_taken_for_its_own(place: str) -> None:
    """Of a split that was killed, say: there might be another number of them."""
    open_objects(place).put("tablets/0000/owners/00000001", b"{}")
    with pytest.raises(UsageError, match="there are tablets in"):
        create(place, 4)


def test_who_was_killed_while_it_was_made_may_begin_again(place: str) -> None:
    open_objects(place).put(SETTINGS, b"")
    assert create(place, 4).tablets == 4


def test_a_file_that_can_not_be_read_or_is_of_another_release(place: str) -> None:
    create(place, 4)
    objects = open_objects(place)
    objects.put(CLUSTER, b'{"schema": 99, "name": "x", "tablets": 4, "made": 0}')
    with pytest.raises(CollectionError, match="another release"):
        read(place)
    objects.put(CLUSTER, b"torn {")
    with pytest.raises(CollectionError, match="can't be read"):
        read(place)


def test_it_is_told_from_a_collection(tmp_path: Path) -> None:
    assert not is_cluster(tmp_path)
    create(str(tmp_path), 2)
    assert is_cluster(tmp_path)


def test_tablets_are_where_their_last_owners_have_them(tmp_path: Path) -> None:
    create(str(tmp_path), 2)
    with pytest.raises(CollectionError, match="never started"):
        directories(tmp_path, 2)
    for number, epoch in ((0, 1), (0, 2), (1, 1)):
        (adopt(tmp_path / "tablets" / f"{number:04}", epoch) / "table").mkdir(exist_ok=True)
        if (number, epoch) == (0, 2):
            with pytest.raises(CollectionError, match="1 have nothing yet"):
                directories(tmp_path, 2)
    assert [path.name for path in directories(tmp_path, 2)] == ["00000002", "00000001"]


def test_what_was_said_at_the_first_start_is_remembered(place: str) -> None:
    create(place, 2)
    said = {"politeness.delay": 3.0, "crawl.seeds": [SEED]}
    remember_settings(place, config_of(place, said, {}))
    assert config_of(place, {}, {}).politeness.delay == 3.0
    assert config_of(place, {"politeness.delay": 4.0}, {}).politeness.delay == 4.0
    remember_settings(place, config_of(place, {"politeness.delay": 5.0}, {}))
    assert config_of(place, {}, {}).politeness.delay == 3.0, "it is for people to edit now"
    assert [link.url for link in seeds_for(place, [], config_of(place, {}, {}))] == [SEED]


def test_what_a_person_wrote_is_not_changed(place: str) -> None:
    create(place, 2)
    open_objects(place).put(SETTINGS, b"[politeness]\ndelay = 7.0\n")
    remember_settings(place, config_of(place, {"crawl.workers": 3}, {}))
    assert open_objects(place).get(SETTINGS) == b"[politeness]\ndelay = 7.0\n"


def test_seeds(place: str) -> None:
    create(place, 2)
    settings = config_of(place, {}, {})
    assert [link.url for link in seeds_for(place, [SEED], settings)] == [SEED]
    with pytest.raises(UsageError, match="name at least one URL"):
        seeds_for(place, [], settings)
    with pytest.raises(UsageError):
        seeds_for(place, ["gopher://example.org/"], settings)
    open_objects(place).put("tablets/0000/owners/00000001", b"{}")
    assert seeds_for(place, [], settings) == [], "there is something to go on with"


def test_limits_are_for_all_together() -> None:
    said = {"crawl.max_pages": 5, "crawl.max_bytes": 6, "crawl.max_time": 7.0}
    one = per_tablet(load(Path("/nowhere"), {**said, "refresh.budget": 100.0}, {}), 4)
    assert one.refresh.budget == 25.0
    assert (one.crawl.max_pages, one.crawl.max_bytes, one.crawl.max_time) == (None, None, None)
    assert one.crawl.children == 1
    assert per_tablet(load(Path("/nowhere"), {"crawl.children": 3}, {}), 4).crawl.children == 3
