"""One's own documents, as a run takes them in: what is stored and found is what the disk has."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import shoal
from shoal.collection.own_file import body_of
from shoal.collection.report.freshness import freshness
from shoal.config import Config
from shoal.control.own_sources import remove_source_at, sources_of
from shoal.engine.own_documents import Taking
from shoal.engine.own_sources import OwnSources, look_at, rows
from shoal.errors import CollectionError
from shoal.layout.layout import Layout
from shoal.loop import run
from shoal.model.compression import unzstd
from shoal.model.principal import OWNER, Principal
from shoal.model.source import FOLDER, MAIL, SourceRow
from shoal.model.urls.file_url import path_of_file_url
from shoal.sources.disk.permissions import Permissions, acl_of
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.cli.command import clean_environment

CONFIG = Config().with_({"files.share": 64.0, "crawl.children": 1})
STRANGER = Principal(frozenset({"u:4711", "g:4711", "local"}))
PATIENCE_SECONDS = 60.0
QUIET_LOOKS = 6
FAST: dict[str, object] = {"crawl.children": 1, "politeness.delay": 0.0}


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


def test_a_folder_is_read_and_followed_from_look_to_look(place: Path, root: Path) -> None:
    (root / "a").mkdir()
    (root / "one.txt").write_text("Clownfish live in anemones")
    (root / "a" / "two.txt").write_text("Walrus on the beach")
    assert look(place, root) == Taking(read=2)
    assert stored(place) == on_disk(root)
    assert look(place) == Taking()
    (root / "a" / "two.txt").rename(root / "three.txt")
    (root / "one.txt").chmod(0o640)
    assert look(place) == Taking(moved=1, shared=1)
    assert stored(place) == on_disk(root)
    assert found_by(place, "walrus") == {bytes((root / "three.txt").resolve())}
    (root / "three.txt").unlink()
    (root / "one.txt").write_text("Seals swim")
    assert look(place) == Taking(read=1, gone=1)
    assert stored(place) == on_disk(root)
    assert found_by(place, "walrus") == found_by(place, "clownfish") == set()
    assert found_by(place, "seals") == {bytes((root / "one.txt").resolve())}


def test_a_look_at_nothing_new_writes_nothing(place: Path, root: Path) -> None:
    (root / "one.txt").write_text("Clownfish live in anemones")
    look(place, root)
    with RocksTable(Layout(place).table, reader=True) as table:
        before = [*table.scan("site", b"\x00inode"), *table.scan("page", b""), *rows(table)]
    look(place)
    with RocksTable(Layout(place).table, reader=True) as table:
        assert [*table.scan("site", b"\x00inode"), *table.scan("page", b""), *rows(table)] == before


def test_documents_have_the_readers_of_their_files(place: Path, root: Path) -> None:
    (root / "open.txt").write_text("Clownfish live in anemones")
    look(place, root)
    before = readers(place)
    (root / "open.txt").chmod(0o604)
    look(place)
    after = readers(place)
    assert before != after
    assert not any(STRANGER.may_read(each) for each in after.values())  # the folders above are shut


def test_what_is_inside_a_file_moves_and_goes_with_it(place: Path, root: Path) -> None:
    with zipfile.ZipFile(root / "a.zip", "w") as file:
        file.writestr("one.txt", "Clownfish live in anemones of the reef")
        file.writestr("two.txt", "A walrus sleeps on the beach of the north")
    look(place, root)
    assert found_by(place, "walrus")
    before = set(readers_by_url(place))
    assert len(before) == 3
    (root / "a.zip").rename(root / "b.zip")
    assert look(place) == Taking(moved=1)
    assert {each.replace("a.zip", "b.zip") for each in before} == set(readers_by_url(place))
    (root / "b.zip").chmod(0o640)
    assert look(place) == Taking(shared=1)
    assert len({tuple(each) for each in readers_by_url(place).values()}) == 1
    (root / "b.zip").unlink()
    assert look(place) == Taking(gone=1)
    assert readers_by_url(place) == {}
    assert found_by(place, "walrus") == set()


def readers_by_url(place: Path) -> dict[str, list[str]]:
    with RocksTable(Layout(place).table, reader=True) as table:
        store = PageStore(table, Layout(place).warc)
        pages = store.stream(b"file:", b"file;", OWNER)
        return {page.url: page.document.readers for page in pages}


LONG = "Many words about the sea and its fish that make a text long enough to be compared. " * 20


def test_copies_are_all_found_and_go_one_by_one(place: Path, root: Path) -> None:
    paths = [root / name for name in ("a.txt", "b.txt", "c.txt")]
    for path in paths:
        path.write_text(LONG)
    look(place, root)
    assert found_by(place, "words fish compared") == {bytes(path.resolve()) for path in paths}
    paths[0].unlink()
    paths[1].chmod(0o604)
    paths[2].rename(root / "d.txt")
    look(place)
    left = {bytes((root / name).resolve()) for name in ("b.txt", "d.txt")}
    assert found_by(place, "words fish compared") == left


def test_links_in_ones_own_documents_lead_nowhere(place: Path, root: Path) -> None:
    (root / "a.html").write_text('<a href="https://secret.example/plan">the plan</a>')
    look(place, root)
    with shoal.open(place) as collection:
        known = [url for url, *_ in collection.urls()]
        assert known == [(root / "a.html").resolve().as_uri()]


def test_no_crawl_fetches_what_a_source_brought(place: Path, root: Path) -> None:
    """Whoever fetched it would not know who may read it."""
    (root / "one.txt").write_text("Clownfish live in anemones")
    look(place, root)
    before = readers(place)
    (root / "one.txt").write_text("Something else, of which only the source may tell")
    uri = (root / "one.txt").resolve().as_uri()
    with shoal.open(place) as collection:
        collection.submit(uri)
    shoal.crawl(f"{root.resolve().as_uri()}/", uri, dir=place, settings=FAST)
    shoal.refresh(dir=place, settings=FAST)
    assert stored(place)[bytes((root / "one.txt").resolve())] == "Clownfish live in anemones"
    assert readers(place).items() >= before.items()
    assert all(before.values())


def test_a_source_is_forgotten_with_its_documents(place: Path, root: Path, tmp_path: Path) -> None:
    (root / "in").mkdir()
    (root / "one.txt").write_text("Clownfish live in anemones")
    (root / "in" / "two.txt").write_text("Walrus on the beach")
    look(place, root, root / "in")
    assert len(sources_of(str(place))) == 2
    removed = remove_source_at(str(place), root)
    assert removed.documents == 1
    assert set(stored(place)) == {bytes((root / "in" / "two.txt").resolve())}
    with pytest.raises(shoal.UsageError):
        remove_source_at(str(place), tmp_path)


def test_a_file_that_may_not_be_read_is_no_document(
    place: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "one.txt").write_text("Clownfish live in anemones")
    (root / "two.txt").write_text("Walrus on the beach")
    look(place, root)
    real, tried = os.open, list[str]()

    def refusing(path: bytes | str | Path, *given: int) -> int:
        if str(path).endswith("one.txt'"):  # bytes, as a source has them
            tried.append(str(path))
            raise PermissionError(13, "Permission denied")
        return real(path, *given)

    monkeypatch.setattr("shoal.sources.disk.folder.os.open", refusing)
    (root / "one.txt").write_text("Clownfish live elsewhere by now")
    assert look(place) == Taking(gone=1)  # nobody knows what it says now, or to whom
    assert look(place) == Taking()
    assert len(tried) == 2
    assert set(stored(place)) == {bytes((root / "two.txt").resolve())}
    (line,) = sources_of(str(place))
    assert [(each.reason, each.count) for each in line.skipped] == [("may not be read", 1)]


def test_the_copy_that_is_shown_is_the_file_itself(place: Path, root: Path) -> None:
    file = root / "one.txt"
    file.write_text("Clownfish live in anemones")
    look(place, root)
    uri = file.resolve().as_uri()
    before = file.stat()
    with shoal.open(place) as collection:
        page = collection.page(uri)
        assert page is not None
        assert page.body == b"Clownfish live in anemones"
    file.write_text("Clownfish live in ANEMONES")  # as long as before
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with shoal.open(place) as collection:
        page = collection.page(uri)
        assert page is not None
        assert page.body == b""


def test_the_copy_is_shown_to_whom_the_file_is_open_now(place: Path, root: Path) -> None:
    file = root / "one.txt"
    file.write_text("Clownfish live in anemones")
    look(place, root)
    with RocksTable(Layout(place).table, reader=True) as table:
        (page,) = PageStore(table, Layout(place).warc).stream(b"file:", b"file;", OWNER)
    assert body_of(page, OWNER) == b"Clownfish live in anemones"
    owner = Principal(frozenset({f"u:{os.getuid()}", f"g:{os.getgid()}", "local"}))
    assert body_of(page, owner) == b"Clownfish live in anemones"
    assert body_of(page, STRANGER) == b""  # the folders above are shut
    file.rename(root / "two.txt")
    (root / "one.txt").symlink_to(root / "two.txt")
    assert body_of(page, OWNER) == b""


# --- watching -------------------------------------------------------------------------------------


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


def test_changes_are_followed_at_once(place: Path, root: Path) -> None:
    (root / "one.txt").write_text("Clownfish live in anemones")
    look(place, root)

    async def work(sources: OwnSources) -> None:
        (root / "new").mkdir()
        (root / "new" / "two.txt").write_text("Walrus on the beach")
        await until(lambda: sources.taking.read == 1)
        await until(lambda: bool(found_by(place, "walrus")))
        (root / "new").rename(root / "other")
        await until(lambda: sources.taking.moved == 1)
        (root / "one.txt").unlink()
        await until(lambda: sources.taking.gone == 1)

    watching(place, work)
    assert stored(place) == on_disk(root)
    assert found_by(place, "walrus") == {bytes((root / "other" / "two.txt").resolve())}


def test_while_nothing_changes_nothing_is_written(place: Path, root: Path) -> None:
    (root / "one.txt").write_text("Clownfish live in anemones")
    look(place, root)

    def files() -> dict[Path, tuple[int, int]]:
        found = [(each, each.stat()) for each in place.rglob("*") if each.is_file()]
        return {each: (status.st_mtime_ns, status.st_size) for each, status in found}

    async def work(sources: OwnSources) -> None:
        (root / "two.txt").write_text("Walrus on the beach")
        await until(lambda: sources.taking.read == 1)
        await until(lambda: bool(found_by(place, "walrus")))
        before, quiet = files(), 0
        async with asyncio.timeout(PATIENCE_SECONDS):
            while quiet < QUIET_LOOKS:  # what it still had to do is done some time
                await asyncio.sleep(0.5)
                after = files()
                quiet, before = (quiet + 1 if after == before else 0), after

    watching(place, work)


# --- a storm --------------------------------------------------------------------------------------

MOST_SOUGHT = 50
ODD = [b"plain", b"\xff\xfe\xfd", b"new\nline", b"y" * 255, b"a b%20#?", b"-", b"0", b"~x"]


class Storm:
    """Creates, renames, deletes and chmods in a few directories, the same for a seed."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root = bytes(root.resolve())
        self._random = random.Random(seed)
        self._number = 0

    def blow(self, times: int) -> None:
        for _ in range(times):
            self._do()

    def _directory(self) -> bytes:
        path = self._root + b"/d%d" % self._random.randrange(5)
        if self._random.random() < 0.3:
            path += b"/e%d" % self._random.randrange(3)
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


