"""Which archived records does nobody need any more, and how are they let go?

A page keeps its newest versions, by policy; a visit keeps its records while a version of its page
has them, or while it is one of the newest visits. An archive file that is mostly other records is
copied without them. robots.txt has no row, and its records stay: they say what we were told.

The order makes a kill at any moment harmless: the copy is whole and on disk before a row points
into it, rows go over in batches while both files are there, and the old file goes last, when no row
on disk points at it. A copy that was left over has no row and is deleted by the next run.
"""

import re
import secrets
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from shoal import faults
from shoal.clock import iso
from shoal.errors import CollectionError
from shoal.model.cell import newest_key, older_key, to_ms
from shoal.model.document import WarcLocation
from shoal.model.outcome import Outcome
from shoal.ports import Batch, Table
from shoal.store import archive, archive_ends, claims, warc
from shoal.store.cells import Cells
from shoal.store.members import Member, members
from shoal.store.rows import TEXT, FetchRow, VisitRow
from shoal.whole_file import DRAFT, put_on_disk, whole_file

_ROWS_AT_ONCE = 500
_HEAD_BYTES = 1 << 13
_FIELD = re.compile(rb"^WARC-(Record-ID|Target-URI): (\S*)\r$", re.MULTILINE)
_NAME = re.compile(r"(shoal-\d{14}-)[0-9a-f]+(-\d+\.warc\.gz)")


class Live:
    """The records that rows point at: sixteen bytes for each claim."""

    def __init__(self) -> None:
        self._claims: dict[str, array[int]] = {}

    def note(self, locations: list[WarcLocation]) -> None:
        for location in locations:
            self._claims.setdefault(location.file, array("Q")).extend(
                (location.offset, location.length)
            )

    def of(self, file: str) -> dict[int, int]:
        """Length by offset."""
        found = self._claims.get(file, array("Q"))
        return dict(zip(found[::2], found[1::2], strict=True))


class Copy(NamedTuple):
    """An archive file without its dead records."""

    file: str
    """Empty when nothing is left of it."""
    size_bytes: int
    offsets: dict[int, int]
    """Where a record stands now, by where it stood."""
    dropped: int


class Trimmed(NamedTuple):
    versions: int = 0
    texts: int = 0
    disowned: bool = False
    """Whether nothing is left of a page that was removed."""


def trim(
    table: Table, batch: Batch, row: claims.Row, versions: int, *, is_requisite: bool = False
) -> Trimmed:
    """Apply the policy to one row; its versions are then those that stay. A requisite has visits
    alone, and they are what was archived."""
    fetches = [each for each in row.versions if isinstance(each.value, FetchRow)]
    visits = [each for each in row.versions if isinstance(each.value, VisitRow)]
    for surplus in fetches[versions:]:
        batch.delete("page", surplus.key)
    kept = fetches[:versions]
    wanted = {location for each in kept for location in claims.locations_of(each.value)}
    disowned = False
    for number, visit in enumerate(visits):
        if number < versions and (kept or is_requisite or not _had_page(visit)):
            continue
        lost = set(claims.locations_of(visit.value)) - wanted
        if lost:
            claims.disown(batch, visit, lost)
            disowned = True
    row.versions = [*kept, *visits]
    texts = _trim_texts(table, batch, row.row, {each.when_ms for each in kept})
    return Trimmed(len(fetches) - len(kept), texts, disowned and not kept)


def _had_page(visit: claims.Version) -> bool:
    return isinstance(visit.value, VisitRow) and visit.value.outcome is Outcome.OK


def _trim_texts(table: Table, batch: Batch, row: bytes, kept_ms: set[int]) -> int:
    """Texts of versions that are gone. They are the oldest, so that none is left without its
    newest."""
    dropped, qualifier = 0, TEXT.partition(":")[2].encode()
    for number, cell in enumerate(Cells(table).versions(row, TEXT)):
        when_ms = to_ms(cell.when)
        if when_ms not in kept_ms:
            key = newest_key(row, qualifier) if not number else older_key(row, qualifier, when_ms)
            batch.delete("text", key)
            dropped += 1
    return dropped


def drop_drafts(directory: Path) -> None:
    """What a killed run had begun to copy."""
    for path in directory.glob(f"*{DRAFT}"):
        path.unlink()


