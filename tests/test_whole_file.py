"""A file appears whole or not at all, with its mode; what failed leaves no draft."""

import os
from pathlib import Path

import pytest

from shoal.whole_file import DRAFT, whole_file, write_whole


def test_it_has_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_whole(path, b"old")
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
        assert sorted(each.name for each in tmp_path.iterdir()) == [
            f".state.json{DRAFT}",
            "state.json",
        ]
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_whole(path, b"old")

    def fail() -> None:
        with whole_file(path) as file:
            file.write(b"half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_draft_that_a_kill_has_left_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / f".a{DRAFT}").write_bytes(b"something longer")
    write_whole(tmp_path / "a", b"short")
    assert (tmp_path / "a").read_bytes() == b"short"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_empty_takes_no_place_if_so_asked(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"")
    assert (tmp_path / "a").read_bytes() == b""
    write_whole(tmp_path / "a", b"1")
    with whole_file(tmp_path / "a", or_none=True):
        pass
    assert (tmp_path / "a").read_bytes() == b"1"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_secret_is_one_from_the_first_byte(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a", mode=0o600) as file:
        assert os.fstat(file.fileno()).st_mode & 0o777 == 0o600
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_synced_bytes_are_on_disk_before_the_name_and_the_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    done: list[tuple[str, bool]] = []

    def fsync(fd: int) -> None:
        done.append((Path(f"/proc/self/fd/{fd}").readlink().name, path.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    write_whole(path, b"1")
    assert done == []
    path.unlink()
    write_whole(path, b"1", synced=True)
    assert done == [(f".a{DRAFT}", False), (tmp_path.name, True)]
