"""Which paragraphs does a page's text consist of, and how are they sent so cheaply?

Paragraphs are numbered, drawn from the seed when first needed and kept, each also as a piece of a
deflate stream that ends with a full flush: such pieces refer to nothing before them and end on a
byte, so a page's gzip body is put together from them (RFC 1951, section 3.2; RFC 1952), and only
what is its own is compressed when it is served. That keeps the server out of the way of the
crawler under test.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from tests.world.chance import Purpose, stream
from tests.world.words import sentence

PARAGRAPHS = 1_500
MEAN_PARAGRAPH_BYTES = 390
_SENTENCES_PER_PARAGRAPH = 5
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"
_LAST_BLOCK = b"\x03\x00"  # final, fixed codes, empty


class Piece(NamedTuple):
    """Bytes, and the same bytes deflated."""

    plain: bytes
    deflated: bytes


class Paragraphs:
    """The numbered paragraphs of one seed, made on demand."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._pieces: dict[tuple[int, str], Piece] = {}

    def text(self, number: int) -> str:
        rng = stream(self._seed, Purpose.SENTENCES, number)
        return " ".join(sentence(rng) for _ in range(_SENTENCES_PER_PARAGRAPH))

    def piece(self, number: int, charset: str) -> Piece:
        """The paragraph as HTML."""
        piece = self._pieces.get((number, charset))
        if piece is None:
            text = self.text(number)
            heading = f"<h2>{text[:24].strip()}</h2>\n" if number % 4 == 0 else ""
            plain = f"{heading}<p>{text}</p>\n".encode(charset)
            piece = self._pieces[number, charset] = piece_of(plain)
        return piece


class Body(NamedTuple):
    """An HTML page in parts, some of them already compressed."""

    parts: Sequence[Piece | bytes]

    def plain(self) -> bytes:
        return b"".join([part if isinstance(part, bytes) else part.plain for part in self.parts])

    def gzipped(self) -> bytes:
        plain = self.plain()
        packed = [
            _deflated(part, 1) if isinstance(part, bytes) else part.deflated for part in self.parts
        ]
        checks = struct.pack("<II", zlib.crc32(plain), len(plain) & 0xFFFFFFFF)
        return b"".join([_GZIP_HEAD, *packed, _LAST_BLOCK, checks])


def piece_of(plain: bytes) -> Piece:
    """A piece that will be sent often."""
    return Piece(plain, _deflated(plain, 9))


def _deflated(plain: bytes, level: int) -> bytes:
    deflate = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)  # negative: no header
    return deflate.compress(plain) + deflate.flush(zlib.Z_FULL_FLUSH)
