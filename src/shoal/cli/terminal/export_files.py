"""Where does an export go, and in which form? A file appears only when it is whole."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.collection.export import export
from shoal.collection.export.export import UrlLine
from shoal.collection.export.export_all import Export, export_all, export_parts, urls_all
from shoal.collection.tablets import LocalTablets
from shoal.collection.whole import Opened, Whole
from shoal.errors import UsageError
from shoal.model.outcome import State
from shoal.model.record import to_json


@contextmanager
def destination(output: str) -> Iterator[BinaryIO]:
    """Standard output, or a file that replaces an older one only at the end, if it has anything."""
    if output == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    draft = path.with_name(f".{path.name}.part")
    try:
        with draft.open("wb") as file:
            yield file
        if draft.stat().st_size:
            draft.replace(path)
    except OSError as error:
        raise UsageError(f"{output} can't be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def write(collection: Opened, wanted: Export, out: BinaryIO) -> int:
    """Returns how many lines or records were written."""
    if isinstance(collection, Whole):
        return export_all(collection.tablets, wanted, out)
    where, since = wanted.where, wanted.since
    match wanted.form:
        case "warc":
            return export.write_warc(collection, out, where, since)
        case "jsonl":
            return export.write_jsonl(export.pages(collection, where, since), out)
        case "cdxj":
            return export.write_cdxj(collection, out, where, since)
    count = 0
    for line in export.urls(collection, where, since=since):
        out.write(to_json(line) + b"\n" if wanted.json else line.url.encode() + b"\n")
        count += 1
    return count


def write_parts(collection: Opened, wanted: Export, directory: str) -> int:
    """One file for each tablet; a collection of its own has one."""
    if isinstance(collection, Whole):
        return sum(export_parts(collection.tablets, wanted, Path(directory)))
    with LocalTablets([collection.layout], collection.principal) as only:
        return sum(export_parts(only, wanted, Path(directory)))


def known_urls(collection: Opened, where: str, state: State | None) -> Iterator[UrlLine]:
    if isinstance(collection, Whole):
        return urls_all(collection.tablets, where, state)
    return export.urls(collection, where, state)
