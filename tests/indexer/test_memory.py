"""The process that writes the index keeps to its bound, however much it has written."""

import mmap
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.index.documents import Documents
from shoal.index.writer import IndexWriter
from shoal.indexer import follower as following
from shoal.indexer.follower import Follower
from shoal.indexer.index_child import command_of
from shoal.indexer.memory import Memory, Resident, give_back_pages, resident
from shoal.layout.index_state import IndexState
from shoal.layout.layout import Layout
from shoal.model.entry import Entry
from shoal.model.record import from_json
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.cli.command import clean_environment
from tests.indexer.test_follower import Shelf

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the system does not say what is in memory"
)
MEGABYTE = 1 << 20
BOUND = 256_000_000


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    with RocksTable(tmp_path / "table") as table:
        yield Shelf(table, PageStore(table, tmp_path / "warc"), tmp_path / "index")


OWN = """
from shoal.indexer.memory import resident
before = resident()
held = b"x" * 40_000_000
after = resident()
print(after.own - before.own, after.mapped - before.mapped, *resident("no process"))
"""


def test_own_memory_is_told_from_pages_of_files() -> None:
    """In a process of its own: in this one others take and free memory."""
    done = subprocess.run(
        [sys.executable, "-c", OWN], capture_output=True, text=True, check=True, timeout=60
    )
    own, mapped, *of_nobody = map(int, done.stdout.split())
    assert own > 35_000_000
    assert mapped < 5_000_000
    assert of_nobody == [0, 0]


def test_pages_of_the_index_are_given_back_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "index" / "segment.store"
    path.parent.mkdir()
    with path.open("wb") as file:
        file.write(os.urandom(MEGABYTE) * 32)
        file.flush()
        os.fsync(file.fileno())
    with path.open("rb") as segment, mmap.mmap(segment.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        before = bytes(mapped)
        touched = resident().mapped
        for _ in range(100):  # the system may be busy with some of them
            give_back_pages(path.parent)
            if touched - resident().mapped > 24 * MEGABYTE:
                break
            time.sleep(0.1)
        else:
            pytest.skip("the system gives no pages of files back (a file system in memory?)")
        assert bytes(mapped) == before


def test_what_is_remembered_is_forgotten_when_memory_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not again at once, where it did not help."""
    own, forgotten = 700 * MEGABYTE, list[int]()
    monkeypatch.setattr("shoal.indexer.memory.resident", lambda: Resident(own))
    with Memory(tmp_path, 800 * MEGABYTE) as memory:
        memory.keep(lambda: forgotten.append(1))
        memory.keep(lambda: forgotten.append(2))
        assert forgotten == [1]
        own += 200 * MEGABYTE
        memory.keep(lambda: forgotten.append(3))
        assert forgotten == [1, 3]
    with Memory(tmp_path, 2_000 * MEGABYTE) as memory:
        memory.keep(lambda: forgotten.append(4))
    assert forgotten == [1, 3]


def test_an_index_is_the_same_though_all_is_forgotten_again_and_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_ENTERED_BETWEEN", 1)
    urls = [f"http://h{number}.example/" for number in range(30)]
    for url in urls:
        shelf.put(url, f"of {url}", dict.fromkeys(urls, f"seen from {url}"))
    forgotten = []

    class Full(Memory):
        def keep(self, forget) -> None:  # type: ignore[no-untyped-def]
            forget()
            forgotten.append(1)

    with Full(shelf.path) as memory, IndexWriter(shelf.path) as writer:
        follower = Follower(shelf.table, shelf.store, writer, memory)
        while follower.step():
            pass
        follower.commit()
    assert len(forgotten) >= len(urls)
    shelf.assert_equal()


def test_targets_that_are_owed_are_bounded_in_bytes(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages with many long links: the log waits while their targets are entered."""
    monkeypatch.setattr(following, "_MOST_TARGET_BYTES", 50_000)
    for page in range(12):
        links = {f"http://t.example/{page}/{'x' * 1000}/{number}": "it" for number in range(30)}
        shelf.put(f"http://h{page}.example/", "fish", links)
    most = 0
    with IndexWriter(shelf.path) as writer:
        follower = Follower(shelf.table, shelf.store, writer)
        while follower.step():
            most = max(most, follower._owed._bytes)
        follower.commit()
        assert follower.behind == 0
    assert 50_000 < most < 50_000 + 32_000  # the last page's beside
    shelf.assert_equal()


def test_remembered_stems_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in characters, which may take four bytes each."""
    monkeypatch.setattr("shoal.index.documents._MOST_RECENT_BYTES", 100_000)
    documents = Documents()
    for number in range(20):
        text = f"{number} " + "".join(f"\U00020000{number}{at} " for at in range(400))
        documents.of(Entry(b"a", "http://a.example/", "a.example", content=text))
    kept = documents._recent.values()
    assert 0 < sum(sys.getsizeof(stems.text) for stems, _ in kept) <= 100_000


@pytest.mark.slow
def test_memory_is_flat_in_the_number_of_pages(tmp_path: Path) -> None:
    """Merges of an index that is four times as large read four times as many bytes of its files,
    and the process keeps to its bound, but for what comes between two looks."""
    few, many = (peak_of(tmp_path / str(pages), pages) for pages in (1_000, 4_000))
    assert many.index_bytes > 3 * few.index_bytes
    assert max(few.memory, many.memory) < BOUND * 1.25


class Peak(NamedTuple):
    memory: int
    index_bytes: int


def peak_of(directory: Path, pages: int) -> Peak:
    """What an index process took at its highest, over so many pages."""
    directory.mkdir()
    (directory / "shoal.toml").write_text("")
    layout = Layout(directory)
    with RocksTable(layout.table) as table:
        shelf = Shelf(table, PageStore(table, layout.warc), layout.index)
        for page in range(pages):
            text = " ".join(f"w{(page * 977 + at * 37) % 150_001:x}" for at in range(6_000))
            shelf.put(f"http://h{page % 40}.example/{page}", text)
        last = shelf.store.log.last
    with subprocess.Popen(
        command_of(layout, BOUND),
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if from_json(IndexState, line).position == last:
                    break
            status = Path(f"/proc/{process.pid}/status").read_text()
            process.communicate(b"finish\n", timeout=300)
        finally:
            process.kill()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    files = [each.stat().st_size for each in layout.index.iterdir() if each.is_file()]
    return Peak(int(found[1]) * 1024, sum(files))