class Copier:
    """Copies archive files without their dead records."""

    def __init__(self, directory: Path, least_dead_share: float, now: float) -> None:
        self._directory = directory
        self._least_dead_share = least_dead_share
        self._now = now
        self._ids: set[bytes] = set()
        """Of robots.txt records met so far: a run that was killed may have left two of one."""

    def copy(self, file: str, live: Mapping[int, int]) -> Copy | None:
        """None when too little of it is dead, or when not every live record can be found in it:
        then `shoal repair` has to look at it first."""
        path = self._directory / file
        kept, dead_bytes, dropped = [], 0, 0
        for member in members(path, head_bytes=_HEAD_BYTES):
            if live.get(member.offset) == member.length or self._is_robots(member):
                kept.append((member.offset, member.length))
            elif b"\r\nWARC-Type: warcinfo\r\n" not in member.head:  # a copy has its own
                dead_bytes, dropped = dead_bytes + member.length, dropped + 1
        found = {offset for offset, _ in kept}
        share = dead_bytes / max(1, path.stat().st_size)
        if not dropped or share < self._least_dead_share or not found.issuperset(live):
            return None
        if not kept:
            return Copy("", 0, {}, dropped)
        return self._write(file, kept, dropped)

    def copy_whole_records(self, file: str) -> Copy | None:
        """A file without what is no record in it; None when there is nothing of the kind."""
        path = self._directory / file
        kept = [(member.offset, member.length) for member in members(path)]
        if not kept or sum(length for _, length in kept) == path.stat().st_size:
            return None
        return self._write(file, kept, 0)

    def _is_robots(self, member: Member) -> bool:
        """Whether a record that no row points at is one of robots.txt, met for the first time."""
        head = member.head.partition(b"\r\n\r\n")[0] + b"\r"
        fields = dict(_FIELD.findall(head))
        record_id = fields.get(b"Record-ID", b"")
        if not fields.get(b"Target-URI", b"").endswith(b"/robots.txt") or record_id in self._ids:
            return False
        self._ids.add(record_id)
        return True

    def _write(self, file: str, kept: list[tuple[int, int]], dropped: int) -> Copy:
        name = _new_name(file, self._now)
        offsets = {}
        copy = whole_file(self._directory / name, synced=True)
        try:
            with (self._directory / file).open("rb") as source, copy as target:
                target.write(_info(name, file, self._now))
                for offset, length in kept:
                    source.seek(offset)
                    offsets[offset] = target.tell()
                    target.write(source.read(length))
                size = target.tell()
        except OSError as error:
            raise CollectionError(
                f"The archive file {file} can't be copied: {error.strerror or error}; "
                "nothing was lost."
            ) from error
        return Copy(name, size, offsets, dropped)


def _info(name: str, before: str, now: float) -> bytes:
    fields = {"WARC-Filename": name, "Content-Type": "application/warc-fields"}
    says = (
        f"software: Shoal\r\nformat: WARC File Format 1.1\r\ndescription: {before}, compacted\r\n"
    )
    return warc.write_record("warcinfo", now, fields, warc.Block(says.encode()))


def _new_name(file: str, now: float) -> str:
    """It sorts where the old one did: names begin with the time of their first record."""
    token = secrets.token_hex(4)
    parts = _NAME.fullmatch(file)
    stamp = re.sub(r"\D", "", iso(now))
    return f"{parts[1]}{token}{parts[2]}" if parts else f"shoal-{stamp}-{token}-0001.warc.gz"


def move_rows(table: Table, copies: Mapping[str, Copy]) -> None:
    """Let rows point into the copies. Both files are there: a kill in between leaves some rows at
    the one and some at the other. With the last of them the old file is forgotten: one that is
    forgotten and there is harmless, one that is remembered and gone would be missed."""
    batch = table.batch()
    for copy in copies.values():
        if copy.file:
            archive_ends.correct(batch, copy.file, copy.size_bytes)
    found = claims.rows(table) if any(copy.file for copy in copies.values()) else ()
    for number, row in enumerate(found, 1):
        for version in row.versions:
            if claims.repoint(version.value, partial(_moved_to, copies)):
                claims.rewrite(batch, version)
        if number % _ROWS_AT_ONCE == 0:
            table.write(batch)
            batch = table.batch()
            faults.point("compact.moving")
    for file in copies:
        archive_ends.forget(batch, file)
    table.write(batch)
    table.sync()


def _moved_to(copies: Mapping[str, Copy], location: WarcLocation) -> WarcLocation:
    copy = copies.get(location.file)
    return (
        location
        if copy is None
        else WarcLocation(copy.file, copy.offsets[location.offset], location.length)
    )


def delete_files(directory: Path, names: Iterable[str]) -> None:
    for name in names:
        (directory / name).unlink()
        faults.point("compact.deleting")
    put_on_disk(directory)


def candidates(directory: Path, live: Live, least_dead_share: float) -> Iterator[str]:
    """Files of which so much may be dead."""
    for path in archive.files(directory):
        size = path.stat().st_size
        alive = sum(live.of(path.name).values())
        if size and (size - alive) / size >= least_dead_share:
            yield path.name
