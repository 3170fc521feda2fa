"""What has been learned about letters? Reads charset.bin, which training/charset makes.

Four sections, each with its length before it and compressed by itself: letter pairs by language,
pairs of shapes, characters of the far east, and code tables that Python has not. Nothing is read
before the first text that says nothing about its charset.
"""

import json
import sys
import zlib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

UNIT = 16
"""Costs are -log P in sixteenths."""
_ROW = 256
_FIRST_LETTER = 3
_SIGN_COST = bytes([5 * UNIT // 2])
_LETTERS, _SHAPES, _HAN, _TABLES = range(4)


class Language(NamedTuple):
    code: str
    charsets: list[str]
    classes: dict[str, int]
    """Letter, lower case, to its class; 0 is no letter, 1 one of ASCII's, 2 any other."""
    pairs: bytes
    """The cost of a pair of classes, at the number that the two bytes make in this machine."""

    sign: int
    """The class of quotes, dashes and the like: no letters, and the same in every language."""
    latin: bool


@cache
def languages() -> tuple[Language, ...]:
    header, blob = _section(_LETTERS)
    found = []
    for entry in header:
        classes = {letter: i for i, letter in enumerate(entry["alphabet"], _FIRST_LETTER)}
        size = _FIRST_LETTER + len(classes)
        table, blob = blob[: size * size], blob[size * size :]
        rows = [table[a * size : (a + 1) * size] + _SIGN_COST for a in range(size)]
        pairs = paired(b"".join(rows) + _SIGN_COST * (size + 1), size + 1)
        latin = "e" in classes
        found.append(Language(entry["language"], entry["charsets"], classes, pairs, size, latin))
    return tuple(found)


@cache
def shape_pairs() -> bytes:
    _, blob = _section(_SHAPES)
    return paired(blob, 16)


@cache
def han(language: str) -> dict[str, int]:
    """Character to cost, in `zh-cn`, `zh-tw`, `ja` or `ko`."""
    header, blob = _section(_HAN)
    for name, characters in header.items():
        costs, blob = blob[: len(characters)], blob[len(characters) :]
        if name == language:
            return dict(zip(characters, costs, strict=True))
    return {}


@cache
def tables() -> dict[str, str]:
    found, _ = _section(_TABLES)
    return {str(name): str(table) for name, table in found.items()}


def paired(table: bytes, size: int) -> bytes:
    """A table by first class, laid out for the numbers that `memoryview.cast("H")` gives."""
    if sys.byteorder == "little":
        return b"".join(table[b::size].ljust(_ROW, b"\xff") for b in range(size))
    return b"".join(table[a * size : (a + 1) * size].ljust(_ROW, b"\xff") for a in range(size))


@cache
def _section(number: int) -> tuple[Any, bytes]:
    data = files("shoal.converters.characters").joinpath("charset.bin").read_bytes()
    for _ in range(number):
        data = data[4 + int.from_bytes(data[:4], "big") :]
    body = zlib.decompress(data[4 : 4 + int.from_bytes(data[:4], "big")])
    head = 4 + int.from_bytes(body[:4], "big")
    return json.loads(body[4:head]), body[head:]
