"""Folders: what is told of real files, links, pipes and odd names, by looking and by inotify."""

import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.model.access import READ, check_of, readers_of
from shoal.model.principal import Principal
from shoal.model.source_change import Gone, Moved, Shared, SourceChange, Taken
from shoal.model.urls.file_url import file_url, path_of_file_url
from shoal.model.urls.url import canonical
from shoal.sources.disk import listing
from shoal.sources.disk.folder import FolderSource
from shoal.sources.disk.inventory import Inventory
from shoal.sources.disk.listing import DiskSettings
from shoal.sources.disk.watching import Stirred, Watcher
from shoal.store.table import RocksTable
from tests.sources.disk.parts import a_table, folder_source, take_in

SECONDS = 10.0


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    with a_table(tmp_path) as found:
        yield found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = tmp_path / "root"
    found.mkdir()
    return found


def names(told: list[SourceChange], kind: type, root: Path) -> list[str]:
    start = bytes(root.resolve()) + b"/"
    found = [path_of_file_url(each.url) for each in told if isinstance(each, kind)]
    return sorted(each.removeprefix(start).decode("utf-8", "replace") for each in found)


def urls(*paths: Path) -> list[str]:
    return [file_url(bytes(each.resolve())) for each in paths]


def test_a_tree_is_told_whole(table: RocksTable, root: Path) -> None:
    (root / "a").mkdir()
    (root / "a" / "deep").mkdir()
    for name in ("one", "a/two", "a/deep/three", "a-b", "a0"):
        (root / name).write_text(name)
    told = take_in(folder_source(table, root), table)
    assert names(told, Taken, root) == ["a-b", "a/deep/three", "a/two", "a0", "one"]
    assert take_in(folder_source(table, root), table) == []


def test_neighbouring_names_of_folders_are_kept_apart(table: RocksTable, root: Path) -> None:
    for name in ("a", "a-b", "a.b", "a0", "a b", "b"):
        (root / name).mkdir()
        (root / name / "zz").write_text(name)
        (root / name / "00").write_text(name + "0")
    take_in(folder_source(table, root), table)
    inventory, path = Inventory(table), bytes(root.resolve())
    assert sorted(inventory.folders(path)) == [b"a", b"a b", b"a-b", b"a.b", b"a0", b"b"]
    assert len(list(inventory.below(path))) == 12
    assert len(list(inventory.below(path + b"/a"))) == 2
    for name in ("zz", "00"):
        (root / "a" / name).unlink()
    (root / "a").rmdir()
    assert names(take_in(folder_source(table, root), table), Gone, root) == ["a/00", "a/zz"]


@pytest.mark.parametrize(
    "name",
    [
        b"\xff\xfe",
        b"new\nline",
        b"x" * 255,
        b"\xe9" * 255,
        b"a b%20c?d#e&f",
        b"%2e%2e",
        b"C:",
        b"~",
    ],
)
def test_any_name(table: RocksTable, root: Path, name: bytes) -> None:
    path = bytes(root.resolve()) + b"/" + name
    file = Path(os.fsdecode(path))
    file.write_text("Clownfish")
    source = folder_source(table, root)
    (told,) = take_in(source, table)
    assert path_of_file_url(told.url) == path
    assert canonical(told.url) == told.url
    assert take_in(source, table) == []
    file.unlink()
    assert take_in(source, table) == [Gone(told.url)]


