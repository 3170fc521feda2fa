"""A local folder that is crawled again: new files are seen, deleted ones go, hidden ones stay out,
and folders are no results."""

import zipfile
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from tests.crawl.run import crawl


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "files"
    (place / "below").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "below/c.txt", "below/d.txt"):
        (place / name).write_text(f"Of all files, {name} says something of its own about {name}.")
    (place / ".hidden.txt").write_text("One of the files that nobody means.")
    (place / ".git").mkdir()
    (place / ".git" / "config.txt").write_text("Nor is this of the files that are meant.")
    return place


def found(corpus: Path, folder: Path) -> set[str]:
    """What a search finds: every file has this word, and so has the path of each folder."""
    with open_collection(corpus) as collection:
        hits = collection.search("files").results
        return {hit.url.removeprefix(folder.as_uri() + "/") for hit in hits}


def again(corpus: Path, folder: Path) -> set[str]:
    assert crawl(
        corpus, [folder.as_uri() + "/"], {"crawl.scope": "host", "index.follow": "yes"}
    ).finished
    return found(corpus, folder)


def test_the_same_command_again_sees_what_has_changed(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    assert again(corpus, folder) == {"a.txt", "b.txt", "below/c.txt", "below/d.txt"}
    (folder / "new.txt").write_text("Of all files the new one, which was not there before.")
    (folder / "below" / "d.txt").unlink()
    (folder / "b.txt").write_text("Other words stand here now, as files have them.")
    assert again(corpus, folder) == {"a.txt", "b.txt", "new.txt", "below/c.txt"}
    with open_collection(corpus) as collection:
        page = collection.page((folder / "b.txt").as_uri())
        assert page is not None
        assert page.text == "Other words stand here now, as files have them."
    (folder / "below" / "d.txt").write_text("Of all files it has come back, and is found again.")
    assert "below/d.txt" in again(corpus, folder)


def test_what_lies_in_an_archive_follows_it(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("in.txt", "Of all files, this one lies in an archive of files.")
    corpus = tmp_path / "corpus"
    again(corpus, folder)
    with open_collection(corpus) as collection:
        before = sorted(page.url for page in collection.pages())
    assert any("in.txt" in url for url in before)
    again(corpus, folder)
    with open_collection(corpus) as collection:
        assert sorted(page.url for page in collection.pages()) == before
        assert not collection.status().failed + collection.status().gone


def test_a_disk_that_is_not_mounted_takes_nothing_away(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    before = again(corpus, folder)
    away = folder.rename(tmp_path / "elsewhere")
    folder.mkdir()
    assert again(corpus, folder) == before
    folder.rmdir()
    away.rename(folder)
    assert again(corpus, folder) == before
