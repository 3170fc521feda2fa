"""Where do rows live? One RocksDB, one column family per kind of cell: BigTable's tablet on one
disk.

A batch is atomic over all families, because all of them share one log. `write` hands the log to the
operating system (a kill loses nothing); `sync` puts it on disk (power loss loses nothing). Other
processes may read a table that is being written to: they open it as a secondary.

Traps of the library that shaped this file: options must be passed for every family at every
opening, or filters and caches are silently dropped; `close` keeps the lock while a family object
lives; a table whose file CURRENT is lost is taken for a new one, and every file of it is deleted.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from rocksdict import (
    AccessType,
    BlockBasedIndexType,
    BlockBasedOptions,
    BottommostLevelCompaction,
    Cache,
    Checkpoint,
    CompactOptions,
    DBCompressionType,
    DBRecoveryMode,
    Options,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
)

from shoal import faults
from shoal.closing import Closing
from shoal.errors import CollectionError
from shoal.ports import Batch
from shoal.store import open_files
from shoal.store.table_faults import damaged, lacks_current, told, unopened

Given = TypeVar("Given")

FAMILIES = (
    "page",
    "text",
    "anchor",
    "link",
    "mark",
    "site",
    "queue",
    "print",
    "change",
    "outbox",
)

CACHE_BYTES = 256 << 20
"""Of blocks, filters and indexes; with half of it a URL costs a tenth more at 100 M."""
READER_CACHE_BYTES = 64 << 20
"""Who reads beside a crawl takes less: nothing there is asked a hundred times a page."""
_MEMTABLE_BYTES = {"page": 32 << 20, "queue": 32 << 20, "anchor": 32 << 20, "text": 32 << 20}
_OTHER_MEMTABLE_BYTES = 8 << 20
_AT_REST = ("text", "link")
"""Much is alike from one to the next, and nobody reads many at once: at rest they stand in larger
blocks, compressed better and with what their file has in common. The texts of pages were compressed
one by one before: they get no smaller, and cost next to nothing."""
_AT_REST_BLOCK_BYTES = 32 << 10
_AT_REST_LEVEL = 6
_AT_REST_DICTIONARY_BYTES = 32 << 10
_ZSTD_WINDOW = -14
"""The library's own."""
_EATEN_AT_THE_HEAD = ("change", "outbox")
_LEVEL_BYTES = 64 << 20
_FILE_BYTES = 16 << 20
"""Smaller than RocksDB's own: a flush is merged with what it overlaps, not with all there is."""
_FILE_GROWTH = 2
"""Files of the lower levels of a large table are so many times larger, level by level: or a table
of a hundred gigabytes would be ten thousand files."""

_READ_LAST = "change"
"""What it says was written is there, for whoever reads beside the writer."""
_NO_KEY = b"\0"
_NOT_LINKED = ("LOCK", "LOG", "rocksdict-config.json")
"""What is written by whoever opens a table."""


