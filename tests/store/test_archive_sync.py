"""The archive's sync: every file that grew, and no other."""

import os
from pathlib import Path

import pytest

from shoal.errors import CollectionError
from shoal.store.archive import ArchiveWriter
from shoal.store.archive_sync import ArchiveSync
from tests.store.parts import answer, visit_to


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what was synced, in order; each is really synced too."""
    names: list[str] = []
    real = os.fsync

    def fsync(fd: int) -> None:
        names.append(Path(f"/proc/self/fd/{fd}").resolve().name)
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    return names


def test_only_what_grew_is_synced_and_then_the_directory(tmp_path: Path, synced: list[str]) -> None:
    warc = tmp_path / "warc"
    warc.mkdir()
    sync = ArchiveSync(warc)
    assert sync.sync() == {}
    assert synced == []
    one, two = (ArchiveWriter(warc, 1 << 30, "Shoal/test") for _ in range(2))
    first, _ = one.write(visit_to("https://reef.example/"), answer())
    second, _ = two.write(visit_to("https://reef.example/"), answer())
    assert first is not None
    assert second is not None
    sizes = {path.name: path.stat().st_size for path in warc.iterdir()}
    assert sync.sync() == sizes
    assert sorted(synced[:-1]) == sorted([first.file, second.file])
    assert synced[-1] == "warc"
    synced.clear()
    assert sync.sync() == sizes
    assert synced == []
    two.write(visit_to("https://reef.example/2"), answer())
    assert sync.sync()[second.file] > sizes[second.file]
    assert synced == [second.file, "warc"]
    for writer in (one, two):
        writer.close()


def test_what_it_returns_is_a_copy(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, 1 << 30, "Shoal/test") as writer:
        writer.write(visit_to("https://reef.example/"), answer())
    sync = ArchiveSync(tmp_path)
    sync.sync().clear()
    assert len(sync.sync()) == 1


def test_a_disk_that_fails_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ArchiveWriter(tmp_path, 1 << 30, "Shoal/test") as writer:
        writer.write(visit_to("https://reef.example/"), answer())

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        sync = ArchiveSync(tmp_path)
        with pytest.raises(CollectionError, match="can't be put on disk"):
            sync.sync()
    assert len(sync.sync()) == 1
    with pytest.raises(CollectionError, match="can't be put on disk"):
        ArchiveSync(tmp_path / "nothing here").sync()
