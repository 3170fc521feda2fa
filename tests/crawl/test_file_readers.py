"""What a crawl takes from files may be read by whoever may read the file, and is as private as it
is now when it is looked at again."""

import os
import shutil
import stat
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.model.principal import PUBLIC, Principal
from tests.crawl.run import crawl

ANN = Principal(frozenset({"local", "u:4001", "g:5001"}))
BOB = Principal(frozenset({"local", "u:4002", "g:5002"}))
ELSEWHERE = Principal(frozenset({"mail:eve"}))
"""Who has a token, and is no user of this machine."""
SETTINGS = {"crawl.scope": "host", "index.follow": "yes"}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where every user of the machine may go."""
    place = Path(tempfile.mkdtemp(prefix="shoal-files-"))
    place.chmod(0o755)
    for name, mode in (("all.txt", 0o644), ("own.txt", 0o600), ("group.txt", 0o640)):
        write(place / name, f"Kelp grows in {name}, as many words as a page should have.", mode)
    with zipfile.ZipFile(place / "some.zip", "w") as archive:
        archive.writestr("in.txt", "Kelp grows in the archive, too, as many words as it should.")
    own(place / "some.zip", 0o640)
    yield place
    shutil.rmtree(place)


def write(path: Path, text: str, mode: int = 0o644) -> None:
    path.write_text(text)
    own(path, mode)


def own(path: Path, mode: int) -> None:
    """Ann's, and of a group that Bob is in."""
    if os.getuid() == 0:
        os.chown(path, 4001, 5002)
    else:
        pytest.skip("only root can give files away")
    path.chmod(mode)


def again(place: Path, folder: Path, **settings: object) -> None:
    given = {**SETTINGS, **{name.replace("__", "."): value for name, value in settings.items()}}
    assert crawl(place, [folder.as_uri() + "/"], given).finished


def found(place: Path, who: Principal, folder: Path) -> set[str]:
    with open_collection(place, who) as collection:
        urls = {hit.url for hit in collection.search("kelp", limit=50, site_limit=0).results}
        for url in urls:
            page = collection.page(url)
            assert page is not None
            assert "Kelp" in page.text
        return {url.removeprefix(f"{folder.as_uri()}/") for url in urls}


EVERYTHING = {"all.txt", "own.txt", "group.txt", "some.zip#in.txt"}


def test_each_finds_what_they_may_read(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "corpus"
    place.mkdir(mode=0o755)
    again(place, folder)
    assert found(place, ANN, folder) == EVERYTHING
    assert found(place, BOB, folder) == EVERYTHING - {"own.txt"}
    assert found(place, PUBLIC, folder) == found(place, ELSEWHERE, folder) == set()
    assert not stat.S_IMODE(place.stat().st_mode) & 0o077


def test_other_permissions_hold_when_it_is_crawled_again(folder: Path, tmp_path: Path) -> None:
    """Nothing else has changed: not the bytes, not the date."""
    place = tmp_path / "corpus"
    again(place, folder)
    (folder / "all.txt").chmod(0o600)
    (folder / "own.txt").chmod(0o644)
    (folder / "some.zip").chmod(0o600)
    entries = [(1, 6, 0), (2, 4, 4002), (4, 4, 0), (16, 4, 0), (32, 4, 0)]
    acl = struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", tag, permissions, who if tag == 2 else 2**32 - 1)
        for tag, permissions, who in entries
    )
    os.setxattr(folder / "group.txt", "system.posix_acl_access", acl)
    again(place, folder)
    assert found(place, ANN, folder) == EVERYTHING
    assert found(place, BOB, folder) == {"own.txt", "group.txt"}
    own(folder / "group.txt", 0o600)  # of a list this is its mask
    again(place, folder)
    assert found(place, BOB, folder) == {"own.txt"}
    folder.chmod(0o700)
    again(place, folder)
    assert found(place, BOB, folder) == found(place, ANN, folder) == set()


def test_a_page_names_what_its_readers_may_read(folder: Path, tmp_path: Path) -> None:
    """Out of sight lies what nobody lists: it is known by who names it."""
    hidden = folder / ".kept"
    hidden.mkdir()
    for name in ("of-all", "of-own"):
        write(hidden / f"{name}.html", f"<p>Kelp is named by {name}, and by nothing else here.")
    text = '<p>Kelp has <a href=".kept/{}.html">more</a> to be read than what is written here.'
    write(folder / "all.html", text.format("of-all"))
    write(folder / "own.html", text.format("of-own"), 0o600)
    place = tmp_path / "corpus"
    again(place, folder)
    assert {each for each in found(place, BOB, folder) if "kept" in each} == {".kept/of-all.html"}
    assert {each for each in found(place, ANN, folder) if "kept" in each} == {".kept/of-all.html"}
    own(hidden / "of-own.html", 0o600)
    (folder / "own.html").write_text(text.format("of-own") + " A word more.")
    again(place, folder)
    assert ".kept/of-own.html" in found(place, ANN, folder)


def test_what_may_be_listed_by_nobody_else_is_crawled(folder: Path, tmp_path: Path) -> None:
    folder.chmod(0o711)
    again(tmp_path / "corpus", folder)
    assert found(tmp_path / "corpus", BOB, folder) == EVERYTHING - {"own.txt"}


def test_for_everyone(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "corpus"
    place.mkdir(mode=0o755)
    again(place, folder, files__readers="everyone")
    assert found(place, PUBLIC, folder) == EVERYTHING
    assert stat.S_IMODE(place.stat().st_mode) == 0o755
    again(place, folder, files__readers="file")
    assert found(place, PUBLIC, folder) == set()
    assert found(place, BOB, folder) == EVERYTHING - {"own.txt"}
    again(place, folder, files__readers="everyone")
    assert found(place, PUBLIC, folder) == EVERYTHING
