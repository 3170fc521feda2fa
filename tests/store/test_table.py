"""RocksDB as a table: kills, restarts, readers beside a writer, a full disk."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from random import Random

import pytest
from rocksdict import BlockBasedOptions, DBCompressionType, Options, Rdict

from shoal.errors import CollectionError
from shoal.model.compression import unzstd, zstd, zstd_stored
from shoal.store.table import FAMILIES, RocksTable


def put(table: RocksTable, family: str, key: bytes, value: bytes) -> None:
    batch = table.batch()
    batch.put(family, key, value)
    table.write(batch)


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_kill_loses_no_batch_that_was_written(tmp_path: Path) -> None:
    """SIGKILL right after write(), without sync: no destructor and no flush gets to run."""
    died = run(
        """
        import os, signal, sys
        from pathlib import Path
        from shoal.store.table import RocksTable
        table = RocksTable(Path(sys.argv[1]))
        for number in range(500):
            batch = table.batch()
            key = number.to_bytes(4, "big")
            batch.put("page", key, b"p" * 500)
            batch.put("anchor", key, b"a")
            table.write(batch)
        unwritten = table.batch()
        unwritten.put("page", b"unwritten", b"")
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        tmp_path / "table",
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    with RocksTable(tmp_path / "table") as table:
        keys = [number.to_bytes(4, "big") for number in range(500)]
        assert [key for key, _ in table.scan("page", b"")] == keys
        assert [key for key, _ in table.scan("anchor", b"")] == keys


def test_reopening_keeps_every_family_and_its_options(tmp_path: Path) -> None:
    for life in range(3):
        with RocksTable(tmp_path / "table") as table:
            for family in FAMILIES:
                put(table, family, b"life %d" % life, family.encode() * 1000)
            table.compact()
    with RocksTable(tmp_path / "table") as table:
        for family in FAMILIES:
            lives = [key for key, _ in table.scan(family, b"")]
            assert lives == [b"life 0", b"life 1", b"life 2"]
        assert all(size > 0 for size in table.bytes_on_disk().values())
    written = max((tmp_path / "table").glob("OPTIONS-*"), key=lambda path: path.name).read_text()
    for family in FAMILIES:
        section = written.split(f'[TableOptions/BlockBasedTable "{family}"]')[1].split("\n[")[0]
        assert "partition_filters=true" in section, family
        assert "filter_policy=bloomfilter" in section, family
        assert "index_type=kTwoLevelIndexSearch" in section, family


@pytest.mark.parametrize(
    ("soft", "hard", "kept_open"),
    [(300, 300, 150), (300, 1000, 500), (64, 64, 32)],
)
def test_as_many_files_are_kept_open_as_the_system_lets_us(
    tmp_path: Path, soft: int, hard: int, kept_open: int
) -> None:
    """What the shell allows is raised to what the system does; half of that is the table's."""
    opened = run(
        """
        import resource, sys
        from pathlib import Path
        from shoal.store.table import RocksTable
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]), int(sys.argv[3])))
        RocksTable(Path(sys.argv[1])).close()
        print(*resource.getrlimit(resource.RLIMIT_NOFILE))
        """,
        tmp_path / "table",
        soft,
        hard,
    )
    assert opened.stdout.split() == [str(hard), str(hard)], opened.stderr
    written = max((tmp_path / "table").glob("OPTIONS-*"), key=lambda path: path.name).read_text()
    assert f"max_open_files={kept_open}\n" in written