class TableBatch:
    """A RocksDB write batch that knows families by name."""

    __slots__ = ("_handles", "_put", "raw")

    def __init__(self, handles: dict[str, object]) -> None:
        self._handles = handles
        self.raw = WriteBatch(raw_mode=True)
        self._put = self.raw.put

    def put(self, family: str, key: bytes, value: bytes) -> None:
        self._put(key, value, self._handles[family])  # type: ignore[arg-type]  # stubs lag

    def put_many(self, family: str, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        put, handle = self._put, self._handles[family]
        for key, value in pairs:
            put(key, value, handle)  # type: ignore[arg-type]  # stubs lag

    def delete(self, family: str, key: bytes) -> None:
        self.raw.delete(key, self._handles[family])  # type: ignore[arg-type]  # stubs lag

    def __len__(self) -> int:
        return len(self.raw)


class RocksTable(Closing):
    """The Table port on RocksDB."""

    def __init__(
        self,
        path: Path,
        *,
        reader: bool = False,
        cache_bytes: int = CACHE_BYTES,
        guard: Callable[[], None] | None = None,
    ) -> None:
        """`guard` is called before every write, and raises when there must be none."""
        if lacks_current(path):
            raise damaged(path, "its file CURRENT is lost")
        self._secondary = Path(tempfile.mkdtemp(prefix="shoal-reader-")) if reader else None
        access = AccessType.secondary(str(self._secondary)) if reader else AccessType.read_write()
        self._cache = Cache(min(READER_CACHE_BYTES, cache_bytes) if reader else cache_bytes)
        self._access = access
        self._guard = guard
        self._path = path
        # The library writes a file of its own into what it opens, also for reading.
        self._links: Path | None = None
        if self._secondary is not None and path.is_dir() and not os.access(path, os.W_OK):
            self._links = self._secondary / "table"
        try:
            self._open()
        except Exception as error:  # the library raises bare Exception
            self._forget_secondary()
            raise unopened(path, error) from error
        self._failure = ""

    def _open(self) -> None:
        self._link()
        life = self._life_of_writer()
        families = {name: options_of(name, self._cache) for name in ("default", *FAMILIES)}
        where, options = str(self._links or self._path), options_of("default", self._cache)
        self._db, self._life = Rdict(where, options, families, self._access), life
        self._families = {name: self._db.get_column_family(name) for name in FAMILIES}
        self._handles: dict[str, object] = {
            name: self._db.get_column_family_handle(name) for name in FAMILIES
        }

    def _life_of_writer(self) -> bytes:
        """Another one each time that a writer opens the table."""
        try:
            return (self._path / "CURRENT").read_bytes()
        except OSError:
            return b""  # there is none yet

    def get(self, family: str, key: bytes) -> bytes | None:
        found = self._families[family]
        try:
            return found.get(key)
        except Exception as error:  # the library raises bare Exception
            raise damaged(self._path, error) from error

    def get_many(self, family: str, keys: Sequence[bytes]) -> list[bytes | None]:
        if not keys:
            return []
        found = self._families[family]
        try:
            return found.get(list(keys))  # type: ignore[return-value]  # a list for a list
        except Exception as error:  # the library raises bare Exception
            raise damaged(self._path, error) from error

    def scan(
        self, family: str, start: bytes, end: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        options = ReadOptions()
        if end is not None:
            options.set_iterate_upper_bound(end)
        cursor = self._families[family].iter(options)  # now, not when the first pair is asked for
        cursor.seek(start)
        return _pairs(cursor, options, self._path)

    def batch(self) -> TableBatch:
        return TableBatch(self._handles)

    def write(self, batch: Batch) -> None:
        if not isinstance(batch, TableBatch):
            raise TypeError("this table writes only batches that it made")
        if self._secondary is not None:
            raise CollectionError("This table was opened for reading; nothing was written.")
        if len(batch):
            self._write(self._db.write, batch.raw)

    def sync(self) -> None:
        self._write(self._db.flush_wal, True)

    def _write(self, act: Callable[[Given], None], given: Given) -> None:
        """Nothing after a failure: a batch that was lost is missing in the table, and not in the
        memory of whoever made it, so a later one that fits the disk again would be one of another
        story."""
        if self._failure:
            raise CollectionError(self._failure)
        if self._guard is not None:
            self._guard()
        try:
            act(given)
        except Exception as error:  # the library raises bare Exception
            self._failure = told(error)
            raise CollectionError(self._failure) from error

    def catch_up(self) -> None:
        """Let a reader see what the writer has written since it was opened. A writer that came anew
        has moved its log into files at once: what we had read of that log would hide them."""
        if self._secondary is None:
            return
        if self._life_of_writer() not in (self._life, b""):
            with suppress(Exception):  # it is just coming: what was known holds until it is there
                self._open()
        else:
            self._link()
            self._db.try_catch_up_with_primary()

    def _link(self) -> None:
        """Of a table on a read-only disk links are opened, each file by its own."""
        if self._links is None:
            return
        self._links.mkdir(exist_ok=True)
        there = {each.name for each in self._links.iterdir()}
        for each in self._path.iterdir():
            if each.name not in there and each.name not in _NOT_LINKED:
                (self._links / each.name).symlink_to(each.absolute())

    def compact(self) -> None:
        faults.shortly_after("compaction.middle")
        for name in self._families:
            self.compact_range(name, None, None)

    def compact_range(self, family: str, start: bytes | None, end: bytes | None) -> None:
        """The files with these keys are written anew, without what was deleted or replaced. Any
        thread may ask for it."""
        options = CompactOptions()
        # Else a file that overlaps no other is only moved: what was deleted stays in it.
        options.set_bottommost_level_compaction(BottommostLevelCompaction.force_optimized())
        options.set_exclusive_manual_compaction(False)
        self._families[family].compact_range(start, end, options)

    def flush(self) -> None:
        """All that was written stands in files, and the log before it goes. A reader that has not
        read that log to its end goes on to hold what it has of a family for newer than the files,
        until the next log speaks of that family: so it does, before the old one goes, which it does
        with the last family. Other threads run meanwhile."""
        others = [name for name in FAMILIES if name != _READ_LAST]
        for some in (others, [_READ_LAST]):
            batch = self.batch()
            for name in some:
                self._write(self._families[name].flush, True)
                batch.delete(name, _NO_KEY)
            self.write(batch)

    def checkpoint(self, path: Path) -> None:
        """All families as of one moment, as a table in a new directory: its large files are hard
        links to ours, which never change. Any thread may ask for it."""
        try:
            for family in list(self._families.values()):
                family.flush(True)  # other threads run meanwhile, which a checkpoint does not allow
            Checkpoint(self._db).create_checkpoint(str(path))
        except Exception as error:  # the library raises bare Exception
            raise CollectionError(f"The table can't be copied to {path}: {error}.") from error

    def bytes_on_disk(self) -> dict[str, int]:
        return {
            name: family.property_int_value("rocksdb.total-sst-files-size") or 0
            for name, family in self._families.items()
        }

    def close(self) -> None:
        try:
            if self._secondary is None:
                self.sync()
        finally:  # on a full disk too, or the lock stays
            self._families.clear()
            self._handles.clear()  # also of batches that live on: with a handle the lock would
            self._families, self._handles = _Closed(), _Closed()
            self._forget_secondary()
            try:
                self._db.close()
            except Exception as error:  # the library raises bare Exception
                raise CollectionError(told(error)) from error

    def _forget_secondary(self) -> None:
        if self._secondary is not None:
            shutil.rmtree(self._secondary, ignore_errors=True)


class _Closed(dict[str, Any]):
    """What is left of the families."""

    def __missing__(self, family: str) -> Any:
        raise CollectionError(f"The collection was closed; open it again to read its {family}.")


def _pairs(cursor: RdictIter, options: ReadOptions, path: Path) -> Iterator[tuple[bytes, bytes]]:
    """The options own the cursor's upper bound in memory: they must live as long as it does."""
    while cursor.valid():
        yield cursor.key(), cursor.value()
        cursor.next()
    del options
    try:
        cursor.status()  # raises when the scan ended because of a damaged block
    except Exception as error:  # the library raises bare Exception
        raise damaged(path, error) from error


def must_be_whole(path: Path) -> None:
    """Raises when a file of a table is lost that nobody writes to: whoever reads beside a writer
    takes it for one that is not there yet, and sees the table as it was before."""
    if lacks_current(path) or not os.access(path, os.W_OK):
        return  # the first is told by whoever opens it; the library writes into what it opens
    cache = Cache(READER_CACHE_BYTES)
    families = {name: options_of(name, cache) for name in ("default", *FAMILIES)}
    try:
        Rdict(str(path), options_of("default", cache), families, AccessType.read_only()).close()
    except Exception as error:  # the library raises bare Exception
        raise unopened(path, error) from error


def options_of(family: str, cache: Cache) -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    # After a damaged stretch of the log nothing of it is taken: what is there is a prefix of what
    # was written. Skipping would keep batches that rest on lost ones, and insisting on a whole log
    # would refuse every table whose machine lost its power.
    options.set_wal_recovery_mode(DBRecoveryMode.point_in_time())
    options.set_keep_log_file_num(2)
    options.set_max_background_jobs(2)
    options.set_max_open_files(open_files.for_table())
    options.set_max_total_wal_size(256 << 20)
    options.set_max_manifest_file_size(16 << 20)  # it is copied with every checkpoint
    options.set_bytes_per_sync(1 << 20)
    options.set_level_compaction_dynamic_level_bytes(True)
    options.set_write_buffer_size(_MEMTABLE_BYTES.get(family, _OTHER_MEMTABLE_BYTES))
    # The seen test asks mostly for keys that are not there: a filter on the memtable, and
    # partitioned filters below it, keep its cost flat past millions of rows.
    options.set_memtable_whole_key_filtering(True)
    options.set_memtable_prefix_bloom_ratio(0.1)
    is_text = family == "text"
    options.set_compression_type(DBCompressionType.none() if is_text else DBCompressionType.lz4())
    options.set_bottommost_compression_type(DBCompressionType.zstd())
    if family in _AT_REST:
        options.set_bottommost_compression_options(
            _ZSTD_WINDOW, _AT_REST_LEVEL, 0, _AT_REST_DICTIONARY_BYTES, True
        )
    options.set_max_bytes_for_level_base(_LEVEL_BYTES)
    options.set_target_file_size_base(_FILE_BYTES)
    options.set_target_file_size_multiplier(_FILE_GROWTH)
    if family in _EATEN_AT_THE_HEAD:
        # Files of mere deletions are compacted away early. Not so in the frontier's queue: there
        # every flush has such stretches, each would pull in the whole of the last level, and
        # nobody reads from a start that is eaten away (front.py, site_queue.py).
        options.add_compact_on_deletion_collector_factory(4096, 2048, 0.5)
    blocks = BlockBasedOptions()
    blocks.set_block_cache(cache)
    if family in _AT_REST:
        blocks.set_block_size(_AT_REST_BLOCK_BYTES)
    blocks.set_bloom_filter(10, False)
    blocks.set_index_type(BlockBasedIndexType.two_level_index_search())
    blocks.set_partition_filters(True)
    blocks.set_cache_index_and_filter_blocks(True)
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(True)
    blocks.set_format_version(5)
    options.set_block_based_table_factory(blocks)
    return options
