"""Where are the raw responses? Appended to WARC files, one gzip member per record.

A file belongs to one process for as long as it lives, so that nobody shares a file offset. A
record is written in one unbuffered call *before* its place is told to anyone: no row can point at
bytes that died with a process. Files are rolled at about a gigabyte.
"""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from shoal.clock import as_datetime, iso
from shoal.closing import Closing
from shoal.errors import CollectionError, DamagedError
from shoal.model.digest import payload_digest
from shoal.model.document import WarcLocation
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.store import warc

_PACKED = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd", "br": b""}
"""Content encodings, and how what they made begins, where that can be told."""


class ArchiveWriter(Closing):
    """Appends the records of one process."""

    def __init__(self, directory: Path, max_file_bytes: int, software: str) -> None:
        self._directory = directory
        self._max_file_bytes = max_file_bytes
        self._software = software
        self._name = ""
        self._fd = -1
        self._offset = 0
        self._serial = 0
        self._token = secrets.token_hex(4)
        """Tells the files of this writer from those of any other process or machine."""

    def write(
        self, visit: Visit, fetched: Fetched, digest: str = ""
    ) -> tuple[WarcLocation | None, WarcLocation | None]:
        """Archive a request and its response, or a revisit. `digest` is the body's, where it is
        known already. Returns where the two stand, the response first."""
        if not fetched.head:
            return None, None
        response_id = warc.new_id()
        digest = digest or payload_digest(fetched.body)
        response = _response(visit, fetched, response_id, digest)
        members = [response]
        if fetched.request:
            members.append(_request(visit, fetched, response_id))
        locations = self._append(members, fetched.ended)
        return locations[0], locations[1] if len(locations) > 1 else None

    def _append(self, members: list[bytes], when: float) -> list[WarcLocation]:
        if self._fd < 0 or self._offset >= self._max_file_bytes:
            self._open_next(when)
        start = self._offset
        self._write_whole(b"".join(members))
        locations = []
        for member in members:
            locations.append(WarcLocation(self._name, start, len(member)))
            start += len(member)
        return locations

    def _open_next(self, when: float) -> None:
        self.close()
        self._serial += 1
        stamp = as_datetime(when).strftime("%Y%m%d%H%M%S")
        self._name = f"shoal-{stamp}-{self._token}-{self._serial:04d}.warc.gz"
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
            self._fd = os.open(self._directory / self._name, flags, 0o644)
        except OSError as error:
            raise CollectionError(
                f"No archive file can be made in {self._directory}: {error}."
            ) from error
        self._offset = 0
        info = f"software: {self._software}\r\nformat: WARC File Format 1.1\r\n".encode()
        fields = {"WARC-Filename": self._name, "Content-Type": "application/warc-fields"}
        self._write_whole(warc.write_record("warcinfo", when, fields, warc.Block(info)))

    def _write_whole(self, data: bytes) -> None:
        """All of it or none: a short write (a full disk) is cut off again."""
        written = 0
        try:
            while written < len(data):
                written += os.write(self._fd, data[written:] if written else data)
        except OSError as error:
            self._undo()
            raise CollectionError(f"The archive can't be written: {error}.") from error
        self._offset += len(data)

    def _undo(self) -> None:
        try:
            os.ftruncate(self._fd, self._offset)
        except OSError:
            self.close()  # its end is no longer known: the next record starts another file

    def sync(self) -> None:
        if self._fd >= 0:
            os.fsync(self._fd)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def read_record_at(directory: Path, location: WarcLocation) -> warc.Record:
    """One record by its place: one read of its own length."""
    return warc.read_record(read_member(directory, location))


def read_member(directory: Path, location: WarcLocation) -> bytes:
    """The gzip member as it stands: it can be copied into another WARC file."""
    try:
        with (directory / location.file).open("rb") as file:
            file.seek(location.offset)
            return file.read(location.length)
    except OSError as error:
        raise DamagedError(f"The archive file {location.file} can't be read: {error}.") from error


def files(directory: Path) -> Iterator[Path]:
    """The archive's files, oldest first."""
    yield from sorted(directory.glob("*.warc.gz"))


def _common(visit: Visit, fetched: Fetched) -> dict[str, str]:
    address, _, _ = fetched.address.rpartition(":")
    return {"WARC-Target-URI": visit.url, "WARC-IP-Address": address.strip("[]")}


def _request(visit: Visit, fetched: Fetched, response_id: str) -> bytes:
    fields = _common(visit, fetched) | {
        "WARC-Concurrent-To": response_id,
        "Content-Type": "application/http; msgtype=request",
    }
    return warc.write_record("request", fetched.started, fields, warc.Block(fetched.request))


def _response(visit: Visit, fetched: Fetched, record_id: str, digest: str) -> bytes:
    fields = {"WARC-Record-ID": record_id} | _common(visit, fetched)
    fields["Content-Type"] = "application/http; msgtype=response"
    if visit.kind is VisitKind.REQUISITE:
        fields[warc.KIND] = str(visit.kind)
    # A 304 to someone who has nothing refers to nothing: it is archived as what it is.
    unchanged = fetched.outcome is Outcome.UNCHANGED and bool(visit.seen_digest)
    if unchanged or (fetched.body and digest == visit.seen_digest):
        fields["WARC-Profile"] = (
            warc.REVISIT_NOT_MODIFIED if unchanged else warc.REVISIT_SAME_PAYLOAD
        )
        fields["WARC-Payload-Digest"] = visit.seen_digest
        fields["WARC-Refers-To-Target-URI"] = (
            visit.url if unchanged else visit.seen_url or visit.url
        )
        fields["WARC-Refers-To-Date"] = iso(visit.seen_at)
        block = warc.Block(warc.tidy_head(fetched.head))
        return warc.write_record("revisit", fetched.started, fields, block)
    fields["WARC-Payload-Digest"] = digest
    if fetched.cut:
        fields["WARC-Truncated"] = "length"
    head = warc.archived_head(fetched.head, len(fetched.body))
    if _is_packed(fetched):
        block = warc.Block(head, fetched.body)
    else:
        block = warc.Block(head + fetched.body, is_plain_text=_is_text(fetched))
    return warc.write_record("response", fetched.started, fields, block)


def _is_packed(fetched: Fetched) -> bool:
    """Whether the server compressed it, and not only says so."""
    coding = fetched.header("content-encoding").strip().lower()
    return coding in _PACKED and fetched.body.startswith(_PACKED[coding])


def _is_text(fetched: Fetched) -> bool:
    """Of a kind that shrinks."""
    kind = fetched.header("content-type")
    return kind.startswith("text/") or any(word in kind for word in ("xml", "json", "script"))
