"""How much room does a collection take? Its table by family, its archive, its index, its graph.

The table is asked for the sizes of its files; the rest is added up file by file, up to a number of
files, after which the sum is told to be a part.
"""

import os
import shutil
from pathlib import Path

from shoal.collection.view import TabletView
from shoal.model.record import Struct

_MOST_FILES = 20_000


class SizePart(Struct):
    name: str
    about: str
    bytes: int
    files: int
    is_whole: bool = True


class Sizes(Struct):
    parts: list[SizePart]
    families: dict[str, int]
    """Bytes in the table's files, by family; what was just written is in its log."""
    total_bytes: int
    free_bytes: int
    """Of the disk."""


def sizes(collection: TabletView) -> Sizes:
    collection.must_see_all()
    layout = collection.layout
    places = (
        ("table", "rows: pages, texts, links, the queue", layout.table),
        ("archive", "the raw responses (WARC)", layout.warc),
        ("index", "what searches read", layout.index),
        ("graph", "links and ranks", layout.data / "graph"),
    )
    parts = [_part(name, about, place) for name, about, place in places]
    return Sizes(
        parts=parts,
        families=collection.table.bytes_on_disk(),
        total_bytes=sum(part.bytes for part in parts),
        free_bytes=shutil.disk_usage(layout.directory).free,
    )


def _part(name: str, about: str, place: Path) -> SizePart:
    found = SizePart(name, about, 0, 0)
    below = [str(place)]
    while below:
        try:
            with os.scandir(below.pop()) as entries:
                for entry in entries:
                    if found.files >= _MOST_FILES:
                        found.is_whole = False
                        return found
                    if entry.is_dir(follow_symlinks=False):
                        below.append(entry.path)
                    else:
                        found.files += 1
                        found.bytes += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue  # it is not there, or was removed while it was looked at
    return found
