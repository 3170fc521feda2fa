"""What are the records of an Excel stream? Number, length, bytes; long ones go on in CONTINUE.

From [MS-XLS] for BIFF8 and from public descriptions of BIFF2 to 5. A string may be cut by a
CONTINUE record anywhere, and then says again how wide its characters are; so records keep their
pieces, and `Reader` walks over them.
"""

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

CONTINUE = 0x3C
_MAX_PIECES = 100_000
Decrypt = Callable[[int, int, bytes], bytes]
"""(record's number, place of its bytes in the stream, bytes) to plain bytes."""


class Record(NamedTuple):
    number: int
    at: int
    """Where it begins in the stream."""
    pieces: list[bytes]

    @property
    def data(self) -> bytes:
        return self.pieces[0]


class Stream:
    """Records one after the other; decryption begins where the stream says it is needed."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.decrypt: Decrypt | None = None

    def records(self) -> Iterator[Record]:
        at, last = 0, len(self._data) - 4
        while at <= last:
            number, size = struct.unpack_from("<HH", self._data, at)
            begin, following = at, at + 4 + size
            pieces = [self._bytes(number, at + 4, following)]
            while following <= last and len(pieces) < _MAX_PIECES:
                next_number, size = struct.unpack_from("<HH", self._data, following)
                if next_number != CONTINUE:
                    break
                end = following + 4 + size
                pieces.append(self._bytes(CONTINUE, following + 4, end))
                following = end
            yield Record(number, begin, pieces)
            at = following

    def _bytes(self, number: int, at: int, end: int) -> bytes:
        data = self._data[at:end]
        return data if self.decrypt is None else self.decrypt(number, at, data)


class Reader:
    """Over the pieces of one record. ValueError behind its end."""

    def __init__(self, pieces: list[bytes], at: int = 0) -> None:
        self._pieces = pieces
        self._number = 0
        self._at = at

    def take(self, size: int) -> bytes:
        piece = self._pieces[self._number]
        if self._at + size <= len(piece):
            self._at += size
            return piece[self._at - size : self._at]
        taken = [piece[self._at :]]
        size -= len(taken[0])
        while size > 0:
            self._turn()
            piece = self._pieces[self._number]
            taken.append(piece[:size])
            self._at = len(taken[-1])
            size -= self._at
        return b"".join(taken)

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def string(self, length_bytes: int) -> str:
        """Of BIFF8: characters of one byte (the lower half of Unicode) or two."""
        count = self.number(length_bytes)
        flags = self.number(1)
        runs = self.number(2) if flags & 8 else 0
        extra = self.number(4) if flags & 4 else 0
        text = self.characters(count, wide=bool(flags & 1))
        if runs or extra:
            self.take(runs * 4 + extra)
        return text

    def characters(self, count: int, *, wide: bool) -> str:
        shown: list[str] = []
        while True:
            piece = self._pieces[self._number]
            width = 2 if wide else 1
            fits = min(count, (len(piece) - self._at) // width)
            if fits > 0:
                raw = piece[self._at : self._at + fits * width]
                shown.append(raw.decode("utf-16-le" if wide else "latin-1", "replace"))
                self._at += len(raw)
                count -= fits
            if count <= 0:
                return "".join(shown)
            if self._number + 1 >= len(self._pieces):
                return "".join(shown)  # cut off: what is there is kept
            self._turn()
            wide = bool(self.number(1) & 1)

    def _turn(self) -> None:
        self._number += 1
        self._at = 0
        if self._number >= len(self._pieces):
            self._number -= 1
            self._at = len(self._pieces[self._number])
            raise ValueError("behind the end of a record")


def rk(number: int) -> float:
    """A number in 30 bits: whole or the upper half of a double, maybe a hundred times too large."""
    if number & 2:
        value = float((number >> 2) - (1 << 30 if number & 0x80000000 else 0))
    else:
        (value,) = struct.unpack("<d", struct.pack("<Q", (number & 0xFFFFFFFC) << 32))
    return value / 100 if number & 1 else value
