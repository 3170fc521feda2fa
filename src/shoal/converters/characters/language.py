"""Which language is it in? The script says, or the three-letter pieces of its words do.

Greek, Thai or Korean are known by their letters. Where many languages share a script, each piece of
three characters has a cost (-log P) in each language; those costs are packed into one long integer
per piece, so that a sum of integers adds up all languages at once, without a numerical library and
its loading time. A page that declares its language keeps it; this fills the gap.
"""

import json
import math
import re
import sys
import zlib
from array import array
from bisect import bisect_right
from collections import Counter
from functools import cache, lru_cache
from importlib.resources import files
from itertools import repeat
from typing import NamedTuple

UNIT = 12
"""Costs are -log P in twelfths."""
FIELD_BYTES = 4
SAMPLE_CHARACTERS = 400
"""More costs time and tells no more (docs/encodings.md)."""
PIECES = 3
_SCRIPT_CHARACTERS = 500
_LEAST_LETTERS = 3
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_MOST_WORDS = 1 << 14
_TEMPER = 3.0
"""Neighbouring pieces tell the same twice: their evidence counts a third."""

_BLOCKS = (
    (0x41, "latin"), (0x370, "el"), (0x400, "cyrillic"), (0x530, "hy"), (0x590, "he"),
    (0x600, "arabic"), (0x700, ""), (0x900, "devanagari"), (0x980, "bn"), (0xA00, "pa"),
    (0xA80, "gu"), (0xB00, "or"), (0xB80, "ta"), (0xC00, "te"), (0xC80, "kn"), (0xD00, "ml"),
    (0xD80, "si"), (0xE00, "th"), (0xE80, "lo"), (0xF00, "bo"), (0x1000, "my"), (0x10A0, "ka"),
    (0x1100, "ko"), (0x1200, "am"), (0x13A0, ""), (0x1780, "km"), (0x1800, "mn"), (0x18B0, ""),
    (0x1E00, "latin"), (0x1F00, "el"), (0x2000, ""), (0x3040, "ja"), (0x3100, ""),
    (0x3400, "zh"), (0xA000, ""), (0xAC00, "ko"), (0xD7B0, ""), (0xF900, "zh"), (0xFB00, ""),
    (0xFB50, "arabic"), (0xFE00, ""), (0xFE70, "arabic"), (0xFF00, ""), (0x20000, "zh"),
    (0x30000, ""),
)  # fmt: skip
_STARTS = [start for start, _ in _BLOCKS]
_KANA_SHARE = 0.05


class Guess(NamedTuple):
    code: str
    """BCP 47, most often ISO 639-1; empty when the text is too short or in an unknown script."""
    confidence: float
    """From 0 to 1."""


class Script(NamedTuple):
    languages: list[str]
    pieces: dict[str, int]


def load() -> None:
    """What the first page would otherwise wait for: the model of the script of most."""
    _model("latin")


def detect(text: str) -> Guess:
    """The language of a text, by its beginning and its middle."""
    sample = _sample(text)
    script, share = _script(sample)
    if script not in _names():
        return Guess(script, round(share, 3) if script else 0.0)
    words = _NOT_LETTERS.sub(" ", sample.lower()).split()
    if sum(map(len, words)) < _LEAST_LETTERS:
        return Guess("", 0.0)
    model = _model(script)
    total = sum(map(_cost, repeat(script), words))
    if not total:
        return Guess("", 0.0)
    return _best(total, model.languages, share)


@lru_cache(_MOST_WORDS)
def _cost(script: str, word: str) -> int:
    """Of all pieces of a word, in all languages. The words of a text are mostly the same few."""
    pieces = _model(script).pieces
    word = f" {word} "
    ends = range(PIECES, len(word) + 1)
    return sum(pieces.get(word[end - PIECES : end], 0) for end in ends)


def _best(total: int, languages: list[str], share: float) -> Guess:
    sums = array("I", total.to_bytes(FIELD_BYTES * len(languages), sys.byteorder))
    if sys.byteorder == "big":
        sums.reverse()
    first = min(sums)
    code = languages[sums.index(first)]
    sums.remove(first)
    ahead = (min(sums, default=first) - first) / UNIT / _TEMPER
    return Guess(code, round(share / (1.0 + math.exp(-min(ahead, 50.0))), 3))


def _sample(text: str) -> str:
    if len(text) <= SAMPLE_CHARACTERS:
        return text
    half = SAMPLE_CHARACTERS // 2
    middle = min(len(text), 8 * SAMPLE_CHARACTERS) // 2
    return f"{text[:half]} {text[middle : middle + half]}"


def _script(text: str) -> tuple[str, float]:
    """(script, or language where a script has but one; its share of the letters)."""
    if text.isascii():
        return "latin", 1.0
    counts: Counter[str] = Counter()
    for character, count in Counter(text[-_SCRIPT_CHARACTERS:]).items():
        if character.isalpha():
            block = bisect_right(_STARTS, ord(character)) - 1
            counts[_BLOCKS[block][1] if block >= 0 else ""] += count
    letters = counts.total()
    if not letters:
        return "", 0.0
    if counts["ja"] > _KANA_SHARE * letters:
        counts["ja"] += counts.pop("zh", 0)
    script, count = counts.most_common(1)[0]
    return script, count / letters


@cache
def _names() -> dict[str, list[str]]:
    names: dict[str, list[str]] = json.loads(_data()[0])
    return names


@cache
def _data() -> tuple[bytes, bytes]:
    body = zlib.decompress(
        files("shoal.converters.characters").joinpath("language.bin").read_bytes()
    )
    head, _, rest = body.partition(b"\n")
    return head, rest


@cache
def _model(script: str) -> Script:
    """The script's pieces, each with its costs in all languages as one integer."""
    rest = _data()[1]
    for name, languages in _names().items():
        line, _, rest = rest.partition(b"\n")
        pieces = line.decode("utf-8")
        count, width = len(pieces) // PIECES, len(languages)
        columns, rest = rest[: count * width], rest[count * width :]
        if name == script:
            field = bytearray(width * FIELD_BYTES)
            found = {}
            for i in range(count):
                field[::FIELD_BYTES] = columns[i::count]
                found[pieces[i * PIECES : (i + 1) * PIECES]] = int.from_bytes(field, "little")
            return Script(languages, found)
    return Script([], {})
