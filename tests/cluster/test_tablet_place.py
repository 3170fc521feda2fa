"""Each epoch has a directory of its own, made from the one before; what others do there is lost."""

import os
from pathlib import Path

import pytest

from shoal.errors import CollectionError
from shoal.layout import tablet_place
from shoal.layout.tablet_place import adopt, current, directory_of_epoch, tablet_name
from shoal.store.table import RocksTable

FIXED = ("table/000012.sst", "warc/shoal-1.warc.gz", "index/seg.store", "index/seg.fieldnorm")
CHANGING = ("shoal.toml", "table/MANIFEST-000005", "table/000013.log", "index/meta.json")
LEFT = ("lock", "readers", "status.json", "log/crawl.log", "table/LOCK", "table/log")


@pytest.fixture
def tablet(tmp_path: Path) -> Path:
    return tmp_path / "tablets" / tablet_name(7)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tablet_place, "_BETWEEN_TRIES_SECONDS", 0.0)


def fill(directory: Path) -> None:
    for name in (*FIXED, *CHANGING, *LEFT):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(name)


def files(directory: Path) -> set[str]:
    return {str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file()}


def epochs(tablet: Path) -> list[str]:
    return sorted(path.name for path in tablet.iterdir())


def test_the_first_is_empty(tablet: Path) -> None:
    assert current(tablet) is None
    mine = adopt(tablet, 1)
    assert mine == current(tablet) == directory_of_epoch(tablet, 1)
    assert list(mine.iterdir()) == []


def test_what_never_changes_is_linked_and_the_rest_copied(tablet: Path) -> None:
    first = adopt(tablet, 1)
    fill(first)
    second = adopt(tablet, 2)
    assert current(tablet) == second
    assert files(second) == {*FIXED, *CHANGING}
    for name in FIXED:
        assert (second / name).samefile(first / name)
    for name in CHANGING:
        assert not (second / name).samefile(first / name)
        assert (second / name).read_text() == name


def test_without_links_everything_is_copied(tablet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    fill(adopt(tablet, 1))
    monkeypatch.setattr(os, "link", refuse)
    second = adopt(tablet, 2)
    assert files(second) == {*FIXED, *CHANGING}
    assert not (second / FIXED[0]).samefile(directory_of_epoch(tablet, 1) / FIXED[0])


def put(table: RocksTable, name: bytes) -> None:
    batch = table.batch()
    batch.put("page", name, b"x")
    table.write(batch)


def test_a_former_owners_writes_are_not_seen(tablet: Path) -> None:
    """Nor does it see ours: both go on with what was there."""
    first = RocksTable(adopt(tablet, 1) / "table")
    put(first, b"before")
    first.sync()
    second = RocksTable(adopt(tablet, 2) / "table")
    put(first, b"late")
    put(second, b"after")
    first.compact()
    second.compact()
    assert [key for key, _ in second.scan("page", b"")] == [b"after", b"before"]
    assert [key for key, _ in first.scan("page", b"")] == [b"before", b"late"]
    first.close()
    second.close()
    with RocksTable(adopt(tablet, 3) / "table") as third:
        assert [key for key, _ in third.scan("page", b"")] == [b"after", b"before"]


def test_a_former_owner_that_is_late_is_not_the_tablet(tablet: Path) -> None:
    """It was stopped before it had made its directory; meanwhile another took over and worked."""
    fill(adopt(tablet, 1))
    third = adopt(tablet, 3)
    (third / "worked").touch()
    assert not (adopt(tablet, 2) / "worked").exists()
    assert current(tablet) == third
    assert (adopt(tablet, 4) / "worked").exists()


def test_killed_in_the_middle_nothing_has_happened(
    tablet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(adopt(tablet, 1))

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(tablet_place, "_sync", killed)
        with pytest.raises(Killed):
            adopt(tablet, 2)
    assert epochs(tablet) == ["00000001", "00000002.draft"]
    assert current(tablet) == directory_of_epoch(tablet, 1)
    assert files(adopt(tablet, 3)) == {*FIXED, *CHANGING}
    assert epochs(tablet) == ["00000001", "00000003"]


def test_only_the_last_two_are_kept(tablet: Path) -> None:
    for epoch in range(1, 6):
        fill(adopt(tablet, epoch))
    assert epochs(tablet) == ["00000004", "00000005"]


def test_a_directory_that_changes_meanwhile_is_looked_at_again(
    tablet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A former owner's last compaction: files come, files go."""
    first = adopt(tablet, 1)
    fill(first)
    times, clone = 0, tablet_place.clone

    def while_it_compacts(source: Path, target: Path) -> None:
        nonlocal times
        clone(source, target)
        if source == first:
            times += 1
            if times < 3:
                (first / "table" / f"00002{times}.sst").touch()
                (first / FIXED[0]).unlink(missing_ok=True)

    monkeypatch.setattr(tablet_place, "clone", while_it_compacts)
    assert files(adopt(tablet, 2)) == files(first) - set(LEFT)
    assert times == 3


def test_a_directory_that_never_rests_is_told_of(
    tablet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, clone = adopt(tablet, 1), tablet_place.clone
    fill(first)

    def while_it_writes(source: Path, target: Path) -> None:
        clone(source, target)
        with (first / CHANGING[1]).open("a") as file:
            file.write("more")

    monkeypatch.setattr(tablet_place, "clone", while_it_writes)
    with pytest.raises(CollectionError, match="still writes"):
        adopt(tablet, 2)
    assert current(tablet) == first


def test_a_full_disk_is_told_of(tablet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(adopt(tablet, 1))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tablet_place, "put_on_disk", full)
    with pytest.raises(CollectionError, match="No space left"):
        adopt(tablet, 2)
    assert current(tablet) == directory_of_epoch(tablet, 1)
