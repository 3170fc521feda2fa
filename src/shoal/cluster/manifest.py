"""What belongs to a checkpoint? Its manifest says: each file of the tablet, and the objects that
hold it, piece by piece.

    PREFIX/checkpoints/00000012-00000003        the third checkpoint of epoch 12
    PREFIX/data/table/00000012/000345.sst       a file of the table that never changes
    PREFIX/data/warc/00000012/FILE/0000-4096    bytes of an archive file, from where to where
    PREFIX/data/small/00000012/00000003/FILE    what is another at every checkpoint

Keys have the epoch that wrote them: a table that was restored gives out the same numbers again, for
other files. No key is ever written with other bytes, so a manifest never changes its meaning. Keys
in a manifest are relative to the prefix: a copied store can be restored from.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from shoal.cluster.objects import Objects, must_be_key
from shoal.errors import DamagedError, UsageError
from shoal.model.digest import pieces_digest
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.whole_file import write_whole

LOCAL_NAME = "checkpoint.json"
"""In the tablet's directory: the manifest of what its files are in the store."""
TABLE = "table/"
ARCHIVE = "warc/"
_READ_BYTES = 1 << 20
_NAME = re.compile(r"\d{8}-\d{8}")


class Piece(Struct, frozen=True, array_like=True):
    """Some bytes of a file, in one object."""

    key: str
    size: int
    digest: str
    generation: int = 0
    """How often it was joined from smaller ones."""


class StoredFile(Struct, frozen=True, array_like=True):
    name: str
    """Its path in the tablet's directory."""
    pieces: list[Piece]

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)


class Manifest(Struct, frozen=True):
    epoch: int
    number: int
    made: float
    """Unix seconds."""
    files: list[StoredFile]
    uploaded: int = 0
    """Bytes that this checkpoint added to the store, without the manifest."""

    @property
    def name(self) -> str:
        return f"{self.epoch:08d}-{self.number:08d}"

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    def keys(self) -> set[str]:
        """Of the objects that it needs, and of itself."""
        return {checkpoint_key(self.name)} | {
            piece.key for file in self.files for piece in file.pieces
        }

    def by_name(self) -> dict[str, StoredFile]:
        return {file.name: file for file in self.files}


def is_fixed(name: str) -> bool:
    """A file of RocksDB that is written once: only such may be linked, or known by its name."""
    return name.endswith(".sst")


def checkpoint_key(name: str) -> str:
    return f"checkpoints/{name}"


def encode(manifest: Manifest) -> bytes:
    body = to_json(manifest)
    return pieces_digest([body]).encode() + b"\n" + body


def decode(data: bytes) -> Manifest:
    """Raises DamagedError unless it is what was written."""
    digest, _, body = data.partition(b"\n")
    if digest != pieces_digest([body]).encode():
        raise DamagedError("A manifest of a checkpoint does not have the digest that it names.")
    try:
        manifest = from_json(Manifest, body)
        for file in manifest.files:
            must_be_key(file.name)
    except (*JSON_ERRORS, UsageError) as error:
        raise DamagedError(f"A manifest of a checkpoint can't be read: {error}") from error
    return manifest


def checkpoints(objects: Objects, prefix: str) -> list[str]:
    """Names of the checkpoints in the store, newest first."""
    keys = [key for key, _ in reversed(objects.names(f"{prefix}/checkpoints"))]
    return [name for key in keys if _NAME.fullmatch(name := key.rpartition("/")[2])]


def read_local(directory: Path) -> Manifest | None:
    """What the files in a tablet's directory are in the store, as far as is known there."""
    try:
        return decode((directory / LOCAL_NAME).read_bytes())
    except (OSError, DamagedError):
        return None


def write_local(directory: Path, manifest: Manifest) -> None:
    write_whole(directory / LOCAL_NAME, encode(manifest))


def read_range(path: Path, start: int, end: int) -> Iterator[bytes]:
    """So many bytes of a file; fewer when it is shorter."""
    with path.open("rb") as file:
        file.seek(start)
        while start < end and (data := file.read(min(_READ_BYTES, end - start))):
            start += len(data)
            yield data


def piece_of(key: str, path: Path, start: int, end: int, generation: int = 0) -> Piece:
    return Piece(key, end - start, pieces_digest(read_range(path, start, end)), generation)
