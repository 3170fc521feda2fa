"""Are the files of an index what was written? Each ends in the library's own checksum of the rest.

    bytes … {"version": …, "crc": 2439957075} length (4) magic (4)

The list of segments has none: it must read, be of our schema, and every file that it names must be
there. All of it is looked at without the library, which ends by a panic on some damaged files.
"""

import json
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.index.fields import make_schema
from shoal.index.native import Index

_LIST = "meta.json"
_KINDS = (".idx", ".pos", ".term", ".store", ".fast", ".fieldnorm")
_WITH_CHECKSUM = (*_KINDS, ".del")
_MAGIC = 1337
_TAIL_BYTES = 8
_MOST_FOOTER_BYTES = 1000
_CHUNK_BYTES = 1 << 20


def file_faults(path: Path) -> Iterator[str]:
    """What is wrong with the files of the index in a directory, a sentence each."""
    try:
        listed: Any = json.loads((path / _LIST).read_bytes())
        segments = [(str(each["segment_id"]), each["deletes"]) for each in listed["segments"]]
        deleted = [f".{each['opstamp']}.del" if each else "" for _, each in segments]
    except (OSError, ValueError, TypeError, KeyError):
        yield f"Its file {_LIST} does not read."
        return
    if {name: listed.get(name) for name in ("schema", "index_settings")} != _our_list():
        yield f"Its file {_LIST} is not the one of this release."
    for (segment, _), gone in zip(segments, deleted, strict=True):
        for kind in (*_KINDS, *([gone] if gone else [])):
            name = segment.replace("-", "") + kind
            if not (path / name).exists():
                yield f"Its file {name} is gone."
    for file in sorted(path.iterdir()):
        if file.suffix in _WITH_CHECKSUM and not _has_its_checksum(file):
            yield f"Its file {file.name} does not have its checksum."


def _our_list() -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="shoal-schema-") as place:
        Index(make_schema(), place, reuse=False)
        found = json.loads((Path(place) / _LIST).read_bytes())
        return {name: found.get(name) for name in ("schema", "index_settings")}


def _has_its_checksum(path: Path) -> bool:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _TAIL_BYTES))
        tail = file.read()
        length = int.from_bytes(tail[:4], "little")
        if int.from_bytes(tail[4:], "little") != _MAGIC or length > _MOST_FOOTER_BYTES:
            return False
        end = size - _TAIL_BYTES - length
        if end < 0:
            return False
        file.seek(end)
        try:
            expected = json.loads(file.read(length))["crc"]
        except (ValueError, TypeError, KeyError):
            return False
        file.seek(0)
        found = 0
        while end > 0 and (chunk := file.read(min(end, _CHUNK_BYTES))):
            found, end = zlib.crc32(chunk, found), end - len(chunk)
    return bool(found == expected)
