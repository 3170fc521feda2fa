"""What did the last process leave undone? Mended when a collection is opened for writing, and told.

A kill leaves a torn record at the end of an archive file at most, and no row points at it: it is
cut off. A power loss may leave rows of the last second whose records did not reach the disk: they
give up their claim and are fetched again. Both are seen from two marks per file (archive_ends.py),
so that a start after a clean end looks at nothing. A file's marks are corrected last: after a kill
in between, the next start does it all again. docs/crash-consistency.md has the whole design.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from shoal import faults
from shoal.clock import SystemClock
from shoal.errors import CollectionError
from shoal.frontier.audit.rebuild import queue_again, rebuild
from shoal.frontier.state.rows import CLOCK_KEY
from shoal.model.document import WarcLocation
from shoal.model.record import Struct, unpack
from shoal.ports import Table
from shoal.store import archive, archive_ends, claims
from shoal.store.archive_tail import Tail, mend
from shoal.whole_file import put_on_disk


class Recovered(Struct, frozen=True):
    """What was put right at the start, for people."""

    sites_counted_as_asked: int = 0
    torn_tails: list[Tail] = []
    queued_again: int = 0
    """URLs whose records were lost with the end of a file."""
    missing_files: list[str] = []
    """Archive files that rows point at and that are not there: `shoal repair` can help."""
    clock_was_behind_seconds: float = 0.0


class MendedArchive(NamedTuple):
    torn_tails: list[Tail]
    queued_again: int
    missing_files: list[str]


def mend_archive(table: Table, directory: Path, now: float) -> MendedArchive:
    """Before a frontier is opened on the table."""
    written, synced = archive_ends.written_ends(table), archive_ends.synced_ends(table)
    try:
        sizes = _sizes(directory)
        missing = sorted(file for file in written if file not in sizes)
        # Of a file that is shorter than it was, nothing is known.
        sound = {file: end for file, end in synced.items() if end <= sizes.get(file, 0)}
        torn = mend(directory, sound)
        _drop_empty(directory, written)
        sizes = _sizes(directory)
        unsure = {file: size for file, size in sizes.items() if size != synced.get(file)}
        for file in unsure:
            put_on_disk(directory / file)
    except OSError as error:
        raise CollectionError(
            f"The archive in {directory} can't be mended: {error.strerror or error}."
        ) from error
    faults.point("recovery.middle")
    short = {file: size for file, size in sizes.items() if size < written.get(file, 0)}
    # A file that was cut to nothing is gone, and had rows.
    short |= {tail.file: 0 for tail in torn if tail.file not in sizes and written.get(tail.file)}
    queued = _fetch_again(table, short, now) if short else 0
    batch = table.batch()
    for file, size in unsure.items():
        archive_ends.mark_whole(batch, file, size)
    for file in short:
        if file in sizes:
            archive_ends.correct(batch, file, sizes[file])
        else:
            archive_ends.forget(batch, file)
    table.write(batch)
    return MendedArchive(torn, queued, missing)


def _fetch_again(table: Table, ends: Mapping[str, int], now: float) -> int:
    """URLs whose newest records stood behind the end of a file. One scan of all rows: it happens
    only when something was lost."""

    def is_lost(location: WarcLocation) -> bool:
        return location.offset + location.length > ends.get(
            location.file, location.offset + location.length
        )

    queued = 0
    for row in claims.rows(table):
        batch, newest_lost = table.batch(), False
        for version in row.versions:
            lost = {
                location for location in claims.locations_of(version.value) if is_lost(location)
            }
            if lost:
                claims.disown(batch, version, lost)
                newest_lost |= version.newest
        if newest_lost:
            queued += queue_again(table, batch, row.row, now)
        table.write(batch)
        if newest_lost:
            faults.point("recovery.middle")
    rebuild(table, now)
    return queued


def _sizes(directory: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in archive.files(directory)}


def _drop_empty(directory: Path, written: Mapping[str, int]) -> None:
    """A writer that was killed before its first record leaves an empty file: no WARC file."""
    for file, size in _sizes(directory).items():
        if not size and not written.get(file):
            (directory / file).unlink()


def set_clock(table: Table, clock: SystemClock) -> float:
    """Time does not go back in a collection. Returns the seconds by which the machine's clock was
    set back since the last run."""
    written = table.get("site", CLOCK_KEY)
    return 0.0 if written is None else clock.not_before(unpack(int, written) / 1000)
