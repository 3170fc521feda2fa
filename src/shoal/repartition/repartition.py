"""How does one collection become many, and many one? Everything moves to where its host belongs.

`repartition` makes N new collections out of M that are at rest, the tablets of one cluster in their
order (or one collection of its own). The sources are read and not changed. The targets are made
under other names (`NAME.part`) and renamed when all are whole and on disk: whoever is killed before
leaves directories that nobody takes for collections, and that the next run deletes. What is done
to each family:

    page        with its site's tablet; places in the archive become those of the copies
    text mark   with their row
    anchor      with the target's row
    link        with the page; a target is named only in the tablet that has both
    change      left behind: the index is rebuilt from the rows
    print       with the page or the site that it names; groups divided, and joined again
    outbox      addressed again (outbox.py)
    queue       01 active, 02 front index, 04 reopen, a site's entries: with the site, as they are
                03 relax, 07 injection: with the row; 06 listing: with the sitemap or feed
                05 bulk update: with the site; 08 schedule, and a bulk update of all sites: to every
                tablet
    site        SITE site, SITE robots, HOST host, 00 excluded, 00 feed, 00 sitemap: as the site
                DOMAIN credit: divided by the sites that each tablet has of the domain
                00 counts: counted again; totals (requests, bytes) are all the first tablet's
                00 clock: the latest; 00 mode: if all agree; 00 addresses: if all were closed
                00 rate: of a site with the site, of all pages divided by sums; 00 price: too
                00 crawl: the roots of all; 00 sequence: the highest; 00 partition: rewritten
                00 source, 00 stock, 00 inode, 00 mail: as the site of their documents
                00 written, 00 synced: of the new files; 00 outbox, freed, taken: begin again

A key that is in none of these is an error, not a loss. Memory grows with the sites, not the pages.
"""

import shutil
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from shoal import faults
from shoal.config import load
from shoal.errors import CollectionError, UsageError
from shoal.layout.index_state import forget_index
from shoal.layout.layout import Layout, WriteLock
from shoal.model.record import Struct
from shoal.model.urls.partition import MOST_TABLETS
from shoal.ports import Table
from shoal.repartition.files import copy_own, copy_shared
from shoal.repartition.outbox import Post
from shoal.repartition.survey import Survey
from shoal.repartition.tables import Wave
from shoal.store.removal import Copying
from shoal.store.table import RocksTable
from shoal.whole_file import put_on_disk

_DRAFT = ".part"
_SCRATCH = "scratch"
_OPEN_AT_ONCE = 8
"""Tables that are filled in one pass over the sources."""
_CACHE_BYTES = 32 << 20

Progress = Callable[[str], None]


class Moved(Struct):
    """What came of it."""

    sources: int
    tablets: int
    urls: int
    records: int
    """Records of the archive that were copied."""
    archive_bytes: int
    items: int
    """Links that were on their way and have come to their owner."""


def repartition(
    sources: Sequence[Path],
    targets: Sequence[Path],
    progress: Progress | None = None,
    settings: bytes | None = None,
) -> Moved:
    """Raises Busy while a source is written to. A target may not be there, or be empty.
    `settings`: of the targets, if not those of the first source."""
    if not sources or not 0 < len(targets) <= MOST_TABLETS:
        raise UsageError(f"give one collection at least, and 1 to {MOST_TABLETS:,} targets")
    if len({path.absolute() for path in (*sources, *targets)}) < len(sources) + len(targets):
        raise UsageError("each source and each target must be a directory of its own")
    layouts = [Layout(path) for path in sources]
    for layout in layouts:
        layout.must_exist()
    for path in targets:
        _must_be_free(path)
    drafts = [path.with_name(path.name + _DRAFT) for path in targets]
    with ExitStack() as held:
        for layout in layouts:
            held.enter_context(WriteLock(layout))
        _drop(drafts)
        try:
            moved = _Repartition(layouts, [Layout(path) for path in drafts], progress).run()
            for draft in drafts:
                forget_index(Layout(draft))
                if settings is not None:
                    Layout(draft).settings.write_bytes(settings)
                if any(layout.is_closed for layout in layouts):
                    Layout(draft).close_to_others()
                _sync(draft)
        except OSError as error:
            _drop(drafts)
            raise CollectionError(
                f"The collections can't be written: {error.strerror or error}; nothing was changed."
            ) from error
        except BaseException:
            _drop(drafts)
            raise
        faults.point("repartition.made")
        for draft, path in zip(drafts, targets, strict=True):
            draft.rename(path)
            faults.point("repartition.renaming")
        for parent in {path.parent for path in targets}:
            put_on_disk(parent)
    return moved


class _Repartition:
    def __init__(
        self, sources: Sequence[Layout], targets: Sequence[Layout], progress: Progress | None
    ) -> None:
        self._sources = sources
        self._targets = targets
        self._progress = progress or (lambda _: None)
        self._config = load(sources[0].directory, {}, {})
        self._tables = _Sources(sources)
        self._now = time.time()

    def run(self) -> Moved:
        for target in self._targets:
            target.create("")
        place = self._targets[0].directory / _SCRATCH
        with RocksTable(place, cache_bytes=_CACHE_BYTES) as scratch, closing(self._tables):
            moved = self._move(scratch)
        shutil.rmtree(place)
        return moved

    def _move(self, scratch: Table) -> Moved:
        survey = Survey(len(self._sources), len(self._targets), scratch)
        for number in range(len(self._sources)):
            self._progress(f"Reading {self._sources[number].directory} …")
            survey.look(number, self._tables.table(number), self._sources[number].warc)
        post = Post(scratch, survey.owners)
        for number in range(len(self._sources)):
            post.collect(number, self._tables.table(number), survey.taken)
        faults.point("repartition.surveyed")
        moved = Moved(len(self._sources), len(self._targets), survey.urls, 0, 0, 0)
        for first in range(0, len(self._targets), _OPEN_AT_ONCE):
            some = range(first, min(first + _OPEN_AT_ONCE, len(self._targets)))
            ends = {tablet: self._copy_archive(scratch, survey, tablet, moved) for tablet in some}
            self._progress(f"Writing tablets {some[0]} to {some[-1]} …")
            self._fill(survey, post, ends)
            faults.point("repartition.middle")
        for tablet, target in enumerate(self._targets):
            copy_shared(self._sources[0], target)
            moved.items += post.tell(tablet, target, self._config)
        for source in self._sources:
            copy_own(source, self._targets, survey.owners)
        return moved

    def _copy_archive(
        self, scratch: Table, survey: Survey, tablet: int, moved: Moved
    ) -> dict[str, int]:
        self._progress(f"Copying records for tablet {tablet} …")
        directory, most = self._targets[tablet].warc, self._config.archive.max_file
        copying = Copying(scratch, survey.claims, tablet, directory, most)
        ends = copying.run(lambda number: self._sources[number].warc, self._now)
        moved.records += copying.records
        moved.archive_bytes += sum(ends.values())
        return ends

    def _fill(self, survey: Survey, post: Post, ends: dict[int, dict[str, int]]) -> None:
        with ExitStack() as opened:
            tables = {
                tablet: opened.enter_context(
                    RocksTable(self._targets[tablet].table, cache_bytes=_CACHE_BYTES)
                )
                for tablet in ends
            }
            wave = Wave(survey, len(self._sources), self._tables.table, tables)
            wave.run()
            for tablet, table in tables.items():
                wave.finish(tablet, ends[tablet], post.roots)
                post.deliver(table, tablet)


class _Sources:
    """The tables that are read: the last few stay open, since each is read several times."""

    def __init__(self, layouts: Sequence[Layout]) -> None:
        self._layouts = layouts
        self._open: OrderedDict[int, RocksTable] = OrderedDict()

    def table(self, number: int) -> Table:
        found = self._open.pop(number, None)
        if found is None:
            if len(self._open) >= _OPEN_AT_ONCE:
                self._open.popitem(last=False)[1].close()
            found = RocksTable(self._layouts[number].table, reader=True)
        self._open[number] = found
        return found

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()


def _must_be_free(path: Path) -> None:
    try:
        if not any(path.iterdir()):
            return
    except FileNotFoundError:
        return
    except OSError as error:
        raise CollectionError(f"{path} can't be used: {error.strerror or error}.") from error
    raise CollectionError(f"{path} is not empty; use an empty or a new directory.")


def _drop(drafts: Sequence[Path]) -> None:
    for draft in drafts:
        shutil.rmtree(draft, ignore_errors=True)


def _sync(directory: Path) -> None:
    for path in sorted(directory.rglob("*"), reverse=True):
        put_on_disk(path)
    put_on_disk(directory)
