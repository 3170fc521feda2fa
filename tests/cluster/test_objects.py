"""One contract for every store of objects, and what is particular to each."""

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shoal.cluster.directory_objects import DirectoryObjects
from shoal.cluster.objects import (
    Exists,
    Missing,
    Objects,
    StoreFault,
    must_create_once,
    open_objects,
)
from shoal.errors import UsageError


def test_what_is_put_is_there(objects: Objects, tmp_path: Path) -> None:
    objects.put("a/b.bin", b"\x00some bytes")
    assert objects.exists("a/b.bin")
    assert objects.get("a/b.bin") == b"\x00some bytes"
    objects.fetch("a/b.bin", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"\x00some bytes"
    objects.put("a/b.bin", b"others")
    assert objects.get("a/b.bin") == b"others"


def test_a_file_of_several_chunks_and_an_empty_one(objects: Objects, tmp_path: Path) -> None:
    for name, size in (("large", (8 << 20) + 3), ("empty", 0)):
        (tmp_path / name).write_bytes(os.urandom(size))
        objects.put(f"files/{name}", tmp_path / name)
        objects.fetch(f"files/{name}", tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == (tmp_path / name).read_bytes()
        assert (f"files/{name}", size) in objects.names("files")


def test_what_is_not_there_is_missing(objects: Objects, tmp_path: Path) -> None:
    objects.put("a/b", b"1")
    for key in ("c", "a", "a/c"):
        assert not objects.exists(key)
        with pytest.raises(Missing, match=key):
            objects.get(key)
        with pytest.raises(Missing, match=key):
            objects.fetch(key, tmp_path / "copy")
        assert not (tmp_path / "copy").exists()


def test_an_object_is_created_once(objects: Objects, tmp_path: Path) -> None:
    objects.put("claim", b"first", create=True)
    (tmp_path / "file").write_bytes(b"second")
    for data in (b"second", b"first", tmp_path / "file"):
        with pytest.raises(Exists, match="claim"):
            objects.put("claim", data, create=True)
    assert objects.get("claim") == b"first"
    objects.delete(["claim"])
    objects.put("claim", tmp_path / "file", create=True)
    assert objects.get("claim") == b"second"


def test_of_many_that_create_at_once_one_does(objects: Objects) -> None:
    together = threading.Barrier(8)

    def claim(number: int) -> int:
        together.wait()
        try:
            objects.put("owners/1", b"%d" % number, create=True)
        except Exists:
            return -1
        return number

    with ThreadPoolExecutor(8) as pool:
        winners = [number for number in pool.map(claim, range(8)) if number >= 0]
    assert [objects.get("owners/1")] == [b"%d" % number for number in winners]


def test_a_store_must_let_only_one_create(objects: Objects, tmp_path: Path) -> None:
    must_create_once(objects)
    assert objects.names() == []

    class Careless(DirectoryObjects):
        def put(self, key: str, data: bytes | Path, *, create: bool = False) -> None:
            super().put(key, data)

    careless = Careless(tmp_path / "careless")
    with pytest.raises(UsageError, match="lets two create one object"):
        must_create_once(careless)
    assert careless.names() == []


def test_names_are_of_a_folder_and_sorted(objects: Objects) -> None:
    for key in ("a/b/2", "a/b/10", "a/b/c/1", "a/bc", "b", "a/b.1"):
        objects.put(key, key.encode())
    assert objects.names("a/b") == [("a/b/10", 6), ("a/b/2", 5), ("a/b/c/1", 7)]
    assert objects.names("a/b/") == objects.names("a/b")
    assert [key for key, _ in objects.names()] == [
        "a/b.1",
        "a/b/10",
        "a/b/2",
        "a/b/c/1",
        "a/bc",
        "b",
    ]
    assert objects.names("nowhere") == objects.names("b") == []


def test_deleting_what_is_gone_is_no_fault(objects: Objects) -> None:
    for key in ("a/1", "a/2", "a/3"):
        objects.put(key, b"")
    objects.delete(["a/1", "a/none", "none", "a/2"])
    assert objects.names() == [("a/3", 0)]
    objects.delete([])


def test_a_key_is_a_plain_relative_path(objects: Objects) -> None:
    for key in ("", "/a", "a//b", "a/", "../a", "a/../b", "./a", "a\0b"):
        with pytest.raises(UsageError, match="no key"):
            objects.put(key, b"")
        with pytest.raises(UsageError, match="no key"):
            objects.get(key)


def test_a_put_and_the_end_of_its_folder_do_not_meet(tmp_path: Path) -> None:
    """Deleting the last object of a folder removes the folder, maybe under a put."""
    objects = DirectoryObjects(tmp_path)

    def put_and_delete(number: int) -> None:
        for _ in range(60):
            objects.put(f"a/b/{number}", b"x")
            objects.delete([f"a/b/{number}"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put_and_delete, range(4)))
    assert objects.names() == []
    assert [path.name for path in tmp_path.iterdir()] == [".partial"]


def test_half_a_file_of_a_killed_process_is_no_object(tmp_path: Path) -> None:
    objects = DirectoryObjects(tmp_path)
    objects.put("a", b"1")
    old, new = tmp_path / ".partial" / "old", tmp_path / ".partial" / "new"
    for left in (old, new):
        left.write_bytes(b"half")
    long_ago = time.time() - 2 * 86400
    os.utime(old, (long_ago, long_ago))
    again = DirectoryObjects(tmp_path)
    assert again.names() == [("a", 1)]
    again.put("b", b"2")
    assert not old.exists()
    assert new.exists(), "somebody may be writing it"


def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    objects = DirectoryObjects(tmp_path)
    objects.put("a/claim", b"1", create=True)
    with pytest.raises(Exists):
        objects.put("a/claim", b"2", create=True)
    assert objects.get("a/claim") == b"1"


def test_who_only_reads_leaves_nothing_behind(tmp_path: Path) -> None:
    objects = DirectoryObjects(tmp_path / "misspelt")
    assert not objects.exists("a")
    assert objects.names() == []
    with pytest.raises(Missing):
        objects.get("a")
    objects.delete(["a"])
    assert not (tmp_path / "misspelt").exists()


def test_a_directory_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreFault, match="can't be made"):
        open_objects(str(tmp_path / "file")).put("a", b"")
    objects = open_objects(str(tmp_path / "objects"))
    objects.put("a", b"")
    with pytest.raises(StoreFault, match="a/b can't be written"):
        objects.put("a/b", b"")


@pytest.mark.parametrize("place", ["ftp://a/b", "s3://", "http://a/b", "file:///tmp"])
def test_a_place_that_is_none(place: str) -> None:
    with pytest.raises(UsageError, match="is no place for objects"):
        open_objects(place)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(UsageError, match=r"pip install 'shoal\[ray\]'"):
        open_objects("s3://bucket/prefix")


def test_a_store_that_refuses_is_a_fault_in_one_sentence(s3: Objects) -> None:
    nowhere = open_objects("s3://no-such-bucket/x")
    with pytest.raises(StoreFault) as caught:
        nowhere.put("a", b"1")
    assert str(caught.value).startswith("a can't be written in s3://no-such-bucket/x: ")
    assert "\n" not in str(caught.value)
    assert s3.names() == []
