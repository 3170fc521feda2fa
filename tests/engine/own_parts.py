"""A collection, folders beside it, and a storm in them."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import shoal
from shoal.config import Config
from shoal.engine.own_documents import Taking
from shoal.engine.own_looks import look_at
from shoal.engine.own_sources import OwnSources
from shoal.layout.layout import Layout
from shoal.loop import run
from shoal.model.principal import OWNER
from shoal.model.urls.file_url import path_of_file_url
from shoal.sources.disk.permissions import Permissions, acl_of
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.cli.command import clean_environment

CONFIG = Config().with_({"files.share": 64.0, "crawl.children": 1})
PATIENCE_SECONDS = 60.0


def look(place: Path, *folders: Path) -> Taking:
    added = [bytes(each.resolve()) for each in folders]
    return run(look_at(place, CONFIG, added)).taking


def stored(place: Path) -> dict[bytes, str]:
    """The text of each document, by its path."""
    found = {}
    with RocksTable(Layout(place).table, reader=True) as table:
        store = PageStore(table, Layout(place).warc)
        for page in store.stream(b"file:", b"file;", OWNER):
            found[path_of_file_url(page.url)] = store.text(page.row, OWNER)
    return found


def readers(place: Path) -> dict[bytes, list[str]]:
    with RocksTable(Layout(place).table, reader=True) as table:
        store = PageStore(table, Layout(place).warc)
        pages = store.stream(b"file:", b"file;", OWNER)
        return {path_of_file_url(page.url): page.document.readers for page in pages}


def on_disk(root: Path) -> dict[bytes, str]:
    found = {}
    for directory, _, names in os.walk(bytes(root.resolve())):
        for name in names:
            path = Path(os.fsdecode(directory + b"/" + name))
            if path.is_file() and not path.is_symlink():
                found[bytes(path)] = path.read_text()
    return found


def found_by(place: Path, word: str) -> set[bytes]:
    with shoal.open(place) as collection:
        results = collection.search(word, limit=100, site_limit=100)
        return {path_of_file_url(each.url) for each in results.results}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "corpus"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = tmp_path / "documents"
    found.mkdir()
    return found


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():  # noqa: ASYNC110 - another process changes it
            await asyncio.sleep(0.05)


def watching(place: Path, work: Callable[[OwnSources], "object"]) -> None:
    """Follow the sources while something is done, which is awaited."""

    async def both() -> None:
        started = asyncio.get_running_loop().create_future()
        following = asyncio.create_task(
            look_at(place, CONFIG, forever=True, started=started.set_result)
        )
        sources = await started
        try:
            await work(sources)  # type: ignore[misc]
        finally:
            sources.stop()
            await following

    run(both())


# --- a storm --------------------------------------------------------------------------------------

MOST_SOUGHT = 50
ODD = [b"plain", b"\xff\xfe\xfd", b"new\nline", b"y" * 255, b"a b%20#?", b"-", b"0", b"~x"]


class Storm:
    """Creates, renames, deletes and chmods in a few directories, the same for a seed."""

    def __init__(self, root: Path, seed: int, folders: int = 5, deep: int = 3) -> None:
        self._root = bytes(root.resolve())
        self._random = random.Random(seed)
        self._folders, self._deep = folders, deep
        self._number = 0

    def blow(self, times: int) -> None:
        for _ in range(times):
            self._do()

    def _directory(self) -> bytes:
        path = self._root + b"/d%d" % self._random.randrange(self._folders)
        if self._random.random() < 0.3:
            path += b"/e%d" % self._random.randrange(self._deep)
        return path

    def _path(self) -> Path:
        name = self._random.choice(ODD)
        name = name if len(name) > 200 else name + b"%d" % self._random.randrange(6)
        return Path(os.fsdecode(self._directory() + b"/" + name))

    def _do(self) -> None:
        what, path = self._random.random(), self._path()
        try:
            if what < 0.45:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._number += 1
                if path.is_fifo():
                    path.unlink()
                path.write_text(f"zander number{self._number}")
            elif what < 0.65:
                path.rename(self._path())
            elif what < 0.8:
                path.unlink()
            elif what < 0.9:
                path.chmod(self._random.choice([0o600, 0o604, 0o640, 0o644]))
            elif what < 0.94:
                path.parent.rename(os.fsdecode(self._directory()))
            elif what < 0.97:
                path.parent.chmod(self._random.choice([0o700, 0o750, 0o755, 0o701]))
            else:
                self._odd(path)
        except OSError:
            pass  # it is not there, or something is in its way

    def _odd(self, path: Path) -> None:
        if self._random.random() < 0.5:
            os.mkfifo(path)
        else:
            path.symlink_to(path.parent)


def is_as_on_disk(place: Path, root: Path) -> None:
    disk = on_disk(root)
    assert stored(place) == disk
    with shoal.open(place) as collection:
        assert collection.search("zander").total == len(disk)
        for path, text in sorted(disk.items())[:MOST_SOUGHT]:
            found = collection.search(text.rpartition(" ")[2]).results
            assert [path_of_file_url(each.url) for each in found] == [path]
    for path, words in readers(place).items():
        assert words == words_of(path)


def words_of(path: bytes) -> list[str]:
    found, _ = Permissions().readers(path, os.lstat(path), acl_of(path))
    return list(found)


def add(place: Path, root: Path, **environ: str) -> int:
    command = [sys.executable, "-P", "-m", "shoal", "add", str(root), "--dir", str(place)]
    command += ["--set", "files.share=64", "--set", "crawl.children=1", "--quiet", "--traceback"]
    variables = clean_environment() | {"SHOAL_INDEX_FOLLOW": "yes"} | environ
    done = subprocess.run(command, env=variables, capture_output=True, check=False, timeout=120)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode
