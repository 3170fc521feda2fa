"""How does a collection leave? As URLs, JSON lines, one WARC file or an index of the archive, in
row order; into one output, or a file for each tablet.

Tablets make their lines and read their records side by side, slice by slice; one output has them in
row order (an index of the archive in its own), files of tablets are written at the same time. A
file appears when it is whole.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, get_args

from shoal.collection.export import lines
from shoal.collection.export.lines import PageLine, Part, UrlLine
from shoal.collection.page import Page
from shoal.collection.questions import sees_all
from shoal.collection.readable import seen_rows
from shoal.collection.slices import Slice, cut, in_order, of_one
from shoal.collection.tablets import Tablets, owner_of
from shoal.collection.view import TabletView
from shoal.config import VERSION
from shoal.errors import DamagedError, UsageError
from shoal.layout.ranges import key_range
from shoal.model.cell import NUL
from shoal.model.document import WarcLocation
from shoal.model.record import from_json, to_json
from shoal.model.urls.rowkey import row_key
from shoal.store import cdxj, warc
from shoal.store.archive import read_member
from shoal.store.pages import Filter
from shoal.whole_file import whole_file

Form = Literal["urls", "jsonl", "warc", "cdxj"]
_ENDINGS = {"urls": "txt", "jsonl": "jsonl", "warc": "warc.gz", "cdxj": "cdxj"}
_WRITTEN_AT_ONCE = 8
_LINE_BYTES = 300
"""What is known of a URL, about."""

Read = Callable[..., Iterator[tuple[bytes, Any]]]
"""What a question's slices hold, of one tablet or of all: `read(question, start, *given)`."""


class Record(NamedTuple):
    """Of the archive, as it stands there."""

    location: WarcLocation
    brought: bool
    row: bytes
    """Of the page whose body it is, when it was brought."""
    data: bytes


class Export(NamedTuple):
    """What is exported."""

    form: Form
    where: str = ""
    since: float | None = None
    json: bool = False
    """URLs with what is known of them."""


def write(tablets: Tablets, wanted: Export, out: BinaryIO) -> int:
    """Write what all tablets have into one output. Returns how many lines or records."""
    if wanted.form != "warc":
        return _write(tablets, partial(in_order, tablets), wanted, out)
    part = Part.of(wanted.where, wanted.since)
    pages = in_order(tablets, warc_records, part.start, part)
    return _write_records((_not_come(tablets, *page, part) for page in pages), out)


def write_parts(tablets: Tablets, wanted: Export, directory: Path) -> list[int]:
    """Write one file for each tablet, named after it. Returns how many lines or records each has;
    one without any has no file."""
    _check(wanted)
    ending = "jsonl" if wanted.json else _ENDINGS[wanted.form]

    def write_part(tablet: int) -> int:
        with whole_file(directory / f"part-{tablet:04d}.{ending}", or_none=True) as out:
            return _write(tablets, partial(of_one, tablets, tablet), wanted, out)

    try:
        directory.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(_WRITTEN_AT_ONCE, "export") as threads:
            return list(threads.map(write_part, range(tablets.count)))
    except OSError as error:
        raise UsageError(f"{directory} can't be written: {error.strerror or error}") from error


def known_urls(tablets: Tablets, where: str = "", state: str | None = None) -> Iterator[UrlLine]:
    """Every known URL, with what is known of it."""
    start, end = key_range(where)
    return (line for _, line in in_order(tablets, known_lines, start, end, state))


def _check(wanted: Export) -> None:
    if wanted.form not in get_args(Form):
        raise UsageError(f"{wanted.form!r} is no form of export; there are {', '.join(_ENDINGS)}")


def _write(tablets: Tablets, read: Read, wanted: Export, out: BinaryIO) -> int:
    _check(wanted)
    part = Part.of(wanted.where, wanted.since)
    match wanted.form:
        case "urls":
            found = (line for _, line in read(url_lines, part.start, part, wanted.json))
            return _write_lines(found, out)
        case "jsonl":
            found = (line for _, line in read(page_lines, part.start, part))
            return _write_lines(_readable(tablets, found), out)
        case "cdxj":
            entries = (line for _, line in read(cdxj_lines, b"", part))
            return _write_lines(_each_once(cdxj.in_order(entries)), out)
    return _write_records((records for _, records in read(warc_records, part.start, part)), out)


def _write_lines(found: Iterator[bytes], out: BinaryIO) -> int:
    count = 0
    for line in found:
        out.write(line + b"\n")
        count += 1
    return count


