"""How do archived records move into other collections? As they are, with the rows that need them.

The gzip members are copied byte for byte into new files; a row is then written with the places
that its records have there. Where a record is to go, and where it went, stands in a scratch table,
so that memory does not grow with the archive:

    page  tablet (2) source (2) file NUL offset (8)   →  its length; once copied, its new place
    link  source (2) file NUL offset (8)              →  its length, of what a row points at
    text  tablet (2) digest of the member (16)        →  its new place: a record that two tablets
                                                         each had a copy of becomes one again

Records that no row points at are left behind, except those of robots.txt, which has no row: they
stand between the others, so only what is between is unpacked. They go where their host goes.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from shoal.clock import iso
from shoal.errors import CollectionError, DamagedError
from shoal.model.cell import NUL
from shoal.model.digest import quick_digest
from shoal.model.document import WarcLocation
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import tablet_of_row
from shoal.model.urls.rowkey import row_key
from shoal.ports import Batch, Table
from shoal.store import archive, warc
from shoal.store.members import Member, members
from shoal.whole_file import put_on_disk

_HEAD_BYTES = 1 << 13
_GZIP_MAGIC = b"\x1f\x8b"
_AT_ONCE = 1000
_NUMBER_BYTES = 8
_TARGET = re.compile(rb"^WARC-Target-URI: (\S*/robots\.txt)\r$", re.MULTILINE)
_STAMP = re.compile(r"shoal-(\d{14})-")


class Claims:
    """Which records of the sources each tablet needs, and where it has them."""

    def __init__(self, scratch: Table, tablets: int) -> None:
        self._scratch = scratch
        self._tablets = tablets

    def note(self, batch: Batch, tablet: int, source: int, location: WarcLocation) -> None:
        """A row of this tablet points at a record of a source."""
        place, length = _place(source, location.file, location.offset), pack(location.length)
        batch.put("page", _two(tablet) + place, length)
        batch.put("link", place, length)

    def note_robots(self, source: int, directory: Path) -> None:
        """What was said by robots.txt files is kept as well. All rows were noted before."""
        for path in archive.files(directory):
            batch = self._scratch.batch()
            for member in self._between(source, path):
                head = member.head.partition(b"\r\n\r\n")[0] + b"\r"
                found = _TARGET.search(head)
                tablet = None if found is None else _tablet_of(found[1], self._tablets)
                if tablet is not None:
                    place = _place(source, path.name, member.offset)
                    batch.put("page", _two(tablet) + place, pack(member.length))
            self._scratch.write(batch)

    def _between(self, source: int, path: Path) -> Iterator[Member]:
        """Whole records that no row points at."""
        end, size = 0, path.stat().st_size
        start = _place(source, path.name, 0)
        for key, length in self._scratch.scan("link", start, start[:-_NUMBER_BYTES] + b"\xff" * 9):
            offset = int.from_bytes(key[-_NUMBER_BYTES:])
            yield from _within(path, end, offset)
            end = max(end, offset + unpack(int, length))
        yield from _within(path, end, size)

    def of(self, tablet: int) -> Iterator[tuple[int, WarcLocation]]:
        """Each with its source, in the order in which they stand in its files."""
        for key, length in self._scratch.scan("page", _two(tablet), _two(tablet) + b"\xff" * 3):
            file, _, _ = key[4:].partition(NUL)
            offset = int.from_bytes(key[-_NUMBER_BYTES:])
            yield (
                int.from_bytes(key[2:4]),
                WarcLocation(file.decode(), offset, unpack(int, length)),
            )

    def settle(
        self, batch: Batch, tablet: int, source: int, before: WarcLocation, now: WarcLocation
    ) -> None:
        key = _two(tablet) + _place(source, before.file, before.offset)
        batch.put("page", key, pack(now))

    def location_of(self, tablet: int, source: int, before: WarcLocation) -> WarcLocation:
        """Where a tablet has a record now."""
        stored = self._scratch.get(
            "page", _two(tablet) + _place(source, before.file, before.offset)
        )
        if stored is None:
            raise CollectionError(f"A record of {before.file} was not copied: this is a fault.")
        return unpack(WarcLocation, stored)


class Copying:
    """Writes the archive of one tablet."""

    def __init__(
        self, scratch: Table, claims: Claims, tablet: int, directory: Path, max_file_bytes: int
    ) -> None:
        self._scratch = scratch
        self._claims = claims
        self._tablet = tablet
        self._directory = directory
        self._max_file_bytes = max_file_bytes
        self._out: BinaryIO | None = None
        self._name = ""
        self._token = secrets.token_hex(4)
        self._ends: dict[str, int] = {}
        self._batch = scratch.batch()
        self._fresh: dict[bytes, WarcLocation] = {}
        """New places that the scratch table does not have yet, by digest."""
        self.records = 0

    def run(self, directory_of: Callable[[int], Path], now: float) -> dict[str, int]:
        """Returns the new files with their ends; all of it is on disk then. `directory_of`: the
        archive of a source."""
        self._directory.mkdir(parents=True, exist_ok=True)
        reading = _Reading(directory_of)
        try:
            for source, location in self._claims.of(self._tablet):
                member = reading.member(source, location)
                key = _two(self._tablet) + quick_digest(member)
                place = self._known(key)
                if place is None:
                    place = self._fresh[key] = self._append(location, member, now)
                self._claims.settle(self._batch, self._tablet, source, location, place)
                if len(self._fresh) >= _AT_ONCE:
                    self._write_down()
            self._write_down()
        finally:
            reading.close()
            self._close()
        put_on_disk(self._directory)
        return self._ends

    def _known(self, key: bytes) -> WarcLocation | None:
        if key in self._fresh:
            return self._fresh[key]
        stored = self._scratch.get("text", key)
        return None if stored is None else unpack(WarcLocation, stored)

    def _write_down(self) -> None:
        for key, place in self._fresh.items():
            self._batch.put("text", key, pack(place))
        self._scratch.write(self._batch)
        self._fresh, self._batch = {}, self._scratch.batch()

    def _append(self, location: WarcLocation, member: bytes, now: float) -> WarcLocation:
        if self._out is None or self._ends[self._name] >= self._max_file_bytes:
            self._open_next(location.file, now)
        place = WarcLocation(self._name, self._ends[self._name], len(member))
        self._write(member)
        self.records += 1
        return place

    def _open_next(self, before: str, now: float) -> None:
        """Its name begins with the time of its first record, as that of the old file did."""
        self._close()
        found = _STAMP.match(before)
        stamp = found[1] if found else re.sub(r"\D", "", iso(now))[:14]
        self._name = f"shoal-{stamp}-{self._token}-{len(self._ends) + 1:04d}.warc.gz"
        self._ends[self._name] = 0
        self._out = (self._directory / self._name).open("xb")
        fields = {"WARC-Filename": self._name, "Content-Type": "application/warc-fields"}
        says = "software: Shoal\r\nformat: WARC File Format 1.1\r\ndescription: repartitioned\r\n"
        self._write(warc.write_record("warcinfo", now, fields, warc.Block(says.encode())))

    def _write(self, data: bytes) -> None:
        if self._out is not None:
            self._out.write(data)
            self._ends[self._name] += len(data)

    def _close(self) -> None:
        if self._out is not None:
            self._out.flush()
            os.fsync(self._out.fileno())
            self._out.close()
            self._out = None


class _Reading:
    """One file at a time: claims come in the order of the files."""

    def __init__(self, directory_of: Callable[[int], Path]) -> None:
        self._directory_of = directory_of
        self._path: Path | None = None
        self._file: BinaryIO | None = None

    def member(self, source: int, location: WarcLocation) -> bytes:
        path = self._directory_of(source) / location.file
        try:
            if path != self._path or self._file is None:
                self.close()
                self._file, self._path = path.open("rb"), path
            self._file.seek(location.offset)
            member = self._file.read(location.length)
        except OSError as error:
            raise DamagedError(
                f"The archive file {path} can't be read ({error.strerror or error}); put it back, "
                f"or run: shoal repair --dir {path.parent.parent}"
            ) from error
        if len(member) != location.length or not member.startswith(_GZIP_MAGIC):
            raise DamagedError(
                f"The archive file {path} lacks a record that a row points at; "
                f"run: shoal repair --dir {path.parent.parent}"
            )
        return member

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _within(path: Path, start: int, end: int) -> Iterator[Member]:
    if start < end:
        for member in members(path, start, _HEAD_BYTES):
            if member.end > end:
                return
            yield member
            if member.end == end:
                return


def _tablet_of(url: bytes, tablets: int) -> int | None:
    try:
        return tablet_of_row(row_key(url.decode()), tablets)
    except ValueError:
        return None  # no URL: whoever wrote it, it was none of ours


def _place(source: int, file: str, offset: int) -> bytes:
    return _two(source) + file.encode() + NUL + offset.to_bytes(_NUMBER_BYTES)


def _two(number: int) -> bytes:
    return number.to_bytes(2)