def test_a_table_of_other_options_is_read_and_goes_on(tmp_path: Path) -> None:
    """Files say themselves how they are packed: options are for what is written next."""
    place, families = str(tmp_path / "table"), ("default", *FAMILIES)
    other = {name: Options(raw_mode=True) for name in families}
    for options in other.values():
        options.create_if_missing(True)
        options.create_missing_column_families(True)
        options.set_compression_type(DBCompressionType.snappy())
        blocks = BlockBasedOptions()  # neither filters nor an index of two levels
        blocks.set_block_size(1 << 10)
        options.set_block_based_table_factory(blocks)
    keys = [number.to_bytes(4, "big") for number in range(3000)]
    written = Rdict(place, other["default"], other)
    pages = written.get_column_family("page")
    for key in keys:
        pages[key] = key * 100
    pages.flush(True)
    del pages
    written.close()
    with RocksTable(tmp_path / "table") as table:
        assert table.get_many("page", [*keys, b"none"]) == [*(key * 100 for key in keys), None]
        put(table, "page", b"more", b"1")
        table.compact()
    with RocksTable(tmp_path / "table") as table:
        assert [key for key, _ in table.scan("page", b"")] == [*keys, b"more"]
        assert table.get_many("page", [keys[7], b"more"]) == [keys[7] * 100, b"1"]


def test_a_second_writer_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    with RocksTable(tmp_path / "table") as table:
        put(table, "page", b"a", b"1")
        with pytest.raises(CollectionError, match="can't be opened"):
            RocksTable(tmp_path / "table")
        other = run(
            """
            import sys
            from pathlib import Path
            from shoal.errors import CollectionError
            from shoal.store.table import RocksTable
            try:
                RocksTable(Path(sys.argv[1]))
            except CollectionError as error:
                print(error)
            """,
            tmp_path / "table",
        )
        assert "can't be opened" in other.stdout
        put(table, "page", b"b", b"2")
        assert table.get_many("page", [b"a", b"b"]) == [b"1", b"2"]


def test_closing_frees_the_lock_even_with_a_scan_half_read(tmp_path: Path) -> None:
    table = RocksTable(tmp_path / "table")
    put(table, "page", b"a", b"1")
    put(table, "page", b"b", b"1")
    scan = table.scan("page", b"")
    next(scan)
    del scan
    table.close()
    with RocksTable(tmp_path / "table") as again:
        assert again.get("page", b"a") == b"1"


def test_a_reader_follows_a_live_writer(tmp_path: Path) -> None:
    with RocksTable(tmp_path / "table") as writer:
        put(writer, "page", b"a", b"1")
        with RocksTable(tmp_path / "table", reader=True) as reader:
            assert reader.get("page", b"a") == b"1"
            put(writer, "page", b"a", b"2")
            put(writer, "anchor", b"b", b"3")
            assert reader.get("page", b"a") == b"1"
            reader.catch_up()
            assert reader.get("page", b"a") == b"2"
            assert list(reader.scan("anchor", b"")) == [(b"b", b"3")]
            writer.compact()
            put(writer, "page", b"c", b"4")
            reader.catch_up()
            assert reader.get_many("page", [b"a", b"c"]) == [b"2", b"4"]


def test_a_reader_writes_nothing(tmp_path: Path) -> None:
    with RocksTable(tmp_path / "table") as writer:
        put(writer, "page", b"a", b"1")
        with RocksTable(tmp_path / "table", reader=True) as reader:
            with pytest.raises(CollectionError, match="opened for reading"):
                put(reader, "page", b"a", b"2")
            assert reader.get("page", b"a") == b"1"
        assert writer.get("page", b"a") == b"1"


def test_a_reader_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(own))
    RocksTable(tmp_path / "table").close()
    with RocksTable(tmp_path / "table", reader=True):
        assert list(own.iterdir())
    assert not list(own.iterdir())
    with pytest.raises(CollectionError, match="can't be opened"):
        RocksTable(tmp_path / "nothing here", reader=True)
    assert not list(own.iterdir())


def test_a_directory_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CollectionError, match="can't be opened") as told:
        RocksTable(tmp_path / "file" / "table")
    assert "\n" not in str(told.value)