def test_after_a_storm_the_index_is_the_disk(place: Path, root: Path) -> None:
    weather(place, root, rounds=3, times=150)


@pytest.mark.slow
def test_after_a_great_storm_the_index_is_the_disk(place: Path, root: Path) -> None:
    weather(place, root, rounds=10, times=10_000)


def weather(place: Path, root: Path, rounds: int, times: int) -> None:
    """Half of each round blows while it is watched, half while nobody looks."""
    storm = Storm(root, seed=7)
    look(place, root)

    async def work(_: OwnSources) -> None:
        storm.blow(times // 2)
        await asyncio.sleep(0.2)

    for _ in range(rounds):
        watching(place, work)
        storm.blow(times // 2)
    look(place)
    is_as_on_disk(place, root)


POINTS = ("commit.before:9", "commit.after:9", "source.read:5", "source.moving", "source.removed:2")


@pytest.mark.parametrize(
    "point",
    [
        *(pytest.param(each, marks=pytest.mark.slow) for each in POINTS),
        *("commit.before:9", "source.shared"),
    ],
)
def test_a_kill_loses_nothing_and_repeats_nothing_wrongly(
    place: Path, root: Path, point: str
) -> None:
    storm = Storm(root, seed=11)
    storm.blow(100)
    add(place, root)
    storm.blow(200)
    (root / "zz").write_text("zander the last")
    # Without an index process, which would go on for a moment.
    code = add(place, root, SHOAL_FAULT=point, SHOAL_INDEX_FOLLOW="no")
    assert code == -signal.SIGKILL or point.startswith("source.")
    storm.blow(20)
    assert add(place, root) == 0
    is_as_on_disk(place, root)


def add(place: Path, root: Path, **environ: str) -> int:
    command = [sys.executable, "-P", "-m", "shoal", "add", str(root), "--dir", str(place)]
    command += ["--set", "files.share=64", "--set", "crawl.children=1", "--quiet", "--traceback"]
    variables = clean_environment() | {"SHOAL_INDEX_FOLLOW": "yes"} | environ
    done = subprocess.run(command, env=variables, capture_output=True, check=False, timeout=120)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode


def test_texts_are_stored_compressed_and_nothing_is_archived(place: Path, root: Path) -> None:
    (root / "one.txt").write_text("Clownfish live in anemones")
    look(place, root)
    assert not list(Layout(place).warc.glob("*.warc.gz"))
    with RocksTable(Layout(place).table, reader=True) as table:
        (text,) = [value for _, value in table.scan("text", b"")]
    assert b"Clownfish" in unzstd(text[8:])


def test_what_is_gone_is_not_counted_as_a_copy(place: Path, root: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (root / name).write_text(f"Kelp of {name}, with as many words as it takes")
    with zipfile.ZipFile(root / "some.zip", "w") as archive:
        archive.writestr("in.txt", "Kelp in an archive, with as many words as it takes")
    look(place, root)
    inside = f"{(root / 'some.zip').resolve()}#in.txt"
    with shoal.open(place) as collection:
        assert freshness(collection).stored == 3
        for name in (inside, f"file://{inside}"):
            assert "it is found" in collection.explain(name).verdict
            page = collection.page(name)
            assert page is not None
            assert page.text.startswith("Kelp in an archive")
    (root / "one.txt").unlink()
    (root / "some.zip").unlink()
    look(place)
    with shoal.open(place) as collection:
        assert freshness(collection).stored == collection.status().indexed == 1
        assert [page.fate for page in collection.pages()] == ["indexed"]
        assert collection.page(f"file://{inside}") is None


def test_a_fault_ends_all_in_one_sentence(place: Path, root: Path) -> None:
    """And a source that can't be opened keeps nobody from following the others."""
    (root / "one.txt").write_text("Clownfish live in anemones")
    look(place, root)

    async def work(sources: OwnSources) -> None:
        (root / "two.txt").write_text("Walrus on the beach")
        await until(lambda: sources.taking.read == 1)
        sources.following.begin(SourceRow(MAIL, b"imaps://"))
        (root / "three.txt").write_text("Seals swim")
        await until(lambda: sources.taking.read == 2)

    watching(place, work)

    async def fails() -> None:
        started = asyncio.get_running_loop().create_future()
        following = asyncio.create_task(
            look_at(place, CONFIG, forever=True, started=started.set_result)
        )
        sources = await started
        sources.source_of = lambda _: NoSource()
        sources.following.begin(SourceRow(FOLDER, b"/another"))
        await following

    with pytest.raises(CollectionError, match="it is broken"):
        run(fails())


class NoSource:
    """Whatever is asked of it fails."""

    def watch(self) -> None:
        raise CollectionError("it is broken")

    def row(self) -> SourceRow:
        return SourceRow(FOLDER, b"/another")

    def close(self) -> None:
        """Nothing is open."""
