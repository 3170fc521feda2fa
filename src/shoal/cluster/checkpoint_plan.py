"""What of a tablet is not in the store yet? Each file of a checkpoint, with what must be put there.

A file that never changes is known by its name and the epoch that wrote it; an archive file only
grows; the rest is small, and is compared by digest with what the last checkpoint has.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from shoal.cluster.manifest import ARCHIVE, TABLE, Manifest, Piece, StoredFile, is_fixed, piece_of
from shoal.cluster.upload_parts import parts_of


class Upload(NamedTuple):
    """Bytes of a file that become an object."""

    piece: Piece
    path: Path
    start: int = 0


class Planned(NamedTuple):
    file: StoredFile
    uploads: list[Upload]


class Planner:
    """For one checkpoint."""

    def __init__(self, manifest: Manifest, last: Manifest | None, have: Mapping[str, Piece]):
        """`manifest` is the one to be filled; `have` is what is in the store for sure."""
        self._epoch = f"{manifest.epoch:08d}"
        self._small = f"data/small/{self._epoch}/{manifest.number:08d}/"
        self._before = last.by_name() if last else {}
        self._have = have

    def table(self, snapshot: Path) -> Iterator[Planned]:
        for path in snapshot.iterdir():
            name = TABLE + path.name
            yield self._fixed(name, path) if is_fixed(name) else self.small(name, path)

    def _fixed(self, name: str, path: Path) -> Planned:
        """Of a table that was restored, files stand under the epoch that wrote them."""
        size = path.stat().st_size
        own_key = f"data/{TABLE}{self._epoch}/{path.name}"
        for key in (*(piece.key for piece in self._stored(name)), own_key):
            piece = self._have.get(key)
            if piece is not None and piece.size == size:
                return Planned(StoredFile(name, [piece]), [])
        piece = piece_of(own_key, path, 0, size)
        return Planned(StoredFile(name, [piece]), [Upload(piece, path)])

    def small(self, name: str, path: Path) -> Planned:
        size = path.stat().st_size
        if not size:  # as the log is after a flush
            return Planned(StoredFile(name, []), [])
        piece = piece_of(self._small + name, path, 0, size)
        for known in self._stored(name):
            if (known.size, known.digest) == (piece.size, piece.digest):
                return Planned(StoredFile(name, [known]), [])
        return Planned(StoredFile(name, [piece]), [Upload(piece, path)])

    def archive(self, directory: Path, ends: Mapping[str, int]) -> Iterator[Planned]:
        """What was copied once stays as long as the file is there, whatever is known of its end."""
        copied = {name.removeprefix(ARCHIVE) for name in self._before if name.startswith(ARCHIVE)}
        for file in sorted(copied | ends.keys()):
            path = directory / file
            try:
                size = path.stat().st_size
            except FileNotFoundError:
                continue  # the archive was compacted; or it is lost, and `recovery` tells
            yield self._archive_file(ARCHIVE + file, path, min(ends.get(file, 0), size), size)

    def _archive_file(self, name: str, path: Path, end: int, size: int) -> Planned:
        before = self._stored(name)
        if sum(piece.size for piece in before) > size:
            before = []  # it is shorter than it was: another file
        pieces, uploads = [], []
        for part in parts_of(before, end):
            piece = part.piece
            if piece is None:
                key = f"data/{ARCHIVE}{self._epoch}/{path.name}/{part.start:012d}-{part.end:012d}"
                piece = self._have.get(key)
                if piece is None:
                    piece = piece_of(key, path, part.start, part.end, part.generation)
                    uploads.append(Upload(piece, path, part.start))
            pieces.append(piece)
        return Planned(StoredFile(name, pieces), uploads)

    def _stored(self, name: str) -> list[Piece]:
        """Of the file as the last checkpoint has it, what is still in the store: all or nothing."""
        before = self._before.get(name)
        if before is None or any(piece.key not in self._have for piece in before.pieces):
            return []
        return before.pieces
