"""The archive on a disk that is full or fails: no record is half there for anyone."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from shoal.errors import CollectionError
from shoal.store import archive
from shoal.store.archive import ArchiveWriter, read_record_at
from tests.store.parts import answer, visit_to
from tests.store.readers import by_warcio, check

URL = "https://reef.example/"
GIGABYTE = 1 << 30


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """No file may grow beyond 50 KB: the kernel writes what fits, then refuses."""
    program = """
        import os, resource, sys
        from pathlib import Path
        from shoal.errors import CollectionError
        from shoal.store.archive import ArchiveWriter, files
        from tests.store.parts import answer, visit_to
        directory = Path(sys.argv[1])
        writer = ArchiveWriter(directory, 1 << 30, "Shoal/test")
        writer.write(visit_to("https://reef.example/1"), answer(os.urandom(20_000)))
        path = next(files(directory))
        before = path.read_bytes()
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
        try:
            writer.write(visit_to("https://reef.example/2"), answer(os.urandom(40_000)))
        except CollectionError as error:
            print(error)
        print(path.read_bytes() == before)
        spot, _ = writer.write(visit_to("https://reef.example/3"), answer(b"fits"))
        print(spot.offset == len(before), spot.file == path.name)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    sentence, *rest = ran.stdout.splitlines()
    assert sentence.startswith("The archive can't be written: ")
    assert rest == ["True", "True True"]
    (path,) = archive.files(tmp_path)
    assert check(path) == ""
    responses = [seen.url for seen in by_warcio(path) if seen.kind == "response"]
    assert responses == ["https://reef.example/1", "https://reef.example/3"]


def test_a_file_whose_end_is_not_known_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write fails half way and what it left can't be cut off: nothing more goes there."""
    writer = ArchiveWriter(tmp_path, GIGABYTE, "Shoal/test")
    first, _ = writer.write(visit_to(f"{URL}1"), answer(b"one"))
    real_write, pieces = os.write, 0

    def half(fd: int, data: bytes) -> int:
        nonlocal pieces
        pieces += 1
        if pieces > 1:
            return fail()
        return real_write(fd, data[: len(data) // 2])

    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(os, "write", half)
        broken.setattr(os, "ftruncate", fail)
        with pytest.raises(CollectionError, match="Input/output error"):
            writer.write(visit_to(f"{URL}2"), answer(b"two"))
    third, _ = writer.write(visit_to(f"{URL}3"), answer(b"three"))
    assert first is not None
    assert third is not None
    assert third.file != first.file
    assert read_record_at(tmp_path, first).http_body == b"one"
    assert read_record_at(tmp_path, third).http_body == b"three"


def test_a_directory_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    writer = ArchiveWriter(tmp_path / "file" / "warc", GIGABYTE, "Shoal/test")
    with pytest.raises(CollectionError, match="No archive file can be made"):
        writer.write(visit_to(URL), answer())
