"""Putting, removing and committing: one document for a row, and the position with the documents."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import Busy, CollectionError, DamagedError
from shoal.index import index_directory
from shoal.index.fields import VERSION, digest_of
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.model.entry import Entry
from shoal.model.principal import OWNER
from shoal.model.query import Is
from shoal.model.record import changed
from tests.index.made import SMALL_HEAP_BYTES, entry, found, must, search, words, written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "index"


def writer_at(path: Path) -> IndexWriter:
    return IndexWriter(path, SMALL_HEAP_BYTES)


def test_what_is_put_again_replaces(path: Path) -> None:
    with writer_at(path) as writer:
        writer.put(entry("a", "carp"))
        writer.put(entry("a", "perch"))
        writer.commit(1)
        reader = IndexReader(path)
        assert (found(reader, "carp"), found(reader, "perch")) == ([], ["a"])
        writer.put(entry("a", "pike"))
        writer.commit(2)
        assert found(reader, "perch") == ["a"], "a reader sees one commit until it is refreshed"
        reader.refresh()
        assert (found(reader, "perch"), found(reader, "pike")) == ([], ["a"])
        assert (reader.documents(), reader.position()) == (1, 2)


def test_what_is_removed_is_gone(path: Path) -> None:
    first, second = entry("a", "carp"), entry("b", "carp")
    with writer_at(path) as writer:
        writer.put(first)
        writer.put(second)
        writer.remove(second.row)
        writer.remove(b"never there")
        writer.commit(5)
        reader = IndexReader(path)
        assert list(reader.rows()) == [first.row]
        assert (reader.holds(first.row), reader.holds(second.row)) == (True, False)
        writer.remove(first.row)
        writer.commit(6)
        reader.refresh()
        assert (list(reader.rows()), reader.documents(), reader.position()) == ([], 0, 6)
        assert search(reader, words("carp")).total == 0


def test_clear_forgets_documents_and_position(path: Path) -> None:
    written(path, [entry("a", "carp")], 7)
    with writer_at(path) as writer:
        assert writer.position == 7
        writer.clear()
        writer.put(entry("b", "carp"))
        writer.commit(3)
    reader = IndexReader(path)
    assert (found(reader, "carp"), reader.position()) == (["b"], 3)


def test_what_was_not_committed_is_gone(path: Path) -> None:
    with writer_at(path) as writer:
        writer.put(entry("a", "carp"))
        writer.commit(1)
        writer.put(entry("b", "carp"))
    with writer_at(path) as writer:
        assert writer.position == 1
    assert found(IndexReader(path), "carp") == ["a"]
    with pytest.raises(ValueError, match="closed"):
        writer.put(entry("c"))
    writer.close()


def test_members_are_documents_and_no_pages(path: Path) -> None:
    reader = written(path, [entry("a"), entry("a.zip", is_member=True)])
    assert (reader.documents(), reader.pages()) == (2, 1)


def test_an_empty_commit_is_a_whole_index(path: Path) -> None:
    reader = written(path, [], 4)
    assert (reader.position(), reader.documents(), reader.languages()) == (4, 0, [])
    assert search(reader, words("fish")).total == 0
    assert list(reader.rows()) == []
    assert reader.like("fish and ships", "en", 1, OWNER) != []
    assert reader.facets(words("fish"), OWNER, ["site"], 3) == {"site": []}


def test_a_new_writer_has_nothing_yet(path: Path) -> None:
    with writer_at(path) as writer:
        assert writer.position == 0
        assert IndexReader(path).position() == 0


def test_digests_tell_what_is_there(path: Path) -> None:
    entries = [
        entry(str(number), f"text {number}", anchors=[("x", number)]) for number in range(50)
    ]
    reader = written(path, entries)
    assert dict(reader.digests()) == {each.row: digest_of(each) for each in entries}
    assert digest_of(entries[0]) != digest_of(changed(entries[0], anchors=[("x", 1)]))


def test_a_long_listing_comes_in_portions(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.index.reader._PER_LISTING", 7)
    reader = written(path, [entry(str(number)) for number in range(50)])
    rows = list(reader.rows())
    assert len(rows) == len(set(rows)) == 50


def test_one_writer_at_a_time(path: Path) -> None:
    with writer_at(path), pytest.raises(Busy, match="stop it first"):
        writer_at(path)
    writer_at(path).close()


def test_no_index_yet(path: Path) -> None:
    with pytest.raises(CollectionError, match="reindex"):
        IndexReader(path)
    path.mkdir(parents=True)
    with pytest.raises(CollectionError, match="reindex"):
        IndexReader(path)


def test_an_index_of_another_release_is_made_anew(path: Path) -> None:
    written(path, [entry("a", "carp")], 9)
    (path / index_directory._VERSION_FILE).write_text(f"{VERSION + 1}\n")
    with pytest.raises(CollectionError, match="another release"):
        IndexReader(path)
    with writer_at(path) as writer:
        assert writer.position == 0
    assert IndexReader(path).documents() == 0


def test_a_reader_goes_on_when_the_index_is_made_anew(path: Path) -> None:
    reader = written(path, [entry("a", "carp")], 9)
    index_directory.start(path)
    assert found(reader, "carp") == ["a"]
    written(path, [entry("b", "carp"), entry("c", "carp")], 2)
    assert found(reader, "carp") == ["a"]
    reader.refresh()
    assert (sorted(found(reader, "carp")), reader.position()) == (["b", "c"], 2)


@pytest.mark.parametrize("content", [b"", b"{x", b"\xff\x00"])
def test_a_damaged_index_is_said_and_made_anew(path: Path, content: bytes) -> None:
    written(path, [entry("a", "carp")], 9)
    (path / "meta.json").write_bytes(content)
    with pytest.raises(DamagedError, match="reindex"):
        IndexReader(path)
    with writer_at(path) as writer:
        assert writer.position == 0
        writer.put(entry("b", "carp"))
        writer.commit(1)
    assert found(IndexReader(path), "carp") == ["b"]


@pytest.mark.parametrize("ending", ["term", "store", "fast", "idx"])
def test_segments_that_are_missing(path: Path, ending: str) -> None:
    written(path, [entry("a", "carp")], 9)
    for file in path.glob(f"*.{ending}"):
        file.unlink()
    with pytest.raises(DamagedError, match="reindex"):
        IndexReader(path)
    with writer_at(path) as writer:
        assert writer.position == 0


def test_files_stay_few_under_many_commits(path: Path) -> None:
    with writer_at(path) as writer:
        for number in range(40):
            writer.put(entry(str(number % 25), f"carp {number}"))
            writer.commit(number)
    reader = IndexReader(path)
    assert (reader.documents(), reader.position()) == (25, 39)
    assert len(list(path.iterdir())) < 130, "without merging there would be seven for a commit"


ODD = st.text(max_size=30) | st.sampled_from(["\ud800", "\0", "a\u2028b", "x" * 70_000])


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.builds(
        Entry,
        row=st.binary(min_size=1, max_size=20) | st.just(b"\xff" * 70_000),
        url=ODD,
        site=ODD,
        title=ODD,
        headings=ODD,
        bold=ODD,
        content=ODD,
        rest=ODD,
        anchors=st.lists(st.tuples(ODD, st.integers(-9, 1 << 40)), max_size=3),
        language=ODD,
        media_type=ODD,
        source=ODD,
        marks=st.lists(ODD, max_size=3),
        readers=st.lists(ODD, max_size=3),
        fetched=st.floats(),
        published=st.floats(),
    )
)
def test_any_entry_can_be_put(tmp_path_factory: pytest.TempPathFactory, odd: Entry) -> None:
    reader = written(tmp_path_factory.mktemp("odd") / "index", [odd, entry("plain", "carp")])
    assert reader.documents() == 2
    assert reader.holds(odd.row)
    assert set(reader.rows()) == {odd.row, entry("plain").row}
    assert "plain" in found(reader, must(Is("site", "example.org")))


KILLED = """
import sys
from pathlib import Path
from shoal.index.writer import IndexWriter
from tests.index.made import entry