def test_what_is_no_file_is_never_opened(table: RocksTable, root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to(root)
    (root / "nowhere").symlink_to(root / "missing")
    with socket.socket(socket.AF_UNIX) as held:
        held.bind(str(root / "s"))
        source = folder_source(table, root)
        assert take_in(source, table) == []
    skipped = source.row().skipped
    assert {reason: left.count for reason, left in skipped.items()} == {
        listing.LINK: 2,
        listing.SPECIAL: 2,
    }


def test_a_file_that_became_a_pipe_or_a_link_is_not_read(table: RocksTable, root: Path) -> None:
    (root / "one").write_text("Clownfish")
    source = folder_source(table, root)
    taken = next(each for some in source.changes(True) for each in some)
    assert isinstance(taken, Taken)
    (root / "one").unlink()
    os.mkfifo(root / "one")
    assert source.open(taken) is None
    (root / "one").unlink()
    (root / "other").write_text("secret")
    (root / "one").symlink_to(root / "other")
    assert source.open(taken) is None


def test_what_is_left_out(table: RocksTable, root: Path) -> None:
    (root / ".hidden").write_text("x")
    (root / "large").write_text("x" * 11)
    (root / "kept").write_text("x")
    (root / "a.tmp").write_text("x")
    (root / "cache").mkdir()
    (root / "cache" / "CACHEDIR.TAG").write_text("Signature")
    (root / "own").mkdir()
    (root / "own" / "row").write_text("x")
    never = (bytes((root / "own").resolve()),)
    settings = DiskSettings(ignore=("*.tmp",), max_bytes=10, never=never)
    source = folder_source(table, root, settings)
    assert names(take_in(source, table), Taken, root) == ["kept"]
    assert {reason: left.count for reason, left in source.row().skipped.items()} == {
        listing.HIDDEN: 1,
        listing.TOO_LARGE: 1,
        listing.IGNORED: 2,
        listing.CACHE: 1,
    }


def test_hidden_files_if_wanted(table: RocksTable, root: Path) -> None:
    (root / ".hidden").write_text("x")
    source = folder_source(table, root, DiskSettings(hidden=True))
    assert names(take_in(source, table), Taken, root) == [".hidden"]


def test_a_pattern_that_is_added_later_takes_files_out(table: RocksTable, root: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "a.txt").write_text("x")
    (root / "d" / "b.txt").write_text("y")
    source = folder_source(table, root)
    source.watch()
    take_in(source, table)
    (root / ".shoalignore").write_text("d/a.*\n")
    assert source.wait(SECONDS)
    assert take_in(source, table, everything=False) == [Gone(*urls(root / "d" / "a.txt"))]
    (root / ".shoalignore").unlink()
    assert source.wait(SECONDS)
    assert names(take_in(source, table, everything=False), Taken, root) == ["d/a.txt"]
    source.close()


def test_other_content_is_read_and_other_readers_are_not(table: RocksTable, root: Path) -> None:
    (root / "one").write_text("Clownfish")
    source = folder_source(table, root)
    take_in(source, table)
    (root / "one").chmod(0o640)
    (shared,) = take_in(source, table)
    assert isinstance(shared, Shared)
    assert take_in(source, table) == []
    (root / "one").write_text("Walrus on the beach")
    (taken,) = take_in(source, table)
    assert isinstance(taken, Taken)
    status = (root / "one").stat()
    own = check_of(status.st_uid, status.st_gid, 0o640, b"", READ)
    assert own in taken.readers[0]


def test_what_is_written_as_soon_as_it_was_read_is_read_again(
    table: RocksTable, root: Path
) -> None:
    """It is as long as before, and the clock by which files are dated ticks slowly."""
    source, file = folder_source(table, root), root / "one"
    for number in range(10):
        file.write_text(f"{number}a")
        take_in(source, table)
        file.write_text(f"{number}b")
        assert names(take_in(source, table), Taken, root) == ["one"]


def test_a_folder_that_is_closed_closes_what_is_in_it(table: RocksTable, root: Path) -> None:
    (root / "d").mkdir()
    for number in range(5):
        (root / "d" / str(number)).write_text(str(number))
        (root / "d" / str(number)).chmod(0o644)
    source = folder_source(table, root)
    take_in(source, table)
    (root / "d").chmod(0o750)
    told = take_in(source, table)
    assert {type(each) for each in told} == {Shared}
    assert len(told) == 5
    stranger = Principal(frozenset({"u:4711", "g:4711", "local"}))
    assert not any(stranger.may_read(each.readers) for each in told if isinstance(each, Shared))


def test_an_access_control_list_is_followed_and_not_read(table: RocksTable, root: Path) -> None:
    (root / "one").write_text("Clownfish")
    source = folder_source(table, root)
    source.watch()
    take_in(source, table)
    nobody = 0xFFFFFFFF
    entries = [(1, 6, nobody), (2, 4, 4711), (4, 4, nobody), (16, 4, nobody), (32, 0, nobody)]
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries)
    try:
        os.setxattr(root / "one", "system.posix_acl_access", acl)
    except OSError as error:
        source.close()
        pytest.skip(f"this file system has no access control lists ({error.strerror})")
    assert source.wait(SECONDS)
    (shared,) = take_in(source, table, everything=False)
    assert isinstance(shared, Shared)
    assert "u4711=r" in shared.readers[0]
    assert take_in(source, table) == []
    os.removexattr(root / "one", "system.posix_acl_access")
    assert source.wait(SECONDS)
    (shared,) = take_in(source, table, everything=False)
    assert isinstance(shared, Shared)
    assert "u4711" not in shared.readers[0]
    source.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_another_owner_is_followed_and_not_read(table: RocksTable, root: Path) -> None:
    (root / "one").write_text("Clownfish")
    source = folder_source(table, root)
    take_in(source, table)
    os.chown(root / "one", 4711, 4712)
    (root / "one").chmod(0o600)
    (shared,) = take_in(source, table)
    assert isinstance(shared, Shared)
    assert "u4711=r" in shared.readers[0]


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_what_may_no_longer_be_read_goes(table: RocksTable, root: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "one").write_text("Clownfish")
    source = folder_source(table, root)
    take_in(source, table)
    (root / "d").chmod(0)
    assert names(take_in(source, table), Gone, root) == ["d/one"]
    (root / "d").chmod(0o755)


