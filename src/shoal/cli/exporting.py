"""Where does an export go, and in which form? A file appears only when it is whole."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.app import export
from shoal.app.collection import Collection
from shoal.app.export import UrlLine
from shoal.errors import UsageError
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


def write(
    collection: Collection, form: str, out: BinaryIO, *, where: str, since: float | None, json: bool
) -> int:
    """Returns how many lines or records were written."""
    match form:
        case "warc":
            return export.write_warc(collection, out, where, since)
        case "jsonl":
            return export.write_jsonl(export.pages(collection, where, since), out)
        case "cdxj":
            return export.write_cdxj(collection, out, where, since)
    count = 0
    for line in _urls(collection, where, since):
        out.write(to_json(line) + b"\n" if json else line.url.encode() + b"\n")
        count += 1
    return count


def _urls(collection: Collection, where: str, since: float | None) -> Iterator[UrlLine]:
    for url, row in collection.urls(where):
        if since is None or row.fetched_ms >= since * 1000:
            yield UrlLine(url, row.state, row.reason, row.depth, row.status, row.visits)