def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path: Path) -> None:
    """No file may grow beyond 200 KB, so that the log's write fails as on a full disk."""
    ended = run(
        """
        import resource, sys
        from pathlib import Path
        from shoal.errors import CollectionError
        from shoal.store.table import RocksTable

        def allow(file_bytes):
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, hard))

        def told(act):
            try:
                act()
            except CollectionError as error:
                return str(error)
            return ""

        def put(table, number):
            batch = table.batch()
            batch.put("page", number.to_bytes(4, "big"), bytes(1000))
            table.write(batch)

        table = RocksTable(Path(sys.argv[1]))
        allow(200_000)
        number = 0
        while not (sentence := told(lambda: put(table, number))):
            number += 1
        print(number, sentence, sep="\\n")
        print(bool(told(lambda: put(table, number))), bool(told(table.sync)))
        told(table.close)
        allow(resource.RLIM_INFINITY)
        with RocksTable(Path(sys.argv[1])) as table:
            put(table, number)
        """,
        tmp_path / "table",
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    count, sentence, later = ended.stdout.splitlines()
    assert 100 < int(count) < 200
    assert sentence.startswith("The table can't be written: ")
    assert sentence.endswith("what was written before is kept.")
    assert later == "True True"
    with RocksTable(tmp_path / "table") as table:
        numbers = [int.from_bytes(key, "big") for key, _ in table.scan("page", b"")]
        assert numbers == list(range(int(count) + 1))


def test_a_reader_that_missed_the_end_of_the_log_sees_what_was_moved_into_files(
    tmp_path: Path,
) -> None:
    with RocksTable(tmp_path / "table") as table:
        for family in FAMILIES:
            put(table, family, b"k", b"before")
        with RocksTable(tmp_path / "table", reader=True) as reader:
            assert reader.get("page", b"k") == b"before"
            for family in FAMILIES:
                put(table, family, b"k", b"after")
            table.flush()
            reader.catch_up()
            assert {reader.get(family, b"k") for family in FAMILIES} == {b"after"}


def test_a_reader_sees_what_a_writer_wrote_before_it_came_again(tmp_path: Path) -> None:
    with RocksTable(tmp_path / "table") as table:
        for family in FAMILIES:
            put(table, family, b"k", b"before")
        reader = RocksTable(tmp_path / "table", reader=True)
        for family in FAMILIES:
            put(table, family, b"k", b"after")
    with reader:
        for _ in range(3):
            with RocksTable(tmp_path / "table"):
                reader.catch_up()
                assert {reader.get(family, b"k") for family in FAMILIES} == {b"after"}


def test_what_was_deleted_is_gone_from_the_files(tmp_path: Path) -> None:
    secret = b"4f1c9f8e5bb04b0f"

    def is_there() -> bool:
        return any(secret in file.read_bytes() for file in (tmp_path / "table").iterdir())

    with RocksTable(tmp_path / "table") as table:
        put(table, "text", b"file:/a", secret)
        table.flush()
        assert is_there()
        batch = table.batch()
        batch.delete("text", b"file:/a")
        table.write(batch)
        table.flush()
        assert is_there()
        table.compact_range("text", b"file:/a", b"file:/b")
        assert not is_there()


def test_texts_of_ones_own_are_compressed_with_each_other(tmp_path: Path) -> None:
    """Letters have sentences in common, and say little twice."""
    random, words = Random(3), [f"word{number}" for number in range(3_000)]
    sentences = [" ".join(random.choices(words, k=20)) for _ in range(60)]
    texts = [". ".join(random.sample(sentences, 8)).encode() for _ in range(300)]
    with RocksTable(tmp_path / "table") as table:
        for number, text in enumerate(texts):
            put(table, "text", b"%06d" % number, zstd_stored(text))
        table.compact()
        together = table.bytes_on_disk()["text"]
        assert together < 0.5 * sum(len(zstd(text)) for text in texts)
        read = [unzstd(value) for _, value in table.scan("text", b"")]
    assert read == texts
