"""Sitemaps of a folder, run after run: what is told of each file follows what the file does."""

import os
from pathlib import Path

import pytest

from shoal.errors import UsageError
from shoal.files.sitemap_making import STATE_NAME, Making, frequency, make_sitemaps
from shoal.sources.sitemap import read_sitemap
from tests.sources.sitemap_schema import faults

BASE = "http://www.example.com/"
HOUR, DAY = 3_600.0, 86_400.0
START = 1_790_000_000.0


class Folder:
    """A folder whose files change as a test says, and the sitemap that is made of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = START

    def change(self, name: str, when: float) -> None:
        path = self.root / name
        path.write_text("x")
        os.utime(path, (when, when))

    def make(self, *, is_gzip: bool = False) -> dict[str, str]:
        """The change frequencies, by path."""
        self.made = make_sitemaps(Making(self.root, BASE, is_gzip=is_gzip), self.now)
        path = self.root / self.made.files[0].name
        assert faults(path, BASE) == []
        entries = read_sitemap(path.read_bytes()).entries
        return {entry.url.removeprefix(BASE): entry.change_frequency for entry in entries}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_frequency_follows_the_files_over_several_runs(folder: Folder) -> None:
    rhythms = {"hourly": HOUR, "daily": DAY, "weekly": 7 * DAY, "monthly": 30 * DAY}
    for word in rhythms:
        folder.change(word, START)
    folder.change("yearly", START - 365 * DAY)
    folder.change("never", START - 15 * 365 * DAY)
    first = folder.make()
    new = {first[word] for word in rhythms}
    assert len(new) == 1, "what is new is told apart by its runs only"
    assert (first["yearly"], first["never"]) == ("yearly", "never")
    for run in range(1, 41):
        folder.now = START + run * 1.1 * DAY
        for word, seconds in rhythms.items():
            folder.change(word, START + (folder.now - START) // seconds * seconds)
        told = folder.make()
        if run >= 10:
            assert (told["hourly"], told["daily"]) == ("hourly", "daily")
    assert folder.make() == {word: word for word in (*rhythms, "yearly", "never")}


def test_what_happened_since_the_last_run(folder: Folder) -> None:
    for name in ("a.html", "b.html", "c.html"):
        folder.change(name, START - DAY)
    folder.make()
    assert (folder.made.added, folder.made.changed, folder.made.removed) == (3, 0, 0)
    folder.now += DAY
    folder.change("a.html", folder.now - HOUR)
    folder.change("d.html", folder.now - HOUR)
    (folder.root / "b.html").unlink()
    folder.make()
    assert (folder.made.added, folder.made.changed, folder.made.removed) == (1, 1, 1)
    assert folder.made.urls == 3
    assert folder.made.url == f"{BASE}sitemap.xml"


def test_a_file_that_was_put_back_counts_as_changed(folder: Folder) -> None:
    """Its date is older than the last run, so it tells nothing about when."""
    folder.change("a.html", START - DAY)
    folder.make()
    folder.now += DAY
    folder.change("a.html", START - 100 * DAY)
    folder.make()
    assert folder.made.changed == 1


def test_dates_in_the_future_are_not_told(folder: Folder) -> None:
    folder.change("a.html", START + 1000 * DAY)
    folder.make()
    entries = read_sitemap((folder.root / "sitemap.xml").read_bytes()).entries
    assert [entry.last_modified for entry in entries] == ["2026-09-21T14:13:20Z"]


def test_a_clock_that_was_set_back_does_no_harm(folder: Folder) -> None:
    folder.change("a.html", START - DAY)
    folder.make()
    folder.now -= 10 * DAY
    assert folder.make() == {"a.html": folder.make()["a.html"]}


@pytest.mark.parametrize(
    "damage", [b"", b"{", b'{"when": "x"}', b"\xff\xfe", b'{"files": {"a": []}}']
)
def test_a_damaged_memory_is_begun_anew(folder: Folder, damage: bytes) -> None:
    folder.change("a.html", START - DAY)
    first = folder.make()
    (folder.root / STATE_NAME).write_bytes(damage)
    assert folder.make() == first
    assert folder.made.added == 1


def test_the_sitemap_names_neither_itself_nor_its_memory(folder: Folder) -> None:
    folder.change("a.html", START - DAY)
    for is_gzip in (False, True, False):
        assert list(folder.make(is_gzip=is_gzip)) == ["a.html"]
    assert {path.name for path in folder.root.iterdir()} == {"a.html", "sitemap.xml", STATE_NAME}


def test_it_can_be_written_elsewhere(tmp_path: Path) -> None:
    folder, output = tmp_path / "web", tmp_path / "out" / "maps"
    folder.mkdir()
    (folder / "a.html").write_text("x")
    made = make_sitemaps(Making(folder, BASE, output), START)
    assert made.url == f"{BASE}sitemap.xml"
    assert {path.name for path in output.iterdir()} == {"sitemap.xml", STATE_NAME}
    assert {path.name for path in folder.iterdir()} == {"a.html"}


def test_below_the_folder_it_is_seen_there(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("x")
    made = make_sitemaps(Making(tmp_path, BASE, tmp_path / "my maps"), START)
    assert made.url == f"{BASE}my%20maps/sitemap.xml"
    assert make_sitemaps(Making(tmp_path, BASE, tmp_path / "my maps"), START).urls == 1


@pytest.mark.parametrize(
    "base", ["", "www.example.com", "ftp://a.test/", "http://a.test/?x", "/a", "http://a.test/#b"]
)
def test_a_base_that_is_none(tmp_path: Path, base: str) -> None:
    (tmp_path / "a.html").write_text("x")
    with pytest.raises(UsageError, match="--base"):
        make_sitemaps(Making(tmp_path, base), START)


def test_a_base_gets_its_slash(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("x")
    assert (
        make_sitemaps(Making(tmp_path, "http://a.test/b"), START).url
        == "http://a.test/b/sitemap.xml"
    )


def test_no_folder_and_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        make_sitemaps(Making(tmp_path / "none", BASE), START)
    with pytest.raises(UsageError, match="no page"):
        make_sitemaps(Making(tmp_path, BASE), START)


def test_words_and_times() -> None:
    times = [60.0, HOUR, DAY, 7 * DAY, 30 * DAY, 365 * DAY, 20 * 365 * DAY]
    words = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]
    assert [frequency(seconds) for seconds in times] == words