def _each_once(found: Iterator[str]) -> Iterator[bytes]:
    """Tablets may share a file that neither has written to since they were divided."""
    last = ""
    for line in found:
        if line != last:
            yield line.encode()
        last = line


def _readable(tablets: Tablets, found: Iterator[bytes]) -> Iterator[bytes]:
    """Without the names of pages of other tablets that who asks may not read."""
    if tablets.ask(0, sees_all):
        yield from found
        return
    for line in found:
        page = from_json(PageLine, line)
        seen = seen_rows(tablets, [row_key(url) for url, _ in page.anchors])
        page.anchors = [each for each in page.anchors if row_key(each[0]) in seen]
        yield to_json(page)


def _not_come(tablets: Tablets, row: bytes, records: list[Record], part: Part) -> list[Record]:
    """Without bodies whose own page, of another tablet, came before: only that one knows."""
    return [
        record
        for record in records
        if not (record.brought and part.start <= record.row < row)
        or not tablets.ask(
            owner_of(tablets, record.row), lines.is_own, record.row, record.location, part.since
        )
    ]


def _write_records(pages: Iterator[list[Record]], out: BinaryIO) -> int:
    """No record twice: its id is its own. Before the first stands what the file is, which is not
    counted."""
    count = 0
    brought: set[WarcLocation] = set()
    for records in pages:
        for record in records:
            if record.location in brought:
                continue
            if record.brought:
                brought.add(record.location)
            if not count:
                out.write(_info(record.data))
            out.write(record.data)
            count += 1
    return count


def _info(first: bytes) -> bytes:
    """Out of the first record alone, so that the same export is the same bytes again."""
    says = f"software: Shoal/{VERSION}\r\nformat: WARC File Format 1.1\r\ndescription: exported\r\n"
    name = uuid.uuid5(uuid.NAMESPACE_OID, f"{says}{hashlib.sha256(first).hexdigest()}")
    fields = {"WARC-Record-ID": f"<urn:uuid:{name}>", "Content-Type": "application/warc-fields"}
    try:
        when = datetime.fromisoformat(warc.read_record(first).headers["warc-date"]).timestamp()
    except (DamagedError, KeyError, ValueError):
        when = 0.0  # it is exported as it stands, and `verify` tells of it
    return warc.write_record("warcinfo", when, fields, warc.Block(says.encode()))


# --- questions ------------------------------------------------------------------------------


def known_lines(
    collection: TabletView, start: bytes, end: bytes, state: str | None
) -> Slice[UrlLine]:
    found = lines.url_lines(collection, start, end, state)
    return cut((row, line, _LINE_BYTES) for row, line in found)


def url_lines(view: TabletView, start: bytes, part: Part, json: bool) -> Slice[bytes]:
    def found() -> Iterator[tuple[bytes, bytes, int]]:
        for row, known in lines.url_lines(view, start, part.end, since=part.since):
            line = to_json(known) if json else known.url.encode()
            yield row, line, len(line)

    return cut(found())


def page_lines(collection: TabletView, start: bytes, part: Part) -> Slice[bytes]:
    wanted = Filter(since=part.since)

    def found() -> Iterator[tuple[bytes, bytes, int]]:
        for stored in collection.store.stream(start, part.end, collection.principal, wanted):
            line = to_json(lines.page_line(Page(collection, stored)))
            yield stored.row, line, len(line)

    return cut(found())


def warc_records(collection: TabletView, start: bytes, part: Part) -> Slice[list[Record]]:
    brought = set[WarcLocation]()

    def found() -> Iterator[tuple[bytes, list[Record], int]]:
        for row, locations in lines.archived(collection, start, part):
            records = []
            for location, is_brought, of in locations:
                if location not in brought:
                    data = read_member(collection.layout.warc, location)
                    records.append(Record(location, is_brought, of, data))
                if is_brought:
                    brought.add(location)
            yield row, records, sum(len(record.data) for record in records)

    return cut(found())


def cdxj_lines(collection: TabletView, start: bytes, part: Part) -> Slice[str]:
    """In the order of the archive; the place of a line is its file and offset, which tell of the
    records before it: so it is for the owner alone."""
    collection.must_see_all()
    file, _, offset = start.partition(NUL)

    def found() -> Iterator[tuple[bytes, str, int]]:
        location = (file.decode(), int(offset or b"0"))
        for entry in cdxj.entries(collection.layout.warc, location):
            if lines.is_of(collection, entry, part):
                at = f"{entry.capture.filename}\0{int(entry.capture.offset):016d}"
                yield at.encode(), entry.line, len(entry.line)

    return cut(found())