writer = IndexWriter(Path(sys.argv[1]), 16_000_000)
for position in range(writer.position + 1, writer.position + 1 + int(sys.argv[2])):
    writer.put(entry(str(position), f"carp {position}"))
    writer.put(entry("newest", f"number{position}"))
    writer.remove(entry(str(position - 3)).row)
    writer.commit(position)
    print(position, flush=True)
"""


def run(path: Path, commits: int, fault: str = "") -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(sys.path)
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), str(commits)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths, "SHOAL_FAULT": fault},
    )


def assert_whole(path: Path, reached: int) -> int:
    """Documents and position agree exactly, and nothing is lost that was reached."""
    reader = IndexReader(path)
    position = reader.position()
    assert position >= reached
    kept = {entry(str(number)).row for number in range(max(1, position - 2), position + 1)}
    assert set(reader.rows()) == kept | {entry("newest").row}
    assert found(reader, f"number{position}") == ["newest"]
    return position


def test_a_kill_within_a_commit_leaves_the_commit_before_or_this_one(path: Path) -> None:
    reached = 0
    for passing in (4, 2, 3):
        with run(path, 1000, f"index.committing:{passing}") as process:
            said = process.communicate()[0].split()
        assert process.returncode == -signal.SIGALRM
        reached = assert_whole(path, int(said[-1]))
    assert reached >= 6


def test_a_kill_at_any_moment_loses_no_commit(path: Path) -> None:
    for commits in (4, 2):
        with run(path, 1000) as process:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(commits)]
            process.kill()
        assert_whole(path, int(said[-1]))


def test_a_writer_of_another_process_is_seen(path: Path) -> None:
    reader = written(path, [entry("a", "carp")], 1)
    with run(path, 3) as process:
        assert process.communicate()[0].split() == [b"2", b"3", b"4"]
    assert reader.position() == 1
    reader.refresh()
    assert reader.position() == 4
    assert len(found(reader, "carp")) == 4
