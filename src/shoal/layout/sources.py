"""Which sources of one's own documents has a collection, and what of a folder is wanted?"""

import os
from collections.abc import Iterator
from pathlib import Path

from shoal.config import Config
from shoal.layout.layout import Layout
from shoal.model.record import unpack
from shoal.model.source import SOURCE_KEYS, SourceRow
from shoal.ports import Table
from shoal.sources.disk.listing import DiskSettings


def rows(table: Table) -> Iterator[SourceRow]:
    """All sources, by their names."""
    for _, stored in table.scan("site", SOURCE_KEYS, SOURCE_KEYS[:-1] + b"\x01"):
        yield unpack(SourceRow, stored)


def disk_settings(config: Config, layout: Layout, home: Path | None = None) -> DiskSettings:
    """What is read of folders, and what is left out. `home`: where the cluster stands, of a tablet
    of one."""
    files = config.files
    never = {os.fsencode(each.resolve()) for each in (home or layout.directory, layout.data)}
    return DiskSettings(
        hidden=files.hidden == "yes",
        mounts=files.mounts == "yes",
        ignore=tuple(files.ignore),
        max_bytes=files.max_size,
        most_watches=files.max_watches,
        sweep_seconds=files.sweep,
        poll_seconds=files.poll,
        never=tuple(never),
    )
