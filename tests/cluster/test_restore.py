"""A tablet comes back from the newest checkpoint that is whole, or not at all."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.cluster.manifest import Manifest, decode, encode
from shoal.cluster.objects import Objects, StoreFault, open_objects
from shoal.cluster.restore import restore
from shoal.errors import CollectionError, DamagedError
from shoal.model.record import changed
from tests.cluster.tablet import ARCHIVE_FILE, PREFIX, Failing, SmallTablet, outage, state_of

NEWEST = "checkpoints/00000001-00000002"


@pytest.fixture(scope="module")
def two_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Manifest]]:
    """Of 200 rows and of 201."""
    directory = tmp_path_factory.mktemp("checkpoints")
    tablet = SmallTablet(directory / "first")
    for number in range(1, 201):
        tablet.write(number)
    checkpointer = tablet.checkpointer(open_objects(str(directory / "store")), 1)
    made = [checkpointer.make()]
    tablet.write(201)
    made.append(checkpointer.make())
    tablet.close()
    return directory, made


@pytest.fixture
def made(two_checkpoints: tuple[Path, list[Manifest]], tmp_path: Path) -> list[Manifest]:
    """A copy of them, to be damaged."""
    shutil.copytree(two_checkpoints[0], tmp_path, dirs_exist_ok=True)
    return two_checkpoints[1]


@pytest.fixture
def store(made: list[Manifest], tmp_path: Path) -> Objects:
    assert made
    return open_objects(str(tmp_path / "store"))


def test_nothing_was_ever_stored(tmp_path: Path) -> None:
    store = open_objects(str(tmp_path / "store"))
    assert restore(store, PREFIX, tmp_path / "second") is None
    assert not (tmp_path / "second").exists()


def newest_object(made: list[Manifest], ending: str) -> str:
    """Of the second checkpoint alone."""
    return min(key for key in made[1].keys() - made[0].keys() if ending in key)


def flip(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize(
    ("what", "harm"),
    [
        (NEWEST, flip),
        (NEWEST, lambda data: data[:40]),
        (".sst", flip),
        (".sst", None),
        ("warc/", lambda data: data[:-1]),
        ("MANIFEST", lambda _: b""),
    ],
    ids=["manifest", "half a manifest", "table", "table gone", "archive cut", "table's manifest"],
)
def test_a_damaged_checkpoint_is_passed_over_and_told(
    store: Objects,
    made: list[Manifest],
    what: str,
    harm: Callable[[bytes], bytes] | None,
    tmp_path: Path,
) -> None:
    key = f"{PREFIX}/{what if what == NEWEST else newest_object(made, what)}"
    if harm is None:
        store.delete([key])
    else:
        store.put(key, harm(store.get(key)))
    told: list[str] = []
    assert restore(store, PREFIX, tmp_path / "second", progress=told.append) == made[0]
    assert len(told) == 1
    assert "00000001-00000002 of tablets/007 is damaged and passed over" in told[0]
    assert state_of(tmp_path / "second") == 200


def test_when_all_are_damaged_no_empty_tablet_is_made(
    store: Objects, made: list[Manifest], tmp_path: Path
) -> None:
    for manifest in made:
        store.put(f"{PREFIX}/checkpoints/{manifest.name}", b"junk")
    with pytest.raises(DamagedError, match="Every checkpoint"):
        restore(store, PREFIX, tmp_path / "second")
    assert not (tmp_path / "second").exists()


def test_an_owner_at_work_is_no_damage(
    store: Objects, made: list[Manifest], tmp_path: Path
) -> None:
    """Somebody else restores, to read: meanwhile what it fetches is replaced and deleted."""
    tablet = SmallTablet(tmp_path / "first")
    checkpointer = tablet.checkpointer(store, 1)

    class Slow(Failing):
        def get(self, key: str) -> bytes:
            data = super().get(key)
            if key.endswith(NEWEST):
                for number in (202, 203, 204):
                    tablet.write(number)
                    checkpointer.make()
            return data

    told: list[str] = []
    slow = Slow(store, outage(), 0, False)
    assert restore(slow, PREFIX, tmp_path / "second", progress=told.append) is not None
    tablet.close()
    assert told == []
    assert made[1].name != "00000001-00000005"
    assert state_of(tmp_path / "second") == 204


def test_an_outage_is_no_damage(store: Objects, made: list[Manifest], tmp_path: Path) -> None:
    """Else a moment without the network would throw away what was acknowledged."""
    for at in range(1, 8):
        with pytest.raises(StoreFault):
            restore(Failing(store, outage(), at, False), PREFIX, tmp_path / "second")
        assert not (tmp_path / "second").exists()
        assert not (tmp_path / "second.partial").exists()
    assert restore(store, PREFIX, tmp_path / "second") == made[1]


def test_what_a_former_life_has_is_not_fetched(
    store: Objects, made: list[Manifest], tmp_path: Path
) -> None:
    watched = Failing(store, outage(), 0, False)
    first, second = tmp_path / "first", tmp_path / "second"
    damaged = min((first / "table").glob("*.sst"))
    damaged.write_bytes(flip(damaged.read_bytes()))
    with (first / "warc" / ARCHIVE_FILE).open("ab") as file:
        file.write(b"half a rec")
    assert restore(watched, PREFIX, second, [tmp_path / "none", first]) == made[1]
    fetched = [key for key in watched.fetched if "sst" in key or "warc" in key]
    assert [key.rpartition("/")[2] for key in fetched] == [damaged.name]
    linked = {
        path.suffix for path in second.rglob("*") if path.is_file() and path.stat().st_nlink > 1
    }
    assert linked == {".sst"}, "the writer of the others may still be alive"
    assert state_of(second) == 201


def test_nothing_is_restored_over_what_is_there(
    store: Objects, made: list[Manifest], tmp_path: Path
) -> None:
    with pytest.raises(CollectionError, match="is not empty"):
        restore(store, PREFIX, tmp_path / "first")
    (tmp_path / "second").mkdir()
    (tmp_path / "second.partial").mkdir()
    (tmp_path / "second.partial" / "left by a kill").touch()
    assert restore(store, PREFIX, tmp_path / "second") == made[1]
    assert state_of(tmp_path / "second") == 201


def test_a_manifest_can_not_name_files_elsewhere(made: list[Manifest]) -> None:
    file = changed(made[0].files[0], name="../../elsewhere")
    assert decode(encode(made[0])) == made[0]
    with pytest.raises(DamagedError, match="can't be read"):
        decode(encode(changed(made[0], files=[file])))
