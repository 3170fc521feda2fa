"""Which single-byte charset? The one whose letters stand beside each other as a language's do.

Every charset makes other characters of the same bytes. The pairs of bytes with one beyond ASCII are
counted once; for each charset and each language written in it a table turns bytes into letters, and
the cost of the pairs (-log of how likely a letter is after another) is summed. Pairs of shapes
(capital after small, sign between letters) are judged apart, over all languages. What remains equal
is settled by how common the charset is, and by the language of the words in plain ASCII.
"""

import re
from array import array
from collections import Counter
from functools import cache
from operator import mul
from typing import NamedTuple

from shoal.converters.characters.character_classes import BOX, FOLDED, NOTHING, RARE, shape
from shoal.converters.characters.codecs import table_of
from shoal.converters.characters.model import UNIT, languages, shape_pairs
from shoal.converters.characters.sample import Sample

_AROUND = re.compile(rb"[\x00-\x7f]?[\x80-\xff]+(?:[\x00-\x7f][\x80-\xff]+)*[\x00-\x7f]?")

_PRIORS = {
    "windows-1252": 0, "windows-1251": 1, "windows-1250": 2, "iso-8859-2": 2, "windows-1253": 2.2,
    "iso-8859-7": 2, "windows-1254": 1.5, "windows-1255": 2, "windows-1256": 2, "windows-1257": 2.5,
    "windows-874": 2, "windows-1258": 5, "koi8-r": 2.5, "koi8-u": 3, "iso-8859-5": 4,
    "iso-8859-15": 3, "iso-8859-6": 5, "iso-8859-8-i": 4, "iso-8859-13": 5, "iso-8859-4": 5.5,
    "iso-8859-3": 6, "iso-8859-14": 7, "iso-8859-16": 7, "ibm866": 6,
}  # fmt: skip
_LONE = 6.0
_LATIN_RUNS = 8
"""So many lone bytes among ASCII, and other scripts need not be asked."""
_CONTEXT, _CONTEXT_MOST, _CONTEXT_PAIRS = 0.2, 60.0, 120
_HINT = 6.0
_COMMON_PAIRS = 32
_CHOSEN = 24
_POOR = 4.0
"""Nats a pair: pages for which no charset of the web does better may be in one of DOS or Mac."""
_MARGIN, _MARGIN_NATS = 1.5, 25.0
_RARE, _RARE_ON_THE_WEB = 9.0, 25.0
"""In nats: how much likelier a charset must look than windows-1252 to be preferred."""


class CharsetGuess(NamedTuple):
    cost: float
    charset: str
    language: str


class Pairs(NamedTuple):
    """Distinct pairs of bytes with one beyond ASCII, side by side, and how often each occurs."""

    packed: bytes
    counts: list[int]

    @staticmethod
    def of(kept: list[tuple[int, int]]) -> "Pairs":
        packed = array("H", [pair for pair, _ in kept])
        return Pairs(packed.tobytes(), [count for _, count in kept])

    def cost(self, classes: bytes, table: bytes) -> float:
        pairs = memoryview(self.packed.translate(classes)).cast("H")
        sixteenths: int = sum(map(mul, self.counts, map(table.__getitem__, pairs)))
        return sixteenths / UNIT


def _count(text: bytes) -> list[tuple[int, int]]:
    """The pairs of neighbours as numbers, the commonest first."""
    counter: Counter[int] = Counter()
    for offset in (0, 1):
        even = len(text) - offset & ~1
        counter.update(memoryview(text[offset : offset + even]).cast("H"))
    return counter.most_common()


def verdicts(sample: Sample, kind: str) -> list[CharsetGuess]:
    """The charsets that come into question, each with its best language, the likeliest first."""
    around = b"".join(_AROUND.findall(sample.text + sample.unseen))
    kept = [item for item in _count(around) if item[0] & 0x8080]
    pairs = Pairs.of(kept)
    shapes: dict[str, float] = {}
    best: dict[str, CharsetGuess] = {}
    for prior, i, name in _candidates(sample, kind, Pairs.of(kept[:_COMMON_PAIRS])):
        if name not in shapes:
            shapes[name] = pairs.cost(shape_classes(name), shape_pairs())
        cost = pairs.cost(letter_classes(name, i), languages()[i].pairs) + shapes[name] + prior
        if name not in best or cost < best[name].cost:
            best[name] = CharsetGuess(cost, name, languages()[i].code)
    return sorted(best.values())


def _candidates(sample: Sample, kind: str, common: Pairs) -> list[tuple[float, int, str]]:
    """(what it costs beforehand, language, charset): those that make letters of common pairs."""
    priors = _language_priors(sample)
    web = kind == "html"
    combined = [
        (_PRIORS.get(name, _RARE_ON_THE_WEB if web else _RARE) + priors[i], i, name)
        for i, language in enumerate(languages())
        if language.latin or sample.lone < _LATIN_RUNS
        for name in language.charsets
    ]
    usual = [each for each in combined if each[2] in _PRIORS] if web else combined
    ranked = _ranked(usual, common)
    if web and ranked[0][0] > _POOR * sum(common.counts) + _RARE_ON_THE_WEB:
        ranked = _ranked(combined, common)
    limit = ranked[0][0] * _MARGIN + _MARGIN_NATS
    return [each for cost, each in ranked[:_CHOSEN] if cost < limit]


def _ranked(
    combined: list[tuple[float, int, str]], common: Pairs
) -> list[tuple[float, tuple[float, int, str]]]:
    return sorted(
        (common.cost(letter_classes(each[2], each[1]), languages()[each[1]].pairs) + each[0], each)
        for each in combined
    )


def _language_priors(sample: Sample) -> list[float]:
    """What a language costs before a letter beyond ASCII is seen.

    Bytes that stand alone among ASCII are Latin's accents, and the words around them, though every
    charset reads them alike, show which Latin language it is.
    """
    foreign = _LONE * sample.lone
    words = Pairs.of(_count(sample.context)[:_CONTEXT_PAIRS])
    costs = [
        _CONTEXT * words.cost(letter_classes("windows-1252", i), language.pairs)
        if language.latin and words.counts
        else 0.0
        for i, language in enumerate(languages())
    ]
    least = min(cost for cost, language in zip(costs, languages(), strict=True) if language.latin)
    return [
        (min(cost - least, _CONTEXT_MOST) if language.latin else foreign)
        - (_HINT if language.code[:2] == sample.language else 0.0)
        for cost, language in zip(costs, languages(), strict=True)
    ]


@cache
def shape_classes(charset: str) -> bytes:
    return bytes(shape(character) for character in table_of(charset))


@cache
def letter_classes(charset: str, index: int) -> bytes:
    """For each byte of a charset the class of its letter, in the language with this index."""
    language = languages()[index]
    lower = [c.lower()[0] for c in table_of(charset).translate(FOLDED)]
    return bytes(language.classes.get(c) or _other_class(c, language.sign) for c in lower)


def _other_class(character: str, sign: int) -> int:
    if character.isascii():
        return int(character.isalpha())
    return 2 if character.isalpha() or shape(character) in (RARE, BOX, NOTHING) else sign