def test_readers_of_an_open_file_are_all_of_the_machine() -> None:
    assert readers_of([check_of(1, 1, 0o644, b"", READ)]) == ["local"]


def test_a_rename_is_not_read(table: RocksTable, root: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "one").write_text("Clownfish")
    source = folder_source(table, root)
    take_in(source, table)
    (root / "d" / "one").rename(root / "two")
    (moved,) = take_in(source, table)
    assert isinstance(moved, Moved)
    assert [moved.url, moved.to] == urls(root / "d" / "one", root / "two")
    assert take_in(source, table) == []


def test_a_folder_that_is_renamed_is_not_read(table: RocksTable, root: Path) -> None:
    (root / "d" / "e").mkdir(parents=True)
    for number in range(200):
        (root / "d" / "e" / str(number)).write_text(str(number))
    source = folder_source(table, root)
    take_in(source, table)
    (root / "d").rename(root / "z")
    told = take_in(source, table)
    assert {type(each) for each in told} == {Moved}
    assert len(told) == 200
    assert take_in(source, table) == []


def test_two_files_that_change_places(table: RocksTable, root: Path) -> None:
    (root / "a").write_text("Clownfish")
    (root / "b").write_text("Walrus on the beach")
    source = folder_source(table, root)
    take_in(source, table)
    (root / "a").rename(root / "c")
    (root / "b").rename(root / "a")
    (root / "c").rename(root / "b")
    take_in(source, table)
    assert take_in(source, table) == []
    inventory = Inventory(table)
    for name in "ab":
        entry = inventory.get(bytes(root.resolve()) + b"/" + name.encode())
        assert entry is not None
        assert entry.inode == (root / name).stat().st_ino


def test_a_second_name_is_another_document(table: RocksTable, root: Path) -> None:
    (root / "a").write_text("Clownfish")
    source = folder_source(table, root)
    take_in(source, table)
    (root / "b").hardlink_to(root / "a")
    assert names(take_in(source, table), Taken, root) == ["b"]
    assert take_in(source, table) == []


def test_a_file_that_grows_while_it_is_read_is_left_for_later(
    table: RocksTable, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "one").write_text("Clownfish")
    source = folder_source(table, root)
    taken = next(each for some in source.changes(True) for each in some)
    assert isinstance(taken, Taken)
    real = os.fstat

    def growing(number: int) -> os.stat_result:
        found = real(number)
        with (root / "one").open("a") as file:
            file.write("x")
        return found

    monkeypatch.setattr("shoal.sources.disk.folder.os.fstat", growing)
    assert source.open(taken) is None


def test_a_folder_that_is_not_there_keeps_its_documents(table: RocksTable, root: Path) -> None:
    (root / "one").write_text("Clownfish")
    source = folder_source(table, root)
    take_in(source, table)
    root.rename(root.with_name("away"))
    assert take_in(source, table) == []
    assert source.row().problem
    root.with_name("away").rename(root)
    assert take_in(source, table) == []
    assert not source.row().problem


def test_a_disk_that_is_not_mounted_keeps_its_documents(table: RocksTable, root: Path) -> None:
    (root / "one").write_text("Clownfish")
    source = folder_source(table, root)
    take_in(source, table)
    (root / "one").unlink()
    source.row().device += 1
    assert take_in(source, table) == []
    assert "mounted" in source.row().problem


def test_one_file_is_a_source_too(table: RocksTable, root: Path) -> None:
    (root / "one").write_text("Clownfish")
    (root / "two").write_text("Walrus")
    source = folder_source(table, root / "one")
    source.watch()
    assert names(take_in(source, table), Taken, root) == ["one"]
    (root / "one").write_text("Another text")
    assert source.wait(SECONDS)
    assert names(take_in(source, table, everything=False), Taken, root) == ["one"]
    source.close()


