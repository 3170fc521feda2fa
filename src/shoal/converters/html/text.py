"""Which text does an HTML page show, and how likely is each line content?

The scanned text without what is hidden, its character references decoded, without empty lines. With
a shading the lines are kept in step with the places that they come from.
"""

import re
from typing import NamedTuple

from shoal.converters.html.references import unescape
from shoal.converters.html.shading import Shading

Range = tuple[int, int, str]
"""From where to where of the scanned text, and the name of the element that hides it."""

_FALLBACK_CHARS = 500
"""Shorter texts for browsers without scripts only ask to switch them on."""
_SPACE_REFERENCE = re.compile(
    r"&(?:#0*(?:9|1[0-3]|2[89]|3[0-2]|133|160|5760|819[2-9]|820[0-2]|823[29]|8233|8287|12288)(?![0-9])"
    r"|#[xX]0*(?:[9a-dA-D]|1[c-fC-F]|20|85|[aA]0|1680|200[0-9aA]|202[89fF]|205[fF]|3000)(?![0-9a-fA-F])"
    r"|nbsp|[a-z]+sp(?:1[34])?\b|[A-Za-z]*Space;|Tab;|NewLine;)"
)
"""Those that stand for white space."""


class HiddenRanges:
    """Where elements stand in the text, the outermost of them: one that never ends is nowhere."""

    def __init__(self) -> None:
        self.closed: list[Range] = []
        self.name = ""
        """Of the one that is open, where it began, and how many of its name are open within."""
        self.start = 0
        self._depth = 0

    def open(self, name: str, place: int) -> None:
        if not self.name:
            self.name, self.start, self._depth = name, place, 1
        elif self.name == name:
            self._depth += 1

    def close(self, name: str, place: int) -> None:
        if self.name == name:
            self._depth -= 1
            if self._depth == 0:
                self.closed.append((self.start, place, name))
                self.name = ""


def shown(scanned: str, hidden: list[Range], shading: Shading | None) -> tuple[str, bytes]:
    """The text, and the shades of its lines. What stands in noscript is no text, unless content is
    there, or it is most of the page, as in some forums."""
    if shading is not None and shading.lives_in_noscript:
        hidden = [each for each in hidden if each[2] != "noscript"]
    text, line_scores = _decoded(*_without(scanned, hidden), shading)
    scriptless = [each for each in hidden if each[2] == "noscript"]
    if sum(end - start for start, end, _ in scriptless) < _FALLBACK_CHARS:
        return text, line_scores
    pieces = [_Piece("\n", scanned[start:end], start) for start, end, _ in scriptless]
    fallback, their_shades = _decoded(_tidy(pieces), pieces, shading)
    if len(fallback) < max(_FALLBACK_CHARS, len(text)):
        return text, line_scores
    return f"{text}\n{fallback}".strip(), line_scores + their_shades


class _Piece(NamedTuple):
    separator: str
    words: str
    place: int
    """Of the words, in the scanned text."""


def _without(scanned: str, ranges: list[Range]) -> tuple[str, list[_Piece]]:
    """The text without these ranges; what separated one from the words around it stays, once."""
    if not ranges:
        return scanned, [_Piece("", scanned, 0)]
    pieces: list[_Piece] = []
    position, gap = 0, ""
    for start, end, _ in [*ranges, (len(scanned), len(scanned), "")]:
        words = scanned[position:start].lstrip(" \n")
        gap += scanned[position : start - len(words)]
        if words:
            separator = "\n" + gap.rpartition("\n")[2] if "\n" in gap else " "
            pieces.append(_Piece(separator if pieces else "", words, start - len(words)))
            gap = ""
        gap += "\n" if scanned.startswith("\n", start) else ""
        position = end
    pieces = pieces or [_Piece("", "", 0)]
    return "".join(f"{piece.separator}{piece.words}" for piece in pieces), pieces


def _spans(pieces: list[_Piece]) -> list[tuple[int, int]]:
    """Where each line of the pieces together comes from."""
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        start = piece.place
        goes_on = bool(spans) and "\n" not in piece.separator
        for line in piece.words.split("\n"):
            end = start + len(line)
            spans.append((spans.pop()[0] if goes_on else start, end))
            goes_on, start = False, end + 1
    return spans


def _tidy(pieces: list[_Piece]) -> str:
    """One space between words."""
    return "\n".join(" ".join(line.split()) for piece in pieces for line in piece.words.split("\n"))


def _decoded(text: str, pieces: list[_Piece], shading: Shading | None) -> tuple[str, bytes]:
    is_plain = "&" not in text and not text.startswith("\n") and "\n\n" not in text
    if shading is None and is_plain:
        return text, b""
    if shading is None and _SPACE_REFERENCE.search(text) is None and "\n\n" not in text:
        return unescape(text).strip("\n"), b""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if "&" in line:
            decoded = unescape(line)
            lines[number] = " ".join(decoded.split()) if _SPACE_REFERENCE.search(line) else decoded
    if shading is None:
        return "\n".join(filter(None, lines)), b""
    spans = [span for span, line in zip(_spans(pieces), lines, strict=True) if line]
    return "\n".join(filter(None, lines)), shading.lines(spans)
