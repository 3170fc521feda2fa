"""What are the stems of a whole text, and how often does each stand in it?

A text is parted at white space and ASCII signs, and each piece is looked up whole. Natural language
repeats itself, so a piece is cut, stemmed and folded the first time that it is met, and remembered.
Stems are counted by their hashes (crc32, four bytes), which is how a document's vector keeps them.

_stems.c does `PlainPieces` where it could be compiled; tests hold the two together.
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Protocol

HASH_BYTES = 4
MOST_COUNT = 255
_MOST_PIECE_CHARS = 48
"""A longer piece is cut each time: it hardly comes again."""


_PIECE = re.compile(
    r"(?:[A-Za-z0-9]|[^\s\x00-\x7f]|[^\sA-Za-z0-9\x80-\U0010ffff](?=[^\x00-\x7f]))+"
)
"""A sign before a character beyond ASCII stays with it: that may be an accent for it."""


class Stems(NamedTuple):
    """Of one text."""

    text: str
    """In order, with spaces between."""
    hashes: bytes
    """Hashes of the different stems, in the order in which they come first."""
    counts: bytes
    """How often each stem comes, at most 255 times."""
    words: int


class Pieces(Protocol):
    def stems(self, text: str, /) -> tuple[str, bytes, bytes, int]: ...


def hash_of(stem: str) -> bytes:
    return zlib.crc32(stem.encode()).to_bytes(HASH_BYTES, "little")


class PlainPieces:
    """Pieces and what `make` made of them: their stems, with spaces between."""

    def __init__(self, make: Callable[[str], str], most: int) -> None:
        self._make = make
        self._most = most
        self._known: dict[str, str] = {}

    def stems(self, text: str) -> tuple[str, bytes, bytes, int]:
        made = [stems for piece in _PIECE.findall(text) if (stems := self._of(piece))]
        joined = " ".join(made)
        counted = Counter(joined.split(" ")) if joined else Counter[str]()
        hashed: dict[bytes, int] = {}
        for stem, times in counted.items():
            key = hash_of(stem)
            hashed[key] = hashed.get(key, 0) + times
        counts = bytes([min(times, MOST_COUNT) for times in hashed.values()])
        return joined, b"".join(hashed), counts, counted.total()

    def _of(self, piece: str) -> str:
        known = self._known.get(piece)
        if known is None:
            known = self._make(piece)
            if len(piece) <= _MOST_PIECE_CHARS:
                if len(self._known) >= self._most:
                    self._known.clear()
                self._known[piece] = known
        return known


try:
    from shoal.index._stems import Pieces as _Native
except ImportError:  # pragma: no cover - where there was no compiler
    _make_pieces: Callable[[Callable[[str], str], int], Pieces] = PlainPieces
else:
    _make_pieces = _Native


def make_pieces(make: Callable[[str], str], most: int) -> Pieces:
    return _make_pieces(make, most)