# --- inotify --------------------------------------------------------------------------------------


@pytest.fixture
def watched(table: RocksTable, root: Path) -> Iterator[FolderSource]:
    (root / "d").mkdir()
    (root / "d" / "one").write_text("Clownfish")
    source = folder_source(table, root)
    source.watch()
    take_in(source, table)
    yield source
    source.close()


def told_after(source: FolderSource, table: RocksTable) -> list[SourceChange]:
    assert source.wait(SECONDS)
    return take_in(source, table, everything=False)


def test_a_new_file_in_a_new_folder(watched: FolderSource, table: RocksTable, root: Path) -> None:
    (root / "n" / "m").mkdir(parents=True)
    (root / "n" / "m" / "two").write_text("Walrus")
    assert names(told_after(watched, table), Taken, root) == ["n/m/two"]
    (root / "n" / "m" / "three").write_text("Seal")
    assert names(told_after(watched, table), Taken, root) == ["n/m/three"]


def test_a_rename_is_told_as_one(watched: FolderSource, table: RocksTable, root: Path) -> None:
    (root / "d" / "one").rename(root / "two")
    (moved,) = told_after(watched, table)
    assert isinstance(moved, Moved)


def test_a_renamed_folder_is_watched_under_its_new_name(
    watched: FolderSource, table: RocksTable, root: Path
) -> None:
    (root / "d").rename(root / "z")
    (moved,) = told_after(watched, table)
    assert isinstance(moved, Moved)
    (root / "z" / "two").write_text("Walrus")
    assert names(told_after(watched, table), Taken, root) == ["z/two"]
    (root / "z" / "two").unlink()
    assert names(told_after(watched, table), Gone, root) == ["z/two"]


def test_a_folder_that_goes_takes_its_files(
    watched: FolderSource, table: RocksTable, root: Path
) -> None:
    (root / "d").rename(root.with_name("elsewhere"))
    assert names(told_after(watched, table), Gone, root) == ["d/one"]


def test_a_folder_that_is_closed_is_told(
    watched: FolderSource, table: RocksTable, root: Path
) -> None:
    (root / "d").chmod(0o750)
    (shared,) = told_after(watched, table)
    assert isinstance(shared, Shared)
    root.chmod(0o701)
    assert {type(each) for each in told_after(watched, table)} == {Shared}


def test_an_overflow_of_the_queue_leads_to_a_look_at_everything(
    watched: FolderSource, table: RocksTable, root: Path
) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    one, two = root / "d" / "one", root / "d" / "two"
    for _ in range(most // 2 + 100):  # two events each
        one.rename(two)
        two.rename(one)
    (root / "late").write_text("Walrus")
    assert names(told_after(watched, table), Taken, root) == ["late"]


def test_too_many_folders_are_polled(table: RocksTable, root: Path) -> None:
    for number in range(10):
        (root / str(number)).mkdir()
    source = folder_source(table, root, DiskSettings(most_watches=4, poll_seconds=0.1))
    source.watch()
    take_in(source, table)
    assert "max_user_watches" in source.row().polled
    for number in range(10):
        (root / str(number) / "one").write_text(str(number))
    told: list[SourceChange] = []
    for _ in range(100):
        if len(told) == 10:
            break
        if source.wait(0.1):
            told += take_in(source, table, everything=False)
    assert len(names(told, Taken, root)) == 10
    source.close()


def test_a_sweep_finds_what_nobody_told(table: RocksTable, root: Path) -> None:
    source = folder_source(table, root, DiskSettings(sweep_seconds=0))
    source.watch()
    take_in(source, table)
    (root / "one").write_text("Clownfish")
    assert source.wait(0)
    assert names(take_in(source, table, everything=False), Taken, root) == ["one"]
    source.close()


def test_events_of_other_things_above_are_not_heard(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    watcher, stirred = Watcher(10), Stirred()
    watcher.add_above(bytes(tmp_path / "root"))
    (tmp_path / "other").write_text("x")
    (tmp_path / "other").chmod(0o600)
    watcher.read(0.1, stirred)
    assert not stirred
    (tmp_path / "root").chmod(0o700)
    watcher.read(SECONDS, stirred)
    assert stirred.everything
    watcher.close()
