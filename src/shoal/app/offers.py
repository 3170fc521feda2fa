"""What else does a Python program get? `map` and `export` of the command line, as functions.

Each hands over to what the command uses; api.py, which these need, has `crawl` and `open`.
"""

import os
from pathlib import Path
from typing import BinaryIO

from shoal.app import export
from shoal.app.collection import Collection
from shoal.app.layout import directory_of
from shoal.app.site_map import SiteMap
from shoal.app.site_map import map_site as map_into
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
    collection: Collection, out: BinaryIO, where: str = "", since: float | None = None
) -> int:
    """Stored pages as JSON lines. Returns how many."""
    return export.write_jsonl(export.pages(collection, where, since), out)


export_warc = export.write_warc
export_cdxj = export.write_cdxj
