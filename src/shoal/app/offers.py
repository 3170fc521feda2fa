"""What else does a Python program get? `map` and `export` of the command line, as functions.

Each hands over to what the command uses; api.py, which these need, has `crawl` and `open`.
"""

import os
from pathlib import Path
from typing import BinaryIO

from shoal.app import export
from shoal.app.export_all import Export, export_all
from shoal.app.layout import directory_of
from shoal.app.opening import Opened
from shoal.app.site_map import SiteMap
from shoal.app.site_map import map_site as map_into
from shoal.app.whole import Whole
from shoal.config import load

_MAP_SECONDS = 600.0


def map_site(
    site: str,
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    max_seconds: float = _MAP_SECONDS,
) -> SiteMap:
    """All URLs of a site that are known without fetching its pages."""
    directory = directory_of(dir)
    return map_into(site, directory, load(directory, {}, os.environ), max_seconds)


def export_jsonl(
    collection: Opened, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """Stored pages as JSON lines. Returns how many."""
    if isinstance(collection, Whole):
        return export_all(collection.tablets, Export("jsonl", where, since), out)
    return export.write_jsonl(export.pages(collection, where, since), out)


def export_warc(
    collection: Opened, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """The archived records of the stored pages, each once. Returns how many."""
    if isinstance(collection, Whole):
        return export_all(collection.tablets, Export("warc", where, since), out)
    return export.write_warc(collection, out, where, since)


def export_cdxj(
    collection: Opened, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """An index of the archive's own files. Returns how many lines."""
    if isinstance(collection, Whole):
        return export_all(collection.tablets, Export("cdxj", where, since), out)
    return export.write_cdxj(collection, out, where, since)
