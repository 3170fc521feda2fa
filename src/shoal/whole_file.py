"""How does a file appear whole or not at all? As a draft beside it, which then takes its name."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal import faults

DRAFT = ".part"
"""The end of a draft's name: what a kill has left is told by it."""


@contextmanager
def whole_file(
    path: Path, *, synced: bool = False, mode: int = 0o666, or_none: bool = False
) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of an older one when the block ends well.

    `synced`: its bytes are on disk before it has its name, and its name when the block has ended.
    `or_none`: what is empty takes no place.
    """
    draft = path.with_name(f".{path.name}{DRAFT}")
    try:
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            if synced:
                os.fsync(file.fileno())
            size = file.tell()
        faults.point("file.drafted")
        if size or not or_none:
            draft.replace(path)
        if synced:
            put_on_disk(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes, *, synced: bool = False, mode: int = 0o666) -> None:
    with whole_file(path, synced=synced, mode=mode) as file:
        file.write(data)


def put_on_disk(path: str | Path) -> None:
    """A file's bytes, or a directory's names."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
