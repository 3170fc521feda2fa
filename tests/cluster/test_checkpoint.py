"""A checkpoint is whole or not there, whatever happens while it is made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.cluster.manifest import LOCAL_NAME
from shoal.cluster.objects import Objects, StoreFault, open_objects
from shoal.cluster.restore import restore
from shoal.errors import CollectionError, Fenced
from tests.cluster.tablet import (
    ARCHIVE_FILE,
    PREFIX,
    Failing,
    Killed,
    SmallTablet,
    outage,
    state_of,
)


@pytest.fixture
def store(tmp_path: Path) -> Objects:
    return open_objects(str(tmp_path / "store"))


@pytest.fixture
def tablet(tmp_path: Path) -> Iterator[SmallTablet]:
    made = SmallTablet(tmp_path / "first")
    yield made
    made.close()


def keys(objects: Objects) -> list[str]:
    return [key.removeprefix(PREFIX + "/") for key, _ in objects.names(PREFIX)]


def restored(objects: Objects, into: Path) -> int:
    assert restore(objects, PREFIX, into) is not None
    return state_of(into)


def test_what_was_there_comes_back(objects: Objects, tablet: SmallTablet, tmp_path: Path) -> None:
    (tablet.place.directory / "shoal.toml").write_text("[crawl]\n", encoding="utf-8")
    for number in range(1, 101):
        tablet.write(number)
    made = tablet.checkpointer(objects, 1).make()
    tablet.write(101)
    assert restore(objects, PREFIX, tmp_path / "second") == made
    assert state_of(tmp_path / "second") == 100
    assert (tmp_path / "second" / "shoal.toml").read_text(encoding="utf-8") == "[crawl]\n"
    assert sorted(path.name for path in tmp_path.iterdir() if "partial" in path.name) == []
    assert sorted(path.name for path in (tmp_path / "first").iterdir()) == [
        *(LOCAL_NAME, "shoal.toml", "table", "warc")
    ]


def test_only_what_is_new_is_uploaded(store: Objects, tablet: SmallTablet, tmp_path: Path) -> None:
    for number in range(1, 2001):
        tablet.write(number)
    checkpointer = tablet.checkpointer(store, 1)
    first = checkpointer.make()
    tablet.write(2001)
    second = checkpointer.make()
    assert first.uploaded > 100_000
    assert second.uploaded < 20_000
    assert {file.name for file in first.files} & {file.name for file in second.files} >= {
        file.name for file in first.files if file.name.endswith(".sst")
    }
    added = [piece for file in second.files for piece in file.pieces if file.name[:5] == "warc/"]
    assert [piece.size for piece in added] == [14 * 2000, 14]
    assert restored(store, tmp_path / "second") == 2001


def test_a_restored_tablet_uploads_nothing_again(
    store: Objects, tablet: SmallTablet, tmp_path: Path
) -> None:
    for number in range(1, 501):
        tablet.write(number)
    first = tablet.checkpointer(store, 1).make()
    restore(store, PREFIX, tmp_path / "second")
    second = SmallTablet(tmp_path / "second")
    made = second.checkpointer(store, 2).make()
    second.close()
    before = {file.name: file for file in first.files}
    after = {file.name: file for file in made.files}
    kept = [name for name in before if name.endswith(".sst")]
    assert kept
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert after[f"warc/{ARCHIVE_FILE}"] == before[f"warc/{ARCHIVE_FILE}"]
    assert restored(store, tmp_path / "third") == 500


def test_no_row_points_past_the_copy(store: Objects, tablet: SmallTablet, tmp_path: Path) -> None:
    """The crawl goes on while a checkpoint is made; records without rows are not copied."""
    tablet.write(1)
    tablet.write(2, told=False)
    snapshot, order = tablet.table.checkpoint, []

    def slow_snapshot(path: Path) -> None:
        snapshot(path)
        order.append("snapshot")
        batch = tablet.table.batch()
        batch.put("page", b"%06d" % 2, b"")
        batch.put("queue", b"%06d" % 2, b"")
        tablet.table.write(batch)
        tablet.write(3, told=False)

    tablet.table.checkpoint = slow_snapshot  # type: ignore[method-assign]
    tablet.checkpointer(store, 1).make()
    assert order == ["snapshot"]
    assert restored(store, tmp_path / "second") == 1
    copied = (tmp_path / "second" / "warc" / ARCHIVE_FILE).read_bytes()
    assert copied == b"record 000001\nrecord 000002\n"


def test_what_no_checkpoint_needs_is_deleted(store: Objects, tablet: SmallTablet) -> None:
    store.put(f"{PREFIX}/data/table/00000000/000009.sst", b"left by a kill")
    store.put(f"{PREFIX}/owners/00000001", b"not ours to delete")
    checkpointer = tablet.checkpointer(store, 1)
    made = []
    for number in range(1, 7):
        tablet.write(number)
        if number == 4:
            tablet.table.compact()
        made.append(checkpointer.make())
    assert set(keys(store)) == made[-1].keys() | made[-2].keys() | {"owners/00000001"}
    assert [manifest.number for manifest in made] == [1, 2, 3, 4, 5, 6]


def test_an_archive_file_that_is_gone_is_forgotten(store: Objects, tablet: SmallTablet) -> None:
    tablet.write(1)
    checkpointer = tablet.checkpointer(store, 1)
    checkpointer.make()
    (tablet.place.warc / ARCHIVE_FILE).unlink()
    assert not [file for file in checkpointer.make().files if file.name.startswith("warc/")]


def test_a_directory_that_was_not_restored_is_refused(
    store: Objects, tablet: SmallTablet, tmp_path: Path
) -> None:
    """Its first checkpoint would delete everything."""
    tablet.write(1)
    tablet.checkpointer(store, 1).make()
    stranger = SmallTablet(tmp_path / "stranger")
    with pytest.raises(CollectionError, match="not made from"):
        stranger.checkpointer(store, 2).make()
    stranger.close()
    assert restored(store, tmp_path / "second") == 1


def run_until_killed(failing: Failing, directory: Path) -> tuple[int, int]:
    """A life of four checkpoints; returns how much was acknowledged and written at its end."""
    acknowledged = written = 0
    tablet = SmallTablet(directory)
    try:
        checkpointer = tablet.checkpointer(failing, 1)
        for number in range(1, 5):
            tablet.write(number)
            written = number
            checkpointer.make()
            acknowledged = number
    except Killed:
        return acknowledged, written
    finally:
        tablet.close()
    return acknowledged, written


def kill_and_go_on(store: Objects, at: int, after: bool, tmp_path: Path) -> bool:
    """Whether there was anything left to kill."""
    first, second, third = (tmp_path / f"{at}" / name for name in ("first", "second", "third"))
    failing = Failing(store, Killed(), at, after)
    acknowledged, written = run_until_killed(failing, first)
    found = restore(store, PREFIX, second, [first])
    state = state_of(second) if found is not None else 0
    assert acknowledged <= state <= written, "what was acknowledged is lost"
    tablet = SmallTablet(second)
    tablet.write(state + 1)
    checkpointer = tablet.checkpointer(store, 2)
    made = [checkpointer.make(), checkpointer.make()]
    tablet.close()
    assert set(keys(store)) == made[0].keys() | made[1].keys(), "the kill left something"
    assert restored(store, third) == state + 1
    return failing.calls >= at


@pytest.mark.parametrize(("at", "after"), [(9, False), (22, True), (26, False)])
def test_killed_at_a_call_to_the_store(
    store: Objects, at: int, after: bool, tmp_path: Path
) -> None:
    """Nothing that was acknowledged is lost, and the next life goes on and cleans up."""
    assert kill_and_go_on(store, at, after, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_every_call_to_the_store(tmp_path: Path, after: bool) -> None:
    for at in range(1, 200):
        store = open_objects(str(tmp_path / f"store{at}"))
        if not kill_and_go_on(store, at, after, tmp_path):
            break
    assert 20 < at < 199


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_store_that_fails_is_asked_again_and_only_for_the_rest(
    store: Objects, tablet: SmallTablet, tmp_path: Path, after: bool
) -> None:
    for number in range(1, 301):
        tablet.write(number)
    failing = Failing(store, outage(), 0, after)
    failing.fails_at = "checkpoints/"
    checkpointer = tablet.checkpointer(failing, 1)
    with pytest.raises(StoreFault):
        checkpointer.make()
    there = set(keys(store))
    again = checkpointer.make()
    assert {key for key in there if ".sst" in key or "warc/" in key} <= again.keys()
    large = [key for key in failing.put_keys if ".sst" in key or "warc/" in key]
    assert len(large) == len(set(large)) > 1
    assert checkpointer.make().number == 3
    assert restored(store, tmp_path / "second") == 300


def test_a_former_owner_acknowledges_and_deletes_nothing(
    store: Objects, tablet: SmallTablet, tmp_path: Path
) -> None:
    """It is stopped while it makes a checkpoint, and goes on when another has the tablet."""
    looks: Iterator[bool] = iter([True] * 6 + [True, True, False, False])

    def guard() -> None:
        if not next(looks):
            raise Fenced("Somebody else has it.")

    straggler = tablet.checkpointer(store, 1, guard)
    for number in (1, 2):
        tablet.write(number)
        straggler.make()
    restore(store, PREFIX, tmp_path / "second")
    second = SmallTablet(tmp_path / "second")
    tablet.write(3)
    before = set(keys(store))
    with pytest.raises(Fenced):
        straggler.make()
    assert before < set(keys(store)), "it was stopped before it published"
    made = second.checkpointer(store, 2).make()
    second.close()
    with pytest.raises(Fenced):
        straggler.make()
    assert restored(store, tmp_path / "third") == 2
    assert made.keys() <= set(keys(store))


def test_two_owners_of_one_number_are_told(store: Objects, tablet: SmallTablet) -> None:
    tablet.write(1)
    checkpointer = tablet.checkpointer(store, 1)
    checkpointer.make()
    store.put(f"{PREFIX}/checkpoints/00000001-00000002", b"by another process")
    with pytest.raises(Fenced, match="Another process"):
        checkpointer.make()
