"""Which files have the same bytes? Checksums by name, for the command line."""

from pathlib import Path
from typing import BinaryIO

from shoal.duplicates.exact.checksums import Checksums, checksums
from shoal.errors import UsageError
from shoal.model.record import Struct


class FileChecksums(Struct):
    file: str
    byte_sum: int
    cksum: int
    crc32: str
    sha256: str
    length_bytes: int

    @property
    def facts(self) -> list[tuple[str, str]]:
        """As a person reads them."""
        return [
            ("byte sum", str(self.byte_sum)),
            ("cksum", f"{self.cksum} {self.length_bytes}"),
            ("crc-32", self.crc32),
            ("sha256", self.sha256),
            ("bytes", str(self.length_bytes)),
        ]


def checksums_of(file: str, standard_input: BinaryIO) -> FileChecksums:
    """`-` is standard input. Raises UsageError when the file can't be read."""
    try:
        if file == "-":
            return _named(file, checksums(standard_input))
        with Path(file).open("rb") as stream:
            return _named(file, checksums(stream))
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror or error}.") from error


def _named(file: str, found: Checksums) -> FileChecksums:
    return FileChecksums(
        file, found.byte_sum, found.cksum, found.crc32, found.sha256, found.length_bytes
    )
