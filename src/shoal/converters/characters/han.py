"""Which multi-byte charset? The one that reads without faults and gives characters people use.

Big5, GBK, EUC and Shift_JIS accept much of each other's bytes, but what comes out of the wrong one
is rare characters: frequent ones stand in the first half of each table. The cost of a character is
-log of how often it is used in its language, so it compares with the costs of single bytes.
"""

from collections import Counter
from typing import NamedTuple

from shoal.converters.characters.codecs import strict_runs
from shoal.converters.characters.model import UNIT, han
from shoal.converters.characters.sample import Sample

CANDIDATES = {
    "gb18030": "zh-cn", "big5": "zh-tw", "euc-jp": "ja", "shift_jis": "ja", "euc-kr": "ko",
    "euc-tw": "zh-tw", "johab": "ko",
}  # fmt: skip
_RARE = ("euc-tw", "johab")
"""Last in the list: nobody asks them when another reads well."""
_PRIOR, _RARE_PRIOR = 2.0, 8.0
_HINT = 6.0
_LONE = 12.0
"""Characters one by one among ASCII are accents and quotes, misread."""
_RARE_IDEOGRAPH = 12 * UNIT
_RARE_SYLLABLE = 10 * UNIT
_STRANGE = 15 * UNIT
_FAULT = 14.0
SURE_COST = 8.0
"""Nats a character: what is below is text in that language, whatever else it might be."""
_SURE_CHARACTERS = 12


class Reading(NamedTuple):
    cost: float
    charset: str
    language: str
    characters: int

    @property
    def sure(self) -> bool:
        return self.characters >= _SURE_CHARACTERS and self.cost < SURE_COST * self.characters


def readings(sample: Sample) -> list[Reading]:
    """The multi-byte charsets that can read the sample, the likeliest first."""
    found: list[Reading] = []
    faults_allowed = 1 + len(sample.text) // 400
    for charset, language in CANDIDATES.items():
        if charset in _RARE and found and min(found).sure:
            break
        text, faults = strict_runs(sample.text, charset, faults_allowed)
        if faults > faults_allowed:
            continue
        cost, characters = _cost(text, language)
        if characters <= 2 * faults:
            continue
        cost += faults * _FAULT + (_RARE_PRIOR if charset in _RARE else _PRIOR)
        cost += sample.lone * _LONE
        cost -= _HINT if language[:2] == sample.language else 0
        found.append(Reading(cost, charset, language, characters))
    return sorted(found)


def _cost(text: str, language: str) -> tuple[float, int]:
    costs = han(language)
    total = characters = 0
    for character, count in Counter(text).items():
        code = ord(character)
        if code < 0x80:
            continue
        characters += count
        cost = costs.get(character)
        if cost is None:
            cost = _unseen(code)
        total += cost * count
    return total / UNIT, characters


def _unseen(code: int) -> int:
    if 0x4E00 <= code < 0xA000:
        return _RARE_IDEOGRAPH
    if 0xAC00 <= code < 0xD7A4 or 0x3040 <= code < 0x3100:
        return _RARE_SYLLABLE
    return _STRANGE
