"""Which words has a text, as numbers, and how much does each count?

A word is known by its crc32 alone, mixed with a seed, so that a word of the title is another one
than the same word of the text. How often it stands there counts as 1 + log(times). Pairs of words
that stand side by side are numbers of their own, if they are wanted. A text is parted at all signs
of ASCII but letters and digits; a piece with other characters is cut as everywhere
(model/words/words.py), once, and remembered.

_learn.c does `plain_count` where it could be compiled; tests hold the two together.
"""

import math
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator

from shoal.model.words.words import MOST_WORD_CHARS, words

Part = tuple[str, int, float]
"""A text, its seed, and how much its words count."""

MOST_CHARS = 200_000
"""Of one part of a document."""
_PIECE = re.compile("[A-Za-z0-9\x80-\U0010ffff]+")
_MOST_PIECE_CHARS = 48
_MOST_PIECES = 100_000
_SPREAD, _PAIR, _ALL = 0x9E3779B1, 0x85EBCA6B, 0xFFFFFFFF
_HASH_BYTES = 4


def plain_count(
    parts: tuple[Part, ...], pairs: bool, make: Callable[[str], bytes], known: dict[str, bytes]
) -> tuple[bytes, bytes]:
    """Keys (uint32) in the order in which they come first, and their values (float32)."""
    counted: Counter[int] = Counter()
    values = array("f")
    for text, seed, weight in parts:
        last: int | None = None
        for hash_ in _hashes(text, make, known):
            counted[_key(hash_, seed)] += 1
            if pairs and last is not None:
                counted[_key((last * _PAIR + hash_) & _ALL, seed)] += 1
            last = hash_
        for times in list(counted.values())[len(values) :]:
            values.append((1.0 + math.log(times)) * weight)
    return array("I", counted).tobytes(), values.tobytes()


def _key(hash_: int, seed: int) -> int:
    return ((hash_ ^ seed) * _SPREAD) & _ALL


def _hashes(text: str, make: Callable[[str], bytes], known: dict[str, bytes]) -> Iterator[int]:
    for piece in _PIECE.findall(text):
        if piece.isascii():
            yield zlib.crc32(piece[:MOST_WORD_CHARS].lower().encode())
            continue
        hashes = known.get(piece)
        if hashes is None:
            hashes = make(piece)
            if len(piece) <= _MOST_PIECE_CHARS:
                known[piece] = hashes
        for at in range(0, len(hashes), _HASH_BYTES):
            yield int.from_bytes(hashes[at : at + _HASH_BYTES], "little")


def hashes_of(piece: str) -> bytes:
    """Of the words of a piece, four bytes each."""
    return b"".join([_hash(word).to_bytes(_HASH_BYTES, "little") for word in words(piece)])


def _hash(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "replace"))


try:
    from shoal.learn._learn import count as _count
except ImportError:  # pragma: no cover - where there was no compiler
    _count = plain_count


class WordCounter:
    """Counts words, and remembers pieces that are dear to cut."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def count(self, parts: tuple[Part, ...], *, pairs: bool = False) -> tuple[bytes, bytes]:
        if len(self._known) > _MOST_PIECES:
            self._known.clear()
        return _count(parts, pairs, hashes_of, self._known)


def named(text: str, seed: int, *, pairs: bool) -> Iterator[tuple[int, str]]:
    """The keys of a text with their words, each as often as it stands there: what was only kept as
    a number is told from the document itself."""
    last, before = None, ""
    for piece in _PIECE.findall(text):
        for word in [piece[:MOST_WORD_CHARS].lower()] if piece.isascii() else words(piece):
            hash_ = _hash(word)
            yield _key(hash_, seed), word
            if pairs and last is not None:
                yield _key((last * _PAIR + hash_) & _ALL, seed), f"{before} {word}"
            last, before = hash_, word
