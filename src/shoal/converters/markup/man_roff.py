"""What do the escapes in a line of a manual page mean? Fonts, and characters by name."""

import re

from shoal.converters.writer import Run

_ESCAPE = re.compile(
    r"\\(?:f(\[[^\]]*\]|\(..|.)|\((..)|\[([^\]]{1,40})\]|\*(?:\((..)|\[([^\]]{1,40})\]|(.))"
    r"|s(?:[+\-]?[0-9]{1,2}|\[[^\]]*\]|\([+\-]?..)|[hvwoLlDbZXC]'([^']*)'|[mMFgkn](?:\[[^\]]*\]|\(..|.)"
    r"|(.)|$)"
)


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_NAMED = {
    **_pairs(
        """/l ł /L Ł /o ø /O Ø ae æ AE Æ oe œ OE Œ oa å oA Å vs š vS Š vz ž
        em — en – hy - bu • co © rg ® tm ™ lq “ rq ” oq ‘ cq ’ aq ' dq " mu × de ° +- ± <= ≤
        >= ≥ != ≠ -> → <- ← ss ß :a ä :o ö :u ü :A Ä :O Ö :U Ü 'e é 'a á 'i í 'o ó 'u ú `e è
        `a à ,c ç ~n ñ ga ` ha ^ ti ~ rs \\ sl / ba | lB [ rB ] lC { rC } Do $ sc § dg † dd
        ‡ fm ′ sd ″ sq □ ci ○ Fo « Fc » Eu € Po £ Cs ¤ at @ sh # pl + mi − eq = *a α *b β *m
        μ *p π Bq „ bq ‚"""
    ),
    "R": "®",
    "Tm": "™",
}
_SINGLE = {
    "-": "-",
    "e": "\\",
    "\\": "\\",
    " ": " ",
    "~": " ",
    "0": " ",
    "'": "´",
    "`": "`",
    "t": "\t",
}


def runs_of(line: str, bold: bool = False) -> list[Run]:
    """A line of text; `\\fB` is bold up to the next font."""
    runs: list[Run] = []
    position = 0
    for found in _ESCAPE.finditer(line):
        if found.start() > position:
            runs.append(Run(line[position : found.start()], bold))
        position = found.end()
        font, single = found[1], found[8]
        if font:
            bold = font.strip("[(]") in ("B", "3", "BI", "CB")
        elif single in ('"', "#"):  # a comment up to the end of the line
            return runs
        elif single:
            runs.append(Run(_SINGLE.get(single, ""), bold))
        else:
            name = found[2] or found[3] or found[4] or found[5] or found[6] or ""
            runs.append(Run(_character(name), bold))
    runs.append(Run(line[position:], bold))
    return [run for run in runs if run.text]


def _character(name: str) -> str:
    if name in _NAMED:
        return _NAMED[name]
    digits = re.fullmatch(r"u([0-9A-Fa-f]{4,6})", name)
    if digits and 0 < int(digits[1], 16) < 0x110000:
        return chr(int(digits[1], 16))
    return ""


def plain(line: str) -> str:
    return "".join(run.text for run in runs_of(line))


_ARGUMENT = re.compile(r"\"((?:[^\"]|\"\")*)\"?|((?:\\.|[^\s\\])+)")


def arguments(text: str) -> list[str]:
    return [
        (found[1].replace('""', '"') if found[1] is not None else found[2])
        for found in _ARGUMENT.finditer(text)
    ]
