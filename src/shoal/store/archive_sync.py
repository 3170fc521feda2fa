"""When is the archive safe from a power loss? Children append, the main process syncs.

Any process may sync a file, so the children need not be asked. A file that was not touched since it
was last synced is left alone.
"""

import os
from pathlib import Path

from shoal.errors import CollectionError
from shoal.whole_file import put_on_disk


class ArchiveSync:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._synced: dict[str, int] = {}
        """Size of each file when it was last synced."""

    def sync(self) -> dict[str, int]:
        """Returns how much of each file is on disk now. The last record of that may not be whole:
        it may be looked at in the middle of an append."""
        try:
            self._sync_grown()
        except OSError as error:
            raise CollectionError(f"The archive can't be put on disk: {error}.") from error
        return dict(self._synced)

    def _sync_grown(self) -> None:
        grown = 0
        with os.scandir(self._directory) as entries:
            for entry in entries:
                size = entry.stat().st_size
                if self._synced.get(entry.name) != size:
                    put_on_disk(entry.path)
                    self._synced[entry.name] = size
                    grown += 1
        if grown:
            put_on_disk(self._directory)
