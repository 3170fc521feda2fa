"""One's own documents, as a run takes them in: what is stored and found is what the disk has."""

import asyncio
import os
import zipfile
from pathlib import Path

import pytest

import shoal
from shoal.collection.own_file import body_of
from shoal.collection.report.freshness import freshness
from shoal.control.own_sources import remove_source_at, sources_of
from shoal.engine.own_documents import Taking
from shoal.engine.own_looks import look_at
from shoal.engine.own_sources import OwnSources, rows
from shoal.errors import CollectionError
from shoal.layout.layout import Layout
from shoal.loop import run
from shoal.model.compression import unzstd
from shoal.model.principal import OWNER, Principal
from shoal.model.source import FOLDER, MAIL, SourceRow
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.engine.own_parts import (
    CONFIG,
    PATIENCE_SECONDS,
    add,
    found_by,
    look,
    on_disk,
    place,
    readers,
    root,
    stored,
    until,
    watching,
)

__all__ = ["place", "root"]

STRANGER = Principal(frozenset({"u:4711", "g:4711", "local"}))
QUIET_LOOKS = 6
FAST: dict[str, object] = {"crawl.children": 1, "politeness.delay": 0.0}


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


def files_with(place: Path, word: bytes) -> list[str]:
    files = [each for each in place.rglob("*") if each.is_file()]
    return sorted(each.name for each in files if word in each.read_bytes())


def test_of_a_source_that_was_forgotten_no_file_has_a_word_left(
    place: Path, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "kept.txt").write_text("Walrus on the beach")
    (root / "one.txt").write_text("Clownfish tell zqvxkjw4711 to nobody")
    with zipfile.ZipFile(root / "a.zip", "w") as file:
        file.writestr("two.txt", "Anemones tell zqvxkjw4711 to nobody, either")
    look(place, root, other)
    assert files_with(place, b"zqvxkjw4711")
    before = set(Layout(place).index.glob("*.term"))  # whose bytes are no plain words
    removed = remove_source_at(str(place), root)
    assert (removed.documents, removed.note) == (2, "")
    assert files_with(place, b"zqvxkjw4711") == []
    assert before
    assert not [each for each in before if each.exists()]
    assert found_by(place, "zqvxkjw4711") == set()
    assert found_by(place, "walrus") == {bytes((other / "kept.txt").resolve())}


def test_of_files_that_were_deleted_the_table_has_no_word_left(place: Path, root: Path) -> None:
    """A kill between leaves it to the next look."""
    for number in range(30):
        (root / f"{number}.txt").write_text(f"Clownfish tell zqvxkjw{number} to nobody")
    (root / "kept.txt").write_text("Walrus on the beach")
    look(place, root)
    for number in range(30):
        (root / f"{number}.txt").unlink()
    assert add(place, root, SHOAL_FAULT="source.removed:30", SHOAL_INDEX_FOLLOW="no")
    assert any(each.endswith((".sst", ".log")) for each in files_with(place, b"zqvxkjw7 "))
    look(place)
    assert not any(each.endswith((".sst", ".log")) for each in files_with(place, b"zqvxkjw7 "))
    assert stored(place) == on_disk(root)


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


def test_ones_own_files_are_of_no_site(place: Path, root: Path) -> None:
    """All that is found is listed, not two of them and "more from" nowhere."""
    for number in range(6):
        (root / f"{number}.txt").write_text(f"Kelp number {number}, with words of its own")
    look(place, root)
    with shoal.open(place) as collection:
        assert [each.more_from_site for each in collection.search("kelp")] == [0] * 6
