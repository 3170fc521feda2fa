"""Which charset, when nobody says? Multi-byte charsets first, then the single-byte ones.

A text that reads well in a multi-byte charset is nothing else; single-byte charsets accept anything
and are weighed against each other by the letters they make. Both give the cost of the same bytes in
the same unit, so the doubtful cases are compared.
"""

import re

from shoal.converters.characters.codecs import as_browsers
from shoal.converters.characters.han import readings
from shoal.converters.characters.letters import verdicts
from shoal.converters.characters.sample import sample_of

_EBCDIC = (1047, 500, 37, 273, 277, 278, 280, 284, 285, 297, 871)
_EBCDIC_BYTES = 4096
_SIGN_IN_WORD = re.compile(r"(?<=[a-z])[^\w\s.,'-]|[^\w\s.,'(\"-](?=[a-z])")
_SIGN_IN_WORD_COST = 16.0


def guess(data: bytes, kind: str, language: str) -> str:
    """The likeliest charset of bytes that are not ASCII, UTF-8 or marked; never empty."""
    sample = sample_of(data, language)
    if not sample.text:
        return "windows-1252"
    multi_byte = readings(sample)
    if multi_byte and multi_byte[0].sure:
        return multi_byte[0].charset
    single_byte = verdicts(sample, kind)
    if multi_byte and multi_byte[0].cost < single_byte[0].cost:
        return multi_byte[0].charset
    return single_byte[0].charset


def guess_ebcdic(data: bytes) -> str:
    """Which code page of the mainframes: their letters differ only in a handful of places."""
    costs = []
    for order, number in enumerate(_EBCDIC):
        name = f"ibm{number:03}"
        text = as_browsers(data[:_EBCDIC_BYTES], name)
        cost = _SIGN_IN_WORD_COST * len(_SIGN_IN_WORD.findall(text))
        if not text.isascii():
            sample = sample_of(text.encode("cp1252", "replace"), "")
            cost += verdicts(sample, "text")[0].cost
        costs.append((cost, order, name))
    return min(costs)[2]
