"""Which number stands before a paragraph of a slide? [MS-PPT] 2.9.67 (StyleTextProp9Atom).

PowerPoint 2000 added numbers to the bullets of 97, in a list beside the text's styles: an entry for
each stretch of the text (the runs say which), with the format and where it starts. Paragraphs of a
stretch count on.
"""

import struct

from shoal.converters.ole.doc_lists import written

_ROMAN_LARGE, _ROMAN_SMALL, _LARGE, _SMALL, _DIGITS = 1, 2, 3, 4, 0
_PERIOD, _RIGHT, _BOTH, _PLAIN = "{}.", "{})", "({})", "{}"
_SCHEMES = (
    *((_SMALL, _PERIOD), (_LARGE, _PERIOD), (_DIGITS, _RIGHT), (_DIGITS, _PERIOD)),
    *((_ROMAN_SMALL, _BOTH), (_ROMAN_SMALL, _RIGHT), (_ROMAN_SMALL, _PERIOD)),
    *((_ROMAN_LARGE, _PERIOD), (_SMALL, _BOTH), (_SMALL, _RIGHT), (_LARGE, _BOTH)),
    *((_LARGE, _RIGHT), (_DIGITS, _BOTH), (_DIGITS, _PLAIN), (_ROMAN_LARGE, _BOTH)),
    (_ROMAN_LARGE, _RIGHT),
)
_DEFAULT = (3, 1)
_MOST_STRETCHES = 10_000


class Numbers:
    def __init__(self, atom: bytes) -> None:
        self._stretches = _read(atom) if atom else []
        self._counts: dict[tuple[int, int], int] = {}

    def marker(self, stretch: int, depth: int) -> str:
        """Of the next paragraph of a stretch; empty when it has a plain bullet."""
        if stretch >= len(self._stretches):
            return ""
        found = self._stretches[stretch]
        if found is None:
            return ""
        scheme, start = found
        number = self._counts.get((stretch, depth), start)
        self._counts[stretch, depth] = number + 1
        kind, shape = _SCHEMES[scheme] if scheme < len(_SCHEMES) else _SCHEMES[_DEFAULT[0]]
        return shape.format(written(number, kind))


def _read(atom: bytes) -> list[tuple[int, int] | None]:
    """(scheme, start) for each stretch, None for one without numbers."""
    stretches: list[tuple[int, int] | None] = []
    at = 0
    while at + 4 <= len(atom) and len(stretches) < _MOST_STRETCHES:
        (mask,) = struct.unpack_from("<I", atom, at)
        at += 4
        at += 2 if mask & 0x00800000 else 0
        numbered = False
        if mask & 0x02000000:
            numbered = atom[at : at + 2] == b"\1\0"
            at += 2
        found = _DEFAULT
        if mask & 0x01000000 and at + 4 <= len(atom):
            scheme, start = struct.unpack_from("<HH", atom, at)
            found = (scheme, start)
            at += 4
        stretches.append(found if numbered else None)
        at += 4  # of characters: nothing that we use
        flags = struct.unpack_from("<I", atom, at)[0] if at + 4 <= len(atom) else 0
        at += 6 if flags & 0x40 else 4
    return stretches
